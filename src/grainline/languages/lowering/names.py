"""Which binding a name means: blocks inside of functions, functions inside of functions.

A name that a function binds is renamed (`x#3`) unless it is a parameter, so that every
declaration is a variable of its own. A function that stands in another one is lowered later, when
more has been declared: it looks names up as they were where it stands.
"""

from __future__ import annotations

from bisect import bisect_right


class _Declared:
    """Declarations of one name: when each began, ended (0: it has not), its new name, what it hid."""

    __slots__ = ("began", "ended", "hid", "renamed")

    def __init__(self) -> None:
        self.began: list[int] = []
        self.ended: list[int] = []
        self.renamed: list[bytes] = []
        self.hid: list[int] = []


class Names:
    """The names of one function, and those around it as they were at `moment`.

    Looking up takes the logarithm of the declarations, times the depth of blocks and functions.
    """

    __slots__ = ("_blocks", "_clock", "_declared", "_free", "_now", "_outer", "moment")

    def __init__(self, outer: Names | None, moment: int) -> None:
        self._outer = outer
        self.moment = moment
        self._clock = 0
        self._declared: dict[bytes, _Declared] = {}
        self._now: dict[bytes, int] = {}
        self._blocks: list[tuple[int, list[bytes]]] = [(0, [])]
        self._free: dict[bytes, bytes] = {}

    def inside(self) -> Names:
        """The names of a function that stands here."""
        return Names(self, self._clock)

    def open(self) -> None:
        """A block begins."""
        self._blocks.append((self._clock, []))

    def close(self) -> None:
        """The innermost block ends."""
        for name in reversed(self._blocks.pop()[1]):
            self._clock += 1
            declared, at = self._declared[name], self._now[name]
            declared.ended[at] = self._clock
            self._now[name] = declared.hid[at]

    def declare(self, name: bytes, renamed: bytes) -> None:
        """From here to the end of the block `name` is called `renamed`."""
        self._clock += 1
        declared = self._declared.get(name)
        if declared is None:
            declared = self._declared[name] = _Declared()
        declared.hid.append(self._now.get(name, -1))
        declared.began.append(self._clock)
        declared.ended.append(0)
        declared.renamed.append(renamed)
        self._now[name] = len(declared.began) - 1
        self._blocks[-1][1].append(name)

    def in_block(self, name: bytes) -> bool:
        """Whether the innermost block itself declares `name`."""
        at = self._now.get(name, -1)
        return at >= 0 and self._declared[name].began[at] > self._blocks[-1][0]

    def own(self, name: bytes) -> bool:
        """Whether this function itself declares `name`."""
        return self._now.get(name, -1) >= 0

    def find(self, name: bytes) -> bytes:
        """What `name` is called here; itself where nothing declares it."""
        return self.known(name) or name

    def known(self, name: bytes) -> bytes:
        """What `name` is called here, b"" where nothing declares it."""
        at = self._now.get(name, -1)
        if at >= 0:
            return self._declared[name].renamed[at]
        known = self._free.get(name)
        if known is None:
            known = self._free[name] = self._around(name)
        return known

    def _around(self, name: bytes) -> bytes:
        names, moment = self._outer, self.moment
        while names is not None:
            known = names._at(name, moment)
            if known is not None:
                return known
            moment = names.moment
            names = names._outer
        return b""

    def _at(self, name: bytes, moment: int) -> bytes | None:
        """What `name` was called at a moment; None when it was not declared."""
        declared = self._declared.get(name)
        if declared is None:
            return None
        at = bisect_right(declared.began, moment) - 1
        while at >= 0 and 0 < declared.ended[at] <= moment:
            at = declared.hid[at]
        return declared.renamed[at] if at >= 0 else None

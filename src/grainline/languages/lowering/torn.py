"""Source that the parser gave up, as places of the function or file that it stands in.

A tree goes on around an `ERROR` as if its text were not there, so what the text does is lost without
a sign. Each becomes operations `LOST` where it stands: nothing is known of what it does with the
variables that it names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

MAX_NAMES: Final = 64
"""Names that a torn text is looked through for; one with more may be about any variable."""

MAX_BESIDE: Final = 200
"""Bytes of a line beside a torn text that belong to it: what is assigned stands there."""

_WORD: Final = re.compile(rb"[$@]?[A-Za-z_\x80-\xff][\w\x80-\xff]*")


class Tear(NamedTuple):
    """One torn text. `start:end` is the error, `first:last` its lines."""

    start: int
    end: int
    first: int
    last: int

    def names(self, text: bytes) -> tuple[bytes, ...]:
        """What it names, in order; nothing where that is too much to tell apart."""
        found = dict.fromkeys(_WORD.findall(text, self.first, self.last))
        return tuple(found) if len(found) <= MAX_NAMES else ()


def tears_of(root: Node, text: bytes) -> list[Tear]:
    """The torn texts of a tree in order, those of the same lines as one; linear in the nodes."""
    found: list[Tear] = []
    open_ = [root] if root.has_error else []
    while open_:
        node = open_.pop()
        if node.is_error:
            _add(found, node.start_byte, node.end_byte, text)
        else:
            open_ += [child for child in reversed(node.children)
                      if child.is_error or child.has_error]  # fmt: skip
    return found


def _add(found: list[Tear], start: int, end: int, text: bytes) -> None:
    if found and start < found[-1].last:
        return _widen(found, end, text)
    first = max(text.rfind(b"\n", 0, start) + 1, start - MAX_BESIDE)
    found.append(Tear(start, end, first, _line_end(text, end)))
    return None


def _widen(found: list[Tear], end: int, text: bytes) -> None:
    before = found[-1]
    if end > before.end:
        found[-1] = before._replace(end=end, last=max(before.last, _line_end(text, end)))


def _line_end(text: bytes, end: int) -> int:
    at = text.find(b"\n", max(end - 1, 0))
    return min(len(text) if at < 0 else max(at, end), end + MAX_BESIDE)


class Torn:
    """The torn texts of the scope that is being lowered, in order."""

    __slots__ = ("_all", "_begun", "_left")

    def __init__(self, tears: Sequence[Tear]) -> None:
        self._all = tears
        self._left: list[Tear] = []
        self._begun = False

    def enter(self, start: int, end: int) -> None:
        """A scope begins: those between `start` and `end` are left."""
        self._left = [each for each in self._all if start <= each.start and each.end <= end][::-1]
        self._begun = False

    def begun(self, start: int) -> Tear | None:
        """That in whose lines something begins, the outermost such thing: told once."""
        if self._begun or not self._left or not self._left[-1].first <= start < self._left[-1].last:
            return None
        self._begun = True
        return self._left[-1]

    def before(self, start: int) -> Tear | None:
        """One that is left whose lines end before `start`; it is left no more."""
        if not self._left or self._left[-1].last > start:
            return None
        self._begun = False
        return self._left.pop()

    def rest(self) -> Sequence[Tear]:
        """Those that are left when the scope ends."""
        return self._left[::-1]

"""What a name means that a file of C has from what it includes, directly or not.

Every header names whatever the headers say that it includes, so to ask one file after the other
costs names x files x headers. Here it is decided which files a name is looked for in before
anything flows: those that define it and that no other file that does stands before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from grainline.graph.parts import Part, Seed
from grainline.languages.modules.base import Modules

BITS: Final = tuple(1 << bit for bit in range(8))


class Includes:
    """The includes of all units of a resolution.

    Args:
        paths: of the units.
        parts: what they say.
        modules: says which file an include means.
    """

    def __init__(self, paths: Sequence[str], parts: Sequence[Part], modules: Modules) -> None:
        numbers = {path: unit for unit, path in enumerate(paths)}
        self._direct: list[list[int]] = []
        self._leads_out: list[bool] = []
        for path, part in zip(paths, parts, strict=True):
            found, whole = _direct(path, part, modules, numbers)
            self._direct.append(found)
            self._leads_out.append(not whole)
        self._reached = _closures(self._direct)
        self._outside = _mask(unit for unit, leads in enumerate(self._leads_out) if leads)
        self._defining: dict[str, list[int]] = {}
        for unit, part in enumerate(parts):
            for name in part.members:
                self._defining.setdefault(name, []).append(unit)
        self._bytes = (-1, b"")

    def reaches(self, unit: int, other: int) -> bool:
        """Whether a unit includes another one, directly or not."""
        return bool(self._reached[unit] >> other & 1)

    def meant(self, unit: int, name: str) -> tuple[list[int], bool]:
        """The units that give a unit a name, rising; and whether what is not there may give it.

        A unit that defines the name hides what it includes itself.
        """
        outside = self._leads_out[unit]
        beyond = outside or bool(self._reached[unit] & self._outside)
        reached = self._bytes_of(unit)
        found = [
            each for each in self._defining.get(name, ()) if reached[each >> 3] & BITS[each & 7]
        ]
        if not found or (len(found) == 1 and outside == beyond):
            return found, beyond
        return self._search(unit, frozenset(found))

    def _search(self, unit: int, defining: frozenset[int]) -> tuple[list[int], bool]:
        """Go from file to file, but behind none that defines the name."""
        found: set[int] = set()
        outside = self._leads_out[unit]
        seen = {unit}
        open_ = [unit]
        while open_:
            for other in self._direct[open_.pop()]:
                if other in defining:
                    found.add(other)
                elif other not in seen:
                    seen.add(other)
                    outside = outside or self._leads_out[other]
                    open_.append(other)
        return sorted(found), outside

    def _bytes_of(self, unit: int) -> bytes:
        """The bits of what a unit reaches; units are asked about one after the other."""
        if self._bytes[0] != unit:
            size = (len(self._direct) + 7) // 8
            self._bytes = unit, self._reached[unit].to_bytes(size, "little")
        return self._bytes[1]


def _direct(
    path: str, part: Part, modules: Modules, numbers: dict[str, int]
) -> tuple[list[int], bool]:
    """The units that a file includes, and whether all that it includes is there."""
    stars = frozenset(part.stars)
    found: dict[int, None] = {}
    whole = True
    for node, kind, name, _ in part.seeds:
        if kind == Seed.MODULE and node in stars:
            named = modules.find(path, str(name))
            whole = whole and bool(named)
            for module in named:
                if module.path in numbers:
                    found[numbers[module.path]] = None
                else:
                    whole = False
    return list(found), whole


def _closures(direct: Sequence[Sequence[int]]) -> list[int]:
    """For every unit the set of those that can be reached, as bits; itself only by a circle."""
    reached = [0] * len(direct)
    own = [_mask(others) for others in direct]
    order = _inner_first(direct)
    changed = True
    while changed:  # once, and once more for circles
        changed = False
        for unit in order:
            found = own[unit]
            for other in direct[unit]:
                found |= reached[other]
            if found != reached[unit]:
                reached[unit] = found
                changed = True
    return reached


def _inner_first(direct: Sequence[Sequence[int]]) -> list[int]:
    """Units in an order in which what is included stands before what includes it, but for circles."""
    order: list[int] = []
    seen = [False] * len(direct)
    for first in range(len(direct)):
        open_ = [(first, 0)]
        while open_:
            unit, at = open_.pop()
            if at == 0 and seen[unit]:
                continue
            seen[unit] = True
            if at == len(direct[unit]):
                order.append(unit)
            else:
                open_ += [(unit, at + 1), (direct[unit][at], 0)]
    return order


def _mask(units: Iterable[int]) -> int:
    """A set as bits."""
    found = 0
    for unit in units:
        found |= 1 << unit
    return found

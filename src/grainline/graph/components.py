"""Components: units that may name each other, and nothing else.

**Invariant**: whatever one unit can lead another to (an import, its package, a star, a module below
a package, a name that is qualified in full) links the two, so resolving a component by itself gives
the edges that resolving everything together gives. What is linked in vain only makes a component
larger.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

from grainline.graph.rules.base import LanguageRules
from grainline.graph.units import Unit
from grainline.languages.modules.base import Module, Modules
from grainline.model.ir import FileIr, Op

_Said = TypeVar("_Said")


class Group(NamedTuple):
    """A component: numbers of its units, rising.

    `links` is a digest of all that module resolution says to these units. Units and links together
    decide the edges: whatever other files there are, and however they shape resolution, shows in them.
    """

    units: tuple[int, ...]
    links: bytes


class Reach(NamedTuple):
    """The modules whose names a unit may see, those that it may hold, and a digest of both."""

    named: tuple[Module, ...]
    held: tuple[Module, ...]
    links: bytes


class Memo:
    """What was read of units for their links, by what it was read of.

    It is forgotten once two turns pass without a question for it.
    """

    def __init__(self) -> None:
        self._now: dict[tuple[bytes, bytes, bytes], tuple[Any]] = {}
        self._before: dict[tuple[bytes, bytes, bytes], tuple[Any]] = {}

    def of(self, unit: Unit, project: bytes, make: Callable[[], _Said]) -> _Said:
        """What `make` gives, which depends on the unit and `project` alone."""
        if not unit.key:
            return make()
        key = (project, unit.path, unit.key)
        known = self._now.get(key) or self._before.get(key) or (make(),)
        self._now[key] = known
        said: _Said = known[0]
        return said

    def turn(self) -> None:
        """Another set of units comes."""
        self._before, self._now = self._now, {}


def components(
    units: Sequence[Unit],
    rules: LanguageRules,
    modules: Modules,
    memo: Memo | None = None,
    project: bytes = b"",
) -> tuple[Group, ...]:
    """The components, in the order of their first units.

    Args:
        units: that `rules` resolve together.
        rules: of their languages.
        modules: the resolver of the whole project, the files that are not among `units` included.
        memo: what is known of units.
        project: names all that `modules` depends on.
    """
    memo = memo or Memo()
    paths = [unit.path.decode("utf-8", "surrogateescape") for unit in units]
    numbers = {path: number for number, path in enumerate(paths)}
    groups = _Groups(len(units))
    packages: dict[Module, int] = {}
    members: dict[Module, int] = {}
    links: list[bytes] = []
    for number, (path, unit) in enumerate(zip(paths, units, strict=True)):
        named, held, said = memo.of(unit, project, partial(_reach, path, unit, rules, modules))
        links.append(said)
        for each in named:
            if each not in members:
                there = [numbers[p] for p in (each.path, *modules.files(each)) if p in numbers]
                members[each] = there[0] if there else -1
                for one in there[1:]:
                    groups.join(there[0], one)
            if members[each] >= 0:
                groups.join(number, members[each])
        for each in held:
            if each not in packages:
                packages[each] = groups.new()
                for other in modules.inside(each):
                    if other in numbers:
                        groups.join(packages[each], numbers[other])
            groups.join(number, packages[each])
    found: dict[int, list[int]] = {}
    for number in range(len(units)):
        found.setdefault(groups.root(number), []).append(number)
    return tuple(
        Group(tuple(group), _digest("".join(links[number].hex() for number in group)))
        for group in found.values()
    )


def _reach(path: str, unit: Unit, rules: LanguageRules, modules: Modules) -> Reach:
    named, held = _reached(path, unit.ir, rules, modules)
    ordered = (sorted(named), sorted(held))
    return Reach(tuple(ordered[0]), tuple(ordered[1]), _digest(repr(ordered)))


def _digest(said: str) -> bytes:
    return hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _reached(
    path: str, ir: FileIr, rules: LanguageRules, modules: Modules
) -> tuple[set[Module], set[Module]]:
    """The modules whose names a unit may see, and those that it may hold as values.

    Of what is held every module below may be reached, in whatever file the value arrives.
    """
    named = set(modules.beside(path))
    held = set(rules.reach(ir, path, modules))
    imports = ir.ops[ir.ops[:, 0] == Op.IMPORT]
    rows: list[list[int]] = imports[:, 1:4].tolist()
    for module, member, root in {tuple(row) for row in rows}:
        name = ir.names[module]
        found = modules.find(path, name)
        if member < 0:
            held.update(found)
            if root and found and not name.startswith("."):
                held.update(modules.find(path, name.partition(".")[0]))
            continue
        named.update(found)
        for each in found:
            held.update(modules.below(each, ir.names[member]))
    return named, held


class _Groups:
    """Sets that join: union-find with halved paths."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def new(self) -> int:
        """A set beside the units."""
        self._above.append(len(self._above))
        return len(self._above) - 1

    def root(self, number: int) -> int:
        """The one that stands for a set."""
        above = self._above
        while above[number] != number:
            above[number] = above[above[number]]
            number = above[number]
        return number

    def join(self, one: int, other: int) -> None:
        """Two sets become one."""
        one, other = self.root(one), self.root(other)
        if one != other:
            self._above[max(one, other)] = min(one, other)

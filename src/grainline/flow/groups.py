"""Files that cannot meet, apart: what edges or names lead between is one group, and solved together.

Beside edges some languages find what is in other files by its name: a class of a package, what a file of
the same folder declares. Where they may, a name that stands in one file joins it with those that declare it.
Groups in one of which something runs before handlers, and those that do what not everybody may, are one.
"""

from __future__ import annotations

import hashlib
import marshal
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final, NamedTuple, Protocol

from grainline.flow.families import Family
from grainline.flow.languages import semantics_of
from grainline.flow.packages import Uses, is_of
from grainline.flow.relevance import MAX_NAME, ROUTED, Look, Rows, words_of
from grainline.flow.rows import Models
from grainline.graph.results import Graph
from grainline.graph.units import Unit
from grainline.model.edge import Edge, EdgeType, Tier, Unresolved
from grainline.model.flow import FlowReport
from grainline.model.ir import TABLES, Op, ScopeKind

BY_EDGES: Final = frozenset(("javascript", "typescript", "tsx", "python"))
"""Languages in which nothing but an import leads from file to file."""

BY_FOLDER: Final = frozenset(("go", "java", "kotlin"))
"""Languages in which files of one folder share their names."""

WHOLE: Final = frozenset(("ruby",))
"""Languages in which any file may be found by anything that stands in another one."""


_LAST: Final = re.compile(r"(\w+)\W*$")
"""The last word of a name, or of a text that may name something."""


class Group(NamedTuple):
    """Files that may meet, with their edges, and what may be found in them.

    `key` names all that is found of, "" where nothing is kept.
    """

    units: tuple[Unit, ...]
    graph: Graph
    look: Look
    key: str = ""


class Found(NamedTuple):
    """What was found in some files, what could be, and what they use."""

    report: FlowReport
    uses: Uses
    look: Look = Look()


class Kept(Protocol):
    """What was found in groups before, by their keys."""

    def get(self, key: str) -> Found | None:
        """What was found in a group, None where that is not known."""
        ...

    def put(self, key: str, found: Found) -> None:
        """Keep what was found."""
        ...


class Groups:
    """How files of one analysis are put together, with the rows of their languages.

    Args:
        models: language -> rows.
        said: names the rows and the code of the analysis.
        kept: what was found before.
    """

    def __init__(
        self, models: Mapping[str, Models], said: bytes = b"", kept: Kept | None = None
    ) -> None:
        self._models = models
        self._said = said
        self._kept = kept

    @cached_property
    def _rows(self) -> Mapping[str, Rows]:
        made: dict[int, Rows] = {}
        for each in self._models.values():
            if id(each) not in made:
                made[id(each)] = Rows(each)
        return {language: made[id(each)] for language, each in self._models.items()}

    def of(self, family: Family) -> tuple[Group, ...]:
        """The groups of a family, in the order of their first files."""
        home = _joined(family)
        apart = self._apart(family, home)
        looks = {first: self._known(group) for first, group in apart.items()}
        meant = [first for first, look in looks.items() if look.guards or look.operates]
        guards = any(looks[first].guards for first in meant)
        if len(meant) > 1 and guards and any(looks[first].operates for first in meant):
            together = frozenset(meant)
            home = {path: meant[0] if first in together else first for path, first in home.items()}
            apart = self._apart(family, home)
            looks[meant[0]] = self._known(apart[meant[0]])
        return tuple(group._replace(look=looks[first]) for first, group in apart.items())

    def _apart(self, family: Family, home: Mapping[bytes, bytes]) -> dict[bytes, Group]:
        """First path -> the files that belong to it, with their edges."""
        files: dict[bytes, list[Unit]] = {}
        for unit in family.units:
            files.setdefault(home[unit.path], []).append(unit)
        graphs = _apart(family.graph, home, files)
        groups = {
            first: Group(tuple(units), graphs[first], Look()) for first, units in files.items()
        }
        if self._kept is None:
            return groups
        return {first: group._replace(key=digest(self._said, group)) for first, group in groups.items()}  # fmt: skip

    def _known(self, group: Group) -> Look:
        """What may be found in a group, as it was told before or as its words say."""
        found = None if self._kept is None else self._kept.get(group.key)
        if found is not None:
            return found.look
        paths = {unit.path for unit in group.units}
        routed = any(edge.type is EdgeType.ROUTES_TO and edge.src.path not in paths
                     and edge.dst.path in paths for edge in group.graph.edges)  # fmt: skip
        return self._look(group.units, routed=routed)

    def _look(self, units: Sequence[Unit], *, routed: bool) -> Look:
        """What may be found in some files, beside faults of lifetimes."""
        names: dict[str, set[str]] = {}
        words: frozenset[str] = frozenset((ROUTED,)) if routed else frozenset()
        for unit in units:
            names.setdefault(unit.language, set()).update(unit.ir.names)
        for language, mine in names.items():
            semantics = semantics_of(language)
            if semantics is not None:
                words |= words_of(mine, semantics)
        found = Look()
        for rows in {id(self._rows[each]): self._rows[each] for each in names if each in self._rows}.values():  # fmt: skip
            found = found.beside(
                rows.look(words, [name for mine in names.values() for name in mine])
            )
        if found.alive:
            return found
        packages = self._imported(units)
        for language, known in packages.items():
            if known and not self._rows[language].uses(words, known):
                return found._replace(weak=True)  # what is used of a package, words do not say
        return found

    def uses(self, group: Group) -> Uses:
        """What a group that is left out uses of packages that rows know: something, of all that it imports."""
        packages = self._imported(group.units)
        both = tuple(sorted((name, each) for name, mine in packages.items() for each in mine))
        return Uses(both, both)

    def _imported(self, units: Sequence[Unit]) -> dict[str, list[str]]:
        """Packages that rows know and files import, by language."""
        names: dict[str, set[str]] = {}
        for unit in units:
            if unit.language in self._rows:
                names.setdefault(unit.language, set()).update(_imports(unit))
        return {
            language: [package for several in self._models[language].packages.values()
                       for package in several if any(is_of(name, package) for name in mine)]
            for language, mine in names.items()
        }  # fmt: skip


def _imports(unit: Unit) -> Iterator[str]:
    """Modules and members of modules that a file imports."""
    names = unit.ir.names
    for op, a, b, *_ in unit.ir.ops[unit.ir.ops[:, 0] == Op.IMPORT].tolist():
        del op
        yield names[a] if b < 0 else f"{names[a]}.{names[b]}"


# ---------------------------------------------------------------------------- what meets


def _joined(family: Family) -> dict[bytes, bytes]:
    """Path -> the first path of its group."""
    above = {unit.path: unit.path for unit in family.units}

    def first(path: bytes) -> bytes:
        while above[path] != path:
            above[path] = above[above[path]]
            path = above[path]
        return path

    def join(one: bytes, other: bytes) -> None:
        one, other = first(one), first(other)
        if one != other:
            above[max(one, other)] = min(one, other)

    for edge in family.graph.edges:
        if edge.tier <= Tier.FLOWED and edge.src.path in above and edge.dst.path in above:
            join(edge.src.path, edge.dst.path)
    for several in _by_names(family.units):
        for path in several[1:]:
            join(several[0], path)
    return {path: first(path) for path in above}


def _by_names(units: Iterable[Unit]) -> Iterator[Sequence[bytes]]:
    """Files that may find each other without an edge."""
    named = [unit for unit in units
             if unit.language not in BY_EDGES and semantics_of(unit.language) is not None]  # fmt: skip
    folders: dict[tuple[str, bytes], list[bytes]] = {}
    declared: dict[str, list[bytes]] = {}
    for unit in named:
        if unit.language in BY_FOLDER:
            key = (unit.language, unit.path.rpartition(b"/")[0])
            folders.setdefault(key, []).append(unit.path)
        elif unit.language in WHOLE:
            folders.setdefault((unit.language, b""), []).append(unit.path)
        for name in _declared(unit):
            declared.setdefault(name, []).append(unit.path)
    yield from folders.values()
    for unit in named:
        words = {found[1] for name in unit.ir.names if (found := _LAST.search(name[-MAX_NAME:]))}
        for word in words & declared.keys():
            yield (unit.path, *declared[word])


def _declared(unit: Unit) -> set[str]:
    """Last words of the names of classes."""
    names = unit.ir.names
    return {
        found[1]
        for row in unit.ir.scope_rows()
        if row.kind == ScopeKind.CLASS
        and row.name >= 0
        and (found := _LAST.search(names[row.name][-MAX_NAME:]))
    }


def _apart(
    graph: Graph, home: Mapping[bytes, bytes], groups: Iterable[bytes]
) -> dict[bytes, Graph]:
    """The edges of each group; one from what is no code belongs to where it leads."""
    keys = list(groups)
    if len(keys) == 1:
        return {keys[0]: graph}
    edges: dict[bytes, list[Edge]] = {key: [] for key in keys}
    calls: dict[bytes, list[Unresolved]] = {key: [] for key in keys}
    for edge in graph.edges:
        key = home.get(edge.src.path) or home.get(edge.dst.path)
        if key is not None:
            edges[key].append(edge)
    for call in graph.unresolved:
        key = home.get(call.src.path)
        if key is not None:
            calls[key].append(call)
    return {key: replace(graph, edges=tuple(edges[key]), unresolved=tuple(calls[key])) for key in keys}  # fmt: skip


# ---------------------------------------------------------------------------- what a group is


def digest(said: bytes, group: Group) -> str:
    """Names all that what is found in a group depends on: its files, the edges between them, rows and code.

    Nothing else is seen when a group is solved, and nothing that was solved before.
    """
    found = hashlib.blake2b(said, digest_size=16)
    for unit in sorted(group.units, key=lambda unit: unit.path):
        found.update(marshal.dumps((unit.path, unit.language, unit.key or _content(unit)), 0))
    graph = group.graph
    edges = [
        (str(each.type), *each.src, *each.dst, *each.site, int(each.tier), each.candidates)
        for each in graph.edges
    ]
    calls = [(*each.src, *each.site, each.name, str(each.why)) for each in graph.unresolved]
    found.update(marshal.dumps((edges, calls), 0))
    return found.hexdigest()


def _content(unit: Unit) -> bytes:
    """The whole of a file that nothing else names."""
    tables = [getattr(unit.ir, table).tobytes() for table in TABLES]
    symbols = [symbol.descriptor for symbol in unit.symbols]
    return hashlib.blake2b(marshal.dumps((unit.ir.names, tables, symbols), 0)).digest()

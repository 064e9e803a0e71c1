"""`Resolver`: the edges of one set of units after the other, of which what did not change is taken over.

units ─ components ─ minus those of kept tables, minus those that moved ─ graph.resolve ─ one table
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from grainline.graph.bridges.base import METHODS
from grainline.graph.components import Memo
from grainline.graph.resolve import Component, solve, split, without_collector
from grainline.graph.results import Flows
from grainline.graph.table import EdgeTable, joined, table_of
from grainline.graph.units import Unit
from grainline.indexing.kept import RECENT, VERSIONS, Components, Kept
from grainline.indexing.moved import Solved, change, likely, taken
from grainline.indexing.moved import solved as remembered
from grainline.model.ir import FileIr

Report = Callable[[str, int, int], None]
"""(stage, done, all of it)"""

Before = Callable[[], Iterable[Kept]]
"""Gives tables of the same repository, of which parts may be taken over."""


def silent(stage: str, done: int, total: int) -> None:
    """Tell nobody."""
    del stage, done, total


class Resolved(NamedTuple):
    """The edges inside of languages, and the components that they are of."""

    table: EdgeTable
    components: Components


class Resolver:
    """Makes edges, and remembers what it made them of.

    Args:
        ir: the IR of a key of an earlier set, None when it is not there any more.
        report: is told how far it is.
    """

    def __init__(self, ir: Callable[[bytes], FileIr | None], report: Report = silent) -> None:
        self._ir = ir
        self._report = report
        self._memo = Memo()
        self._solved: deque[Mapping[str, Solved]] = deque(maxlen=RECENT)

    def resolve(
        self, units: Iterable[Unit], files: Mapping[str, bytes], said: str, before: Before
    ) -> Resolved:
        """The edges of a visible set of files.

        Args:
            units: all of it.
            files: those that shape module resolution.
            said: names how the units came to be, their keys aside.
            before: gives tables that were made earlier.
        """
        with without_collector():
            return self._resolve(units, files, said, before)

    def _resolve(
        self, units: Iterable[Unit], files: Mapping[str, bytes], said: str, before: Before
    ) -> Resolved:
        named = {digest_of(part, said): part for part in split(units, files, self._memo)}
        tables, cuts = _reuse(before, named)
        missing = [digest for digest in named if digest not in cuts]
        solved = {name: known for each in self._solved for name, known in each.items()}
        for done, digest in enumerate(missing):
            self._report("resolve", done, len(missing))
            table, apart, then = self._solved_part(before, named[digest], solved)
            tables.append(table)
            cuts[digest] = table.cuts
            solved[digest] = remembered(digest, named[digest], apart, then)
        self._solved.append({name: solved[name] for name in named if name in solved})
        components = {
            digest: (tuple(unit.path for unit in part.units), cuts[digest])
            for digest, part in named.items()
        }
        return Resolved(replace(joined(tables), cuts=sum(cuts.values())), components)

    def _solved_part(
        self, before: Before, part: Component, solved: Mapping[str, Solved]
    ) -> tuple[EdgeTable, Mapping[bytes, Flows], Solved | None]:
        """The edges of a component, what its files do with functions, and what it was before."""
        for then in likely(solved.values(), part):
            found = change(part, then, self._ir)
            for kept in before() if found is not None else ():
                if found is not None and then.digest in kept.components:
                    paths, cuts = kept.components[then.digest]
                    table = kept.edges.table.without(METHODS).only(paths)
                    now = taken(table, part, then, found)
                    if now is not None:
                        return replace(now[0], cuts=cuts), now[1], then
        graph = solve(part)
        return table_of(graph), graph.apart, None


def _reuse(
    before: Before, named: Mapping[str, Component]
) -> tuple[list[EdgeTable], dict[str, int]]:
    """What kept tables say of components: their edges, and digest -> what bounds cut."""
    tables: list[EdgeTable] = []
    cuts: dict[str, int] = {}
    for kept in before():
        same = [name for name in named if name in kept.components and name not in cuts]
        if same:
            paths = [path for name in same for path in kept.components[name][0]]
            tables.append(kept.edges.table.without(METHODS).only(paths))
            cuts |= {name: kept.components[name][1] for name in same}
    return tables, cuts


def digest_of(part: Component, said: str) -> str:
    """Names all that the edges of a component depend on."""
    digest = hashlib.blake2b(f"{VERSIONS}|{said}".encode(), digest_size=16)
    for unit in part.units:
        digest.update(b"%d:" % len(unit.path) + unit.path + unit.key)
    digest.update(part.links)
    return digest.hexdigest()

"""Edges that are taken over from a component as it was: of files that moved, and of others than those with new bodies.

**Invariants**: resolution asks where something stands only to name a site or a symbol, and to tell
what comes first. So files whose IR and symbols are the same but for positions, these being in the
same order, have the edges of before at the positions of now. In languages where bodies are decided by
declarations, a file that declares what it did leaves the edges of all others as they were, when it does with functions
that are values what it did (`Graph.apart`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.graph.resolve import Component, by_declarations, reread
from grainline.graph.results import Flows
from grainline.graph.table import EdgeTable, joined, table_of
from grainline.graph.typed.edges import site_of
from grainline.graph.typed.heads import NOTHING, Tops, headings, heads_of, tops_of
from grainline.graph.typed.program import Program
from grainline.graph.units import Unit
from grainline.model.edge import EdgeType, Method, Symbol
from grainline.model.ir import FileIr
from grainline.model.position import Span

MAX_CHANGED: Final = 64
"""Files of a component that are compared; of more it is resolved again."""

Positions = NDArray[np.int64]


class Seen(NamedTuple):
    """A file as it was when its edges were made: the key of its IR, and digests of its symbols.

    `heads` is that of those which no body holds; `tops` is there where bodies are read by themselves.
    """

    key: bytes
    symbols: bytes
    heads: bytes = b""
    tops: Tops | None = None


class Solved(NamedTuple):
    """A component whose edges are kept, by path."""

    digest: str
    links: bytes
    units: Mapping[bytes, Seen]
    apart: Mapping[bytes, Flows]


class Change(NamedTuple):
    """What became of a component: files that moved, and numbers of those with new bodies -> their IR of before."""

    ways: Mapping[bytes, Moves]
    bodies: Mapping[int, FileIr]


class Moves(NamedTuple):
    """The spans of the operations of a file before and now, rising, one for one; likewise its names.

    A span is one number: its start times 2**32, and its end. A name is where one that is defined stands.
    """

    before: Positions
    now: Positions
    names_before: Positions
    names_now: Positions


def solved(
    digest: str, part: Component, apart: Mapping[bytes, Flows], before: Solved | None = None
) -> Solved:
    """What is remembered of a component; of files that are as they were `before`, the same."""
    alone = by_declarations(part)
    seen: dict[bytes, Seen] = {}
    for unit in part.units:
        then = before.units.get(unit.path) if before is not None else None
        same = then is not None and then.key == unit.key
        seen[unit.path] = then if then and same else _seen(unit, alone=alone)
    return Solved(digest, part.links, seen, apart)


def _seen(unit: Unit, *, alone: bool) -> Seen:
    if not alone:
        return Seen(unit.key, _symbols(unit))
    return Seen(unit.key, _symbols(unit), _symbols(unit, heads_of(unit.ir)), tops_of(unit))


def change(part: Component, before: Solved, ir: Callable[[bytes], FileIr | None]) -> Change | None:
    """What became of a component; None when all of it is to be resolved, or there is no telling.

    Args:
        part: as it is now.
        before: as it was.
        ir: the IR of a key of then.
    """
    if part.links != before.links or len(part.units) != len(before.units):
        return None
    if any(unit.path not in before.units for unit in part.units):
        return None
    changed = [at for at, unit in enumerate(part.units) if unit.key != before.units[unit.path].key]
    if len(changed) > MAX_CHANGED:
        return None
    ways: dict[bytes, Moves] = {}
    bodies: dict[int, FileIr] = {}
    for number in changed:
        unit = part.units[number]
        seen = before.units[unit.path]
        then = ir(seen.key)
        if then is None:
            return None
        way = _moves(then, unit.ir) if _symbols(unit) == seen.symbols else None
        if way is not None:
            ways[unit.path] = way
        elif unit.path in before.apart and _declares_alike(unit, seen, then):
            bodies[number] = then
        else:
            return None
    return Change(ways, bodies)


def _declares_alike(unit: Unit, seen: Seen, then: FileIr) -> bool:
    now = headings(unit.ir)
    if now is None or now != headings(then):
        return False
    return _symbols(unit, heads_of(unit.ir)) == seen.heads


def taken(
    table: EdgeTable, part: Component, before: Solved, found: Change
) -> tuple[EdgeTable, Mapping[bytes, Flows]] | None:
    """The edges of a component after a change, and what its files do with functions that are values.

    Args:
        table: the edges of the component as it was.
        part: as it is now.
        before: as it was.
        found: what became of it.
    """
    kept = moved(table, found.ways)
    if kept is None or not found.bodies:
        return None if kept is None else (kept, before.apart)
    paths = frozenset(part.units[number].path for number in found.bodies)
    tops = [before.units[unit.path].tops or NOTHING for unit in part.units]
    called = {
        number: _called(
            table, part.units[number], then, before.apart[part.units[number].path].calls
        )
        for number, then in found.bodies.items()
    }
    graph = reread(part, tops, called)
    if any(graph.apart[path].digest != before.apart[path].digest for path in paths):
        return None
    rest = kept.only(unit.path for unit in part.units if unit.path not in paths)
    return joined([rest, table_of(graph)]), {**before.apart, **graph.apart}


def _called(table: EdgeTable, unit: Unit, then: FileIr, calls: Sequence[int]) -> list[list[Symbol]]:
    """For each call of a function that is a value, as it was, the functions that came there."""
    file = Program([Unit(unit.path, unit.language, then, unit.outline)]).files[0] if calls else None
    found: dict[Span, list[Symbol]] = {}
    for symbol in table.symbols_of(unit.path) if calls else ():
        for number in table.out(symbol):
            edge = table.edge(number)
            if edge.type is EdgeType.CALLS and Method.FLOW in edge.methods:
                found.setdefault(edge.site, []).append(edge.dst)
    return [found.get(site_of(file, op), []) for op in calls if file is not None]


def _symbols(unit: Unit, scopes: Sequence[int] | None = None) -> bytes:
    mine = unit.symbols if scopes is None else [unit.symbols[scope] for scope in scopes]
    said = "\0".join(symbol.descriptor for symbol in mine)
    return hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _moves(then: FileIr, now: FileIr) -> Moves | None:
    if then.names != now.names or not np.array_equal(then.ports, now.ports):
        return None
    for one, other, at in (
        (then.ops, now.ops, _OPS), (then.scopes, now.scopes, _SCOPES), (then.params, now.params, _PARAMS),
    ):  # fmt: skip
        if one.shape != other.shape or not np.array_equal(
            np.delete(one, at, 1), np.delete(other, at, 1)
        ):
            return None
    if not np.array_equal(_ranks(then), _ranks(now)):
        return None
    return Moves(_spans(then), _spans(now), _names(then), _names(now))


_OPS, _SCOPES, _PARAMS = [4, 5], [3, 4, 5], [4]
"""Columns of positions."""


def _ranks(ir: FileIr) -> Positions:
    """What comes first, and what stands at one place; of the module only that it is around."""
    places = [ir.ops[:, _OPS], ir.scopes[1:, _SCOPES], ir.params[:, _PARAMS]]
    joined = np.concatenate([each.ravel() for each in places])
    return np.unique(joined, return_inverse=True)[1].astype(np.int64)


def _spans(ir: FileIr) -> Positions:
    starts, ends = ir.ops[:, 4].astype(np.int64), ir.ops[:, 5].astype(np.int64)
    return np.unique(starts << 32 | ends)


def _names(ir: FileIr) -> Positions:
    return np.unique(ir.scopes[1:, 5].astype(np.int64))


def moved(table: EdgeTable, ways: Mapping[bytes, Moves]) -> EdgeTable | None:
    """A table with the sites of some files moved; None when one is no site of its file."""
    edges, calls = table.edges, table.unresolved
    sites = [_sites(edges.start, edges.end), _sites(calls.start, calls.end)]
    for path, way in ways.items():
        mine = table.symbols_of(path)
        for column, src in zip(sites, (edges.src, calls.src), strict=True):
            rows = (src >= mine.start) & (src < mine.stop)
            found = _along(column[rows], way)
            if found is None:
                return None
            column[rows] = found
    starts, ends = ([(each >> 32).astype(np.uint32) for each in sites],
                    [(each & _END).astype(np.uint32) for each in sites])  # fmt: skip
    return replace(
        table,
        edges=edges._replace(start=starts[0], end=ends[0]),
        unresolved=calls._replace(start=starts[1], end=ends[1]),
    )


_END: Final = (1 << 32) - 1


def _sites(starts: NDArray[np.uint32], ends: NDArray[np.uint32]) -> Positions:
    return starts.astype(np.int64) << 32 | ends.astype(np.int64)


def _along(sites: Positions, way: Moves) -> Positions | None:
    """Spans of operations as they are now; those of names begin elsewhere and are as long."""
    at, known = _found(sites, way.before)
    names, named = _found(sites >> 32, way.names_before)
    if not (known | named).all():
        return None
    if not len(way.before) or not len(way.names_before):
        return way.now[at] if known.all() else None
    length = (sites & _END) - (sites >> 32)
    start = way.names_now[names]
    return np.where(known, way.now[at], start << 32 | (start + length))


def _found(wanted: Positions, among: Positions) -> tuple[Positions, NDArray[np.bool_]]:
    """Where numbers stand among others that rise, and whether they do."""
    at = np.minimum(np.searchsorted(among, wanted), max(0, len(among) - 1)).astype(np.int64)
    return at, among[at] == wanted if len(among) else np.zeros(len(wanted), np.bool_)


def likely(parts: Iterable[Solved], part: Component) -> Iterable[Solved]:
    """Those of `parts` that have as many files and begin with the same."""
    first = part.units[0].path
    return (each for each in parts if first in each.units and len(each.units) == len(part.units))

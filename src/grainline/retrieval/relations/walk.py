"""Walking a table breadth first: each symbol once, at its least depth, along its strongest edge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.graph.table import TYPE_CODE, EdgeTable, Numbers, bits_of
from grainline.model.edge import EdgeType, Method, Symbol, Tier


class Steps(NamedTuple):
    """How to walk.

    `ends` are types whose far ends are reached and not left again. `wide` puts the symbols of a
    whole file in the place of one, for what is a matter of files. `methods` let edges of other
    types through as well.
    """

    types: frozenset[EdgeType]
    floor: Tier
    incoming: bool
    ends: frozenset[EdgeType] = frozenset()
    wide: bool = False
    methods: frozenset[Method] = frozenset()


def named_calls(types: frozenset[EdgeType]) -> frozenset[Method]:
    """Who asks for calls means those of a name too, when something else stands for it as it runs."""
    return frozenset({Method.CALLED}) if EdgeType.CALLS in types else frozenset()


class Level(NamedTuple):
    """What is reached at one depth: a symbol each, its strongest edge, and how many reach it.

    `frontier` is what the next step starts from.
    """

    symbols: Numbers
    edges: Numbers
    sites: Numbers
    frontier: Numbers


def starts(table: EdgeTable, symbol: Symbol, *, inside: bool) -> Numbers:
    """The numbers of a symbol, and with `inside` of all that stands in it; [] of an unknown one."""
    if not inside:
        number = table.find(symbol)
        return np.array([number] if number >= 0 else [], np.int64)
    prefix = symbol.path + b"\0" + symbol.descriptor.encode("utf-8", "surrogatepass")
    found = table.symbols_of(symbol.path)
    return np.array([at for at in found if table.keys[at].startswith(prefix)], np.int64)


def walk(
    table: EdgeTable, first: Numbers, steps: Steps, depth: int, goal: frozenset[int] = frozenset()
) -> tuple[list[Level], int]:
    """The levels from depth 1 to `depth`, and how many symbols stand one step further.

    Args:
        table: the edges.
        first: where to start; nothing of it is reached.
        steps: how to walk.
        depth: steps, from 1.
        goal: symbols; the level that holds one of them is the last.
    """
    seen = np.zeros(len(table.keys), np.bool_)
    seen[first] = True
    allowed, ends = _mask(steps.types), _mask(steps.ends)
    frontier = first
    levels: list[Level] = []
    for _ in range(depth):
        symbols, edges, sites = _step(table, frontier, seen, allowed, ends, steps)
        if not len(symbols):
            return levels, 0
        seen[symbols] = True
        frontier = symbols[~ends[table.edges.type[edges]]]
        if steps.wide:
            frontier = _files(table, frontier)
        levels.append(Level(symbols, edges, sites, frontier))
        if not goal.isdisjoint(symbols.tolist()):
            return levels, 0
    return levels, len(_step(table, frontier, seen, allowed, ends, steps)[0])


def _mask(types: Iterable[EdgeType]) -> NDArray[np.bool_]:
    mask = np.zeros(len(TYPE_CODE), np.bool_)
    mask[[TYPE_CODE[kind] for kind in types]] = True
    return mask


def _step(
    table: EdgeTable,
    frontier: Numbers,
    seen: NDArray[np.bool_],
    allowed: NDArray[np.bool_],
    ends: NDArray[np.bool_],
    steps: Steps,
) -> tuple[Numbers, Numbers, Numbers]:
    """(symbols, edges, sites) that are new one step from `frontier`."""
    rows = table.edges
    edges = table.into_all(frontier) if steps.incoming else table.out_of_all(frontier)
    through = allowed[rows.type[edges]]
    if steps.methods:
        through |= (rows.methods[edges] & bits_of(steps.methods)) != 0
    edges = edges[through & (rows.tier[edges] <= steps.floor)]
    near = (rows.src if steps.incoming else rows.dst)[edges].astype(np.int64)
    fresh = ~seen[near]
    near, edges = near[fresh], edges[fresh]
    order = np.lexsort((edges, ends[rows.type[edges]], rows.tier[edges], near))
    near, edges = near[order], edges[order]
    firsts = np.flatnonzero(np.diff(near, prepend=-1))
    return near[firsts], edges[firsts], np.diff(firsts, append=len(near))


def _files(table: EdgeTable, symbols: Numbers) -> Numbers:
    """The symbols of all files in which `symbols` stand."""
    paths = dict.fromkeys(table.symbol(at).path for at in symbols.tolist())
    ranges = [np.arange(each.start, each.stop) for each in map(table.symbols_of, paths)]
    return np.concatenate(ranges) if ranges else symbols

"""The edges that data flows along, of a whole view or of some of its files."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from grainline.graph.results import Graph
from grainline.graph.table import TYPE_CODE, TYPES, EdgeTable
from grainline.model.edge import Edge, EdgeType, Symbol, Tier
from grainline.model.position import Span

_FOLLOWED = (
    EdgeType.CALLS,
    EdgeType.INSTANTIATES,
    EdgeType.IMPORTS,
    EdgeType.INHERITS,
    EdgeType.IMPLEMENTS,
    EdgeType.OVERRIDES,
    EdgeType.ROUTES_TO,
)


def graph_of(table: EdgeTable, paths: Iterable[bytes] | None = None) -> Graph:
    """The edges that data flows along, and every call without a target.

    Args:
        table: of a view.
        paths: only what leads out of these files, and what registers routes into them; None: all.
    """
    rows, calls = table.edges, table.unresolved
    fits = np.isin(rows.type, [TYPE_CODE[kind] for kind in _FOLLOWED]) & (rows.tier <= Tier.FLOWED)
    unresolved = np.arange(len(calls.src))
    if paths is not None:
        mine = _symbols(table, paths)
        fits &= mine[rows.src] | ((rows.type == TYPE_CODE[EdgeType.ROUTES_TO]) & mine[rows.dst])
        unresolved = np.flatnonzero(mine[calls.src])
    at = np.flatnonzero(fits)
    symbols: dict[int, Symbol] = {}
    for number in {*rows.src[at].tolist(), *rows.dst[at].tolist()}:
        symbols[number] = table.symbol(number)
    columns = (rows.type, rows.src, rows.dst, rows.start, rows.end, rows.tier, rows.candidates)
    edges = tuple(
        Edge(TYPES[kind], symbols[src], symbols[dst], Span(start, end), (), Tier(tier), candidates)
        for kind, src, dst, start, end, tier, candidates in zip(
            *(column[at].tolist() for column in columns), strict=True
        )
    )
    leaves = tuple(table.unresolved_call(number) for number in unresolved.tolist())
    return Graph(edges=edges, unresolved=leaves, cuts=table.cuts)


def _symbols(table: EdgeTable, paths: Iterable[bytes]) -> NDArray[np.bool_]:
    """Which symbols stand in some files."""
    found = np.zeros(len(table.keys), np.bool_)
    for path in paths:
        mine = table.symbols_of(path)
        found[mine.start : mine.stop] = True
    return found

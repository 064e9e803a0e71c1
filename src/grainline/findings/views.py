"""One view as the analysis of data flow takes it, and what it says of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from grainline.flow.analysis import analyse
from grainline.flow.rows import Models
from grainline.graph.results import Graph
from grainline.graph.table import TYPE_CODE, TYPES, EdgeTable
from grainline.indexing.graphs import Read
from grainline.model.access import View
from grainline.model.edge import Edge, EdgeType, Tier, Unresolved
from grainline.model.flow import FlowQuestion, FlowReport
from grainline.model.ir import BROKEN
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


class Analysed(NamedTuple):
    """What was found in one view.

    `unread` are paths without IR with the word for why; `broken` those whose source is broken in a
    way that may hide functions; `graph_cuts` counts what bounds kept out of the symbol graph.
    """

    view: View
    report: FlowReport
    unread: tuple[tuple[bytes, str], ...]
    broken: tuple[bytes, ...]
    graph_cuts: int


def analysed(
    view: View,
    read: Read,
    table: EdgeTable,
    models: Mapping[str, Models],
    question: FlowQuestion | None = None,
) -> Analysed:
    """The flows of one view, as its reader may see it.

    Args:
        view: which.
        read: its files with IR.
        table: its edges.
        models: language -> rows.
        question: what is asked about in place of models; then also ways that are stopped are told.
    """
    report = analyse(
        read.units, graph_of(table), models, question=question, stopped=question is not None
    )
    broken = tuple(
        unit.path for unit in read.units if len(unit.ir.scopes) and unit.ir.scopes[0][11] & BROKEN
    )
    return Analysed(view, report, read.unread, broken, table.cuts)


def graph_of(table: EdgeTable) -> Graph:
    """The edges that data flows along, and every call without a target."""
    rows = table.edges
    types = [TYPE_CODE[kind] for kind in _FOLLOWED]
    at = np.flatnonzero(np.isin(rows.type, types) & (rows.tier <= Tier.FLOWED))
    symbols = [table.symbol(number) for number in range(len(table.keys))]
    columns = (rows.type, rows.src, rows.dst, rows.start, rows.end, rows.tier, rows.candidates)
    edges = tuple(
        Edge(TYPES[kind], symbols[src], symbols[dst], Span(start, end), (), Tier(tier), candidates)
        for kind, src, dst, start, end, tier, candidates in zip(
            *(column[at].tolist() for column in columns), strict=True
        )
    )
    calls: tuple[Unresolved, ...] = tuple(
        table.unresolved_call(number) for number in range(len(table.unresolved.src))
    )
    return Graph(edges=edges, unresolved=calls, cuts=table.cuts)

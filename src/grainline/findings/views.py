"""One view as the analysis of data flow takes it, and what it says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from grainline.graph.table import EdgeTable
from grainline.model.access import View
from grainline.model.flow import FlowQuestion, FlowReport
from grainline.model.ir import BROKEN

if TYPE_CHECKING:
    from grainline.flow.groups import Kept
    from grainline.flow.rows import Models
    from grainline.indexing.graphs import Read


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
    *,
    said: bytes = b"",
    kept: Kept | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> Analysed:
    """The flows of one view, as its reader may see it.

    Args:
        view: which.
        read: its files with IR.
        table: its edges.
        models: language -> rows.
        question: what is asked about in place of models; then also ways that are stopped are told.
        said: names the rows and the code of the analysis.
        kept: what was found in parts of it before.
        tell: called now and then with the functions that were looked at, and all of them.
    """
    from grainline.flow.analysis import analyse  # what is kept is told without these
    from grainline.flow.edges import graph_of

    report = analyse(
        read.units,
        graph_of(table),
        models,
        question=question,
        stopped=question is not None,
        said=said,
        kept=kept,
        tell=tell or _silent,
    )
    broken = tuple(
        unit.path for unit in read.units if len(unit.ir.scopes) and unit.ir.scopes[0][11] & BROKEN
    )
    return Analysed(view, report, read.unread, broken, table.cuts)


def _silent(done: int, total: int) -> None:
    """Tell nobody."""
    del done, total

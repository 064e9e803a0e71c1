"""`ViewGraph`: the edges of one view as its reader may see them, and whether they are there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from grainline.errors import BadInput
from grainline.graph.table import EdgeTable
from grainline.model.access import View

ON = "on"
BEING_MADE = "off: they are being made since the last change; ask again in a moment"
NOT_FILLED = "off: not filled; run: grainline index PATH"


class ViewGraph(NamedTuple):
    """The graph of one view of a scope.

    `state` is what coverage says of it: `ON`, or `off: ` and why; then `table` is None.
    """

    view: View
    table: EdgeTable | None
    state: str


def graph_of(
    view: View,
    table: EdgeTable,
    left_out: Sequence[tuple[str, int]] = (),
    contradicted: int | None = None,
) -> ViewGraph:
    """The graph of a view.

    Args:
        view: which.
        table: its edges.
        left_out: how many files are not in it, by the word for why.
        contradicted: how many edges exact ones contradict, None without exact ones.
    """
    state = ON
    if contradicted is not None:
        state += f", with exact edges that contradict {contradicted} others"
    if left_out:
        said = ", ".join(f"{count} {why}" for why, count in left_out)
        state += f"; files not read: {said}"
    return ViewGraph(view, table, state)


def channel(graphs: Sequence[ViewGraph]) -> str:
    """What coverage says of the graphs that a question is about."""
    if not graphs:
        return f"{ON}; nothing was found to start from"
    states = list(dict.fromkeys(graph.state for graph in graphs))
    if len(states) == 1:
        return states[0]
    missing = sum(graph.table is None for graph in graphs)
    why = next(graph.state for graph in graphs if graph.table is None)
    return f"{ON} for {len(graphs) - missing} of {len(graphs)} views; {why}"


def check(graphs: Sequence[ViewGraph]) -> None:
    """Refuse a question that no graph can answer.

    Raises:
        BadInput: `graph_off`.
    """
    if any(graph.table is not None for graph in graphs):
        return
    state = graphs[0].state if graphs else "off: nothing is in scope"
    why, _, hint = state.removeprefix("off: ").partition("; ")
    raise BadInput(
        "graph_off", f"the symbol graph is off: {why}", hint=hint or "see: grainline status"
    )

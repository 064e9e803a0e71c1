"""From what was reached to rows: light while all are counted, whole where a page shows them."""

from __future__ import annotations

from typing import NamedTuple

from grainline.graph.confidence import confidence_of
from grainline.graph.table import TYPE_CODE, EdgeTable
from grainline.model.access import View
from grainline.model.edge import EdgeType, Symbol, Tier
from grainline.model.relations import Node, RelationRow
from grainline.retrieval.relations.book import Book, File
from grainline.retrieval.relations.weak import Weak

NAME = "name"
"""The method of edges that are only a matter of names."""


class Ground(NamedTuple):
    """Where rows of one view come from."""

    book: Book
    view: View
    table: EdgeTable


class Reach(NamedTuple):
    """A symbol that was reached, and how.

    `symbol` is None for a leaf, of which `leaf` is the name. Of `edge` and `call` one is a number
    of the table, the other -1. `file` is that of the symbol, `site` that of the site.
    """

    ground: Ground
    depth: int
    incoming: bool
    symbol: Symbol | None
    leaf: str
    file: File
    site: File
    start: int
    end: int
    type: EdgeType
    edge: int = -1
    call: int = -1
    target: Symbol | None = None
    tier: Tier | None = None
    candidates: int = 1
    sites: int = 1

    @property
    def test(self) -> bool:
        """Whether it is test code."""
        return self.symbol is not None and self.file.test

    def order(self) -> tuple[int, bool, bool, int, int, int, int, bytes, str]:
        """The total order of rows: by depth, source before tests, then by place."""
        path, descriptor = self.symbol or (b"", self.leaf)
        return (
            self.depth, self.test, not self.incoming, self.site.entry, self.start, self.end,
            TYPE_CODE[self.type], path, descriptor,
        )  # fmt: skip


def by_edge(ground: Ground, number: int, depth: int, sites: int, *, incoming: bool) -> Reach:
    """What an edge of the table reaches."""
    edge = ground.table.edge(number)
    symbol = edge.src if incoming else edge.dst
    site = ground.book.file(ground.view, edge.src.path)
    return Reach(
        ground, depth, incoming, symbol, "", ground.book.file(ground.view, symbol.path), site,
        edge.site.start, edge.site.end, edge.type, edge=number, tier=edge.tier,
        candidates=edge.candidates, sites=sites,
    )  # fmt: skip


def by_name(ground: Ground, weak: Weak, *, incoming: bool) -> Reach:
    """What a name may reach, one step away."""
    symbol = weak.caller if incoming else weak.target
    span = ground.table.unresolved_call(weak.call).site
    return Reach(
        ground, 1, incoming, symbol, "", ground.book.file(ground.view, symbol.path),
        ground.book.file(ground.view, weak.caller.path), span.start, span.end, EdgeType.CALLS,
        call=weak.call, target=weak.target, tier=weak.tier, candidates=weak.candidates,
    )  # fmt: skip


def by_leaf(ground: Ground, call: int, depth: int) -> Reach:
    """A call that leads out of all that is indexed."""
    found = ground.table.unresolved_call(call)
    site = ground.book.file(ground.view, found.src.path)
    return Reach(
        ground, depth, False, None, found.name, site, site, found.site.start, found.site.end,
        EdgeType.CALLS, call=call,
    )  # fmt: skip


def row_of(reach: Reach) -> RelationRow:
    """The row of what was reached."""
    src, dst, methods = _ends(reach)
    line = reach.site.line(reach.start)
    return RelationRow(
        type=reach.type,
        src=src.name,
        dst=dst.name,
        node=src if reach.incoming else dst,
        repository=reach.site.repository,
        path=reach.site.path,
        line=line,
        citation=reach.site.cite(line),
        text=reach.site.show(reach.start),
        tier=reach.tier,
        confidence=_confidence(reach),
        methods=methods,
        candidates=reach.candidates,
        depth=reach.depth,
        sites=reach.sites,
    )


def _confidence(reach: Reach) -> float | None:
    if reach.edge < 0:
        return None
    return confidence_of(reach.site.language, reach.ground.table.edge(reach.edge))


def _ends(reach: Reach) -> tuple[Node, Node, tuple[str, ...]]:
    table = reach.ground.table
    if reach.edge >= 0:
        edge = table.edge(reach.edge)
        book, view = reach.ground.book, reach.ground.view
        return book.node(view, edge.src), book.node(view, edge.dst), tuple(map(str, edge.methods))
    call = table.unresolved_call(reach.call)
    src = reach.site.node(call.src.descriptor)
    if reach.target is None:
        return src, leaf(reach.leaf), ()
    return src, reach.ground.book.node(reach.ground.view, reach.target), (NAME,)


def leaf(name: str) -> Node:
    """The node of a name outside of what is indexed."""
    return Node(name=name, kind="external", external=True)

"""`graph`: the edges of some types between the symbols of a scope, and their ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from grainline.graph.confidence import confidence_of
from grainline.graph.table import TYPE_CODE, Numbers
from grainline.model.edge import EdgeType, Symbol, Why
from grainline.model.relations import GraphOptions, GraphResult, Link, Node
from grainline.model.search import CoverageRecord, State
from grainline.retrieval.filtering import idle
from grainline.retrieval.relations import views
from grainline.retrieval.relations.book import Book, File
from grainline.retrieval.relations.kept import Kept
from grainline.retrieval.relations.rows import Ground, leaf
from grainline.retrieval.relations.subjects import without_graph
from grainline.retrieval.relations.views import ViewGraph
from grainline.retrieval.relations.weak import OUTSIDE
from grainline.storage.base import Corpus


def whole(
    corpus: Corpus, graphs: Sequence[ViewGraph], options: GraphOptions | None = None
) -> GraphResult:
    """The graph of a scope.

    Names begin at the folder that was indexed. Nodes stand in the order of (view, path, descriptor), names outside behind them; edges in the
    order of their sources, then sites.

    Raises:
        BadInput: no graph is there, or a filter cannot be meant.
    """
    options = options or GraphOptions()
    views.check(graphs)
    book, kept = Book(corpus, relative=True), Kept(corpus, options.filters)
    parts = [
        _Part(Ground(book, graph.view, graph.table), kept, options)
        for graph in graphs
        if graph.table is not None
    ]
    nodes = [node for part in parts for node in part.nodes()]
    names = sorted({name for part in parts for name in part.leaves})
    links: list[Link] = []
    first, outside = 0, {name: len(nodes) + at for at, name in enumerate(names)}
    for part in parts:
        links += part.links(first, outside)
        first += len(part.symbols)
    reasons = Counter[Why]()
    for part in parts:
        reasons.update(part.reasons)
    return GraphResult(
        types=options.types,
        nodes=(*nodes, *map(leaf, names)),
        links=tuple(links),
        unresolved=tuple(sorted((str(why), count) for why, count in reasons.items())),
        coverage=coverage_of(corpus, graphs, options, sum(part.cuts for part in parts)),
    )


class _Part:
    """What one view says: its edges, their ends, its unresolved calls."""

    def __init__(self, ground: Ground, kept: Kept, options: GraphOptions) -> None:
        self.ground, self.table = ground, ground.table
        self.cuts = self.table.cuts
        fits = self._fitting(kept)
        rows = self.table.edges
        types = [TYPE_CODE[kind] for kind in options.types]
        edges = np.isin(rows.type, types) & (rows.tier <= options.floor)
        self.edges: Numbers = np.flatnonzero(edges & fits[rows.src] & fits[rows.dst])
        calls = self.table.unresolved
        open_: list[int] = []
        if EdgeType.CALLS in options.types:
            open_ = np.flatnonzero(fits[calls.src]).tolist()
        found = [(at, self.table.unresolved_call(at)) for at in open_]
        self.reasons = Counter(call.why for _, call in found)
        self.outward = [
            (at, call.name)
            for at, call in found
            if options.external and call.why in OUTSIDE and call.name
        ]
        self.leaves = {name for _, name in self.outward}
        ends = [rows.src[self.edges], rows.dst[self.edges]]
        used = np.zeros(len(self.table.keys), np.bool_)
        for column in (*ends, calls.src[[at for at, _ in self.outward]]):
            used[column] = True
        self.symbols: list[int] = np.flatnonzero(used).tolist()

    def _fitting(self, kept: Kept) -> NDArray[np.bool_]:
        symbols = map(self.table.symbol, range(len(self.table.keys)))
        fits = [kept.takes(self._file(symbol), symbol) for symbol in symbols]
        return np.array(fits, np.bool_)

    def _file(self, symbol: Symbol) -> File:
        return self.ground.book.file(self.ground.view, symbol.path)

    def nodes(self) -> Iterator[Node]:
        """The ends of its edges."""
        for number in self.symbols:
            yield self.ground.book.node(self.ground.view, self.table.symbol(number))

    def links(self, first: int, outside: dict[str, int]) -> Iterator[Link]:
        """Its edges: `first` is the position of its first node, `outside` that of every leaf."""
        at = {number: first + place for place, number in enumerate(self.symbols)}
        rows = self.table.edges
        for number in self.edges.tolist():
            edge = self.table.edge(number)
            file = self._file(edge.src)
            yield Link(
                type=edge.type, src=at[int(rows.src[number])], dst=at[int(rows.dst[number])],
                line=file.line(edge.site.start), site=edge.site, tier=edge.tier,
                confidence=confidence_of(file.language, edge),
                methods=tuple(map(str, edge.methods)), candidates=edge.candidates,
            )  # fmt: skip
        for number, name in self.outward:
            call = self.table.unresolved_call(number)
            yield Link(
                type=EdgeType.CALLS, src=at[int(self.table.unresolved.src[number])],
                dst=outside[name], line=self._file(call.src).line(call.site.start),
                site=call.site, tier=None, confidence=None, methods=(), candidates=1,
            )  # fmt: skip


def coverage_of(
    corpus: Corpus, graphs: Sequence[ViewGraph], options: GraphOptions, cuts: int
) -> CoverageRecord:
    """What an answer about whole graphs covers; `cuts`: values that bounds cut."""
    off = any(graph.table is None for graph in graphs)
    languages = frozenset(corpus.language(entry) for entry in range(corpus.n_entries))
    code = without_graph(languages)
    warnings = (f"the symbol graph does not know {', '.join(code)} yet",) if code else ()
    state = State.PARTIAL if off or code else State.BOUNDED if cuts else State.COMPLETE
    return CoverageRecord(
        snapshots=corpus.snapshots,
        state=state,
        not_covered=(("values that a bound cut", cuts),) if cuts else (),
        floor=options.floor.name.lower(),
        channels=(("graph", views.channel(graphs)),),
        warnings=(*warnings, *idle(corpus, options.filters)),
    )

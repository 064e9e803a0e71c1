"""What kept edges say of results: who calls them, and the signatures of what they call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np

from grainline.graph.table import TYPE_CODE, EdgeTable, bits_of
from grainline.model.access import View
from grainline.model.edge import EdgeType, Symbol, Tier
from grainline.model.search import Called, Hit, SearchOptions, SearchResult
from grainline.model.snapshot import Snapshot
from grainline.retrieval.cache import derived
from grainline.retrieval.hits import MAX_NAMES, decode
from grainline.retrieval.relations.book import Book
from grainline.retrieval.relations.views import ViewGraph, channel
from grainline.retrieval.relations.walk import named_calls
from grainline.storage.base import Corpus

FLOOR = Tier.FLOWED
CALLING = tuple(TYPE_CODE[kind] for kind in (EdgeType.CALLS, EdgeType.INSTANTIATES))
CALLED = np.uint32(bits_of(named_calls(frozenset({EdgeType.CALLS}))))

MOST_VIEWS = 4
"""Views whose edges are looked at for one page: each is a table to be opened."""

MOST_HELD = 20_000
"""Names of callers that are held for a table."""

LATER = f"off: a page asks the edges of {MOST_VIEWS} views; run: grainline callers SYMBOL"


def with_edges(
    corpus: Corpus,
    result: SearchResult,
    options: SearchOptions,
    kept: Callable[[View, str], ViewGraph],
    admit: Callable[[Sequence[int]], Sequence[bool]],
) -> SearchResult:
    """`result` with what the kept edges of tier `FLOOR` or stronger say of its hits.

    Args:
        corpus: the scope.
        result: its hits.
        options: what is wanted.
        kept: (view, generation) -> its graph where that is kept, as the reader may see it.
        admit: which of some entries may be shown.
    """
    generations = {_view(state.snapshot): state.generation for state in corpus.snapshots}
    wanted = list(dict.fromkeys(_view(hit.place.snapshot) for hit in result.hits))
    wanted = wanted or list(generations)[:1]
    graphs = [kept(view, generations[view]) for view in wanted[:MOST_VIEWS]]
    graphs += [ViewGraph(view, None, LATER) for view in wanted[MOST_VIEWS:]]
    tables = {graph.view: graph.table for graph in graphs if graph.table is not None}
    attach = _Attach(corpus, admit)
    hits = result.hits
    if options.callers:
        hits = tuple(attach.callers(hit, tables) for hit in hits)
    if options.signatures:
        hits = tuple(attach.signatures(hit, tables) for hit in hits)
    channels = (*result.coverage.channels, ("graph", channel(graphs)))
    return replace(result, hits=hits, coverage=replace(result.coverage, channels=channels))


def _view(snapshot: Snapshot) -> View:
    return View(repository=snapshot.repository, ref=snapshot.ref or snapshot.commit)


class _Attach:
    def __init__(self, corpus: Corpus, admit: Callable[[Sequence[int]], Sequence[bool]]) -> None:
        self._book = Book(corpus)
        self._admit = admit

    def callers(self, hit: Hit, tables: dict[View, EdgeTable]) -> Hit:
        """A hit with the names of what calls its definition."""
        view = _view(hit.place.snapshot)
        table = tables.get(view)
        if table is None or hit.symbol is None:
            return hit
        number = table.find(Symbol(hit.place.path, hit.symbol.descriptor))
        if number < 0:
            return hit
        callers = derived(self._book.corpus, ("callers", table), lambda: _Callers(table))
        if len(callers.names) > MOST_HELD:
            callers.names.clear()
        found = callers.of(number)
        for each in found:
            if each not in callers.names:
                callers.names[each] = self._book.name(view, table.symbol(each))
        names = dict.fromkeys(callers.names[each] for each in found)
        return replace(hit, called_by=tuple(names))

    def signatures(self, hit: Hit, tables: dict[View, EdgeTable]) -> Hit:
        """A hit with the heads of what its chunk calls and does not hold, in the order of calls."""
        view = _view(hit.place.snapshot)
        table = tables.get(view)
        if table is None:
            return replace(hit, signatures=())
        targets = _targets(table, hit)
        entries = [self._book.file(view, symbol.path).entry for symbol in targets]
        fit = self._admit(entries)
        found = [self._called(view, *each) for each in compress(targets.items(), fit)]
        outside = (each for each in found if each is not None and not _holds(hit, each))
        return replace(hit, signatures=tuple(outside)[:MAX_NAMES])

    def _called(self, view: View, symbol: Symbol, tier: Tier) -> Called | None:
        """A definition; None of what has no head: a module, or what the outline lacks."""
        file = self._book.file(view, symbol.path)
        known = file.definitions.get(symbol.descriptor)
        if known is None:
            return None
        head = decode(file.text[known.signature_start : known.signature_end], file.encoding)
        node = file.node(symbol.descriptor)
        return Called(
            name=node.name, kind=node.kind, signature=" ".join(head.split()),
            repository=file.repository, path=file.path, citation=file.cite(node.line), tier=tier,
        )  # fmt: skip


def _holds(hit: Hit, each: Called) -> bool:
    """Whether the definition is shown by the hit itself."""
    lines = hit.place.lines
    inside = lines.start <= each.citation.lines.start <= lines.end
    return inside and (each.repository, each.path) == (hit.place.repository, hit.place.path)


class _Callers:
    """Who calls or makes each symbol of a table, and the names of callers that were shown."""

    def __init__(self, table: EdgeTable) -> None:
        rows = table.edges
        calls = np.isin(rows.type, CALLING) | ((rows.methods & CALLED) > 0)
        edges = np.flatnonzero(calls & (rows.tier <= FLOOR) & (rows.src != rows.dst))
        # edges stand in the order of their sources, and so do the sources of every target
        self._sources = rows.src[edges][np.argsort(rows.dst[edges], kind="stable")]
        counts = np.bincount(rows.dst[edges], minlength=len(table.keys))
        self._ends = np.concatenate([[0], np.cumsum(counts)]).tolist()
        self.names: dict[int, str] = {}

    def of(self, number: int) -> list[int]:
        """The first callers of a symbol, in the order of their paths."""
        start, end = self._ends[number : number + 2]
        return list(dict.fromkeys(self._sources[start:end].tolist()))[:MAX_NAMES]


def _targets(table: EdgeTable, hit: Hit) -> dict[Symbol, Tier]:
    """What is called or made inside of the chunk of a hit -> the strongest tier, by first site."""
    own = np.array(table.symbols_of(hit.place.path), np.int64)
    edges = table.out_of_all(own)
    rows, span = table.edges, hit.place.span
    inside = (rows.start[edges] >= span.start) & (rows.end[edges] <= span.end)
    calls = np.isin(rows.type[edges], CALLING) & (rows.tier[edges] <= FLOOR)
    edges = edges[inside & calls]
    found: dict[Symbol, Tier] = {}
    for number in edges[np.argsort(rows.start[edges], kind="stable")].tolist():
        symbol, tier = table.symbol(int(rows.dst[number])), Tier(int(rows.tier[number]))
        found[symbol] = min(tier, found.get(symbol, tier))
        if len(found) == 2 * MAX_NAMES:
            break
    return found

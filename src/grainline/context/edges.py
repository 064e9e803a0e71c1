"""`Edges`: the symbol graph as expansion reads it, from the bytes of an anchor and back to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.context.cite import Reader
from grainline.graph.confidence import confidence_of
from grainline.graph.table import TYPE_CODE, EdgeTable, Numbers
from grainline.model.access import View
from grainline.model.edge import Edge, EdgeType, Symbol, Tier
from grainline.model.evidence import Step
from grainline.model.position import Span
from grainline.model.snapshot import FlagName
from grainline.retrieval.relations.book import view_of
from grainline.retrieval.relations.views import ViewGraph

FLOOR = Tier.FLOWED
"""Weaker edges are names alone: rules that look at names find them, and say so."""

CALLS = frozenset({EdgeType.CALLS, EdgeType.INSTANTIATES})
USES = frozenset({EdgeType.REFERENCES, EdgeType.READS, EdgeType.DECORATES, EdgeType.HAS_TYPE})
KINDS = frozenset({EdgeType.INHERITS, EdgeType.IMPLEMENTS})
OVERRIDES = frozenset({EdgeType.OVERRIDES})

_TEST = 1 << list(FlagName).index(FlagName.TEST)


class Place(NamedTuple):
    """A definition: row `row` of the outline of `entry`, or the whole file for -1."""

    entry: int
    row: int


class Link(NamedTuple):
    """An edge between two symbols of a view. `source` and `target` are the entries of its ends."""

    edge: Edge
    source: int
    target: int


class Edges:
    """Edges of the views of a scope; there are none where a graph is not there.

    Args:
        reader: the files of the request.
        graphs: of the views of its scope.
    """

    def __init__(self, reader: Reader, graphs: Sequence[ViewGraph]) -> None:
        self._reader = reader
        self._tables = {each.view: each.table for each in graphs if each.table is not None}
        self._entries: dict[tuple[View, bytes], int] = {}
        self._rows: dict[int, dict[str, int]] = {}

    def into(self, places: Iterable[Place], types: frozenset[EdgeType]) -> list[Link]:
        """The strongest edge from each symbol that leads to one of `places`.

        Source before tests, then the strongest edges, then by (path, descriptor).
        """
        found: list[Link] = []
        for entry, rows in _by_entry(places).items():
            table = self._table(entry)
            if table is None:
                continue
            outline, path = self._reader.file(entry).outline, self._reader.corpus.path(entry)
            symbols = (table.find(Symbol(path, outline[row].descriptor)) for row in rows)
            known = np.array([at for at in symbols if at >= 0], np.int64)
            numbers = _allowed(table, table.into_all(known), types)
            found += self._links(entry, table, _strongest(table, numbers, table.edges.src))
        return sorted(found, key=lambda link: (self.is_test(link.source), *_strength(link.edge)))

    def out(self, entry: int, span: Span, types: frozenset[EdgeType]) -> list[Link]:
        """The strongest edge to each symbol from a site in `span`, in the order of the sites."""
        table = self._table(entry)
        if table is None:
            return []
        numbers = _allowed(table, self._in_span(table, entry, span), types)
        found = self._links(entry, table, _strongest(table, numbers, table.edges.dst))
        return sorted(found, key=lambda link: (link.edge.site, link.edge.dst))

    def elsewhere(self, entry: int, span: Span) -> frozenset[int]:
        """Where in `span` names stand of which edges tell that they mean nothing in the same file."""
        table = self._table(entry)
        if table is None:
            return frozenset()
        numbers = _allowed(table, self._in_span(table, entry, span), CALLS | USES)
        own = table.symbols_of(self._reader.corpus.path(entry))
        targets, starts = table.edges.dst[numbers], table.edges.start[numbers]
        here = (own.start <= targets) & (targets < own.stop)
        return frozenset(starts[~here].tolist()) - frozenset(starts[here].tolist())

    def is_test(self, entry: int) -> bool:
        """Whether an entry is test code."""
        return bool(int(self._reader.corpus.entry_flags[entry]) & _TEST)

    def place(self, entry: int, symbol: Symbol) -> Place:
        """Where a symbol stands: what has no outline row (a lambda), in the row around it."""
        rows = self._rows.get(entry)
        if rows is None:
            outline = self._reader.file(entry).outline
            rows = self._rows[entry] = {found.descriptor: row for row, found in enumerate(outline)}
        descriptor = symbol.descriptor
        if descriptor in rows:
            return Place(entry, rows[descriptor])
        around = [known for known in rows if known and descriptor.startswith(known)]
        return Place(entry, rows[max(around, key=len)] if around else -1)

    def step(self, link: Link) -> Step:
        """What coverage of an item says of an edge."""
        edge, file = link.edge, self._reader.file(link.source)
        corpus = self._reader.corpus
        return Step(
            type=edge.type.upper(),
            src=self.name(self.place(link.source, edge.src)),
            dst=self.name(self.place(link.target, edge.dst)),
            tier=edge.tier.name.lower(),
            methods=tuple(map(str, edge.methods)),
            candidates=edge.candidates,
            confidence=confidence_of(corpus.language(link.source), edge),
            repository=corpus.repository(link.source).name,
            path=file.path,
            line=file.line_at(edge.site.start),
        )

    def name(self, place: Place) -> str:
        """What a definition is called, or the module of a file."""
        found = self._reader.symbol(*place)
        return found.qualified_name if found else self._reader.module(place.entry)

    def entry(self, view: View, path: bytes) -> int:
        """The entry of a file of a view; -1 when there is none."""
        if (view, path) not in self._entries:
            corpus = self._reader.corpus
            mine = (each for each in corpus.find_entries(path) if view_of(corpus, each) == view)
            self._entries[view, path] = next(mine, -1)
        return self._entries[view, path]

    # ------------------------------------------------------------------ parts

    def _table(self, entry: int) -> EdgeTable | None:
        return self._tables.get(view_of(self._reader.corpus, entry)) if self._tables else None

    def _in_span(self, table: EdgeTable, entry: int, span: Span) -> Numbers:
        symbols = table.symbols_of(self._reader.corpus.path(entry))
        numbers = table.out_of_all(np.arange(symbols.start, symbols.stop))
        starts = table.edges.start[numbers]
        return numbers[(span.start <= starts) & (starts < span.end)]

    def _links(self, entry: int, table: EdgeTable, numbers: Numbers) -> list[Link]:
        """Edges between files that are there."""
        view = view_of(self._reader.corpus, entry)
        edges = (table.edge(number) for number in numbers.tolist())
        links = (
            Link(edge, self.entry(view, edge.src.path), self.entry(view, edge.dst.path))
            for edge in edges
        )
        return [link for link in links if link.source >= 0 and link.target >= 0]


def _by_entry(places: Iterable[Place]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for entry, row in places:
        if row >= 0:
            found.setdefault(entry, []).append(row)
    return found


def _allowed(table: EdgeTable, numbers: Numbers, types: frozenset[EdgeType]) -> Numbers:
    codes = np.array([TYPE_CODE[kind] for kind in types], np.uint8)
    fits = np.isin(table.edges.type[numbers], codes) & (table.edges.tier[numbers] <= FLOOR)
    return numbers[fits]


def _strongest(table: EdgeTable, numbers: Numbers, ends: NDArray[np.int32]) -> Numbers:
    """Of the edges with one end the strongest: by tier, candidates, then as the table has them."""
    rows, near = table.edges, ends[numbers]
    order = np.lexsort((numbers, rows.candidates[numbers], rows.tier[numbers], near))
    firsts = np.flatnonzero(np.diff(near[order], prepend=-1))
    return numbers[order[firsts]]


def _strength(edge: Edge) -> tuple[Tier, int, Symbol, Span]:
    return (edge.tier, edge.candidates, edge.src, edge.site)

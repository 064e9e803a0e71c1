"""The graphs of a scope made from its texts, where no store keeps them."""

from __future__ import annotations

from collections.abc import Iterator

from grainline.graph.resolve import resolve
from grainline.graph.table import table_of
from grainline.graph.world import Unit
from grainline.languages.base import LANGUAGES
from grainline.model.access import View
from grainline.parsing.facts import parse_lazily
from grainline.retrieval.cache import derived
from grainline.retrieval.relations.book import view_of
from grainline.retrieval.relations.views import ON, ViewGraph
from grainline.storage.base import Corpus


def graphs_of(corpus: Corpus) -> tuple[ViewGraph, ...]:
    """The graph of every view of a scope, kept with the corpus."""
    return derived(corpus, "graphs", lambda: tuple(_graphs(corpus)))


def _graphs(corpus: Corpus) -> Iterator[ViewGraph]:
    entries: dict[View, list[int]] = {view: [] for view in corpus.scope.views}
    for entry in range(corpus.n_entries):
        entries[view_of(corpus, entry)].append(entry)
    for view, mine in entries.items():
        yield ViewGraph(view, table_of(resolve(_units(corpus, mine))), ON)


def _units(corpus: Corpus, entries: list[int]) -> Iterator[Unit]:
    for entry in entries:
        language = corpus.language(entry)
        if language not in LANGUAGES.names() or LANGUAGES.get(language).lower is None:
            continue
        parsed = parse_lazily(corpus.text(entry), language, skeleton_limit=1000)
        ir = parsed.lower()
        if ir is not None:
            yield Unit(corpus.path(entry), language, ir, parsed.facts)

"""The engine's search over the same chunks: BM25F by field, priors, exact channels.

Ranks what the engine itself has indexed with the chunker of the strategy; how a strategy composes
its texts has no effect then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grainline.lab.homes import Home
from grainline.lab.retrievers.base import Corpus, Ranker
from grainline.lab.values import Query
from grainline.model.search import SearchOptions


class _Search:
    def __init__(self, home: Home, numbers: Mapping[tuple[bytes, int, int], int]) -> None:
        self._home = home
        self._numbers = numbers

    def rank(self, query: Query, k: int) -> Sequence[tuple[int, float]]:
        scope = self._home.scope(query.ref, query.principal)
        found = self._home.engine.search(query.text, scope=scope, options=SearchOptions(k=k))
        places = [hit.place for hit in found.hits]
        keys = [(each.path, each.span.start, each.span.end) for each in places]
        return [
            (self._numbers[key], hit.score)
            for key, hit in zip(keys, found.hits, strict=True)
            if key in self._numbers
        ]


class EngineSearch:
    """See the module."""

    name = "engine"

    def fit(self, corpus: Corpus) -> Ranker:
        """Indexes the checkout with the chunker."""
        numbers = {
            (doc.path, doc.span.start, doc.span.end): i for i, doc in enumerate(corpus.documents)
        }
        return _Search(corpus.ground.home(corpus.chunker), numbers)


RETRIEVER = EngineSearch()

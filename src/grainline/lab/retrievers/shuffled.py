"""A control: every document in an order drawn by the seed and the question; it must score as chance."""

from __future__ import annotations

import random
from collections.abc import Sequence

from grainline.lab.retrievers.base import Corpus, Ranker
from grainline.lab.values import Query


class _Drawn:
    def __init__(self, count: int, seed: int) -> None:
        self._count = count
        self._seed = seed

    def rank(self, query: Query, k: int) -> Sequence[tuple[int, float]]:
        order = list(range(self._count))
        random.Random(f"{self._seed} {query.text}").shuffle(order)
        return [(number, float(-rank)) for rank, number in enumerate(order[:k])]


class Shuffled:
    """See the module."""

    name = "shuffled"

    def fit(self, corpus: Corpus) -> Ranker:
        """Knows only how many documents there are."""
        return _Drawn(len(corpus.documents), corpus.seed)


RETRIEVER = Shuffled()

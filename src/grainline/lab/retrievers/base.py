"""The seam of retrievers: documents in, a ranker out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from grainline.lab.ground import Ground
from grainline.lab.values import Query
from grainline.model.position import Span
from grainline.registry import Registry


class Document(NamedTuple):
    """What is ranked: a text, and the piece of a file that it stands for."""

    path: bytes
    span: Span
    text: str


class Corpus(NamedTuple):
    """The documents of one strategy about one view, in path and file order."""

    documents: Sequence[Document]
    ground: Ground
    chunker: str
    ref: str | None
    seed: int


class Ranker(Protocol):
    """Ranks the documents it was made for."""

    def rank(self, query: Query, k: int) -> Sequence[tuple[int, float]]:
        """(number of a document, score), best first, ties by number; at most `k`."""
        ...


class Retriever(Protocol):
    """Makes rankers. Deterministic: what draws takes the seed of the corpus."""

    name: str

    def fit(self, corpus: Corpus) -> Ranker:
        """A ranker of these documents."""
        ...


RETRIEVERS: Registry[Retriever] = Registry(
    "grainline.lab.retrievers", "RETRIEVER", skip=frozenset({"base"})
)

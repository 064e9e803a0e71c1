"""The fixed yardstick: Lucene-form BM25 with code-aware tokens.

Nothing here follows the engine's tokenizer, fields, fusion or priors, so that a gain over it stays
comparable from commit to commit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from grainline.lab.retrievers.base import Corpus, Ranker
from grainline.lab.values import Query
from grainline.text.identifiers import stem

K1 = 1.5
B = 0.75  # Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009

STOP_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "but",
        "by",
        "for",
        "if",
        "in",
        "into",
        "is",
        "it",
        "no",
        "not",
        "of",
        "on",
        "or",
        "such",
        "that",
        "the",
        "their",
        "then",
        "there",
        "these",
        "they",
        "this",
        "to",
        "was",
        "will",
        "with",
    ]
)  # of Lucene's StandardAnalyzer

_WORD = re.compile(r"[A-Za-z_$][\w$]*|[0-9]+|[^\W\x00-\x7f]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def tokens(text: str) -> Iterator[str]:
    """Stems of whole identifiers and of their parts; other scripts as pairs of characters."""
    for word in _WORD.findall(text):
        yield from _terms(word)


@lru_cache(maxsize=1 << 18)
def _terms(word: str) -> tuple[str, ...]:
    if not word.isascii():
        return tuple(word[at : at + 2] for at in range(max(1, len(word) - 1)))
    parts = _PART.findall(word)
    words = [word, *parts] if len(parts) > 1 else [word]
    lowered = (part.lower() for part in words)
    return tuple(stem(part.encode()).decode() for part in lowered if part not in STOP_WORDS)


class Bm25:
    """Postings as a term x document matrix in compressed rows."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._count = len(texts)
        self._terms: dict[str, int] = {}
        rows: list[NDArray[np.int64]] = []
        lengths = np.zeros(len(texts), dtype=np.float64)
        for number, text in enumerate(texts):
            counts = Counter(tokens(text))
            lengths[number] = counts.total()
            ids = [self._terms.setdefault(term, len(self._terms)) for term in counts]
            block = np.empty((len(ids), 3), dtype=np.int64)
            block[:, 0], block[:, 1], block[:, 2] = ids, number, list(counts.values())
            rows.append(block)
        table = np.concatenate(rows) if rows else np.empty((0, 3), dtype=np.int64)
        table = table[np.argsort(table[:, 0], kind="stable")]
        self._starts = np.searchsorted(table[:, 0], np.arange(len(self._terms) + 1))
        self._doc = table[:, 1]
        self._gain = self._saturated(table, lengths)

    @staticmethod
    def _saturated(table: NDArray[np.int64], lengths: NDArray[np.float64]) -> NDArray[np.float64]:
        average = lengths.mean() if len(lengths) else 1.0
        norm = K1 * (1 - B + B * lengths / max(average, 1.0))
        tf = table[:, 2].astype(np.float64)
        gain: NDArray[np.float64] = tf / (tf + norm[table[:, 1]])
        return gain

    def rank(self, query: Query, k: int) -> list[tuple[int, float]]:
        """The best documents that hold a term; ties by number."""
        scores = np.zeros(self._count, dtype=np.float64)
        for term, count in Counter(tokens(query.text)).items():
            number = self._terms.get(term)
            if number is not None:
                rows = slice(self._starts[number], self._starts[number + 1])
                df = rows.stop - rows.start
                idf = np.log1p((self._count - df + 0.5) / (df + 0.5))
                scores[self._doc[rows]] += count * idf * self._gain[rows]
        order: list[int] = np.argsort(-scores, kind="stable")[:k].tolist()
        return [(i, float(scores[i])) for i in order if scores[i] > 0]


class LuceneBm25:
    """See the module."""

    name = "bm25"

    def fit(self, corpus: Corpus) -> Ranker:
        """Index in memory."""
        return Bm25([doc.text for doc in corpus.documents])


RETRIEVER = LuceneBm25()

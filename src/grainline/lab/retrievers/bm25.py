"""The fixed yardstick: Lucene-form BM25 with code-aware tokens.

Nothing here follows the engine's tokenizer, fields, fusion or priors, so that a gain over it stays
comparable from commit to commit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from grainline.lab.kept import Kept
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


_TERMS: dict[str, int] = {}
"""Numbers of terms, by the order in which this process met them; nothing depends on it."""

_COUNTED: Kept[tuple[NDArray[np.int32], NDArray[np.int32]]] = Kept(64 << 20)


def _counted(text: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Numbers of the terms of a text, and how often each stands there."""
    counts = Counter(tokens(text))
    ids = [_TERMS.setdefault(term, len(_TERMS)) for term in counts]
    return np.array(ids, dtype=np.int32), np.array(list(counts.values()), dtype=np.int32)


class Bm25:
    """Postings as a term x document matrix in compressed rows."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._count = len(texts)
        blocks = [_COUNTED.get(text, len(text), partial(_counted, text)) for text in texts]
        sizes = [len(block[0]) for block in blocks]
        table = np.empty((sum(sizes), 3), dtype=np.int64)
        if blocks:
            table[:, 0] = np.concatenate([ids for ids, _ in blocks])
            table[:, 1] = np.repeat(np.arange(len(texts)), sizes)
            table[:, 2] = np.concatenate([counts for _, counts in blocks])
        lengths = np.array([counts.sum() for _, counts in blocks], dtype=np.float64)
        table = table[np.argsort(table[:, 0], kind="stable")]
        self._known, starts = np.unique(table[:, 0], return_index=True)
        self._starts = np.append(starts, len(table))
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
            number = _TERMS.get(term, -1)
            at = int(np.searchsorted(self._known, number))
            if at < len(self._known) and self._known[at] == number:
                rows = slice(self._starts[at], self._starts[at + 1])
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

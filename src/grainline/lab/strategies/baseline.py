"""The fixed yardstick: Lucene-form BM25 over functions, with code-aware tokens and path tokens.

Nothing here follows the engine's tokenizer, fields, fusion or priors, so that a gain over it stays
comparable from commit to commit. Test code is left out. A document is a function, or a gap between
two functions; to its text come its path and its qualified name, but no doc comment before it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.lab.judging import Ranked
from grainline.lab.mirror import Checkout
from grainline.languages.base import CALLABLE_KINDS
from grainline.languages.detect import detect
from grainline.model.position import LineSpan
from grainline.model.snapshot import FlagName
from grainline.model.symbol import Definition
from grainline.parsing.facts import parse
from grainline.text.identifiers import stem

K1 = 1.5
B = 0.75  # Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009
MAX_BYTES = 1 << 20
SKELETON = 1 << 30  # no skeleton is wanted
TEST_LIKE = frozenset({FlagName.TEST})

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


class Document(NamedTuple):
    """One function, or a gap between functions (`unit` None)."""

    path: bytes
    lines: LineSpan
    unit: str | None
    text: str


class Baseline:
    """See the module."""

    name = "baseline"

    @contextmanager
    def prepare(self, checkout: Checkout) -> Generator[Bm25]:
        """Index in memory."""
        yield Bm25(tuple(documents(checkout)))


def documents(checkout: Checkout) -> Iterator[Document]:
    """The documents of all files that are code or text and no tests, in path and file order."""
    for entry, data in checkout.files():
        is_test = any(flag.name in TEST_LIKE for flag in entry.flags)
        if not is_test and len(data) <= MAX_BYTES and b"\0" not in data[:8192]:
            yield from _split(entry.path, data)


def _split(path: bytes, data: bytes) -> Iterator[Document]:
    language = detect(path, data)
    if not language:
        return
    shown = path.decode("utf-8", "replace")
    at = 0
    for function in _outermost(parse(data, language, skeleton_limit=SKELETON).definitions):
        yield from _gap(path, data, at, function.start)
        lines = _lines(data, function.start, function.end)
        text = f"{shown} {function.descriptor} {_decoded(data[function.start : function.end])}"
        yield Document(path, lines, function.descriptor, text)
        at = function.end
    yield from _gap(path, data, at, len(data))


def _gap(path: bytes, data: bytes, start: int, end: int) -> Iterator[Document]:
    if data[start:end].strip():
        text = f"{_decoded(path)} {_decoded(data[start:end])}"
        yield Document(path, _lines(data, start, end), None, text)


def _outermost(definitions: Sequence[Definition]) -> list[Definition]:
    """Functions and methods that stand in no other function."""
    inside = [False] * len(definitions)
    found: list[Definition] = []
    for index, definition in enumerate(definitions):
        parent = definition.parent
        inside[index] = parent >= 0 and (
            inside[parent] or definitions[parent].kind in CALLABLE_KINDS
        )
        if definition.kind in CALLABLE_KINDS and not inside[index]:
            found.append(definition)
    return found


def _lines(data: bytes, start: int, end: int) -> LineSpan:
    first = data.count(b"\n", 0, start) + 1
    return LineSpan(first, first + data.count(b"\n", start, max(start, end - 1)))


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")


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
    """Postings of one checkout as a term x document matrix in compressed rows."""

    def __init__(self, docs: Sequence[Document]) -> None:
        self._docs = docs
        self._terms: dict[str, int] = {}
        rows: list[NDArray[np.int64]] = []
        lengths = np.zeros(len(docs), dtype=np.float64)
        for number, doc in enumerate(docs):
            counts = Counter(tokens(doc.text))
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

    def search(self, text: str, k: int) -> list[Ranked]:
        """The best documents; ties by position in the checkout."""
        scores = np.zeros(len(self._docs), dtype=np.float64)
        for term, count in Counter(tokens(text)).items():
            number = self._terms.get(term)
            if number is not None:
                rows = slice(self._starts[number], self._starts[number + 1])
                df = rows.stop - rows.start
                idf = np.log1p((len(self._docs) - df + 0.5) / (df + 0.5))
                scores[self._doc[rows]] += count * idf * self._gain[rows]
        order: list[int] = np.argsort(-scores, kind="stable")[:k].tolist()
        best = (self._docs[i] for i in order if scores[i] > 0)
        return [Ranked(doc.path, doc.lines, doc.unit) for doc in best]


STRATEGY = Baseline()

"""Scoped BM25F: every statistic comes from the documents of one scope.

Simple BM25F (Robertson & Zaragoza, FnTIR 3(4), 2009, section 3.6): the counts of a term in the
fields of a chunk, weighted and normalised by field length, are added up *before* saturation:

    tf = sum over fields of  w_f * count_f / (1 - b_f + b_f * length_f / average_f)
    score = sum over terms of  weight_q * idf * tf / (k1 + tf),   idf = ln(1 + (N - df + .5) / (df + .5))

Arithmetic is defined (law 8): each field's share and each term's score is rounded to an integer in
units of 1 / `SCALE` before it is added, so sums are exact, whatever the order of documents, terms
or fields, and whatever other rows were scanned.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.model.chunk import N_FIELDS
from grainline.retrieval.cache import ByteLru, derived
from grainline.retrieval.options import LexicalWeights, QueryOptions
from grainline.retrieval.order import distinct, path_ranks
from grainline.storage.base import Corpus, Postings
from grainline.text.glossary import translate
from grainline.text.identifiers import TermKind
from grainline.text.tokens import QueryTerm, query_terms

SCALE = 1 << 20
"""Units of a term's score. idf < 17 for any corpus below 2**24 documents: a score fits 25 bits."""

TERM_ONE = 64
"""Units of a query term's weight."""

CACHE_BYTES = 24 << 20
"""Term scores kept per corpus and weights: 3 million (document, score) pairs."""

MAX_IDFS = 12_000
"""Terms whose idf is kept per corpus and weights: 3 MB."""

SHORT = 1024
"""Tokens of a field: the normalisation of shorter ones is worked out once."""


class WeightedTerm(NamedTuple):
    """A term of a question; `weight` in units of 1 / `TERM_ONE`."""

    term: bytes
    weight: int


class TermScores(NamedTuple):
    """Score of one term in each document (or path) that holds it: ids ascending, in 1 / `SCALE`."""

    ids: NDArray[np.int32]
    scores: NDArray[np.int32]
    idf: int


class LexicalScores(NamedTuple):
    """Score of every document: text and path share, in 1 / (`SCALE` * `TERM_ONE`).

    `total` is 0 for a document that is no candidate: nothing of the question stands in its text
    and it is not the first chunk of a file whose path matches.
    """

    total: NDArray[np.int64]
    path: NDArray[np.int64]


class Candidates(NamedTuple):
    """The documents with a score, ascending; scores as in `LexicalScores`."""

    docs: NDArray[np.int64]
    total: NDArray[np.int64]
    path: NDArray[np.int64]


@lru_cache(maxsize=4)
def weigh_terms(text: str, options: QueryOptions) -> tuple[WeightedTerm, ...]:
    """The distinct terms of a question with their weights, in order of appearance.

    The words of translated terms come last.
    """
    title, _, rest = text.strip().partition("\n")
    if not rest.strip():
        title = ""
    kinds = _kind_weights(options)
    titled = {found.term for found in query_terms(title)} if title else frozenset[bytes]()
    weights: dict[bytes, int] = {}
    made: dict[tuple[TermKind, int, bool], int] = {}  # most terms of a question weigh alike
    for term, kind, times in query_terms(text):
        sort = (kind, times, term in titled)
        weight = made.get(sort)
        if weight is None:
            share = kinds[kind] * _repeated(times, options) * (options.title if sort[2] else 1.0)
            weight = made[sort] = round(share * TERM_ONE)
        if weight > weights.get(term, -1):
            weights[term] = weight
    heads = _translated(title, options)
    for term, (share, times) in _translated(text, options).items():
        share *= _repeated(times, options) * (options.title if term in heads else 1.0)
        weights[term] = max(weights.get(term, 0), round(share * TERM_ONE))
    return tuple(WeightedTerm(term, weight) for term, weight in weights.items() if weight > 0)


def _kind_weights(options: QueryOptions) -> dict[TermKind, float]:
    return {
        TermKind.WHOLE: options.whole,
        TermKind.PART: options.part,
        TermKind.CJK: options.cjk,
        TermKind.NUMBER: options.number,
    }


def _repeated(times: int, options: QueryOptions) -> float:
    return times * (options.repeat + 1) / (times + options.repeat)


def _translated(text: str, options: QueryOptions) -> dict[bytes, tuple[float, int]]:
    """The terms of the words that `text` is translated to: greatest share, and how often.

    The alternatives of a term share its weight: together they count as one word of the question.
    """
    kinds = _kind_weights(options)
    found: dict[bytes, tuple[float, int]] = {}
    for _, words in translate(text):
        shares: dict[bytes, float] = {}
        for word in words:
            for term in _word_terms(word):
                share = min(options.translated / len(words), kinds[term.kind])
                shares[term.term] = max(shares.get(term.term, 0.0), share)
        for name, share in shares.items():
            best, times = found.get(name, (0.0, 0))
            found[name] = max(best, share), times + 1
    return found


@lru_cache(maxsize=1 << 12)
def _word_terms(word: str) -> tuple[QueryTerm, ...]:
    return query_terms(word)


class LexicalIndex:
    """BM25F over one corpus with one set of weights; caches the scores of terms it has seen."""

    def __init__(self, corpus: Corpus, weights: LexicalWeights) -> None:
        self._corpus = corpus
        self._weights = weights
        self._terms: ByteLru[TermScores] = ByteLru(CACHE_BYTES, _held_bytes)
        self._paths: ByteLru[TermScores] = ByteLru(CACHE_BYTES // 8, _held_bytes)
        self._idfs: dict[bytes, int] = {}
        self._field = _FieldTable(corpus, weights)
        self._tree = _PathTable(corpus, weights)

    @classmethod
    def of(cls, corpus: Corpus, weights: LexicalWeights) -> LexicalIndex:
        """The index of a corpus, made once."""
        return derived(corpus, ("lexical", weights), lambda: cls(corpus, weights))

    def score(self, terms: Sequence[WeightedTerm], options: QueryOptions) -> LexicalScores:
        """Scores of all documents; independent of the order of `terms`."""
        found = self.candidates(terms, options)
        total = np.zeros(self._corpus.n_docs, np.int64)
        total[found.docs] = found.total
        path = np.zeros_like(total)
        path[found.docs] = found.path
        return LexicalScores(total, path)

    def candidates(self, terms: Sequence[WeightedTerm], options: QueryOptions) -> Candidates:
        """The documents with a score, ascending, and their scores."""
        text = np.zeros(self._corpus.n_docs, np.int64)
        chosen = self._select(terms, options)
        for found, each in chosen:
            np.add.at(text, found.ids, found.scores * np.int64(each.weight))
        many = len(terms) > options.max_terms
        path = self._score_paths([each for _, each in chosen] if many else terms)
        if path is None:
            docs = np.flatnonzero(text != 0)
            return Candidates(docs, text.take(docs), np.zeros(len(docs), np.int64))
        reached = text > 0
        reached[self._tree.first_docs(path)] = True
        docs = np.flatnonzero(reached)
        shared = self._tree.to_docs(path, docs)
        return Candidates(docs, text.take(docs) + shared, shared)

    def term(self, term: bytes, rows: Postings | None = None) -> TermScores:
        """Scores of one term in the documents that hold it; `rows` are its postings, if known."""

        def make() -> TermScores:
            return self._field.score(self._corpus.postings(term) if rows is None else rows)

        return self._terms.get(term, make)

    def _select(
        self, terms: Sequence[WeightedTerm], options: QueryOptions
    ) -> list[tuple[TermScores, WeightedTerm]]:
        """The `max_terms` terms of highest weight times idf; ties by the term itself."""
        read: dict[bytes, Postings] = {}
        if len(terms) > options.max_terms:
            idfs = self._rate(terms, read)
            rated = [(-idfs[each.term] * each.weight, each.term, each) for each in terms]
            rated = sorted(row for row in rated if row[0] <= 0)  # more: it stands nowhere
            terms = [each for _, _, each in rated[: options.max_terms]]
        found = [(self.term(each.term, read.get(each.term)), each) for each in terms]
        return [(scores, each) for scores, each in found if len(scores.ids)]

    def _rate(
        self, terms: Sequence[WeightedTerm], read: dict[bytes, Postings]
    ) -> Mapping[bytes, int]:
        """The idf of each term, -1 for one that stands nowhere; costs less than the scores.

        `read` takes the postings that were read for it.
        """
        known = self._idfs
        if len(known) + len(terms) > MAX_IDFS:
            known = self._idfs = {}
        for each in terms:
            if each.term not in known:
                rows = read[each.term] = self._corpus.postings(each.term)
                known[each.term] = self._count(rows.docs)
        return known

    def _count(self, docs: NDArray[np.int32]) -> int:
        if not len(docs):
            return -1
        return idf_of(self._corpus.n_docs, 1 + int(np.count_nonzero(docs[1:] != docs[:-1])))

    def _score_paths(self, terms: Sequence[WeightedTerm]) -> NDArray[np.int64] | None:
        share = round(self._weights.path * TERM_ONE)
        if share == 0:
            return None
        scores: NDArray[np.int64] | None = None
        for term, weight in terms:
            found = self._paths.get(term, partial(self._tree.score, term))
            if len(found.ids):
                if scores is None:
                    scores = np.zeros(self._tree.n_paths, np.int64)
                np.add.at(scores, found.ids, found.scores * np.int64(weight * share // TERM_ONE))
        return scores


def idf_of(n: int, df: int) -> int:
    """ln(1 + (n - df + .5) / (df + .5)) in units of 1 / `SCALE`."""
    return round(math.log(1 + (n - df + 0.5) / (df + 0.5)) * SCALE)


class _FieldTable:
    """Weights and length normalisation of the fields of a corpus."""

    def __init__(self, corpus: Corpus, weights: LexicalWeights) -> None:
        fields = weights.fields
        n = max(corpus.n_docs, 1)
        self._n = corpus.n_docs
        self._lengths = corpus.field_lengths.ravel()
        self._k1 = weights.k1 * SCALE
        weight: NDArray[np.float64] = np.array([weight for weight, _ in fields]) * SCALE
        cells = np.arange(len(fields) << 5)
        self._shares = weight[cells >> 5] * (cells & 31)  # of every cell of postings
        self._rows = (cells >> 5) * SHORT
        self._base: NDArray[np.float64] = np.array([1 - b for _, b in fields])
        self._slope: NDArray[np.float64] = np.array(
            [
                b * n / total if total else 0.0
                for (_, b), total in zip(fields, corpus.field_totals.tolist(), strict=True)
            ]
        )
        sizes = np.arange(SHORT, dtype=np.float64)
        self._short = (self._base[:, None] + self._slope[:, None] * sizes).ravel()

    def score(self, rows: Postings) -> TermScores:
        docs, cells = rows
        if not len(docs):
            return _NOTHING
        at = np.multiply(docs, N_FIELDS, dtype=np.intp)
        at += rows.fields
        shares = self._shares.take(cells)
        shares /= self._norms(rows, self._lengths.take(at))
        np.rint(shares, out=shares)  # whole numbers, whose sums are exact
        last = np.ones(len(docs), np.bool_)
        np.not_equal(docs[1:], docs[:-1], out=last[:-1])
        ends = np.flatnonzero(last)
        # the difference of running sums: a third of the time of `np.add.reduceat`
        sums = np.cumsum(shares.astype(np.int64)).take(ends)
        sums[1:] -= sums[:-1].copy()
        return _saturate(docs.take(ends), sums.astype(np.float64), self._n, self._k1)

    def _norms(self, rows: Postings, lengths: NDArray[np.uint16]) -> NDArray[np.float64]:
        """The length normalisation of rows, which is looked up where no field is long."""
        if lengths.max() >= SHORT:
            fields = rows.fields
            return self._base.take(fields) + self._slope.take(fields) * lengths
        at = self._rows.take(rows.cells)
        at += lengths
        norms: NDArray[np.float64] = self._short.take(at)
        return norms


class _PathTable:
    """BM25 over the distinct (repository, path) of a corpus."""

    def __init__(self, corpus: Corpus, weights: LexicalWeights) -> None:
        self._corpus = corpus
        self._ranks = path_ranks(corpus)
        self.n_paths = int(self._ranks.max()) + 1 if len(self._ranks) else 0
        self._alone = self.n_paths == corpus.n_entries
        lengths = np.zeros(self.n_paths, np.int64)
        lengths[self._ranks] = corpus.path_lengths
        total = int(lengths.sum())
        slope = weights.path_b * self.n_paths / total if total else 0.0
        self._norms = (1 - weights.path_b) + slope * lengths
        self._k1 = weights.path_k1 * SCALE
        self._entry_of = corpus.doc_entry
        self._several = corpus.several_places()
        self._first = self._places_of(distinct(corpus.first_docs()))

    def _places_of(self, docs: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Each of `docs` as often as it has places, and the entries of those."""
        best = self._entry_of[docs].astype(np.int64)
        if self._several is None:
            return docs, best
        often = self._several.often[docs]
        entries, starts = self._several.of(docs[often])
        width = np.diff(starts, append=len(entries))
        return (
            np.concatenate([docs[~often], np.repeat(docs[often], width)]),
            np.concatenate([best[~often], entries.astype(np.int64)]),
        )

    def score(self, term: bytes) -> TermScores:
        rows = self._corpus.path_postings(term)
        if not len(rows.entries):
            return _NOTHING
        paths, counts = self._ranks[rows.entries], rows.counts
        if not self._alone:
            paths, at = np.unique(paths, return_index=True)
            counts = counts[at]
        shares = np.rint(counts / self._norms[paths] * SCALE)
        return _saturate(paths.astype(np.int32), shares, self.n_paths, self._k1)

    def first_docs(self, scores: NDArray[np.int64]) -> NDArray[np.int64]:
        """The documents that are the first of a file and stand in one whose path has a score."""
        docs, entries = self._first
        return docs[scores[self._ranks][entries] > 0]

    def to_docs(self, scores: NDArray[np.int64], docs: NDArray[np.int64]) -> NDArray[np.int64]:
        """The best path score among the places of each of `docs`."""
        by_entry = scores[self._ranks]
        best: NDArray[np.int64] = by_entry.take(self._entry_of.take(docs))
        if self._several is not None:
            here = np.flatnonzero(self._several.often[docs])
            if len(here):
                entries, starts = self._several.of(docs[here])
                best[here] = np.maximum.reduceat(by_entry[entries], starts)
        return best


def _saturate(ids: NDArray[np.int32], counts: NDArray[np.float64], n: int, k1: float) -> TermScores:
    """`counts` are whole numbers."""
    idf = idf_of(n, len(ids))
    scores = counts / (k1 + counts)
    scores *= idf
    np.rint(scores, out=scores)
    return TermScores(ids, scores.astype(np.int32), idf)


_NOTHING = TermScores(np.empty(0, np.int32), np.empty(0, np.int32), 0)


def _held_bytes(scores: TermScores) -> int:
    return scores.ids.nbytes + scores.scores.nbytes + 400

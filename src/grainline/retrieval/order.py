"""The total order of every ranking: score, repository, path bytes, span start, chunk id."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from grainline.retrieval.cache import derived
from grainline.storage.base import Corpus

Docs = NDArray[np.int64]
Scores = NDArray[np.int64]


SOME = 4
"""One score of so many is looked at to leave most of the others out."""

MANY = 2 * SOME
"""Scores for each one that is wanted above which that pays."""


def distinct(values: NDArray[np.int64] | NDArray[np.int32]) -> Docs:
    """The distinct values, ascending; `np.unique` imports numpy.ma: 40 ms in a new process."""
    ordered = np.sort(values)
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first].astype(np.int64, copy=False)


def path_ranks(corpus: Corpus) -> NDArray[np.int64]:
    """`(n_entries,)` the place of each entry's (repository, path); equal for equal ones."""
    return derived(corpus, "path_ranks", lambda: _path_ranks(corpus))


def _path_ranks(corpus: Corpus) -> NDArray[np.int64]:
    repositories = [state.snapshot.repository for state in corpus.snapshots]
    if len(set(repositories)) == len(repositories):
        # one snapshot of each repository: entries are numbered in this very order
        return np.arange(corpus.n_entries, dtype=np.int64)
    keys = [
        (record.name, record.id, corpus.entry(number).path)
        for number in range(corpus.n_entries)
        for record in (corpus.repository(number),)
    ]
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return np.array([ranks[key] for key in keys], np.int64)


def best_first(corpus: Corpus, docs: Docs, scores: Scores, limit: int) -> tuple[Docs, Scores]:
    """The `limit` best of `docs` in total order, with their scores (higher is better)."""
    if len(docs) > limit:
        docs, scores = _cut(corpus, docs, scores, limit)
    places = place_keys(corpus, docs)
    order = np.lexsort((places, -scores))
    docs, scores, places = docs[order], scores[order], places[order]
    return _by_chunk(corpus, docs, scores, places), scores


def place_keys(corpus: Corpus, docs: Docs) -> NDArray[np.int64]:
    """(repository, path, span start) of each doc's best place, as one sortable integer."""
    ranks = path_ranks(corpus)[corpus.doc_entry[docs]]
    starts = corpus.doc_start[docs].astype(np.int64)
    keys: NDArray[np.int64] = (ranks << 32) | starts
    return keys


def _cut(corpus: Corpus, docs: Docs, scores: Scores, limit: int) -> tuple[Docs, Scores]:
    """Those that can be among the `limit` best: all above the last score, the first of its ties."""
    if len(scores) > MANY * limit:
        # of some, the last that can be in is no better than that of all
        some = scores[::SOME]
        low = np.partition(some, len(some) - limit)[len(some) - limit]
        kept = np.flatnonzero(scores >= low)
        docs, scores = docs[kept], scores[kept]
    at = len(scores) - limit
    last = np.partition(scores, at)[at]
    above = np.flatnonzero(scores > last)
    ties = np.flatnonzero(scores == last)
    room = limit - len(above)
    if len(ties) > room:
        places = place_keys(corpus, docs[ties])
        edge = np.partition(places, room - 1)[room - 1]
        inside = ties[places < edge]
        # equal places are told apart by chunk id: keep them all, the caller's sort decides
        ties = np.concatenate([inside, ties[places == edge]])
    kept = np.concatenate([above, ties])
    return docs[kept], scores[kept]


def _by_chunk(corpus: Corpus, docs: Docs, scores: Scores, places: NDArray[np.int64]) -> Docs:
    same = (scores[1:] == scores[:-1]) & (places[1:] == places[:-1])
    if not same.any():
        return docs
    rows = list(zip(scores.tolist(), places.tolist(), docs.tolist(), strict=True))
    out: list[int] = []
    for _, group in groupby(rows, key=lambda row: row[:2]):
        tied = [row[2] for row in group]
        out.extend(sorted(tied, key=lambda doc: corpus.entries_of(doc, limit=1)[0].chunk_id))
    return np.array(out, np.int64)

"""From places in files to the documents that stand there."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.model.position import LineSpan
from grainline.model.snapshot import Entry
from grainline.retrieval.cache import ByteLru, derived
from grainline.retrieval.lines import span_of
from grainline.retrieval.order import distinct
from grainline.storage.base import Corpus
from grainline.text.tokens import query_terms

KEPT_ENTRIES = 4096

FEW = 8
"""Places in fewer than one entry in so many are looked up without a table of the whole corpus."""


def entry_of(corpus: Corpus, entry: int) -> Entry:
    """The entry, kept while it is among the last `KEPT_ENTRIES` that were asked for."""
    kept: ByteLru[Entry] = derived(
        corpus, "entries", lambda: ByteLru[Entry](KEPT_ENTRIES, lambda _: 1)
    )
    return kept.get(entry, lambda: corpus.entry(entry))


class EntryDocs:
    """The documents of one entry, in file order, by the offset where they start."""

    def __init__(self, corpus: Corpus, entry: int) -> None:
        _, docs = corpus.docs_of(np.array([entry], np.int32))
        self.docs: list[int] = docs.tolist()
        self._starts: list[int] = corpus.starts(entry).tolist()

    def at(self, offset: int) -> int:
        """The document that starts last at or before `offset` (the first one when none does)."""
        return self.docs[self._row(offset)]

    def inside(self, start: int, end: int) -> tuple[int, ...]:
        """The documents that touch `[start, end)`, in file order, each once."""
        first, last = self._row(start), self._row(max(start, end - 1))
        return tuple(dict.fromkeys(self.docs[first : last + 1]))

    def _row(self, offset: int) -> int:
        return max(bisect_right(self._starts, offset) - 1, 0)


def docs_at(
    corpus: Corpus, entries: NDArray[np.int64], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
    """The documents at many places, as `EntryDocs.at` finds one.

    Returns:
        (the places whose entry has documents; the document of each of those).
    """
    some = distinct(entries)
    if len(some) * FEW < corpus.n_entries:
        table = _doc_places(corpus, some)
    else:
        table = derived(
            corpus, "doc_places", lambda: _doc_places(corpus, np.arange(corpus.n_entries))
        )
    keys = entries << 32
    first = np.searchsorted(table.keys, keys)
    row = np.searchsorted(table.keys, keys | offsets, "right") - 1
    full = first < np.searchsorted(table.keys, keys + (1 << 32))
    return full, table.docs[np.maximum(row, first)[full]]


class _DocPlaces(NamedTuple):
    """The documents of some entries, by (entry << 32 | offset)."""

    keys: NDArray[np.int64]
    docs: NDArray[np.int32]


def _doc_places(corpus: Corpus, entries: NDArray[np.int64]) -> _DocPlaces:
    wanted = entries.astype(np.int32)
    owners, docs = corpus.docs_of(wanted)
    return _DocPlaces((owners.astype(np.int64) << 32) | corpus.starts_of(wanted), docs)


def entries_of_docs(corpus: Corpus, docs: NDArray[np.int32]) -> NDArray[np.int32]:
    """Every entry that holds one of `docs`; may repeat."""
    best = corpus.doc_entry[docs]
    table = corpus.several_places()
    if table is None:
        return best
    return np.concatenate([best, table.of(docs[table.often[docs]])[0]])


def docs_at_lines(corpus: Corpus, entry: int, lines: LineSpan) -> tuple[int, ...]:
    """The documents of an entry that touch `lines`."""
    places = EntryDocs(corpus, entry)
    if not places.docs:
        return ()
    text = corpus.text(entry)
    span = span_of(text, lines)
    return places.inside(span.start, span.end) if span.start < len(text) else ()


def entries_named(corpus: Corpus, path: bytes) -> tuple[int, ...]:
    """Entries that `path` names: exactly, else by the end of their path, else by the end of `path`.

    `web/app.py` names `src/web/app.py`; `/srv/build/src/web/app.py` (from a trace) does too. A
    longer common end wins; several entries may share it.
    """
    found = corpus.find_entries(path)
    if found:
        return found
    parts = [part for part in path.split(b"/") if part not in {b"", b"."}]
    if not parts:
        return ()
    for skip in range(1, len(parts) if len(parts) <= 64 else 0):
        found = corpus.find_entries(b"/".join(parts[skip:]))
        if found and len(parts) - skip > 1:
            return found
    return _by_end(corpus, parts) or found


def _by_end(corpus: Corpus, parts: list[bytes]) -> tuple[int, ...]:
    """Entries of the longest common end with `parts`, at least their file name."""
    best: list[int] = []
    depth = 0
    for entry in _same_name(corpus, parts[-1]):
        theirs = corpus.path(entry).split(b"/")
        common = 0
        while common < min(len(theirs), len(parts)) and theirs[-1 - common] == parts[-1 - common]:
            common += 1
        if common > depth:
            best, depth = [], common
        if common == depth and common:
            best.append(entry)
    return tuple(best)


def _same_name(corpus: Corpus, name: bytes) -> list[int]:
    """Entries whose path holds every term of a file name."""
    terms = query_terms(name.decode("utf-8", "replace"))
    rows = [corpus.path_postings(found.term).entries for found in terms]
    rows = [row for row in rows if len(row)]
    if not rows:
        return []
    rows.sort(key=len)
    common = rows[0]
    for row in rows[1:]:
        # not np.intersect1d: it imports numpy.ma, 40 ms in a new process
        at = np.minimum(np.searchsorted(row, common), len(row) - 1)
        common = common[row[at] == common]
    names: list[int] = common.tolist()
    return names

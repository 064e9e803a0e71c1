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
from grainline.storage.base import Corpus
from grainline.text.tokens import query_terms

KEPT_ENTRIES = 4096


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
    table = derived(corpus, "doc_places", lambda: _doc_places(corpus))
    full = table.ends[entries + 1] > table.ends[entries]
    entries, offsets = entries[full], offsets[full]
    row = np.searchsorted(table.keys, (entries << 32) | offsets, "right") - 1
    return full, table.docs[np.maximum(row, table.ends[entries])]


class _DocPlaces(NamedTuple):
    keys: NDArray[np.int64]
    docs: NDArray[np.int32]
    ends: NDArray[np.int64]


def _doc_places(corpus: Corpus) -> _DocPlaces:
    entries, docs = corpus.docs_of(np.arange(corpus.n_entries, dtype=np.int32))
    keys = (entries.astype(np.int64) << 32) | corpus.all_starts()
    counts = np.bincount(entries, minlength=corpus.n_entries)
    return _DocPlaces(keys, docs, np.concatenate([[0], np.cumsum(counts)]))


class Several(NamedTuple):
    """The documents that stand in several places; the entries of all others are `doc_entry`.

    `row` is the place of each document of the corpus in `starts`, -1 for one that stands once. The
    entries of row `i` are `entries[starts[i]:starts[i + 1]]`.
    """

    row: NDArray[np.int32]
    starts: NDArray[np.int64]
    entries: NDArray[np.int32]

    def of(self, rows: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The entries of `rows`, flattened, and where those of each begin."""
        start = self.starts[rows]
        width = self.starts[rows + 1] - start
        first = np.cumsum(width) - width
        at = np.arange(int(width.sum())) - np.repeat(first - start, width)
        return self.entries[at], first


def several_places(corpus: Corpus) -> Several | None:
    """The documents that stand in several places; None when there are none."""
    return derived(corpus, "several_places", lambda: _several_places(corpus))


def _several_places(corpus: Corpus) -> Several | None:
    entries, docs = corpus.docs_of(np.arange(corpus.n_entries, dtype=np.int32))
    if len(docs) == corpus.n_docs:
        return None
    counts = np.bincount(docs, minlength=corpus.n_docs)
    several = np.flatnonzero(counts > 1)
    row = np.full(corpus.n_docs, -1, np.int32)
    row[several] = np.arange(len(several))
    inside = np.flatnonzero(row[docs] >= 0)
    order = inside[np.argsort(docs[inside], kind="stable")]
    return Several(row, np.concatenate([[0], np.cumsum(counts[several])]), entries[order])


def entries_of_docs(corpus: Corpus, docs: NDArray[np.int32]) -> NDArray[np.int32]:
    """Every entry that holds one of `docs`; may repeat."""
    best = corpus.doc_entry[docs]
    table = several_places(corpus)
    if table is None:
        return best
    rows = table.row[docs]
    return np.concatenate([best, table.of(rows[rows >= 0])[0]])


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

"""The scoped read: everything a question may look at, numbered for one scope of one generation.

Postings, lengths and symbols are shared by every view of a store; what makes them scoped is the
document mask computed here from the membership of the scope's views. Statistics are taken behind
the mask, never before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property
from itertools import islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from grainline.errors import BadInput
from grainline.model.access import Scope, View
from grainline.model.chunk import N_FIELDS, ChunkKind
from grainline.model.position import Span
from grainline.model.search import Filters, SnapshotState, TestFilter
from grainline.model.snapshot import Entry, FlagName, RepositoryId, Snapshot
from grainline.model.symbol import Definition, Import, SymbolKind
from grainline.storage.base import (
    PathPostings,
    Piece,
    Placement,
    Postings,
    ReferenceRow,
    RepositoryRecord,
    SymbolHit,
    SymbolPlaces,
)
from grainline.storage.codes import FLAGS
from grainline.storage.content import Content
from grainline.storage.membership import NO_BLOB, Membership
from grainline.storage.paths import PathPart
from grainline.storage.segments.build import NO_KIND
from grainline.storage.segments.segment import Segment

PLACE_CELLS = ("chunk", "start", "end", "kind", "symbol", "parent", "part", "parts", "tokens")
PIECE_BYTES = 1 << 18
"""Text that is read as one piece by a scan."""

CHUNK_KINDS = tuple(ChunkKind)
SYMBOL_KINDS = tuple(SymbolKind)

Scalar = TypeVar("Scalar", bound=np.generic)

# Which entry of a chunk is shown: the lowest sum. Powers of two keep the order lexicographic.
_RANK = {
    FlagName.GENERATED: 32,
    FlagName.MINIFIED: 32,
    FlagName.VENDORED: 16,
    FlagName.EXAMPLE: 8,
    FlagName.TEST: 4,
    FlagName.DOCS: 2,
    FlagName.CONFIG: 1,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewState:
    """One view of a pinned generation; `mask` are the rows in scope, None for all."""

    repository: RepositoryRecord
    view: View
    snapshot: Snapshot
    fingerprint: str
    generation: str
    membership: Membership
    mask: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Masked:
    """A segment seen by one repository of the scope: local chunk -> doc, -1 outside.

    `base`: every chunk is inside, and its doc is its local number plus this; -1 when not.
    `lengths` are the field lengths of the docs, in their order.
    """

    segment: Segment
    docs: NDArray[np.int32]
    base: int
    lengths: NDArray[np.uint16]

    def inside(self, chunks: NDArray[np.uint16]) -> NDArray[np.int32]:
        """The docs of those of `chunks` that are in scope."""
        if self.base >= 0:
            return chunks.astype(np.int32) + np.int32(self.base)
        found = self.docs[chunks]
        return found[found >= 0]


class ScopedCorpus:
    """`storage.base.Corpus` over immutable parts.

    Raises:
        BadInput: the views were indexed with different options, whose counts do not mix.
    """

    def __init__(
        self,
        scope: Scope,
        views: Sequence[ViewState],
        content: Content,
        paths: Mapping[RepositoryId, Sequence[PathPart]],
    ) -> None:
        prints = sorted({view.fingerprint for view in views})
        if len(prints) > 1:
            raise BadInput(
                "options_mismatch",
                "the refs in scope were indexed with different options: " + " / ".join(prints),
                hint="choose one with --repo and --ref, or index them again alike",
            )
        self.fingerprint = prints[0] if prints else ""
        self._scope = scope
        self._views = tuple(views)
        self._content = content
        self._paths = paths
        self._number_entries()
        self._number_docs()

    # ------------------------------------------------------------------ numbering

    def _number_entries(self) -> None:
        has_text = [segment.columns["blob_size"].all() > 0 for segment in self._blob_segments]
        bits = [
            segment.meta_codes.flags[segment.columns["blob_meta"].all()]
            for segment in self._blob_segments
        ]
        bases = np.array([segment.blob_base for segment in self._blob_segments], np.int64)
        parts: list[tuple[NDArray[np.int64], ...]] = []
        for number, view in enumerate(self._views):
            blobs = view.membership.blobs.astype(np.int64)
            inside = blobs != NO_BLOB
            rows = np.flatnonzero(inside if view.mask is None else inside & view.mask)
            blobs = blobs[rows]
            which = np.searchsorted(bases, blobs, "right") - 1
            keep = np.zeros(len(rows), np.bool_)
            flags = view.membership.flag_bits[rows].astype(np.int64)
            for index, base in enumerate(bases.tolist()):
                here = np.flatnonzero(which == index)
                keep[here] = has_text[index][blobs[here] - base]
                flags[here] |= bits[index][blobs[here] - base]
            parts.append((np.full(int(keep.sum()), number), rows[keep], blobs[keep], flags[keep]))
        view_of, rows, blobs, flags = (
            np.concatenate([np.empty(0, np.int64), *column])
            for column in (zip(*parts, strict=True) if parts else ((), (), (), ()))
        )
        self._entry_view = view_of
        self._entry_row = rows
        self._entry_blob = blobs
        self._entry_flags = flags.astype(np.uint32)

    def _number_docs(self) -> None:
        entry, which, row = self._content.placements(self._entry_blob)
        chunk = self._content.place_column("place_chunk", which, row)
        self._place_entry, self._place_which, self._place_row = entry, which, row
        self._place_ends = np.concatenate(
            [[0], np.cumsum(np.bincount(entry, minlength=self.n_entries))]
        )
        self._masked: list[_Masked] = []
        self._n_docs = 0
        if len(self._repositories) == 1:
            self._place_doc = self._mask(chunk)
        else:
            self._place_doc = np.empty(len(chunk), np.int32)
            repositories = self._entry_repository[entry]
            for repository in range(len(self._repositories)):
                mine = np.flatnonzero(repositories == repository)
                self._place_doc[mine] = self._mask(chunk[mine])
        lengths = [each.lengths for each in self._masked]
        self._lengths = np.concatenate([np.empty((0, N_FIELDS), np.uint16), *lengths])

    def _mask(self, chunk: NDArray[np.int64]) -> NDArray[np.int32]:
        """Number the docs of one repository, by chunk number; the doc of each of its places."""
        segments = self._content.segments
        if not len(chunk):
            return np.empty(0, np.int32)
        # numbers between the segments belong to no part that is open: they are laid side by side
        sizes = np.array([segment.n_chunks for segment in segments], np.int64)
        bases = np.array([segment.chunk_base for segment in segments], np.int64)
        firsts = np.cumsum(sizes) - sizes
        shifts = firsts - bases
        if (shifts == shifts[0]).all():
            chunk = chunk + shifts[0]
        else:
            chunk = chunk + shifts[np.searchsorted(bases, chunk, "right") - 1]
        inside = np.zeros(int(sizes.sum()), np.bool_)
        inside[chunk] = True
        ranks = np.cumsum(inside, dtype=np.int32)
        ranks += np.int32(self._n_docs - 1)
        for segment, first, size in zip(segments, firsts.tolist(), sizes.tolist(), strict=True):
            here, docs = inside[first : first + size], ranks[first : first + size]
            whole = bool(here.all())
            if not size or not (whole or here.any()):
                continue
            lengths = segment.columns["chunk_length"].all()
            self._masked.append(
                _Masked(
                    segment=segment,
                    docs=docs if whole else np.where(here, docs, np.int32(-1)),
                    base=int(docs[0]) if whole else -1,
                    lengths=lengths if whole else lengths[here],
                )
            )
        self._n_docs = int(ranks[-1]) + 1
        found: NDArray[np.int32] = ranks[chunk]
        return found

    @cached_property
    def _blob_segments(self) -> tuple[Segment, ...]:
        return self._content.blob_order

    @cached_property
    def _repositories(self) -> tuple[RepositoryRecord, ...]:
        found = {view.repository.id: view.repository for view in self._views}
        return tuple(found.values())

    @cached_property
    def _entry_repository(self) -> NDArray[np.int64]:
        numbers = {record.id: number for number, record in enumerate(self._repositories)}
        of_view = np.array([numbers[view.repository.id] for view in self._views] or [0], np.int64)
        found: NDArray[np.int64] = of_view[self._entry_view]
        return found

    @cached_property
    def _rank(self) -> NDArray[np.int64]:
        """`(n_entries,)` the order in which entries are shown, a permutation."""
        weight = np.zeros(self.n_entries, np.int64)
        for name, value in _RANK.items():
            weight += np.where(self._entry_flags & np.uint32(1 << FLAGS[name]), value, 0)
        rank = np.empty(self.n_entries, np.int64)
        rank[np.lexsort((np.arange(self.n_entries), weight))] = np.arange(self.n_entries)
        return rank

    @cached_property
    def _best(self) -> NDArray[np.int64]:
        """`(n_docs,)` the placement that stands for each doc."""
        best = np.empty(self._n_docs, np.int64)
        best[self._place_doc] = np.arange(len(self._place_doc))
        docs, ends, places = self._several
        if len(docs):
            order = self._rank[self._place_entry[places]] << 32 | places
            best[docs] = np.minimum.reduceat(order, ends[:-1]) & 0xFFFFFFFF
        return best

    @cached_property
    def _several(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Docs that stand in several places; where those of each end; the places, by doc."""
        counts = np.bincount(self._place_doc, minlength=self._n_docs)
        docs = np.flatnonzero(counts > 1)
        places = np.flatnonzero(counts[self._place_doc] > 1)
        places = places[np.argsort(self._place_doc[places], kind="stable")]
        return docs, np.concatenate([[0], np.cumsum(counts[docs])]), places

    # ------------------------------------------------------------------ statistics

    @property
    def scope(self) -> Scope:
        """The scope that was asked for."""
        return self._scope

    @property
    def snapshots(self) -> tuple[SnapshotState, ...]:
        """The snapshots in scope, in view order."""
        return self._snapshots

    @cached_property
    def _snapshots(self) -> tuple[SnapshotState, ...]:
        return tuple(
            SnapshotState(
                repository=view.repository.name,
                snapshot=view.snapshot,
                generation=view.generation,
            )
            for view in self._views
        )

    @property
    def n_docs(self) -> int:
        """Number of docs."""
        return self._n_docs

    @property
    def n_entries(self) -> int:
        """Number of entries with content."""
        return len(self._entry_blob)

    @property
    def field_totals(self) -> NDArray[np.int64]:
        """`(N_FIELDS,)` sums of field lengths."""
        return self._field_totals

    @cached_property
    def _field_totals(self) -> NDArray[np.int64]:
        totals: NDArray[np.int64] = self._lengths.sum(axis=0, dtype=np.int64)
        return totals

    @property
    def field_lengths(self) -> NDArray[np.uint16]:
        """`(n_docs, N_FIELDS)` tokens per field."""
        return self._lengths

    @property
    def doc_entry(self) -> NDArray[np.int32]:
        """`(n_docs,)` the best entry of each doc."""
        return self._doc_entry

    @cached_property
    def _doc_entry(self) -> NDArray[np.int32]:
        return self._place_entry[self._best].astype(np.int32)

    @property
    def doc_start(self) -> NDArray[np.uint32]:
        """`(n_docs,)` the span start of each doc at its best entry."""
        return self._doc_start

    @cached_property
    def _doc_start(self) -> NDArray[np.uint32]:
        best = self._best
        return self._content.place_column(
            "place_start", self._place_which[best], self._place_row[best]
        ).astype(np.uint32)

    @property
    def entry_flags(self) -> NDArray[np.uint32]:
        """`(n_entries,)` bit `1 << i` for the i-th `FlagName`."""
        return self._entry_flags

    # ------------------------------------------------------------------ terms

    def postings(self, term: bytes) -> Postings:
        """Rows of `term` inside the scope."""
        docs: list[NDArray[np.int32]] = []
        counts: list[NDArray[np.uint8]] = []
        for masked in self._masked:
            chunk, packed = masked.segment.term_rows(term)
            docs.append(masked.inside(chunk))
            counts.append(packed if masked.base >= 0 else packed[masked.docs[chunk] >= 0])
        rows = _one(counts, np.uint8)
        return Postings(_one(docs, np.int32), rows >> np.uint8(5), rows & np.uint8(31))

    def terms_containing(self, part: bytes, *, limit: int) -> tuple[bytes, ...]:
        """In-scope terms that contain `part`, sorted; at most `limit`."""
        found: set[bytes] = set()
        for masked in self._masked:
            terms = masked.segment.terms
            here = 0
            for index in terms.containing(part):
                # the words of a table come in order, so its first `limit` hits are enough
                if here > limit:
                    break
                if (masked.docs[masked.segment.rows_of(index)[0]] >= 0).any():
                    found.add(terms[index])
                    here += 1
        return tuple(sorted(found)[:limit])

    def docs_with_part(self, part: bytes, *, limit: int) -> NDArray[np.int32] | None:
        """Docs that hold a term which contains `part`, may repeat; None for over `limit` terms."""
        terms: set[bytes] = set()
        docs: list[NDArray[np.int32]] = []
        for masked in self._masked:
            segment = masked.segment
            for index in segment.terms.containing(part):
                found = masked.inside(segment.chunks_of(index))
                if len(found):
                    docs.append(found)
                    terms.add(segment.terms[index])
                    if len(terms) > limit:
                        return None
        return _one(docs, np.int32)

    def terms_starting(self, prefix: bytes, *, limit: int) -> tuple[bytes, ...]:
        """In-scope terms that start with `prefix`, sorted; at most `limit`."""
        found: set[bytes] = set()
        for masked in self._masked:
            terms = masked.segment.terms
            here = 0
            for index in range(terms.place(prefix), len(terms)):
                term = terms[index]
                if here > limit or not term.startswith(prefix):
                    break
                if (masked.docs[masked.segment.rows_of(index)[0]] >= 0).any():
                    found.add(term)
                    here += 1
        return tuple(sorted(found)[:limit])

    # ------------------------------------------------------------------ paths

    @cached_property
    def _entry_number(self) -> NDArray[np.int64]:
        """`(n_entries,)` path number of each entry."""
        out = np.empty(self.n_entries, np.int64)
        for number, view in enumerate(self._views):
            here = self._entry_view == number
            out[here] = view.membership.numbers[self._entry_row[here]]
        return out

    @cached_property
    def _by_number(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self._entry_number, kind="stable")
        return self._entry_number[order], order

    @property
    def path_lengths(self) -> NDArray[np.uint16]:
        """`(n_entries,)` path tokens of each entry."""
        return self._path_lengths

    @cached_property
    def _path_lengths(self) -> NDArray[np.uint16]:
        out = np.zeros(self.n_entries, np.uint16)
        for part in self._parts:
            here = (self._entry_number >= part.base) & (
                self._entry_number < part.base + len(part.lengths)
            )
            # a merged part spans numbers of other parts, with length 0
            out[here] += part.lengths[self._entry_number[here] - part.base]
        return out

    @cached_property
    def _parts(self) -> tuple[PathPart, ...]:
        return tuple(part for record in self._repositories for part in self._paths[record.id])

    def path_postings(self, term: bytes) -> PathPostings:
        """Entries whose path holds `term`."""
        numbers, order = self._by_number
        entries: list[NDArray[np.int64]] = []
        counts: list[NDArray[np.uint8]] = []
        for part in self._parts:
            wanted, count = part.term_rows(term)
            if not len(wanted):
                continue
            low = np.searchsorted(numbers, wanted, "left")
            high = np.searchsorted(numbers, wanted, "right")
            width = high - low
            first = np.cumsum(width) - width
            at = np.arange(int(width.sum())) - np.repeat(first - low, width)
            entries.append(order[at])
            counts.append(np.repeat(count, width))
        if not entries:
            return _NO_PATHS
        found = _one(entries, np.int64)
        sorting = np.argsort(found, kind="stable")
        return PathPostings(found[sorting].astype(np.int32), _one(counts, np.uint8)[sorting])

    # ------------------------------------------------------------------ filters

    def select(self, filters: Filters) -> NDArray[np.bool_] | None:
        """`(n_docs,)` which docs have a placement that passes; None when all do."""
        entries = self.select_entries(filters)
        if entries is None and not filters.kinds:
            return None
        passing = (
            np.ones(len(self._place_entry), np.bool_)
            if entries is None
            else entries[self._place_entry]
        )
        if filters.kinds:
            passing &= self._kind_mask(filters.kinds)
        mask = np.zeros(self._n_docs, np.bool_)
        mask[self._place_doc[passing]] = True
        return mask

    def select_entries(self, filters: Filters) -> NDArray[np.bool_] | None:
        """`(n_entries,)` which entries pass; None when all do."""
        mask = np.ones(self.n_entries, np.bool_)
        tests = filters.tests is TestFilter.NO
        if not (filters.paths or filters.languages or filters.modules or tests):
            return None
        if filters.paths:
            mask &= self._path_mask([_glob(pattern) for pattern in filters.paths])
        if filters.modules:
            mask &= self._path_mask([_module(module) for module in filters.modules])
        if filters.languages:
            wanted = {language.lower() for language in filters.languages}
            mask &= np.array(
                [self.language(entry) in wanted for entry in range(self.n_entries)], np.bool_
            )
        if tests:
            mask &= self._entry_flags & np.uint32(1 << FLAGS[FlagName.TEST]) == 0
        return mask

    def language(self, entry: int) -> str:
        """Language of an entry, "text" for plain text."""
        segment, local = self._content.blob(int(self._entry_blob[entry]))
        return segment.meta(local).language or "text"

    def _path_mask(self, patterns: Sequence[re.Pattern[bytes]]) -> NDArray[np.bool_]:
        return np.array(
            [
                any(pattern.match(self.path(entry)) for pattern in patterns)
                for entry in range(self.n_entries)
            ],
            np.bool_,
        )

    def _kind_mask(self, kinds: tuple[str, ...]) -> NDArray[np.bool_]:
        symbol = self._content.place_column("place_symbol_kind", self._place_which, self._place_row)
        chunk = self._content.place_column("place_kind", self._place_which, self._place_row)
        mask = np.zeros(len(symbol), np.bool_)
        for kind in kinds:
            if kind in {str(known) for known in SYMBOL_KINDS}:
                mask |= symbol == SYMBOL_KINDS.index(SymbolKind(kind))
            elif kind in {str(known) for known in CHUNK_KINDS}:
                mask |= chunk == CHUNK_KINDS.index(ChunkKind(kind))
            else:
                known = sorted({*map(str, SYMBOL_KINDS), *map(str, CHUNK_KINDS)})
                raise BadInput(
                    "unknown_kind", f"no kind is called {kind!r}", hint="known: " + ", ".join(known)
                )
        assert len(SYMBOL_KINDS) <= NO_KIND, "no kind never equals a kind"
        return mask

    # ------------------------------------------------------------------ entries

    def path(self, entry: int) -> bytes:
        """Path of an entry."""
        view = self._views[int(self._entry_view[entry])]
        return view.membership.paths[int(self._entry_row[entry])]

    def entry(self, entry: int) -> Entry:
        """The entry."""
        view = self._views[int(self._entry_view[entry])]
        return view.membership.entry(int(self._entry_row[entry]), self._content)

    def repository(self, entry: int) -> RepositoryRecord:
        """The repository of an entry."""
        return self._views[int(self._entry_view[entry])].repository

    def snapshot(self, entry: int) -> Snapshot:
        """The snapshot of an entry."""
        return self._views[int(self._entry_view[entry])].snapshot

    def find_entries(self, path: bytes) -> tuple[int, ...]:
        """Entries with exactly this path."""
        found: list[int] = []
        for number, view in enumerate(self._views):
            row = view.membership.paths.find(path)
            start, end = self._view_ends[number : number + 2].tolist()
            at = start + int(np.searchsorted(self._entry_row[start:end], row))
            if row >= 0 and at < end and self._entry_row[at] == row:
                found.append(at)
        return tuple(found)

    @cached_property
    def _view_ends(self) -> NDArray[np.int64]:
        """`(n_views + 1,)` where the entries of each view begin; rows ascend inside a view."""
        return np.searchsorted(self._entry_view, np.arange(len(self._views) + 1))

    def encoding(self, entry: int) -> str:
        """Codec name of the stored bytes."""
        segment, local = self._content.blob(int(self._entry_blob[entry]))
        return segment.meta(local).encoding

    def raw_id(self, entry: int) -> bytes:
        """Git blob id of the stored bytes, for re-reading; never printed."""
        view = self._views[int(self._entry_view[entry])]
        return view.membership.raw_id(int(self._entry_row[entry]))

    def text(self, entry: int) -> bytes:
        """The masked view of the entry's blob."""
        return self._content.blob_text(int(self._entry_blob[entry]))

    def outline(self, entry: int) -> tuple[Definition, ...]:
        """The definitions of the entry."""
        segment, local = self._content.blob(int(self._entry_blob[entry]))
        return segment.facts(local).definitions

    def definition(self, entry: int, row: int) -> Definition:
        """One row of the entry's outline."""
        segment, local = self._content.blob(int(self._entry_blob[entry]))
        return segment.facts(local).definition(row)

    def definitions(self, entry: int, span: Span) -> tuple[tuple[int, Definition], ...]:
        """(row, definition) of the entry's outline where it starts in `span`."""
        segment, local = self._content.blob(int(self._entry_blob[entry]))
        return segment.facts(local).definitions_in(*span)

    def imports(self, entry: int) -> tuple[Import, ...]:
        """The imports of the entry."""
        segment, local = self._content.blob(int(self._entry_blob[entry]))
        return segment.facts(local).imports

    def references(self, entry: int, span: Span | None = None) -> tuple[ReferenceRow, ...]:
        """The references of the entry (that start in `span`), in file order."""
        segment, local = self._content.blob(int(self._entry_blob[entry]))
        text = self.text(entry)
        start, end = span or (0, len(text))
        return segment.facts(local).references(text, start, end)

    # ------------------------------------------------------------------ placements

    def docs_of(self, entries: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """(entry, doc) pairs, flattened, for `entries`."""
        if len(entries) == self.n_entries and np.array_equal(entries, self._all_entries):
            return self._place_entries, self._place_doc
        start = self._place_ends[entries]
        width = self._place_ends[np.asarray(entries) + 1] - start
        first = np.cumsum(width) - width
        at = np.arange(int(width.sum())) - np.repeat(first - start, width)
        return np.repeat(np.asarray(entries, np.int32), width), self._place_doc[at]

    @cached_property
    def _all_entries(self) -> NDArray[np.int32]:
        return np.arange(self.n_entries, dtype=np.int32)

    @cached_property
    def _place_entries(self) -> NDArray[np.int32]:
        return self._place_entry.astype(np.int32)

    def entries_of(self, doc: int, *, limit: int | None = None) -> tuple[Placement, ...]:
        """The in-scope placements of a doc, best entry first; at most `limit`."""
        docs, ends, places = self._several
        row = int(np.searchsorted(docs, doc))
        if row == len(docs) or docs[row] != doc:
            return (self._placement(int(self._best[doc])),)
        here = places[ends[row] : ends[row + 1]]
        order = np.argsort(self._rank[self._place_entry[here]], kind="stable")
        return tuple(self._placement(place) for place in here[order][:limit].tolist())

    def chunks(self, entry: int) -> tuple[Placement, ...]:
        """Placements of the entry, in file order."""
        start, end = self._place_ends[entry : entry + 2].tolist()
        return tuple(self._placement(place) for place in range(start, end))

    def starts(self, entry: int) -> NDArray[np.int64]:
        """Span starts of the placements of an entry, in file order."""
        start, end = self._place_ends[entry : entry + 2].tolist()
        which, rows = self._place_which[start:end], self._place_row[start:end]
        return self._content.place_column("place_start", which, rows)

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return self._content.place_column("place_start", self._place_which, self._place_row)

    def all_starts(self) -> NDArray[np.int64]:
        """Span starts of all placements, in the order of `docs_of`."""
        return self._starts

    def lined(self) -> NDArray[np.bool_]:
        """`(n_entries,)` entries whose chunks tile the text at line ends."""
        return self._lined

    @cached_property
    def _lined(self) -> NDArray[np.bool_]:
        closed = np.zeros(len(self._place_doc), np.bool_)
        for index, segment in enumerate(self._content.segments):
            here = np.flatnonzero(self._place_holder == index)
            if len(here):
                closed[here] = segment.closed[self._place_chunk[here] - segment.chunk_base]
        last = self._place_ends[1:][np.diff(self._place_ends) > 0] - 1
        closed[last] = True
        open_places = self._place_entry[~closed]
        lined = np.full(self.n_entries, all(each.tiling for each in self._content.segments))
        lined[open_places] = False
        return lined

    @cached_property
    def _place_chunk(self) -> NDArray[np.int64]:
        return self._content.place_column("place_chunk", self._place_which, self._place_row)

    @cached_property
    def _place_holder(self) -> NDArray[np.int64]:
        """`(n_places,)` the segment that holds the chunk of each placement."""
        bases = np.array([segment.chunk_base for segment in self._content.segments], np.int64)
        return np.searchsorted(bases, self._place_chunk, "right") - 1

    def pieces(
        self, entries: NDArray[np.bool_], docs: NDArray[np.bool_] | None, *, max_bytes: int
    ) -> tuple[Iterator[Piece], int]:
        """Chunks of `entries` that are in `docs`, joined; and the entries left unread."""
        wanted = entries[self._place_entry]
        if docs is not None:
            wanted &= docs[self._place_doc]
        places = np.flatnonzero(wanted)
        holder, chunk = self._place_holder[places], self._place_chunk[places]
        start: NDArray[np.int64] = np.empty(len(places), np.int64)
        size: NDArray[np.int64] = np.empty(len(places), np.int64)
        joins = np.zeros(len(places), np.bool_)
        for index, segment in enumerate(self._content.segments):
            here = np.flatnonzero(holder == index)
            if len(here):
                rows = chunk[here] - segment.chunk_base
                text_ends = segment.chunk_ends.astype(np.int64)
                start[here] = text_ends[rows]
                size[here] = text_ends[rows + 1] - text_ends[rows]
                joins[here] = segment.closed[rows]
        before: NDArray[np.int64] = np.cumsum(size) - size
        n_read = int(np.searchsorted(before, max_bytes))
        owners, starts = self._place_entry[places], self._starts[places]
        if 0 < n_read < len(places):
            n_read = int(np.searchsorted(owners, int(owners[n_read - 1]), "right"))
        unread = int(np.count_nonzero(np.diff(owners[n_read:], prepend=-1)))
        if not n_read:
            return iter(()), unread
        # an open end gets a line end behind it, so that what follows is another line
        at = np.cumsum(size + ~joins) - (size + ~joins)
        breaks = np.ones(n_read + 1, np.bool_)
        breaks[1:n_read] = (
            (np.diff(chunk[:n_read]) != 1)
            | (np.diff(holder[:n_read]) != 0)
            | (np.diff(at[:n_read] // PIECE_BYTES) != 0)
            | ~joins[: n_read - 1]
        )
        firsts = np.flatnonzero(breaks[:n_read])
        ends = np.flatnonzero(breaks[1:])
        texts = [segment.text_scan() for segment in self._content.segments]
        runs: Iterator[tuple[int, int, int, bool]] = zip(
            holder[firsts].tolist(),
            start[firsts].tolist(),
            (start[ends] + size[ends]).tolist(),
            joins[ends].tolist(),
            strict=True,
        )
        groups = np.flatnonzero(np.diff(at[firsts] // PIECE_BYTES, prepend=-1))
        sizes = np.diff(groups, append=len(firsts))
        bounds = np.append(firsts[groups], n_read)

        def read() -> Iterator[Piece]:
            for number, count in enumerate(sizes.tolist()):
                parts: list[bytes] = []
                for which, low, high, joined in islice(runs, count):
                    parts.append(texts[which](low, high))
                    if not joined:
                        parts.append(b"\n")
                first, end = bounds[number], bounds[number + 1]
                offsets = at[first:end] - at[first]
                yield Piece(b"".join(parts), offsets, owners[first:end], starts[first:end])

        return read(), unread

    def doc(self, entry: int, ordinal: int) -> int:
        """The doc number of the `ordinal`-th chunk of an entry."""
        return int(self._place_doc[int(self._place_ends[entry]) + ordinal])

    def _placement(self, place: int) -> Placement:
        segment = self._blob_segments[int(self._place_which[place])]
        row = int(self._place_row[place])
        cell = {name: int(segment.columns[f"place_{name}"].all()[row]) for name in PLACE_CELLS}
        holder, local = self._content.chunk(cell["chunk"])
        return Placement(
            entry=int(self._place_entry[place]),
            start=cell["start"],
            end=cell["end"],
            kind=CHUNK_KINDS[cell["kind"]],
            symbol=cell["symbol"],
            parent=cell["parent"],
            part=cell["part"],
            parts=cell["parts"],
            tokens=cell["tokens"],
            chunk_id=holder.chunk_id(local),
        )

    # ------------------------------------------------------------------ symbols

    @cached_property
    def _by_blob(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self._entry_blob, kind="stable")
        return self._entry_blob[order], order

    def symbols_named(self, name: str) -> tuple[SymbolHit, ...]:
        """Definitions whose own name equals `name`, else those that do when case is folded."""
        places = self.symbol_places(name)
        pairs = zip(places.entries.tolist(), places.rows.tolist(), strict=True)
        return tuple(SymbolHit(entry, row, self.definition(entry, row)) for entry, row in pairs)

    def symbol_places(self, name: str) -> SymbolPlaces:
        """Where the definitions of `symbols_named` stand, without reading their outlines."""
        scopes: dict[str, int] = {}
        found = self._named(name, scopes)
        same = bool(found)
        if not found:
            spellings = {
                spelling
                for segment in self._blob_segments
                for spelling in segment.spellings.get(name.casefold(), ())
            }
            for spelling in sorted(spellings):
                found += self._named(spelling, scopes)
        cells = np.concatenate([np.empty((5, 0), np.int64), *found], axis=1)
        entries, rows, starts, kinds, above = cells[:, np.lexsort((cells[1], cells[0]))]
        return SymbolPlaces(entries, rows, starts, kinds.astype(np.uint8), above, (*scopes,), same)

    def symbol_names(self) -> Sequence[str]:
        """Distinct definition names in scope, sorted."""
        return self._names

    def _named(self, name: str, scopes: dict[str, int]) -> list[NDArray[np.int64]]:
        """Entry, outline row, name offset, kind and scope of definitions; numbers new scopes."""
        key = name.encode("utf-8", "surrogatepass")
        blobs, order = self._by_blob
        found: list[NDArray[np.int64]] = []
        for segment in self._blob_segments:
            index = segment.symbols.find(key)
            if index < 0:
                continue
            local, rows, starts, kinds, parents = segment.symbol_places(index)
            blob: NDArray[np.int64] = local + segment.blob_base
            low = np.searchsorted(blobs, blob, "left")
            width = np.searchsorted(blobs, blob, "right") - low
            n = int(width.sum())
            if not n:
                continue
            if n > len(local) or (width == 0).any():
                first = np.cumsum(width) - width
                low = np.arange(n) - np.repeat(first - low, width)
                rows, starts = np.repeat(rows, width), np.repeat(starts, width)
                kinds, parents = np.repeat(kinds, width), np.repeat(parents, width)
            above = _scopes(segment, kinds, parents, scopes)
            found.append(np.stack([order[low], rows, starts, kinds, above]))
        return found

    @cached_property
    def _names(self) -> tuple[str, ...]:
        names: set[str] = set()
        for segment in self._blob_segments:
            inside = np.zeros(segment.n_blobs, np.bool_)
            local = self._entry_blob - segment.blob_base
            inside[local[(local >= 0) & (local < segment.n_blobs)]] = True
            places = segment.columns["symbol_places"].all()
            if not len(places):
                continue
            starts = segment.columns["symbol_rows"].all()[:-1]
            seen = np.logical_or.reduceat(inside[places[:, 0]], starts)
            names.update(
                segment.symbols[index].decode("utf-8", "surrogatepass")
                for index in np.flatnonzero(seen).tolist()
            )
        return tuple(sorted(names))


_NO_PATHS = PathPostings(np.empty(0, np.int32), np.empty(0, np.uint8))

_PLAIN = re.compile(r"[\w$]+")
_NAMESPACE = SYMBOL_KINDS.index(SymbolKind.NAMESPACE)


def _scopes(
    segment: Segment,
    kinds: NDArray[np.int64],
    parents: NDArray[np.int64],
    scopes: dict[str, int],
) -> NDArray[np.int64]:
    """The number of the last scope in the descriptor of each definition, -1 where it is not plain.

    The descriptor of a definition with a parent begins with that of its parent. A namespace may
    bring several scopes with one name, and a definition without a parent may have a scope that is
    defined elsewhere.
    """
    of_parent = {-1: -1}
    for parent in dict.fromkeys(parents.tolist()):
        if parent >= 0:
            name = segment.symbols[parent].decode("utf-8", "surrogatepass")
            plain = _PLAIN.fullmatch(name) is not None
            of_parent[parent] = scopes.setdefault(name, len(scopes)) if plain else -1
    above = np.fromiter(map(of_parent.__getitem__, parents.tolist()), np.int64, len(parents))
    above[kinds == _NAMESPACE] = -1
    return above


def _one(parts: Sequence[NDArray[Scalar]], kind: type[Scalar]) -> NDArray[Scalar]:
    """`parts` joined; the common single part is not copied."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([np.empty(0, kind), *parts])


def _glob(pattern: str) -> re.Pattern[bytes]:
    """A path glob: `*` stays inside a folder, `**` does not; a bare folder or name matches too."""
    raw = pattern.strip("/")
    if "/" not in raw and "**" not in raw:
        raw = "**/" + raw
    out: list[str] = []
    at = 0
    while at < len(raw):
        if raw.startswith("**/", at):
            out.append("(?:.*/)?")
            at += 3
        elif raw.startswith("**", at):
            out.append(".*")
            at += 2
        elif raw[at] == "*":
            out.append("[^/]*")
            at += 1
        elif raw[at] == "?":
            out.append("[^/]")
            at += 1
        elif raw[at] == "[" and "]" in raw[at + 1 :]:
            end = raw.index("]", at + 1)
            out.append(translate(raw[at : end + 1])[4:-3])
            at = end + 1
        else:
            out.append(re.escape(raw[at]))
            at += 1
    text = "".join(out) + r"(?:/.*)?\Z"
    return re.compile(text.encode("utf-8", "surrogateescape"), re.DOTALL)


def _module(module: str) -> re.Pattern[bytes]:
    """A dotted module: its folders anywhere in the path, the last one a folder or a file."""
    words = b"/".join(
        re.escape(word.encode("utf-8", "surrogateescape"))
        for word in re.split(r"\.|::|/", module)
        if word
    )
    return re.compile(rb"(?:.*/)?" + words + rb"(?:[./].*)?\Z", re.DOTALL)

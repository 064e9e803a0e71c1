"""The scoped read: everything a question may look at, numbered for one scope of one generation.

Postings, lengths and symbols are shared by every view of a store; what makes them scoped is the
document mask computed here from the membership of the scope's views. Statistics are taken behind
the mask, never before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from operator import length_hint
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from grainline.errors import BadInput
from grainline.model.access import Scope
from grainline.model.chunk import ChunkKind
from grainline.model.position import Span
from grainline.model.search import Filters, SnapshotState, TestFilter
from grainline.model.snapshot import Entry, FlagName, RepositoryId, Snapshot
from grainline.model.symbol import Definition, Import, Role, SymbolKind
from grainline.storage import numbering
from grainline.storage.base import (
    PathPostings,
    Piece,
    Placement,
    Postings,
    ReferenceRow,
    RepositoryRecord,
    SeveralPlaces,
    SymbolHit,
    SymbolPlaces,
)
from grainline.storage.codes import FLAGS
from grainline.storage.content import Content
from grainline.storage.paths import PathPart
from grainline.storage.patterns import ESCAPES, glob_pattern, module_pattern
from grainline.storage.renumbering import renumber
from grainline.storage.segments.area import BLOCK
from grainline.storage.segments.build import NO_KIND
from grainline.storage.segments.segment import Segment

PIECE_BYTES = 1 << 18
"""Text that is read as one piece by a scan."""

SOME_PLACES = 4096
"""Places that a scan looks at first: most are bounded by the bytes that they may read."""

FEW_RUNS, RUNS = 256, 4096
"""Runs of text that are searched before the matches are counted: at first, and later."""

CHUNK_KINDS = tuple(ChunkKind)
SYMBOL_KINDS = tuple(SymbolKind)

Scalar = TypeVar("Scalar", bound=np.generic)


class _Picked(NamedTuple):
    """`(n,)` columns of the places that a scan reads, in order of entry and place.

    Attributes:
        holder: position of the segment that holds the chunk.
        chunk: number of the chunk.
        start: where its text begins in the area of the segment.
        size: bytes of its text.
        joins: whether it ends with a line.
        owners: the entry.
        starts: where the chunk begins in the entry.
    """

    holder: NDArray[np.int64]
    chunk: NDArray[np.int64]
    start: NDArray[np.int64]
    size: NDArray[np.int64]
    joins: NDArray[np.bool_]
    owners: NDArray[np.int64]
    starts: NDArray[np.int64]

    def breaks(self) -> NDArray[np.bool_]:
        """`(n + 1,)` before which place a run of texts that lie side by side begins, or ends."""
        breaks = np.ones(len(self.chunk) + 1, np.bool_)
        breaks[1:-1] = (np.diff(self.chunk) != 1) | (np.diff(self.holder) != 0) | ~self.joins[:-1]
        return breaks


class ScopedCorpus:
    """`storage.base.Corpus` over immutable parts.

    Args:
        scope: what was asked for.
        views: its views, by repository name, then ref.
        content: what they hold.
        paths: parts of the path index of each repository.
        before: an earlier generation of the same scope and era: what does not differ is taken over.

    Raises:
        BadInput: the views were indexed with different options, whose counts do not mix.
    """

    def __init__(
        self,
        scope: Scope,
        views: Sequence[numbering.ViewState],
        content: Content,
        paths: Mapping[RepositoryId, Sequence[PathPart]],
        before: ScopedCorpus | None = None,
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
        if before is None:
            self.numbering = numbering.number(views, content)
        else:
            self.numbering = renumber(before.numbering, views, content)
        self._entries = self.numbering.entries
        self._places = self.numbering.places
        self._docs = self.numbering.docs
        self._masked = self.numbering.masked
        if before is not None and before._entries.path is self._entries.path:
            self._of_paths = before._of_paths

    @cached_property
    def _blob_segments(self) -> tuple[Segment, ...]:
        return self._content.blob_order

    @cached_property
    def _repositories(self) -> tuple[RepositoryRecord, ...]:
        found = {view.repository.id: view.repository for view in self._views}
        return tuple(found.values())

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
        return len(self._docs.chunk)

    @property
    def n_entries(self) -> int:
        """Number of entries with content."""
        return len(self._entries.blob)

    @property
    def field_totals(self) -> NDArray[np.int64]:
        """`(N_FIELDS,)` sums of field lengths."""
        return self._docs.totals

    @property
    def field_lengths(self) -> NDArray[np.uint16]:
        """`(n_docs, N_FIELDS)` tokens per field."""
        return self._docs.lengths

    @property
    def doc_entry(self) -> NDArray[np.int32]:
        """`(n_docs,)` the best entry of each doc."""
        return self._docs.entry

    @property
    def doc_start(self) -> NDArray[np.uint32]:
        """`(n_docs,)` the span start of each doc at its best entry."""
        return self._docs.start

    @property
    def entry_flags(self) -> NDArray[np.uint32]:
        """`(n_entries,)` bit `1 << i` for the i-th `FlagName`."""
        return self._entries.flags

    # ------------------------------------------------------------------ terms

    def postings(self, term: bytes) -> Postings:
        """Rows of `term` inside the scope."""
        docs: list[NDArray[np.int32]] = []
        cells: list[NDArray[np.uint8]] = []
        for masked in self._masked:
            found, packed = masked.rows(*masked.segment.term_rows(term))
            docs.append(found)
            cells.append(packed)
        return Postings(_one(docs, np.int32), _one(cells, np.uint8))

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
                if masked.has_any(masked.segment.chunks_of(index)):
                    found.add(terms[index])
                    here += 1
        return tuple(sorted(found)[:limit])

    def docs_with_part(self, part: bytes, *, limit: int) -> NDArray[np.int32] | None:
        """Docs that hold a term which contains `part`, may repeat; None for over `limit` terms."""
        terms: set[bytes] = set()
        docs: list[NDArray[np.int32]] = []
        for masked in self._masked:
            segment = masked.segment
            indices = segment.terms.containing(part)
            if masked.ranks is None:  # every term is in scope: too many need not be read
                indices = iter(list(islice(indices, limit + 1)))
                if length_hint(indices) > limit:
                    return None
            for index in indices:
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
                if masked.has_any(masked.segment.chunks_of(index)):
                    found.add(term)
                    here += 1
        return tuple(sorted(found)[:limit])

    # ------------------------------------------------------------------ paths

    @property
    def path_lengths(self) -> NDArray[np.uint16]:
        """`(n_entries,)` path tokens of each entry."""
        return self._of_paths[1]

    @cached_property
    def _of_paths(self) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
        """The path numbers in order, and the path tokens of each entry."""
        path = self._entries.path
        lengths = np.zeros(self.n_entries, np.uint16)
        for part in self._parts:
            here = (path >= part.base) & (path < part.base + len(part.lengths))
            # a merged part spans numbers of other parts, with length 0
            lengths[here] += part.lengths[path[here] - part.base]
        return path[self._entries.by_path], lengths

    @cached_property
    def _parts(self) -> tuple[PathPart, ...]:
        return tuple(part for record in self._repositories for part in self._paths[record.id])

    def path_postings(self, term: bytes) -> PathPostings:
        """Entries whose path holds `term`."""
        order = self._entries.by_path
        numbers = self._of_paths[0]
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
        mask = np.zeros(self.n_docs, np.bool_)
        mask[self._places.doc[passing]] = True
        return mask

    def select_entries(self, filters: Filters) -> NDArray[np.bool_] | None:
        """`(n_entries,)` which entries pass; None when all do."""
        mask = np.ones(self.n_entries, np.bool_)
        tests = filters.tests is TestFilter.NO
        if not (filters.paths or filters.languages or filters.modules or tests):
            return None
        if filters.paths:
            mask &= self._path_mask([*map(glob_pattern, filters.paths)])
        if filters.modules:
            mask &= self._path_mask([*map(module_pattern, filters.modules)])
        if filters.languages:
            wanted = {language.lower() for language in filters.languages}
            mask &= np.array(
                [self.language(entry) in wanted for entry in range(self.n_entries)], np.bool_
            )
        if tests:
            mask &= self._entries.flags & np.uint32(1 << FLAGS[FlagName.TEST]) == 0
        return mask

    def language(self, entry: int) -> str:
        """Language of an entry, "text" for plain text."""
        segment, local = self._content.blob(int(self._entries.blob[entry]))
        return segment.meta(local).language or "text"

    def _path_mask(self, patterns: Sequence[re.Pattern[str]]) -> NDArray[np.bool_]:
        paths = (self.path(entry).decode("utf-8", ESCAPES) for entry in range(self.n_entries))
        return np.array(
            [any(pattern.match(path) for pattern in patterns) for path in paths], np.bool_
        )

    def _kind_mask(self, kinds: tuple[str, ...]) -> NDArray[np.bool_]:
        _, which, row = self._content.placements(self._entries.blob)
        symbol = self._content.place_column("place_symbol_kind", which, row)
        chunk = self._content.place_column("place_kind", which, row)
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
        view = self._views[int(self._entries.view[entry])]
        return view.membership.paths[int(self._entries.row[entry])]

    def entry(self, entry: int) -> Entry:
        """The entry."""
        view = self._views[int(self._entries.view[entry])]
        return view.membership.entry(int(self._entries.row[entry]), self._content)

    def repository(self, entry: int) -> RepositoryRecord:
        """The repository of an entry."""
        return self._views[int(self._entries.view[entry])].repository

    def snapshot(self, entry: int) -> Snapshot:
        """The snapshot of an entry."""
        return self._views[int(self._entries.view[entry])].snapshot

    def find_entries(self, path: bytes) -> tuple[int, ...]:
        """Entries with exactly this path."""
        found: list[int] = []
        for number, view in enumerate(self._views):
            row = view.membership.paths.find(path)
            start, end = self._view_ends[number : number + 2].tolist()
            at = start + int(np.searchsorted(self._entries.row[start:end], row))
            if row >= 0 and at < end and self._entries.row[at] == row:
                found.append(at)
        return tuple(found)

    @cached_property
    def _view_ends(self) -> NDArray[np.int64]:
        """`(n_views + 1,)` where the entries of each view begin; rows ascend inside a view."""
        return np.searchsorted(self._entries.view, np.arange(len(self._views) + 1))

    def encoding(self, entry: int) -> str:
        """Codec name of the stored bytes."""
        segment, local = self._content.blob(int(self._entries.blob[entry]))
        return segment.meta(local).encoding

    def raw_id(self, entry: int) -> bytes:
        """Git blob id of the stored bytes, for re-reading; never printed."""
        view = self._views[int(self._entries.view[entry])]
        return view.membership.raw_id(int(self._entries.row[entry]))

    def text(self, entry: int) -> bytes:
        """The masked view of the entry's blob."""
        return self._content.blob_text(int(self._entries.blob[entry]))

    def outline(self, entry: int) -> tuple[Definition, ...]:
        """The definitions of the entry."""
        segment, local = self._content.blob(int(self._entries.blob[entry]))
        return segment.facts(local).definitions

    def definition(self, entry: int, row: int) -> Definition:
        """One row of the entry's outline."""
        segment, local = self._content.blob(int(self._entries.blob[entry]))
        return segment.facts(local).definition(row)

    def definitions(self, entry: int, span: Span) -> tuple[tuple[int, Definition], ...]:
        """(row, definition) of the entry's outline where it starts in `span`."""
        segment, local = self._content.blob(int(self._entries.blob[entry]))
        return segment.facts(local).definitions_in(*span)

    def imports(self, entry: int) -> tuple[Import, ...]:
        """The imports of the entry."""
        segment, local = self._content.blob(int(self._entries.blob[entry]))
        return segment.facts(local).imports

    def references(
        self, entry: int, span: Span | None = None, role: Role | None = None
    ) -> tuple[ReferenceRow, ...]:
        """The references of the entry (that start in `span`, of one role), in file order."""
        segment, local = self._content.blob(int(self._entries.blob[entry]))
        text = self.text(entry)
        start, end = span or (0, len(text))
        return segment.facts(local).references(text, start, end, role)

    # ------------------------------------------------------------------ placements

    def docs_of(self, entries: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """(entry, doc) pairs, flattened, for `entries`."""
        if len(entries) == self.n_entries and np.array_equal(entries, self._all_entries):
            return self._place_entry, self._places.doc
        at, width = self._places_of(entries)
        return np.repeat(np.asarray(entries, np.int32), width), self._places.doc[at]

    def starts_of(self, entries: NDArray[np.int32]) -> NDArray[np.uint32]:
        """Span starts of what `docs_of` lists."""
        return self._places.start[self._places_of(entries)[0]]

    def first_docs(self) -> NDArray[np.int32]:
        """The doc with which each entry begins that has some, by entry."""
        ends = self._entries.ends
        return self._places.doc[ends[:-1][ends[1:] > ends[:-1]]]

    def _places_of(self, entries: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places of `entries`, flattened, and how many each has."""
        start = self._entries.ends[entries]
        width = self._entries.ends[np.asarray(entries) + 1] - start
        first = np.cumsum(width) - width
        return np.arange(int(width.sum())) - np.repeat(first - start, width), width

    @cached_property
    def _place_entry(self) -> NDArray[np.int32]:
        """`(n_places,)` the entry of each place."""
        return np.repeat(self._all_entries, np.diff(self._entries.ends))

    @cached_property
    def _all_entries(self) -> NDArray[np.int32]:
        return np.arange(self.n_entries, dtype=np.int32)

    def several_places(self) -> SeveralPlaces | None:
        """The docs that stand in several places; None when there are none."""
        return self._several_places

    @cached_property
    def _several_places(self) -> SeveralPlaces | None:
        docs, ends, places = self.numbering.several
        if not len(docs):
            return None
        entries = numbering.entry_of(self._entries, places).astype(np.int32)
        often = np.zeros(self.n_docs, np.bool_)
        often[docs] = True
        return SeveralPlaces(often, docs, ends, entries)

    def entries_of(self, doc: int, *, limit: int | None = None) -> tuple[Placement, ...]:
        """The in-scope placements of a doc, best entry first; at most `limit`."""
        several = self._several_places
        if several is None or not several.often[doc]:
            entry = int(self._docs.entry[doc])
            start, end = self._entries.ends[entry : entry + 2].tolist()
            at = int((self._places.doc[start:end] == doc).argmax())
            return (self._placed(entry, at),)
        docs, ends, places = self.numbering.several
        row = int(np.searchsorted(docs, doc))
        here = places[ends[row] : ends[row + 1]]
        entries = numbering.entry_of(self._entries, here)
        order = np.argsort(self._entries.weight[entries], kind="stable")
        return tuple(self._placement(place) for place in here[order][:limit].tolist())

    def chunks(self, entry: int) -> tuple[Placement, ...]:
        """Placements of the entry, in file order."""
        start, end = self._entries.ends[entry : entry + 2].tolist()
        return tuple(self._placed(entry, ordinal) for ordinal in range(end - start))

    def starts(self, entry: int) -> NDArray[np.uint32]:
        """Span starts of the placements of an entry, in file order."""
        start, end = self._entries.ends[entry : entry + 2].tolist()
        return self._places.start[start:end]

    def lined(self) -> NDArray[np.bool_]:
        """`(n_entries,)` entries whose chunks tile the text at line ends."""
        return self._lined

    @cached_property
    def _lined(self) -> NDArray[np.bool_]:
        closed = np.zeros(len(self._places.doc), np.bool_)
        for index, segment in enumerate(self._content.segments):
            here = np.flatnonzero(self._place_holder == index)
            if len(here):
                closed[here] = segment.closed[self._place_chunk[here] - segment.chunk_base]
        last = self._entries.ends[1:][np.diff(self._entries.ends) > 0] - 1
        closed[last] = True
        open_places = self._place_entry[~closed]
        lined = np.full(self.n_entries, all(each.tiling for each in self._content.segments))
        lined[open_places] = False
        return lined

    @cached_property
    def _place_chunk(self) -> NDArray[np.int64]:
        return self._docs.chunk[self._places.doc].astype(np.int64)

    @cached_property
    def _place_holder(self) -> NDArray[np.int64]:
        """`(n_places,)` the segment that holds the chunk of each placement."""
        bases = np.array([segment.chunk_base for segment in self._content.segments], np.int64)
        return np.searchsorted(bases, self._place_chunk, "right") - 1

    def pieces(
        self, entries: NDArray[np.bool_], docs: NDArray[np.bool_] | None, *, max_bytes: int
    ) -> tuple[Iterator[Piece], int]:
        """Chunks of `entries` that are in `docs`, joined; and the entries left unread."""
        picked, unread = self._pick(entries, docs, max_bytes)
        if picked is None:
            return iter(()), unread
        # an open end gets a line end behind it, so that what follows is another line
        at = np.cumsum(picked.size + ~picked.joins) - (picked.size + ~picked.joins)
        breaks = picked.breaks()
        breaks[1:-1] |= np.diff(at // PIECE_BYTES) != 0
        firsts, ends = np.flatnonzero(breaks[:-1]), np.flatnonzero(breaks[1:])
        texts = [segment.text_scan() for segment in self._content.segments]
        runs: Iterator[tuple[int, int, int, bool]] = zip(
            picked.holder[firsts].tolist(),
            picked.start[firsts].tolist(),
            (picked.start[ends] + picked.size[ends]).tolist(),
            picked.joins[ends].tolist(),
            strict=True,
        )
        groups = np.flatnonzero(np.diff(at[firsts] // PIECE_BYTES, prepend=-1))
        sizes = np.diff(groups, append=len(firsts))
        bounds = np.append(firsts[groups], len(at))

        def read() -> Iterator[Piece]:
            for number, count in enumerate(sizes.tolist()):
                parts: list[bytes] = []
                for which, low, high, joined in islice(runs, count):
                    parts.append(texts[which](low, high))
                    if not joined:
                        parts.append(b"\n")
                first, end = bounds[number], bounds[number + 1]
                offsets = at[first:end] - at[first]
                owners, starts = picked.owners[first:end], picked.starts[first:end]
                yield Piece(b"".join(parts), offsets, owners, starts)

        return read(), unread

    def occurrences(
        self,
        entries: NDArray[np.bool_],
        docs: NDArray[np.bool_] | None,
        needle: bytes,
        *,
        max_bytes: int,
        room: int,
    ) -> tuple[NDArray[np.int64], int]:
        """(entry, start, end) of `needle` in what `pieces` would read; and the entries left unread."""
        picked, unread = self._pick(entries, docs, max_bytes)
        if picked is None or not room:
            return np.empty((0, 3), np.int64), unread
        breaks = picked.breaks()
        breaks[1:-1] |= np.diff(picked.start // BLOCK) != 0  # what lies in one block is not joined
        firsts, ends = np.flatnonzero(breaks[:-1]), np.flatnonzero(breaks[1:])
        holder = picked.holder[firsts]
        low, high = picked.start[firsts], picked.start[ends] + picked.size[ends]
        found: list[NDArray[np.int64]] = []
        first = total = 0
        runs = FEW_RUNS  # what stands everywhere is soon found often enough
        while first < len(firsts) and total < room:
            some = slice(first, first + runs)
            here = self._find(holder[some], low[some], high[some], needle)
            here[:, 0] += first
            found.append(here)
            first, total, runs = first + runs, total + len(here), min(2 * runs, RUNS)
        rows: NDArray[np.int64] = np.concatenate(found)[:room]
        run, at_text = rows[:, 0], rows[:, 1]
        # places of a run lie side by side in the text: as if all runs did, one search finds them
        laid: NDArray[np.int64] = np.cumsum(picked.size) - picked.size
        shift = (laid - picked.start)[firsts][run]
        place: NDArray[np.int64] = np.searchsorted(laid, at_text + shift, "right") - 1
        start = at_text - picked.start[place] + picked.starts[place]
        return np.column_stack([picked.owners[place], start, start + len(needle)]), unread

    def _find(
        self,
        holder: NDArray[np.int64],
        start: NDArray[np.int64],
        end: NDArray[np.int64],
        needle: bytes,
    ) -> NDArray[np.int64]:
        """`(n, 2)` run and offset of every `needle` in runs of text, in order."""
        found = [np.empty((0, 2), np.int64)]
        for index, segment in enumerate(self._content.segments):
            runs = np.flatnonzero(holder == index)
            runs = runs[np.argsort(start[runs], kind="stable")]
            rows = segment.find_in(start[runs], end[runs], needle)
            rows[:, 0] = runs[rows[:, 0]]
            found.append(rows)
        rows = np.concatenate(found)
        return rows[np.lexsort((rows[:, 1], rows[:, 0]))]

    def _pick(
        self, entries: NDArray[np.bool_], docs: NDArray[np.bool_] | None, max_bytes: int
    ) -> tuple[_Picked | None, int]:
        """The places that a scan reads, and how many entries it leaves unread."""
        wanted = entries[self._place_entry]
        if docs is not None:
            wanted &= docs[self._places.doc]
        places = np.flatnonzero(wanted)
        owners = self._place_entry[places]
        n = SOME_PLACES
        picked = self._columns_of(places[:n])
        while n < len(places) and int(picked.size.sum()) < max_bytes:
            n *= 8
            picked = self._columns_of(places[:n])
        before: NDArray[np.int64] = np.cumsum(picked.size) - picked.size
        n_read = int(np.searchsorted(before, max_bytes))
        if 0 < n_read < len(places):
            n_read = int(np.searchsorted(owners, int(owners[n_read - 1]), "right"))
        unread = int(np.count_nonzero(np.diff(owners[n_read:], prepend=-1)))
        if not n_read:
            return None, unread
        if n_read > len(before):
            picked = self._columns_of(places[:n_read])
        return _Picked._make(column[:n_read] for column in picked), unread

    def _columns_of(self, places: NDArray[np.int64]) -> _Picked:
        holder, chunk = self._place_holder[places], self._place_chunk[places]
        start: NDArray[np.int64] = np.empty(len(places), np.int64)
        size: NDArray[np.int64] = np.empty(len(places), np.int64)
        joins = np.zeros(len(places), np.bool_)
        for index, segment in enumerate(self._content.segments):
            here = np.flatnonzero(holder == index)
            if len(here):
                rows = chunk[here] - segment.chunk_base
                low = segment.chunk_ends[rows].astype(np.int64)
                start[here] = low
                size[here] = segment.chunk_ends[rows + 1].astype(np.int64) - low
                joins[here] = segment.closed[rows]
        owners = self._place_entry[places].astype(np.int64)
        return _Picked(
            holder, chunk, start, size, joins, owners, self._places.start[places].astype(np.int64)
        )

    def doc(self, entry: int, ordinal: int) -> int:
        """The doc number of the `ordinal`-th chunk of an entry."""
        return int(self._places.doc[int(self._entries.ends[entry]) + ordinal])

    def _placement(self, place: int) -> Placement:
        entry = int(np.searchsorted(self._entries.ends, place, "right")) - 1
        return self._placed(entry, place - int(self._entries.ends[entry]))

    def _placed(self, entry: int, ordinal: int) -> Placement:
        """The `ordinal`-th placement of an entry."""
        segment, blob = self._content.blob(int(self._entries.blob[entry]))
        row = ordinal + segment.places(blob)[0]
        cells = [column[row] for column in segment.place_cells]
        chunk, start, end, kind, symbol, parent, part, parts, tokens = cells
        holder, local = self._content.chunk(chunk)
        return Placement(
            entry=entry,
            start=start,
            end=end,
            kind=CHUNK_KINDS[kind],
            symbol=symbol,
            parent=parent,
            part=part,
            parts=parts,
            tokens=tokens,
            chunk_id=holder.chunk_id(local),
        )

    # ------------------------------------------------------------------ symbols

    @cached_property
    def _by_blob(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self._entries.blob, kind="stable")
        return self._entries.blob[order], order

    def symbols_named(self, name: str) -> tuple[SymbolHit, ...]:
        """Definitions whose own name equals `name`, else those that do when case is folded."""
        places = self.symbol_places(name, scoped=False)
        pairs = zip(places.entries.tolist(), places.rows.tolist(), strict=True)
        return tuple(SymbolHit(entry, row, self.definition(entry, row)) for entry, row in pairs)

    def symbol_places(self, name: str, *, scoped: bool = True) -> SymbolPlaces:
        """Where the definitions of `symbols_named` stand, without reading their outlines."""
        names: dict[str, int] = {}
        scopes = names if scoped else None
        found = self._named(name, scopes)
        same = bool(found)
        if not found:
            spellings = {
                spelling for segment in self._blob_segments for spelling in segment.spellings(name)
            }
            for spelling in sorted(spellings):
                found += self._named(spelling, scopes)
        cells = found[0] if len(found) == 1 else np.concatenate([_NO_CELLS, *found], axis=1)
        if cells.shape[1] > 1:
            cells = cells[:, np.lexsort((cells[1], cells[0]))]
        entries, rows, starts, kinds, above = cells
        return SymbolPlaces(entries, rows, starts, kinds.astype(np.uint8), above, (*names,), same)

    def symbol_names(self) -> Sequence[str]:
        """Distinct definition names in scope, sorted."""
        return self._names

    def _named(self, name: str, scopes: dict[str, int] | None) -> list[NDArray[np.int64]]:
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
            cells = np.empty((5, n), np.int64)
            cells[0], cells[1], cells[2], cells[3] = order[low], rows, starts, kinds
            cells[4] = -1 if scopes is None else _scopes(segment, kinds, parents, scopes)
            found.append(cells)
        return found

    @cached_property
    def _names(self) -> tuple[str, ...]:
        names: set[str] = set()
        for segment in self._blob_segments:
            inside = np.zeros(segment.n_blobs, np.bool_)
            local = self._entries.blob - segment.blob_base
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


_NO_CELLS = np.empty((5, 0), np.int64)
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

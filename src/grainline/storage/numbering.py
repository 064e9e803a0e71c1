"""The numbers of one scope of one generation: its entries, the places of chunks in them, its docs.

Made from scratch here, from an earlier one in `renumbering`; both give the same arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.model.access import View
from grainline.model.chunk import N_FIELDS
from grainline.model.snapshot import FlagName, RepositoryId, Snapshot
from grainline.storage.base import RepositoryRecord
from grainline.storage.codes import FLAGS
from grainline.storage.content import Content
from grainline.storage.membership import NO_BLOB, Membership
from grainline.storage.segments.segment import Segment
from grainline.storage.segments.words import Words

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


_NOTHING = np.empty(0, np.int64)
_NO_CHUNKS = np.empty(0, np.uint32)


class Entries(NamedTuple):
    """`(n_entries,)` columns, by view, then path.

    Attributes:
        view: position among the views.
        row: of the view's membership.
        path: path number.
        blob: blob number.
        flags: bit `1 << i` for the i-th `FlagName`.
        weight: the entry with the least is shown, of those with the same the first.
        ends: `(n_entries + 1,)` where the places of each begin.
        by_path: the entries in the order of their path numbers.
    """

    view: NDArray[np.int64]
    row: NDArray[np.int64]
    path: NDArray[np.int64]
    blob: NDArray[np.int64]
    flags: NDArray[np.uint32]
    weight: NDArray[np.int64]
    ends: NDArray[np.int64]
    by_path: NDArray[np.int64]

    @property
    def n(self) -> int:
        """Number of entries."""
        return len(self.blob)


class Source(NamedTuple):
    """Columns of the rows of a view, and which of them are in scope; None for all."""

    paths: Words
    blobs: NDArray[np.uint32]
    flags: NDArray[np.uint32]
    mask: NDArray[np.bool_] | None


class Places(NamedTuple):
    """`(n_places,)` columns, by entry, then position in the file; `start` is an offset."""

    doc: NDArray[np.int32]
    start: NDArray[np.uint32]


class Docs(NamedTuple):
    """`(n_docs,)` columns, by repository, then chunk number.

    Attributes:
        chunk: number of the chunk, as columns hold it.
        ends: `(n_repositories + 1,)` where the docs of each repository begin.
        lengths: `(n_docs, N_FIELDS)` tokens per field.
        totals: `(N_FIELDS,)` their sums.
        entry: the best of its entries.
        start: where it stands there first.
    """

    chunk: NDArray[np.uint32]
    ends: NDArray[np.int64]
    lengths: NDArray[np.uint16]
    totals: NDArray[np.int64]
    entry: NDArray[np.int32]
    start: NDArray[np.uint32]


class Several(NamedTuple):
    """Some docs, where the places of each begin, and the places, by doc."""

    docs: NDArray[np.int64]
    ends: NDArray[np.int64]
    places: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """A segment seen by one repository of the scope.

    Attributes:
        segment: what is seen.
        repository: position of who sees it.
        first: the first doc of it.
        count: how many docs it has.
        ranks: `(n_chunks,)` local chunk -> doc less `first`, -1 outside; None when all are inside.
    """

    segment: Segment
    repository: int
    first: int
    count: int
    ranks: NDArray[np.int32] | None

    def inside(self, chunks: NDArray[np.uint16]) -> NDArray[np.int32]:
        """The docs of those of `chunks` that are in scope."""
        if self.ranks is None:
            return chunks.astype(np.int32) + np.int32(self.first)
        found = self.ranks[chunks]
        return found[found >= 0] + np.int32(self.first)

    def rows(
        self, chunks: NDArray[np.uint16], packed: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """`inside` of `chunks`, with what belongs to each that is."""
        if self.ranks is None:
            return self.inside(chunks), packed
        found = self.ranks[chunks]
        kept = found >= 0
        return found[kept] + np.int32(self.first), packed[kept]

    def has_any(self, chunks: NDArray[np.uint16]) -> bool:
        """Whether one of `chunks` is in scope."""
        return len(chunks) > 0 if self.ranks is None else bool((self.ranks[chunks] >= 0).any())


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbering:
    """All numbers of a scope.

    `owners` are the repositories of its views, each once; `sources` are what the entries of each
    view were read from; `several` are the docs that stand in more than one place.
    """

    views: tuple[View, ...]
    owners: tuple[RepositoryId, ...]
    sources: tuple[Source, ...]
    entries: Entries
    places: Places
    docs: Docs
    several: Several
    masked: tuple[Masked, ...]


def number(views: Sequence[ViewState], content: Content) -> Numbering:
    """The numbers of a scope, from scratch."""
    entries = enter(views, content)
    names = tuple(view.view for view in views)
    owners = tuple(dict.fromkeys(view.repository for view in names))
    holder, which, row = content.placements(entries.blob)
    chunks = content.place_column("place_chunk", which, row)
    start = content.place_column("place_start", which, row).astype(np.uint32)
    owner = owner_of(entries.view, names, owners)[holder]
    numbers, ends, doc = _number_docs(content, owner, len(owners), chunks)
    chunk = numbers.astype(np.uint32)
    masked = mask_segments(content, chunk, ends, ())
    lengths = np.concatenate(
        [
            np.empty((0, N_FIELDS), np.uint16),
            *(
                lengths_of(each.segment, chunk[each.first : each.first + each.count])
                for each in masked
            ),
        ]
    )
    several = _find_several(len(chunk), doc)
    best = np.empty(len(chunk), np.int64)
    best[doc] = np.arange(len(doc))
    if len(several.docs):
        best[several.docs] = best_places(entries, several)
    return Numbering(
        views=names,
        owners=owners,
        sources=tuple(map(source_of, views)),
        entries=entries,
        places=Places(doc, start),
        docs=Docs(
            chunk=chunk,
            ends=ends,
            lengths=lengths,
            totals=lengths.sum(axis=0, dtype=np.int64),
            entry=holder[best].astype(np.int32),
            start=start[best],
        ),
        several=several,
        masked=masked,
    )


# --------------------------------------------------------------------------- entries


def enter(views: Sequence[ViewState], content: Content) -> Entries:
    """The entries of a scope: the rows of its views that have content."""
    parts = [_enter(view, content) for view in views]
    view = np.repeat(np.arange(len(parts)), [len(part.row) for part in parts])
    columns = zip(_NO_ROWS, *parts, strict=True)
    rows = parts[0] if len(parts) == 1 else _Rows._make(map(np.concatenate, columns))
    order = np.argsort(rows.path, kind="stable")
    weight, ends = weights(rows.flags), ends_of(rows.width)
    return Entries(view, rows.row, rows.path, rows.blob, rows.flags, weight, ends, order)


class _Rows(NamedTuple):
    """Columns of `Entries` for one view, with the number of placements of each."""

    row: NDArray[np.int64]
    path: NDArray[np.int64]
    blob: NDArray[np.int64]
    flags: NDArray[np.uint32]
    width: NDArray[np.int64]


_NO_ROWS = _Rows(_NOTHING, _NOTHING, _NOTHING, np.empty(0, np.uint32), _NOTHING)


def _enter(view: ViewState, content: Content) -> _Rows:
    membership = view.membership
    inside = membership.blobs != NO_BLOB
    rows = np.flatnonzero(inside if view.mask is None else inside & view.mask)
    blobs = membership.blobs[rows].astype(np.int64)
    flags, width = read_blobs(content, blobs)
    flags |= membership.flag_bits[rows]
    found = _Rows(rows, membership.numbers[rows].astype(np.int64), blobs, flags, width)
    kept = width >= 0
    return found if kept.all() else _Rows._make(column[kept] for column in found)


def source_of(view: ViewState) -> Source:
    """See `Numbering.sources`."""
    rows = view.membership
    return Source(rows.paths, rows.blobs, rows.flag_bits, view.mask)


def read_blobs(
    content: Content, blobs: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Flags of some blobs, and how many placements each has: -1 for one without text."""
    flags, width = np.zeros(len(blobs), np.uint32), np.empty(len(blobs), np.int64)
    for segment, here, local in content.by_segment(blobs):
        table = segment.blob_table
        flags[here], width[here] = table.flags[local], table.width[local]
    return flags, width


def weights(flags: NDArray[np.uint32]) -> NDArray[np.int64]:
    """See `Entries.weight`."""
    found: NDArray[np.int64] = _WEIGHTS[flags & _WEIGHED]
    return found


def ends_of(width: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of neighbours begins, and where the last one ends."""
    ends = np.zeros(len(width) + 1, np.int64)
    np.cumsum(width, out=ends[1:])
    return ends


def owner_of(
    view: NDArray[np.int64], views: Sequence[View], owners: Sequence[RepositoryId]
) -> NDArray[np.int64]:
    """The position among `owners` of the repository of each of some positions in `views`."""
    positions = {owner: position for position, owner in enumerate(owners)}
    of_view = np.array([positions[view.repository] for view in views] or [0], np.int64)
    found: NDArray[np.int64] = of_view[view]
    return found


_WEIGHED = np.uint32(sum(1 << FLAGS[name] for name in _RANK))
_WEIGHTS = np.array(
    [
        sum(weight for name, weight in _RANK.items() if flags & 1 << FLAGS[name])
        for flags in range(int(_WEIGHED) + 1)
    ],
    np.int64,
)
"""By the flags that count; their bits are the lowest ones."""


# --------------------------------------------------------------------------- places


def entry_of(entries: Entries, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """The entry of each of some places."""
    found: NDArray[np.int64] = np.searchsorted(entries.ends, places, "right") - 1
    return found


def _find_several(n_docs: int, doc: NDArray[np.int32]) -> Several:
    often = np.bincount(doc, minlength=n_docs) > 1
    places = np.flatnonzero(often[doc])
    keys = doc[places].astype(np.int64) << 32 | places
    keys.sort()
    return several_of(keys)


def several_of(keys: NDArray[np.int64]) -> Several:
    """From doc << 32 | place, sorted."""
    docs, places = keys >> 32, keys & 0xFFFFFFFF
    first = np.flatnonzero(np.diff(docs, prepend=-1))
    return Several(docs[first], np.append(first, len(keys)), places)


def best_places(entries: Entries, several: Several) -> NDArray[np.int64]:
    """The place that stands for each of the docs of `several`."""
    keys = entries.weight[entry_of(entries, several.places)] << 32 | several.places
    found: NDArray[np.int64] = np.minimum.reduceat(keys, several.ends[:-1]) & 0xFFFFFFFF
    return found


# --------------------------------------------------------------------------- docs


def _number_docs(
    content: Content, owner: NDArray[np.int64], n_owners: int, chunks: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Chunk numbers of the docs, where those of each repository begin, the doc of each place.

    Args:
        content: what the chunks are of.
        owner: the repository of each place.
        n_owners: number of repositories.
        chunks: the chunk of each place.
    """
    doc = np.empty(len(chunks), np.int32)
    numbers: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    ends = [0]
    for number in range(n_owners):
        here = slice(None) if n_owners == 1 else np.flatnonzero(owner == number)
        found, ranks = _distinct(content, chunks[here])
        doc[here] = ranks + np.int32(ends[-1])
        numbers.append(found)
        ends.append(ends[-1] + len(found))
    return np.concatenate(numbers), np.array(ends, np.int64), doc


def _distinct(
    content: Content, chunks: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The distinct chunk numbers, ascending, and the position of each of `chunks` among them."""
    # numbers between the segments belong to no part that is open: they are laid side by side
    sizes = np.array([segment.n_chunks for segment in content.segments], np.int64)
    bases = np.array([segment.chunk_base for segment in content.segments], np.int64)
    ends = np.cumsum(sizes)
    shifts = ends - sizes - bases
    even = bool((shifts == shifts[:1]).all())
    if even:
        shifts = shifts[:1]
    local = chunks + (shifts if even else shifts[np.searchsorted(bases, chunks, "right") - 1])
    inside = np.zeros(int(sizes.sum()), np.bool_)
    inside[local] = True
    ranks = np.cumsum(inside, dtype=np.int32)
    ranks -= 1
    found = np.flatnonzero(inside)
    found -= shifts if even else shifts[np.searchsorted(ends, found, "right")]
    return found, ranks[local]


def mask_segments(
    content: Content,
    chunk: NDArray[np.uint32],
    ends: NDArray[np.int64],
    before: Sequence[Masked],
    changed: NDArray[np.uint32] = _NO_CHUNKS,
) -> tuple[Masked, ...]:
    """The segments in which each repository has docs.

    Args:
        content: the segments.
        chunk: chunk numbers of the docs.
        ends: where those of each repository begin.
        before: of an earlier scope, whose ranks are taken over.
        changed: chunk numbers that are a doc of one of both only, ascending.
    """
    kept = {(each.repository, id(each.segment)): each for each in before}
    bases = np.array([segment.chunk_base for segment in content.segments], np.uint32)
    tops = bases + np.array([segment.n_chunks for segment in content.segments], np.uint32)
    touched = (np.searchsorted(changed, bases) < np.searchsorted(changed, tops)).tolist()
    found: list[Masked] = []
    for repository, start in enumerate(ends[:-1].tolist()):
        mine = chunk[start : ends[repository + 1]]
        lows, highs = np.searchsorted(mine, bases).tolist(), np.searchsorted(mine, tops).tolist()
        for at, segment in enumerate(content.segments):
            low, high = lows[at], highs[at]
            if low == high:
                continue
            known = None if touched[at] else kept.get((repository, id(segment)))
            ranks = known.ranks if known else _ranks(segment, mine[low:high])
            found.append(
                Masked(
                    segment=segment,
                    repository=repository,
                    first=start + low,
                    count=high - low,
                    ranks=ranks,
                )
            )
    return tuple(found)


def _ranks(segment: Segment, chunks: NDArray[np.uint32]) -> NDArray[np.int32] | None:
    """Local chunk -> position among `chunks`, -1 for none; None when all are there."""
    if len(chunks) == segment.n_chunks:
        return None
    ranks = np.full(segment.n_chunks, -1, np.int32)
    ranks[chunks - np.uint32(segment.chunk_base)] = np.arange(len(chunks), dtype=np.int32)
    return ranks


def lengths_of(segment: Segment, chunks: NDArray[np.uint32]) -> NDArray[np.uint16]:
    """`(len(chunks), N_FIELDS)` tokens per field of chunks of a segment, by their numbers."""
    lengths: NDArray[np.uint16] = segment.columns["chunk_length"].all()
    return (
        lengths if len(chunks) == len(lengths) else lengths[chunks - np.uint32(segment.chunk_base)]
    )

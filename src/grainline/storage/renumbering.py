"""The numbers of a scope from those of an earlier generation of it, at the cost of what differs.

Arrays equal those that `number` makes, value for value. What makes that possible: inside one era a
path, a blob and a chunk keep their numbers for ever, and no number is given out twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.model.chunk import N_FIELDS
from grainline.storage.content import Content
from grainline.storage.membership import NO_BLOB
from grainline.storage.numbering import (
    Docs,
    Entries,
    Numbering,
    Places,
    Several,
    Source,
    ViewState,
    best_places,
    ends_of,
    enter,
    mask_segments,
    number,
    owner_of,
    read_blobs,
    several_of,
    source_of,
    weights,
)
from grainline.storage.splice import Splice, splice

MAX_CHANGES = 512
"""Entries and docs that come and go; for more of them numbering everything is no dearer."""


def renumber(before: Numbering, views: Sequence[ViewState], content: Content) -> Numbering:
    """What `number` gives, from the numbers of an earlier generation of the same views and era."""
    if before.views == tuple(view.view for view in views):
        sources = tuple(map(source_of, views))
        kept = _rewrite(before, sources, content) or _match(before.entries, enter(views, content))
        if kept is not None:
            gone, come = _trim(before, kept, _enter_places(before, content, kept))
            docs = _move_docs(before, gone, come)
            if docs is not None:
                return _follow(before, sources, content, kept, come, docs)
    return number(views, content)


# --------------------------------------------------------------------------- entries


class _Kept(NamedTuple):
    """The entries; those that stand as they stood, by their old and new numbers; and all others.

    `shifts`: whether an entry that stays has another number than before.
    """

    entries: Entries
    old: NDArray[np.int64]
    new: NDArray[np.int64]
    gone: NDArray[np.int64]
    come: NDArray[np.int64]
    shifts: bool


def _rewrite(before: Numbering, sources: Sequence[Source], content: Content) -> _Kept | None:
    """The entries when the same paths have other content or flags; None when others have some."""
    old = before.entries
    changed: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    flags, blobs = [np.empty(0, np.uint32)], [np.empty(0, np.uint32)]
    view_ends = np.searchsorted(old.view, np.arange(len(sources) + 1)).tolist()
    for at, (then, now) in enumerate(zip(before.sources, sources, strict=True)):
        if then.paths is not now.paths or then.mask is not None or now.mask is not None:
            return None
        rows = np.flatnonzero((then.blobs != now.blobs) | (then.flags != now.flags))
        if len(rows) > MAX_CHANGES:
            return None
        mine = old.row[view_ends[at] : view_ends[at + 1]]
        place = np.searchsorted(mine, rows)
        inside = np.append(mine, -1)[place] == rows
        if not inside.all():
            return None
        changed.append(place + view_ends[at])
        flags.append(now.flags[rows])
        blobs.append(now.blobs[rows])
    come = np.concatenate(changed)
    numbers = np.concatenate(blobs).astype(np.int64)
    if (numbers == NO_BLOB).any():
        return None
    more, width = read_blobs(content, numbers)
    if (width < 0).any():
        return None
    blob, flag, weight = old.blob.copy(), old.flags.copy(), old.weight.copy()
    blob[come], flag[come] = numbers, np.concatenate(flags) | more
    weight[come] = weights(flag[come])
    widths = np.diff(old.ends)
    widths[come] = width
    entries = old._replace(blob=blob, flags=flag, weight=weight, ends=ends_of(widths))
    others = _others(old.n, come)
    return _Kept(entries, others, others, come, come, False)


def _match(old: Entries, new: Entries) -> _Kept | None:
    """Which entries have the path, content and flags that they had; None when too few have."""
    mine, theirs = _same_paths(old, new)
    same = (old.blob[mine] == new.blob[theirs]) & (old.flags[mine] == new.flags[theirs])
    mine, theirs = mine[same], theirs[same]
    if old.n + new.n - 2 * len(mine) > MAX_CHANGES:
        return None
    shifts = not np.array_equal(mine, theirs)
    gone, come = _others(old.n, mine), _others(new.n, theirs)
    return _Kept(new, mine, theirs, gone, come, shifts)


def _same_paths(old: Entries, new: Entries) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the entries of one view and path; both ascend, for paths do not move."""
    keys, wanted = new.view << 32 | new.path, old.view << 32 | old.path
    order = np.argsort(keys)
    keys = np.append(keys[order], -1)
    at = np.searchsorted(keys[:-1], wanted)
    mine = np.flatnonzero(keys[at] == wanted)
    return mine, order[at[mine]]


def _others(n: int, some: NDArray[np.int64]) -> NDArray[np.int64]:
    rest = np.ones(n, np.bool_)
    rest[some] = False
    return np.flatnonzero(rest)


def _renamed(kept: _Kept, old: NDArray[np.int32]) -> NDArray[np.int32]:
    """Entries by their new numbers; of one that goes, any number."""
    if not kept.shifts:
        return old
    numbers = np.zeros(len(kept.old) + len(kept.gone), np.int32)
    numbers[kept.old] = kept.new
    return numbers[old]


def _ranges(ends: NDArray[np.int64], some: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers from `ends[i]` to `ends[i + 1]` for each of `some`."""
    start = ends[some]
    width = ends[some + 1] - start
    first = np.cumsum(width) - width
    found: NDArray[np.int64] = np.arange(int(width.sum())) + np.repeat(start - first, width)
    return found


# --------------------------------------------------------------------------- docs


class _NewPlaces(NamedTuple):
    """Places of the entries that come: their numbers, entries, repositories, chunks and starts."""

    at: NDArray[np.int64]
    entry: NDArray[np.int64]
    owner: NDArray[np.int64]
    chunk: NDArray[np.uint32]
    start: NDArray[np.uint32]


def _enter_places(before: Numbering, content: Content, kept: _Kept) -> _NewPlaces:
    entries, come = kept.entries, kept.come
    position, which, row = content.placements(entries.blob[come])
    owner = owner_of(entries.view[come], before.views, before.owners)
    return _NewPlaces(
        _ranges(entries.ends, come),
        come[position],
        owner[position],
        content.place_column("place_chunk", which, row).astype(np.uint32),
        content.place_column("place_start", which, row).astype(np.uint32),
    )


def _trim(before: Numbering, kept: _Kept, come: _NewPlaces) -> tuple[NDArray[np.int64], _NewPlaces]:
    """The places that go, and those of `come` that are others: a file may begin as it did before."""
    gone = _ranges(before.entries.ends, kept.gone)
    if kept.shifts or len(kept.gone) != len(kept.come):
        return gone, come
    leave, new_ones = np.ones(len(gone), np.bool_), np.ones(len(come.at), np.bool_)
    old, new = before.entries, kept.entries
    low = first = 0
    for entry in kept.come.tolist():
        n_old, n_new = (int(ends[entry + 1] - ends[entry]) for ends in (old.ends, new.ends))
        n = min(n_old, n_new) if old.flags[entry] == new.flags[entry] else 0
        places = gone[low : low + n]
        other = before.docs.chunk[before.places.doc[places]] != come.chunk[first : first + n]
        other |= before.places.start[places] != come.start[first : first + n]
        same = int(np.argmax(other)) if other.any() else n
        leave[low : low + same] = new_ones[first : first + same] = False
        low, first = low + n_old, first + n_new
    return gone[leave], _NewPlaces._make(column[new_ones] for column in come)


class _Moved(NamedTuple):
    """How the docs follow.

    Attributes:
        splice: from the old docs to the new ones.
        gone: the old places that go.
        chunk: `(n_docs,)` chunk numbers of the new docs.
        fresh: those of the docs that come.
        ends: where the docs of each repository begin.
        doc: the new doc of each of the places that come.
        lost: old docs that have lost a place, ascending.
        touched: those, and old docs that have got one, ascending.
    """

    splice: Splice
    gone: NDArray[np.int64]
    chunk: NDArray[np.uint32]
    fresh: NDArray[np.uint32]
    ends: NDArray[np.int64]
    doc: NDArray[np.int32]
    lost: NDArray[np.int64]
    touched: NDArray[np.int64]


def _move_docs(before: Numbering, gone: NDArray[np.int64], come: _NewPlaces) -> _Moved | None:
    """None when too many docs come or go."""
    docs = before.docs
    leaving = np.sort(before.places.doc[gone])
    lost = _distinct(leaving)
    times = np.diff(np.searchsorted(leaving, lost), append=len(leaving))
    order = np.lexsort((come.chunk, come.owner))
    owner, chunk = come.owner[order], come.chunk[order]
    place = _find(docs.chunk, docs.ends, owner, chunk)
    known = place < docs.ends[owner + 1]
    known[known] = docs.chunk[place[known]] == chunk[known]
    first = np.ones(len(chunk), np.bool_)
    first[1:] = (chunk[1:] != chunk[:-1]) | (owner[1:] != owner[:-1])
    fresh = ~known & first
    again = _distinct(place[known])
    dead = lost[_times(before.several, lost) == times]
    dead = dead[~_among(dead, again)]
    if len(dead) + int(np.count_nonzero(fresh)) > MAX_CHANGES:
        return None
    moved = splice(len(docs.chunk), dead, place[fresh])
    counted = np.searchsorted(owner[fresh], np.arange(len(docs.ends)))
    numbers = moved.apply(docs.chunk, chunk[fresh])
    ends = docs.ends - np.searchsorted(dead, docs.ends) + counted
    return _Moved(
        splice=moved,
        gone=gone,
        chunk=numbers,
        fresh=chunk[fresh],
        ends=ends,
        doc=_find(numbers, ends, come.owner, come.chunk).astype(np.int32),
        lost=lost,
        touched=_distinct(np.concatenate([lost, again])),
    )


def _times(several: Several, docs: NDArray[np.int64]) -> NDArray[np.int64]:
    """In how many places docs stand."""
    found = np.ones(len(docs), np.int64)
    often = _among(docs, several.docs)
    rows = np.searchsorted(several.docs, docs[often])
    found[often] = several.ends[rows + 1] - several.ends[rows]
    return found


def _find(
    numbers: NDArray[np.uint32],
    ends: NDArray[np.int64],
    owner: NDArray[np.int64],
    chunk: NDArray[np.uint32],
) -> NDArray[np.int64]:
    """The first place in the range of each of `owner` at which `numbers` is not below `chunk`."""
    if len(ends) == 2:
        whole: NDArray[np.int64] = np.searchsorted(numbers, chunk)
        return whole
    found = np.empty(len(chunk), np.int64)
    for each in _distinct(owner).tolist():
        here = np.flatnonzero(owner == each)
        low, high = ends[each : each + 2].tolist()
        found[here] = np.searchsorted(numbers[low:high], chunk[here]) + low
    return found


def _distinct(values: NDArray[Any]) -> NDArray[np.int64]:
    """The values in order, each once."""
    ordered = np.sort(values).astype(np.int64)
    first = np.ones(len(ordered), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def _among(values: NDArray[np.int64], some: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of `values` are among `some`, which ascend."""
    if not len(some):
        return np.zeros(len(values), np.bool_)
    at = np.minimum(np.searchsorted(some, values), len(some) - 1)
    found: NDArray[np.bool_] = some[at] == values
    return found


# --------------------------------------------------------------------------- all of it


def _follow(
    before: Numbering,
    sources: tuple[Source, ...],
    content: Content,
    kept: _Kept,
    come: _NewPlaces,
    docs: _Moved,
) -> Numbering:
    starts = np.append(before.entries.ends[kept.old], len(before.places.doc))
    placed = splice(
        len(before.places.doc), docs.gone, starts[np.searchsorted(kept.new, come.entry)]
    )
    doc = docs.splice.renamed(before.places.doc)
    places = Places(placed.apply(doc, docs.doc), placed.apply(before.places.start, come.start))
    touched = _touched(before, docs, placed, come)
    changed = np.sort(np.append(before.docs.chunk[docs.splice.removed], docs.fresh))
    return Numbering(
        views=before.views,
        owners=before.owners,
        sources=sources,
        entries=kept.entries,
        places=places,
        docs=_follow_docs(before, kept, docs, content, touched, places),
        several=_follow_several(before, docs, placed, touched),
        masked=mask_segments(content, docs.chunk, docs.ends, before.masked, changed),
    )


def _touched(before: Numbering, docs: _Moved, placed: Splice, come: _NewPlaces) -> Several:
    """The new places of the docs that have lost a place or got one."""
    old = docs.touched
    often = _among(old, before.several.docs)
    rows = np.searchsorted(before.several.docs, old[often])
    width = before.several.ends[rows + 1] - before.several.ends[rows]
    alone = old[~often & ~_among(old, docs.lost)]
    owners = np.concatenate([np.repeat(old[often], width), alone])
    theirs = [_only_place(before, doc) for doc in alone.tolist()]
    places = np.concatenate(
        [before.several.places[_ranges(before.several.ends, rows)], np.array(theirs, np.int64)]
    )
    stay = ~_among(places, docs.gone)
    keys = np.concatenate(
        [
            docs.splice.numbers(owners[stay]) << 32 | placed.numbers(places[stay]),
            docs.doc.astype(np.int64) << 32 | come.at,
        ]
    )
    return several_of(np.sort(keys))


def _only_place(before: Numbering, doc: int) -> int:
    entry = int(before.docs.entry[doc])
    start, end = before.entries.ends[entry : entry + 2].tolist()
    at: int = np.argmax(before.places.doc[start:end] == doc).item()
    return int(start) + at


def _follow_docs(
    before: Numbering,
    kept: _Kept,
    docs: _Moved,
    content: Content,
    touched: Several,
    places: Places,
) -> Docs:
    moved = docs.splice
    none = np.zeros(len(docs.fresh), np.int32)
    entry = moved.apply(_renamed(kept, before.docs.entry), none)
    start = moved.apply(before.docs.start, none.astype(np.uint32))
    if len(touched.docs):
        best = best_places(kept.entries, touched)
        entry[touched.docs] = np.searchsorted(kept.entries.ends, best, "right") - 1
        start[touched.docs] = places.start[best]
    lengths, totals = _follow_lengths(before, docs, content)
    return Docs(docs.chunk, docs.ends, lengths, totals, entry, start)


def _follow_several(before: Numbering, docs: _Moved, placed: Splice, touched: Several) -> Several:
    """The docs that stand more than once: those of before that are not touched, and touched ones."""
    old = before.several
    often = np.flatnonzero(np.diff(touched.ends) > 1)
    if not len(often) and not _among(docs.touched, old.docs).any():
        return Several(docs.splice.numbers(old.docs), old.ends, placed.numbers(old.places))
    rows = np.flatnonzero(~_among(old.docs, docs.touched))
    width = np.diff(old.ends)[rows]
    keys = np.repeat(docs.splice.numbers(old.docs[rows]), width) << 32
    keys |= placed.numbers(old.places[_ranges(old.ends, rows)])
    more = np.repeat(touched.docs[often], np.diff(touched.ends)[often]) << 32
    more |= touched.places[_ranges(touched.ends, often)]
    return several_of(np.sort(np.append(keys, more)))


def _follow_lengths(
    before: Numbering, docs: _Moved, content: Content
) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """Lengths of the docs and their sums."""
    new = np.empty((len(docs.fresh), N_FIELDS), np.uint16)
    for segment in content.segments:
        low = segment.chunk_base
        here = np.flatnonzero((docs.fresh >= low) & (docs.fresh < low + segment.n_chunks))
        if len(here):
            new[here] = segment.columns["chunk_length"].all()[docs.fresh[here] - np.uint32(low)]
    gone = before.docs.lengths[docs.splice.removed]
    totals = before.docs.totals - gone.sum(axis=0, dtype=np.int64)
    return (
        docs.splice.apply(before.docs.lengths, new),
        totals + new.sum(axis=0, dtype=np.int64),
    )

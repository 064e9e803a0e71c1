"""Which parts are rewritten, merged or dropped, and what they become: the middle of gc and of commits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.model.snapshot import RepositoryId
from grainline.storage.catalog import PartKind, PartRow
from grainline.storage.paths import PathPart
from grainline.storage.segments.layout import Mask
from grainline.storage.segments.merge import Live, Merged, merge_paths, merge_segments
from grainline.storage.segments.plan import (
    MAX_DEAD,
    PATH_SPAN,
    Piece,
    find_borrowers,
    find_live,
    live_share,
    plan,
)
from grainline.storage.segments.segment import Segment

ALL = Live()


class Rewrite(NamedTuple):
    """Parts that end, what takes their place (None: nothing), and blobs to be forgotten then."""

    old: tuple[PartRow, ...]
    new: Merged | None
    forgotten: tuple[int, ...]


def merge_all(
    parts: Sequence[PartRow],
    segment_of: Callable[[PartRow], Segment],
    paths_of: Callable[[PartRow], PathPart],
) -> Iterator[Rewrite]:
    """Merge small neighbours; everything counts as live."""
    for run in _segment_runs(parts):
        yield from _rewritten(run, [ALL] * len(run), segment_of, MAX_DEAD)
    for run in _path_runs(parts):
        yield from _paths_rewritten(run, [None] * len(run), paths_of, MAX_DEAD)


def collect(
    parts: Sequence[PartRow],
    blobs: NDArray[np.int64],
    numbers: Mapping[RepositoryId, NDArray[np.int64]],
    segment_of: Callable[[PartRow], Segment],
    paths_of: Callable[[PartRow], PathPart],
    *,
    max_dead: float,
) -> Iterator[Rewrite]:
    """Drop what is dead, and rewrite parts of which more than `max_dead` is.

    Args:
        parts: all parts of the store.
        blobs: numbers of the blobs that a membership names.
        numbers: for each repository, the path numbers that a membership names.
        segment_of: opens a segment.
        paths_of: opens a path part.
        max_dead: share of dead bytes that a part may keep.
    """
    rows = [part for part in parts if part.kind is PartKind.SEGMENT]
    lives = dict(
        zip(
            (row.id for row in rows),
            find_live([segment_of(row) for row in rows], blobs),
            strict=True,
        )
    )
    for run in _segment_runs(parts):
        kept = [row for row in run if not lives[row.id].nothing]
        for row in run:
            if lives[row.id].nothing:
                yield Rewrite((row,), None, tuple(range(row.blob_base, row.blob_base + row.blobs)))
        done: set[int] = set()
        for rewrite in _rewritten(kept, [lives[row.id] for row in kept], segment_of, max_dead):
            done |= {row.id for row in rewrite.old}
            yield rewrite
        for row in kept:
            if row.id not in done:
                lost = find_borrowers(segment_of(row), lives[row.id])
                yield Rewrite((), None, tuple(lost.tolist()))
    for run in _path_runs(parts):
        held = numbers.get(_owner(run[0]), np.empty(0, np.int64))
        masks = [_inside(held, row) for row in run]
        for row, mask in zip(run, masks, strict=True):
            if not mask.any():
                yield Rewrite((row,), None, ())
        alive = [at for at, mask in enumerate(masks) if mask.any()]
        yield from _paths_rewritten(
            [run[at] for at in alive], [masks[at] for at in alive], paths_of, max_dead
        )


def _rewritten(
    run: Sequence[PartRow],
    lives: Sequence[Live],
    segment_of: Callable[[PartRow], Segment],
    max_dead: float,
) -> Iterator[Rewrite]:
    shares = [1.0 if live is ALL else live_share(segment_of(row), live)
              for row, live in zip(run, lives, strict=True)]  # fmt: skip
    pieces = [
        Piece(base=row.base, count=row.count, size=row.size, live=share)
        for row, share in zip(run, shares, strict=True)
    ]
    for start, end in plan(pieces, max_dead=max_dead):
        old = tuple(run[start:end])
        merged = merge_segments(
            [(segment_of(row), live) for row, live in zip(old, lives[start:end], strict=True)]
        )
        dead = [
            np.flatnonzero(~live.blobs) + row.blob_base
            for row, live in zip(old, lives[start:end], strict=True)
            if live.blobs is not None
        ]
        forgotten = np.concatenate([np.empty(0, np.int64), *dead]).tolist()
        yield Rewrite(old, merged, tuple(forgotten))


def _paths_rewritten(
    run: Sequence[PartRow],
    masks: Sequence[Mask | None],
    paths_of: Callable[[PartRow], PathPart],
    max_dead: float,
) -> Iterator[Rewrite]:
    pieces = [
        Piece(
            base=row.base,
            count=row.count,
            size=row.size,
            live=1.0 if mask is None else float(mask.mean()),
        )
        for row, mask in zip(run, masks, strict=True)
    ]
    for start, end in plan(pieces, max_span=PATH_SPAN, max_dead=max_dead):
        old = tuple(run[start:end])
        merged = merge_paths(
            [(paths_of(row).columns, mask) for row, mask in zip(old, masks[start:end], strict=True)]
        )
        yield Rewrite(old, merged, ())


def _segment_runs(parts: Sequence[PartRow]) -> Iterator[list[PartRow]]:
    """Segments by base, as long as no segment of another fingerprint stands between."""
    rows = [part for part in parts if part.kind is PartKind.SEGMENT]
    rows.sort(key=lambda row: (row.base, row.count))
    for _, run in groupby(rows, key=lambda row: row.fingerprint):
        yield list(run)


def _path_runs(parts: Sequence[PartRow]) -> Iterator[list[PartRow]]:
    """Path parts of one repository, by base."""
    rows = [part for part in parts if part.kind is PartKind.PATHS]
    rows.sort(key=lambda row: (_owner(row), row.base))
    for _, run in groupby(rows, key=_owner):
        yield list(run)


def _owner(row: PartRow) -> RepositoryId:
    assert row.repository is not None, "a path part belongs to a repository"
    return row.repository


def _inside(numbers: NDArray[np.int64], row: PartRow) -> Mask:
    mask = np.zeros(row.count, np.bool_)
    mask[numbers[(numbers >= row.base) & (numbers < row.base + row.count)] - row.base] = True
    return mask

"""What to merge and what to compact: which content is live, which neighbours become one part.

The policy keeps the parts of a store few whatever the sizes in which content comes, and moves each
byte seldom. Let a *window* be neighbours that fit into one part. Neighbours are merged

- when they are together at least `GROWTH` times as large as the largest of them (so that many
  small parts become one, and one large part is not written again for a small one);
- when a part is smaller than the one behind it, which then takes it in; when they do not fit into
  one part, what is before the larger one is closed: merged for the last time.

Then sizes fall from left to right, and a part holds more than 1 / `GROWTH` of what stands from it
on: of content of total size T in one window there are at most 1 + log(T / `UNIT`) / log(3/2) parts
(17 of 48 MiB), and every further window adds `GROWTH` at most.
A byte moves only into a part at least twice as large as its own, except once when it comes and once
when its window is closed: it is written at most 3 + log2(T / `UNIT`) times (12 for 48 MiB); in a
history of equal small commits 1 + log3(T / `UNIT`) times at most. Compaction of parts that are half
dead moves no more bytes than it frees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grainline.storage.segments.build import MAX_CHUNKS, NO_CHUNK
from grainline.storage.segments.layout import Mask, sizes_of
from grainline.storage.segments.merge import Live
from grainline.storage.segments.segment import Segment

GROWTH = 3
"""A thousand equal commits leave 4.5, 5.9 and 6.8 parts on average when this is 2, 3 and 4, and write
each byte 5.6, 4.4 and 4.0 times."""

UNIT = 1 << 16
"""Bytes that a part counts at least: below that its fixed costs (file, header, row) dominate."""

MAX_BYTES = 48 << 20
"""Bytes of a merged part: as many as a full one of the write path has; bounds memory."""

PATH_SPAN = 1 << 20
"""Numbers that a path part may cover, those of other repositories among them: 6 MB when read."""

MAX_DEAD = 0.5
"""Share of dead bytes above which a part is rewritten alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part as the policy sees it: its range of numbers, its bytes, the share that is live."""

    base: int
    count: int
    size: int
    live: float = 1.0


def plan(
    pieces: Sequence[Piece],
    *,
    max_span: int = MAX_CHUNKS,
    max_bytes: int = MAX_BYTES,
    max_dead: float = MAX_DEAD,
) -> tuple[tuple[int, int], ...]:
    """Ranges `[start, end)` of pieces, each of which is to become one part; the others stay.

    Args:
        pieces: neighbours of one fingerprint (or repository) by base; parts without anything live
            are dropped before, not planned.
        max_span: numbers that one part may cover.
        max_bytes: live bytes of one part.
        max_dead: parts with a larger dead share are rewritten even alone; 0 frees every dead byte.
    """
    stack: list[_Window] = []
    for index, piece in enumerate(pieces):
        size = max(round(piece.size * piece.live), UNIT)
        end = piece.base + piece.count
        stack.append(_Window(index, index + 1, piece.base, end, size))
        while (start := _mergeable(stack, max_span, max_bytes)) is not None:
            first, last = start
            stack[first:last] = [_merged(stack[first:last])]
    return tuple(
        (window.first, window.last)
        for window in stack
        if window.last - window.first > 1 or 1 - pieces[window.first].live > max_dead
    )


@dataclass(frozen=True, slots=True)
class _Window:
    first: int
    last: int
    base: int
    end: int
    size: int


def _merged(windows: Sequence[_Window]) -> _Window:
    first, last = windows[0], windows[-1]
    size = sum(window.size for window in windows)
    return _Window(first.first, last.last, first.base, last.end, size)


def _mergeable(stack: Sequence[_Window], max_span: int, max_bytes: int) -> tuple[int, int] | None:
    """The windows of `stack` to be merged next, when its last one is new."""

    def fits(first: int, last: int) -> bool:
        whole = _merged(stack[first:last])
        return whole.end - whole.base <= max_span and whole.size <= max_bytes

    n = len(stack)
    for first in range(n - 1):
        sizes = [window.size for window in stack[first:]]
        if sum(sizes) >= GROWTH * max(sizes) and fits(first, n):
            return first, n
    if n > 1 and stack[-2].size < stack[-1].size:
        if fits(n - 2, n):
            return n - 2, n
        closed = next(first for first in range(n - 1) if first == n - 2 or fits(first, n - 1))
        return (closed, n - 1) if closed < n - 2 else None
    return None


# --------------------------------------------------------------------------- what is live


def find_live(segments: Sequence[Segment], blobs: NDArray[np.int64]) -> tuple[Live, ...]:
    """What of each segment is live when exactly `blobs` (store-wide numbers) are.

    Args:
        segments: all of the store: a blob names chunks of any of them.
        blobs: every blob that a membership which may still be read names, in any order; what a
            writer has made durable and not yet committed belongs to them.
    """
    masks = [_inside(blobs, segment.blob_base, segment.n_blobs) for segment in segments]
    named = [_chunks(segment, mask) for segment, mask in zip(segments, masks, strict=True)]
    chunks = np.concatenate([np.empty(0, np.int64), *named])
    return tuple(
        Live(chunks=_inside(chunks, segment.chunk_base, segment.n_chunks), blobs=mask)
        for segment, mask in zip(segments, masks, strict=True)
    )


def find_borrowers(segment: Segment, live: Live) -> NDArray[np.int64]:
    """Dead blobs (store-wide numbers) that name chunks of other segments, which may be gone.

    When others are rewritten and this segment is not, these must be forgotten: their text would
    have holes when they come back.
    """
    chunks = segment.columns["place_chunk"].all().astype(np.int64) - segment.chunk_base
    owner = np.repeat(np.arange(segment.n_blobs), sizes_of(segment.columns, "place_ends"))
    borrows = np.zeros(segment.n_blobs, np.bool_)
    borrows[owner[(chunks < 0) | (chunks >= segment.n_chunks)]] = True
    if live.blobs is None:
        return np.empty(0, np.int64)
    return np.flatnonzero(borrows & ~live.blobs) + segment.blob_base


def live_share(segment: Segment, live: Live) -> float:
    """Share of the bytes of texts and facts that is live; 1.0 when there are none."""
    kept = total = 0
    for name, mask in (("chunk_ends", live.chunks), ("fact_ends", live.blobs)):
        sizes = sizes_of(segment.columns, name)
        total += int(sizes.sum())
        kept += int(sizes.sum() if mask is None else sizes[mask].sum())
    return kept / total if total else 1.0


def _inside(numbers: NDArray[np.int64], base: int, count: int) -> Mask:
    mask = np.zeros(count, np.bool_)
    mask[numbers[(numbers >= base) & (numbers < base + count)] - base] = True
    return mask


def _chunks(segment: Segment, blobs: Mask) -> NDArray[np.int64]:
    """Store-wide numbers of the chunks that `blobs` of a segment name."""
    columns = segment.columns
    owned = np.repeat(blobs, sizes_of(columns, "place_ends"))
    whole = columns["blob_text"].all()[blobs]
    placed = columns["place_chunk"].all()[owned]
    return np.concatenate([placed, whole[whole != NO_CHUNK]]).astype(np.int64)

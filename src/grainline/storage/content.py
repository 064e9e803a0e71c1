"""All segments of a store under one numbering of chunks and blobs."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from grainline.storage.segments.segment import Segment

CACHED_TEXTS = 32
"""Masked views kept per generation: an answer reads each of its files several times."""


class Content:
    """Segments in the order of their bases. Numbers here are store-wide and never leave a store."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        # of two that begin at one number, the first has none: it is not what a number leads to
        self.segments = tuple(sorted(segments, key=lambda each: (each.chunk_base, each.n_chunks)))
        self._chunk_bases = [segment.chunk_base for segment in self.segments]
        self.blob_order = tuple(sorted(segments, key=lambda each: (each.blob_base, each.n_blobs)))
        self._blob_bases = [segment.blob_base for segment in self.blob_order]
        self._texts: OrderedDict[int, bytes] = OrderedDict()

    def chunk(self, number: int) -> tuple[Segment, int]:
        """(segment, local number) of a chunk."""
        segment = self.segments[bisect_right(self._chunk_bases, number) - 1]
        return segment, number - segment.chunk_base

    def blob(self, number: int) -> tuple[Segment, int]:
        """(segment, local number) of a blob."""
        segment = self.blob_order[bisect_right(self._blob_bases, number) - 1]
        return segment, number - segment.blob_base

    def chunk_text(self, number: int) -> bytes:
        """Text of a chunk."""
        segment, local = self.chunk(number)
        return segment.chunk_text(local)

    def blob_text(self, number: int) -> bytes:
        """Masked view of a blob."""
        found = self._texts.get(number)
        if found is None:
            segment, local = self.blob(number)
            found = self._texts[number] = segment.blob_text(local, self.chunk_text)
            if len(self._texts) > CACHED_TEXTS:
                self._texts.popitem(last=False)
        else:
            self._texts.move_to_end(number)
        return found

    def blob_numbers(self) -> NDArray[np.int64]:
        """Numbers of all blobs, ascending."""
        ranges = [
            np.arange(segment.blob_base, segment.blob_base + segment.n_blobs)
            for segment in self.blob_order
        ]
        return np.concatenate([np.empty(0, np.int64), *ranges])

    def holders(self, blobs: NDArray[np.int64]) -> NDArray[np.int64]:
        """The position in `blob_order` of the segment of each blob."""
        return np.searchsorted(self._blob_bases, blobs, "right") - 1

    def by_segment(
        self, blobs: NDArray[np.int64]
    ) -> Iterator[tuple[Segment, NDArray[np.int64], NDArray[np.int64]]]:
        """(segment, positions in `blobs`, local numbers) for each segment that holds some."""
        which = self.holders(blobs)
        for index, segment in enumerate(self.blob_order):
            here = np.flatnonzero(which == index)
            if len(here):
                yield segment, here, blobs[here] - segment.blob_base

    def placements(
        self, blobs: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Every placement of `blobs`, flattened in their order.

        Returns:
            (position in `blobs`, segment index by blob order, row in that segment's placements).
        """
        which = self.holders(blobs)
        start = np.zeros(len(blobs), np.int64)
        count = np.zeros(len(blobs), np.int64)
        for index, segment in enumerate(self.blob_order):
            here = np.flatnonzero(which == index)
            if len(here):
                local = blobs[here] - segment.blob_base
                ends = segment.columns["place_ends"].all().astype(np.int64)
                start[here] = ends[local]
                count[here] = ends[local + 1] - ends[local]
        position = np.repeat(np.arange(len(blobs)), count)
        first = np.cumsum(count) - count
        row = np.arange(len(position)) - np.repeat(first - start, count)
        return position, which[position], row

    def place_column(
        self, name: str, which: NDArray[np.int64], row: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Values of a placement column at `(which, row)` as `placements` gave them."""
        out = np.empty(len(row), np.int64)
        for index, segment in enumerate(self.blob_order):
            here = which == index
            if here.any():
                out[here] = segment.columns[name].all()[row[here]]
        return out

"""A sequence with a few items taken out and a few put in: arrays follow by copying runs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.storage.segments.columns import Array


class Splice(NamedTuple):
    """From `before` items to `after` items.

    Attributes:
        before: number of items that were.
        after: number of items that are.
        removed: the old numbers of what goes, ascending.
        added: the new numbers of what comes, ascending.
        pieces: runs (start, end, whether of the items that come) in their new order.
    """

    before: int
    after: int
    removed: NDArray[np.int64]
    added: NDArray[np.int64]
    pieces: tuple[tuple[int, int, bool], ...]

    def apply(self, items: NDArray[Any], new: NDArray[Any]) -> Array:
        """The items that stay and the `new` ones, in order; an array of its own."""
        assert len(items) == self.before, "an item for each old number"
        assert len(new) == len(self.added), "an item for each new number"
        parts = [new[start:end] if come else items[start:end] for start, end, come in self.pieces]
        found: Array = np.concatenate([items[:0], *parts])
        return found

    def numbers(self, some: NDArray[np.int64]) -> NDArray[np.int64]:
        """The new numbers of some items that stay."""
        starts, shifts = self._shifts()
        if not shifts.any():
            return some
        found: NDArray[np.int64] = some + shifts[np.searchsorted(starts, some, "right") - 1]
        return found

    def renamed(self, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        """The new numbers of many items; of one that goes, any number."""
        starts, shifts = self._shifts()
        if not shifts.any():
            return numbers
        table = np.arange(self.before, dtype=np.int32)
        for start, end, shift in zip(
            starts.tolist(), [*starts[1:].tolist(), self.before], shifts.tolist(), strict=True
        ):
            table[start:end] += shift
        found: NDArray[np.int32] = table[numbers]
        return found

    def _shifts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where runs of items that stay begin, and what is added to their numbers."""
        at = 0
        runs: list[tuple[int, int]] = []
        for start, end, come in self.pieces:
            if not come:
                runs.append((start, at - start))
            at += end - start
        starts, shifts = np.array(runs or [(0, 0)], np.int64).T
        return starts, shifts


def splice(before: int, removed: NDArray[np.int64], places: NDArray[np.int64]) -> Splice:
    """Take `removed` out and put something in before each of `places`.

    Args:
        before: number of items.
        removed: numbers of items, ascending and distinct.
        places: for each item that comes, in order, the old number before which it is put: from 0
            to `before`, ascending.
    """
    cuts: list[
        tuple[int, int, int, int]
    ] = []  # old place, items that go from there, items that come
    for start, end in _runs(removed, 1):
        cuts.append((int(removed[start]), end - start, 0, 0))
    for start, end in _runs(places, 0):
        cuts.append((int(places[start]), 0, start, end))
    cuts.sort()
    pieces: list[tuple[int, int, bool]] = []
    added: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    old = new = 0
    for place, going, start, end in cuts:
        if place > old:
            pieces.append((old, place, False))
            new += place - old
        old = max(old, place + going)
        if end > start:
            pieces.append((start, end, True))
            added.append(np.arange(new, new + end - start))
            new += end - start
    if old < before:
        pieces.append((old, before, False))
        new += before - old
    return Splice(before, new, removed, np.concatenate(added), tuple(pieces))


def _runs(numbers: NDArray[np.int64], step: int) -> list[tuple[int, int]]:
    """Ranges of positions at which each number is the one before plus `step`."""
    if not len(numbers):
        return []
    starts = [0, *(np.flatnonzero(np.diff(numbers) != step) + 1).tolist()]
    return list(zip(starts, [*starts[1:], len(numbers)], strict=True))

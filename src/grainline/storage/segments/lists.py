"""Merging sorted words and their rows: postings of terms and paths, places of symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grainline.storage.segments.build import NO_SYMBOL
from grainline.storage.segments.columns import Array, Column
from grainline.storage.segments.layout import Lists, Mask
from grainline.storage.segments.words import word_columns

ROWS_AT_ONCE = 1 << 20
"""Rows that are moved together: bounds what is held beside the columns to some 20 MB."""


def merge_lists(
    rule: Lists,
    inputs: Sequence[Mapping[str, Column]],
    lives: Sequence[Mask],
    shifts: Sequence[int],
) -> dict[str, Array]:
    """Words that a live number has, each with the live rows of the inputs one behind the other."""
    lists = [
        _read(columns, rule, live, shift)
        for columns, live, shift in zip(inputs, lives, shifts, strict=True)
    ]
    order = sorted({word for each in lists for word in each.words})
    ranks = dict(zip(order, range(len(order)), strict=True))
    places = [
        np.fromiter(map(ranks.__getitem__, each.words), np.int64, len(each.words)) for each in lists
    ]
    counts = np.zeros(len(order), np.int64)
    for each, place in zip(lists, places, strict=True):
        counts[place] += each.sizes
    ends = np.zeros(len(order) + 1, np.int64)
    np.cumsum(counts, out=ends[1:])
    merged = {
        name: np.empty((int(ends[-1]), *inputs[0][name].shape[1:]), inputs[0][name].dtype)
        for name in (rule.number, *rule.columns, *rule.links)
    }
    free = ends[:-1].copy()
    for each, place in zip(lists, places, strict=True):
        _move(each, rule, place, free[place], merged)
        free[place] += each.sizes
    kind = inputs[0][rule.ends].dtype
    return {**word_columns(rule.words, order), rule.ends: ends.astype(kind), **merged}


@dataclass(frozen=True, slots=True)
class _Input:
    """The live rows of an input: whether a row is, the words that have some, and how many."""

    columns: Mapping[str, Column]
    shift: int
    live: Mask
    chosen: Mask
    words: list[bytes]
    sizes: NDArray[np.int64]


def _read(columns: Mapping[str, Column], rule: Lists, live: Mask, shift: int) -> _Input:
    numbers = columns[rule.number].all()
    rows = live[numbers if numbers.ndim == 1 else numbers[:, 0]]
    ends = columns[rule.ends].all().astype(np.int64)
    counts = np.zeros(len(ends) - 1, np.int64)
    filled = np.flatnonzero(np.diff(ends))
    if len(filled):
        counts[filled] = np.add.reduceat(rows, ends[filled], dtype=np.int64)
    chosen = counts > 0
    words = _words(columns, rule.words, chosen)
    return _Input(columns, shift, rows, chosen, words, counts[chosen])


def _words(columns: Mapping[str, Column], prefix: str, chosen: Mask) -> list[bytes]:
    data = columns[f"{prefix}_bytes"].all().tobytes()
    ends = columns[f"{prefix}_ends"].all()
    starts, stops = ends[:-1][chosen].tolist(), ends[1:][chosen].tolist()
    return [data[a:b] for a, b in zip(starts, stops, strict=True)]


def _move(
    part: _Input,
    rule: Lists,
    place: NDArray[np.int64],
    starts: NDArray[np.int64],
    merged: Mapping[str, Array],
) -> None:
    """Put the live rows of an input into `merged`, those of each word from `starts` on."""
    sizes = part.sizes
    before = np.cumsum(sizes) - sizes
    done = 0
    for read in range(0, len(part.live), ROWS_AT_ONCE):
        rows = np.flatnonzero(part.live[read : read + ROWS_AT_ONCE]) + read
        end = done + len(rows)
        first = max(int(np.searchsorted(before, done, "right")) - 1, 0)
        last = int(np.searchsorted(before, end))
        # rows of the first and of the last of these words may lie outside of `rows`
        at, size = before[first:last], sizes[first:last]
        width = np.minimum(at + size, end) - np.maximum(at, done)
        to = np.arange(done, end) + np.repeat(starts[first:last] - at, width)
        for name, out in merged.items():
            values = part.columns[name].all()[rows]
            if name == rule.number:
                values = _shifted(values, part.shift)
            elif name in rule.links:
                values = _relinked(values, part.chosen, place)
            out[to] = values
        done = end


def _shifted(values: Array, shift: int) -> Array:
    """Local numbers of an input as local numbers of the merged part."""
    if values.ndim == 1:
        return (values.astype(np.int64) + shift).astype(values.dtype)
    values[:, 0] = _shifted(values[:, 0], shift)
    return values


def _relinked(values: Array, chosen: Mask, place: NDArray[np.int64]) -> Array:
    """Indexes of words of an input as indexes of merged words."""
    found = np.full(len(chosen) + 1, NO_SYMBOL, values.dtype)
    found[np.flatnonzero(chosen)] = place
    return found[np.minimum(values, len(chosen))]

"""Numbers of words, many words at once: a hash table of machine words in numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Lanes = Sequence[NDArray[np.uint64]]
"""The bytes of words, eight to an array, zeros behind the end: `lanes[k][i]` of word `i`."""

LANE = 8
"""Bytes in one lane."""

PROBES = 32
"""Places in which a word may stand; what finds none is not kept, so nobody can make it slow."""

_FULL = 4  # places per word, at least
_FACTORS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93], np.uint64
)


class WordNumbers:
    """Words of at most `LANE * width` bytes, none of them zero, with their numbers.

    A memo: a word that is not found may be one that was not kept.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._size = 0
        self._make(1 << 14)

    def _make(self, places: int) -> None:
        self._shift = np.uint64(64 - places.bit_length() + 1)
        self._mask = places - 1
        self._numbers = np.full(places, -1, np.int32)
        self._lanes = [np.zeros(places, np.uint64) for _ in range(self._width)]

    def find(self, lanes: Lanes) -> NDArray[np.int32]:
        """The number of each word, -1 where it is not known."""
        at = self._place(lanes)
        numbers = self._numbers[at]
        rest = np.flatnonzero(self._differs(at, lanes))
        at = at[rest]
        for _ in range(PROBES):
            taken = self._lanes[0][at] != 0
            numbers[rest[~taken]] = -1
            rest, at = rest[taken], (at[taken] + 1) & self._mask
            if not len(rest):
                return numbers
            numbers[rest] = self._numbers[at]
            wrong = self._differs(at, [lane[rest] for lane in lanes])
            rest, at = rest[wrong], at[wrong]
        numbers[rest] = -1
        return numbers

    def add(self, lanes: Lanes, numbers: NDArray[np.int32]) -> None:
        """Remember distinct words that are not known yet."""
        if (self._size + len(numbers)) * _FULL > len(self._numbers):
            self._grow(len(numbers))
        self._size += len(numbers)
        at = self._place(lanes)
        for _ in range(PROBES):
            free = self._numbers[at] < 0
            self._numbers[at[free]] = numbers[free]
            kept = self._numbers[at] == numbers
            for own, lane in zip(self._lanes, lanes, strict=True):
                own[at[kept]] = lane[kept]
            lost = ~kept
            if not lost.any():
                return
            at = (at[lost] + 1) & self._mask
            numbers, lanes = numbers[lost], [lane[lost] for lane in lanes]

    def _grow(self, more: int) -> None:
        used = np.flatnonzero(self._numbers >= 0)
        lanes, numbers = [lane[used] for lane in self._lanes], self._numbers[used]
        self._make(1 << ((len(used) + more) * 2 * _FULL - 1).bit_length())
        self._size = 0
        self.add(lanes, numbers)

    def _place(self, lanes: Lanes) -> NDArray[np.int64]:
        mixed = lanes[0] * _FACTORS[0]
        for lane, factor in zip(lanes[1:], _FACTORS[1:], strict=False):
            mixed ^= lane * factor
        mixed ^= mixed >> np.uint64(29)
        mixed *= _FACTORS[0]
        mixed >>= self._shift
        at: NDArray[np.int64] = mixed.astype(np.int64)
        return at

    def _differs(self, at: NDArray[np.int64], lanes: Lanes) -> NDArray[np.bool_]:
        differs: NDArray[np.bool_] = self._lanes[0][at] != lanes[0]
        for own, lane in zip(self._lanes[1:], lanes[1:], strict=True):
            differs |= own[at] != lane
        return differs


_MASKS = np.array([(1 << 8 * size) - 1 for size in range(LANE + 1)], np.uint64)


def lanes_of(
    text: bytes, starts: NDArray[np.int64], sizes: NDArray[np.int64], width: int
) -> list[NDArray[np.uint64]]:
    """The lanes of words of `text`, at most `LANE * width` bytes each.

    `text` goes on for `LANE * width` bytes or more behind the start of the last word.
    """
    found: list[NDArray[np.uint64]] = []
    for lane in range(width):
        # every byte begins a number of eight bytes, little end first
        numbers: NDArray[np.uint64] = np.ndarray(
            (len(text) - LANE + 1,), "<u8", buffer=text, strides=(1,)
        )
        masks = _MASKS[np.clip(sizes - LANE * lane, 0, LANE)]
        found.append(numbers[starts + LANE * lane] & masks)
    return found

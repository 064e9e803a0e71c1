"""Sorted tables of byte strings inside columns: binary search, slices, substring search."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from grainline.storage.segments.columns import Array, Column


def word_columns(prefix: str, words: Sequence[bytes]) -> dict[str, Array]:
    """`words` (sorted, distinct) as columns `<prefix>_bytes` and `<prefix>_ends`."""
    ends = np.zeros(len(words) + 1, np.uint32)
    np.cumsum(np.fromiter(map(len, words), np.uint32, len(words)), out=ends[1:])
    return {f"{prefix}_bytes": np.frombuffer(b"".join(words), np.uint8), f"{prefix}_ends": ends}


STRIDE = 64
"""Words between two that are kept as objects for look-ups."""

GRAM = 3
N_GRAMS = 1 << 12
"""Hashes: a table of 60,000 terms takes half a megabyte, and one block in five has a given one."""

MANY_SCANS = 8
"""Scans of a whole table (each .4 ms per 60,000 terms) after which finding blocks first is prepared, at the cost
of 20: one question makes fewer, and a process that answered several goes on."""

MANY_FINDS = 24
"""Look-ups after which keeping them pays: a new process that asks one question makes fewer."""


class Words(Sequence[bytes]):
    """A sorted table read from columns; nothing is copied until asked for."""

    def __init__(self, columns: dict[str, Column], prefix: str) -> None:
        self._bytes = columns[f"{prefix}_bytes"]
        self._view = memoryview(self._bytes.all().data).cast("B")
        self._ends = columns[f"{prefix}_ends"].all()
        self._bounds = memoryview(self._ends.data)
        self._size = len(self._ends) - 1
        self._heads: list[bytes] = []
        self._finds = 0
        self._scans = 0
        self._grams: _Grams | None = None

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: int) -> bytes:  # type: ignore[override]
        if not 0 <= index < self._size:
            raise IndexError(index)
        return bytes(self._view[self._bounds[index] : self._bounds[index + 1]])

    def __iter__(self) -> Iterator[bytes]:
        data, ends = bytes(self._view), self._ends.tolist()
        return (data[start:end] for start, end in pairwise(ends))

    def between(self, start: int, end: int) -> bytes:
        """The words `[start, end)`, joined."""
        return bytes(self._view[self._bounds[start] : self._bounds[end]])

    def sizes(self) -> NDArray[np.int64]:
        """`(n,)` bytes of each word."""
        ends = self._ends.astype(np.int64)
        return ends[1:] - ends[:-1]

    def find(self, word: bytes) -> int:
        """Index of `word`, or -1."""
        if not self._heads or not word:
            index = self.place(word)
            return index if index < self._size and self[index] == word else -1
        low, high = self._around(word)
        first = self._bounds[low]
        data = bytes(self._view[first : self._bounds[high]])
        at = data.find(word)
        while at >= 0:
            index = bisect_left(self._bounds, first + at, low, high)
            if self._bounds[index] == first + at and self._bounds[index + 1] == first + at + len(
                word
            ):
                return index
            at = data.find(word, at + 1)
        return -1

    def place(self, word: bytes) -> int:
        """Index of the first word that is not before `word`."""
        self._finds += 1
        if not self._heads:
            if self._finds < MANY_FINDS:
                return bisect_left(self, word)
            self._heads = [self[index] for index in range(0, self._size, STRIDE)]
        return bisect_left(self, word, *self._around(word))

    def _around(self, word: bytes) -> tuple[int, int]:
        """Between which words `word` is to be looked for."""
        low = max(bisect_right(self._heads, word) - 1, 0) * STRIDE
        return low, min(low + STRIDE, self._size)

    def folded(self, word: str) -> list[int] | None:
        """Indices of the words that are `word` in some case; None when not all words are ASCII."""
        data = bytes(self._view)
        if not word or not data.isascii():
            return None
        wanted = word.casefold().encode("utf-8", "surrogatepass")
        data, found = data.lower(), list[int]()
        at = data.find(wanted)
        while at >= 0:
            index = bisect_right(self._bounds, at) - 1
            if self._bounds[index] == at and self._bounds[index + 1] == at + len(wanted):
                found.append(index)
            at = data.find(wanted, at + 1)
        return found

    def containing(self, part: bytes) -> Iterator[int]:
        """Indices of the words that contain `part`, ascending, each once."""
        self._scans += 1
        find = re.compile(re.escape(part)).search
        if self._scans < MANY_SCANS or len(part) < GRAM:
            yield from self._containing(find, 0, self._size)
            return
        if self._grams is None:
            self._grams = _Grams(self._view, self._ends)
        for low, high in self._grams.blocks(part):
            yield from self._containing(find, low, min(high, self._size))

    def _containing(
        self, find: Callable[[memoryview, int, int], re.Match[bytes] | None], low: int, high: int
    ) -> Iterator[int]:
        """As `containing`, among the words `[low, high)`."""
        view, bounds = self._view, self._bounds
        at, size = bounds[low], bounds[high]
        while at < size and (found := find(view, at, size)) is not None:
            at, behind = found.span()
            low = bisect_right(bounds, at, low, high + 1) - 1
            end = bounds[low + 1]
            if behind <= end:
                yield low
                at = end
            else:
                at += 1


class _Grams:
    """For each hash of `GRAM` bytes in a row, the blocks of `STRIDE` words that may hold them."""

    def __init__(self, view: memoryview, ends: Array) -> None:
        data = np.frombuffer(view, np.uint8)
        starts = ends[:-1:STRIDE].astype(np.int64)
        self._n_blocks = len(starts)
        width = -(-self._n_blocks // 8) * 8
        at = _hashes(data).astype(np.int32) * np.int32(width)
        block = np.arange(self._n_blocks, dtype=np.int32)
        at += np.repeat(block, np.diff(starts, append=len(data)))[: len(at)]
        holds = np.zeros(N_GRAMS * width, np.bool_)
        holds[at] = True
        self._holds = np.packbits(holds.reshape(N_GRAMS, width), axis=1)

    def blocks(self, part: bytes) -> Iterator[tuple[int, int]]:
        """Ranges of words outside of which none contains `part`, ascending."""
        rows = self._holds[_hashes(np.frombuffer(part, np.uint8))]
        held = np.unpackbits(np.bitwise_and.reduce(rows, axis=0), count=self._n_blocks)
        for number in np.flatnonzero(held).tolist():
            yield number * STRIDE, (number + 1) * STRIDE


def _hashes(data: Array) -> Array:
    """A number below `N_GRAMS` for each `GRAM` bytes in a row."""
    wide = data.astype(np.uint16)  # products wrap around
    return (wide[:-2] * 31 + wide[1:-1] * 977 + wide[2:] * 15_101) & (N_GRAMS - 1)

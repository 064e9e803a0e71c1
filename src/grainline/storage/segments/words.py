"""Sorted tables of byte strings inside columns: binary search, slices, substring search."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

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

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: int) -> bytes:  # type: ignore[override]
        if not 0 <= index < self._size:
            raise IndexError(index)
        return bytes(self._view[self._bounds[index] : self._bounds[index + 1]])

    def __iter__(self) -> Iterator[bytes]:
        return (self[index] for index in range(len(self)))

    def between(self, start: int, end: int) -> bytes:
        """The words `[start, end)`, joined."""
        return bytes(self._view[self._bounds[start] : self._bounds[end]])

    def sizes(self) -> NDArray[np.int64]:
        """`(n,)` bytes of each word."""
        ends = self._ends.astype(np.int64)
        return ends[1:] - ends[:-1]

    def find(self, word: bytes) -> int:
        """Index of `word`, or -1."""
        index = self.place(word)
        return index if index < self._size and self[index] == word else -1

    def place(self, word: bytes) -> int:
        """Index of the first word that is not before `word`."""
        self._finds += 1
        if not self._heads:
            if self._finds < MANY_FINDS:
                return bisect_left(self, word)
            self._heads = [self[index] for index in range(0, self._size, STRIDE)]
        low = max(bisect_right(self._heads, word) - 1, 0) * STRIDE
        return bisect_left(self, word, low, min(low + STRIDE, self._size))

    def containing(self, part: bytes) -> Iterator[int]:
        """Indices of the words that contain `part`, ascending, each once."""
        at, size = 0, len(self._view)
        find = re.compile(re.escape(part)).search
        while at < size and (found := find(self._view, at)) is not None:
            at = found.start()
            index = int(np.searchsorted(self._ends, at, "right")) - 1
            end = self._bounds[index + 1]
            if at + len(part) <= end:
                yield index
                at = end
            else:
                at += 1

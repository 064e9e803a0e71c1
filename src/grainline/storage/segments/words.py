"""Sorted tables of byte strings inside columns: binary search, slices, substring search."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

import numpy as np

from grainline.storage.segments.columns import Array, Column


def word_columns(prefix: str, words: Sequence[bytes]) -> dict[str, Array]:
    """`words` (sorted, distinct) as columns `<prefix>_bytes` and `<prefix>_ends`."""
    ends = np.zeros(len(words) + 1, np.uint32)
    np.cumsum(np.fromiter(map(len, words), np.uint32, len(words)), out=ends[1:])
    return {f"{prefix}_bytes": np.frombuffer(b"".join(words), np.uint8), f"{prefix}_ends": ends}


class Words(Sequence[bytes]):
    """A sorted table read from columns; nothing is copied until asked for."""

    def __init__(self, columns: dict[str, Column], prefix: str) -> None:
        self._bytes = columns[f"{prefix}_bytes"]
        self._view = memoryview(self._bytes.all().data).cast("B")
        self._ends = columns[f"{prefix}_ends"].all()

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, index: int) -> bytes:  # type: ignore[override]
        if not 0 <= index < len(self):
            raise IndexError(index)
        return bytes(self._view[int(self._ends[index]) : int(self._ends[index + 1])])

    def __iter__(self) -> Iterator[bytes]:
        return (self[index] for index in range(len(self)))

    def find(self, word: bytes) -> int:
        """Index of `word`, or -1."""
        index = bisect_left(self, word)
        return index if index < len(self) and self[index] == word else -1

    def containing(self, part: bytes) -> Iterator[int]:
        """Indices of the words that contain `part`, ascending, each once."""
        at = 0
        size = int(self._ends[-1])
        while at < size and (at := self._bytes.find(part, at)) >= 0:
            index = int(np.searchsorted(self._ends, at, "right")) - 1
            end = int(self._ends[index + 1])
            if at + len(part) <= end:
                yield index
                at = end
            else:
                at += 1

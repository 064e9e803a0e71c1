"""Byte areas: many byte strings laid end to end, compressed in blocks, read by raw offset."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import zstandard

from grainline.errors import Damaged
from grainline.storage.segments.columns import Array, Column

BLOCK = 1 << 17
"""Raw bytes per block: 128 KiB decompress in about 0.15 ms; 256 KiB saves 4 % more, costs double."""

LEVEL = 3
CACHED_BLOCKS = 64
"""Decompressed blocks kept per area: 8 MiB."""


class AreaWriter:
    """Appends byte strings; offsets are raw (uncompressed) positions."""

    def __init__(self) -> None:
        self._compress = zstandard.ZstdCompressor(level=LEVEL, write_checksum=False)
        self._open = bytearray()
        self._blocks: list[bytes] = []
        self._raw = 0

    @property
    def size(self) -> int:
        """Raw bytes so far: the offset of the next string."""
        return self._raw + len(self._open)

    def append(self, data: bytes) -> None:
        """Lay `data` behind what is there."""
        self._open += data
        while len(self._open) >= BLOCK:
            self._close(BLOCK)

    def columns(self, prefix: str) -> dict[str, Array]:
        """The finished area as columns `<prefix>_data`, `<prefix>_blocks`, `<prefix>_size`."""
        if self._open:
            self._close(len(self._open))
        ends = np.cumsum([0, *map(len, self._blocks)], dtype=np.uint64)
        return {
            f"{prefix}_data": np.frombuffer(b"".join(self._blocks), np.uint8),
            f"{prefix}_blocks": ends,
            f"{prefix}_size": np.array([self._raw], np.uint64),
        }

    def _close(self, size: int) -> None:
        self._blocks.append(self._compress.compress(bytes(self._open[:size])))
        self._raw += size
        del self._open[:size]


class Area:
    """Random access to an area by raw offsets."""

    def __init__(self, columns: dict[str, Column], prefix: str) -> None:
        self._data = columns[f"{prefix}_data"]
        self._ends = columns[f"{prefix}_blocks"]
        self._size = columns[f"{prefix}_size"]
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        self._decompress = zstandard.ZstdDecompressor()

    def get(self, start: int, end: int) -> bytes:
        """Raw bytes `[start, end)`."""
        first, last = start // BLOCK, (end - 1) // BLOCK
        if first == last or end <= start:
            return (
                self._block(first)[start - first * BLOCK : end - first * BLOCK]
                if end > start
                else b""
            )
        whole = b"".join(self._block(number) for number in range(first, last + 1))
        return whole[start - first * BLOCK : end - first * BLOCK]

    def _block(self, number: int) -> bytes:
        found = self._cache.get(number)
        if found is not None:
            self._cache.move_to_end(number)
            return found
        ends = self._ends.all()
        packed = self._data.raw(int(ends[number]), int(ends[number + 1]))
        try:
            raw = self._decompress.decompress(packed, max_output_size=BLOCK)
        except zstandard.ZstdError as error:
            raise Damaged(
                "damaged_index",
                f"block {number} does not decompress ({error})",
                subject=self._data.source,
                hint="run: grainline doctor --repair",
            ) from error
        self._cache[number] = raw
        if len(self._cache) > CACHED_BLOCKS:
            self._cache.popitem(last=False)
        return raw

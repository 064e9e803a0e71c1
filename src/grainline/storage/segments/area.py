"""Byte areas: many byte strings laid end to end, compressed in blocks, read by raw offset."""

from __future__ import annotations

import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import count, pairwise
from threading import Lock
from typing import TypeAlias

import numpy as np
import zstandard
from numpy.typing import NDArray

from grainline.errors import Damaged
from grainline.storage.segments.columns import Array, Column

BLOCK = 1 << 15
"""Raw bytes per block: 32 KiB decompress in about 0.03 ms. 128 KiB take 10 % (texts) and 3 % (facts)
less room, but four times as long, and a result reads a block of texts and one of facts."""

FIRST_BLOCK = 1 << 17
"""Raw bytes per block of an area that does not say: one of formats 1 and 2."""

LEVEL = 1
CACHED_BYTES = 80 << 20
"""Bytes of decompressed blocks kept per process, of all areas together: the texts and facts of a million
lines, whose literals are looked for at the speed of memory then."""


Offsets: TypeAlias = NDArray[np.int64]
"""`(n,)` raw positions in an area."""


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
            f"{prefix}_size": np.array([self._raw, BLOCK], np.uint64),
        }

    def _close(self, size: int) -> None:
        self._blocks.append(self._compress.compress(bytes(self._open[:size])))
        self._raw += size
        del self._open[:size]


class BlockCache:
    """Decompressed blocks, the least recently used ones given up first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._blocks: OrderedDict[tuple[int, int], bytes] = OrderedDict()
        self._lock = Lock()
        self._gone: deque[int] = deque()

    def get(self, key: tuple[int, int]) -> bytes | None:
        """A block that is held."""
        with self._lock:
            found = self._blocks.get(key)
            if found is not None:
                self._blocks.move_to_end(key)
            return found

    def put(self, key: tuple[int, int], block: bytes, *, scan: bool) -> None:
        """Hold a block; a scan takes free room only, it would drive out what is asked for again."""
        with self._lock:
            self._forget()
            if key in self._blocks or (scan and self._held + len(block) > self._limit):
                return
            self._blocks[key] = block
            self._held += len(block)
            while self._held > self._limit:
                _, old = self._blocks.popitem(last=False)
                self._held -= len(old)

    def drop(self, area: int) -> None:
        """Forget the blocks of an area."""
        # Runs when an area is collected, which may be inside of any of these methods: never waits.
        self._gone.append(area)
        if self._lock.acquire(blocking=False):
            try:
                self._forget()
            finally:
                self._lock.release()

    def _forget(self) -> None:
        while self._gone:
            area = self._gone.popleft()
            for key in [key for key in tuple(self._blocks) if key[0] == area]:
                self._held -= len(self._blocks.pop(key))


_BLOCKS = BlockCache(CACHED_BYTES)
_NUMBERS = count()


class Area:
    """Random access to an area by raw offsets."""

    def __init__(self, columns: dict[str, Column], prefix: str) -> None:
        self._data = columns[f"{prefix}_data"]
        self._ends = columns[f"{prefix}_blocks"]
        size: list[int] = columns[f"{prefix}_size"].all().tolist()
        self.block = size[1] if len(size) > 1 else FIRST_BLOCK
        self._number = next(_NUMBERS)
        self._end = weakref.finalize(self, _BLOCKS.drop, self._number)
        self._end.atexit = False
        self._last = (-1, b"")
        self._decompress = zstandard.ZstdDecompressor()

    def blocks(self) -> Iterator[bytes]:
        """Every block, in order."""
        for number in range(len(self._ends.all()) - 1):
            yield self._block(number, scan=True)

    def scan(self) -> Callable[[int, int], bytes]:
        """`get` for many short reads in order: the block that was read last stays at hand."""
        block, low, high, size = b"", 0, 0, self.block

        def read(start: int, end: int) -> bytes:
            nonlocal block, low, high
            if low <= start and end <= high:
                return block[start - low : end - low]
            number = start // size
            if end <= start or end > (number + 1) * size:
                return self.get(start, end, scan=True)
            block = self._block(number, scan=True)
            low = number * size
            high = low + len(block)
            return block[start - low : end - low]

        return read

    def find_in(self, starts: Offsets, ends: Offsets, needle: bytes) -> Offsets:
        """`(n, 2)` row and offset of every `needle` inside some `[start, end)`, which ascend."""
        size, step = self.block, len(needle)
        numbers = starts // size
        bases = numbers * size
        lows: list[int] = (starts - bases).tolist()
        highs: list[int] = (ends - bases).tolist()
        edges = [*np.flatnonzero(np.diff(numbers, prepend=-1)).tolist(), len(lows)]
        found: list[tuple[int, int]] = []
        for first, last in pairwise(edges):
            base = int(bases[first])
            block = self._block(base // size, scan=True)
            for row in range(first, last):
                low, high, text = lows[row], highs[row], block
                if high > size:
                    low, high, text = 0, high - low, self.get(base + low, base + high, scan=True)
                at = text.find(needle, low, high)
                while at >= 0:
                    found.append((row, base + lows[row] - low + at))
                    at = text.find(needle, at + step, high)
        return np.array(found, np.int64).reshape(-1, 2)

    def get(self, start: int, end: int, *, scan: bool = False) -> bytes:
        """Raw bytes `[start, end)`; `scan` for one of many reads in a row."""
        first, last = start // self.block, (end - 1) // self.block
        if first == last or end <= start:
            return (
                self._block(first, scan=scan)[start - first * self.block : end - first * self.block]
                if end > start
                else b""
            )
        whole = b"".join(self._block(number, scan=scan) for number in range(first, last + 1))
        return whole[start - first * self.block : end - first * self.block]

    @cached_property
    def _bounds(self) -> memoryview:
        return memoryview(self._ends.all().data)  # gives int objects

    def _block(self, number: int, *, scan: bool) -> bytes:
        last = self._last
        if last[0] != number:
            last = self._last = (number, self._read(number, scan=scan))
        return last[1]

    def _read(self, number: int, *, scan: bool) -> bytes:
        found = _BLOCKS.get((self._number, number))
        if found is not None:
            return found
        packed = self._data.raw(self._bounds[number], self._bounds[number + 1])
        try:
            raw = self._decompress.decompress(packed, max_output_size=self.block)
        except zstandard.ZstdError as error:
            raise Damaged(
                "damaged_index",
                f"block {number} does not decompress ({error})",
                subject=self._data.source,
                hint="run: grainline doctor --repair",
            ) from error
        _BLOCKS.put((self._number, number), raw, scan=scan)
        return raw

"""Areas: a scan reads what single reads give."""

from __future__ import annotations

import random
import re
from threading import Thread

import numpy as np
import pytest
import zstandard

from grainline.storage.segments.area import BLOCK, FIRST_BLOCK, Area, AreaWriter, BlockCache
from grainline.storage.segments.columns import open_columns, pack_columns


def area(data: bytes) -> Area:
    writer = AreaWriter()
    writer.append(data)
    return Area(open_columns(pack_columns(writer.columns("text")), "here"), "text")


@pytest.mark.parametrize("size", [1, BLOCK, 2 * BLOCK, 2 * BLOCK + 777])
def test_a_scan_reads_what_single_reads_give(size: int) -> None:
    rng = random.Random(size)
    data = rng.randbytes(size)
    made = area(data)
    ends = [0, size, *range(BLOCK, size, BLOCK)]
    read = made.scan()
    for _ in range(2000):
        start = rng.choice([rng.randrange(size + 1), *ends])
        end = min(size, start + rng.choice([0, 1, 100, BLOCK - 1, BLOCK, BLOCK + 1]))
        assert read(start, end) == made.get(start, end) == data[start:end]
    for end in ends:
        assert made.scan()(end, end) == b""


@pytest.mark.parametrize("size", [1, BLOCK, 3 * BLOCK + 777])
def test_what_is_found_in_ranges_is_what_stands_in_each(size: int) -> None:
    rng = random.Random(size)
    data = bytes(rng.choices(b"ab", k=size))
    made = area(data)
    starts = sorted(rng.randrange(size) for _ in range(200))
    ranges = [(start, min(size, start + rng.choice([1, 40, BLOCK + 9]))) for start in starts]
    for needle in (b"a", b"ab", b"abab", bytes(rng.choices(b"ab", k=12))):
        expected = [
            (row, start + found.start())
            for row, (start, end) in enumerate(ranges)
            for found in re.finditer(re.escape(needle), data[start:end])
        ]
        lows, highs = np.array(ranges, np.int64).reshape(-1, 2).T
        assert made.find_in(lows, highs, needle).tolist() == list(map(list, expected))
    nothing = np.empty(0, np.int64)
    assert not len(made.find_in(nothing, nothing, b"a"))


def test_an_area_without_the_size_of_its_blocks_is_one_of_the_first_formats() -> None:
    rng = random.Random(1)
    data = rng.randbytes(2 * FIRST_BLOCK + 5)
    parts = [data[at : at + FIRST_BLOCK] for at in range(0, len(data), FIRST_BLOCK)]
    packed = [zstandard.ZstdCompressor(level=1).compress(part) for part in parts]
    columns = {
        "text_data": np.frombuffer(b"".join(packed), np.uint8),
        "text_blocks": np.cumsum([0, *map(len, packed)], dtype=np.uint64),
        "text_size": np.array([len(data)], np.uint64),
    }
    made = Area(open_columns(pack_columns(columns), "here"), "text")
    for start in (0, FIRST_BLOCK - 3, FIRST_BLOCK, 2 * FIRST_BLOCK - 1):
        assert made.get(start, start + 6) == data[start : start + 6]


def test_an_area_that_is_collected_inside_of_another_one_waits_for_nobody() -> None:
    cache = BlockCache(100)

    class Last(bytes):
        """A block with which another area goes, as a collection may happen anywhere."""

        def __del__(self) -> None:
            cache.drop(2)

    cache.put((1, 0), Last(b"old"), scan=False)
    cache.put((2, 0), b"new", scan=False)
    cache.put((3, 0), b"own", scan=False)
    going = Thread(target=cache.drop, args=(1,), daemon=True)
    going.start()
    going.join(20)
    assert not going.is_alive()
    assert [cache.get((area, 0)) for area in (1, 2, 3)] == [None, None, b"own"]

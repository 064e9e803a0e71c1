"""Areas: a scan reads what single reads give."""

from __future__ import annotations

import random

import pytest

from grainline.storage.segments.area import BLOCK, Area, AreaWriter
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

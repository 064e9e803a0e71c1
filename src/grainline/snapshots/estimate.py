"""What a first index will cost, told before it starts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grainline.model.snapshot import SourceEntry

SECONDS_PER_MEBIBYTE = 0.18  # CPU of one core: 3 x what parsing Kafka (67 MiB) costs
SECONDS_PER_FILE = 0.0003
STORED_PER_BYTE = 0.7  # the most that text and lexical data take on disk per source byte
LARGE_FILES = 20_000
LARGE_BYTES = 200 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Size of what will be read, and a rough cost.

    Attributes:
        files: paths that will be read.
        skipped: paths already known to be skipped.
        bytes: their size together (unknown sizes count 0).
        seconds: CPU seconds of a first index; divide by the number of workers for wall time.
        disk_bytes: the most that the index will take.
        large: worth telling a person before starting.
    """

    files: int
    skipped: int
    bytes: int
    seconds: float
    disk_bytes: int
    large: bool


def estimate(entries: Iterable[SourceEntry]) -> Estimate:
    """The cost of indexing `entries`, from their number and sizes alone."""
    files = skipped = total = 0
    for entry in entries:
        if entry.skip is None:
            files += 1
            total += max(entry.size, 0)
        else:
            skipped += 1
    return Estimate(
        files=files,
        skipped=skipped,
        bytes=total,
        seconds=total / (1 << 20) * SECONDS_PER_MEBIBYTE + files * SECONDS_PER_FILE,
        disk_bytes=int(total * STORED_PER_BYTE),
        large=files > LARGE_FILES or total > LARGE_BYTES,
    )

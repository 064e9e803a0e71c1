"""Named columns in one buffer: the file format of segments and of other immutable parts.

    magic (8) | header length (8) | header (JSON) | padding | column bytes, each 64-byte aligned

The header lists each column's dtype, shape, offset and the CRC-32 of every page of its bytes; the
header has a CRC-32 of its own. A page is checked the first time it is touched, so that opening
costs nothing and a flipped bit is found before its value is used.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from mmap import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grainline.errors import Damaged

MAGIC = b"grainc1\n"
ALIGN = 64
PAGE = 1 << 18
"""Bytes per checksum page: 256 KiB costs about 0.1 ms to check."""

Array = NDArray[Any]
Buffer = bytes | mmap


def pack_columns(columns: Mapping[str, Array]) -> bytes:
    """All `columns` as one buffer; the same arrays give the same bytes."""
    bodies: list[bytes] = []
    rows: list[dict[str, object]] = []
    at = 0
    for name in sorted(columns):
        array = np.ascontiguousarray(columns[name])
        body = array.tobytes()
        rows.append(
            {
                "name": name,
                "dtype": array.dtype.str,
                "shape": list(array.shape),
                "at": at,
                "size": len(body),
                "crc": [zlib.crc32(body[a : a + PAGE]) for a in range(0, len(body), PAGE)],
            }
        )
        padding = -len(body) % ALIGN
        bodies.append(body + b"\0" * padding)
        at += len(body) + padding
    header = json.dumps(rows, separators=(",", ":")).encode()
    lead = MAGIC + len(header).to_bytes(4, "little") + zlib.crc32(header).to_bytes(4, "little")
    padding = -(len(lead) + len(header)) % ALIGN
    return b"".join((lead, header, b"\0" * padding, *bodies))


@dataclass(slots=True)
class Column:
    """One column inside a buffer; pages are verified when first touched."""

    name: str
    source: str
    buffer: Buffer
    at: int
    size: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    crc: list[int]
    checked: bytearray = field(default_factory=bytearray)
    whole: Array | None = None

    def all(self) -> Array:
        """The whole column, verified once."""
        if self.whole is None:
            self.verify(0, self.size)
            flat: Array = np.frombuffer(self.buffer, self.dtype, self._count(), self.at)
            self.whole = flat.reshape(self.shape)
        return self.whole

    def part(self, start: int, end: int) -> Array:
        """Rows `[start, end)` of a one-dimensional column; only their pages are verified."""
        if self.whole is not None and 0 <= start <= end:
            return self.whole[start:end]
        width = self.dtype.itemsize
        if not 0 <= start <= end <= self._count():
            raise self._damaged("a row range outside the column")
        self.verify(start * width, end * width)
        return np.frombuffer(self.buffer, self.dtype, end - start, self.at + start * width)

    def raw(self, start: int, end: int) -> bytes:
        """Bytes `[start, end)`, verified."""
        if not 0 <= start <= end <= self.size:
            raise self._damaged("a byte range outside the column")
        self.verify(start, end)
        return bytes(self.buffer[self.at + start : self.at + end])

    def find(self, part: bytes, start: int) -> int:
        """Offset of `part` at or after `start`, or -1; the whole column is verified first."""
        self.verify(0, self.size)
        found = self.buffer.find(part, self.at + start, self.at + self.size)
        return found - self.at if found >= 0 else -1

    def verify(self, start: int, end: int) -> None:
        """Check the pages of bytes `[start, end)`.

        Raises:
            Damaged: a checksum differs.
        """
        if not self.checked:
            self.checked = bytearray(len(self.crc) + 1)
        for page in range(start // PAGE, -(-end // PAGE)):
            if not self.checked[page]:
                a = self.at + page * PAGE
                b = min(a + PAGE, self.at + self.size)
                if zlib.crc32(memoryview(self.buffer)[a:b]) != self.crc[page]:
                    raise self._damaged("a checksum differs")
                self.checked[page] = 1

    def _count(self) -> int:
        count = 1
        for length in self.shape:
            count *= length
        return count

    def _damaged(self, what: str) -> Damaged:
        return Damaged(
            "damaged_index",
            f"{what} in column {self.name!r}",
            subject=self.source,
            hint="run: grainline doctor --repair",
        )


def held(name: str, array: Array) -> Column:
    """An array as a column that needs no checking."""
    return Column(
        name=name,
        source="memory",
        buffer=b"",
        at=0,
        size=array.nbytes,
        dtype=array.dtype,
        shape=array.shape,
        crc=[],
        whole=array,
    )


def open_columns(buffer: Buffer, source: str) -> dict[str, Column]:
    """The columns of a buffer made by `pack_columns`.

    Raises:
        Damaged: the lead or the header is not what was written, or the buffer is cut.
    """
    broken = Damaged(
        "damaged_index",
        "not a readable index part (cut, foreign or changed)",
        subject=source,
        hint="run: grainline doctor --repair",
    )
    lead = bytes(buffer[:16])
    if len(lead) < 16 or lead[:8] != MAGIC:
        raise broken
    length = int.from_bytes(lead[8:12], "little")
    header = bytes(buffer[16 : 16 + length])
    if len(header) != length or zlib.crc32(header) != int.from_bytes(lead[12:16], "little"):
        raise broken
    base = 16 + length + (-(16 + length) % ALIGN)
    columns: dict[str, Column] = {}
    for row in json.loads(header):
        column = Column(
            name=row["name"],
            source=source,
            buffer=buffer,
            at=base + row["at"],
            size=row["size"],
            dtype=np.dtype(row["dtype"]),
            shape=tuple(row["shape"]),
            crc=row["crc"],
        )
        if column.at + column.size > len(buffer):
            raise broken
        columns[column.name] = column
    return columns

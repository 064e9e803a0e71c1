"""Edge tables as kept values: a head in JSON and the table, each compressed, under a magic."""

from __future__ import annotations

import json
import struct
from typing import Any

import zstandard

from grainline.graph.table import EdgeTable
from grainline.graph.tablebytes import TableError, decode_table, encode_table

LEVEL = 3
_HEAD = struct.Struct("<4sI")


def pack(magic: bytes, head: object, table: EdgeTable) -> bytes:
    """The value of a table, with `head` as JSON beside it."""
    compress = zstandard.ZstdCompressor(LEVEL).compress
    packed = compress(json.dumps(head, separators=(",", ":")).encode())
    return b"".join((_HEAD.pack(magic, len(packed)), packed, compress(encode_table(table))))


def unpack(magic: bytes, value: bytes) -> tuple[Any, EdgeTable] | None:
    """Inverse of `pack`; None for what another version wrote."""
    written, size = _HEAD.unpack_from(value)
    if written != magic:
        return None
    at = _HEAD.size + size
    decompress = zstandard.ZstdDecompressor().decompress
    head = json.loads(decompress(value[_HEAD.size : at]))
    try:
        return head, decode_table(decompress(value[at:]))
    except TableError:
        return None


def words_of(paths: tuple[bytes, ...]) -> list[str]:
    """Paths as JSON has them."""
    return [path.decode("latin-1") for path in paths]


def paths_of(words: list[str]) -> tuple[bytes, ...]:
    """Inverse of `words_of`."""
    return tuple(word.encode("latin-1") for word in words)

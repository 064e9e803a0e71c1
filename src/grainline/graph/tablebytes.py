"""`EdgeTable` <-> bytes: columns one after the other, versioned, checked when read."""

from __future__ import annotations

import struct
from itertools import accumulate, pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from grainline.graph.table import (
    EMPTY,
    METHODS,
    TYPES,
    WHYS,
    EdgeColumns,
    EdgeTable,
    UnresolvedColumns,
)
from grainline.model.edge import Tier

TABLE_VERSION: Final = 1
"""1: first."""

_HEAD = struct.Struct("<4sHQQQQQQQ")
_MAGIC = b"GLET"


class TableError(ValueError):
    """Bytes that are no table of this version."""


def encode_table(table: EdgeTable) -> bytes:
    """`table` as bytes; equal tables give equal bytes."""
    keys = _words(table.keys)
    names = _words([name.encode("utf-8", "surrogatepass") for name in table.names])
    head = _HEAD.pack(
        _MAGIC, TABLE_VERSION, len(table.keys), len(keys), len(table.names), len(names),
        len(table), len(table.unresolved.src), table.cuts,
    )  # fmt: skip
    columns = [column.tobytes() for column in (*table.edges, *table.unresolved)]
    return b"".join((head, keys, names, *columns))


def decode_table(data: bytes | memoryview) -> EdgeTable:
    """Inverse of `encode_table`.

    Raises:
        TableError: it is not what `encode_table` writes, or refers to what is not there.
    """
    view = memoryview(data)
    if len(view) < _HEAD.size:
        raise TableError("size")
    magic, version, n_keys, key_bytes, n_names, name_bytes, n_edges, n_calls, cuts = (
        _HEAD.unpack_from(view)
    )
    if magic != _MAGIC or version != TABLE_VERSION:
        raise TableError("head")
    at = _HEAD.size
    keys = _split(view[at : at + key_bytes], n_keys)
    at += key_bytes
    names = _split(view[at : at + name_bytes], n_names)
    at += name_bytes
    found: list[NDArray[Any]] = []
    for count, columns in ((n_edges, EMPTY.edges), (n_calls, EMPTY.unresolved)):
        for column in columns:
            end = at + count * column.dtype.itemsize
            if end > len(view):
                raise TableError("column")
            found.append(np.frombuffer(view[at:end], column.dtype))
            at = end
    if at != len(view):
        raise TableError("length")
    edges = EdgeColumns._make(found[: len(EMPTY.edges)])
    calls = UnresolvedColumns._make(found[len(EMPTY.edges) :])
    _check(edges, calls, n_keys, n_names)
    try:
        said = tuple(name.decode("utf-8", "surrogatepass") for name in names)
    except UnicodeDecodeError as error:
        raise TableError("names") from error
    return EdgeTable(keys=keys, edges=edges, unresolved=calls, names=said, cuts=cuts)


def _check(edges: EdgeColumns, calls: UnresolvedColumns, n_keys: int, n_names: int) -> None:
    bounds = (
        (edges.src, n_keys), (edges.dst, n_keys), (edges.type, len(TYPES)),
        (edges.tier, len(Tier)), (edges.methods, 1 << len(METHODS)),
        (calls.src, n_keys), (calls.name, n_names), (calls.why, len(WHYS)),
    )  # fmt: skip
    for column, limit in bounds:
        if len(column) and (int(column.min()) < 0 or int(column.max()) >= limit):
            raise TableError("number")
    for sources in (edges.src, calls.src):
        if len(sources) and bool((np.diff(sources) < 0).any()):
            raise TableError("order")


def _words(words: tuple[bytes, ...] | list[bytes]) -> bytes:
    ends = np.fromiter(accumulate(map(len, words)), np.uint32, len(words))
    return ends.tobytes() + b"".join(words)


def _split(view: memoryview, count: int) -> tuple[bytes, ...]:
    if len(view) < 4 * count:
        raise TableError("words")
    ends = np.frombuffer(view[: 4 * count], np.uint32).tolist()
    raw = bytes(view[4 * count :])
    if (ends[-1] if ends else 0) != len(raw) or any(a > b for a, b in pairwise(ends)):
        raise TableError("words")
    return tuple(raw[a:b] for a, b in pairwise([0, *ends]))

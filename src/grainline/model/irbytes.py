"""`FileIr` <-> bytes: versioned, bounded, and checked as coming from a hostile worker."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from grainline.model.ir import WIDTHS, Columns, FileIr, Op
from grainline.model.ircheck import VALUE_OPERANDS, IrError, check_ir

IR_VERSION: Final = 3
"""1: first. 2: receivers, members outside of their type, exports, packages, interfaces, flags.
3: jumps."""

MAX_IR: Final = 64 << 20
"""Bytes of one encoded file; 1 MiB of source takes about 2 MiB."""

MAX_ROWS: Final = 1 << 24
_HEAD = struct.Struct("<4sHIIIIII")  # magic, version, bytes of names, names, rows of each
_MAGIC = b"GLIR"
_TYPES = (np.dtype("<i1"), np.dtype("<i2"), np.dtype("<i4"))
_TOPS = (1 << 7, 1 << 15, 1 << 31)


def encode_ir(ir: FileIr) -> bytes:
    """`ir` as bytes: columns of the narrowest integers, as differences where they are smaller."""
    names = b"".join(
        struct.pack("<I", len(raw)) + raw
        for raw in (name.encode("utf-8", "surrogatepass") for name in ir.names)
    )
    tables: list[Columns] = [ir.scopes, _near(ir.ops), ir.ports, ir.params]
    parts = [
        _HEAD.pack(_MAGIC, IR_VERSION, len(names), len(ir.names), *map(len, tables)),
        names,
    ]
    for table in tables:
        parts += _packed(table)
    return b"".join(parts)


def _near(ops: Columns) -> Columns:
    """Operations with small numbers: registers as how far back they are, ends as lengths."""
    near = np.array(ops)
    numbers = np.arange(len(ops), dtype=np.int32)
    for column, table in enumerate(VALUE_OPERANDS, 1):
        held = table[ops[:, 0]]
        near[:, column][held] = np.where(ops[:, column] < 0, 0, numbers - ops[:, column])[held]
    near[:, 5] -= ops[:, 4]
    return near


def _far(near: Columns) -> Columns:
    """The inverse of `_near`, over numbers that may be anything."""
    if len(near) and (near[:, 0].min() < 0 or near[:, 0].max() > max(Op)):
        raise IrError("operation")
    ops = near.astype(np.int64)
    numbers = np.arange(len(ops), dtype=np.int64)
    for column, table in enumerate(VALUE_OPERANDS, 1):
        held = table[ops[:, 0]]
        back = ops[:, column]
        back[held] = np.where(back == 0, -1, numbers - back)[held]
    ops[:, 5] += ops[:, 4]
    if len(ops) and (ops.min() < -(1 << 31) or ops.max() >= 1 << 31):
        raise IrError("operand")
    return ops.astype(np.int32)


def _packed(table: Columns) -> Iterator[bytes]:
    """Each column: a byte that says type and form, and the numbers.

    These are plain, or each less the one before where that takes smaller numbers. All columns are
    looked at together: most files are small, and then numpy costs by the call.
    """
    plain = table.T.astype(np.int64, order="C")
    steps = plain.copy()
    steps[:, 1:] -= plain[:, :-1]
    for column, differences, own, other in zip(
        plain, steps, _widths(plain), _widths(steps), strict=True
    ):
        form = int(other < own)
        width = min(own, other)
        yield _MARKS[form << 4 | width]
        yield (differences if form else column).astype(_TYPES[width]).tobytes()


_MARKS = [bytes([mark]) for mark in range(32)]


def _widths(numbers: NDArray[np.int64]) -> list[int]:
    """For each row, the place of the type that holds all of it."""
    if not numbers.size:
        return [0] * len(numbers)
    lows: list[int] = numbers.min(1).tolist()
    highs: list[int] = numbers.max(1).tolist()
    return [
        next((at for at, top in enumerate(_TOPS) if -top <= low and high < top), len(_TOPS))
        for low, high in zip(lows, highs, strict=True)
    ]


def decode_ir(data: bytes | memoryview, *, size: int, checked: bool = False) -> FileIr:
    """The IR that `data` holds, every number of it checked.

    Args:
        data: hostile bytes.
        size: bytes of the text it is of; no position is beyond.
        checked: the same bytes were decoded before, so what numbers refer to is there.

    Raises:
        IrError: it is not of the form that `encode_ir` writes, or refers to what is not there.
    """
    view = memoryview(data)
    if not _HEAD.size <= len(view) <= MAX_IR:
        raise IrError("size")
    magic, version, name_bytes, n_names, *rows = _HEAD.unpack_from(view)
    if magic != _MAGIC or version != IR_VERSION or max(rows) > MAX_ROWS:
        raise IrError("head")
    at = _HEAD.size + name_bytes
    names = _names(bytes(view[_HEAD.size : at]), n_names, name_bytes)
    tables: list[Columns] = []
    for width, count in zip(WIDTHS, rows, strict=True):
        table = np.empty((count, width), np.int32)
        for column in range(width):
            at = _unpack(view, at, table[:, column])
        tables.append(table)
    if at != len(view):
        raise IrError("length")
    scopes, ops, ports, params = tables
    ir = FileIr(names=names, scopes=scopes, ops=_far(ops), ports=ports, params=params)
    if not checked:
        check_ir(ir, size=size)
    return ir


def names_of(data: bytes | memoryview) -> tuple[str, ...]:
    """The names of an IR that was decoded before."""
    view = memoryview(data)
    _, _, name_bytes, n_names, *_ = _HEAD.unpack_from(view)
    return _names(bytes(view[_HEAD.size : _HEAD.size + name_bytes]), n_names, name_bytes)


def _names(raw: bytes, count: int, size: int) -> tuple[str, ...]:
    if len(raw) != size or count * 4 > size:
        raise IrError("names")
    names: list[str] = []
    at = 0
    for _ in range(count):
        if at + 4 > size:
            raise IrError("names")
        (length,) = struct.unpack_from("<I", raw, at)
        end = at + 4 + length
        if end > size:
            raise IrError("names")
        try:
            names.append(raw[at + 4 : end].decode("utf-8", "surrogatepass"))
        except UnicodeDecodeError as error:
            raise IrError("names") from error
        at = end
    if at != size:
        raise IrError("names")
    return tuple(names)


def _unpack(view: memoryview, at: int, out: NDArray[np.int32]) -> int:
    if at >= len(view) or view[at] not in _FORMS:
        raise IrError("column")
    form, width = divmod(view[at], 16)
    kind = _TYPES[width]
    end = at + 1 + len(out) * kind.itemsize
    if end > len(view):
        raise IrError("column")
    numbers = np.frombuffer(view[at + 1 : end], kind)
    if form:
        numbers = np.cumsum(numbers, dtype=np.int64)
        if len(numbers) and (numbers.min() < -(1 << 31) or numbers.max() >= 1 << 31):
            raise IrError("column")
    out[:] = numbers
    return end


_FORMS = frozenset(form << 4 | width for form in (0, 1) for width in range(len(_TYPES)))

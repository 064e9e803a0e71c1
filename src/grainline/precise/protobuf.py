"""The wire format of protocol buffers: bounded reading of hostile bytes, and writing.

A message is a run of fields `(number, value)`. Nothing is copied or set aside by what a length
claims, only by what is there; nesting is as deep as the reader's own functions call each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

VARINT: Final = 0
FIXED64: Final = 1
BYTES: Final = 2
FIXED32: Final = 5
_FIXED: Final = {FIXED64: 8, FIXED32: 4}

MAX_VARINT: Final = 10
"""Bytes of the longest number."""
MAX_NUMBER: Final = (1 << 29) - 1
"""The greatest number of a field."""

Value: TypeAlias = "int | tuple[int, int]"
"""A number, or where the bytes of a field stand: `[start, end)` of the whole buffer."""


class Malformed(Exception):  # noqa: N818 - caught where a message is read, never seen outside
    """The bytes are no message; the text says what is wrong and where."""


def fields(buffer: bytes, start: int, end: int) -> Iterator[tuple[int, Value]]:
    """The fields of the message `buffer[start:end]`, in the order in which they stand.

    Raises:
        Malformed: a number or a length leads out of the message, or a field is of no known kind.
    """
    at = start
    while at < end:
        tag = buffer[at]
        if tag < 0x80:
            at += 1
        else:
            tag, at = varint(buffer, at, end)
        kind = tag & 7
        number = tag >> 3
        if not 0 < number <= MAX_NUMBER:
            raise Malformed(f"a field has the number {number} at byte {at}")
        if kind == BYTES:
            size, at = varint(buffer, at, end)
            if size > end - at:
                raise Malformed(f"a field of {size} bytes at byte {at} leads out of its message")
            yield number, (at, at + size)
            at += size
        elif kind == VARINT:
            value, at = varint(buffer, at, end)
            yield number, value
        elif kind in _FIXED:
            size = _FIXED[kind]
            if size > end - at:
                raise Malformed(f"a number at byte {at} leads out of its message")
            yield number, int.from_bytes(buffer[at : at + size], "little")
            at += size
        else:
            raise Malformed(f"a field of kind {kind} at byte {at}")


def varint(buffer: bytes, at: int, end: int) -> tuple[int, int]:
    """The number at `at` (unsigned, below 2**64) and where it ends.

    Raises:
        Malformed: it leads out of the message or is too long.
    """
    value = shift = 0
    for place in range(at, min(end, at + MAX_VARINT)):
        byte = buffer[place]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >> 64:
                break
            return value, place + 1
        shift += 7
    raise Malformed(f"no number at byte {at}")


def packed(buffer: bytes, start: int, end: int, most: int) -> list[int]:
    """The numbers of a packed field, at most `most`.

    Raises:
        Malformed: there are more, or one of them is none.
    """
    found: list[int] = []
    at = start
    while at < end:
        if len(found) >= most:
            raise Malformed(f"more than {most} numbers in the field at byte {start}")
        value, at = varint(buffer, at, end)
        found.append(value)
    return found


def number(given: Value, *, most: int = (1 << 31) - 1) -> int:
    """The value of a field that holds a number, from 0 to `most`.

    Raises:
        Malformed: the field holds bytes, or the number is out of range.
    """
    if not isinstance(given, int) or not 0 <= given <= most:
        raise Malformed(f"{given!r} is no number from 0 to {most}")
    return given


def place(given: Value) -> tuple[int, int]:
    """Where the bytes of a field stand.

    Raises:
        Malformed: the field holds a number.
    """
    if isinstance(given, int):
        raise Malformed(f"the number {given} stands where bytes should")
    return given


# ------------------------------------------------------------------------------ writing


def put_number(number: int, value: int) -> bytes:
    """A field that holds a number from 0; nothing for 0, which is the default."""
    return _varint(number << 3 | VARINT) + _varint(value) if value else b""


def put_bytes(number: int, value: bytes) -> bytes:
    """A field that holds bytes or a message."""
    return _varint(number << 3 | BYTES) + _varint(len(value)) + value


def put_text(number: int, value: str) -> bytes:
    """A field that holds text; nothing for an empty one. What is no UTF-8 becomes `?`."""
    return put_bytes(number, value.encode("utf-8", "replace")) if value else b""


def put_packed(number: int, values: Iterable[int]) -> bytes:
    """A field that holds numbers from 0, packed."""
    return put_bytes(number, b"".join(map(_varint, values)))


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)

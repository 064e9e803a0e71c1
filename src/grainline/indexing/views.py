"""The two forms in which a blob is looked at: as it is stored, and as text. Pure.

The *masked view* is the stored bytes with every secret replaced by as many filler bytes; it is all
of a blob that ever leaves a worker. The *working text* is the same in UTF-8.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.model.snapshot import Flag, FlagName
from grainline.text.decode import Decoded, Undecodable, decode
from grainline.text.secrets import FILLER, SecretSpan, mask


class View(NamedTuple):
    """Both forms of one blob.

    `offsets` maps a position in `working` to one in `stored`, None when they are the same bytes;
    `encoding` is that of `stored`.
    """

    stored: bytes
    working: bytes
    encoding: str
    offsets: NDArray[np.int64] | None
    flags: tuple[Flag, ...]


def view_of(data: bytes, *, hint: str = "") -> View | Undecodable:
    """Both forms of stored bytes, or why they are no text.

    Args:
        data: the stored bytes.
        hint: language that the path suggests; only flags depend on it.
    """
    decoded = decode(data, hint=hint)
    if isinstance(decoded, Undecodable):
        return decoded
    stored, found = mask(data)
    if decoded.offsets is not None:
        stored, more = _mask_transcoded(stored, decoded, decoded.offsets)
        found += more
    if not found:
        return View(data, decoded.text, decoded.encoding, decoded.offsets, decoded.flags)
    decoded = decode(stored, hint=hint)
    if isinstance(decoded, Undecodable):
        return decoded
    marks = {Flag(FlagName.SECRET, f"content:{span.rule}") for span in found}
    flags = tuple(sorted({*decoded.flags, *marks}))
    return View(stored, decoded.text, decoded.encoding, decoded.offsets, flags)


def masked_view(data: bytes) -> bytes:
    """The masked view of stored bytes, b"" when nothing of them is ever kept."""
    view = view_of(data)
    return b"" if isinstance(view, Undecodable) else view.stored


def _mask_transcoded(
    stored: bytes, decoded: Decoded, offsets: NDArray[np.int64]
) -> tuple[bytes, tuple[SecretSpan, ...]]:
    """`stored` without the secrets that show in its text only (UTF-16 is not ASCII)."""
    _, spans = mask(decoded.text)
    filler = FILLER.decode().encode(decoded.encoding)
    out = bytearray(stored)
    for span in spans:
        start, end = int(offsets[span.start]), int(offsets[span.end])
        out[start:end] = filler * ((end - start) // len(filler))
    return bytes(out), spans

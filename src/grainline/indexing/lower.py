"""Blobs -> their IR, in the same killable workers as everything else that parses.

A request is that of the analysis, the blobs being masked views; an answer is one record for each:
a word that says what stood against it, and the IR. Answers are checked like those of the analysis.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.indexing.frames import FrameError, Job, Task
from grainline.indexing.hints import language_of
from grainline.indexing.views import view_of
from grainline.languages.detect import HEAD
from grainline.model.ir import FileIr
from grainline.model.irbytes import decode_ir, encode_ir
from grainline.model.ircheck import IrError
from grainline.parsing.facts import lower
from grainline.text.decode import Undecodable

CODES = ("", "no_text", "too_large", "too_deep", "parser_timeout", "parser_crash")
"""What can stand against an IR; "" nothing, or the language has none."""

_COUNT = struct.Struct("<I")
_RECORD = struct.Struct("<BI")


class Lowered(NamedTuple):
    """The IR of one blob as bytes, b"" for none, and what stood against it."""

    ir: bytes
    code: str


def lower_all(tasks: Sequence[Task]) -> list[bytes]:
    """The answer to one request, in pieces: what a worker does."""
    found = [_lower(task) for task in tasks]
    records = [_RECORD.pack(CODES.index(each.code), len(each.ir)) for each in found]
    return [_COUNT.pack(len(found)), *records, *(each.ir for each in found)]


def _lower(task: Task) -> Lowered:
    language = language_of(task.hint, task.data[:HEAD])
    view = view_of(task.data, hint=language)
    if isinstance(view, Undecodable):
        return Lowered(b"", "no_text")
    if view.offsets is not None:
        language = language_of(task.hint, view.working[:HEAD])
    ir, code = lower(view.working, language) if language else (None, "")
    if ir is None:
        return Lowered(b"", code if code in CODES else "parser_crash")
    return Lowered(placed_ir(ir, view.offsets), "")


def placed_ir(ir: FileIr | None, offsets: NDArray[np.int64] | None) -> bytes:
    """The IR with its positions moved from the working text to the stored bytes; b"" for none."""
    if ir is None:
        return b""
    return encode_ir(ir if offsets is None else _placed(ir, offsets))


def _placed(ir: FileIr, offsets: NDArray[np.int64]) -> FileIr:
    scopes, ops, params = np.array(ir.scopes), np.array(ir.ops), np.array(ir.params)
    scopes[:, 3:6] = offsets[scopes[:, 3:6]]
    ops[:, 4:6] = offsets[ops[:, 4:6]]
    params[:, 4] = offsets[params[:, 4]]
    return replace(ir, scopes=scopes, ops=ops, params=params)


def read_lowered(payload: bytes, jobs: Sequence[Job]) -> tuple[Lowered, ...]:
    """The answer to `jobs`, every IR of it checked.

    Raises:
        FrameError: it is not a well-formed answer to exactly these jobs.
    """
    head = _COUNT.size + len(jobs) * _RECORD.size
    if len(payload) < head or _COUNT.unpack_from(payload)[0] != len(jobs):
        raise FrameError("one record per job")
    at = head
    found: list[Lowered] = []
    for job, (code, size) in zip(
        jobs, _RECORD.iter_unpack(payload[_COUNT.size : head]), strict=True
    ):
        ir = payload[at : at + size]
        if code >= len(CODES) or len(ir) != size:
            raise FrameError("a record ends in the payload")
        if ir:
            try:
                decode_ir(ir, size=len(job.data))
            except IrError as error:
                raise FrameError(f"IR: {error}") from error
        found.append(Lowered(ir, CODES[code]))
        at += size
    if at != len(payload):
        raise FrameError("nothing after the last record")
    return tuple(found)

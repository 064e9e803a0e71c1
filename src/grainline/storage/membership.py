"""Membership: the sorted paths of one view with their blobs, as one compressed, immutable value."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import zstandard
from numpy.typing import NDArray

from grainline.errors import Damaged
from grainline.model.snapshot import BlobId, Entry, Flag, FlagName, Mode, Outcome, Reason
from grainline.storage.content import Content
from grainline.storage.segments.columns import Array, open_columns, pack_columns
from grainline.storage.segments.segment import BlobMeta
from grainline.storage.segments.words import Words, word_columns

NO_BLOB = 0xFFFFFFFF
MODES = tuple(Mode)
OUTCOMES = tuple(Outcome)
REASONS = tuple(Reason)
NO_REASON = 255
FLAGS = {flag: number for number, flag in enumerate(FlagName)}


class Row:
    """One path on its way into a membership; `blob` and `path_number` are store-wide numbers."""

    __slots__ = (
        "blob", "detail", "flags", "mode", "outcome", "path", "path_number", "raw_id", "reason",
        "signature", "size",
    )  # fmt: skip

    def __init__(
        self,
        *,
        path: bytes,
        path_number: int,
        blob: int,
        mode: Mode,
        size: int,
        outcome: Outcome,
        reason: Reason | None,
        detail: str,
        flags: tuple[Flag, ...],
        raw_id: bytes,
        signature: tuple[int, ...],
    ) -> None:
        self.path = path
        self.path_number = path_number
        self.blob = blob
        self.mode = mode
        self.size = size
        self.outcome = outcome
        self.reason = reason
        self.detail = detail
        self.flags = flags
        self.raw_id = raw_id
        self.signature = signature


def pack_membership(rows: Sequence[Row]) -> bytes:
    """`rows`, sorted by path, as one compressed value; equal rows give equal bytes."""
    n = len(rows)
    flags: dict[str, int] = {}
    details: dict[str, int] = {}
    width = max((len(row.signature) for row in rows), default=0)
    raw = max((len(row.raw_id) for row in rows), default=0)
    columns: dict[str, Array] = {
        **word_columns("path", [row.path for row in rows]),
        "number": np.fromiter((row.path_number for row in rows), np.uint32, n),
        "blob": np.fromiter((row.blob for row in rows), np.uint32, n),
        "mode": np.fromiter((MODES.index(row.mode) for row in rows), np.uint8, n),
        "size": np.fromiter((row.size for row in rows), np.int64, n),
        "outcome": np.fromiter((OUTCOMES.index(row.outcome) for row in rows), np.uint8, n),
        "reason": np.fromiter(
            (NO_REASON if row.reason is None else REASONS.index(row.reason) for row in rows),
            np.uint8,
            n,
        ),
        "detail": np.fromiter(
            (details.setdefault(row.detail, len(details)) for row in rows), np.uint32, n
        ),
        "flags": np.fromiter(
            (flags.setdefault(_flag_text(row.flags), len(flags)) for row in rows), np.uint32, n
        ),
        "signature": np.array([row.signature or (0,) * width for row in rows], np.int64).reshape(
            n, width
        ),
        "raw": np.frombuffer(
            b"".join(row.raw_id.ljust(raw, b"\0") for row in rows), np.uint8
        ).reshape(n, raw),
        "tables": np.frombuffer(json.dumps([list(flags), list(details)]).encode(), np.uint8),
    }
    return zstandard.ZstdCompressor(level=3).compress(pack_columns(columns))


def _flag_text(flags: tuple[Flag, ...]) -> str:
    return json.dumps([[flag.name, flag.rule] for flag in flags])


class Membership:
    """A membership, read. Row `i` is the `i`-th path in byte order."""

    def __init__(self, data: bytes, source: str) -> None:
        try:
            raw = zstandard.ZstdDecompressor().decompress(data, max_output_size=1 << 32)
        except zstandard.ZstdError as error:
            raise Damaged(
                "damaged_index",
                f"a membership does not decompress ({error})",
                subject=source,
                hint="run: grainline doctor --repair",
            ) from error
        self._columns = open_columns(raw, source)
        self.paths = Words(self._columns, "path")
        self.numbers: NDArray[np.uint32] = self._columns["number"].all()
        self.blobs: NDArray[np.uint32] = self._columns["blob"].all()
        self.outcomes: NDArray[np.uint8] = self._columns["outcome"].all()
        tables = json.loads(self._columns["tables"].raw(0, self._columns["tables"].size))
        self.flag_sets = tuple(
            tuple(Flag(FlagName(name), rule) for name, rule in json.loads(text))
            for text in tables[0]
        )
        self.flag_rows: NDArray[np.uint32] = self._columns["flags"].all()
        self._details: list[str] = tables[1]

    def __len__(self) -> int:
        return len(self.paths)

    @cached_property
    def flag_bits(self) -> NDArray[np.uint32]:
        """`(n,)` bit `1 << i` for the i-th `FlagName`, of the path flags."""
        if not self.flag_sets:
            return np.zeros(0, np.uint32)
        return np.array([flag_bits(flags) for flags in self.flag_sets], np.uint32)[self.flag_rows]

    def signature(self, row: int) -> tuple[int, ...]:
        """Stat signature, () when none was kept."""
        values = tuple(int(value) for value in self._columns["signature"].all()[row])
        return values if any(values) else ()

    def raw_id(self, row: int) -> bytes:
        """Raw git blob id, b"" when unknown."""
        raw: bytes = self._columns["raw"].all()[row].tobytes()
        return raw if any(raw) else b""

    def entry(self, row: int, content: Content) -> Entry:
        """The entry of a row, with what its blob says."""
        blob = int(self.blobs[row])
        mode = MODES[int(self._columns["mode"].all()[row])]
        size = int(self._columns["size"].all()[row])
        flags = self.flag_sets[int(self.flag_rows[row])]
        if blob == NO_BLOB:
            reason = int(self._columns["reason"].all()[row])
            return Entry(
                path=self.paths[row],
                mode=mode,
                blob=None,
                language="",
                outcome=OUTCOMES[int(self.outcomes[row])],
                reason=None if reason == NO_REASON else REASONS[reason],
                detail=self._details[int(self._columns["detail"].all()[row])],
                flags=flags,
                symbols=0,
                size=size,
            )
        segment, local = content.blob(blob)
        meta = segment.meta(local)
        indexed = meta.outcome in (Outcome.INDEXED, Outcome.INDEXED_AS_TEXT)
        return Entry(
            path=self.paths[row],
            mode=mode,
            blob=segment.masked(local) if indexed else None,
            language=meta.language,
            outcome=meta.outcome,
            reason=meta.reason,
            detail=meta.detail,
            flags=tuple(sorted({*flags, *meta.flags})),
            symbols=meta.symbols,
            size=size,
        )


def flag_bits(flags: tuple[Flag, ...]) -> int:
    """Bit `1 << i` for the i-th `FlagName`."""
    bits = 0
    for flag in flags:
        bits |= 1 << FLAGS[flag.name]
    return bits


def view_digest(
    entries: Sequence[tuple[bytes, BlobId | None, BlobMeta | None, Row]], base: str
) -> str:
    """Digest of what a view holds: content and membership only, no number of the store."""
    state = hashlib.sha256(base.encode())
    for path, blob, meta, row in entries:
        outcome = meta.outcome if meta else row.outcome
        reason = meta.reason if meta else row.reason
        line = (len(path), row.mode, blob, meta.language if meta else "", outcome, reason)
        state.update(f"{line!r}{_flag_text(row.flags)}".encode() + path)
    return state.hexdigest()[:16]

"""Membership: the sorted paths of one view with their blobs, as one compressed, immutable value.

A membership is stored whole, or as the difference to another one of its repository: branches and
consecutive commits share most of their rows. The digest of a view is a sum over its rows, so that a
change of few paths, or of what a reader may see, costs what changes.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

from grainline.errors import Damaged
from grainline.model.snapshot import (
    Entry,
    Flag,
    Mode,
    Outcome,
    Reason,
    Snapshot,
    SourceEntry,
    heard,
    standing,
)
from grainline.storage.base import MemberEntry
from grainline.storage.codes import (
    MODE_NUMBER,
    MODES,
    NO_REASON,
    OUTCOME_NUMBER,
    OUTCOMES,
    REASON_NUMBER,
    REASONS,
    flag_text,
    flags_of,
    standing_bits,
)
from grainline.storage.content import Content
from grainline.storage.segments.columns import Array, held, open_columns, pack_columns
from grainline.storage.segments.words import Words, word_columns

NO_BLOB = 0xFFFFFFFF
ROW_COLUMNS = (
    "number", "blob", "mode", "size", "outcome", "reason", "detail", "flags", "signature", "raw",
    "dirty",
)  # fmt: skip
SUM_BITS = 256
"""Width of the sum that identifies the rows of a view."""


class Row(NamedTuple):
    """One path on its way into a membership; `blob` and `path_number` are store-wide numbers.

    `dirty` says that a work-tree path is not what the commit under it holds.
    """

    path: bytes
    path_number: int
    blob: int
    mode: Mode
    size: int
    outcome: Outcome
    reason: Reason | None
    detail: str
    flags: tuple[Flag, ...]
    raw_id: bytes
    signature: tuple[int, ...]
    dirty: bool


class Cells(NamedTuple):
    """What a row says beside its columns of numbers."""

    mode: Mode
    size: int
    detail: str
    signature: tuple[int, ...]


class Packed(NamedTuple):
    """A membership as it is stored: `base` names the membership that it differs from, or is None."""

    base: str | None
    data: bytes

    @property
    def digest(self) -> str:
        """Its name; equal for equal bytes and base."""
        return hashlib.sha256(f"{self.base}\0".encode() + self.data).hexdigest()


class Membership:
    """Rows by path, in byte order. Row `i` is the `i`-th path.

    Args:
        columns: `path_bytes`, `path_ends` and `ROW_COLUMNS`, one row per path.
        flag_texts: what the numbers of column `flags` mean.
        details: what those of column `detail` mean.
        missing: paths that the commit under a work tree holds and the work tree does not, sorted.
        paths: the path columns, opened, when they are.
    """

    def __init__(
        self,
        columns: Mapping[str, Array],
        flag_texts: Sequence[str],
        details: Sequence[str],
        missing: Sequence[bytes],
        paths: Words | None = None,
    ) -> None:
        self._columns = columns
        self._flag_texts = tuple(flag_texts)
        self._details = tuple(details)
        self.missing = tuple(missing)
        if paths is None:
            paths = Words({name: held(name, columns[name]) for name in _PATHS}, "path")
        self.paths = paths
        self.numbers: NDArray[np.uint32] = columns["number"]
        self.blobs: NDArray[np.uint32] = columns["blob"]
        self.outcomes: NDArray[np.uint8] = columns["outcome"]
        self.reasons: NDArray[np.uint8] = columns["reason"]
        self.dirty: NDArray[np.uint8] = columns["dirty"]
        self.flag_sets = tuple(map(flags_of, self._flag_texts))
        self.flag_rows: NDArray[np.uint32] = columns["flags"]

    @classmethod
    def of(cls, rows: Sequence[Row], missing: Iterable[bytes] = ()) -> Membership:
        """A membership of `rows`, which are sorted by path."""
        flags: dict[str, int] = {}
        details: dict[str, int] = {}
        n = len(rows)
        columns: dict[str, Array] = {
            **word_columns("path", [row.path for row in rows]),
            "number": np.fromiter((row.path_number for row in rows), np.uint32, n),
            "blob": np.fromiter((row.blob for row in rows), np.uint32, n),
            "mode": np.fromiter((MODE_NUMBER[row.mode] for row in rows), np.uint8, n),
            "size": np.fromiter((row.size for row in rows), np.int64, n),
            "outcome": np.fromiter((OUTCOME_NUMBER[row.outcome] for row in rows), np.uint8, n),
            "reason": np.fromiter((REASON_NUMBER[row.reason] for row in rows), np.uint8, n),
            "detail": np.fromiter(
                (details.setdefault(row.detail, len(details)) for row in rows), np.uint32, n
            ),
            "flags": np.fromiter(
                (flags.setdefault(flag_text(row.flags), len(flags)) for row in rows), np.uint32, n
            ),
            "signature": _table([row.signature for row in rows], np.int64),
            "raw": _table([row.raw_id for row in rows], np.uint8),
            "dirty": np.fromiter((row.dirty for row in rows), np.uint8, n),
        }
        return cls(columns, tuple(flags), tuple(details), sorted(missing))

    def __len__(self) -> int:
        return len(self.paths)

    # ------------------------------------------------------------------ storing

    def pack(self) -> Packed:
        """The whole, by itself; equal rows give equal bytes."""
        return Packed(None, _compress({**self._columns, **self._tables()}))

    def pack_against(self, base: Membership, name: str) -> Packed | None:
        """The difference to `base`, which is stored under `name`; None when the whole is no larger."""
        same, at = self._matches(base)
        added, kept = np.flatnonzero(~same), np.zeros(len(base), np.bool_)
        kept[at[same]] = True
        removed = np.flatnonzero(~kept).astype(np.uint32)
        if len(added) + len(removed) > len(self) // MAX_DIFFERENCE:
            return None
        part = self.take(added)
        return Packed(
            name, _compress({**part._columns, **part._tables(self.missing), "removed": removed})
        )

    @classmethod
    def unpack(cls, packed: Packed, base: Membership | None, source: str) -> Membership:
        """Inverse of `pack` and, with the base, of `pack_against`.

        Raises:
            Damaged: the bytes are not what was stored.
        """
        columns = {
            name: column.all()
            for name, column in open_columns(_raw(packed, source), source).items()
        }
        tables = json.loads(columns.pop("tables").tobytes())
        missing = columns.pop("missing").tobytes().split(b"\0")[:-1]
        removed = columns.pop("removed", None)
        found = cls(columns, tables[0], tables[1], missing)
        if base is None or removed is None:
            return found
        return base.patched(removed.astype(np.int64), found)

    def _tables(self, missing: Sequence[bytes] | None = None) -> dict[str, Array]:
        gone = self.missing if missing is None else missing
        tables = json.dumps([self._flag_texts, self._details]).encode()
        return {
            "tables": np.frombuffer(tables, np.uint8),
            "missing": np.frombuffer(b"".join(path + b"\0" for path in gone), np.uint8),
        }

    # ------------------------------------------------------------------ changing

    def patched(self, removed: NDArray[np.int64], added: Membership) -> Membership:
        """These rows without `removed`, with all rows of `added`; `missing` is that of `added`."""
        if len(removed) == len(added) and all(
            self.paths[row] == path for row, path in zip(removed.tolist(), added.paths, strict=True)
        ):
            return self._rewritten(removed, added)
        kept = np.ones(len(self), np.bool_)
        kept[removed] = False
        base, other = self.take(np.flatnonzero(kept)), added
        at = np.fromiter((base.paths.place(path) for path in other.paths), np.int64, len(other))
        flags, flag_rows = _joined(base._flag_texts, other._flag_texts, other.flag_rows)
        details, detail_rows = _joined(base._details, other._details, other._columns["detail"])
        theirs = {**other._columns, "flags": flag_rows, "detail": detail_rows}
        columns: dict[str, Array] = {
            name: np.insert(*_alike(base._columns[name], theirs[name], at), axis=0)
            for name in ROW_COLUMNS
        }
        columns |= _insert_paths(base.paths, other.paths, at)
        return Membership(columns, flags, details, added.missing)

    def _rewritten(self, rows: NDArray[np.int64], other: Membership) -> Membership:
        """`patched` by rows of the same paths: no path moves."""
        flags, flag_rows = _joined(self._flag_texts, other._flag_texts, other.flag_rows)
        details, detail_rows = _joined(self._details, other._details, other._columns["detail"])
        theirs = {**other._columns, "flags": flag_rows, "detail": detail_rows}
        columns = dict(self._columns)
        for name in ROW_COLUMNS:
            base, at, values = _alike(columns[name], theirs[name], rows)
            columns[name] = base.copy()
            columns[name][at] = values
        columns["flags"], flags = _used(columns["flags"], flags)
        columns["detail"], details = _used(columns["detail"], details)
        return Membership(columns, flags, details, other.missing, self.paths)

    def take(self, rows: NDArray[np.int64], missing: Sequence[bytes] | None = None) -> Membership:
        """Some of the rows, ascending; numbers of flags and details are made dense."""
        columns: dict[str, Array] = {name: self._columns[name][rows] for name in ROW_COLUMNS}
        columns |= _take_paths(self._columns, rows)
        columns["flags"], flags = _dense(columns["flags"], self._flag_texts)
        columns["detail"], details = _dense(columns["detail"], self._details)
        return Membership(columns, flags, details, self.missing if missing is None else missing)

    def heeding(self, reads: Callable[[bytes], bool]) -> Membership:
        """These rows without what attribute files say of their flags that `reads` refuses."""
        texts = [flag_text(heard(flags, reads)) for flags in self.flag_sets]
        if texts == list(self._flag_texts):
            return self
        numbers: dict[str, int] = {}
        told = np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.uint32)
        columns = {**self._columns, "flags": told[self.flag_rows]}
        return Membership(columns, tuple(numbers), self._details, self.missing)

    def _matches(self, base: Membership) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """(whether each row stands unchanged in `base`, its row there)."""
        order = np.argsort(base.numbers, kind="stable")
        at = np.searchsorted(base.numbers[order], self.numbers)
        at = order[np.minimum(at, max(len(base) - 1, 0))] if len(base) else at * 0
        if not len(base):
            return np.zeros(len(self), np.bool_), at.astype(np.int64)
        same = base.numbers[at] == self.numbers
        for name in ("blob", "mode", "size", "outcome", "reason", "dirty"):
            same &= base._columns[name][at] == self._columns[name]
        for name in ("signature", "raw"):
            ours, theirs = self._columns[name], base._columns[name]
            if ours.shape[1:] != theirs.shape[1:]:
                same &= False
            else:
                same &= (theirs[at] == ours).all(axis=1)
        for mine, texts, theirs_texts, name in (
            (self.flag_rows, self._flag_texts, base._flag_texts, "flags"),
            (self._columns["detail"], self._details, base._details, "detail"),
        ):
            numbers = {text: number for number, text in enumerate(theirs_texts)}
            told = np.array([numbers.get(text, -1) for text in texts] or [-1], np.int64)
            same &= told[mine] == base._columns[name][at]
        return same, at.astype(np.int64)

    # ------------------------------------------------------------------ reading

    @property
    def attribute_files(self) -> list[bytes]:
        """The attribute files that say something of a flag, sorted."""
        return sorted({flag.file for flags in self.flag_sets for flag in flags if flag.file})

    @cached_property
    def standing(self) -> tuple[tuple[Flag, ...], ...]:
        """The flags that remain of each of `flag_sets`."""
        return tuple(map(standing, self.flag_sets))

    @cached_property
    def flag_bits(self) -> NDArray[np.uint32]:
        """`(n,)` bit `1 << i` for the i-th `FlagName`, of the path flags."""
        if not self.flag_sets:
            return np.zeros(len(self), np.uint32)
        return np.array([*map(standing_bits, self._flag_texts)], np.uint32)[self.flag_rows]

    def known(self) -> dict[bytes, tuple[tuple[int, ...], bytes]]:
        """Path -> (stat signature, raw id) of the rows that have both."""
        signatures, raw = self._columns["signature"], self._columns["raw"]
        rows = np.flatnonzero(signatures.any(axis=1) & raw.any(axis=1))
        values = signatures[rows].tolist()
        return {
            self.paths[row]: (tuple(value), raw[row].tobytes())
            for row, value in zip(rows.tolist(), values, strict=True)
        }

    def cells(self, row: int) -> Cells:
        """What a row says by itself; the signature is () when none was kept."""
        signature: list[int] = self._columns["signature"][row].tolist()
        return Cells(
            mode=MODES[int(self._columns["mode"][row])],
            size=int(self._columns["size"][row]),
            detail=self._details[int(self._columns["detail"][row])],
            signature=tuple(signature) if any(signature) else (),
        )

    def signatures(self) -> Mapping[bytes, tuple[tuple[int, ...], bytes]]:
        """The same, looked up when asked for."""
        return _Signatures(self)

    def signature(self, row: int) -> tuple[int, ...]:
        """Stat signature, () when none was kept."""
        values = self._columns["signature"][row].tolist()
        return tuple(values) if any(values) else ()

    def find(self, path: bytes) -> int:
        """The row of a path, or -1."""
        return self.paths.find(path)

    def unlike(
        self, members: Sequence[MemberEntry], *, stat: bool = True, dirty: bool = True
    ) -> list[MemberEntry]:
        """Those of `members` that no row says all of.

        Args:
            members: in any order.
            stat: whether the stat signature counts.
            dirty: whether the difference to the commit counts.
        """
        if len(members) < FEW_MEMBERS:
            rows = {member.path: self.paths.find(member.path) for member in members}
        else:
            rows = dict(zip(self.paths, range(len(self)), strict=True))
        return [
            member
            for member in members
            if (row := rows.get(member.path, -1)) < 0
            or not self._says(row, member, stat=stat, dirty=dirty)
        ]

    def doubtful(self, entries: Sequence[SourceEntry]) -> list[SourceEntry]:
        """Those of `entries` that a row may say otherwise; `known` gave them their ids."""
        rows = dict(zip(self.paths, range(len(self)), strict=True))
        flags, blobs, sets = self._cells.flags, self._cells.blob, self.flag_sets
        return [
            entry
            for entry in entries
            if entry.raw_id is None
            or entry.skip is not None
            or (row := rows.get(entry.path, -1)) < 0
            or blobs[row] == NO_BLOB
            or sets[flags[row]] != entry.flags
        ]

    def _says(self, row: int, member: MemberEntry, *, stat: bool, dirty: bool) -> bool:
        cells = self._cells
        if (
            MODES[cells.mode[row]] is not member.mode
            or cells.size[row] != member.size
            or (dirty and bool(cells.dirty[row]) != member.dirty)
            or (stat and self.signature(row) != member.signature)
            or self.flag_sets[cells.flags[row]] != member.flags
        ):
            return False
        if member.key is not None:
            return cells.blob[row] != NO_BLOB and self.raw_id(row) == member.key.raw_id
        return (
            cells.blob[row] == NO_BLOB
            and OUTCOMES[cells.outcome[row]] is member.outcome
            and cells.reason[row] == REASON_NUMBER[member.reason]
            and self._details[cells.detail[row]] == member.detail
        )

    @cached_property
    def _cells(self) -> _Cells:
        return _Cells(*(np.ascontiguousarray(self._columns[name]).data for name in _Cells._fields))

    def raw_id(self, row: int) -> bytes:
        """Raw git blob id, b"" when unknown."""
        raw: bytes = self._columns["raw"][row].tobytes()
        return raw if any(raw) else b""

    def entry(self, row: int, content: Content) -> Entry:
        """The entry of a row, with what its blob says."""
        blob = int(self.blobs[row])
        mode = MODES[int(self._columns["mode"][row])]
        size = int(self._columns["size"][row])
        flags = self.standing[int(self.flag_rows[row])]
        if blob == NO_BLOB:
            reason = int(self.reasons[row])
            return Entry(
                path=self.paths[row],
                mode=mode,
                blob=None,
                language="",
                outcome=OUTCOMES[int(self.outcomes[row])],
                reason=None if reason == NO_REASON else REASONS[reason],
                detail=self._details[int(self._columns["detail"][row])],
                flags=flags,
                symbols=0,
                size=size,
                dirty=bool(self.dirty[row]),
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
            dirty=bool(self.dirty[row]),
        )

    def sum(self, rows: Iterable[int], content: Content) -> int:
        """The sum over some rows of what they say: content and membership, no number of the store."""
        total = 0
        modes, outcomes = self._columns["mode"], self.outcomes
        for row in rows:
            blob = int(self.blobs[row])
            language, masked = "", ""
            outcome, reason = OUTCOMES[int(outcomes[row])], int(self.reasons[row])
            why = "" if reason == NO_REASON else str(REASONS[reason])
            if blob != NO_BLOB:
                segment, local = content.blob(blob)
                meta = segment.meta(local)
                language, masked, outcome = meta.language, segment.masked(local), meta.outcome
                why = str(meta.reason or "")
            flags = self._flag_texts[int(self.flag_rows[row])]
            line = f"{MODES[int(modes[row])]}\0{masked}\0{language}\0{outcome}\0{why}\0{flags}\0"
            state = hashlib.blake2b(line.encode() + self.paths[row], digest_size=SUM_BITS // 8)
            total += int.from_bytes(state.digest(), "little")
        return total & ((1 << SUM_BITS) - 1)

    def tally(self, content: Content) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """`(n,)` positions in `OUTCOMES` and in `REASONS` (`NO_REASON` none), blobs consulted."""
        outcomes, reasons = self.outcomes.copy(), self.reasons.copy()
        rows = np.flatnonzero(self.blobs != NO_BLOB)
        for segment, here, local in content.by_segment(self.blobs[rows].astype(np.int64)):
            metas = segment.columns["blob_meta"].all()[local]
            told = segment.meta_codes
            outcomes[rows[here]] = told.outcomes[metas]
            reasons[rows[here]] = told.reasons[metas]
        return outcomes, reasons


class _Cells(NamedTuple):
    """Columns whose single values are quick to get."""

    mode: memoryview
    size: memoryview
    dirty: memoryview
    flags: memoryview
    blob: memoryview
    outcome: memoryview
    reason: memoryview
    detail: memoryview


class _Signatures(Mapping[bytes, tuple[tuple[int, ...], bytes]]):
    """Path -> (stat signature, raw id) of the rows that have both."""

    def __init__(self, rows: Membership) -> None:
        self._rows = rows

    def __getitem__(self, path: bytes) -> tuple[tuple[int, ...], bytes]:
        row = self._rows.paths.find(path)
        if row < 0:
            raise KeyError(path)
        signature, raw_id = self._rows.signature(row), self._rows.raw_id(row)
        if not signature or not raw_id:
            raise KeyError(path)
        return signature, raw_id

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._rows.known())

    def __len__(self) -> int:
        return len(self._rows.known())


FEW_MEMBERS = 256
"""Up to so many members are looked up one by one, more by reading all paths."""

MAX_DIFFERENCE = 4
"""A difference to another membership is stored while it names fewer than 1 row in so many."""

_PATHS = ("path_bytes", "path_ends")


def generation_of(fingerprint: str, count: int, total: int) -> str:
    """What identifies the rows of a view: their number, their sum, and what they are made with."""
    state = f"{fingerprint}\0{count}\0{total:064x}"
    return hashlib.sha256(state.encode()).hexdigest()[:16]


def sealed(snapshot: Snapshot, membership: Membership, generation: str) -> Snapshot:
    """A work tree's snapshot, with the version and dirtiness that these rows have."""
    dirty = bool(snapshot.commit) and (bool(membership.dirty.any()) or bool(membership.missing))
    return replace(snapshot, version=f"worktree:{generation}", dirty=dirty)


def count_outcomes(outcomes: NDArray[np.uint8]) -> dict[Outcome, int]:
    """How many rows have each outcome that occurs."""
    counts = np.bincount(outcomes, minlength=len(OUTCOMES)).tolist()
    return {outcome: count for outcome, count in zip(OUTCOMES, counts, strict=True) if count}


def count_in_part(reasons: NDArray[np.uint8]) -> int:
    """How many rows are files of which not all could be parsed."""
    return int(np.count_nonzero(reasons == REASON_NUMBER[Reason.PARSED_IN_PART]))


def count_reasons(
    outcomes: NDArray[np.uint8], reasons: NDArray[np.uint8]
) -> tuple[tuple[Outcome, Reason, int], ...]:
    """How many rows have each outcome with each reason, sorted."""
    rows = reasons != NO_REASON
    told: list[int] = outcomes[rows].tolist()
    why: list[int] = reasons[rows].tolist()
    pairs = Counter(zip(told, why, strict=True))
    found = [(OUTCOMES[which], REASONS[reason], count) for (which, reason), count in pairs.items()]
    return tuple(sorted(found))


def _compress(columns: Mapping[str, Array]) -> bytes:
    return zstandard.ZstdCompressor(level=3).compress(pack_columns(columns))


def _raw(packed: Packed, source: str) -> bytes:
    try:
        return zstandard.ZstdDecompressor().decompress(packed.data, max_output_size=1 << 32)
    except zstandard.ZstdError as error:
        raise Damaged(
            "damaged_index",
            f"a membership does not decompress ({error})",
            subject=source,
            hint="run: grainline doctor --repair",
        ) from error


def _table(values: Sequence[Sequence[int]], kind: type[np.generic]) -> Array:
    """Rows of equal width; shorter ones are filled with zeros."""
    width = max(map(len, values), default=0)
    table: Array = np.zeros((len(values), width), kind)
    for row, value in enumerate(values):
        if value:
            table[row, : len(value)] = tuple(value)
    return table


def _dense(numbers: Array, texts: Sequence[str]) -> tuple[Array, tuple[str, ...]]:
    """`numbers` renumbered in the order of their first use, and the texts of those in use."""
    used, first, back = np.unique(numbers, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(used), np.uint32)
    rank[order] = np.arange(len(used), dtype=np.uint32)
    kept: list[int] = used[order].tolist()
    return rank[back.ravel()], tuple(texts[number] for number in kept)


def _used(numbers: Array, texts: tuple[str, ...]) -> tuple[Array, tuple[str, ...]]:
    """As `_dense`, where that is needed: an unused text would tell of a row that is gone."""
    counts = np.bincount(numbers, minlength=len(texts))
    return (numbers, texts) if counts.all() else _dense(numbers, texts)


def _joined(
    texts: Sequence[str], others: Sequence[str], rows: Array
) -> tuple[tuple[str, ...], Array]:
    """One table for both, and `rows` of the other one in its numbers."""
    numbers = {text: number for number, text in enumerate(texts)}
    told = [numbers.setdefault(text, len(numbers)) for text in others]
    return tuple(numbers), np.array(told or [0], np.uint32)[rows]


def _alike(
    base: Array, other: Array, at: NDArray[np.int64]
) -> tuple[Array, NDArray[np.int64], Array]:
    """The arguments of `np.insert`, with tables of one width."""
    if base.ndim == 2 and base.shape[1] != other.shape[1]:
        width = max(base.shape[1], other.shape[1])
        base, other = (np.pad(each, ((0, 0), (0, width - each.shape[1]))) for each in (base, other))
    return base, at, other


def _take_paths(columns: Mapping[str, Array], rows: NDArray[np.int64]) -> dict[str, Array]:
    """The path columns of some rows; neighbours are copied together."""
    ends = columns["path_ends"].astype(np.int64)
    sizes = ends[rows + 1] - ends[rows]
    out = np.zeros(len(rows) + 1, np.uint32)
    np.cumsum(sizes, out=out[1:])
    breaks = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
    view = memoryview(np.ascontiguousarray(columns["path_bytes"]).data)
    starts = ends[rows[breaks]].tolist()
    last = np.append(breaks[1:], len(rows)) - 1 if len(breaks) else breaks
    stops = ends[rows[last] + 1].tolist()
    data = b"".join(view[a:b] for a, b in zip(starts, stops, strict=True))
    return {"path_bytes": np.frombuffer(data, np.uint8), "path_ends": out}


def _insert_paths(base: Words, other: Sequence[bytes], at: NDArray[np.int64]) -> dict[str, Array]:
    """The path columns of both; `at` are the places in `base` before which the others come."""
    pieces: list[bytes] = []
    done = 0
    for path, place in zip(other, at.tolist(), strict=True):
        pieces += (base.between(done, place), path)
        done = place
    pieces.append(base.between(done, len(base)))
    sizes = np.insert(base.sizes(), at, [len(path) for path in other])
    ends = np.zeros(len(sizes) + 1, np.uint32)
    np.cumsum(sizes, out=ends[1:])
    return {"path_bytes": np.frombuffer(b"".join(pieces), np.uint8), "path_ends": ends}

"""What the columns of a part mean: one table per kind of part, read by whatever rewrites parts.

A part covers a range of numbers on one or two *axes* (chunks and blobs of a segment, paths of a
path part). A number that nothing names any more is *dead*. A merged part keeps the range, so that
no number changes, and leaves the rows of dead numbers out of its columns: a bitmap `<axis>_live`
tells which are there, at one bit per number. `spread` gives such columns back in full.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from grainline.storage.segments.columns import Array, Column

Mask: TypeAlias = NDArray[np.bool_]
"""`(n,)` one truth value per number of a part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Columns with one row per number; a value is the same in every part."""

    axis: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """A column with one row per number that indexes `table`, a JSON array."""

    axis: str
    column: str
    table: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The byte area `area` holds one string per number; `ends` tells where each ends."""

    axis: str
    ends: str
    area: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """Several rows in each of `columns` per number, side by side; `ends` tells where they end."""

    axis: str
    ends: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists:
    """Sorted words, each with rows side by side in `number` and `columns`, ending at `ends`.

    `number` holds local numbers of `axis` (first in a row with several cells); rows ascend by it.
    `links` index the words of words that stand for the same number, `NO_SYMBOL` for none.
    """

    words: str
    ends: str
    axis: str
    number: str
    columns: tuple[str, ...]
    links: tuple[str, ...] = ()


Rule: TypeAlias = Rows | Choices | Texts | Runs | Lists


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """All columns of a kind of part: those of `rules`, and `made` ones that follow from others."""

    axes: tuple[str, ...]
    rules: tuple[Rule, ...]
    made: tuple[str, ...]

    def names(self) -> frozenset[str]:
        """Every column that such a part may hold."""
        named = {*self.made, *map(live_column, self.axes)}
        return frozenset(named.union(*map(_names, self.rules)))


SEGMENT = Layout(
    axes=("chunk", "blob"),
    rules=(
        Rows(axis="chunk", columns=("chunk_key", "chunk_length", "chunk_tokens")),
        Texts(axis="chunk", ends="chunk_ends", area="text"),
        Lists(
            words="term",
            ends="post_ends",
            axis="chunk",
            number="post_chunk",
            columns=("post_count",),
        ),
        # `blob_text` and `place_chunk` hold store-wide numbers: they stay as they are
        Rows(axis="blob", columns=("blob_masked", "blob_text", "blob_size")),
        Choices(axis="blob", column="blob_meta", table="meta"),
        Texts(axis="blob", ends="fact_ends", area="fact"),
        Runs(
            axis="blob",
            ends="place_ends",
            columns=(
                "place_chunk",
                "place_start",
                "place_end",
                "place_kind",
                "place_symbol",
                "place_parent",
                "place_part",
                "place_parts",
                "place_tokens",
                "place_symbol_kind",
            ),
        ),
        Lists(
            words="symbol",
            ends="symbol_rows",
            axis="blob",
            number="symbol_places",
            columns=("symbol_kinds", "symbol_starts"),
            links=("symbol_parents",),
        ),
    ),
    made=("base", "chunk_order"),
)

PATHS = Layout(
    axes=("path",),
    rules=(
        Rows(axis="path", columns=("length",)),
        Runs(axis="path", ends="path_ends", columns=("path_bytes",)),
        Lists(
            words="term",
            ends="post_ends",
            axis="path",
            number="post_path",
            columns=("post_count",),
        ),
    ),
    made=("base", "path_order"),
)


def live_column(axis: str) -> str:
    """Name of the bitmap of an axis; absent when every number of the range is live."""
    return f"{axis}_live"


def live_numbers(columns: Mapping[str, Column], layout: Layout, axis: str) -> Mask:
    """`(n,)` which numbers of `axis` a part still has rows for."""
    column = columns.get(live_column(axis))
    if column is None:
        return np.ones(_size(columns, layout, axis), np.bool_)
    return _unpack(column.all())


def pack_live(live: Mask) -> Array:
    """The bitmap of an axis; the last number is live, so its length need not be told."""
    return np.packbits(live)


def sizes_of(columns: Mapping[str, Column], ends: str) -> NDArray[np.int64]:
    """`(n,)` how much each number has, by the column that tells where each ends."""
    return np.diff(columns[ends].all().astype(np.int64)).astype(np.int64, copy=False)


def spread(columns: dict[str, Column], layout: Layout) -> dict[str, Column]:
    """`columns` of a part, with a row for every number of its ranges, zero for dead ones."""
    found = dict(columns)
    for axis in layout.axes:
        bitmap = columns.get(live_column(axis))
        if bitmap is not None:
            live = _unpack(bitmap.all())
            for rule in layout.rules:
                if rule.axis == axis:
                    found |= _spread_rule(columns, rule, live)
    return found


def _spread_rule(columns: dict[str, Column], rule: Rule, live: Mask) -> dict[str, Column]:
    match rule:
        case Rows():
            return {name: _spread(columns[name], live) for name in rule.columns}
        case Choices():
            return {rule.column: _spread(columns[rule.column], live)}
        case Texts() | Runs():
            return {rule.ends: _spread(columns[rule.ends], live, ends=True)}
        case Lists():
            return {}


def _names(rule: Rule) -> set[str]:
    match rule:
        case Rows():
            return {*rule.columns}
        case Choices():
            return {rule.column, rule.table}
        case Texts():
            return {rule.ends, *(f"{rule.area}_{part}" for part in ("data", "blocks", "size"))}
        case Runs():
            return {rule.ends, *rule.columns}
        case Lists():
            words = {f"{rule.words}_bytes", f"{rule.words}_ends"}
            return {rule.ends, rule.number, *rule.columns, *rule.links, *words}


def _size(columns: Mapping[str, Column], layout: Layout, axis: str) -> int:
    for rule in layout.rules:
        if isinstance(rule, Rows) and rule.axis == axis:
            return columns[rule.columns[0]].shape[0]
    raise AssertionError(f"no column has one row per {axis}")


def _unpack(bits: Array) -> Mask:
    live = np.unpackbits(bits).astype(np.bool_)
    return live[: int(np.flatnonzero(live)[-1]) + 1]


@dataclass(slots=True, kw_only=True)
class _Spread(Column):
    """A column whose rows of dead numbers are left out on disk."""

    inner: Column
    live: Mask
    ends: bool

    def all(self) -> Array:
        if self.whole is None:
            rows = self.inner.all()
            if self.ends:
                self.whole = rows[np.cumsum(np.concatenate([[False], self.live]), dtype=np.intp)]
            else:
                self.whole = np.zeros(self.shape, self.dtype)
                self.whole[self.live] = rows
        return self.whole

    def part(self, start: int, end: int) -> Array:
        if not 0 <= start <= end <= self.shape[0]:
            raise self._damaged("a row range outside the column")
        return self.all()[start:end]

    def raw(self, start: int, end: int) -> bytes:
        return self.all().reshape(-1).view(np.uint8)[start:end].tobytes()

    def verify(self, start: int, end: int) -> None:
        self.inner.verify(0, self.inner.size)


def _spread(column: Column, live: Mask, *, ends: bool = False) -> Column:
    return _Spread(
        name=column.name,
        source=column.source,
        buffer=column.buffer,
        at=column.at,
        size=column.size,
        dtype=column.dtype,
        shape=(len(live) + ends, *column.shape[1:]),
        crc=column.crc,
        inner=column,
        live=live,
        ends=ends,
    )

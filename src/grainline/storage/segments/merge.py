"""Merging neighbouring parts into one: every live number stays what it is, dead content goes.

Numbers of chunks, blobs and paths are store-wide, so a merged part covers the whole range of its
inputs, trimmed where its ends are dead: no membership, placement or other part has to be written
again. Work is done column by column, with as little as one column of one input copied at a time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from grainline.storage.segments.area import Area, AreaWriter
from grainline.storage.segments.build import FORMAT_VERSION, MAX_CHUNKS
from grainline.storage.segments.columns import Array, Column
from grainline.storage.segments.layout import (
    PATHS,
    SEGMENT,
    Choices,
    Layout,
    Lists,
    Mask,
    Rows,
    Rule,
    Runs,
    Texts,
    live_column,
    live_numbers,
    pack_live,
    sizes_of,
)
from grainline.storage.segments.lists import merge_lists
from grainline.storage.segments.segment import Segment


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """Which chunks and blobs of a segment are still named, by local number; None for all."""

    chunks: Mask | None = None
    blobs: Mask | None = None

    @property
    def nothing(self) -> bool:
        """Whether the segment can be dropped."""
        return not any(mask is None or mask.any() for mask in (self.chunks, self.blobs))


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """A merged part: its columns and the ranges that its row in the catalog names."""

    columns: dict[str, Array]
    base: int
    count: int
    blob_base: int = 0
    blobs: int = 0


def merge_segments(parts: Sequence[tuple[Segment, Live]]) -> Merged:
    """One segment for neighbours of one fingerprint, in the order of their numbers.

    Args:
        parts: what is dead must be named by no blob that is live in any segment of the store.

    Raises:
        ValueError: the ranges overlap or span more than `MAX_CHUNKS` chunks, the segments differ in
            tiling, or one has a column that `layout` does not know.
    """
    segments = [segment for segment, _ in parts]
    tilings = {segment.tiling for segment in segments}
    if len(tilings) != 1:
        raise ValueError("only segments of one fingerprint can be merged")
    inputs = [segment.columns for segment in segments]
    chunks = _axis(
        "chunk",
        [segment.chunk_base for segment in segments],
        [_mask(segment.columns, SEGMENT, "chunk", live.chunks) for segment, live in parts],
    )
    blobs = _axis(
        "blob",
        [segment.blob_base for segment in segments],
        [_mask(segment.columns, SEGMENT, "blob", live.blobs) for segment, live in parts],
    )
    if chunks.span > MAX_CHUNKS:
        raise ValueError(f"a segment holds {MAX_CHUNKS} chunk numbers, not {chunks.span}")
    columns = _merge(SEGMENT, inputs, {"chunk": chunks, "blob": blobs})
    columns["chunk_order"] = _order(columns["chunk_key"], chunks)
    columns["base"] = np.array([chunks.base, blobs.base, *tilings, FORMAT_VERSION], np.int64)
    return Merged(
        columns=columns,
        base=chunks.base,
        count=chunks.span,
        blob_base=blobs.base,
        blobs=blobs.span,
    )


def merge_paths(parts: Sequence[tuple[Mapping[str, Column], Mask | None]]) -> Merged:
    """One path part for parts of one repository, in the order of their numbers.

    Numbers between the parts count as dead, so those of other repositories may lie there.

    Args:
        parts: columns of each part, and which of its paths are named by a membership.

    Raises:
        ValueError: the ranges overlap, or a part has a column that `layout` does not know.
    """
    inputs = [columns for columns, _ in parts]
    bases = [int(columns["base"].all()[0]) for columns in inputs]
    lives = [_mask(columns, PATHS, "path", live) for columns, live in parts]
    paths = _axis("path", bases, lives)
    columns = _merge(PATHS, inputs, {"path": paths})
    columns["path_order"] = _order_paths(columns, paths)
    columns["base"] = np.array([paths.base], np.int64)
    return Merged(columns=columns, base=paths.base, count=paths.span)


# --------------------------------------------------------------------------- numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class _Axis:
    """The merged range of numbers `[base, base + span)`.

    `live` are the masks of the inputs; `shifts` turn their local numbers into merged ones.
    """

    base: int
    span: int
    live: tuple[Mask, ...]
    shifts: tuple[int, ...]

    def numbers(self) -> NDArray[np.int64]:
        """Live numbers of the merged part, ascending, local."""
        return np.concatenate(
            [
                np.flatnonzero(live) + shift
                for live, shift in zip(self.live, self.shifts, strict=True)
            ]
        )


def _mask(columns: Mapping[str, Column], layout: Layout, axis: str, live: Mask | None) -> Mask:
    held = live_numbers(columns, layout, axis)
    return held if live is None else held & live


def _axis(name: str, bases: Sequence[int], lives: Sequence[Mask]) -> _Axis:
    ends = [base + len(live) for base, live in zip(bases, lives, strict=True)]
    if any(end > base for end, base in zip(ends, bases[1:], strict=False)):
        raise ValueError(f"the {name} ranges overlap or are out of order")
    named = [
        (base + int(live.argmax()), end - int(live[::-1].argmax()))
        for base, live, end in zip(bases, lives, ends, strict=True)
        if live.any()
    ]
    low = named[0][0] if named else bases[0]
    high = named[-1][1] if named else low
    return _Axis(
        base=low,
        span=high - low,
        live=tuple(lives),
        shifts=tuple(base - low for base in bases),
    )


def _order_paths(columns: Mapping[str, Array], paths: _Axis) -> NDArray[np.uint32]:
    """Live paths in byte order, for `PathPart.find`: only those of one input are sorted."""
    data, ends = columns["path_bytes"].tobytes(), columns["path_ends"].tolist()
    found = [data[start:end] for start, end in pairwise(ends)]
    return paths.numbers()[sorted(range(len(found)), key=found.__getitem__)].astype(np.uint32)


def _order(keys: Array, chunks: _Axis) -> NDArray[np.uint32]:
    """Live chunks by key: what `ChunkIndex` searches, so that dead ones are not found."""
    words = keys.view(">u8").astype(np.uint64)
    return chunks.numbers()[np.lexsort((words[:, 1], words[:, 0]))].astype(np.uint32)


# --------------------------------------------------------------------------- columns


def _merge(
    layout: Layout, inputs: Sequence[Mapping[str, Column]], axes: Mapping[str, _Axis]
) -> dict[str, Array]:
    for columns in inputs:
        unknown = columns.keys() - layout.names()
        if unknown:
            raise ValueError(f"no rule tells how to merge {sorted(unknown)}")
    merged: dict[str, Array] = {}
    for rule in layout.rules:
        merged |= _merge_rule(rule, inputs, axes[rule.axis])
    for name, axis in axes.items():
        numbers = axis.numbers()
        if len(numbers) < axis.span:
            live = np.zeros(axis.span, np.bool_)
            live[numbers] = True
            merged[live_column(name)] = pack_live(live)
    return merged


def _merge_rule(
    rule: Rule, inputs: Sequence[Mapping[str, Column]], axis: _Axis
) -> dict[str, Array]:
    match rule:
        case Rows():
            return {name: _joined(_kept(inputs, name, axis.live)) for name in rule.columns}
        case Choices():
            return _merge_choices(rule, inputs, axis)
        case Texts():
            return _merge_texts(rule, inputs, axis)
        case Runs():
            return _merge_runs(rule, inputs, axis)
        case Lists():
            return merge_lists(rule, inputs, axis.live, axis.shifts)


def _merge_choices(
    rule: Choices, inputs: Sequence[Mapping[str, Column]], axis: _Axis
) -> dict[str, Array]:
    """The tables joined, in the order in which live numbers use their rows."""
    table: dict[str, int] = {}
    chosen: list[Array] = []
    for columns, rows in zip(inputs, _kept(inputs, rule.column, axis.live), strict=True):
        choices = json.loads(columns[rule.table].raw(0, columns[rule.table].size))
        used, first = np.unique(rows, return_index=True)
        renumber = np.zeros(len(choices), rows.dtype)
        for row in used[np.argsort(first)].tolist():
            renumber[row] = table.setdefault(json.dumps(choices[row]), len(table))
        chosen.append(renumber[rows])
    text = f"[{','.join(table)}]".encode()
    return {rule.column: _joined(chosen), rule.table: np.frombuffer(text, np.uint8)}


def _merge_texts(
    rule: Texts, inputs: Sequence[Mapping[str, Column]], axis: _Axis
) -> dict[str, Array]:
    writer = AreaWriter()
    sizes: list[NDArray[np.int64]] = []
    for columns, live in zip(inputs, axis.live, strict=True):
        sizes.append(sizes_of(columns, rule.ends)[live])
        area = Area(dict(columns), rule.area)
        for start, end in _ranges(columns[rule.ends].all(), live):
            # cut at the blocks of the area, so that each is decompressed once
            for at in range(start - start % area.block, end, area.block):
                writer.append(area.get(max(at, start), min(at + area.block, end), scan=True))
    ends = _ends(np.concatenate(sizes), inputs[0][rule.ends].dtype)
    return {rule.ends: ends, **writer.columns(rule.area)}


def _ranges(ends: Array, live: Mask) -> list[tuple[int, int]]:
    """Where the strings of live numbers lie, one range per run of numbers."""
    edges = np.flatnonzero(np.diff(live, prepend=False, append=False))
    bounds: list[int] = ends[edges].tolist()
    return list(zip(bounds[::2], bounds[1::2], strict=True))


def _merge_runs(
    rule: Runs, inputs: Sequence[Mapping[str, Column]], axis: _Axis
) -> dict[str, Array]:
    sizes = [sizes_of(columns, rule.ends) for columns in inputs]
    owned = [np.repeat(live, size) for live, size in zip(axis.live, sizes, strict=True)]
    kept = [size[live] for live, size in zip(axis.live, sizes, strict=True)]
    return {
        rule.ends: _ends(np.concatenate(kept), inputs[0][rule.ends].dtype),
        **{name: _joined(_kept(inputs, name, owned)) for name in rule.columns},
    }


# --------------------------------------------------------------------------- arrays


def _kept(
    inputs: Sequence[Mapping[str, Column]], name: str, masks: Sequence[Mask]
) -> Iterator[Array]:
    """The rows of a column that `masks` keep, input by input."""
    for columns, mask in zip(inputs, masks, strict=True):
        rows = columns[name].all()
        yield rows if mask.all() else rows[mask]


def _joined(parts: Iterator[Array] | Sequence[Array]) -> Array:
    found: Array = np.concatenate(list(parts))
    return found


def _ends(sizes: NDArray[np.int64], kind: np.dtype[np.generic]) -> Array:
    ends = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=ends[1:])
    return ends.astype(kind)

"""Building a segment: batches of analysed blobs become immutable columns.

A segment holds what is new: chunks that no earlier segment of the same fingerprint holds, and the
blobs that were analysed, with the numbers of their chunks wherever those lie.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grainline.model.chunk import N_FIELDS
from grainline.model.symbol import SymbolKind
from grainline.storage.base import BlobContent, BlobKey, ContentBatch
from grainline.storage.segments.area import AreaWriter
from grainline.storage.segments.columns import Array
from grainline.storage.segments.words import word_columns

FORMAT_VERSION = 1
"""1: first format."""

MAX_CHUNKS = 1 << 16
"""Chunks per segment: a posting names its chunk in 16 bits."""

MAX_TEXT = 96 << 20
"""Raw text bytes after which a segment is full; bounds the memory of the write path."""

KINDS = {kind: number for number, kind in enumerate(SymbolKind)}
NO_KIND = 255
NO_CHUNK = 0xFFFFFFFF

KnownChunks = Callable[[NDArray[np.uint8]], NDArray[np.int64]]
"""`(n, 16)` chunk keys -> chunk numbers of earlier segments, -1 where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A finished segment: its columns and what the catalog needs to know of it."""

    columns: dict[str, Array]
    keys: tuple[BlobKey, ...]
    chunk_base: int
    n_chunks: int
    blob_base: int


class SegmentBuilder:
    """Collects batches; `build` ends it. `tiling` tells whether chunks joined give the text."""

    def __init__(
        self, *, chunk_base: int, blob_base: int, tiling: bool, known: KnownChunks
    ) -> None:
        self._chunk_base = chunk_base
        self._blob_base = blob_base
        self._tiling = tiling
        self._known = known
        self._pending: dict[bytes, int] = {}
        self._terms: dict[bytes, int] = {}
        self._rows: list[NDArray[np.uint64]] = []
        self._n_rows = 0
        self._text = AreaWriter()
        self._facts = AreaWriter()
        self._text_ends: list[int] = [0]
        self._keys: list[bytes] = []
        self._lengths: list[Array] = []
        self._tokens: list[Array] = []
        self._blob_keys: list[BlobKey] = []
        self._masked: list[bytes] = []
        self._meta: dict[str, int] = {}
        self._blob_meta: list[int] = []
        self._blob_text: list[int] = []
        self._blob_size: list[int] = []
        self._fact_ends: list[int] = [0]
        self._place_ends: list[int] = [0]
        self._places: list[tuple[Array, ...]] = []
        self._symbols: dict[bytes, list[tuple[int, int]]] = {}

    @property
    def n_chunks(self) -> int:
        """Chunks so far."""
        return len(self._keys)

    @property
    def n_blobs(self) -> int:
        """Blobs so far."""
        return len(self._blob_keys)

    @property
    def full(self) -> bool:
        """Whether the next batch might not fit."""
        return self.n_chunks > MAX_CHUNKS // 2 or self._text.size > MAX_TEXT

    def number(self, key: BlobKey) -> int:
        """Number of an added blob."""
        return self._blob_base + self._blob_keys.index(key)

    def fits(self, batch: ContentBatch) -> bool:
        """Whether `batch` can still be added."""
        room = MAX_CHUNKS - self.n_chunks
        return len(batch.chunk_start) + len(batch.blobs) <= room

    def add(self, batch: ContentBatch) -> None:
        """Take one batch; chunks that are known are only referred to."""
        numbers, new = self._number_chunks(batch)
        self._add_rows(batch, numbers, new)
        self._lengths.append(batch.chunk_lengths[new])
        self._tokens.append(batch.chunk_tokens[new])
        kinds = _symbol_kinds(batch)
        self._places.append(
            (
                numbers.astype(np.uint32),
                batch.chunk_start,
                batch.chunk_end,
                batch.chunk_kind,
                batch.chunk_symbol,
                batch.chunk_parent,
                batch.chunk_part,
                batch.chunk_parts,
                batch.chunk_tokens,
                kinds,
            )
        )
        starts, ends = batch.chunk_start.tolist(), batch.chunk_end.tolist()
        keys = batch.chunk_keys.tobytes()
        owner = np.repeat(
            np.arange(len(batch.blobs)), [blob.chunks[1] - blob.chunks[0] for blob in batch.blobs]
        )
        for index, blob in zip(new.tolist(), owner[new].tolist(), strict=True):
            text = batch.blobs[blob].text[starts[index] : ends[index]] if self._tiling else b""
            self._append_chunk(keys[16 * index : 16 * index + 16], text)
        for content in batch.blobs:
            self._add_blob(batch, content)

    def build(self) -> Built:
        """The finished columns."""
        order = sorted(self._terms)
        rank = np.empty(len(order), np.uint64)
        rank[[self._terms[term] for term in order]] = np.arange(len(order), dtype=np.uint64)
        rows = np.concatenate(self._rows) if self._rows else np.empty(0, np.uint64)
        rows = rank[rows >> np.uint64(24)] << np.uint64(24) | rows & np.uint64(0xFFFFFF)
        rows.sort()
        term_of = (rows >> np.uint64(24)).astype(np.int64)
        counts = np.bincount(term_of, minlength=len(order))
        pointers = np.zeros(len(order) + 1, np.uint64)
        np.cumsum(counts, out=pointers[1:])
        keys = np.frombuffer(b"".join(self._keys), np.uint8).reshape(-1, 16)
        columns: dict[str, Array] = {
            **word_columns("term", order),
            "post_ends": pointers,
            "post_chunk": (rows >> np.uint64(8) & np.uint64(0xFFFF)).astype(np.uint16),
            "post_count": (rows & np.uint64(0xFF)).astype(np.uint8),
            "chunk_key": keys,
            "chunk_order": np.lexsort(keys.T[::-1]).astype(np.uint32),
            "chunk_length": _joined(self._lengths, np.uint16, N_FIELDS, self.n_chunks),
            "chunk_tokens": _padded(self._tokens, np.uint32, self.n_chunks),
            "chunk_ends": np.array(self._text_ends, np.uint64),
            **self._text.columns("text"),
            "blob_masked": np.frombuffer(b"".join(self._masked), np.uint8).reshape(-1, 32),
            "blob_meta": np.array(self._blob_meta, np.uint32),
            "blob_text": np.array(self._blob_text, np.uint32),
            "blob_size": np.array(self._blob_size, np.uint32),
            "meta": np.frombuffer(f"[{chr(44).join(self._meta)}]".encode(), np.uint8),
            "fact_ends": np.array(self._fact_ends, np.uint64),
            **self._facts.columns("fact"),
            "place_ends": np.array(self._place_ends, np.uint32),
            **self._place_columns(),
            **self._symbol_columns(),
            "base": np.array(
                [self._chunk_base, self._blob_base, int(self._tiling), FORMAT_VERSION], np.int64
            ),
        }
        return Built(
            columns=columns,
            keys=tuple(self._blob_keys),
            chunk_base=self._chunk_base,
            n_chunks=self.n_chunks,
            blob_base=self._blob_base,
        )

    def _number_chunks(self, batch: ContentBatch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(chunk number of every row, rows that are new); the first of equal rows is the new one."""
        known = self._known(batch.chunk_keys)
        numbers = known.tolist()
        keys = batch.chunk_keys.tobytes()
        pending = self._pending
        new: list[int] = []
        following = self._chunk_base + self.n_chunks
        for index, number in enumerate(numbers):
            if number >= 0:
                continue
            key = keys[16 * index : 16 * index + 16]
            found = pending.get(key)
            if found is None:
                found = pending[key] = following + len(new)
                new.append(index)
            numbers[index] = found
        return np.array(numbers, np.int64), np.array(new, np.int64)

    def _add_rows(
        self, batch: ContentBatch, numbers: NDArray[np.int64], new: NDArray[np.int64]
    ) -> None:
        terms = self._terms
        renumber = np.empty(len(batch.vocabulary), np.uint64)
        for index, term in enumerate(batch.vocabulary):
            renumber[index] = terms.setdefault(term, len(terms))
        fresh = np.zeros(len(numbers), np.bool_)
        fresh[new] = True
        chunk = (batch.rows >> np.uint64(8) & np.uint64(0xFFFFFFFF)).astype(np.int64)
        rows = batch.rows[fresh[chunk]] if len(chunk) else batch.rows
        local = (numbers - self._chunk_base).astype(np.uint64)
        chunk = (rows >> np.uint64(8) & np.uint64(0xFFFFFFFF)).astype(np.int64)
        self._rows.append(
            renumber[(rows >> np.uint64(40)).astype(np.int64)] << np.uint64(24)
            | local[chunk] << np.uint64(8)
            | rows & np.uint64(0xFF)
        )

    def _append_chunk(self, key: bytes, text: bytes) -> None:
        self._keys.append(key)
        self._text.append(text)
        self._text_ends.append(self._text.size)

    def _add_blob(self, batch: ContentBatch, blob: BlobContent) -> None:
        number = len(self._blob_keys)
        self._blob_keys.append(blob.key)
        self._masked.append(bytes.fromhex(blob.masked).ljust(32, b"\0"))  # none without text
        meta = json.dumps(
            [
                blob.language,
                blob.outcome,
                blob.reason,
                blob.detail,
                blob.encoding,
                [[flag.name, flag.rule] for flag in blob.flags],
                blob.definitions[1] - blob.definitions[0],
            ]
        )
        self._blob_meta.append(self._meta.setdefault(meta, len(self._meta)))
        self._blob_size.append(len(blob.text))
        if self._tiling or not blob.text:
            self._blob_text.append(NO_CHUNK)
        else:
            self._blob_text.append(self._chunk_base + self.n_chunks)
            self._lengths.append(np.zeros((1, N_FIELDS), np.uint16))
            self._tokens.append(np.zeros(1, np.uint32))
            self._append_chunk(bytes.fromhex(blob.masked)[:16], blob.text)
        self._place_ends.append(self._place_ends[-1] + blob.chunks[1] - blob.chunks[0])
        self._facts.append(_pack_facts(batch, blob))
        self._fact_ends.append(self._facts.size)
        low, high = blob.definitions
        for index, definition in enumerate(batch.definitions[low:high]):
            name = definition.name.encode("utf-8", "surrogatepass")
            self._symbols.setdefault(name, []).append((number, index))

    def _place_columns(self) -> dict[str, Array]:
        names = (
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
        )
        kinds = (
            np.uint32, np.uint32, np.uint32, np.uint8, np.int32, np.int32, np.uint16, np.uint16,
            np.uint32, np.uint8,
        )  # fmt: skip
        return {
            name: np.concatenate([np.empty(0, kind), *(rows[at] for rows in self._places)]).astype(
                kind
            )
            for at, (name, kind) in enumerate(zip(names, kinds, strict=True))
        }

    def _symbol_columns(self) -> dict[str, Array]:
        names = sorted(self._symbols)
        places = [self._symbols[name] for name in names]
        flat = np.array([row for rows in places for row in rows], np.uint32).reshape(-1, 2)
        ends = np.zeros(len(names) + 1, np.uint32)
        ends[1:] = np.cumsum([len(rows) for rows in places]) if places else 0
        return {**word_columns("symbol", names), "symbol_rows": ends, "symbol_places": flat}


def _symbol_kinds(batch: ContentBatch) -> Array:
    """Kind number of the symbol of every chunk row, `NO_KIND` without one."""
    kinds = np.fromiter(
        (KINDS[definition.kind] for definition in batch.definitions),
        np.uint8,
        len(batch.definitions),
    )
    base = np.zeros(len(batch.chunk_start), np.int64)
    for blob in batch.blobs:
        base[blob.chunks[0] : blob.chunks[1]] = blob.definitions[0]
    if not len(kinds):
        return np.full(len(base), NO_KIND, np.uint8)
    found = np.minimum(base + np.maximum(batch.chunk_symbol, 0), len(kinds) - 1)
    return np.where(batch.chunk_symbol >= 0, kinds[found], np.uint8(NO_KIND)).astype(np.uint8)


def _pack_facts(batch: ContentBatch, blob: BlobContent) -> bytes:
    """The facts record of a blob: five lengths, then numbers, then strings (see `facts.Facts`)."""
    low, high = blob.definitions
    definitions = batch.definitions[low:high]
    numbers = np.array([(KINDS[d.kind], *d[3:]) for d in definitions], np.int32).reshape(-1, 10)
    imports = batch.imports[blob.imports[0] : blob.imports[1]]
    spans = np.array([row[:2] for row in imports], np.int32).reshape(-1, 2)
    a, b = blob.references
    references = np.stack(
        [
            batch.reference_start[a:b].astype(np.int32),
            batch.reference_end[a:b].astype(np.int32),
            batch.reference_role[a:b].astype(np.int32),
        ],
        axis=1,
    )
    strings = json.dumps(
        [
            [[d.name, d.descriptor] for d in definitions],
            [[i.module, i.name, i.alias] for i in imports],
        ],
        separators=(",", ":"),
    ).encode()
    head = np.array([len(numbers), len(spans), len(references), len(strings)], np.int32)
    return b"".join(
        # numbers column by column: compresses about twice as well as row by row
        (head.tobytes(), numbers.T.tobytes(), spans.T.tobytes(), references.T.tobytes(), strings)
    )


def _joined(parts: Sequence[Array], kind: type, width: int, rows: int) -> Array:
    found: Array = np.concatenate([np.empty((0, width), kind), *parts]).astype(kind)
    assert len(found) == rows, "every chunk has its field lengths"
    return found


def _padded(parts: Sequence[Array], kind: type, rows: int) -> Array:
    found: Array = np.concatenate([np.empty(0, kind), *parts]).astype(kind)
    assert len(found) == rows, "every chunk has its token length"
    return found

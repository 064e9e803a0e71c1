"""Building a segment: batches of analysed blobs become immutable columns.

A segment holds what is new: chunks that no earlier segment of the same fingerprint holds, and the
blobs that were analysed, with the numbers of their chunks wherever those lie.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, islice

import numpy as np
from numpy.typing import DTypeLike, NDArray

from grainline.model.chunk import N_FIELDS
from grainline.model.snapshot import Flag, Outcome, Reason
from grainline.storage.base import BlobContent, BlobKey, ContentBatch
from grainline.storage.rows import DefinitionRows
from grainline.storage.segments.area import AreaWriter
from grainline.storage.segments.columns import Array
from grainline.storage.segments.facts import IMPORT_WORDS, Cut, strings_of
from grainline.storage.segments.words import word_columns

FORMAT_VERSION = 3
"""1: first format. 2: of every symbol place its kind, name offset and the name of its parent
(`symbol_kinds`, `symbol_starts`, `symbol_parents`). 3: areas say how long their blocks are, and
strings of facts stand side by side instead of in JSON.
"""

MAX_CHUNKS = 1 << 16
"""Chunks per segment: a posting names its chunk in 16 bits."""

MAX_TEXT = 96 << 20
"""Raw text bytes after which a segment is full; bounds the memory of the write path."""

NO_KIND = 255
NO_CHUNK = 0xFFFFFFFF
NO_SYMBOL = np.uint32(0xFFFFFFFF)

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
        self._terms = _Numbers()
        self._rows: list[NDArray[np.uint64]] = []
        self._n_rows = 0
        self._text = AreaWriter()
        self._facts = AreaWriter()
        self._text_ends: list[int] = [0]
        self._keys: list[bytes] = []
        self._n_chunks = 0
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
        self._symbols: dict[str, list[int]] = {}
        self._definitions: list[Array] = []
        self._definition_ends: list[int] = [0]

    @property
    def n_chunks(self) -> int:
        """Chunks so far."""
        return self._n_chunks

    @property
    def n_blobs(self) -> int:
        """Blobs so far."""
        return len(self._blob_keys)

    @property
    def full(self) -> bool:
        """Whether the next batch might not fit."""
        return self.n_chunks > MAX_CHUNKS // 2 or self._text.size > MAX_TEXT

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
        facts = _FactColumns(batch)
        kinds = _symbol_kinds(batch, facts.kinds)
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
        self._keys.append(batch.chunk_keys[new].tobytes())
        self._n_chunks += len(new)
        self._append_texts(_texts(batch, new) if self._tiling else [b""] * len(new))
        for content in batch.blobs:
            self._add_blob(batch, content, facts)

    def build(self) -> Built:
        """The finished columns."""
        order = sorted(self._terms)
        rank = np.empty(len(order), np.uint64)
        numbers = np.fromiter(map(self._terms.__getitem__, order), np.int64, len(order))
        rank[numbers] = np.arange(len(order), dtype=np.uint64)
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
        number = self._terms.__getitem__
        renumber = np.fromiter(map(number, batch.vocabulary), np.uint64, len(batch.vocabulary))
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

    def _append_texts(self, texts: Sequence[bytes]) -> None:
        at = self._text.size
        self._text.append(b"".join(texts))
        self._text_ends += islice(accumulate(map(len, texts), initial=at), 1, None)

    def _add_blob(self, batch: ContentBatch, blob: BlobContent, facts: _FactColumns) -> None:
        number = len(self._blob_keys)
        self._blob_keys.append(blob.key)
        self._masked.append(bytes.fromhex(blob.masked).ljust(32, b"\0"))  # none without text
        meta = _meta(
            blob.language,
            blob.outcome,
            blob.reason,
            blob.detail,
            blob.encoding,
            blob.flags,
            blob.definitions[1] - blob.definitions[0],
        )
        self._blob_meta.append(self._meta.setdefault(meta, len(self._meta)))
        self._blob_size.append(len(blob.text))
        if self._tiling or not blob.text:
            self._blob_text.append(NO_CHUNK)
        else:
            self._blob_text.append(self._chunk_base + self.n_chunks)
            self._lengths.append(np.zeros((1, N_FIELDS), np.uint16))
            self._tokens.append(np.zeros(1, np.uint32))
            self._keys.append(bytes.fromhex(blob.masked)[:16])
            self._n_chunks += 1
            self._append_texts([blob.text])
        self._place_ends.append(self._place_ends[-1] + blob.chunks[1] - blob.chunks[0])
        self._facts.append(facts.pack(blob))
        self._fact_ends.append(self._facts.size)
        symbols = self._symbols
        low, high = blob.definitions
        self._definitions.append(facts.heads(low, high))
        self._definition_ends.append(self._definition_ends[-1] + high - low)
        for index, name in enumerate(facts.names[low:high]):
            found = symbols.get(name)
            if found is None:
                found = symbols[name] = []
            found += number, index

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
        encoded = {name.encode("utf-8", "surrogatepass"): name for name in self._symbols}
        names = sorted(encoded)
        places = [self._symbols[encoded[name]] for name in names]
        flat = np.fromiter(chain.from_iterable(places), np.uint32).reshape(-1, 2)
        ends = np.zeros(len(names) + 1, np.uint32)
        ends[1:] = np.cumsum([len(rows) // 2 for rows in places]) if places else 0
        kinds, starts, parents = np.concatenate(
            [np.empty((3, 0), np.int32), *self._definitions], axis=1
        )
        base = np.array(self._definition_ends, np.int64)[flat[:, 0]]
        at = base + flat[:, 1]
        named = np.empty(len(at), np.uint32)
        named[at] = np.repeat(np.arange(len(names), dtype=np.uint32), np.diff(ends))
        above = parents[at]
        return {
            **word_columns("symbol", names),
            "symbol_rows": ends,
            "symbol_places": flat,
            "symbol_kinds": kinds[at].astype(np.uint8),
            "symbol_starts": starts[at].astype(np.uint32),
            "symbol_parents": np.where(above < 0, NO_SYMBOL, named[base + np.maximum(above, 0)]),
        }


class _Numbers(dict[bytes, int]):
    """Word -> running number; a new one gets the next."""

    def __missing__(self, word: bytes) -> int:
        number = self[word] = len(self)
        return number


def _texts(batch: ContentBatch, rows: NDArray[np.int64]) -> list[bytes]:
    """The texts of chunk rows."""
    sizes = [blob.chunks[1] - blob.chunks[0] for blob in batch.blobs]
    owners = np.repeat(np.arange(len(batch.blobs)), sizes)[rows].tolist()
    views = [blob.text for blob in batch.blobs]
    starts, ends = batch.chunk_start[rows].tolist(), batch.chunk_end[rows].tolist()
    return [views[blob][start:end] for blob, start, end in zip(owners, starts, ends, strict=True)]


@lru_cache(maxsize=1 << 12)
def _meta(
    language: str,
    outcome: Outcome,
    reason: Reason | None,
    detail: str,
    encoding: str,
    flags: tuple[Flag, ...],
    symbols: int,
) -> str:
    marks = [[flag.name, flag.rule] for flag in flags]
    return json.dumps([language, outcome, reason, detail, encoding, marks, symbols])


def _symbol_kinds(batch: ContentBatch, kinds: Array) -> Array:
    """Kind number of the symbol of every chunk row, `NO_KIND` without one."""
    base = np.zeros(len(batch.chunk_start), np.int64)
    for blob in batch.blobs:
        base[blob.chunks[0] : blob.chunks[1]] = blob.definitions[0]
    if not len(kinds):
        return np.full(len(base), NO_KIND, np.uint8)
    found = np.minimum(base + np.maximum(batch.chunk_symbol, 0), len(kinds) - 1)
    return np.where(batch.chunk_symbol >= 0, kinds[found], np.uint8(NO_KIND)).astype(np.uint8)


class _FactColumns:
    """Definitions, imports and references of a batch, one row each, to be cut by blob."""

    def __init__(self, batch: ContentBatch) -> None:
        definitions = DefinitionRows.of(batch.definitions)
        imports = tuple(zip(*batch.imports, strict=True)) or ((),) * 5
        self.names = definitions.names
        self.kinds = definitions.numbers[0].astype(np.uint8)
        self._numbers = definitions.numbers
        self._names = _Strings(self.names)
        self._descriptors = _Strings(definitions.descriptors)
        self._imported = _Strings([*chain.from_iterable(zip(*imports[2:], strict=True))])
        self._spans = np.array(imports[:2], np.int32)
        self._references = np.array(
            [batch.reference_start, batch.reference_end, batch.reference_role], np.int32
        )

    def heads(self, low: int, high: int) -> Array:
        """`(3, high - low)` kind number, name offset and parent row of definitions."""
        return self._numbers[[0, 3, -1], low:high]

    def pack(self, blob: BlobContent) -> bytes:
        """The facts record of a blob: four lengths, then numbers, then strings (see `Facts`).

        Numbers stand column by column: that compresses about twice as well as row by row.
        """
        a, b = blob.definitions
        c, d = blob.imports
        e, f = blob.references
        parts = (
            self._names.cut(a, b),
            self._descriptors.cut(a, b),
            self._imported.cut(IMPORT_WORDS * c, IMPORT_WORDS * d),
        )
        n_text, strings = strings_of(*parts)
        head = np.array([b - a, d - c, f - e, n_text], np.int32)
        return b"".join(
            (
                head.tobytes(),
                self._numbers[:, a:b].tobytes(),
                self._spans[:, c:d].tobytes(),
                self._references[:, e:f].tobytes(),
                strings,
            )
        )


class _Strings:
    """Strings, joined, to be cut."""

    def __init__(self, strings: Sequence[str]) -> None:
        joined = "".join(strings)
        words: Sequence[str | bytes] = strings
        if not joined.isascii():
            words = [word.encode("utf-8", "surrogatepass") for word in strings]
        self._joined = joined.encode("utf-8", "surrogatepass")
        self._sizes = np.fromiter(map(len, words), np.int32, len(words))
        ends = np.zeros(len(words) + 1, np.int64)
        np.cumsum(self._sizes, out=ends[1:])
        self._ends: list[int] = ends.tolist()

    def cut(self, low: int, high: int) -> Cut:
        """The strings `[low, high)`."""
        return Cut(self._sizes[low:high], self._joined[self._ends[low] : self._ends[high]])


def _joined(parts: Sequence[Array], kind: DTypeLike, width: int, rows: int) -> Array:
    empty: Array = np.empty((0, width), kind)
    found: Array = np.concatenate([empty, *parts], dtype=kind)
    assert len(found) == rows, "every chunk has its field lengths"
    return found


def _padded(parts: Sequence[Array], kind: DTypeLike, rows: int) -> Array:
    empty: Array = np.empty(0, kind)
    found: Array = np.concatenate([empty, *parts], dtype=kind)
    assert len(found) == rows, "every chunk has its token length"
    return found

"""Reading a segment: columns by name, texts by chunk or blob, facts by blob."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.errors import Damaged
from grainline.model.snapshot import BlobId, Flag, FlagName, Outcome, Reason
from grainline.storage.codes import OUTCOME_NUMBER, REASON_NUMBER, flag_bits
from grainline.storage.segments.area import Area, Offsets
from grainline.storage.segments.build import FORMAT_VERSION, NO_CHUNK, NO_SYMBOL
from grainline.storage.segments.columns import Buffer, open_columns
from grainline.storage.segments.facts import Facts
from grainline.storage.segments.layout import SEGMENT, spread
from grainline.storage.segments.words import Words

OLDEST_FORMAT = 2

FEW_NAMES = 4096
"""Symbol names of a segment that are searched as they are: it may live for one question only."""

PLACE_CELLS = ("chunk", "start", "end", "kind", "symbol", "parent", "part", "parts", "tokens")

CACHED_FACTS = 128
"""Facts records kept open per segment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobMeta:
    """What a blob's content decided, apart from its text."""

    language: str
    outcome: Outcome
    reason: Reason | None
    detail: str
    encoding: str
    flags: tuple[Flag, ...]
    symbols: int


class MetaCodes(NamedTuple):
    """`(n_metas,)` what the metas of a segment say, as `storage.codes` numbers it."""

    outcomes: NDArray[np.uint8]
    reasons: NDArray[np.uint8]
    flags: NDArray[np.uint32]


class BlobTable(NamedTuple):
    """`(n_blobs,)` how many placements each blob has, -1 without text; the flags of its content."""

    width: NDArray[np.int32]
    flags: NDArray[np.uint32]


class Segment:
    """One immutable segment over a buffer (mapped file or bytes). Numbers are local unless said.

    Raises:
        Damaged: (from any read) a checksum differs or the format is not one this version reads.
    """

    def __init__(self, buffer: Buffer, source: str) -> None:
        self.source = source
        self.columns = spread(open_columns(buffer, source), SEGMENT)
        chunk_base, blob_base, tiling, version = self.columns["base"].all().tolist()
        if not OLDEST_FORMAT <= version <= FORMAT_VERSION:
            raise Damaged(
                "incompatible_index",
                f"segment format {version}, this version reads {OLDEST_FORMAT} to {FORMAT_VERSION}",
                subject=source,
                hint="index again into a new home",
            )
        self.chunk_base: int = chunk_base
        self.blob_base: int = blob_base
        self.tiling = bool(tiling)
        self.n_chunks: int = self.columns["chunk_key"].shape[0]
        self.n_blobs: int = self.columns["blob_meta"].shape[0]
        self.terms = Words(self.columns, "term")
        self.symbols = Words(self.columns, "symbol")
        self._text = Area(self.columns, "text")
        self._facts = Area(self.columns, "fact")
        self._opened: OrderedDict[int, Facts] = OrderedDict()

    def term_rows(self, term: bytes) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
        """(chunk, field << 5 | count) rows of a term, by chunk, then field."""
        index = self.terms.find(term)
        if index < 0:
            return np.empty(0, np.uint16), np.empty(0, np.uint8)
        return self.rows_of(index)

    def rows_of(self, index: int) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
        """Rows of the `index`-th term."""
        start, end = self._post_bounds[index], self._post_bounds[index + 1]
        return (
            self.columns["post_chunk"].part(start, end),
            self.columns["post_count"].part(start, end),
        )

    def chunks_of(self, index: int) -> NDArray[np.uint16]:
        """Chunks of the rows of the `index`-th term."""
        start, end = self._post_bounds[index], self._post_bounds[index + 1]
        return self.columns["post_chunk"].part(start, end)

    def chunk_text(self, chunk: int) -> bytes:
        """Text of a chunk; b"" for chunks of a chunker that does not tile."""
        ends = self._chunk_ends
        return self._text.get(int(ends[chunk]), int(ends[chunk + 1]))

    def text_scan(self) -> Callable[[int, int], bytes]:
        """(start, end) -> bytes of the text area, for a scan over much of it in order."""
        return self._text.scan()

    def find_in(self, starts: Offsets, ends: Offsets, needle: bytes) -> Offsets:
        """Every `needle` in some ranges of the text area (`Area.find_in`)."""
        return self._text.find_in(starts, ends, needle)

    @cached_property
    def closed(self) -> NDArray[np.bool_]:
        """`(n_chunks,)` whether a chunk ends with a line; False for a chunk without text."""
        ends = self._chunk_ends.astype(np.int64)
        closed = np.zeros(self.n_chunks, np.bool_)
        at = 0
        for block in self._text.blocks():
            low, high = np.searchsorted(ends[1:], [at + 1, at + len(block) + 1]).tolist()
            last = np.frombuffer(block, np.uint8)[ends[1 + low : 1 + high] - 1 - at]
            closed[low:high] = last == ord("\n")
            at += len(block)
        return closed & (ends[1:] > ends[:-1])

    def chunk_id(self, chunk: int) -> str:
        """Hex chunk id."""
        key: bytes = self.columns["chunk_key"].raw(16 * chunk, 16 * chunk + 16)
        return key.hex()

    def blob_text(self, blob: int, chunk_text: Callable[[int], bytes]) -> bytes:
        """The masked view; `chunk_text` gives the text of a chunk by its store-wide number."""
        whole = int(self.columns["blob_text"].part(blob, blob + 1)[0])
        if whole != NO_CHUNK:
            return chunk_text(whole)
        start, end = self.places(blob)
        runs: list[list[int]] = []
        # most chunks of a file lie side by side, as they were written
        for chunk in self.columns["place_chunk"].part(start, end).tolist():
            if runs and runs[-1][0] + runs[-1][1] == chunk:
                runs[-1][1] += 1
            else:
                runs.append([chunk, 1])
        return b"".join(self._run_text(first, length, chunk_text) for first, length in runs)

    def _run_text(self, first: int, length: int, chunk_text: Callable[[int], bytes]) -> bytes:
        """Text of `length` chunks from the store-wide number `first` on."""
        local = first - self.chunk_base
        if local < 0 or local + length > self.n_chunks:
            return b"".join(map(chunk_text, range(first, first + length)))
        ends = self._chunk_ends
        return self._text.get(int(ends[local]), int(ends[local + length]))

    def blob_size(self, blob: int) -> int:
        """Bytes of the masked view, 0 when nothing was indexed."""
        return int(self.columns["blob_size"].part(blob, blob + 1)[0])

    def places(self, blob: int) -> tuple[int, int]:
        """Row range of the blob's placements."""
        ends = self._place_bounds
        return ends[blob], ends[blob + 1]

    @cached_property
    def _place_bounds(self) -> memoryview:
        return memoryview(self.columns["place_ends"].all().data)  # gives int objects

    @cached_property
    def place_cells(self) -> tuple[memoryview, ...]:
        """The columns of `PLACE_CELLS`, whose items are int objects."""
        columns = (self.columns[f"place_{name}"].all() for name in PLACE_CELLS)
        return tuple(memoryview(column.data) for column in columns)

    def masked(self, blob: int) -> BlobId:
        """Id of the masked view."""
        return BlobId(self.columns["blob_masked"].raw(32 * blob, 32 * blob + 32).hex())

    def meta(self, blob: int) -> BlobMeta:
        """What the content decided."""
        return self.metas[int(self.columns["blob_meta"].part(blob, blob + 1)[0])]

    @cached_property
    def metas(self) -> tuple[BlobMeta, ...]:
        """The distinct metas; `blob_meta` indexes them."""
        rows = json.loads(self.columns["meta"].raw(0, self.columns["meta"].size))
        return tuple(
            BlobMeta(
                language=language,
                outcome=Outcome(outcome),
                reason=Reason(reason) if reason else None,
                detail=detail,
                encoding=encoding,
                flags=tuple(Flag(FlagName(name), rule) for name, rule in flags),
                symbols=symbols,
            )
            for language, outcome, reason, detail, encoding, flags, symbols in rows
        )

    @cached_property
    def meta_codes(self) -> MetaCodes:
        """The metas in columns."""
        metas = self.metas
        return MetaCodes(
            outcomes=np.array([OUTCOME_NUMBER[meta.outcome] for meta in metas], np.uint8),
            reasons=np.array([REASON_NUMBER[meta.reason] for meta in metas], np.uint8),
            flags=np.array([flag_bits(meta.flags) for meta in metas], np.uint32),
        )

    @cached_property
    def blob_table(self) -> BlobTable:
        """What numbering a scope needs of every blob."""
        ends: NDArray[np.int32] = self.columns["place_ends"].all().astype(np.int32)
        width = ends[1:] - ends[:-1]
        width[self.columns["blob_size"].all() == 0] = -1
        flags = self.meta_codes.flags[self.columns["blob_meta"].all()]
        return BlobTable(width, flags)

    def facts(self, blob: int) -> Facts:
        """Definitions, imports and references."""
        found = self._opened.get(blob)
        if found is None:
            start, end = self.columns["fact_ends"].part(blob, blob + 2).tolist()
            found = self._opened[blob] = Facts(self._facts.get(start, end))
            if len(self._opened) > CACHED_FACTS:
                self._opened.popitem(last=False)
        else:
            self._opened.move_to_end(blob)
        return found

    def spellings(self, name: str) -> tuple[str, ...]:
        """The symbol names of the segment that are `name` in some case, of any scope."""
        if len(self.symbols) < FEW_NAMES:
            alike = self.symbols.folded(name)
            if alike is not None:
                return tuple(self.symbols[index].decode() for index in alike)
        return self._spellings.get(name.casefold(), ())

    @cached_property
    def _spellings(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for word in self.symbols:
            name = word.decode("utf-8", "surrogatepass")
            folded = name.casefold()
            found[folded] = (*found[folded], name) if folded in found else (name,)
        return found

    def symbol_places(self, index: int) -> NDArray[np.int64]:
        """`(5, n)` blob, outline row, name offset, kind and parent of the `index`-th symbol name.

        A parent is the number of its name, -1 for none.
        """
        start, end = self.columns["symbol_rows"].part(index, index + 2).tolist()
        cells = np.empty((5, end - start), np.int64)
        cells[:2] = self.columns["symbol_places"].all()[start:end].T
        for row, name in enumerate(("symbol_starts", "symbol_kinds", "symbol_parents"), 2):
            cells[row] = self.columns[name].part(start, end)
        cells[4, cells[4] == NO_SYMBOL] = -1
        return cells

    def verify(self) -> None:
        """Check every page of every column.

        Raises:
            Damaged: a checksum differs.
        """
        for column in self.columns.values():
            column.verify(0, column.size)

    @cached_property
    def _post_bounds(self) -> memoryview:
        return memoryview(self.columns["post_ends"].all().data)  # gives int objects

    @property
    def chunk_ends(self) -> NDArray[np.uint64]:
        """`(n_chunks + 1,)` where the text of each chunk ends in the text area."""
        return self._chunk_ends

    @cached_property
    def _chunk_ends(self) -> NDArray[np.uint64]:
        return self.columns["chunk_ends"].all()


class ChunkIndex:
    """Which chunks a segment holds: chunk keys -> store-wide numbers."""

    def __init__(self, segment: Segment) -> None:
        self._order = segment.columns["chunk_order"].all()
        self._keys = segment.columns["chunk_key"].all()[self._order]
        self._lead = _lead(self._keys)
        self._base = segment.chunk_base

    def find(self, keys: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Numbers of the chunks with `keys` `(n, 16)`, -1 for those that are not here."""
        found = np.full(len(keys), -1, np.int64)
        if len(self._lead) and len(keys):
            at = np.minimum(np.searchsorted(self._lead, _lead(keys)), len(self._lead) - 1)
            # equal leads with other tails (a 64-bit collision) only cost a chunk stored twice
            same = (self._keys[at] == keys).all(axis=1)
            found[same] = self._order[at[same]].astype(np.int64) + self._base
        return found


def _lead(keys: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """First eight bytes of each key as one number, in byte order."""
    return np.ascontiguousarray(keys[:, :8]).view(">u8").ravel().astype(np.uint64)

"""Chunks: the retrieval units. A chunk never knows its path, branch or reader."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import NamedTuple


class ChunkKind(StrEnum):
    """What a chunk is."""

    SYMBOL = "symbol"
    BLOCK = "block"
    COMMENT = "comment"
    HEADING = "heading"
    RECORD = "record"

    __hash__ = str.__hash__  # that of Enum is Python code, and kinds are looked up all the time


class Coverage(StrEnum):
    """What a chunker promises about its spans."""

    TILING = "tiling"
    OVERLAPPING = "overlapping"
    UNCAPPED = "uncapped"


class Field(IntEnum):
    """The lexical fields of a chunk; the numbers are part of the segment format."""

    NAME = 0
    SIGNATURE = 1
    BODY = 2
    COMMENT = 3
    STRING = 4
    IMPORT = 5
    TYPE = 6


N_FIELDS = len(Field)


class Header(NamedTuple):
    """What stands above a chunk: part of its key, source of its name and signature fields.

    `name` holds the names of the symbols that the chunk is (one, or several merged siblings,
    separated by spaces); `scope` the qualified name of the enclosing symbol; `signature` the
    signature text of the symbol, or of the long symbol that this chunk is a part of.
    """

    name: str
    scope: str
    signature: str

    def text(self) -> str:
        """The header as one string; injective for values without line feeds."""
        return f"{self.name}\n{self.scope}\n{self.signature}"


EMPTY_HEADER = Header("", "", "")


class ChunkSpan(NamedTuple):
    """A chunk as a chunker emits it. Offsets are bytes of the working text.

    `symbol` and `parent` are indices into the outline of the file, or -1: the symbol that the
    chunk is (or is a part of), and its enclosing symbol. `part` counts the parts of a long symbol
    from 0; `parts` is their number (1 for a whole symbol).
    """

    start: int
    end: int
    kind: ChunkKind
    symbol: int
    parent: int
    header: Header
    part: int = 0
    parts: int = 1

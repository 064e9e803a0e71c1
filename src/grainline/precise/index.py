"""What a SCIP index says, as frozen values; positions are those of its tool (sourcegraph/scip)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import NamedTuple


class Problem(NamedTuple):
    """Why a precise source gave nothing, or no more; `code` is a stable word."""

    code: str
    detail: str


class Encoding(IntEnum):
    """Units in which characters of a line are counted; UNSPECIFIED: the index does not say."""

    UNSPECIFIED = 0
    UTF8 = 1
    UTF16 = 2
    UTF32 = 3


class Roles(IntFlag):
    """Bits of the roles of an occurrence."""

    DEFINITION = 0x1
    IMPORT = 0x2
    WRITE = 0x4
    READ = 0x8
    GENERATED = 0x10
    TEST = 0x20
    FORWARD_DEFINITION = 0x40


class Range(NamedTuple):
    """Half-open; lines and characters count from 0, characters in units of the document."""

    start_line: int
    start_character: int
    end_line: int
    end_character: int


class Occurrence(NamedTuple):
    """A symbol at a place. `roles` are bits of `Roles`."""

    range: Range
    symbol: str
    roles: int


class Relationship(NamedTuple):
    """What a symbol is to another one, as for SCIP's fields `is_...`."""

    symbol: str
    reference: bool = False
    implementation: bool = False
    type_definition: bool = False
    definition: bool = False


class SymbolInformation(NamedTuple):
    """What is known of a symbol. `kind` is a number of SCIP's `SymbolInformation.Kind`."""

    symbol: str
    kind: int = 0
    name: str = ""
    signature: str = ""
    documentation: tuple[str, ...] = ()
    relationships: tuple[Relationship, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One file of an index.

    Attributes:
        path: relative to the root of the index, checked: no `..`, not absolute.
        text: of the file as the tool saw it, None where the index does not hold it.
    """

    path: bytes
    language: str = ""
    encoding: Encoding = Encoding.UNSPECIFIED
    text: bytes | None = None
    occurrences: tuple[Occurrence, ...] = ()
    symbols: tuple[SymbolInformation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """One SCIP index.

    Attributes:
        root: `project_root` as written; nothing is ever opened by it.
        refused: paths of documents that lead out of the root or are no paths, as written.
        external: symbols of other packages.
    """

    tool: str = ""
    version: str = ""
    root: str = ""
    documents: tuple[Document, ...] = ()
    refused: tuple[str, ...] = ()
    external: tuple[SymbolInformation, ...] = ()


def safe_path(path: str) -> bytes | None:
    """The path if it is relative, canonical and stays below the root; else None."""
    parts = path.split("/")
    if not path or len(path) > 4096 or "\0" in path or "\\" in path:
        return None
    if any(part in ("", ".", "..") for part in parts) or parts[0][1:2] == ":":
        return None
    try:
        return path.encode("utf-8")
    except UnicodeEncodeError:
        return None

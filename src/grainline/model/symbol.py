"""Symbols: what a file defines. Descriptors follow SCIP (sourcegraph/scip: scip.proto)."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class SymbolKind(StrEnum):
    """Closed set of symbol kinds; `--kind` takes these words."""

    MODULE = "module"
    NAMESPACE = "namespace"
    CLASS = "class"
    STRUCT = "struct"
    INTERFACE = "interface"
    TRAIT = "trait"
    ENUM = "enum"
    ENUM_MEMBER = "enum_member"
    UNION = "union"
    TYPE = "type"
    FUNCTION = "function"
    METHOD = "method"
    CONSTRUCTOR = "constructor"
    PROPERTY = "property"
    FIELD = "field"
    VARIABLE = "variable"
    CONSTANT = "constant"
    MACRO = "macro"
    HEADING = "heading"
    KEY = "key"
    ELEMENT = "element"
    RULE = "rule"
    TABLE = "table"

    __hash__ = str.__hash__  # that of Enum is Python code, and kinds are looked up all the time


class Definition(NamedTuple):
    """One symbol of an outline. A tuple, not a dataclass: made 100,000 times per index run.

    Offsets are bytes of the working text (UTF-8). `start` includes decorators and attributes but
    not a leading doc comment; `signature_*` spans the head without decorators and without the
    body. `doc_start == doc_end` when there is no doc comment. `parent` is an index into the same
    outline (always smaller than the own one) or -1. `descriptor` is the SCIP descriptor below the
    file, e.g. `RefundService#apply().`; unique inside the file (`+1`, `+2` disambiguate).
    """

    name: str
    kind: SymbolKind
    descriptor: str
    start: int
    end: int
    name_start: int
    name_end: int
    signature_start: int
    signature_end: int
    doc_start: int
    doc_end: int
    parent: int


class Import(NamedTuple):
    """One imported thing. `module` as written; `name` is the member or "" for the module itself."""

    start: int
    end: int
    module: str
    name: str
    alias: str


class Role(StrEnum):
    """Role of a reference."""

    CALL = "call"
    TYPE = "type"
    INHERIT = "inherit"
    DECORATE = "decorate"

    __hash__ = str.__hash__  # that of Enum is Python code, and kinds are looked up all the time


class Reference(NamedTuple):
    """An occurrence of a name that is not its definition; `start:end` is the name itself."""

    start: int
    end: int
    role: Role

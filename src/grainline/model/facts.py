"""FileFacts: all that a file says by itself, as values; no syntax tree leaves `parsing`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from grainline.model.position import Span
from grainline.model.symbol import Definition, Import, Reference


class Block(NamedTuple):
    """A node of the skeleton: the children of every syntax node larger than the skeleton limit.

    `parent` is an index into the skeleton (smaller than the own one) or -1 for the root. Children
    of one parent do not overlap and stand in order; bytes between them belong to the parent.
    `kind` is the grammar's node type.
    """

    start: int
    end: int
    parent: int
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """Something analysis noticed about a source; never raised. `code` is a stable word."""

    code: str
    detail: str
    start: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    """What one blob says, for one language. All offsets are bytes of the working text.

    `language` is "" for plain text. Spans of `comments`, `strings`, `imports` are in order and do
    not overlap each other within one list. A docstring is in `comments`, not in `strings`.
    `parsed` tells whether a tree stood behind the facts (False: text splitter).
    """

    language: str
    parsed: bool = False
    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    import_spans: tuple[Span, ...] = ()
    comments: tuple[Span, ...] = ()
    strings: tuple[Span, ...] = ()
    references: tuple[Reference, ...] = ()
    skeleton: tuple[Block, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = field(default=())

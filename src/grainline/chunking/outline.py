"""From the outline of a file to pieces that tile it: definitions, their own text, and the rest."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from grainline.chunking.base import Source
from grainline.chunking.merge import Piece, Role, merge, stretch
from grainline.chunking.split import line_end, line_start
from grainline.model.position import Span
from grainline.model.symbol import Definition, SymbolKind

CALLABLES = frozenset(
    {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.MACRO}
)
TYPES = frozenset(
    {
        SymbolKind.CLASS,
        SymbolKind.STRUCT,
        SymbolKind.INTERFACE,
        SymbolKind.TRAIT,
        SymbolKind.ENUM,
        SymbolKind.UNION,
    }
)
RECORDS = frozenset({SymbolKind.KEY, SymbolKind.ELEMENT})
NAMESPACES = frozenset({SymbolKind.MODULE, SymbolKind.NAMESPACE})
VALUES = frozenset(
    {
        SymbolKind.PROPERTY,
        SymbolKind.FIELD,
        SymbolKind.VARIABLE,
        SymbolKind.CONSTANT,
        SymbolKind.ENUM_MEMBER,
    }
)

TINY = 12
"""Grainline tokens; about one short line. Text below it is no chunk of its own."""

SMALL_PROPERTY = 24
"""Grainline tokens; a property above it has accessors and is cut like a method."""


def binds_import(source: Source, definition: Definition, tokens: int) -> bool:
    """Whether a value is what an import binds, as in `const fs = require("fs")`."""
    if definition.kind not in VALUES or tokens > 2 * TINY:
        return False
    imports = source.facts.import_spans
    after = bisect_right(imports, definition.start, key=_span_end)
    return after < len(imports) and imports[after].start < definition.end


_span_end = itemgetter(1)


def is_member(definition: Definition, tokens: int, parent: Definition) -> bool:
    """Whether a definition inside another is cut out when that one is opened; fields are not."""
    if definition.kind is SymbolKind.PROPERTY:
        return tokens > SMALL_PROPERTY and definition.start >= parent.signature_end
    return definition.kind not in VALUES


class Measured(NamedTuple):
    """The definitions of a file with their sizes; parallel sequences.

    A container (an index, or -1 for the file) holds the whole span of a definition; the parent of a
    definition need not, such as the receiver type of a Go method.
    """

    definitions: Sequence[Definition]
    tokens: list[int]
    containers: list[int]


class Outline(NamedTuple):
    """How a strategy cuts: which definitions are pieces, and which are opened to show pieces.

    `visible` are the indices of both in order; `opened` is by index of the definition.
    """

    opened: list[bool]
    visible: list[int]


def measure(source: Source) -> Measured:
    """Sizes and containers of the definitions, which stand by (start, -end)."""
    definitions = source.facts.definitions
    if not definitions:
        return Measured((), [], [])
    sums = source.token_sums
    ends = sums[[definition.end for definition in definitions]]
    tokens: list[int] = (ends - sums[[definition.start for definition in definitions]]).tolist()
    containers: list[int] = []
    around: list[int] = []
    for index, definition in enumerate(definitions):
        while around and definitions[around[-1]].end < definition.end:
            around.pop()
        containers.append(around[-1] if around else -1)
        around.append(index)
    return Measured(definitions, tokens, containers)


def cut_out(
    measured: Measured, opens: Callable[[int, int], bool], shows: Callable[[int, int], bool]
) -> Outline:
    """The outline in which `opens(index, container)` and `shows(index, container)` decide.

    Both are asked only about definitions whose container is opened, outermost first.
    """
    opened: list[bool] = []
    visible: list[int] = []
    for index, container in enumerate(measured.containers):
        if container >= 0 and not opened[container]:
            opened.append(False)
            continue
        opened.append(opens(index, container))
        if opened[index] or shows(index, container):
            visible.append(index)
    return Outline(opened, visible)


def pieces_of(source: Source, outline: Outline, target: int) -> list[Piece]:
    """Pieces that tile the file, in order, at line starts where lines allow it.

    The comments directly above a definition belong to it. Definitions that share a line are one
    piece up to the target. Text without a token is part of its neighbour.
    """
    return _Sweep(source, outline, target).run()


def open_gaps(pieces: Iterable[Piece], cap: int) -> list[Piece]:
    """`pieces` with everything that is no definition as loose text, in stretches up to `cap`."""
    loose = (
        piece if piece.role is Role.SYMBOL else piece._replace(role=Role.LOOSE, symbols=())
        for piece in pieces
    )
    return merge(
        loose,
        lambda group, piece: (
            group.role is piece.role is Role.LOOSE and group.tokens + piece.tokens <= cap
        ),
    )


class _Sweep:
    """One pass over the visible definitions by start, with the stack of opened ones."""

    def __init__(self, source: Source, outline: Outline, target: int) -> None:
        self.outline = outline
        self.text = source.text
        self.sums = source.token_sums
        self.definitions = source.facts.definitions
        self.comments = source.facts.comments
        self.comment_starts = [span.start for span in source.facts.comments]
        self.imports = source.facts.import_spans
        self.import_ends = [span.end for span in source.facts.import_spans]
        self.target = target
        self.pieces: list[Piece] = []
        self.at = 0

    def run(self) -> list[Piece]:
        definitions = self.definitions
        opened = self.outline.opened
        stack: list[tuple[int, int]] = [(len(self.text), -1)]
        for index in self.outline.visible:
            definition = definitions[index]
            while len(stack) > 1 and definition.start >= stack[-1][0]:
                self.fill(*stack.pop())
            until, owner = stack[-1]
            end = min(line_end(self.text, definition.end), until)
            start = self.reach_up(definition, owner)
            if start < self.at:
                start = self.share_line(index, owner, end, is_opened=opened[index])
            if start < 0:
                continue
            self.fill(start, owner)
            if opened[index]:
                stack.append((max(end, self.at), index))
            elif end > self.at:
                self.put(end, Role.SYMBOL, owner, (index,))
        while stack:
            self.fill(*stack.pop())
        return self.pieces

    def tokens(self, start: int, end: int) -> int:
        return self.sums.item(end) - self.sums.item(start)

    def put(self, end: int, role: Role, owner: int, symbols: tuple[int, ...] = ()) -> None:
        """The stretch from where the sweep is to `end` becomes a piece."""
        start, self.at = self.at, end
        tokens = self.tokens(start, end)
        if not self.pieces:
            self.pieces.append(Piece(start, end, tokens, role, owner, symbols))
        elif not tokens:
            last = self.pieces[-1]
            self.pieces[-1] = stretch(last, last.start, end, last.tokens)
        elif not self.pieces[-1].tokens:
            last = self.pieces[-1]
            self.pieces[-1] = Piece(last.start, end, tokens, role, owner, symbols)
        else:
            self.pieces.append(Piece(start, end, tokens, role, owner, symbols))

    def reach_up(self, definition: Definition, owner: int) -> int:
        """Start of the piece of a definition: with the comments above, from the line start on."""
        text = self.text
        start = definition.start
        if self.at <= definition.doc_start < definition.doc_end <= start:
            start = definition.doc_start
        offset = line_start(text, start)
        if owner >= 0 and offset <= self.definitions[owner].start:
            return definition.start
        floor = self.definitions[owner].signature_end if owner >= 0 else 0
        floor = max(floor, self.at)
        above = bisect_left(self.comment_starts, start) - 1
        while above >= 0 and self.comment_starts[above] >= floor:
            comment = self.comments[above]
            gap = text[comment.end - 1 : offset]
            if gap[1:].strip() or gap.count(b"\n") > 1 or text[comment.start] in _QUOTES:
                break
            begin = line_start(text, comment.start)
            if begin < floor or text[begin : comment.start].strip():
                break
            offset = begin
            above -= 1
        return offset

    def share_line(self, index: int, owner: int, end: int, *, is_opened: bool) -> int:
        """Where a definition starts whose line is already taken; -1 if it joins the last piece."""
        definition = self.definitions[index]
        last = self.pieces[-1] if self.pieces else None
        if last is None or last.role is not Role.SYMBOL:
            return self.at
        raw_end = max(self.definitions[symbol].end for symbol in last.symbols)
        fits = self.tokens(last.start, max(end, self.at)) <= self.target and last.owner == owner
        if definition.start < raw_end or (fits and not is_opened):
            end = max(end, self.at)
            tokens = self.tokens(last.start, end)
            symbols = (*last.symbols, index)
            self.pieces[-1] = Piece(last.start, end, tokens, last.role, last.owner, symbols)
            self.at = end
            return -1
        cut = definition.start
        self.pieces[-1] = stretch(last, last.start, cut, self.tokens(last.start, cut))
        self.at = cut
        return cut

    def fill(self, end: int, owner: int) -> None:
        """Everything up to `end` is text of `owner` outside its members, or loose."""
        if end <= self.at:
            return
        if owner >= 0 and self.definitions[owner].kind not in NAMESPACES:
            self.put(end, Role.OWN, owner, (owner,))
        elif not self.tokens(self.at, end):
            self.put(end, Role.LOOSE, owner)
        else:
            self.fill_loose(end, owner)

    def fill_loose(self, end: int, owner: int) -> None:
        head = self.comment_run(self.at, end)
        if head and (head == end or not self.tokens(0, self.at)):
            self.put(head, Role.COMMENT, owner)
        for run in self.import_runs(self.at, end):
            if run.start > self.at:
                self.put(run.start, Role.LOOSE, owner)
            self.put(run.end, Role.IMPORT, owner)
        if end > self.at:
            self.put(end, Role.LOOSE, owner)

    def comment_run(self, start: int, end: int) -> int:
        """End of the comments with which `start:end` begins, as a line start; 0 without any."""
        text = self.text
        done = 0
        index = bisect_left(self.comment_starts, start)
        while start < end:
            blank = _BLANK.match(text, start, end)
            start = blank.end() if blank else start
            if index == len(self.comments) or self.comments[index].start != start:
                break
            start = self.comments[index].end
            done = line_end(text, start)
            index += 1
        if done and start >= end:
            return end
        return done if line_start(text, start) >= done else 0

    def import_runs(self, start: int, end: int) -> Iterator[Span]:
        """Lines of imports inside `start:end`; runs with next to nothing between them are one."""
        index = bisect_right(self.import_ends, start)
        run: Span | None = None
        while index < len(self.imports) and self.imports[index].start < end:
            found = self.imports[index]
            index += 1
            begin = max(start, line_start(self.text, found.start))
            until = min(end, line_end(self.text, found.end))
            if run is not None and self.tokens(run.end, max(begin, run.end)) <= 2 * TINY:
                run = Span(run.start, max(until, run.end))
                continue
            if run is not None:
                yield run
            run = Span(begin, until)
        if run is not None:
            if self.tokens(run.end, end) <= TINY:
                run = Span(run.start, end)
            yield run


_QUOTES = b"\"'rRuUbB"  # with which a docstring begins, and no comment
_BLANK = re.compile(rb"[\s\xef\xbb\xbf]*")  # a byte order mark counts as white

"""From the outline of a file to pieces that tile it: definitions, their own text, and the rest."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from grainline.chunking.base import Source
from grainline.chunking.merge import Piece, Role, merge
from grainline.chunking.split import Lines
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
    """One pass over the visible definitions by start, with the stack of opened ones.

    Pieces are parallel lists; a piece ends where the next one starts, so they tile the file.
    """

    def __init__(self, source: Source, outline: Outline, target: int) -> None:
        self.text = source.text
        self.lines = Lines(source.text)
        self.sums = source.token_sums
        self.definitions = source.facts.definitions
        self.comments = source.facts.comments
        self.comment_starts = [start for start, _ in source.facts.comments]
        self.imports = source.facts.import_spans
        self.last_import = self.imports[-1].end if self.imports else 0
        self.outline = outline
        self.target = target
        self.starts: list[int] = []
        self.roles: list[Role] = []
        self.owners: list[int] = []
        self.symbols: list[tuple[int, ...]] = []
        self.at = 0

    def run(self) -> list[Piece]:
        lines, definitions, opened = self.lines, self.definitions, self.outline.opened
        stack: list[tuple[int, int]] = []
        until, owner = len(self.text), -1
        for index in self.outline.visible:
            definition = definitions[index]
            while stack and definition.start >= until:
                self.fill(until, owner)
                until, owner = stack.pop()
            end = min(lines.end(definition.end), until)
            start = self.reach_up(definition, owner)
            if start < self.at:
                start = self.share_line(index, owner, end)
                if start < 0:
                    continue
            if start > self.at:
                self.fill(start, owner)
            if opened[index]:
                stack.append((until, owner))
                until, owner = max(end, self.at), index
            elif end > self.at:
                self.put(end, Role.SYMBOL, owner, (index,))
        while stack:
            self.fill(until, owner)
            until, owner = stack.pop()
        self.fill(until, owner)
        return self.pieces()

    def pieces(self) -> list[Piece]:
        size = len(self.text)
        if not self.starts:
            return [Piece(0, size, 0, Role.LOOSE, -1, ())]
        borders = [*self.starts, size]
        counts = self.sums[borders]
        tokens: list[int] = (counts[1:] - counts[:-1]).tolist()
        rows = zip(
            borders, borders[1:], tokens, self.roles, self.owners, self.symbols, strict=False
        )
        return list(map(Piece._make, rows))

    def put(self, end: int, role: Role, owner: int, symbols: tuple[int, ...] = ()) -> None:
        """The stretch from where the sweep is to `end` becomes a piece.

        The first piece takes the white space before it.
        """
        self.starts.append(self.at if self.starts else 0)
        self.roles.append(role)
        self.owners.append(owner)
        self.symbols.append(symbols)
        self.at = end

    def tokens(self, start: int, end: int) -> int:
        return self.sums.item(end) - self.sums.item(start)

    def reach_up(self, definition: Definition, owner: int) -> int:
        """Start of the piece of a definition: with the comments above, from the line start on."""
        start = definition.start
        if self.at <= definition.doc_start < definition.doc_end <= start:
            start = definition.doc_start
        offset = self.lines.start(start)
        floor = self.at
        if owner >= 0:
            above = self.definitions[owner]
            if offset <= above.start:
                return definition.start
            floor = max(floor, above.signature_end)
        last = bisect_left(self.comment_starts, start) - 1
        if last < 0 or self.comment_starts[last] < floor:
            return offset
        return self.climb(last, offset, floor)

    def climb(self, last: int, offset: int, floor: int) -> int:
        """`offset`, moved over the comments up to the one at index `last` that touch it."""
        text = self.text
        while last >= 0 and self.comment_starts[last] >= floor:
            start, end = self.comments[last]
            gap = text[end - 1 : offset]
            if gap[1:].strip() or gap.count(b"\n") > 1 or text[start] in _QUOTES:
                break
            begin = self.lines.start(start)
            if begin < floor or text[begin:start].strip():
                break
            offset = begin
            last -= 1
        return offset

    def share_line(self, index: int, owner: int, end: int) -> int:
        """Where a definition starts whose line is already taken; -1 if it joins the last piece.

        It joins a definition that it overlaps, or its neighbour on the line up to the target.
        """
        if not self.starts or self.roles[-1] is not Role.SYMBOL:
            return self.at
        definition = self.definitions[index]
        end = max(end, self.at)
        overlaps = definition.start < max(self.definitions[i].end for i in self.symbols[-1])
        if not overlaps:
            fits = self.tokens(self.starts[-1], end) <= self.target and self.owners[-1] == owner
            if not fits or self.outline.opened[index]:
                self.at = definition.start
                return self.at
        self.symbols[-1] = (*self.symbols[-1], index)
        self.at = end
        return -1

    def fill(self, end: int, owner: int) -> None:
        """Everything up to `end` is text of `owner` outside its members, or loose.

        Blank lines before it stay with the piece before.
        """
        if end <= self.at:
            return
        blank = _BLANK_LINES.match(self.text, self.at, end)
        self.at = blank.end() if blank else self.at
        if self.text[self.at : end].isspace() or self.at == end:
            self.at = end
        elif owner >= 0 and self.definitions[owner].kind not in NAMESPACES:
            self.put(end, Role.OWN, owner, (owner,))
        else:
            self.fill_loose(end, owner)

    def fill_loose(self, end: int, owner: int) -> None:
        head = self.comment_run(self.at, end)
        if head and (head == end or not self.tokens(0, self.at)):
            self.put(head, Role.COMMENT, owner)
        if self.at < self.last_import:
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
            done = self.lines.end(start)
            index += 1
        if done and start >= end:
            return end
        return done if self.lines.start(start) >= done else 0

    def import_runs(self, start: int, end: int) -> Iterator[Span]:
        """Lines of imports inside `start:end`; runs with next to nothing between them are one."""
        imports = self.imports
        index = bisect_right(imports, start, key=_span_end)
        while index < len(imports) and imports[index].start < end:
            first, last = imports[index]
            index += 1
            while index < len(imports) and imports[index].start < end:
                following = imports[index]
                near = following.start - last <= 2 * TINY  # bytes; a token has at least one
                if not near and self.tokens(last, following.start) > 2 * TINY:
                    break
                last = max(last, following.end)
                index += 1
            first = max(start, self.lines.start(first))
            last = min(end, self.lines.end(last))
            if self.tokens(last, end) <= TINY:
                last = end
            if first < last:
                yield Span(first, last)
                start = last


_BLANK_LINES = re.compile(rb"(?:[ \t\r\f\v]*\n)+")
_QUOTES = b"\"'rRuUbB"  # with which a docstring begins, and no comment
_BLANK = re.compile(rb"[\s\xef\xbb\xbf]*")  # a byte order mark counts as white

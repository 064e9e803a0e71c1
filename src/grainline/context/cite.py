"""Citations: every shown byte is cut from the store's text again, and lines are counted by LF."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

import numpy as np

from grainline.model.position import Citation, LineSpan, Span
from grainline.model.search import Place, SymbolInfo
from grainline.model.snapshot import Entry
from grainline.model.symbol import Definition, Import
from grainline.retrieval.hits import describe, version_of
from grainline.retrieval.modules import module_name
from grainline.storage.base import Corpus, ReferenceRow, SymbolHit
from grainline.text.budget import estimate_tokens

LONG_LINE = 400  # bytes; a piece of a longer line is shown as it is, not widened to the line
LINE_FEED = 10
_WIDE = re.compile(r"utf[-_]?(16|32)")


class SourceFile:
    """One entry's text with its line index and facts, each read at most once per request."""

    __slots__ = (
        "_corpus",
        "_costs",
        "_imports",
        "_line_starts",
        "_outline",
        "_references",
        "encoding",
        "entry",
        "path",
        "text",
    )

    def __init__(self, corpus: Corpus, entry: int) -> None:
        self._corpus = corpus
        self.entry = entry
        self.path = corpus.path(entry)
        self.text = corpus.text(entry)
        self.encoding = _codec(corpus.encoding(entry))
        self._line_starts: list[int] | None = None
        self._outline: tuple[Definition, ...] | None = None
        self._imports: tuple[Import, ...] | None = None
        self._references: tuple[ReferenceRow, ...] | None = None
        self._costs: dict[Span, int] = {}

    @property
    def _starts(self) -> list[int]:
        if self._line_starts is None:
            self._line_starts = line_starts(self.text, self.encoding)
        return self._line_starts

    @property
    def outline(self) -> tuple[Definition, ...]:
        """The definitions of the file."""
        if self._outline is None:
            self._outline = self._corpus.outline(self.entry)
        return self._outline

    @property
    def imports(self) -> tuple[Import, ...]:
        """The imports of the file."""
        if self._imports is None:
            self._imports = self._corpus.imports(self.entry)
        return self._imports

    @property
    def references(self) -> tuple[ReferenceRow, ...]:
        """The references of the file, in file order."""
        if self._references is None:
            self._references = self._corpus.references(self.entry)
        return self._references

    @property
    def n_lines(self) -> int:
        """Number of lines; a last line without LF counts."""
        return len(self._starts)

    def references_in(self, span: Span) -> Sequence[ReferenceRow]:
        """The references that start inside `span`."""
        rows = self.references
        first = bisect_left(rows, span.start, key=lambda row: row.start)
        return rows[first : bisect_left(rows, span.end, lo=first, key=lambda row: row.start)]

    def line_at(self, offset: int) -> int:
        """The line, from 1, that holds byte `offset`."""
        return max(1, bisect_right(self._starts, offset))

    def lines(self, span: Span) -> LineSpan:
        """The lines that `span` touches; an empty span touches the line it stands on."""
        start = self.line_at(span.start)
        return LineSpan(start, max(start, self.line_at(max(span.start, span.end - 1))))

    def line_span(self, lines: LineSpan) -> Span:
        """The bytes of `lines` (cut to the file), line ends included."""
        first = min(max(1, lines.start), self.n_lines)
        last = min(max(first, lines.end), self.n_lines)
        end = self._starts[last] if last < self.n_lines else len(self.text)
        return Span(self._starts[first - 1], end)

    def widen(self, span: Span) -> Span:
        """`span` out to whole lines, except across a long line (one-line files)."""
        whole = self.line_span(self.lines(span))
        start = whole.start if span.start - whole.start <= LONG_LINE else span.start
        end = whole.end if whole.end - span.end <= LONG_LINE else span.end
        return Span(min(start, span.start), max(end, span.end))

    def tokens(self, span: Span) -> int:
        """Estimated cost of the text of `span`."""
        if span not in self._costs:
            self._costs[span] = estimate_tokens(self.decode(span))
        return self._costs[span]

    def decode(self, span: Span) -> str:
        """The text of `span`; bytes that are no text become U+FFFD."""
        return self.text[span.start : span.end].decode(self.encoding, "replace")


def line_starts(text: bytes, encoding: str = "utf-8") -> list[int]:
    """Offsets at which lines start: 0 and after every LF, but not at the end of the text."""
    wide = _WIDE.match(encoding)
    if wide is None:
        feeds = np.flatnonzero(np.frombuffer(text, np.uint8) == LINE_FEED) + 1
        starts = [0, *feeds.tolist()]
    else:
        starts = [0, *_wide_starts(text, encoding, int(wide[1]) // 8)]
    if len(starts) > 1 and starts[-1] >= len(text):
        starts.pop()
    return starts


def _wide_starts(text: bytes, encoding: str, width: int) -> Iterable[int]:
    big = encoding.endswith("be") or text.startswith(codecs.BOM_UTF16_BE)
    feed = b"\n".rjust(width, b"\0") if big else b"\n".ljust(width, b"\0")
    at = text.find(feed)
    while at >= 0:
        if at % width == 0:
            yield at + width
        at = text.find(feed, at + 1)


def _codec(name: str) -> str:
    try:
        return codecs.lookup(name or "utf-8").name
    except LookupError:
        return "utf-8"


class Reader:
    """The files of one request, each read once."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._files: dict[int, SourceFile] = {}
        self._entries: dict[int, Entry] = {}
        self._symbols: dict[tuple[int, int], SymbolInfo] = {}
        self._modules: dict[int, str] = {}
        self._named: dict[str, tuple[SymbolHit, ...]] = {}

    def file(self, entry: int) -> SourceFile:
        """The file of `entry`."""
        if entry not in self._files:
            self._files[entry] = SourceFile(self.corpus, entry)
        return self._files[entry]

    def entry(self, entry: int) -> Entry:
        """The entry's row."""
        if entry not in self._entries:
            self._entries[entry] = self.corpus.entry(entry)
        return self._entries[entry]

    def named(self, name: str) -> tuple[SymbolHit, ...]:
        """The definitions of the scope that are called `name`."""
        if name not in self._named:
            self._named[name] = self.corpus.symbols_named(name)
        return self._named[name]

    def module(self, entry: int) -> str:
        """The dotted module name of an entry."""
        if entry not in self._modules:
            path, language = self.corpus.path(entry), self.corpus.language(entry)
            self._modules[entry] = module_name(path, language)
        return self._modules[entry]

    def place(self, entry: int, span: Span) -> Place:
        """`span` of `entry` as a cited place."""
        corpus, file = self.corpus, self.file(entry)
        row = self.entry(entry)
        if row.blob is None:
            raise AssertionError(f"entry {entry} has no content")
        snapshot = corpus.snapshot(entry)
        lines = file.lines(span)
        return Place(
            repository=corpus.repository(entry).name,
            snapshot=snapshot,
            path=row.path,
            blob=row.blob,
            language=row.language,
            span=span,
            lines=lines,
            citation=Citation(path=row.path, lines=lines, version=version_of(snapshot, row)),
            flags=row.flags,
        )

    def symbol(self, entry: int, index: int) -> SymbolInfo | None:
        """The definition in row `index` of the outline, or None for -1."""
        if index < 0:
            return None
        if (entry, index) not in self._symbols:
            file = self.file(entry)
            found = describe(
                self.corpus, entry, file.outline.__getitem__, index, self.module(entry), file.text
            )
            self._symbols[entry, index] = found
        return self._symbols[entry, index]


def innermost(outline: Sequence[Definition], start: int, end: int) -> int:
    """Row of the smallest definition that holds `[start, end)`, or -1."""
    best = -1
    for index, found in enumerate(outline):
        if found.start > start:
            break
        if end <= found.end and (best < 0 or found.end - found.start <= _size(outline[best])):
            best = index
    return best


def _size(definition: Definition) -> int:
    return definition.end - definition.start

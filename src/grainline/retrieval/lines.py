"""Lines of a text: numbers from 1, counted by LF as git does."""

from __future__ import annotations

from bisect import bisect_left

from grainline.model.position import LineSpan, Span


def line_of(text: bytes, offset: int) -> int:
    """The line of the byte at `offset`."""
    return text.count(b"\n", 0, offset) + 1


def lines_of(text: bytes, span: Span) -> LineSpan:
    """The lines that `span` touches; the LF that ends a line belongs to it."""
    start = line_of(text, span.start)
    last = max(span.start, span.end - 1)
    return LineSpan(start, start + text.count(b"\n", span.start, last))


def lines_after(text: bytes, span: Span, at: int, line: int) -> LineSpan:
    """As `lines_of`, from the known `line` of a byte `at` that is not behind the span."""
    start = line + text.count(b"\n", at, span.start)
    last = max(span.start, span.end - 1)
    return LineSpan(start, start + text.count(b"\n", span.start, last))


def span_of(text: bytes, lines: LineSpan) -> Span:
    """The bytes of `lines`, final LF included; clipped to the text."""
    start = _line_start(text, lines.start - 1, 0)
    return Span(start, _line_start(text, lines.end - lines.start + 1, start))


def count_lines(text: bytes) -> int:
    """Lines of a text: a last line without LF counts, an empty text has none."""
    return text.count(b"\n") + (not text.endswith(b"\n") and bool(text))


class LineIndex:
    """Many look-ups in one text: `line` costs O(log lines)."""

    def __init__(self, text: bytes) -> None:
        self._ends: list[int] = []
        at = text.find(b"\n")
        while at >= 0:
            self._ends.append(at)
            at = text.find(b"\n", at + 1)

    def line(self, offset: int) -> int:
        """The line of the byte at `offset`."""
        return bisect_left(self._ends, offset) + 1


def _line_start(text: bytes, skip: int, at: int) -> int:
    for _ in range(skip):
        at = text.find(b"\n", at) + 1
        if at == 0:
            return len(text)
    return at

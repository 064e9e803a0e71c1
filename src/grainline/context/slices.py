"""A long symbol as a slice: its signature, the lines the question is about, elisions between."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grainline.context.cite import SourceFile
from grainline.context.relevance import Relevance
from grainline.context.rules.common import head, merge
from grainline.model.position import LineSpan, Span
from grainline.model.symbol import Definition
from grainline.text.budget import estimate_tokens

GAP = 12  # tokens that an elision mark costs
NEAR = 2  # lines; a shorter gap is shown instead of marked
CONTINUED = 6  # lines that a statement may go on
_EXITS = re.compile(r"\b(return|raise|throw|throws|yield|panic|exit|abort)\b")
_OPEN = ("(", "[", ",", "\\", "=")


def cut(
    file: SourceFile,
    definition: Definition,
    keep: Span,
    relevance: Relevance,
    *,
    max_tokens: int,
) -> tuple[Span, ...]:
    """Whole lines of `definition` in about `max_tokens`: head, then the best lines, in file order.

    `keep` is the part that was found; its lines come before others of the same worth. A chosen
    line brings the lines that open the blocks around it (by indentation) and the rest of its
    statement, so that what is shown can be read.
    """
    first = file.lines(Span(definition.start, definition.end))
    texts = _texts(file, first)
    opened = _openers(texts)
    costs = [estimate_tokens(text) + 1 for text in texts]
    chosen = _head_rows(file, definition, first, costs, max_tokens)
    spent = sum(costs[row] for row in sorted(chosen)) + GAP
    kept = file.lines(keep)
    for row in _ranked(
        texts, relevance, range(kept.start - first.start, kept.end - first.start + 1)
    ):
        if row in chosen:
            continue
        more = _statement(texts, row) | _blocks(opened, row)
        more -= chosen
        price = sum(costs[line] for line in sorted(more)) + GAP
        if spent + price > max_tokens:
            continue
        chosen |= more
        spent += price
    return _spans(file, first, sorted(chosen))


def _head_rows(
    file: SourceFile, definition: Definition, first: LineSpan, costs: Sequence[int], room: int
) -> set[int]:
    """Rows of the signature, and of the doc comment if they fit in half of the room."""
    bare = file.lines(Span(definition.signature_start, definition.signature_end))
    rows = set(range(bare.start - first.start, bare.end - first.start + 1))
    for span in head(file, definition):
        lines = file.lines(span)
        more = set(range(max(0, lines.start - first.start), lines.end - first.start + 1)) - rows
        more = {row for row in more if row < len(costs)}
        if sum(costs[row] for row in rows | more) <= room // 2:
            rows |= more
    return {row for row in rows if 0 <= row < len(costs)}


def _texts(file: SourceFile, lines: LineSpan) -> list[str]:
    return file.decode(file.line_span(lines)).split("\n")[: lines.end - lines.start + 1]


def _ranked(texts: Sequence[str], relevance: Relevance, kept: range) -> list[int]:
    """Rows by worth: question terms, then exits, then closeness to what was found."""
    scored: list[tuple[float, int]] = []
    for row, text in enumerate(texts):
        if not text.strip():
            continue
        worth = relevance.share(text)
        worth += 0.15 if _EXITS.search(text) else 0.0
        worth += 0.2 if row in kept else 0.0
        if worth > 0.0:
            scored.append((-worth, row))
    return [row for _, row in sorted(scored)]


def _openers(texts: Sequence[str]) -> list[int]:
    """For each row the row above that is indented less, or -1."""
    out: list[int] = []
    stack: list[tuple[int, int]] = []
    for row, text in enumerate(texts):
        bare = text.strip()
        indent = len(text.expandtabs(4)) - len(text.expandtabs(4).lstrip())
        if bare:
            while stack and stack[-1][0] >= indent:
                stack.pop()
        out.append(stack[-1][1] if stack else -1)
        if bare:
            stack.append((indent, row))
    return out


def _blocks(opened: Sequence[int], row: int) -> set[int]:
    rows: set[int] = set()
    while row >= 0:
        rows.add(row)
        row = opened[row]
    return rows


def _statement(texts: Sequence[str], row: int) -> set[int]:
    rows = {row}
    last = row
    while texts[last].rstrip().endswith(_OPEN) and last + 1 < len(texts) and last - row < CONTINUED:
        last += 1
        rows.add(last)
    return rows


def _spans(file: SourceFile, first: LineSpan, rows: Sequence[int]) -> tuple[Span, ...]:
    spans: list[Span] = []
    previous = -1
    for row in rows:
        start = row if previous < 0 or row - previous > NEAR + 1 else previous + 1
        lines = LineSpan(first.start + start, min(first.end, first.start + row))
        if lines.start <= lines.end:
            spans.append(file.line_span(lines))
        previous = row
    return merge(spans)

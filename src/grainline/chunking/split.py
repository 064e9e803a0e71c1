"""Cutting: where a text may be divided, and dividing it so that every piece is under the cap.

Offsets are bytes. A border is an offset at which one piece ends and the next begins; the ends of
the text are never borders. Every cost of a border is "lower is better".
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.chunking.base import Source
from grainline.model.chunk import EMPTY_HEADER, ChunkKind, ChunkSpan
from grainline.model.facts import Block
from grainline.model.position import Span
from grainline.model.symbol import Definition

CAP = 400
"""Grainline tokens; cAST splits at 2,000 non-white characters, which is about as much."""

SKELETON_LIMIT = 600
"""Bytes; a node of 600 bytes has 130 tokens on average (Django, Kafka), a third of the cap."""


def tile(start: int, end: int, borders: Iterable[int]) -> list[Span]:
    """The spans between `borders`, which rise strictly inside `start:end`."""
    return [Span(a, b) for a, b in pairwise((start, *borders, end))]


class Lines:
    """Line borders around offsets of one text, in constant time whatever the lines are like."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._starts: list[int] = []

    def start(self, offset: int) -> int:
        """Start of the line that holds `offset`."""
        found = self._text.rfind(b"\n", max(0, offset - _FAR), offset)
        if found >= 0 or offset <= _FAR:
            return found + 1
        starts = self._index()
        return starts[bisect_right(starts, offset) - 1]

    def end(self, offset: int) -> int:
        """Start of the first line that begins at or after `offset`, or the end of the text.

        An offset that is itself a line start ends no line: it is returned as it is.
        """
        text = self._text
        if offset == 0 or text[offset - 1] == _LF:
            return offset
        found = text.find(b"\n", offset, offset + _FAR)
        if found >= 0:
            return found + 1
        starts = self._index()
        after = bisect_right(starts, offset)
        return starts[after] if after < len(starts) else len(text)

    def _index(self) -> list[int]:
        if not self._starts:
            self._starts = [0, *(found.end() for found in _NEWLINE.finditer(self._text))]
        return self._starts


_FAR = 4096  # bytes that are searched before all lines of the text are indexed
_NEWLINE = re.compile(rb"\n")


class Breaks(NamedTuple):
    """Candidate borders in order with their costs; parallel lists."""

    offsets: list[int]
    costs: list[float]


NO_BREAKS = Breaks([], [])


def cut_to_cap(
    source: Source, start: int, end: int, cap: int, breaks: Breaks = NO_BREAKS, goal: int = 0
) -> list[int]:
    """Borders inside `start:end` so that no piece is above `cap` tokens.

    Pieces come out about equally long, near `goal` (0: as few pieces as leave room for a choice of
    borders), at the cheapest candidate near the ideal place. Where no candidate is in reach the
    border is a line start (shallow indentation and blank lines first), and inside a line that is
    above the cap a place between tokens.
    """
    sums = source.token_sums
    done, total = sums.item(start), sums.item(end)
    if total - done <= cap:
        return []
    low = bisect_right(breaks.offsets, start)
    high = bisect_left(breaks.offsets, end)
    offsets = breaks.offsets[low:high]
    counts: list[int] = sums[offsets].tolist() if offsets else []
    costs = breaks.costs[low:high]
    size = min(goal, cap) or _even(total - done, cap)
    lowest = min(costs, default=0.0)
    lines: _LineBorders | None = None
    borders: list[int] = []
    at, first = start, 0
    while total - done > min(cap, size * _LONGEST):
        rest = total - done
        ideal = rest / max(round(rest / size), -(-rest // cap), 2)
        first = bisect_right(offsets, at, first)
        last = bisect_right(counts, done + cap, first)
        best = _cheapest(counts, costs, first, last, done, ideal, lowest)
        if best >= 0:
            border = offsets[best]
        else:
            lines = lines or _LineBorders(source, start, end)
            border = lines.border(at, cap, ideal)
        if border < 0:
            if rest <= cap:
                break
            border = cut_inline(source, at, end, cap)
        at, done = border, sums.item(border)
        borders.append(at)
    return borders


def _even(tokens: int, cap: int) -> float:
    """Length of equal parts under the cap, a sixth below it so that there is a choice."""
    count = -(-tokens // cap)
    if tokens > count * cap * _ROOM:
        count += 1
    return tokens / count


_ROOM = 0.85
_LONGEST = 1.5  # of the goal; a longer rest is divided further
_LF = 10
_CR = 13
_DISTANCE = (
    2.0  # cost of a piece twice (or nought times) as long as the ideal, in levels of nesting
)
_SHORTEST = 0.5  # of the ideal; a shorter piece is not worth a better border


def _cheapest(
    counts: Sequence[int],
    costs: Sequence[float],
    first: int,
    last: int,
    done: int,
    ideal: float,
    lowest: float,
) -> int:
    """Index in `first:last` of the best border (of equals the first), or -1.

    From the ideal place outwards, until distance alone costs more than the best one with `lowest`,
    which no cost is below.
    """
    first = bisect_left(counts, done + ideal * _SHORTEST, first, last)
    middle = bisect_left(counts, done + ideal, first, last)
    best, best_cost = -1, _UNREACHED
    for index in range(middle - 1, first - 1, -1):
        away = abs(counts[index] - done - ideal) * _DISTANCE / ideal
        if away > best_cost - lowest:
            break
        cost = costs[index] + away
        if cost <= best_cost:
            best, best_cost = index, cost
    for index in range(middle, last):
        away = abs(counts[index] - done - ideal) * _DISTANCE / ideal
        if away > best_cost - lowest:
            break
        cost = costs[index] + away
        if cost < best_cost:
            best, best_cost = index, cost
    return best


_UNREACHED = 1e9


class _LineBorders:
    """The line starts inside a region that is to be cut."""

    def __init__(self, source: Source, start: int, end: int) -> None:
        lines = _line_breaks(source.text)
        first = bisect_right(lines.offsets, start)
        last = bisect_left(lines.indents, end, first)
        self._source = source
        self._end = end
        self._offsets = lines.offsets[first:last]
        self._indents = lines.indents[first:last]
        self._costs = lines.costs[first:last]
        self._counts: list[int] = source.token_sums[lines.places[first:last]].tolist()

    def border(self, at: int, cap: int, ideal: float) -> int:
        """The best line start after `at` that the cap allows, or -1.

        A run of blank lines stays with what stands above it. When only blank lines begin in reach,
        the last of them is the one candidate.
        """
        source = self._source
        reach = min(_reach(source, at, cap), self._end - 1)
        first = bisect_right(self._offsets, at)
        last = bisect_right(self._indents, reach, first)
        if first >= last:
            border = source.text.rfind(b"\n", at, reach) + 1
            return border if border > at else -1
        done = source.token_sums.item(at)
        best = _cheapest(self._counts, self._costs, first, last, done, ideal, -_BLANK_LINE_BONUS)
        return self._offsets[best if best >= 0 else last - 1]


def _reach(source: Source, at: int, cap: int) -> int:
    """The greatest offset so that `at:offset` is within `cap` tokens; above `at` in any case."""
    sums = source.token_sums
    limit = np.int32(sums.item(at) + cap)
    return max(int(sums.searchsorted(limit, side="right")) - 1, at + 1)


_BLANKS = (b" ", b"\t", b"\r", b",", b";", b">", b"}", b")")
_NEAR = 256  # bytes before the furthest place in which a blank or a comma is looked for


def cut_inline(source: Source, at: int, end: int, cap: int) -> int:
    """A border inside a line: after a blank or mark if one is near, never inside a character.

    One token of slack, because a word run that is cut may count one more than its share.
    """
    text = source.text
    reach = min(_reach(source, at, max(1, cap - 1)), end - 1)
    floor = max(at, reach - _NEAR)
    found = max(text.rfind(mark, floor, reach) for mark in _BLANKS) + 1
    if found > at and not _inside(text, found):
        return found
    for back in range(4):
        if reach - back > at and not _inside(text, reach - back):
            return reach - back
    return max(reach, at + 1)


def _inside(text: bytes, offset: int) -> bool:
    """Whether a border at `offset` would part a UTF-8 sequence or a CRLF."""
    byte = text[offset]
    return byte & 0xC0 == 0x80 or (byte == _LF and text[offset - 1] == _CR)


class _LineBreaks(NamedTuple):
    """Starts of the lines of a text that are not blank; parallel.

    `indents` are where the lines begin to say something, `places` the offsets once more.
    """

    offsets: list[int]
    places: NDArray[np.int64]
    indents: list[int]
    costs: list[float]


_INDENT = re.compile(rb"\n([ \t]*)")
_INDENT_COST = 0.5  # of any indentation, and of each further four columns; a tab is four
_BLANK_LINE_BONUS = 1.0
_CLOSERS = b"})]"
_CLOSER_COST = 2.0  # a bracket belongs to what it closes
_IS_CLOSER: NDArray[np.bool_] = np.isin(np.arange(256), list(_CLOSERS))


@lru_cache(maxsize=1)
def _line_breaks(text: bytes) -> _LineBreaks:
    """The lines of a text but the first: little indentation and a blank line above are cheap."""
    data = np.frombuffer(text, np.uint8)
    offsets = np.flatnonzero(data == _LF) + 1
    indents: list[bytes] = _INDENT.findall(text)
    widths = np.fromiter(map(len, indents), np.int64, len(indents))
    depths = widths.copy()
    if b"\t" in text:
        tabs = (indent.count(b"\t") for indent in indents)
        depths += 3 * np.fromiter(tabs, np.int64, len(indents))
    begins = offsets + widths
    told = np.append(data, _LF)[begins]  # a line that the text ends in is blank
    kept = (told != _LF) & (told != _CR)
    offsets, begins, depths, told = offsets[kept], begins[kept], depths[kept], told[kept]
    costs = np.where(depths > 0, (1 + np.minimum(depths, 64) / 4) * _INDENT_COST, 0.0)
    costs += np.where(_IS_CLOSER[told], _CLOSER_COST, 0.0)
    above = np.concatenate([np.zeros(2, np.uint8), data])  # above[i] is data[i - 2]
    blank = (above[offsets] == _LF) | (
        (above[offsets] == _CR) & (above[np.maximum(offsets - 1, 0)] == _LF)
    )
    costs -= np.where(blank, _BLANK_LINE_BONUS, 0.0)
    return _LineBreaks(offsets.tolist(), offsets, begins.tolist(), costs.tolist())


_BOUNDARY_BONUS = 0.5
_COMMENT_COST = 2.0
_BOUNDARIES = frozenset(
    {
        *("if", "unless", "switch", "match", "case", "when", "select", "guard"),
        *("for", "foreach", "while", "until", "loop", "do"),
        *("try", "with", "using", "synchronized"),
        *("return", "raise", "throw", "yield", "break", "continue"),
    }
)
"""Words of node types before which a long function is best cut: branch, loop, try, return."""


def skeleton_breaks(source: Source, regions: Sequence[int]) -> Breaks:
    """Line starts of the skeleton's blocks inside `regions`; one level of nesting costs 1.

    Before a branch, loop, try or return and below a blank line a border is cheaper; between a
    comment and what it stands above it is dear.

    Args:
        source: what is cut.
        regions: start, end, start, end ... of the regions to be cut, rising.
    """
    text, lines = source.text, Lines(source.text)
    best: dict[int, float] = {}
    depths: list[int] = []
    after_comment = -1
    for start, end, parent, kind in source.skeleton(regions):
        depth = depths[parent] + 1 if parent >= 0 else 0
        depths.append(depth)
        if not bisect_right(regions, start) & 1:
            continue
        comment, bonus = _weigh(kind)
        offset = text.rfind(b"\n", max(0, start - _FAR), start) + 1 or lines.start(start)
        if comment:
            cost = depth + (_COMMENT_COST if offset == after_comment else 0.0)
            after_comment = lines.end(end)
        elif offset == after_comment:
            cost = depth + _COMMENT_COST
        else:
            cost = depth - bonus
        if text[offset - 2 : offset - 1] == b"\n":
            cost -= _BLANK_LINE_BONUS
        if cost < best.get(offset, 1e9):
            best[offset] = cost
    offsets = sorted(best)
    return Breaks(offsets, [best[offset] for offset in offsets])


@lru_cache(maxsize=4096)
def _weigh(kind: str) -> tuple[bool, float]:
    words = kind.split("_")
    return "comment" in words, 0.0 if _BOUNDARIES.isdisjoint(words) else _BOUNDARY_BONUS


def fill(source: Source, start: int, end: int, cap: int) -> list[int]:
    """Borders inside `start:end` so that every piece is as many whole lines as fit under `cap`."""
    sums = source.token_sums
    borders: list[int] = []
    at, total = start, sums.item(end)
    while total - sums.item(at) > cap:
        reach = min(_reach(source, at, cap), end - 1)
        line = source.text.rfind(b"\n", at, reach) + 1
        at = line if line > at else cut_inline(source, at, end, cap)
        borders.append(at)
    return borders


def blocks(source: Source, spans: Sequence[Span]) -> tuple[ChunkSpan, ...]:
    """Chunks of a strategy that knows no symbols: the parent is what encloses all of a span."""
    around = enclosing(source.facts.definitions, spans)
    return tuple(
        ChunkSpan(span.start, span.end, ChunkKind.BLOCK, -1, parent, EMPTY_HEADER)
        for span, parent in zip(spans, around, strict=True)
    )


def enclosing(definitions: Sequence[Definition], spans: Sequence[Span]) -> list[int]:
    """Per span the innermost definition that holds all of it, or -1; `spans` rise by start."""
    order = sorted(range(len(definitions)), key=lambda i: (definitions[i].start, i))
    found: list[int] = []
    open_: list[int] = []
    upcoming = 0
    for start, end in spans:
        while upcoming < len(order) and definitions[order[upcoming]].start <= start:
            open_.append(order[upcoming])
            upcoming += 1
        while open_ and definitions[open_[-1]].end <= start:
            open_.pop()
        found.append(next((i for i in reversed(open_) if definitions[i].end >= end), -1))
    return found


def children(skeleton: Sequence[Block]) -> dict[int, list[int]]:
    """Indices of the blocks below each block (-1: the root), in order."""
    below: dict[int, list[int]] = {}
    for index, block in enumerate(skeleton):
        below.setdefault(block.parent, []).append(index)
    return below

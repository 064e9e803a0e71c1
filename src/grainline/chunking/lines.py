"""Twenty lines with an overlap of three."""

from __future__ import annotations

from dataclasses import dataclass

from grainline.chunking.base import ChunkOptions, Source
from grainline.chunking.split import SKELETON_LIMIT, blocks, fill, tile
from grainline.model.chunk import ChunkSpan, Coverage
from grainline.model.position import Span

LINES = 20
OVERLAP = 3
"""The line chunks that are the usual baseline of code retrieval."""

LINES_CAP = 800
"""Grainline tokens: twenty lines of 40 tokens; only windows of long lines are above it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinesChunker:
    """Windows of `LINES` lines; one that is above the cap is cut, its pieces do not overlap."""

    name: str = "lines"
    version: int = 2
    coverage: Coverage = Coverage.OVERLAPPING
    skeleton_limit: int = SKELETON_LIMIT

    def chunk(self, source: Source, options: ChunkOptions) -> tuple[ChunkSpan, ...]:
        """Spans that cover the file; none for an empty one."""
        cap = options.cap or LINES_CAP
        spans: list[Span] = []
        for start, end in _windows(source.text):
            spans += tile(start, end, fill(source, start, end, cap))
        return blocks(source, sorted(set(spans)))


def _windows(text: bytes) -> list[Span]:
    starts = [0] if text else []
    found = text.find(b"\n") + 1
    while 0 < found < len(text):
        starts.append(found)
        found = text.find(b"\n", found) + 1
    windows: list[Span] = []
    for first in range(0, max(1, len(starts) - OVERLAP), LINES - OVERLAP):
        if starts:
            last = first + LINES
            windows.append(Span(starts[first], starts[last] if last < len(starts) else len(text)))
    return windows


CHUNKER = LinesChunker()

"""Sliding windows of a fixed length."""

from __future__ import annotations

from dataclasses import dataclass

from grainline.chunking.base import ChunkOptions, Source
from grainline.chunking.split import CAP, SKELETON_LIMIT, blocks, fill, tile
from grainline.model.chunk import ChunkSpan, Coverage
from grainline.model.position import Span

HALF = 2
"""Windows overlap by half, so that nothing shorter than half a window is only seen cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowChunker:
    """Windows of at most `cap` tokens, each two neighbouring stretches of half of that."""

    name: str = "window"
    version: int = 2
    coverage: Coverage = Coverage.OVERLAPPING
    skeleton_limit: int = SKELETON_LIMIT

    def chunk(self, source: Source, options: ChunkOptions) -> tuple[ChunkSpan, ...]:
        """Spans that cover the file; none for an empty one."""
        size = len(source.text)
        cap = options.cap or CAP
        step = cap // HALF
        if not step or source.tokens(0, size) <= cap:
            return blocks(source, tile(0, size, fill(source, 0, size, cap)) if size else [])
        borders = [0, *fill(source, 0, size, step), size]
        return blocks(source, [Span(a, b) for a, b in zip(borders, borders[2:], strict=False)])


CHUNKER = WindowChunker()

"""Fixed length: as many whole lines as fit under the cap, whatever they say."""

from __future__ import annotations

from dataclasses import dataclass

from grainline.chunking.base import ChunkOptions, Source
from grainline.chunking.split import CAP, SKELETON_LIMIT, blocks, fill, tile
from grainline.model.chunk import ChunkSpan, Coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedChunker:
    """Chunks of `cap` tokens, rounded down to a line start."""

    name: str = "fixed"
    version: int = 1
    coverage: Coverage = Coverage.TILING
    skeleton_limit: int = SKELETON_LIMIT

    def chunk(self, source: Source, options: ChunkOptions) -> tuple[ChunkSpan, ...]:
        """Spans that tile the file; none for an empty one."""
        size = len(source.text)
        if not size:
            return ()
        return blocks(source, tile(0, size, fill(source, 0, size, options.cap or CAP)))


CHUNKER = FixedChunker()

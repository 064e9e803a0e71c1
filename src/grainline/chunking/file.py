"""The whole file as one chunk: an upper bound for the lab, above any cap."""

from __future__ import annotations

from dataclasses import dataclass

from grainline.chunking.base import ChunkOptions, Source
from grainline.chunking.split import SKELETON_LIMIT
from grainline.model.chunk import EMPTY_HEADER, ChunkKind, ChunkSpan, Coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChunker:
    """One chunk for a file, none for an empty one."""

    name: str = "file"
    version: int = 1
    coverage: Coverage = Coverage.UNCAPPED
    skeleton_limit: int = SKELETON_LIMIT

    def chunk(self, source: Source, options: ChunkOptions) -> tuple[ChunkSpan, ...]:
        """The file; `options` have no meaning here."""
        del options
        if not source.text:
            return ()
        return (ChunkSpan(0, len(source.text), ChunkKind.BLOCK, -1, -1, EMPTY_HEADER),)


CHUNKER = FileChunker()

"""One chunk for each function or method, blocks for what is between them."""

from __future__ import annotations

from dataclasses import dataclass

from grainline.chunking.base import ChunkOptions, Source
from grainline.chunking.emit import emit
from grainline.chunking.outline import CALLABLES, Outline, cut_out, measure, open_gaps, pieces_of
from grainline.chunking.split import CAP, SKELETON_LIMIT
from grainline.model.chunk import ChunkSpan, Coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionChunker:
    """Functions and methods that stand in no other one; those above the cap in parts."""

    name: str = "function"
    version: int = 1
    coverage: Coverage = Coverage.TILING
    skeleton_limit: int = SKELETON_LIMIT

    def chunk(self, source: Source, options: ChunkOptions) -> tuple[ChunkSpan, ...]:
        """Spans that tile the file; none for an empty one."""
        if not source.text:
            return ()
        cap = options.cap or CAP
        pieces = pieces_of(source, _outline(source), target=0)
        return emit(source, open_gaps(pieces, cap), cap, cap)


CHUNKER = FunctionChunker()


def _outline(source: Source) -> Outline:
    measured = measure(source)
    definitions = measured.definitions
    holds = [False] * len(definitions)
    for index in range(len(definitions) - 1, -1, -1):
        container = measured.containers[index]
        if container >= 0 and (holds[index] or definitions[index].kind in CALLABLES):
            holds[container] = True

    def opens(index: int, container: int) -> bool:
        del container
        return holds[index] and definitions[index].kind not in CALLABLES

    def shows(index: int, container: int) -> bool:
        del container
        return definitions[index].kind in CALLABLES

    return cut_out(measured, opens, shows)

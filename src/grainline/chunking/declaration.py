"""One chunk for each declaration of a file, whatever its kind, blocks for what is between them."""

from __future__ import annotations

from dataclasses import dataclass

from grainline.chunking.base import ChunkOptions, Source
from grainline.chunking.emit import emit
from grainline.chunking.outline import (
    CALLABLES,
    NAMESPACES,
    VALUES,
    Outline,
    binds_import,
    cut_out,
    measure,
    open_gaps,
    pieces_of,
)
from grainline.chunking.split import CAP, SKELETON_LIMIT
from grainline.model.chunk import ChunkSpan, Coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclarationChunker:
    """Outermost declarations whole; a type above the cap is opened, a function above it divided."""

    name: str = "declaration"
    version: int = 1
    coverage: Coverage = Coverage.TILING
    skeleton_limit: int = SKELETON_LIMIT

    def chunk(self, source: Source, options: ChunkOptions) -> tuple[ChunkSpan, ...]:
        """Spans that tile the file; none for an empty one."""
        if not source.text:
            return ()
        cap = options.cap or CAP
        pieces = pieces_of(source, _outline(source, cap), target=0)
        return emit(source, open_gaps(pieces, cap), cap, cap)


CHUNKER = DeclarationChunker()


def _outline(source: Source, cap: int) -> Outline:
    measured = measure(source)
    definitions, tokens, containers = measured
    holds = [False] * len(definitions)
    for definition, container in zip(definitions, containers, strict=True):
        if container >= 0 and definition.kind not in VALUES:
            holds[container] = True

    def opens(index: int, container: int) -> bool:
        del container
        kind = definitions[index].kind
        if kind in NAMESPACES:
            return holds[index]
        return holds[index] and tokens[index] > cap and kind not in CALLABLES

    def shows(index: int, container: int) -> bool:
        definition = definitions[index]
        if container >= 0 and definitions[container].kind not in NAMESPACES:
            return definition.kind not in VALUES
        return not binds_import(source, definition, tokens[index])

    return cut_out(measured, opens, shows)

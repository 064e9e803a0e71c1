"""cAST: split a syntax tree from the root, merge what is small.

References:
    Zhang et al., "cAST: Enhancing Code Retrieval-Augmented Generation with Structural Chunking via
    Abstract Syntax Tree", 2025, arXiv:2506.15655, algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from grainline.chunking.base import ChunkOptions, Source
from grainline.chunking.split import (
    CAP,
    SKELETON_LIMIT,
    Lines,
    blocks,
    children,
    cut_to_cap,
    tile,
)
from grainline.model.chunk import ChunkSpan, Coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class CastChunker:
    """A node above the cap is replaced by its children, neighbours below it are merged greedily.

    Size is the paper's size without white space, in grainline tokens. Borders move to line starts;
    text without a tree, and nodes that the skeleton does not open, are cut at lines.
    """

    name: str = "cast"
    version: int = 1
    coverage: Coverage = Coverage.TILING
    skeleton_limit: int = SKELETON_LIMIT

    def chunk(self, source: Source, options: ChunkOptions) -> tuple[ChunkSpan, ...]:
        """Spans that tile the file; none for an empty one."""
        cap = options.cap or CAP
        size = len(source.text)
        if not size:
            return ()
        spans = [
            span
            for start, end in tile(0, size, _borders(source, cap))
            for span in tile(start, end, cut_to_cap(source, start, end, cap))
        ]
        return blocks(source, spans)


CHUNKER = CastChunker()

_LEVEL = -1  # on the stack: the siblings before and after stand on different levels


def _borders(source: Source, cap: int) -> list[int]:
    """Starts of the chunks after the first; what stands between two nodes goes to the first one.

    A stack in place of the recursion of the paper, since trees can be deep.
    """
    if source.tokens(0, len(source.text)) <= cap:
        return []
    lines, skeleton = Lines(source.text), source.skeleton()
    below = children(skeleton)
    stack = below.get(-1, [])[::-1]
    borders = [0]
    merging = True
    while stack:
        index = stack.pop()
        if index == _LEVEL:
            merging = False
            continue
        node = skeleton[index]
        if source.tokens(node.start, node.end) > cap and index in below:
            stack.append(_LEVEL)
            stack.extend(reversed(below[index]))
            stack.append(_LEVEL)
        elif not merging or source.tokens(borders[-1], node.end) > cap:
            start = lines.start(node.start)
            if start > borders[-1]:
                borders.append(start)
            merging = True
    return borders[1:]

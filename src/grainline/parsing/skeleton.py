"""The skeleton: where a file may be cut, as the children of its big syntax nodes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from grainline.model.facts import Block
from grainline.parsing.tree import Stopped

if TYPE_CHECKING:
    from tree_sitter import Node

PROBE = 4096
"""Bytes: nodes above this are opened even when the skeleton does not want them, to see how deep
the tree is. A tree cannot be deep below a small node without being deep above it as well.
"""

MAX_DEPTH = 256
"""Levels of the skeleton; what is nested deeper stays whole."""

MAX_BLOCKS = 200_000
"""Blocks of one file; beyond, big nodes stay whole."""


MAX_LOOSE = 10_000
"""Children of an error node: queries take time quadratic in them."""


def skeleton(root: Node, limit: int, max_depth: int) -> tuple[Block, ...]:
    """The named children of the root and of every named node larger than `limit` bytes.

    In levels: all children of one node stand together, after those of nodes opened before it.

    Raises:
        Stopped: nodes larger than `PROBE` are nested deeper than `max_depth`, or an error node
            has too many children.
    """
    blocks: list[Block] = []
    probe = min(limit, PROBE)
    level: list[tuple[Node, int, int]] = [(root, -1, limit + 1)]
    depth = 0
    while level:
        depth += 1
        below: list[tuple[Node, int, int]] = []
        for node, index, size in level:
            if node.is_error and node.child_count > MAX_LOOSE:
                raise Stopped("too_deep", f"{node.child_count} loose tokens")
            wanted = (depth == 1 or index >= 0) and size > limit and depth <= MAX_DEPTH
            for child in node.named_children:
                start, end = child.byte_range
                own = -1
                if wanted and end > start and len(blocks) < MAX_BLOCKS:
                    own = len(blocks)
                    blocks.append(_block((start, end, index, child.type)))
                if end - start > probe:
                    below.append((child, own, end - start))
        if depth > max_depth and any(size > PROBE for _, _, size in below):
            raise Stopped("too_deep", f"more than {max_depth} levels")
        level = below
    return tuple(blocks)


_block = partial(tuple.__new__, Block)  # pyright: ignore[reportUnknownMemberType]

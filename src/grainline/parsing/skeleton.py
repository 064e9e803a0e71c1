"""The skeleton: where a file may be cut, as the children of its big syntax nodes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from grainline.model.facts import Block
from grainline.parsing.tree import MATCH_LIMIT, Stopped

if TYPE_CHECKING:
    from tree_sitter import Node

OpenSkeleton: TypeAlias = "Callable[[Sequence[int]], tuple[Block, ...]]"
"""Regions -> the skeleton of a file, see `skeleton`."""

PROBE = 4096
"""Bytes: nodes above this are opened to see how deep the tree is. A tree cannot be deep below a
small node without being deep above it as well.
"""

MAX_DEPTH = 256
"""Levels of the skeleton; what is nested deeper stays whole."""

MAX_BLOCKS = 200_000
"""Blocks of one file; beyond, big nodes stay whole."""


MAX_LOOSE = 10_000
"""Children of an error node: queries take time quadratic in them."""


WIDE = MATCH_LIMIT // 4
"""Named children of one node; more may make a query give up matches in silence, since each of them
may begin several that end with their parent.
"""


def survey(root: Node, limit: int, max_depth: int) -> bool:
    """Whether a node larger than `limit` bytes (or the root) has more than `WIDE` named children.

    Only nodes that can be so wide or so deep are opened.

    Raises:
        Stopped: nodes larger than `PROBE` are nested deeper than `max_depth`, or an error node
            has too many children.
    """
    probe = min(limit, PROBE)
    wide = False
    level = [root]
    depth = 0
    while level:
        depth += 1
        below: list[Node] = []
        deep = False
        for node in level:
            if node.is_error and node.child_count > MAX_LOOSE:
                raise Stopped("too_deep", f"{node.child_count} loose tokens")
            children = node.named_children
            wide = wide or len(children) > WIDE
            for child in children:
                start, end = child.byte_range
                if end - start > PROBE:
                    deep = True
                    below.append(child)
                elif end - start > probe and child.descendant_count > WIDE:
                    below.append(child)
        if deep and depth > max_depth:
            raise Stopped("too_deep", f"more than {max_depth} levels")
        level = below
    return wide


def skeleton(root: Node, limit: int, regions: Sequence[int] = ()) -> tuple[Block, ...]:
    """The named children of the root and of every named node larger than `limit` bytes.

    In levels: all children of one node stand together, after those of nodes opened before it. With
    `regions` (start, end, start, end ... rising) only nodes that reach into one of them are opened.
    """
    blocks: list[Block] = []
    level: list[tuple[Node, int]] = [(root, -1)]
    depth = 0
    while level and depth < MAX_DEPTH:
        depth += 1
        below: list[tuple[Node, int]] = []
        for node, index in level:
            for child in node.named_children:
                start, end = child.byte_range
                if end > start and len(blocks) < MAX_BLOCKS:
                    if end - start > limit and _reaches(start, end, regions):
                        below.append((child, len(blocks)))
                    blocks.append(_block((start, end, index, child.type)))
        level = below
    return tuple(blocks)


def no_skeleton(regions: Sequence[int]) -> tuple[Block, ...]:
    """Of a file without a tree."""
    del regions
    return ()


def _reaches(start: int, end: int, regions: Sequence[int]) -> bool:
    """Whether `start:end` has a byte of a region, or there are none to ask for."""
    at = bisect_right(regions, start)
    return not regions or at & 1 == 1 or (at < len(regions) and regions[at] < end)


_block = partial(tuple.__new__, Block)  # pyright: ignore[reportUnknownMemberType]

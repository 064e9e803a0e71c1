"""Small siblings share a chunk: which of them the question means, and which stand beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from grainline.context.cite import SourceFile
from grainline.context.relevance import Relevance
from grainline.context.rules.common import merge, whole
from grainline.model.position import Span
from grainline.retrieval.symbols import MAIN_KINDS

NEAR = 0.3
"""Of the worth of the best sibling, from which another one is kept beside it."""


class Member(NamedTuple):
    """A definition of a chunk: its row in the outline, its lines, and how much it is asked for.

    `worth` is the weight of the question's words in its text and, once more, in its signature: in [0, 2].
    """

    row: int
    span: Span
    worth: float


def members(file: SourceFile, span: Span, symbol: int, relevance: Relevance) -> tuple[Member, ...]:
    """The siblings that the chunk at `span` was merged from, what is asked for most first.

    Empty when the chunk is no merger, or when nothing of the question tells its parts apart.
    `symbol` is the row of the chunk's first definition, or -1.
    """
    if symbol < 0:
        return ()
    parent = file.outline[symbol].parent
    found = [
        _member(file, row, relevance)
        for row, each in enumerate(file.outline)
        if each.parent == parent and span.start <= each.start < span.end
    ]
    if len({each.worth for each in found}) < 2:
        return ()
    # of equals, what has a body stands before values
    return tuple(
        sorted(
            found,
            key=lambda each: (-each.worth, file.outline[each.row].kind not in MAIN_KINDS, each.row),
        )
    )


def near(found: Sequence[Member]) -> tuple[tuple[Span, ...], float]:
    """The lines of the best sibling and of those that come close to it, and their chance."""
    close = [each for each in found if each.worth >= NEAR * found[0].worth]
    return merge([each.span for each in close]), chance(found, close)


def chance(found: Sequence[Member], some: Sequence[Member]) -> float:
    """How likely it is that what is meant is among `some` of the siblings, in [0, 1].

    Squares of their worths: when all are alike, leaving one out loses its part; when one stands
    out, the others lose nothing to speak of (docs/benchmarks.md: constants instead lost lines).
    """
    return sum(each.worth**2 for each in some) / sum(each.worth**2 for each in found)


def _member(file: SourceFile, row: int, relevance: Relevance) -> Member:
    each = file.outline[row]
    span = whole(file, each)
    signature = file.decode(Span(each.signature_start, each.signature_end))
    return Member(row, span, relevance.share(file.decode(span)) + relevance.share(signature))

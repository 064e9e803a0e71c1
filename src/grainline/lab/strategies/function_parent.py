"""D: functions, and the head of the class that they stand in: signature, documentation, fields.

With `whole` the class itself comes along, methods and all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grainline.lab.ground import Ground, SourceText
from grainline.lab.links import functions_in
from grainline.lab.strategies._composed import Composed
from grainline.lab.strategies._packing import whole_lines
from grainline.lab.values import Piece, Query, Settings, Value
from grainline.languages.base import CALLABLE_KINDS
from grainline.model.position import Span
from grainline.model.symbol import Definition

OPTIONS: Mapping[str, Value] = {
    "seeds": 5,  # pieces of a ranking whose parents come along
    "levels": 1,  # of nesting
    "decay": 0.8,  # of a seed's score, for each level
    "whole": False,  # the whole parent, not its head
}


def with_parents(
    ground: Ground, query: Query, ranking: Sequence[Piece], settings: Settings
) -> list[Piece]:
    """Each parent once, behind the best piece that it holds."""
    files = ground.files(query.ref)
    found: dict[tuple[bytes, Span], Piece] = {(each.path, each.span): each for each in ranking}
    for seed in ranking[: settings.count("seeds")]:
        file = files[seed.path]
        for function in functions_in(file, seed.span):
            score = seed.score
            for parent in _parents(file, function)[: settings.count("levels")]:
                score -= (1 - settings.number("decay")) * abs(score)
                end = parent.end if settings.flag("whole") else _head_end(file, parent)
                span = Span(parent.start, end)
                piece = Piece(
                    seed.path,
                    span,
                    whole_lines(file, span),
                    score,
                    f"holds {function.name}",
                    None,
                    seed.version,
                    seed=False,
                )
                found.setdefault((seed.path, span), piece)
    return sorted(found.values(), key=lambda each: -each.score)


def _parents(file: SourceText, definition: Definition) -> list[Definition]:
    outline = file.facts.definitions
    found: list[Definition] = []
    while definition.parent >= 0:
        definition = outline[definition.parent]
        found.append(definition)
    return found


def _head_end(file: SourceText, parent: Definition) -> int:
    """Where the first function inside begins; documentation above it belongs to that one."""
    inside = (
        min(each.start, each.doc_start if each.doc_end > each.doc_start else each.start)
        for each in file.facts.definitions
        if each.kind in CALLABLE_KINDS and parent.start < each.start < parent.end
    )
    return min(inside, default=parent.end)


STRATEGY = Composed(name="function_parent", chunker="function", expand=with_parents, extra=OPTIONS)

"""From ranked places to judged ranks: distinct files, or distinct functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from grainline.lab.datasets.base import Place, Question
from grainline.lab.measures.base import Judged
from grainline.model.position import LineSpan


class Ranked(NamedTuple):
    """One result of a strategy, best first.

    `unit` names the function that the result is, or is a part of; "" when the strategy does not
    know (fixed windows); None when it knows that the result is no part of any function.
    """

    path: bytes
    lines: LineSpan
    unit: str | None = ""


class Level(StrEnum):
    """What a rank counts: distinct files, distinct functions, or every result."""

    FILE = "file"
    FUNCTION = "function"
    RESULT = "result"


def judge(ranking: Sequence[Ranked], question: Question, level: Level) -> Judged:
    """The ranking as ranks of what `level` counts, with what each rank found first.

    A function is found by any result whose lines overlap it. At the level of functions, parts of
    one function share the rank of the first of them, and a result that is no part of a function
    takes a rank only when it finds one.
    """
    if level is Level.FILE:
        gold = frozenset(question.files)
        paths = dict.fromkeys(result.path for result in ranking)
        return Judged(found=tuple(int(path in gold) for path in paths), total=len(gold))
    shown, hit, total = _lines(ranking, question.lines or question.functions)
    return Judged(
        found=tuple(_functions(ranking, question, level)),
        total=len(question.functions),
        shown=shown,
        hit=hit,
        total_lines=total,
    )


def _functions(ranking: Sequence[Ranked], question: Question, level: Level) -> Iterator[int]:
    left = dict(enumerate(question.functions))
    seen: set[tuple[bytes, str]] = set()
    for number, result in enumerate(ranking):
        hits = [key for key, place in left.items() if overlaps(result, place)]
        for key in hits:
            del left[key]
        unit = (result.path, result.unit or f"#{number}")
        is_new = unit not in seen and result.unit is not None
        seen.add(unit)
        if hits or is_new or level is Level.RESULT:
            yield len(hits)


def overlaps(result: Ranked, place: Place) -> bool:
    """Whether a result shows a line of a place."""
    return (
        result.path == place.path
        and result.lines.start <= place.lines.end
        and place.lines.start <= result.lines.end
    )


def _lines(
    ranking: Sequence[Ranked], places: Iterable[Place]
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """New lines shown per result, gold ones among them, and the number of gold lines."""
    gold: defaultdict[bytes, set[int]] = defaultdict(set)
    for place in places:
        gold[place.path].update(range(place.lines.start, place.lines.end + 1))
    total = sum(map(len, gold.values()))
    seen: defaultdict[bytes, set[int]] = defaultdict(set)
    shown: list[int] = []
    hit: list[int] = []
    for result in ranking:
        new = set(range(result.lines.start, result.lines.end + 1)) - seen[result.path]
        seen[result.path] |= new
        shown.append(len(new))
        hit.append(len(new & gold[result.path]))
    return tuple(shown), tuple(hit), total

"""Slices of a set: all, without what the question gives away, by language, by kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from grainline.lab.measures.base import Level
from grainline.lab.runs import Outcome

ALL = "all"
NO_LEAK = "no-leak"
SMALLEST = 5
"""Questions below which a slice by language or kind says nothing."""


def slice_names(outcomes: Iterable[Outcome]) -> tuple[str, ...]:
    """The slices that some outcomes have, `all` and `no-leak` first."""
    counts: dict[str, int] = {}
    rows = list(outcomes)
    for name in chain.from_iterable(_of(each) for each in rows):
        counts[name] = counts.get(name, 0) + 1
    kept = (name for name, count in counts.items() if SMALLEST <= count < len(rows))
    leaks = any(each.leak_file or each.leak_function for each in rows)
    return (ALL, *((NO_LEAK,) if leaks else ()), *sorted(kept))


def _of(outcome: Outcome) -> list[str]:
    return [
        f"{word} {value}"
        for word, value in (("language", outcome.language), ("kind", outcome.kind))
        if value
    ]


def slice_scores(outcomes: Iterable[Outcome], slice_name: str, column: str) -> Mapping[str, float]:
    """Scores by question id; `no-leak` drops what the question itself gives away.

    A path that is given away counts at the level of files, a name at every other level.
    """
    of_file = column.startswith(f"{Level.FILE} ")

    def inside(each: Outcome) -> bool:
        if slice_name == NO_LEAK:
            return not (each.leak_file if of_file else each.leak_function)
        return slice_name == ALL or slice_name in _of(each)

    return {
        each.id: each.scores[column] for each in outcomes if column in each.scores and inside(each)
    }

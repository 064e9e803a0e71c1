"""The seam of measures: what a ranking or a context found becomes one number in [0, 1].

A measure is one file with a `MEASURE`. Most look at `Judged` ranks: of distinct files, distinct
functions, every result, or the pieces of a context. One that needs more (a chain of evidence, a
version, a permission) looks at the whole `Answer` beside its `Question`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol, runtime_checkable

from grainline.errors import BadInput
from grainline.lab.questions import Question
from grainline.lab.values import Answer
from grainline.registry import Registry


class Level(StrEnum):
    """What a rank counts: distinct files, distinct functions, every result, pieces of a context.

    `ANSWER` is no rank: the measure looks at all of an answer.
    """

    FILE = "file"
    FUNCTION = "function"
    RESULT = "result"
    CONTEXT = "context"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A ranking of distinct units, judged.

    `found[i]` counts the relevant units that appear first at rank i + 1; `total` how many there
    are. `shown[i]` counts the source lines that rank i + 1 shows and no earlier rank has shown,
    `hit[i]` those of them that are gold; `total_lines` counts the gold lines. `tokens[i]` is what
    the piece costs, known of contexts only.
    """

    found: tuple[int, ...]
    total: int
    shown: tuple[int, ...] = ()
    hit: tuple[int, ...] = ()
    total_lines: int = 0
    tokens: tuple[int, ...] = ()


Reported = tuple[tuple[Level, int | None], ...]
"""(level, cutoff) pairs that every run computes."""


@runtime_checkable
class RankFamily(Protocol):
    """A measure of ranks without its cutoff.

    Attributes:
        symbol: how it prints.
        needs_cutoff: whether it makes no sense without one.
        needs_lines: whether it is about gold lines, not gold units.
        reported: where every run computes it.
    """

    symbol: str
    needs_cutoff: bool
    needs_lines: bool
    reported: Reported

    def score(self, judged: Judged, cutoff: int | None) -> float:
        """The value in [0, 1]; 0.0 when nothing is relevant."""
        ...


@runtime_checkable
class AnswerFamily(Protocol):
    """A measure of a whole answer without its cutoff; reported at the level `ANSWER`."""

    symbol: str
    needs_cutoff: bool
    reported: Reported

    def score_answer(self, question: Question, answer: Answer, cutoff: int | None) -> float | None:
        """The value; None when the question is not of the kind that it measures."""
        ...


Family = RankFamily | AnswerFamily

FAMILIES: Registry[Family] = Registry("grainline.lab.measures", "MEASURE", skip=frozenset({"base"}))


class Measure(NamedTuple):
    """A measure as it is named in results: `R@10`, `RR`."""

    family: str
    cutoff: int | None

    def __str__(self) -> str:
        symbol = FAMILIES.get(self.family).symbol
        return symbol if self.cutoff is None else f"{symbol}@{self.cutoff}"

    def __call__(self, judged: Judged) -> float:
        """The value of a measure of ranks for one ranking."""
        family = FAMILIES.get(self.family)
        assert isinstance(family, RankFamily), f"{family.symbol} is no measure of ranks"
        return family.score(judged, self.cutoff)


_NAME = re.compile(r"(?P<symbol>[A-Za-z][A-Za-z0-9]*)(?:@(?P<cutoff>[1-9][0-9]{0,5}))?")


def parse_measure(text: str) -> Measure:
    """The measure that `text` names; inverse of `str`.

    Raises:
        BadInput: there is no such measure, or its cutoff is missing.
    """
    found = _NAME.fullmatch(text)
    by_symbol = {FAMILIES.get(name).symbol: name for name in FAMILIES.names()}
    family = by_symbol.get(found["symbol"]) if found else None
    if found is None or family is None:
        known = ", ".join(sorted(by_symbol))
        raise BadInput("unknown_measure", f"no measure is called {text!r}", hint=f"known: {known}")
    cutoff = int(found["cutoff"]) if found["cutoff"] else None
    if cutoff is None and FAMILIES.get(family).needs_cutoff:
        raise BadInput("unknown_measure", f"{text!r} needs a cutoff", hint=f"say {text}@10")
    return Measure(family, cutoff)


def reported() -> Iterator[tuple[Level, Measure]]:
    """Every measure that every run computes."""
    for name in FAMILIES.names():
        for level, cutoff in FAMILIES.get(name).reported:
            yield level, Measure(name, cutoff)

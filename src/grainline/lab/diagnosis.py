"""Why a strategy scores as it does: where gold was lost, who hitched a ride, how far the bound is.

All of it is computed from result files, so it can be asked of runs that were made long ago.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from grainline.lab.compare import Result
from grainline.lab.runs import Gold, Outcome
from grainline.lab.slices import ALL, slice_scores
from grainline.lab.statistics import Interval, mean_interval, paired_interval

ORACLE = "oracle"
OWN_CHUNK = "function"
"""The strategy by which a function has to be found on its own."""


# ------------------------------------------------------------------ where gold was lost


class Loss(StrEnum):
    """What became of a gold function, by the first stage that lost it."""

    SHOWN = "shown"
    CUT = "cut by budget"
    PARTLY = "shown in part"
    RANKED_LOW = "ranked low"
    NOT_RECALLED = "not recalled"
    NOT_INDEXED = "not indexed"


def loss(gold: Gold, k: int) -> Loss:
    """The stage that lost a gold function; contexts are made of the first `k` results.

    A function that the context shows is shown, whichever way it came there.
    """
    if gold.share >= 1.0:
        return Loss.SHOWN
    if gold.share > 0.0:
        return Loss.PARTLY
    if not gold.known:
        return Loss.NOT_INDEXED
    if not gold.rank:
        return Loss.NOT_RECALLED
    return Loss.CUT if gold.rank <= k else Loss.RANKED_LOW


def losses(result: Result) -> Mapping[Loss, int]:
    """Gold functions of all questions by what became of them; every kind has a row."""
    k = int(result.header.settings["k"])
    counts = Counter(loss(gold, k) for each in result.outcomes.values() for gold in each.gold)
    return {kind: counts[kind] for kind in Loss}


# ------------------------------------------------------------------ hitch-hikers


class Ride(NamedTuple):
    """A gold function that a chunk of several things showed, and that is not found on its own.

    `rank` is that of the chunk, `alone` that of the function as a chunk of its own (0: none).
    """

    question: str
    path: str
    start: int
    end: int
    rank: int
    alone: int


def rides(result: Result, own: Result) -> tuple[Ride, ...]:
    """Gold within the first k results of `result` only because it shared its chunk with something.

    It counts when the result that shows it goes beyond it and when `own`, where each function is
    a chunk of its own, does not have it within the first k.
    """
    k = int(result.header.settings["k"])
    common = sorted(result.outcomes.keys() & own.outcomes.keys())
    return tuple(
        ride for key in common for ride in _rides(result.outcomes[key], own.outcomes[key], k)
    )


def _rides(outcome: Outcome, own: Outcome, k: int) -> Iterator[Ride]:
    alone = {(gold.path, gold.start, gold.end): gold.rank for gold in own.gold}
    for gold in outcome.gold:
        rank = alone.get((gold.path, gold.start, gold.end))
        found = 0 < gold.rank <= min(k, len(outcome.top))
        if rank is None or not found or 0 < rank <= k:
            continue
        _, first, last = outcome.top[gold.rank - 1]
        if first < gold.start or last > gold.end:
            yield Ride(outcome.id, gold.path, gold.start, gold.end, gold.rank, rank)


# ------------------------------------------------------------------ the bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A strategy beside the oracle. `lost` is oracle - strategy over common questions."""

    measure: str
    label: str
    score: float
    bound: float
    lost: Interval

    @property
    def reading(self) -> str:
        """Which stage to look at, in words."""
        if self.lost.low <= 0.0:
            same = "at the bound"
            return same if self.bound >= LOW else f"{same}, which is low: the budget or the reader"
        return "retrieval or assembly"


LOW = 0.5
"""Below it even the bound answers less than every second question."""


def gaps(results: Sequence[Result], measures: Iterable[str]) -> Iterator[Gap]:
    """Every strategy of one set beside the oracle of the same budget, for each measure."""
    bounds = {
        (each.header.set, each.header.settings["budget"], each.header.settings["generator"]): each
        for each in results
        if each.header.strategy == ORACLE
    }
    for measure in measures:
        for each in results:
            head = each.header
            key = (head.set, head.settings["budget"], head.settings["generator"])
            bound = bounds.get(key)
            if bound is not None and bound is not each:
                yield from _gap(each, bound, measure)


def _gap(result: Result, bound: Result, measure: str) -> Iterator[Gap]:
    ours = slice_scores(result.outcomes.values(), ALL, measure)
    best = slice_scores(bound.outcomes.values(), ALL, measure)
    keys = sorted(ours.keys() & best.keys())
    if keys:
        one, two = [ours[key] for key in keys], [best[key] for key in keys]
        yield Gap(
            measure=measure,
            label=result.header.label,
            score=sum(one) / len(one),
            bound=sum(two) / len(two),
            lost=paired_interval(two, one),
        )


# ------------------------------------------------------------------ curves and fronts


class Point(NamedTuple):
    """A run as a point: what it costs, what it is worth, and the interval of that."""

    label: str
    strategy: str
    setting: float
    cost: float
    worth: Interval


class Cost(StrEnum):
    """What a run costs, per question or for all."""

    TOKENS = "tokens of a context"
    LATENCY = "CPU ms of a question"
    INDEX = "CPU s of the index"
    CHUNKS = "chunks"
    BYTES = "bytes kept"
    EMBEDDED = "tokens to embed"
    FRESH = "CPU ms from save to answer"


def cost(result: Result, kind: Cost) -> float:
    """Means per question, or sums over checkouts."""
    rows = list(result.outcomes.values())
    if kind is Cost.TOKENS:
        return sum(row.tokens for row in rows) / len(rows)
    if kind is Cost.LATENCY:
        return sum(row.ms + row.assemble_ms for row in rows) / len(rows)
    if kind is Cost.FRESH:
        times = [row.fresh_ms for row in rows if row.fresh_ms]
        return sum(times) / len(times) if times else 0.0
    place = (Cost.INDEX, Cost.CHUNKS, Cost.BYTES, Cost.EMBEDDED).index(kind)
    return float(sum(index[1:][place] for index in result.header.index))


def points(
    results: Sequence[Result], measure: str, kind: Cost, setting: str = ""
) -> tuple[Point, ...]:
    """Runs that have the measure (and the setting), by label and setting."""
    found: list[Point] = []
    for each in results:
        scores = slice_scores(each.outcomes.values(), ALL, measure)
        value = each.header.settings.get(setting, 0) if setting else 0
        if (
            not scores
            or isinstance(value, str)
            or (setting and setting not in each.header.settings)
        ):
            continue
        worth = mean_interval(list(scores.values()))
        head = each.header
        found.append(Point(head.label, head.strategy, float(value), cost(each, kind), worth))
    return tuple(sorted(found, key=lambda point: (point.strategy, point.setting, point.label)))


def curves(results: Sequence[Result], setting: str) -> Mapping[str, Sequence[Result]]:
    """Runs that differ in one setting and in nothing else, at least two each.

    By the label that they have in common: a strategy with its other settings.
    """
    groups: dict[tuple[str, str], list[Result]] = {}
    for each in results:
        if setting in each.header.settings:
            rest = {key: value for key, value in each.header.settings.items() if key != setting}
            key = (each.header.strategy, repr(sorted(rest.items())))
            groups.setdefault(key, []).append(each)
    found: dict[str, Sequence[Result]] = {}
    for _, group in sorted(groups.items()):
        values = {each.header.settings[setting] for each in group}
        label = without(group[0].header.label, setting)
        if len(values) > 1 and label not in found:
            found[label] = group
    return found


def without(label: str, setting: str) -> str:
    """A label without what it says of one setting."""
    name, _, rest = label.removesuffix("]").partition("[")
    said = [each for each in rest.split(",") if each and not each.startswith(f"{setting}=")]
    return f"{name}[{','.join(said)}]" if said else name


def pareto(found: Sequence[Point]) -> tuple[Point, ...]:
    """Points than which none is as cheap and worth more, or cheaper and worth as much; by cost."""
    front: list[Point] = []
    for point in sorted(found, key=lambda each: (each.cost, -each.worth.mean, each.label)):
        if not front or point.worth.mean > front[-1].worth.mean:
            front.append(point)
    return tuple(front)

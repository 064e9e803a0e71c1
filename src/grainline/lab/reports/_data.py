"""What reports show of results, as plain values: one object per set, computed once for all forms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from grainline.lab.compare import Result, measures_of
from grainline.lab.diagnosis import (
    ORACLE,
    OWN_CHUNK,
    Cost,
    Loss,
    Point,
    cost,
    curves,
    gaps,
    losses,
    pareto,
    rides,
)
from grainline.lab.reports._decided import is_plain
from grainline.lab.slices import ALL, slice_names, slice_scores
from grainline.lab.statistics import Interval, mean_interval

Row = dict[str, Any]

HEADLINES = (
    "function R@10",
    "result LineRecall@400",
    "context EvidenceRecall",
    "context LinePrecision",
    "answer Proof",
    "answer EM",
)
"""Measures that are shown first, where a set has them."""


def by_set(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Results by set, in the order of names; of equal runs the newest code comes last."""
    found: defaultdict[str, list[Result]] = defaultdict(list)
    for each in results:
        found[each.header.set].append(each)
    return {name: found[name] for name in sorted(found)}


def set_data(name: str, results: Sequence[Result]) -> Row:
    """All that is shown of one set."""
    every = [outcome for each in results for outcome in each.outcomes.values()]
    measures = measures_of(every)
    runs = [_run(each, measures) for each in results]
    return {
        "name": name,
        "questions": max(len(each.outcomes) for each in results),
        "measures": list(measures),
        "headlines": [each for each in HEADLINES if each in measures] or list(measures[:1]),
        "costs": [str(kind) for kind in Cost],
        "losses": [str(kind) for kind in Loss],
        "runs": runs,
        "slices": _slices(results, measures),
        "gaps": _gaps(results, measures),
        "rides": _rides(results),
        "curves": _curves(results),
        "fronts": _fronts(runs, measures),
    }


def _run(result: Result, measures: Sequence[str]) -> Row:
    head = result.header
    found: dict[str, Interval] = {}
    for measure in measures:
        scores = slice_scores(result.outcomes.values(), ALL, measure)
        if scores:
            found[measure] = mean_interval(list(scores.values()))
    counted = losses(result)
    return {
        "label": head.label,
        "strategy": head.strategy,
        "code": head.code,
        "machine": head.machine,
        "versions": dict(head.versions),
        "seed": head.seed,
        "questions": len(result.outcomes),
        "plain": is_plain(result),
        "left_out": head.left_out,
        "settings": dict(head.settings),
        "scores": {key: [round(value, 4) for value in each] for key, each in found.items()},
        "costs": {str(kind): round(cost(result, kind), 4) for kind in Cost},
        "losses": {str(kind): counted[kind] for kind in Loss},
    }


def _slices(results: Sequence[Result], measures: Sequence[str]) -> Row:
    """Means by slice, label and measure; `all` is in the runs."""
    names = slice_names(results[0].outcomes.values())[1:]
    found: Row = {}
    for name in names:
        rows: Row = {}
        for each in results:
            means: dict[str, float] = {}
            for measure in measures:
                scores = slice_scores(each.outcomes.values(), name, measure)
                if scores:
                    means[measure] = round(sum(scores.values()) / len(scores), 4)
            rows[each.header.label] = means
        found[name] = rows
    return found


def _gaps(results: Sequence[Result], measures: Sequence[str]) -> list[Row]:
    wanted = [each for each in HEADLINES if each in measures]
    return [
        {
            "measure": gap.measure,
            "label": gap.label,
            "score": round(gap.score, 4),
            "bound": round(gap.bound, 4),
            "lost": [round(value, 4) for value in gap.lost],
            "reading": gap.reading,
        }
        for gap in gaps(results, wanted)
    ]


def _rides(results: Sequence[Result]) -> list[Row]:
    """Hitch-hikers of each run, beside the run that differs in the strategy only."""
    own = {repr(_common(each)): each for each in results if each.header.strategy == OWN_CHUNK}
    found: list[Row] = []
    for each in results:
        beside = own.get(repr(_common(each)))
        if beside is not None and beside is not each:
            found += [
                {"label": each.header.label, **ride._asdict()} for ride in rides(each, beside)
            ]
    return found


def _common(result: Result) -> list[tuple[str, object]]:
    settings = result.header.settings
    return [(key, settings[key]) for key in ("k", "depth", "budget", "retriever", "seed")]


def _curves(results: Sequence[Result]) -> Row:
    """By setting and strategy, the places of its runs in the order of the setting."""
    places = {id(each): place for place, each in enumerate(results)}
    found: Row = {}
    for setting in varied(results):
        lines = {
            strategy: [
                places[id(each)]
                for each in sorted(group, key=lambda each: float(each.header.settings[setting]))
            ]
            for strategy, group in curves(_told(results, setting), setting).items()
        }
        if lines:
            found[setting] = lines
    return found


def varied(results: Sequence[Result]) -> list[str]:
    """Settings that are numbers and have two values or more in some runs."""
    values: defaultdict[str, set[float]] = defaultdict(set)
    for each in results:
        for name, value in each.header.settings.items():
            if not isinstance(value, str | bool):
                values[name].add(value)
    return sorted(name for name, found in values.items() if len(found) > 1)


def _told(results: Sequence[Result], setting: str) -> list[Result]:
    """Runs whose setting is a number that somebody chose: 0 stands for a chunker's own size."""
    return [each for each in results if setting != "size" or each.header.settings.get(setting)]


def _fronts(runs: Sequence[Row], measures: Sequence[str]) -> Row:
    """By measure and cost, the places of the runs on the Pareto front, the oracle left out."""
    found: Row = {}
    for measure in measures:
        for kind in Cost:
            here = [
                Point(str(place), "", 0.0, run["costs"][kind], Interval(*run["scores"][measure]))
                for place, run in enumerate(runs)
                if measure in run["scores"] and run["strategy"] != ORACLE
            ]
            front = [int(point.label) for point in pareto(here)]
            found.setdefault(measure, {})[str(kind)] = front
    return found

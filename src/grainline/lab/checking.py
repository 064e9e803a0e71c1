"""Whether an experiment came out as it says that it does."""

from __future__ import annotations

from collections.abc import Sequence

from grainline.lab.compare import Result
from grainline.lab.experiments.base import Expected
from grainline.lab.slices import ALL, slice_scores


def unmet(expected: Sequence[Expected], results: Sequence[Result]) -> list[str]:
    """What does not hold, in sentences."""
    return [said for each in expected if (said := _unmet(each, results))]


def _unmet(expected: Expected, results: Sequence[Result]) -> str:
    what = f"{expected.set}, {expected.label}, {expected.measure}"
    for header, outcomes in results:
        if (header.set, header.label) == (expected.set, expected.label):
            scores = slice_scores(outcomes.values(), ALL, expected.measure)
            if not scores:
                return f"{what}: no question has this measure"
            mean = sum(scores.values()) / len(scores)
            if abs(mean - expected.score) <= expected.within:
                return ""
            return f"{what}: {mean:.4f}, not {expected.score} ± {expected.within}"
    return f"{what}: it was not run"

"""Tables over result files: every strategy beside the yardstick, with paired intervals.

A row counts the questions of its slice that have gold for one of the columns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from grainline.lab.compare import Result
from grainline.lab.slices import ALL, slice_names, slice_scores
from grainline.lab.statistics import Interval, mean_interval, paired_interval

YARDSTICK = "baseline"
COLUMNS = (
    "file R@1",
    "file R@10",
    "file RR",
    "function R@1",
    "function R@10",
    "function RR",
    "result RR",
    "result LineRecall@400",
    "context EvidenceRecall",
    "context Efficiency",
)


class Markdown:
    """A table per set and slice; after each value its gain over the yardstick.

    A gain is the mean difference over the questions that both answered, with its 95 % interval.
    """

    name = "markdown"
    suffix = ".md"

    def render(self, results: Sequence[Result]) -> str:
        """All tables."""
        sets: defaultdict[str, list[Result]] = defaultdict(list)
        for result in results:
            sets[result.header.set].append(result)
        return "\n".join(line for name in sorted(sets) for line in _set(name, sets[name]))


def _set(name: str, results: Sequence[Result], columns: Sequence[str] = COLUMNS) -> Iterator[str]:
    base = next((found for found in results if found.header.strategy == YARDSTICK), None)
    for slice_name in slice_names(results[0].outcomes.values()):
        rows = [_row(found, base, slice_name, columns) for found in results]
        used = [i for i, _ in enumerate(columns) if any(row[i + 3] for row in rows)]
        if not used and slice_name != ALL:
            continue
        head = ["strategy", "code", "questions", *(columns[i] for i in used)]
        yield f"### {name}, {slice_name}\n"
        yield f"| {' | '.join(head)} |"
        yield f"|{'---|' * len(head)}"
        for row in rows:
            yield f"| {' | '.join([*row[:3], *(row[i + 3] for i in used)])} |"
        yield ""


def _row(
    found: Result, base: Result | None, slice_name: str, columns: Sequence[str]
) -> tuple[str, ...]:
    cells = [_cell(found, base, slice_name, column) for column in columns]
    outcomes = found.outcomes.values()
    asked = max(len(slice_scores(outcomes, slice_name, column)) for column in columns)
    return (found.header.label, found.header.code, str(asked), *cells)


def _cell(found: Result, base: Result | None, slice_name: str, column: str) -> str:
    scores = slice_scores(found.outcomes.values(), slice_name, column)
    if not scores:
        return ""
    text = f"{mean_interval(list(scores.values())).mean:.3f}"
    if base is None or base is found:
        return text
    theirs = slice_scores(base.outcomes.values(), slice_name, column)
    common = sorted(scores.keys() & theirs.keys())
    if not common:
        return text
    gain = paired_interval([scores[i] for i in common], [theirs[i] for i in common])
    return f"{text} ({_signed(gain)})"


def _signed(gain: Interval) -> str:
    return f"{gain.mean:+.3f}, {gain.low:+.3f}..{gain.high:+.3f}"


REPORT = Markdown()

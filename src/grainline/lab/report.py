"""Tables over result files: every strategy beside the yardstick, with paired intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from grainline.lab.measures.base import Level
from grainline.lab.runs import Header, Outcome, read_results
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


class Result(NamedTuple):
    """One result file."""

    header: Header
    outcomes: Mapping[str, Outcome]


def report(files: Iterable[Path], *, columns: Sequence[str] = COLUMNS) -> str:
    """Markdown: a table per set and slice; after each value its gain over the yardstick.

    A gain is the mean difference over the questions that both answered, with its 95 % interval.
    """
    sets: defaultdict[str, list[Result]] = defaultdict(list)
    for path in sorted(files):
        if path.parent.name == "answers":
            continue
        result = Result(*read_results(path))
        sets[result.header.set].append(result)
    return "\n".join(line for name in sorted(sets) for line in _set(name, sets[name], columns))


def _set(name: str, results: Sequence[Result], columns: Sequence[str]) -> Iterator[str]:
    base = next((found for found in results if found.header.label == YARDSTICK), None)
    for slice_name in ("all", "no-leak"):
        rows = [_row(found, base, slice_name, columns) for found in results]
        used = [i for i, _ in enumerate(columns) if any(row[i + 3] for row in rows)]
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
    return (found.header.label, found.header.code, str(len(found.outcomes)), *cells)


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


def slice_scores(outcomes: Iterable[Outcome], slice_name: str, column: str) -> dict[str, float]:
    """Scores by question id; the slice `no-leak` drops what the question itself gives away."""
    of_file = column.startswith(f"{Level.FILE} ")
    return {
        each.id: each.scores[column]
        for each in outcomes
        if column in each.scores
        and not (slice_name == "no-leak" and (each.leak_file if of_file else each.leak_function))
    }


def _signed(gain: Interval) -> str:
    return f"{gain.mean:+.3f}, {gain.low:+.3f}..{gain.high:+.3f}"

"""Two runs over the same questions: every measure side by side, the difference with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from grainline.errors import BadInput
from grainline.lab.runs import Header, Outcome, read_results
from grainline.lab.slices import slice_names, slice_scores
from grainline.lab.statistics import Interval, paired_interval


class Result(NamedTuple):
    """One result file."""

    header: Header
    outcomes: dict[str, Outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A measure in a slice. `gain` is b - a over the questions that both have."""

    slice: str
    measure: str
    questions: int
    a: float
    b: float
    gain: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All differences of two runs over one set."""

    set: str
    a: Header
    b: Header
    rows: tuple[Difference, ...]


def find_results(folder: Path, name: str, *, set_name: str = "") -> list[Result]:
    """The results that `name` means: a file, or the newest file of a label in each set.

    Raises:
        BadInput: there is none.
    """
    if name.endswith(".jsonl"):
        for path in (Path(name), folder / name):
            if path.is_file():
                return [Result(*read_results(path))]
    found: dict[str, Path] = {}
    label, _, code = name.partition("@")
    for path in sorted(folder.glob("*/*.jsonl"), key=lambda each: each.stat().st_mtime):
        own, _, version = path.stem.rpartition("@")
        right_code = version.startswith(code)
        if own == label and right_code and set_name in ("", path.parent.name):
            found[path.parent.name] = path
    if not found:
        labels = {path.stem.rpartition("@")[0] for path in folder.glob("*/*@*.jsonl")}
        raise BadInput(
            "no_results",
            f"no results of {name!r} in {str(folder)!r}",
            hint="there are: " + (", ".join(sorted(labels)) or "none; see: grainline lab run"),
        )
    return [Result(*read_results(path)) for _, path in sorted(found.items())]


def compare(folder: Path, a: str, b: str, *, set_name: str = "") -> list[Comparison]:
    """Both runs over every set that both were run over.

    Raises:
        BadInput: a run is not there, or they have no set with the same questions in common.
    """
    first = {r.header.set: r for r in find_results(folder, a, set_name=set_name)}
    second = {r.header.set: r for r in find_results(folder, b, set_name=set_name)}
    common = sorted(first.keys() & second.keys())
    found = [compared(first[name], second[name]) for name in common]
    if not any(each.rows for each in found):
        raise BadInput(
            "nothing_in_common",
            f"{a!r} was run over {sorted(first)}, {b!r} over {sorted(second)}",
            hint="run both over one set: grainline lab run --set SET",
        )
    return found


def compared(a: Result, b: Result) -> Comparison:
    """Two runs over one set; questions that only one of them has are left out."""
    common = a.outcomes.keys() & b.outcomes.keys()
    ours = [a.outcomes[key] for key in sorted(common)]
    theirs = [b.outcomes[key] for key in sorted(common)]
    rows: list[Difference] = []
    for name in slice_names(ours):
        for measure in measures_of(ours):
            one = slice_scores(ours, name, measure)
            two = slice_scores(theirs, name, measure)
            keys = sorted(one.keys() & two.keys())
            if not keys:
                continue
            left, right = [one[key] for key in keys], [two[key] for key in keys]
            rows.append(
                Difference(
                    slice=name,
                    measure=measure,
                    questions=len(keys),
                    a=sum(left) / len(keys),
                    b=sum(right) / len(keys),
                    gain=paired_interval(right, left),
                )
            )
    return Comparison(set=a.header.set, a=a.header, b=b.header, rows=tuple(rows))


def measures_of(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Every measure that some outcome has, by level, in order of appearance."""
    names = dict.fromkeys(name for each in outcomes for name in each.scores)
    levels = list(dict.fromkeys(name.partition(" ")[0] for name in names))
    return tuple(sorted(names, key=lambda name: levels.index(name.partition(" ")[0])))

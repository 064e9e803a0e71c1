"""What the results decide, and what they do not: the tables of docs/lab/report.md."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from grainline.lab.compare import Result
from grainline.lab.reports._costing import bounds, costing, lost, riding
from grainline.lab.reports._decided import (
    Plain,
    mean,
    number,
    plain_runs,
)
from grainline.lab.reports._kinds import fresh, private, written
from grainline.lab.reports._settings import ablations, contradicted, headings, moved
from grainline.lab.reports._tables import KEYS, SIZES, table
from grainline.lab.reports._winning import sizes, strategies, units, winners
from grainline.lab.slices import ALL, NO_LEAK


class Conclusions:
    """Tables: who wins by how much, what is not decided, where gold is lost, what a setting is worth."""

    name = "conclusions"
    suffix = ".md"

    def render(self, results: Sequence[Result]) -> str:
        """All tables, those that conclude first."""
        every = plain_runs(results)
        asked = {name: runs for name, runs in every.items() if name not in SIZES[1:]}
        parts = (
            winners(asked, ALL),
            strategies(asked),
            units(results),
            contradicted(results),
            headings(results),
            moved(results),
            sizes(every),
            winners(asked, NO_LEAK),
            lost(asked),
            bounds(asked),
            riding(asked),
            costing(asked),
            private(every),
            fresh(every),
            written(results),
            ablations(results),
            _scores(every),
            _made(results),
        )
        return "\n".join(line for part in parts for line in part)


def _scores(every: Plain) -> Iterator[str]:
    columns = (*KEYS, "file R@10", "result RR", "context LinePrecision", "context Efficiency")
    for name, runs in every.items():
        used = [
            each for each in columns if any(mean(run, each) is not None for run in runs.values())
        ]
        settings = next(iter(runs.values())).header.settings
        yield f"## All scores: {name}, k {settings['k']}, budget {settings['budget']}\n"
        yield from table(
            ["strategy", *used],
            (
                [f"`{label}`", *(number(mean(run, each)) for each in used)]
                for label, run in sorted(runs.items())
            ),
        )


def _made(results: Sequence[Result]) -> Iterator[str]:
    """How many questions were asked of how many, and what made the results."""
    sets: defaultdict[str, list[Result]] = defaultdict(list)
    for each in results:
        sets[each.header.set].append(each)
    yield "## What was asked\n"
    rows: list[Sequence[str]] = []
    for name, runs in sorted(sets.items()):
        asked = max(len(run.outcomes) for run in runs)
        head = max((run.header for run in runs), key=lambda each: each.of)
        codes = Counter(run.header.code for run in runs)
        repositories = {each.repository for run in runs for each in run.outcomes.values()}
        rows.append(
            (
                name,
                f"{asked} of {head.of or asked + head.left_out}",
                str(head.left_out),
                str(len(repositories)),
                str(len(runs)),
                ", ".join(f"`{code}`" for code in sorted(codes)),
            )
        )
    head_row = ["set", "questions asked", "not asked: no clone", "repositories", "runs", "code"]
    yield from table(head_row, rows)
    machines = sorted({each.header.machine for each in results})
    versions = sorted({_versions(each.header.versions) for each in results})
    yield f"Machine: {'; '.join(machines)}. Versions: {'; '.join(versions)}.\n"


def _versions(found: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {found[name]}" for name in sorted(found))


REPORT = Conclusions()

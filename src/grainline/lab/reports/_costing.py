"""Tables of where gold is lost and of what that costs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from grainline.lab.diagnosis import OWN_CHUNK, Cost, Loss, cost, gaps, losses, rides
from grainline.lab.reports._decided import (
    Plain,
    number,
    signed,
)
from grainline.lab.reports._tables import KEYS, table
from grainline.lab.slices import SMALLEST


def lost(asked: Plain) -> Iterator[str]:
    counted: defaultdict[str, Counter[Loss]] = defaultdict(Counter)
    for runs in asked.values():
        for name, run in runs.items():
            counted[name].update(losses(run))
    rows = sorted(counted.items(), key=lambda row: -row[1][Loss.SHOWN] / max(1, row[1].total()))
    yield "## Where gold functions are lost\n"
    yield from table(
        ["strategy", "gold functions", *map(str, Loss)],
        (
            [f"`{name}`", str(found.total())]
            + [f"{100 * found[kind] / found.total():.0f} %" for kind in Loss]
            for name, found in rows
            if found.total()
        ),
    )


def bounds(asked: Plain) -> Iterator[str]:
    """What the best of each set lacks to the oracle with the same budget."""
    rows: list[Sequence[str]] = []
    for name, runs in asked.items():
        for measure in (KEYS[1], KEYS[2]):
            found = list(gaps(list(runs.values()), (measure,)))
            if found and max(len(run.outcomes) for run in runs.values()) >= SMALLEST:
                best = max(found, key=lambda each: (each.score, each.label))
                label = f"`{best.label}`"
                scores = (number(best.score), number(best.bound), signed(best.lost))
                rows.append((name, measure, label, *scores, best.reading))
    if rows:
        yield "## The gap to the oracle\n"
        head = ["set", "measure", "best", "score", "oracle", "lost", "look at"]
        yield from table(head, rows)


def riding(asked: Plain) -> Iterator[str]:
    """Gold within the first k only because it shared its chunk with something that was found."""
    counted: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for runs in asked.values():
        own = runs.get(OWN_CHUNK)
        for name, run in runs.items():
            k = int(run.header.settings["k"])
            if own is not None and own is not run:
                counted[name] += len(rides(run, own))
                found[name] += sum(
                    0 < gold.rank <= k for each in run.outcomes.values() for gold in each.gold
                )
    if found:
        yield "## Hitch-hikers: gold that was found only because it shared its chunk\n"
        rows = sorted(((counted[name], name) for name in found), reverse=True)
        yield from table(
            ["strategy", "gold functions within the first k", "of them hitch-hikers"],
            ((f"`{name}`", str(found[name]), str(count)) for count, name in rows if count),
        )


def costing(asked: Plain) -> Iterator[str]:
    kinds = (Cost.TOKENS, Cost.LATENCY, Cost.INDEX)
    yield "## What it costs\n"
    yield "Means of the sets; CPU on a busy machine.\n"
    names = sorted({name for runs in asked.values() for name in runs})
    rows: list[Sequence[str]] = []
    for name in names:
        mine = [runs[name] for runs in asked.values() if name in runs]
        means = [sum(cost(run, kind) for run in mine) / len(mine) for kind in kinds]
        rows.append((f"`{name}`", f"{means[0]:.0f}", f"{means[1]:.1f}", f"{means[2]:.1f}"))
    yield from table(["strategy", *map(str, kinds)], rows)

"""Tables of single sets: one of the user's own, edits, what was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from grainline.lab.compare import Result
from grainline.lab.diagnosis import Cost
from grainline.lab.reports._decided import (
    Plain,
    gain,
    is_plain,
    mean,
    number,
    signed,
)
from grainline.lab.reports._tables import table
from grainline.lab.slices import slice_scores
from grainline.lab.statistics import mean_interval

PRIVATE = "own"
TOKENS = "fixed"
MRR = "result RR@5"
STALE = "answer Stale"
WRITTEN = (
    "answer Pass@1",
    "answer Patched",
    "answer EM",
    "answer ES",
    "answer IdentifierF1",
    "answer Detected",
    "answer FalseAlarm",
)


def private(every: Plain) -> Iterator[str]:
    """The user's own set: its MRR@5 by kind of question, over chunks that look at tokens only."""
    runs = every.get(PRIVATE, {})
    kinds = sorted({each.kind for run in runs.values() for each in run.outcomes.values()})
    rows: list[Sequence[str]] = []
    for name, run in sorted(runs.items()):
        cells = [f"`{name}`"]
        for kind in kinds:
            at = f"kind {kind}"
            scores = list(slice_scores(run.outcomes.values(), at, MRR).values())
            found = mean_interval(scores)
            cells.append(f"{number(found.mean)} ({number(found.low)}..{number(found.high)})")
            base = runs.get(TOKENS)
            over = gain(run, base, MRR, at) if base and base is not run else None
            cells.append(signed(over))
        rows.append(cells)
    if rows:
        yield "## A private set\n"
        yield (
            "Questions that `grainline lab make-dataset` made of one Kotlin app (Apache-2.0), from its fixes and its doc "
            f"comments (hidden while they are asked for): the mean of {MRR} with its interval, and the gain over `{TOKENS}`, "
            "chunks of tokens that look at no syntax. A wiki is absent: grainline writes none.\n"
        )
        head = [f"{kind}: {what}" for kind in kinds for what in ("MRR@5", f"over `{TOKENS}`")]
        yield from table(["strategy", *head], rows)


def fresh(every: Plain) -> Iterator[str]:
    """Answers after a file was saved."""
    rows = [
        (
            f"`{name}`",
            str(len(run.outcomes)),
            number(stale),
            f"{took.mean:.1f} ({took.low:.1f}..{took.high:.1f})",
        )
        for runs in every.values()
        for name, run in sorted(runs.items())
        if (stale := mean(run, STALE)) is not None
        for took in [mean_interval([each.fresh_ms for each in run.outcomes.values()])]
    ]
    if rows:
        yield "## After a file is saved\n"
        yield (
            "Stale: share of answers that show what was taken away, or nothing of what is new. What cannot take "
            "in an edit prepares the repository anew.\n"
        )
        yield from table(["strategy", "edits", "stale", str(Cost.FRESH)], rows)


def written(results: Sequence[Result]) -> Iterator[str]:
    """What became of what was written, by who wrote it."""
    rows: list[Sequence[str]] = []
    for run in results:
        settings = run.header.settings
        scores = [mean(run, measure) for measure in WRITTEN]
        if settings.get("generator", "none") != "none" and is_plain(run) and _any_known(scores):
            writer = f"{settings['generator']} {settings.get('model', '')}".strip()
            cells = (run.header.set, f"`{run.header.strategy}`", writer, *map(number, scores))
            rows.append(cells)
    if rows:
        yield "## What was written\n"
        yield (
            "`gold` writes what is right (a bound), `empty` nothing (the floor), `extractive` copies out of the context. "
            "Pass@1 and Patched: the tests of the built-in program pass.\n"
        )
        head = ["set", "strategy", "written by", *(each.partition(" ")[2] for each in WRITTEN)]
        yield from table(head, sorted(rows, key=lambda row: (row[0], row[2], row[1])))


def _any_known(scores: Iterable[float | None]) -> bool:
    return any(score is not None for score in scores)

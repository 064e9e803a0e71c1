"""Pictures of all results together: gains, losses, sizes, and what each number is worth."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grainline.lab.compare import Result
from grainline.lab.curving import context_curves, profile_curves, ranking_curves, rule_curves
from grainline.lab.diagnosis import ORACLE, Loss, losses
from grainline.lab.images import LOSS_COLOURS, MARKERS, PALETTE, open_pyplot
from grainline.lab.reports._decided import (
    Plain,
    changes,
    in_all,
    is_sure,
    mean,
    plain_runs,
    pooled_gain,
)
from grainline.lab.slices import ALL, slice_scores
from grainline.lab.statistics import mean_interval

YARDSTICK = "lines"
GAINS = ("result LineRecall@400", "context EvidenceRecall")
SIZES = {"small": 250, "small_in_5k": 5_000, "small_in_50k": 50_000, "small_in_500k": 500_000}
OF_SIZE = ("function R@5", "context EvidenceRecall", "context LinePrecision")
OF_CHUNKS = "context EvidenceRecall"


def write_overview(results: Sequence[Result], folder: Path) -> tuple[Path, ...]:
    """`gains.png`, `losses.png` and so on: those that results allow.

    Raises:
        BadInput: the extra `lab` is not installed.
    """
    plot = open_pyplot()
    folder.mkdir(parents=True, exist_ok=True)
    every = plain_runs(results)
    asked = {name: runs for name, runs in every.items() if name == "small" or name not in SIZES}
    figures = {
        "gains": _gains(plot, asked),
        "losses": _losses(plot, asked),
        "repository-size": _sizes(plot, every),
        "chunk-size": _chunks(plot, results),
        "profiles": profile_curves(plot, results),
        "context": context_curves(plot, results),
        "rules": rule_curves(plot, results),
        "ranking": ranking_curves(plot, results),
    }
    files: list[Path] = []
    for name, figure in figures.items():
        if figure is not None:
            path = folder / f"{name}.png"
            figure.savefig(path, dpi=90, metadata={"Software": None})  # the same bytes again
            plot.close(figure)
            files.append(path)
    return tuple(files)


def _bare(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="both", color="#d0d7de", linewidth=0.6)
    axes.set_axisbelow(True)


def _gains(plot: Any, asked: Plain) -> Any:
    """Each strategy against the yardstick, its questions of all sets together (so many)."""
    found: dict[str, list[Any]] = {}
    counts: dict[str, int] = {}
    every = {name for runs in asked.values() for name in runs} - {YARDSTICK, ORACLE}
    for name in sorted(name for name in every if "+" not in name):
        pairs = [
            (runs[name], runs[YARDSTICK])
            for runs in asked.values()
            if name in runs and YARDSTICK in runs
        ]
        found[name] = [pooled_gain(pairs, measure) for measure in GAINS]
        counts[name] = sum(len(one.outcomes.keys() & two.outcomes) for one, two in pairs)
    rows = sorted(
        (name for name, gains in found.items() if gains[-1]), key=lambda name: found[name][-1].mean
    )
    if not rows:
        return None
    figure, panels = plot.subplots(
        1, 2, figsize=(10, 1.2 + 0.26 * len(rows)), layout="constrained", sharey=True
    )
    for number, axes in enumerate(panels):
        _bare(axes)
        axes.axvline(0, color="#1c2128", linewidth=1)
        for place, name in enumerate(rows):
            gain = found[name][number]
            if gain is not None:
                paint = PALETTE[0] if gain.low > 0 else PALETTE[5] if gain.high < 0 else PALETTE[7]
                axes.plot([gain.low, gain.high], [place, place], color=paint, linewidth=1.6)
                axes.plot([gain.mean], [place], color=paint, marker="o", markersize=6)
        axes.set_xlabel(f"gain of {GAINS[number]} over {YARDSTICK}, 95 % interval", fontsize=9)
    labels = [f"{name} ({counts[name]})" for name in rows]
    panels[0].set_yticks(range(len(rows)), labels, fontsize=9)
    return figure


def _losses(plot: Any, asked: Plain) -> Any:
    """Shares of gold functions by the stage that lost them, all sets together."""
    counted: defaultdict[str, Counter[Loss]] = defaultdict(Counter)
    for runs in asked.values():
        for name, run in runs.items():
            counted[name].update(losses(run))
    rows = [name for name, found in counted.items() if found.total()]
    rows.sort(key=lambda name: counted[name][Loss.SHOWN] / counted[name].total())
    if not rows:
        return None
    figure, axes = plot.subplots(figsize=(9, 1.4 + 0.26 * len(rows)), layout="constrained")
    _bare(axes)
    lefts = [0.0] * len(rows)
    for kind in Loss:
        widths = [100 * counted[name][kind] / counted[name].total() for name in rows]
        axes.barh(
            range(len(rows)), widths, left=lefts, color=LOSS_COLOURS[kind], label=kind, height=0.7
        )
        lefts = [left + width for left, width in zip(lefts, widths, strict=True)]
    axes.set_yticks(range(len(rows)), rows, fontsize=9)
    axes.set_xlabel("% of the gold functions of all sets")
    axes.legend(fontsize=8, ncols=6, loc="lower left", bbox_to_anchor=(0, 1.0), frameon=False)
    return figure


def _sizes(plot: Any, every: Plain) -> Any:
    """The same questions inside ever more lines."""
    sets = [name for name in SIZES if name in every]
    if len(sets) < 2:
        return None
    names = in_all(every, sets)
    figure, panels = plot.subplots(1, len(OF_SIZE), figsize=(12, 4), layout="constrained")
    for axes, measure in zip(panels, OF_SIZE, strict=True):
        _bare(axes)
        axes.set_xscale("log")
        for place, name in enumerate(names):
            axes.plot(
                [SIZES[at] * (1 + 0.03 * place) for at in sets],
                [mean(every[at][name], measure) for at in sets],
                color=PALETTE[place % len(PALETTE)],
                marker=MARKERS[place // len(PALETTE) % len(MARKERS)],
                linewidth=1.2,
                label=name,
            )
        axes.set_title(measure, loc="left", fontsize=10)
        axes.set_xlabel("lines of the repository")
    panels[-1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return figure


def _chunks(plot: Any, results: Sequence[Result]) -> Any:
    """Quality by the most tokens of a chunk, a panel for each set; filled: not as the default."""
    sure = {
        (each.set, each.strategy, each.value)
        for each in changes(results, OF_CHUNKS)
        if each.setting == "size" and is_sure(each.gain)
    }
    sized = [
        each
        for each in results
        if f"[size={each.header.settings.get('size')}]" in each.header.label
    ]
    sets = sorted({each.header.set for each in sized})
    if not sets:
        return None
    figure, panels = plot.subplots(
        1, len(sets), figsize=(4 * len(sets) + 1, 4), layout="constrained", squeeze=False
    )
    names = sorted({each.header.strategy for each in sized})
    for axes, at in zip(panels[0], sets, strict=True):
        _bare(axes)
        for place, name in enumerate(names):
            mine = [
                (int(each.header.settings["size"]), each)
                for each in sized
                if (each.header.set, each.header.strategy) == (at, name)
            ]
            points = [
                (size, mean_interval(list(scores.values())).mean, (at, name, size) in sure)
                for size, each in sorted(mine, key=lambda pair: pair[0])
                if (scores := slice_scores(each.outcomes.values(), ALL, OF_CHUNKS))
            ]
            paint = PALETTE[place % len(PALETTE)]
            axes.plot([x for x, _, _ in points], [y for _, y, _ in points], color=paint, label=name)
            for x, y, filled in points:
                axes.plot(
                    [x], [y], color=paint, marker="o", markerfacecolor=paint if filled else "white"
                )
        axes.set_xscale("log", base=2)
        ticks = sorted({int(each.header.settings["size"]) for each in sized})
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.set_title(at, loc="left", fontsize=10)
        axes.set_xlabel("most tokens of a chunk")
    panels[0][0].set_ylabel(OF_CHUNKS)
    panels[0][-1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return figure

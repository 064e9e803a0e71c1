"""Pictures of what each number is worth: a panel for a setting, a line for a set or a kind of question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from grainline.lab.compare import Result
from grainline.lab.images import MARKERS, PALETTE
from grainline.lab.reports._decided import Change, changes, is_sure

WIDE = 5
"""Panels beside each other."""

GREEK = {
    "tune_score": "alpha: tune_score",
    "tune_lexical": "beta: tune_lexical",
    "tune_graph": "gamma: tune_graph",
    "tune_evidence": "delta: tune_evidence",
    "tune_cost": "lambda: tune_cost",
}
RANKING = ("weight_", "k1", "fuse_", "demote_")
CONTEXT = ("tune_", "share_", "level", "neighbours")
RULES = ("rule_",)


def ranking_curves(plot: Any, results: Sequence[Result]) -> Any:
    """What the numbers of the engine's ranking are worth, by set; None without any."""
    return _panels(plot, results, "result RR", RANKING, _of_set("grainline"))


def context_curves(plot: Any, results: Sequence[Result]) -> Any:
    """What the weights and shares of a context are worth, by set."""
    return _panels(plot, results, "context EvidenceRecall", CONTEXT, _of_set("hierarchical"))


def rule_curves(plot: Any, results: Sequence[Result]) -> Any:
    """What each rule of expansion is worth, by set."""
    return _panels(plot, results, "context EvidenceRecall", RULES, _of_set("hierarchical"))


def profile_curves(plot: Any, results: Sequence[Result]) -> Any:
    """Alpha to lambda by the kind of question that a context is for; of sets that were asked so."""
    found = changes(results, "context EvidenceRecall")
    sets = {each.set for each in found if ", " in each.strategy}
    mine = [each for each in results if each.header.set in sets]

    def line(change: Change) -> str:
        name, _, profile = change.strategy.partition(", ")
        return f"{change.set}, {profile or 'auto'}" if name == "hierarchical" else ""

    return _panels(plot, mine, "context EvidenceRecall", tuple(GREEK), line) if sets else None


def _of_set(strategy: str) -> Callable[[Change], str]:
    return lambda change: change.set if change.strategy == strategy else ""


def _panels(
    plot: Any,
    results: Sequence[Result],
    measure: str,
    settings: Sequence[str],
    line: Callable[[Change], str],
) -> Any:
    """Gains over the default by value; filled: the interval has no zero. `line` "" leaves out."""
    found: defaultdict[str, defaultdict[str, list[Change]]] = defaultdict(lambda: defaultdict(list))
    for each in changes(results, measure):
        if each.setting.startswith(tuple(settings)) and line(each):
            found[each.setting][line(each)].append(each)
    names = sorted({name for lines in found.values() for name in lines})
    if not found:
        return None
    rows = -(-len(found) // WIDE)
    figure, panels = plot.subplots(
        rows, min(WIDE, len(found)), figsize=(15, 2.6 * rows + 0.6), layout="constrained",
        squeeze=False,
    )  # fmt: skip
    flat = [axes for row in panels for axes in row]
    for axes, (setting, lines) in zip(flat, sorted(found.items()), strict=False):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="both", color="#d0d7de", linewidth=0.6)
        axes.axhline(0, color="#1c2128", linewidth=0.8)
        axes.set_title(GREEK.get(setting, setting), loc="left", fontsize=10)
        for name, points in lines.items():
            _line(axes, names.index(name), name, points)
    for axes in flat[len(found) :]:
        axes.axis("off")
    handles = {
        label: handle
        for axes in flat[: len(found)]
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(
        handles.values(), handles.keys(), loc="outside upper left", ncols=6, frameon=False
    )
    figure.supxlabel(f"gain of {measure} over the default")
    return figure


def _line(axes: Any, number: int, name: str, points: Sequence[Change]) -> None:
    paint = PALETTE[number % len(PALETTE)]
    marker = MARKERS[number // len(PALETTE) % len(MARKERS)]
    default = float(points[0].default)
    rows = [(default, 0.0, 0.0, 0.0, False)]
    rows += [(float(each.value), *each.gain, is_sure(each.gain)) for each in points]
    rows.sort()
    axes.plot([row[0] for row in rows], [row[1] for row in rows], color=paint, linewidth=1.2)
    for value, mean, low, high, sure in rows:
        axes.plot([value, value], [low, high], color=paint, linewidth=0.8, alpha=0.6)
        axes.plot(
            [value], [mean], color=paint, marker=marker, markersize=5, linestyle="",
            markerfacecolor=paint if sure else "white", label=name,
        )  # fmt: skip

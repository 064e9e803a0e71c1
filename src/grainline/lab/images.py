"""Plots of results as PNG, for pages that cannot run scripts. Light, for they are printed too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from grainline.errors import BadInput
from grainline.lab.compare import Result
from grainline.lab.diagnosis import ORACLE, Cost
from grainline.lab.reports._data import Row, by_set, set_data

PALETTE = (
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7"),
    *("#56b4e9", "#d55e00", "#b8a000", "#7f7f7f"),
)
"""Okabe and Ito's, told apart by readers who do not see red and green apart."""

LOSS_COLOURS = {
    "shown": "#009e73",
    "shown in part": "#8fd0b5",
    "cut by budget": "#e69f00",
    "ranked low": "#56b4e9",
    "not recalled": "#d55e00",
    "not indexed": "#7f7f7f",
}
MARKERS = "osD^v"
TOKENS = str(Cost.TOKENS)


def write_images(results: Sequence[Result], folder: Path) -> tuple[Path, ...]:
    """One picture per set and plot, `SET-quality.png` and so on.

    Raises:
        BadInput: the extra `lab` is not installed.
    """
    plot = open_pyplot()
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    for name, found in by_set(results).items():
        data = set_data(name, found)
        looks = _looks(data)
        measure = data["headlines"][0]
        for kind, draw in (("quality", _quality), ("front", _front), ("losses", _losses)):
            figure = draw(plot, data, measure, looks)
            path = folder / f"{name}-{kind}.png"
            figure.savefig(path, dpi=130, metadata={"Software": None})  # the same bytes again
            plot.close(figure)
            files.append(path)
    return tuple(files)


def open_pyplot() -> Any:
    """Pyplot, drawing into files only."""
    try:
        import_module("matplotlib").use("Agg")
        return import_module("matplotlib.pyplot")  # half of it has no types
    except ImportError:
        raise BadInput(
            "not_installed", "pictures need matplotlib", hint="pip install 'grainline[lab]'"
        ) from None


Look = tuple[str, str]
"""Colour and marker of a strategy."""


def _looks(data: Row) -> Mapping[str, Look]:
    names = sorted({run["strategy"] for run in data["runs"]} - {ORACLE})
    looks = {
        name: (PALETTE[place % len(PALETTE)], MARKERS[place // len(PALETTE) % len(MARKERS)])
        for place, name in enumerate(names)
    }
    return {**looks, ORACLE: ("#1c2128", "*")}


def _figure(plot: Any, rows: int) -> tuple[Any, Any]:
    figure, axes = plot.subplots(figsize=(9, 1.4 + 0.26 * rows), layout="constrained")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="both", color="#d0d7de", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.margins(y=0.6 / max(rows, 1) + 0.01)
    return figure, axes


def _quality(plot: Any, data: Row, measure: str, looks: Mapping[str, Look]) -> Any:
    """Means with their intervals, the best on top."""
    runs = [run for run in data["runs"] if measure in run["scores"]]
    runs.sort(key=lambda run: (run["scores"][measure][0], run["label"]))
    figure, axes = _figure(plot, len(runs))
    for place, run in enumerate(runs):
        mean, low, high = run["scores"][measure]
        paint, marker = looks[run["strategy"]]
        axes.plot([low, high], [place, place], color=paint, linewidth=1.4)
        axes.plot([mean], [place], color=paint, marker=marker, markersize=7)
    axes.set_yticks(range(len(runs)), [run["label"] for run in runs], fontsize=8)
    axes.set_xlabel(f"{measure}, mean of {data['questions']} questions, 95 % interval")
    axes.set_title(data["name"], loc="left")
    return figure


def _front(plot: Any, data: Row, measure: str, looks: Mapping[str, Look]) -> Any:
    """Tokens against quality, and the runs that none beats on both."""
    figure, axes = _figure(plot, 14)
    labelled: set[str] = set()
    for run in data["runs"]:
        if measure in run["scores"]:
            name = run["strategy"]
            axes.plot(
                [run["costs"][TOKENS]],
                [run["scores"][measure][0]],
                linestyle="",
                color=looks[name][0],
                marker=looks[name][1],
                label=None if name in labelled else name,
            )
            labelled.add(name)
    best = [data["runs"][place] for place in data["fronts"][measure][TOKENS]]
    axes.step(
        [run["costs"][TOKENS] for run in best],
        [run["scores"][measure][0] for run in best],
        where="post",
        color="#7f7f7f",
        linestyle=":",
        label="Pareto front",
    )
    axes.set_xlabel(TOKENS)
    axes.set_ylabel(measure)
    axes.set_title(data["name"], loc="left")
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return figure


def _losses(plot: Any, data: Row, measure: str, looks: Mapping[str, Look]) -> Any:
    """Gold functions by the stage that lost them, the fewest losses on top."""
    del measure, looks
    runs = [run for run in data["runs"] if any(run["losses"].values())]
    runs.sort(key=lambda run: (run["losses"]["shown"], run["label"]))
    figure, axes = _figure(plot, len(runs))
    lefts = [0] * len(runs)
    for kind, paint in LOSS_COLOURS.items():
        widths = [run["losses"][kind] for run in runs]
        axes.barh(range(len(runs)), widths, left=lefts, color=paint, label=kind, height=0.7)
        lefts = [left + width for left, width in zip(lefts, widths, strict=True)]
    axes.set_yticks(range(len(runs)), [run["label"] for run in runs], fontsize=8)
    axes.set_xlabel("gold functions")
    axes.set_ylabel(data["name"])
    axes.legend(fontsize=8, ncols=3, loc="lower left", bbox_to_anchor=(0, 1.0), frameon=False)
    return figure

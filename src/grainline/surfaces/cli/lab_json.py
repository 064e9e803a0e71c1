"""The JSON objects of `grainline lab`."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grainline.surfaces.wire import SCHEMA, Object

if TYPE_CHECKING:
    from grainline.lab.compare import Comparison, Result
    from grainline.lab.experiments.base import Experiment


def listing() -> Object:
    """Every plug-in of the lab."""
    from grainline.lab.datasets.base import DATASETS
    from grainline.lab.experiments.base import experiment_names, read_experiment
    from grainline.lab.generators.base import GENERATORS
    from grainline.lab.measures.base import FAMILIES
    from grainline.lab.reports.base import REPORTS
    from grainline.lab.retrievers.base import RETRIEVERS
    from grainline.lab.strategies.base import STRATEGIES

    experiments = [read_experiment(name) for name in experiment_names()]
    return {
        "schema": SCHEMA,
        "experiments": [{"name": each.name, "about": each.title} for each in experiments],
        "datasets": [
            {
                "name": name,
                "about": f"{_about('datasets', name)}{_needs(DATASETS.get(name).needs)}",
                "needs": list(DATASETS.get(name).needs),
            }
            for name in DATASETS.names()
        ],
        "strategies": [
            {
                "name": name,
                "about": _about("strategies", name),
                "options": dict(STRATEGIES.get(name).options),
                "sees_gold": STRATEGIES.get(name).sees_gold,
            }
            for name in STRATEGIES.names()
        ],
        "retrievers": list(RETRIEVERS.names()),
        "generators": list(GENERATORS.names()),
        "measures": [FAMILIES.get(name).symbol for name in FAMILIES.names()],
        "reports": list(REPORTS.names()),
    }


def _about(kind: str, name: str) -> str:
    """The first sentence of a plug-in's file."""
    import importlib
    import importlib.util

    module = f"grainline.lab.{kind}.{name}"
    if importlib.util.find_spec(module) is None:
        return ""
    said = inspect.getdoc(importlib.import_module(module)) or ""
    return " ".join(said.partition("\n\n")[0].split())


def _needs(needs: Sequence[str]) -> str:
    return f" (needs {', '.join(f'--{each}' for each in needs)})" if needs else ""


def ran(
    chosen: Experiment, results: Sequence[Result], files: Sequence[Path], missed: Sequence[str]
) -> Object:
    """What a run made: the mean of every measure, and what was not as expected."""
    from grainline.lab.compare import measures_of
    from grainline.lab.slices import ALL, slice_scores

    rows: list[dict[str, Any]] = []
    for (header, outcomes), path in zip(results, files, strict=True):
        found = list(outcomes.values())
        means = {
            name: _mean(slice_scores(found, ALL, name).values()) for name in measures_of(found)
        }
        rows.append(
            {
                "set": header.set,
                "strategy": header.strategy,
                "label": header.label,
                "settings": dict(header.settings),
                "questions": len(found),
                "left_out": header.left_out,
                "code": header.code,
                "scores": means,
                "file": str(path),
            }
        )
    return {
        "schema": SCHEMA,
        "experiment": chosen.name,
        "title": chosen.title,
        "ok": not missed,
        "runs": rows,
        "unmet": list(missed),
    }


def _mean(values: Any) -> float:
    scores = list(values)
    return float(round(sum(scores) / len(scores), 6))


def compared(found: Sequence[Comparison]) -> Object:
    """Differences of two runs."""
    return {
        "schema": SCHEMA,
        "comparisons": [
            {
                "set": each.set,
                "a": {"label": each.a.label, "code": each.a.code},
                "b": {"label": each.b.label, "code": each.b.code},
                "rows": [
                    {
                        **asdict(row),
                        "gain": row.gain.mean,
                        "low": row.gain.low,
                        "high": row.gain.high,
                    }
                    for row in each.rows
                ],
            }
            for each in found
        ],
    }

"""The JSON objects of `grainline lab`."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grainline.context.formats.objects import coverage, path_fields
from grainline.surfaces.wire import SCHEMA, Object

if TYPE_CHECKING:
    from grainline.lab.compare import Comparison, Result
    from grainline.lab.experiments.base import Experiment
    from grainline.lab.explaining import Explained
    from grainline.model.explain import Explanation, Found
    from grainline.model.position import LineSpan


def listing() -> Object:
    """Every plug-in of the lab."""
    from grainline.lab.datasets.base import DATASETS
    from grainline.lab.experiments.base import experiment_names, read_experiment
    from grainline.lab.generators.base import GENERATORS
    from grainline.lab.measures.base import FAMILIES
    from grainline.lab.reports.base import REPORTS
    from grainline.lab.retrievers.base import RETRIEVERS
    from grainline.lab.strategies.base import ABSENT, STRATEGIES

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
        "absent": [{"name": name, "about": why} for name, why in ABSENT.items()],
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


def stages(found: Explanation) -> Object:
    """Every stage of the engine."""
    return {
        "schema": SCHEMA,
        "query": found.query,
        "kinds": list(found.kinds),
        "exact": found.exact,
        "intents": list(found.intents),
        "terms": [each._asdict() for each in found.terms],
        "channels": [
            {
                "name": each.name,
                "state": each.state,
                "weight": each.weight,
                "exact": each.exact,
                "total": each.total,
                "best": [_found(row) for row in each.best],
            }
            for each in found.channels
        ],
        "ranked": [
            {
                **_found(each.found),
                "channels": dict(each.channels),
                "fused": each.fused,
                "prior": each.prior,
                "flags": list(each.flags),
                "lift": each.lift,
                "rank": each.rank,
                "shown": each.shown,
            }
            for each in found.ranked
        ],
        "context": [
            {
                **_lines(each.path, each.lines),
                "symbol": each.symbol,
                "role": each.role,
                "share": each.share,
                "utility": each.utility,
                "via": list(each.via),
                "why": each.why,
                "forms": [
                    {"level": level, "utility": utility, "tokens": tokens}
                    for level, utility, tokens in each.forms
                ],
                "tokens": each.shown,
            }
            for each in found.context
        ],
        "profile": str(found.profile),
        "budget": found.result.budget,
        "tokens": found.result.tokens,
        "coverage": coverage(found.coverage),
    }


def explained(found: Explained) -> Object:
    """What a strategy did with one question."""
    question, answer = found.question, found.answer
    return {
        "schema": SCHEMA,
        "id": question.id,
        "query": question.text,
        "gold": [
            {**_lines(each.path, each.lines), "symbol": each.name} for each in question.functions
        ],
        "ranking": [
            {
                **_lines(piece.path, piece.lines),
                "score": piece.score,
                "symbol": piece.unit,
                "why": piece.why,
                "seed": piece.seed,
                "gold": list(hits),
            }
            for piece, hits in zip(answer.ranking, found.gold, strict=True)
        ],
        "context": [
            {**_lines(each.path, lines), "tokens": each.tokens, "why": each.why, "role": each.role}
            for each in answer.context.pieces
            for lines in each.lines
        ],
        "tokens": answer.context.tokens,
        "scores": found.scores,
    }


def _found(found: Found) -> Object:
    place = _lines(found.path, found.lines)
    return {**place, "symbol": found.symbol, "score": found.score}


def _lines(path: bytes, lines: LineSpan) -> Object:
    return {**path_fields(path), "start_line": lines.start, "end_line": lines.end}

"""What a context shows of the gold of a question, along the symbol graph and along names alone.

    python bench/context.py --bench DIR --mirror DIR --set repo_qa --repo pallets/flask

Gold lines and gold functions inside the spans shown, as means over questions; a function counts
when one of its lines is shown. Budgets in tokens. Edges are made before anything is asked.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from grainline.engine import Engine
from grainline.lab.datasets.base import DATASETS, Sources, load
from grainline.lab.mirror import find_clone
from grainline.lab.questions import Place, Question
from grainline.model.access import Scope
from grainline.model.edge import Method
from grainline.model.evidence import ContextOptions, ContextResult

_METHODS = frozenset(map(str, Method))


class Row(NamedTuple):
    """Shares in [0, 1] of one answer, its CPU seconds, and how many items came along edges."""

    lines: float
    functions: float
    seconds: float
    along: int


def main() -> None:
    """Ask every question with and without edges."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--set", required=True, dest="name")
    parser.add_argument("--repo", required=True)
    parser.add_argument("--limit", type=int, default=1000)
    parser.add_argument("--budget", type=int, action="append", default=[])
    given = parser.parse_args()
    sources = Sources(scratch=given.bench, bench=given.bench, mirror=given.mirror)
    questions = load(DATASETS.get(given.name), sources)
    asked = [each for each in questions if each.repository == given.repo]
    clone = find_clone(given.mirror, given.repo)
    rows: dict[tuple[int, bool], list[Row]] = defaultdict(list)
    for question in asked[: given.limit]:
        for budget in given.budget or [4000, 8000]:
            with_edges, without = _both(clone, question, budget)
            rows[budget, True].append(with_edges)
            rows[budget, False].append(without)
    print(f"{given.name}, {given.repo}: {min(len(asked), given.limit)} questions")
    for (budget, edges), found in sorted(rows.items()):
        means = [sum(each) / len(found) for each in zip(*found, strict=True)]
        print(
            f"budget {budget}, {'edges' if edges else 'names'}: lines {means[0]:.3f}, "
            f"functions {means[1]:.3f}, {means[2] * 1000:.0f} ms CPU, {means[3]:.1f} items by edge"
        )


_HOMES: dict[str, tuple[Engine, Scope]] = {}


def _both(clone: Path, question: Question, budget: int) -> tuple[Row, Row]:
    if question.commit not in _HOMES:
        home = tempfile.mkdtemp(prefix="grainline-context-")
        engine = Engine.open(home)
        engine.index(str(clone), refs=(question.commit,))
        engine.fill()
        _HOMES[question.commit] = engine, engine.scope(refs=(question.commit,))
    engine, scope = _HOMES[question.commit]
    engine.context(question.text, scope=scope)
    first, second = (_row(engine, scope, question, budget, edges) for edges in (True, False))
    return first, second


def _row(engine: Engine, scope: Scope, question: Question, budget: int, edges: bool) -> Row:
    start = time.process_time()
    options = ContextOptions(budget=budget, edges=edges)
    found = engine.context(question.text, scope=scope, options=options)
    seconds = time.process_time() - start
    shown = _shown(found)
    gold = question.lines or question.functions
    lines = [_held(shown, place) for place in gold]
    total = sum(place.lines.end - place.lines.start + 1 for place in gold)
    functions = [_held(shown, place) > 0 for place in question.functions]
    along = sum(any(step.methods[0] in _METHODS for step in item.via) for item in found.items)
    return Row(
        sum(lines) / total if total else 0.0,
        sum(functions) / len(functions) if functions else 0.0,
        seconds,
        along,
    )


def _shown(found: ContextResult) -> dict[bytes, set[int]]:
    shown: dict[bytes, set[int]] = defaultdict(set)
    for item in found.items:
        for span in item.spans:
            shown[item.place.path].update(range(span.start, span.end + 1))
    return shown


def _held(shown: dict[bytes, set[int]], place: Place) -> int:
    wanted = range(place.lines.start, place.lines.end + 1)
    return len(shown.get(place.path, set()).intersection(wanted))


if __name__ == "__main__":
    main()

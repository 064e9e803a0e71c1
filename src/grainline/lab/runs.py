"""Running a strategy over a question set; one JSON Lines file per (set, strategy, our commit).

The first line says what the run was; each further line holds one question's ranking and scores. A
run that was stopped goes on where it was; a file made under other circumstances is not continued.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from grainline.errors import BadInput, GrainlineError
from grainline.lab.datasets.base import Dataset, Place, Question, load
from grainline.lab.judging import Level, Ranked, judge
from grainline.lab.measures.base import Measure, parse_measure
from grainline.lab.mirror import Checkout, find_clone
from grainline.lab.statistics import SEED
from grainline.lab.strategies.base import DEPTH, Strategy
from grainline.model.access import WORKTREE
from grainline.snapshots.repository import open_repository

SCHEMA = 1
KEPT = 20  # results written per question, for a look at what went wrong

MEASURES: Mapping[Level, tuple[Measure, ...]] = {
    Level.FILE: tuple(map(parse_measure, ("RR", "R@1", "R@5", "R@10", "Success@10", "All@5"))),
    Level.FUNCTION: tuple(map(parse_measure, ("RR", "R@1", "R@5", "R@10", "Success@10", "All@10"))),
    Level.RESULT: tuple(map(parse_measure, ("RR", "R@10", "LineRecall@100", "LineRecall@400"))),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What a run was. `code` names our commit, with `+dirty` when files differ from it."""

    schema: int
    set: str
    strategy: str
    code: str
    seed: int
    machine: str
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question's result. `scores` by `LEVEL MEASURE`; `ms` is CPU time of the search alone."""

    id: str
    language: str
    repository: str
    leak_file: bool
    leak_function: bool
    scores: Mapping[str, float]
    ms: float
    top: Sequence[tuple[str, int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to run. `limit` takes that many questions, spread over the set."""

    dataset: Dataset
    strategy: Strategy
    bench: Path
    mirror: Path
    results: Path
    limit: int | None = None


Report = Callable[[str], None]
"""Told one line about each checkout."""


def run(plan: Plan, report: Report = lambda _: None) -> Path:
    """Answer every question that the result file does not hold yet; its path.

    Raises:
        BadInput: the set, a clone or a commit is missing, or the file belongs to another run.
    """
    header = describe(plan)
    path = plan.results / plan.dataset.name / f"{plan.strategy.name}@{header.code}.jsonl"
    known = _resume(path, header)
    questions = spread(load(plan.dataset, plan.bench), plan.limit)
    with tempfile.TemporaryDirectory(prefix="grainline-lab-") as scratch, path.open("a") as out:
        for checkout, group in _checkouts(questions, plan, Path(scratch)):
            left = [question for question in group if question.id not in known]
            if left:
                report(f"{plan.strategy.name} {checkout.repository}@{checkout.commit[:10]}")
            for outcome in _answers(plan.strategy, checkout, left):
                out.write(json.dumps(asdict(outcome), ensure_ascii=False) + "\n")
                out.flush()
    return path


def spread(questions: Sequence[Question], limit: int | None) -> Sequence[Question]:
    """`limit` questions at equal distances, the same ones on every run."""
    if limit is None or limit >= len(questions):
        return questions
    return [questions[number * len(questions) // limit] for number in range(limit)]


def _checkouts(
    questions: Sequence[Question], plan: Plan, scratch: Path
) -> Iterator[tuple[Checkout, list[Question]]]:
    """Questions by repository and commit; all hidden docs of a commit are hidden together."""
    hidden: defaultdict[tuple[str, str], list[Place]] = defaultdict(list)
    if plan.dataset.blanked:
        for question in load(plan.dataset, plan.bench):
            if question.hidden:
                hidden[question.repository, question.commit].append(question.hidden)
    groups: defaultdict[tuple[str, str], list[Question]] = defaultdict(list)
    for question in questions:
        groups[question.repository, question.commit].append(question)
    for (repository, commit), group in groups.items():
        yield (
            Checkout(
                repository=repository,
                commit=commit,
                clone=find_clone(plan.mirror, repository),
                scratch=scratch,
                hidden=tuple(hidden[repository, commit]),
            ),
            group,
        )


def _answers(
    strategy: Strategy, checkout: Checkout, questions: Sequence[Question]
) -> Iterator[Outcome]:
    if not questions:
        return
    with strategy.prepare(checkout) as searcher:
        for question in questions:
            start = time.process_time()
            ranking = searcher.search(question.text, DEPTH)
            yield _outcome(question, ranking, 1000 * (time.process_time() - start))


def _outcome(question: Question, ranking: Sequence[Ranked], ms: float) -> Outcome:
    scores: dict[str, float] = {}
    for level, measures in MEASURES.items():
        judged = judge(ranking, question, level)
        for measure in measures:
            needs_lines = measure.family == "line_recall"
            if judged.total_lines if needs_lines else judged.total:
                scores[f"{level} {measure}"] = round(measure(judged), 6)
    return Outcome(
        id=question.id,
        language=question.language,
        repository=question.repository,
        leak_file=question.leak_file,
        leak_function=question.leak_function,
        scores=scores,
        ms=round(ms, 3),
        top=[(os.fsdecode(each.path), each.lines.start, each.lines.end) for each in ranking[:KEPT]],
    )


# ------------------------------------------------------------------ files


def read_results(path: Path) -> tuple[Header, dict[str, Outcome]]:
    """A result file.

    Raises:
        BadInput: it is not one, or of another schema.
    """
    try:
        first, *rest = (json.loads(line) for line in path.read_text("utf-8").splitlines())
        header = Header(**first)
        outcomes = [Outcome(**row) for row in rest]
    except (ValueError, TypeError) as error:
        raise BadInput("bad_results", f"no result file: {error}", subject=str(path)) from None
    if header.schema != SCHEMA:
        raise BadInput("bad_results", f"schema {header.schema} is not {SCHEMA}", subject=str(path))
    return header, {outcome.id: outcome for outcome in outcomes}


def _resume(path: Path, header: Header) -> frozenset[str]:
    """Ids that the file holds already; writes the header of a new one.

    What uncommitted code answered is never continued: nothing tells whether it is the same code.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or header.code.endswith("+dirty"):
        path.write_text(json.dumps(asdict(header), sort_keys=True) + "\n", encoding="utf-8")
        return frozenset()
    found, outcomes = read_results(path)
    if found != header:
        raise BadInput(
            "other_run",
            "the result file was made on another machine or with other versions",
            subject=str(path),
            hint="move it away and run again",
        )
    return frozenset(outcomes)


def describe(plan: Plan) -> Header:
    """The header of a run made now."""
    return Header(
        schema=SCHEMA,
        set=plan.dataset.name,
        strategy=plan.strategy.name,
        code=code_version(),
        seed=SEED,
        machine=f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        versions={"python": platform.python_version(), **_versions()},
    )


def code_version() -> str:
    """Twelve digits of the commit that this package is checked out at, else its version."""
    top = Path(__file__).resolve().parents[3]
    if not (top / ".git").exists():
        return version("grainline")
    try:
        with open_repository(str(top)) as repository:
            snapshot, _ = repository.snapshot(WORKTREE)
    except GrainlineError:
        return version("grainline")
    return snapshot.commit[:12] + ("+dirty" if snapshot.dirty else "")


def _versions() -> dict[str, str]:
    found: dict[str, str] = {}
    for name in ("grainline", "numpy", "tree-sitter", "PyStemmer"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found

"""What the lab needs and has: each row says what to do where something is missing."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from grainline.errors import BadInput, GrainlineError
from grainline.lab.datasets.base import DATASETS, Sources, load
from grainline.lab.experiments.base import experiment_names, read_experiment
from grainline.lab.measures.base import FAMILIES
from grainline.lab.mirror import find_clone, has_commit
from grainline.lab.questions import Question
from grainline.lab.strategies.base import ABSENT, STRATEGIES
from grainline.model.answers import Check
from grainline.snapshots.repository import open_repository
from grainline.text.plural import counted

EXTRAS = {
    "ir_measures": "checks our measures against theirs",
    "matplotlib": "plots as PNG",
    "plotly": "the HTML report",
    "scipy": "statistics of the report",
}


def examine(
    *, results: Path, bench: Path | None, mirror: Path | None, data: Path | None
) -> Iterator[Check]:
    """One row for each thing that a run may need. Reads, writes nothing but a temporary folder."""
    yield _git()
    yield from map(_extra, EXTRAS)
    yield _plugins()
    yield _writable(results)
    for name, why in ABSENT.items():
        yield _row(f"strategy {name}", False, f"off: {why}", "nothing to do")
    with tempfile.TemporaryDirectory(prefix="grainline-lab-") as scratch:
        sources = Sources(scratch=Path(scratch), bench=bench, mirror=mirror, data=data)
        for name in DATASETS.names():
            yield _dataset(name, sources)


def _row(name: str, ok: bool, detail: str, repair: str = "") -> Check:
    return Check(name=name, ok=ok, detail=detail, repair=repair)


def _git() -> Check:
    found = shutil.which("git")
    return _row("git", found is not None, found or "not found", "" if found else "install git")


def _extra(name: str) -> Check:
    try:
        return _row(f"package {name}", True, version(name))
    except PackageNotFoundError:
        what = f"not installed: {EXTRAS[name]}"
        return _row(f"package {name}", False, what, "pip install 'grainline[lab]'")


def _plugins() -> Check:
    """Loads every plug-in: one that cannot be loaded is named here, not in the middle of a run."""
    try:
        counts = (
            f"{len(list(STRATEGIES))} strategies",
            counted(len(list(FAMILIES)), "measure"),
            counted(len([read_experiment(name) for name in experiment_names()]), "experiment"),
        )
    except (GrainlineError, ImportError, AttributeError) as error:
        return _row("plug-ins", False, str(error), "mend or remove that file")
    return _row("plug-ins", True, ", ".join(counts))


def _writable(results: Path) -> Check:
    place = next(each for each in (results, *results.absolute().parents) if each.exists())
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        return _row("results", False, f"{results}: {error.strerror}", "give --results DIR")
    return _row("results", True, str(results))


def _dataset(name: str, sources: Sources) -> Check:
    dataset = DATASETS.get(name)
    label = f"set {name}"
    try:
        questions = load(dataset, sources)
    except BadInput as error:
        said = f"{error.subject}: {error.message}" if error.subject else error.message
        return _row(label, False, said, error.hint or "see docs/lab/README.md")
    said = counted(len(questions), "question")
    if "mirror" not in dataset.needs or sources.mirror is None:
        return _row(label, True, said)
    missing = sorted(_missing(questions, sources.mirror))
    if not missing:
        return _row(label, True, f"{said}, every clone and commit is there")
    listed = ", ".join(missing[:4]) + (f" and {len(missing) - 4} more" if len(missing) > 4 else "")
    repair = "clone them below --mirror as OWNER+NAME/repo, or run with --present"
    return _row(label, False, f"{said}, not there: {listed}", repair)


def _missing(questions: tuple[Question, ...], mirror: Path) -> Iterator[str]:
    wanted: dict[str, set[str]] = {}
    for question in questions:
        wanted.setdefault(question.repository, set()).add(question.commit)
    for name, commits in wanted.items():
        try:
            clone = find_clone(mirror, name)
        except BadInput:
            yield name
            continue
        with open_repository(str(clone)) as repository:
            yield from (
                f"{name}@{commit[:10]}" for commit in commits if not has_commit(repository, commit)
            )

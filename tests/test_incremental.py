"""Law 3: an index that was brought up to date equals one that was built from scratch."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from grainline.engine import Engine
from grainline.indexing import pipeline
from grainline.indexing.pipeline import IndexOptions
from grainline.model.access import View
from grainline.model.snapshot import Reason
from grainline.snapshots import compare, worktree
from grainline.storage.sqlite import SqliteCatalog
from grainline.storage.writing import PartWriter
from helpers import history
from helpers.gitrepo import EXECUTABLE, FILE, LINK, HandMade, Item, write
from helpers.history import CLOCK, OPTIONS, History, Oracle

RUNS, STEPS = 200, 30
SOAK_RUNS, SOAK_STEPS = int(os.environ.get("GRAINLINE_SOAK_RUNS", "5000")), 50


def rules(runs: int, steps: int, *phases: Phase) -> settings:
    return settings(
        max_examples=runs,
        stateful_step_count=steps,
        phases=phases or tuple(Phase),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


@pytest.fixture(autouse=True)
def small_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock of our own, an oracle that knows nothing yet, and small batches."""
    monkeypatch.setattr(worktree, "signature_of", CLOCK.signature)
    monkeypatch.setattr(worktree, "time", CLOCK)
    monkeypatch.setattr(history, "ORACLE", Oracle())
    monkeypatch.setattr(pipeline, "BATCH_BLOBS", 2)
    monkeypatch.setattr(pipeline, "FLUSH_BYTES", 200)
    monkeypatch.setattr(pipeline, "PROGRESS_STEP", 1)


def test_git_accepts_what_is_written_by_hand(tmp_path: Path) -> None:
    """Otherwise the machine tests a repository that nobody has."""
    files = {
        "a.py": Item(FILE, b"a = 1\n"),
        "a.py.txt": Item(FILE, b""),
        "a/b.py": Item(EXECUTABLE, b"b = 1\n"),
        "a-b": Item(FILE, b"x"),
        "link": Item(LINK, b"a.py"),
    }
    repository = HandMade(tmp_path / "repo")
    one = repository.commit({"a.py": files["a.py"]})
    repository.move("refs/heads/main", repository.commit(files, [one]))
    repository.stage(files)
    for path, item in files.items():
        write(repository.top, path, item)

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(repository.top), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    git("fsck", "--full", "--strict")
    assert git("status", "--porcelain") == ""
    assert git("rev-list", "HEAD").splitlines()[1:] == [one]


def test_a_branch_is_not_updated_from_what_another_was_before_the_run(tmp_path: Path) -> None:
    """HEAD moves on, and a new branch stays where HEAD was: both are indexed by one run."""
    repository = HandMade(tmp_path / "repo", bare=True)
    one = repository.commit({"a.py": Item(FILE, b"one = 1\n")})
    two = repository.commit({"a.py": Item(FILE, b"two = 2\n"), "b.py": Item(FILE, b"b = 2\n")})
    repository.move("refs/heads/main", one)
    engine = Engine.open(str(tmp_path / "home"))
    engine.index(str(repository.top), refs=["HEAD"], options=OPTIONS[0])
    repository.move("refs/heads/main", two)
    repository.move("refs/heads/old", one)
    engine.index(str(repository.top), refs=["HEAD", "refs/heads/old"], options=OPTIONS[0])
    corpus = engine.corpus(engine.scope(refs=["refs/heads/old"]))
    assert [corpus.text(entry) for entry in range(corpus.n_entries)] == [b"one = 1\n"]


def test_any_history_of_a_repository_indexes_as_a_rebuild() -> None:
    run_state_machine_as_test(History, settings=rules(RUNS, STEPS, Phase.generate))


def _keep_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit that drops a path leaves the row of the path where it was."""
    honest = PartWriter.amend

    def amend(self, repository, view, snapshot, base, changed, gone, **more):
        return honest(self, repository, view, snapshot, base, changed, (), **more)

    monkeypatch.setattr(PartWriter, "amend", amend)


def _keep_stale_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that is there already keeps the row that it has."""
    honest = PartWriter.amend

    def amend(self, repository, view, snapshot, base, changed, gone, **more):
        held = set(self.rows(base).paths) if hasattr(self, "rows") else set(_paths(self, base))
        changed = [entry for entry in changed if entry.path not in held]
        return honest(self, repository, view, snapshot, base, changed, gone, **more)

    monkeypatch.setattr(PartWriter, "amend", amend)


def _paths(writer: PartWriter, view: View) -> Sequence[bytes]:
    return writer._membership(writer._members[view]).paths


def _mix_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every chunker claims the same fingerprint, so content made with one serves another."""
    one = pipeline.fingerprint(IndexOptions())
    monkeypatch.setattr(pipeline, "fingerprint", lambda _: one)


def _trust_racy_signatures(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was touched in the tick of its reading is taken as known."""
    monkeypatch.setattr(worktree, "_trusted", lambda signature, _: signature)


def _forget_ctime(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file whose modification time was put back is taken as known."""

    def signature(found: os.stat_result) -> tuple[int, ...]:
        return (*CLOCK.signature(found)[:1] * 2, *CLOCK.signature(found)[2:])

    monkeypatch.setattr(worktree, "signature_of", signature)


def _flags_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """An attribute file that changed says nothing about other paths."""
    monkeypatch.setattr(compare, "_decides", lambda _: False)


def _forget_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A home answers its principals by the first policy that it had."""
    honest = SqliteCatalog.set_policy
    monkeypatch.setattr(
        SqliteCatalog,
        "set_policy",
        lambda self, policy: self.pin().policy or honest(self, policy),
    )


def _flip_on_cancel(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopped run makes visible what it has got so far."""
    honest = pipeline._Run._read

    def read(self, reads, plan, intake):
        try:
            honest(self, reads, plan, intake)
        except KeyboardInterrupt:
            plan.settle(plan.keys())
            for entry in reads:
                plan.refuse(entry, Reason.UNREADABLE, "")

    monkeypatch.setattr(pipeline._Run, "_read", read)


FAULTS = (
    _keep_deleted,
    _keep_stale_rows,
    _mix_options,
    _trust_racy_signatures,
    _forget_ctime,
    _flags_stay,
    _forget_policy,
    _flip_on_cancel,
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__.strip("_"))
def test_the_machine_notices(
    monkeypatch: pytest.MonkeyPatch, fault: Callable[[pytest.MonkeyPatch], None]
) -> None:
    fault(monkeypatch)
    with pytest.raises(AssertionError, match="lines;"):
        run_state_machine_as_test(History, settings=rules(RUNS, STEPS, Phase.generate))


@pytest.mark.soak
def test_any_long_history_of_a_repository_indexes_as_a_rebuild() -> None:
    run_state_machine_as_test(History, settings=rules(SOAK_RUNS, SOAK_STEPS))

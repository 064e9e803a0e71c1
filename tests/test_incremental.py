"""Law 3: an index that was brought up to date equals one that was built from scratch."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from grainline.engine import Engine
from grainline.indexing import live, pipeline
from grainline.indexing.pipeline import IndexOptions
from grainline.model.access import WORKTREE, View
from grainline.model.snapshot import Reason
from grainline.snapshots import compare, worktree
from grainline.snapshots.repository import Repository
from grainline.storage.membership import Membership
from grainline.storage.sqlite import SqliteCatalog
from grainline.storage.writing import PartWriter
from helpers import history
from helpers.crews import Kept
from helpers.gitrepo import EXECUTABLE, FILE, LINK, HandMade, Item, write
from helpers.history import CLOCK, OPTIONS, History, Oracle

RUNS, STEPS = 200, 30
Step: TypeAlias = Callable[[History], None]
Fault: TypeAlias = Callable[[pytest.MonkeyPatch], None]
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
        held = set(_rows(self, base).paths)
        changed = [entry for entry in changed if entry.path not in held]
        return honest(self, repository, view, snapshot, base, changed, gone, **more)

    monkeypatch.setattr(PartWriter, "amend", amend)


def _rows(writer: PartWriter, view: View) -> Membership:
    return writer._membership(writer._members[view])


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


def _overlook_deletions(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept in memory does not hear that a path is gone."""
    _limit_looks(monkeypatch, found=lambda entries: {p: e for p, e in entries.items() if e})


def _overlook_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept in memory does not hear that an ignore or attribute file changed."""
    _limit_looks(monkeypatch, asked=lambda paths: {p for p in paths if b".git" not in p})


def _limit_looks(
    monkeypatch: pytest.MonkeyPatch,
    *,
    asked: Callable[[Any], Any] = lambda paths: paths,
    found: Callable[[Any], Any] = lambda entries: entries,
) -> None:
    honest = Repository.look

    def look(self, paths, *more):
        seen = honest(self, asked(paths), *more)
        return None if seen is None else found(seen)

    monkeypatch.setattr(Repository, "look", look)


A, B = {"a.py": b"def pay(order):\n    return 1\n"}, {"a.py": b"def pay(order):\n    return 2\n"}


def _indexed(head: bool) -> Step:
    return lambda machine: machine.index_head(others=False) if head else machine.index_work_tree()


def _committed(machine: History) -> None:
    machine.commit(leave_out=False)
    machine.index_head(others=False)


def _asked(number: int) -> Step:
    def ask(machine: History) -> None:
        machine.change_policy(number)
        machine.index_and_ask_as_ann(WORKTREE)

    return ask


FAULTS: dict[Fault, tuple[Step, ...]] = {
    _keep_deleted: (_indexed(True), lambda m: m.delete("lib/c.py"), _committed),
    _keep_stale_rows: (lambda m: m.write(A), _committed, lambda m: m.write(B), _committed),
    _mix_options: (_indexed(True), lambda m: m.choose_options(2), _indexed(True)),
    _trust_racy_signatures: (
        lambda m: m.write(A),
        _indexed(False),
        lambda m: m.edit_in_place(keep=False, number=0),
        _indexed(False),
    ),
    _forget_ctime: (
        lambda m: m.write(A),
        lambda m: m.wait(5),
        _indexed(False),
        lambda m: m.edit_in_place(keep=True, number=0),
        _indexed(False),
    ),
    _flags_stay: (
        _indexed(True),
        lambda m: m.mark("", b"*.py linguist-generated\n"),
        _committed,
    ),
    _forget_policy: (_indexed(False), _asked(2), _asked(1)),
    _flip_on_cancel: (
        _indexed(False),
        lambda m: m.write(A),
        *([lambda m: m.cancel(after=2, all_refs=False)] * 2),
    ),
    _overlook_deletions: (
        _indexed(False),
        lambda m: m.refresh(full=True),
        lambda m: m.delete_and_refresh("lib"),
    ),
    _overlook_rules: (
        lambda m: m.write({"b.py": b"b = 1\n"}),
        _indexed(False),
        lambda m: m.refresh(full=True),
        lambda m: m.ignore("", b"b.py\n"),
        lambda m: m.refresh(full=False),
    ),
}
"""What is done wrongly, and the shortest way that shows it."""


def walk(steps: Sequence[Step]) -> None:
    """Take the steps with a machine of its own."""
    machine = History()
    try:
        machine.begin(body=b"def run(order):\n    return 0\n")
        for step in steps:
            step(machine)
    finally:
        machine.teardown()


def name_of(fault: Fault) -> str:
    return fault.__name__.strip("_")


@pytest.mark.parametrize("fault", FAULTS, ids=name_of)
def test_each_fault_is_noticed_where_it_shows(
    monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    walk(FAULTS[fault])
    monkeypatch.setattr(history, "ORACLE", Oracle())
    fault(monkeypatch)
    with pytest.raises(AssertionError, match="lines;"):
        walk(FAULTS[fault])


@pytest.mark.soak
@pytest.mark.parametrize("fault", FAULTS, ids=name_of)
def test_the_machine_comes_to_where_each_fault_shows(
    monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    fault(monkeypatch)
    drawn = settings(rules(RUNS, STEPS, Phase.generate), derandomize=True)  # a known way to each
    with pytest.raises(AssertionError, match="lines;"):
        run_state_machine_as_test(History, settings=drawn)


@pytest.mark.soak
def test_any_long_history_of_a_repository_indexes_as_a_rebuild(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With real workers, kept from run to run: to start them took half of the time."""
    kept = Kept()
    monkeypatch.setattr(History, "workers", 1)
    for room in (pipeline, live):
        monkeypatch.setattr(room, "analysts_for", kept.analysts_for)
    try:
        run_state_machine_as_test(History, settings=rules(SOAK_RUNS, SOAK_STEPS))
    finally:
        kept.close()

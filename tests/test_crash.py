"""A killed index run leaves the old generation answering; the next run resumes and equals a rebuild."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from grainline.engine import MEMORY, Engine
from grainline.errors import Damaged
from grainline.indexing import pipeline
from grainline.indexing.pipeline import IndexOptions
from grainline.storage import sqlite, writing

IN_PROCESS = IndexOptions(workers=0)
FILES = 24
KILLS = 50


def write_tree(root: Path, generation: int) -> None:
    """A folder of small files; each generation changes a third of them and renames one."""
    for number in range(FILES):
        tag = generation if number % 3 == 0 else 0
        name = root / f"pkg{number % 4}" / f"mod{number}.py"
        name.parent.mkdir(parents=True, exist_ok=True)
        body = "".join(f"def f{number}_{i}_{tag}(x):\n    return x + {i}\n\n" for i in range(6))
        name.write_text(body)
    for old in root.glob("moved*.py"):
        old.unlink()
    (root / f"moved{generation}.py").write_text("def moved():\n    return 'same bytes'\n")


def dump(home: str) -> list[str]:
    return list(Engine.open(home).dump())


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[str]]:
    """The dump of an index built from scratch, for each generation of the tree."""
    found = {}
    for generation in (1, 2):
        root = tmp_path_factory.mktemp("rebuilt") / "tree"
        write_tree(root, generation)
        engine = Engine.open(MEMORY)
        engine.index(str(root), name="tree", options=IN_PROCESS)
        found[generation] = list(engine.dump())
    return found


def in_child(work: Callable[[], None], *, kill_after: float | None) -> int:
    """Run `work` in a forked process, killed after some seconds; the wait status."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def die_at(moment: int, *, counted: dict[str, int]) -> None:
    """In this process, make the `moment`-th durable step of the store the last thing that happens."""

    def counting(step: Callable[..., object]) -> Callable[..., object]:
        def wrapped(*args: object, **options: object) -> object:
            counted["at"] += 1
            if counted["at"] == 2 * moment:
                os.kill(os.getpid(), signal.SIGKILL)
            result = step(*args, **options)
            counted["at"] += 1
            if counted["at"] == 2 * moment + 1:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return wrapped

    sqlite.os.fsync = counting(os.fsync)  # type: ignore[assignment]
    for name in ("add_part", "flip", "next_part"):
        setattr(sqlite.SqliteCatalog, name, counting(getattr(sqlite.SqliteCatalog, name)))
    writing.PartWriter.flush = counting(writing.PartWriter.flush)  # type: ignore[method-assign]


def crash_and_resume(
    folder: Path, rebuilt: dict[int, list[str]], crash: Callable[[Callable[[], None]], int]
) -> bool:
    """Index, change, crash while indexing again, look, resume; whether the crash came in time."""
    tree, home = folder / "tree", str(folder / "home")
    write_tree(tree, 1)
    Engine.open(home).index(str(tree), name="tree", options=IN_PROCESS)
    write_tree(tree, 2)
    status = crash(
        lambda: Engine.open(home).index(str(tree), name="tree", options=IN_PROCESS) and None
    )
    killed = os.WIFSIGNALED(status)
    assert killed or status == 0, "the run neither ended well nor was killed"
    assert content(dump(home)) in (content(rebuilt[1]), content(rebuilt[2]))
    assert all(check.ok for check in Engine.open(home).doctor())
    Engine.open(home).index(str(tree), name="tree", options=IN_PROCESS)
    assert content(dump(home)) == content(rebuilt[2])
    return killed


def content(lines: list[str]) -> list[str]:
    """A dump without its first line, which names the snapshot of this folder."""
    return lines[1:]


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small batches and flushes, so that there is something between the start and the end."""
    monkeypatch.setattr(pipeline, "BATCH_BLOBS", 3)
    monkeypatch.setattr(pipeline, "FLUSH_BYTES", 600)


@pytest.mark.usefixtures("small_steps")
def test_kill_9_at_random_moments_loses_nothing(
    tmp_path: Path, rebuilt: dict[int, list[str]]
) -> None:
    chance = random.Random(20)
    killed, took = 0, [0.0]

    def unharmed(work: Callable[[], None]) -> int:
        start = time.monotonic()
        ended = in_child(work, kill_after=None)
        took.append(time.monotonic() - start)
        return ended

    crash_and_resume(tmp_path / "unharmed", rebuilt, unharmed)
    for number in range(KILLS):
        delay = chance.uniform(0.0, took[-1])
        folder = tmp_path / str(number)
        killed += crash_and_resume(
            folder, rebuilt, lambda work, delay=delay: in_child(work, kill_after=delay)
        )
    assert killed >= KILLS // 3, "most runs ended before they were killed: the test tests nothing"


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("moment", [1, 2, 3, 4, 6, 8, 11, 14, 17, 20])
def test_kill_9_around_each_durable_step_loses_nothing(
    tmp_path: Path, rebuilt: dict[int, list[str]], moment: int
) -> None:
    def crash(work: Callable[[], None]) -> int:
        def armed() -> None:
            die_at(moment, counted={"at": 0})
            work()

        return in_child(armed, kill_after=None)

    crash_and_resume(tmp_path, rebuilt, crash)


@pytest.mark.usefixtures("small_steps")
def test_a_pointer_that_moves_before_its_content_would_be_noticed(
    tmp_path: Path, rebuilt: dict[int, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The seeded fault of law 12: ready is stamped first, the content never becomes durable."""

    def forgetful(path: Path, data: bytes) -> None:
        path.write_bytes(data[: len(data) // 2])

    monkeypatch.setattr(sqlite, "_write_durably", forgetful)
    tree, home = tmp_path / "tree", str(tmp_path / "home")
    write_tree(tree, 1)

    def index_and_look() -> None:
        Engine.open(home).index(str(tree), name="tree", options=IN_PROCESS)
        dump(home)

    with pytest.raises(Damaged):
        index_and_look()
    assert not all(check.ok for check in Engine.open(home).doctor())

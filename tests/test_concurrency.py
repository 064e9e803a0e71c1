"""Readers beside a writer: each answer comes from one generation, and what is read stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from grainline.engine import Engine
from grainline.indexing.pipeline import IndexOptions
from grainline.model.answers import Progress
from grainline.storage.sqlite import SqliteCatalog
from grainline.storage.writing import PartWriter
from helpers.facts import facts
from helpers.gitrepo import FILE, HandMade, Item

READERS = 8
READS = 1250
FILES = 6
GENERATIONS = 60
PAUSE = 0.05  # seconds between two generations: the readers see many of them
OPTIONS = IndexOptions(workers=0)
REF = "refs/heads/main"


def tree(generation: int) -> dict[str, Item]:
    """Files that all name their generation, in text, symbol and path."""
    files = {
        f"part{n}.py": Item(
            FILE, f"def mark_{n}_{generation}(order):\n    return pay(order, {n})\n".encode()
        )
        for n in range(FILES)
    }
    return files | {f"at{generation}.py": Item(FILE, b"constant = 1\n")}


class Shop:
    """A bare repository whose branch moves, and a home."""

    def __init__(self, folder: Path) -> None:
        self.repository = HandMade(folder / "shop.git", bare=True)
        self.home = str(folder / "home")
        self.engine = Engine.open(self.home)

    def write(self, generation: int) -> None:
        """Commit a generation and index it."""
        self.repository.move(REF, self.repository.commit(tree(generation)))
        self.engine.index(str(self.repository.top), refs=[REF], name="shop", options=OPTIONS)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


READER = textwrap.dedent(
    '''
    """Reads until it has read enough and the writer has ended; one JSON line at the end."""
    import json, re, sys, time
    from pathlib import Path
    from grainline.engine import Engine

    home, reads, stop = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    engine = Engine.open(home)
    done, seen, mixed, errors = 0, [], [], []
    while done < reads or not stop.exists():
        if done >= reads:
            time.sleep(0.02)
        try:
            scope = engine.scope(refs=["refs/heads/main"])
            kind = done % 3
            if kind == 0:
                result = engine.search("pay order", scope=scope)
                texts = [hit.text for hit in result.hits]
                told = {state.generation for state in result.coverage.snapshots}
            elif kind == 1:
                lines = list(engine.dump(scope))
                texts = [line for line in lines if "mark_" in line or '"path":"at' in line]
                told = {json.loads(lines[0])["generation"]}
            else:
                corpus = engine.corpus(scope)
                texts = list(corpus.symbol_names())
                texts += [corpus.path(entry).decode() for entry in range(corpus.n_entries)]
                told = {state.generation for state in corpus.snapshots}
        except Exception as error:
            errors.append(repr(error))
            continue
        finally:
            done += 1
        found = {int(n) for text in texts for n in re.findall(r"mark_\\d+_(\\d+)|\\bat(\\d+)", text) for n in n if n}
        if len(found) != 1 or len(told) != 1 or (kind == 0 and len(texts) != FILES):
            mixed.append([kind, sorted(found), sorted(told), len(texts)])
        elif not seen or seen[-1] != [*found, *told]:
            seen.append([*found, *told])
    print(json.dumps({"done": done, "seen": seen, "mixed": mixed[:5], "errors": errors[:5],
                      "cpu": time.process_time()}))
    '''
).replace("FILES", str(FILES))


def run(
    shop: Shop, folder: Path, *, readers: int, reads: int, generations: int
) -> list[dict[str, Any]]:
    """Let readers read while generations 1 to `generations` are written; what each of them says."""
    script = folder / "reader.py"
    script.write_text(READER)
    command = [sys.executable, str(script), shop.home, str(reads), str(folder / "stop")]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        for _ in range(readers)
    ]
    for generation in range(1, generations + 1):
        shop.write(generation)
        if generation % 10 == 0:
            shop.engine.gc()
        time.sleep(PAUSE)
    (folder / "stop").touch()
    reports = []
    for reader in running:
        output, _ = reader.communicate(timeout=300)
        assert reader.returncode == 0
        reports.append(json.loads(output))
    return reports


def test_ten_thousand_reads_during_a_writer_are_each_of_one_generation(
    shop: Shop, tmp_path: Path
) -> None:
    shop.write(0)
    reports = run(shop, tmp_path, readers=READERS, reads=READS, generations=GENERATIONS)
    assert sum(report["done"] for report in reports) >= READERS * READS
    names: dict[str, int] = {}
    for report in reports:
        assert not report["errors"], report["errors"]
        assert not report["mixed"], report["mixed"]
        numbers = [number for number, _ in report["seen"]]
        assert numbers == sorted(numbers), "a reader went back to an older generation"
        for number, told in report["seen"]:
            assert names.setdefault(told, number) == number, "two generations under one name"
    assert len(names) >= GENERATIONS // 3, f"the readers saw {len(names)} generations only"


def test_a_generation_that_becomes_visible_in_two_steps_would_be_noticed(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = PartWriter.amend

    def halved(
        self: PartWriter, repository: Any, view: Any, snapshot: Any, base: Any, changed: Any,
        gone: Any, **more: Any,
    ) -> Any:  # fmt: skip
        half = changed[: len(changed) // 2]
        honest(self, repository, view, snapshot, base, half, (), **more)
        time.sleep(PAUSE)
        return honest(self, repository, view, snapshot, base, changed, gone, **more)

    monkeypatch.setattr(PartWriter, "amend", halved)
    shop.write(0)
    reports = run(shop, tmp_path, readers=2, reads=100, generations=12)
    assert any(report["mixed"] for report in reports)


def test_a_second_writer_is_told_who_writes(shop: Shop) -> None:
    shop.write(0)
    command = [str(Path(sys.executable).with_name("grainline")), "--home", shop.home, "--json"]
    command += ["index", str(shop.repository.top)]
    ends: list[subprocess.CompletedProcess[str]] = []

    def meanwhile(progress: Progress) -> None:
        if progress.stage == "store":
            ends.append(subprocess.run(command, capture_output=True, text=True, check=False))

    shop.repository.move(REF, shop.repository.commit(tree(1)))
    shop.engine.index(str(shop.repository.top), refs=[REF], options=OPTIONS, progress=meanwhile)
    (end,) = ends
    assert end.returncode == 6
    error = json.loads(end.stdout)["error"]
    assert error["code"] == "locked"
    assert f"process {os.getpid()} " in error["message"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_a_lock_that_a_killed_writer_left_to_what_it_started_is_waited_for(shop: Shop) -> None:
    """A command between its start and its program has all that is open, the lock too."""
    shop.write(0)
    code = (
        "import os, signal, sys, time\n"
        "from pathlib import Path\n"
        "from grainline.storage.sqlite import SqliteCatalog\n"
        "catalog = SqliteCatalog(Path(sys.argv[1]))\n"
        "catalog.lock()\n"
        "if os.fork() == 0:\n"
        "    os.close(1)\n"
        "    time.sleep(1)\n"
        "    os._exit(0)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code, shop.home], check=False, stdout=subprocess.PIPE)
    assert shop.engine.index(str(shop.repository.top), refs=[REF], options=OPTIONS)


def test_a_lock_that_is_given_back_is_free_though_a_command_is_being_started(shop: Shop) -> None:
    shop.write(0)
    catalog = SqliteCatalog(Path(shop.home))
    catalog.lock()
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    catalog.release()
    try:
        assert shop.engine.index(str(shop.repository.top), refs=[REF], options=OPTIONS)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_what_a_reader_holds_outlives_its_end_in_the_home(shop: Shop) -> None:
    """Branch, content and parts of a held generation go; the reader reads on, whatever it asks."""
    shop.write(0)
    expected = facts(Engine.open(shop.home).corpus())  # type: ignore[arg-type]
    reader = Engine.open(shop.home)
    held = reader.corpus()
    before = {path.name for path in Path(shop.home, "parts").iterdir()}
    shop.write(1)
    shop.engine.gc()
    after = {path.name for path in Path(shop.home, "parts").iterdir()}
    assert before.isdisjoint(after), "gc kept what nothing names: the test tests nothing"
    assert facts(held) == expected  # type: ignore[arg-type]
    assert facts(reader.corpus()) != expected  # type: ignore[arg-type]

"""How soon a change of a work tree is searchable, in a small and a large one.

    freshness.py --mirror DIR OWNER/NAME [--saves N] [--lines N] [--apart N]

A large tree is the whole clone at HEAD, a small one the sources of it that make `--lines` lines, evenly
drawn. Figures are wall-clock milliseconds with CPU milliseconds beside them: latency is what a person
waits for, CPU is what a busy machine does not change.

- engine: a file is saved, `Engine.refresh` is told its path; until it returns, and until a search for
  what was saved has answered. That search alone is the first question after a save; a search for what
  the save before it brought is a warm one. *On the way* is the CPU of this process and of its workers
  until it returns: what it would take on a machine that does nothing else. What is left of the wall-clock
  time is waited for: a processor that others have (run queues, as the kernel counts them), or anything
  else (the disk, a lock, a process).
- watcher: a file is saved and closed under a running `grainline watch`; until that says it is refreshed,
  and until a search of a client has answered.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from grainline.engine import Engine
from grainline.indexing.owner.client import ask
from grainline.lab.mirror import find_clone
from grainline.languages.detect import detect
from grainline.model.access import View
from grainline.model.search import SearchOptions

SEED = 11
MAX_BYTES = 200_000  # of a file that is edited
PAUSE = 0.15  # seconds between two saves under the watcher
WAIT = 20.0  # seconds for one save
IDENTITY = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")


def main() -> int:
    """0; the figures go to standard output as Markdown rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--saves", type=int, default=60)
    parser.add_argument("--lines", type=int, default=20_000, help="of the small tree")
    parser.add_argument("--apart", type=int, default=1000, help="commits between two branches")
    parser.add_argument("repository")
    options = parser.parse_args()
    clone = find_clone(options.mirror, options.repository)
    print(f"calibration loop, CPU ms: {calibrate():.0f}; load {os.getloadavg()[0]:.1f}\n")
    print("| measure | wall ms | CPU ms |\n|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="grainline-bench-") as folder:
        large, small = Path(folder) / "large", Path(folder) / "small"
        lines = export(clone, large)
        fewer = thin(large, small, options.lines)
        sizes = {f"{fewer / 1000:.0f} k lines": small, f"{lines / 1e6:.2f} M lines": large}
        for size, tree in sizes.items():
            for row in following(tree, Path(folder) / f"home-{tree.name}", size, options.saves):
                print("| " + " | ".join(row) + " |", flush=True)
        for row in switching(clone, Path(folder), options.apart):
            print("| " + " | ".join(row) + " |", flush=True)
    print(f"\ncalibration loop again, CPU ms: {calibrate():.0f}; load {os.getloadavg()[0]:.1f}")
    return 0


Row = tuple[str, str, str]


def following(tree: Path, home: Path, size: str, saves: int) -> Iterator[Row]:
    """Every figure of one tree that is no switch of branches."""
    engine = Engine.open(str(home))
    engine.index(str(tree))
    with Clock() as clock:
        engine.index(str(tree))
    yield f"{size}: index without a change", *clock.shown()
    (view,) = engine.work_trees()
    with Clock() as clock:
        engine.refresh(view)
    yield f"{size}: first look of a process", *clock.shown()
    with Clock() as clock:
        engine.refresh(view)
    yield f"{size}: look at everything, nothing changed", *clock.shown()
    draw = random.Random(SEED)
    files = editable(tree)
    save(tree, draw.choice(files), "warm")
    engine.refresh(view)
    workers = Workers()
    found = [saved(engine, view, tree, draw.choice(files), n, workers) for n in range(saves)]
    ways = [each.cpu + spent for (each, *_), spent in zip(found, workers.spent, strict=True)]
    shown = f"{quantile(ways, 0.5):.1f} / {quantile(ways, 0.95):.1f}"
    yield f"{size}: engine, on the way to refreshed, p50 / p95", "", shown
    rest = [
        each.wall - way - queued
        for (each, *_), way, queued in zip(found, ways, workers.queued, strict=True)
    ]
    for what, waits in (("a processor", workers.queued), ("anything else", rest)):
        shown = f"{quantile(waits, 0.5):.1f} / {quantile(waits, 0.95):.1f}"
        yield f"{size}: engine, waits for {what} on that way, p50 / p95", shown, ""
    for what, clocks in zip(SAVED, zip(*found, strict=True), strict=True):
        yield f"{size}: engine, {what}, p50 / p95", *quantiles(clocks)
    share = max(1, len(files) // 100)
    names = [save(tree, path, "many") for path in draw.sample(files, share)]
    with Clock() as clock:
        engine.refresh(view, names)
    yield f"{size}: 1 % of the files ({share}) edited, told which", *clock.shown()
    for path in draw.sample(files, share):
        save(tree, path, "more")
    with Clock() as clock:
        engine.refresh(view)
    yield f"{size}: 1 % of the files ({share}) edited, not told", *clock.shown()
    engine.close()
    yield from watched(tree, home, size, files, saves)


class Clock:
    """Wall-clock and CPU time of a block, of this process and of those that it ended."""

    def __enter__(self) -> Clock:
        self._wall, self._cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall = 1000 * (time.perf_counter() - self._wall)
        self.cpu = 1000 * (time.process_time() - self._cpu)

    def shown(self) -> tuple[str, str]:
        """For a row."""
        return f"{self.wall:.0f}", f"{self.cpu:.0f}"


class Workers:
    """CPU of the children of this process, and what they and this process waited for one (Linux)."""

    def __init__(self) -> None:
        self.pids = children(os.getpid())
        self.spent: list[float] = []
        self.queued: list[float] = []

    def total(self) -> float:
        """Milliseconds of CPU so far, of those that lived when this was made."""
        return sum(scheduled(pid)[0] for pid in self.pids) / 1e6

    def waited(self) -> float:
        """Milliseconds so far that a processor was waited for."""
        return sum(scheduled(pid)[1] for pid in (os.getpid(), *self.pids)) / 1e6


SAVED = ("save to refreshed", "save to found", "first question", "warm question")


def saved(
    engine: Engine, view: View, tree: Path, path: Path, number: int, workers: Workers
) -> tuple[Clock, Clock, Clock, Clock]:
    """From a save to the end of the refresh, and to the answer that has it; that answer; a warm one."""
    name, only = save(tree, path, f"{number}"), SearchOptions(k=1)
    before, waited = workers.total(), workers.waited()
    with Clock() as found:
        with Clock() as refreshed:
            engine.refresh(view, (name,))
        workers.spent.append(workers.total() - before)
        workers.queued.append(workers.waited() - waited)
        with Clock() as first:
            result = engine.search(word(f"{number}"), options=only)
    assert word(f"{number}") in result.hits[0].text, "what was saved is found"
    with Clock() as warm:
        engine.search(word(f"{number - 1}" if number else "warm"), options=only)
    engine.rest()  # as an owner does while nobody waits
    return refreshed, found, first, warm


def watched(tree: Path, home: Path, size: str, files: Sequence[Path], saves: int) -> Iterator[Row]:
    """Saves under a real `grainline watch`."""
    command = (sys.executable, "-c", "from grainline.surfaces.cli.main import main; main()")
    with subprocess.Popen(
        (*command, "watch", "--json", "--home", str(home)), stdout=subprocess.PIPE, text=True
    ) as watch:
        assert watch.stdout is not None
        wanted = ["watching", "refreshed"]  # then all of it was looked at under the watch
        while wanted:
            if json.loads(watch.stdout.readline())["event"] == wanted[0]:
                del wanted[0]
        time.sleep(PAUSE)
        os.set_blocking(watch.stdout.fileno(), False)
        draw = random.Random(SEED)
        rows: list[tuple[float, float]] = []
        try:
            for number in range(saves + 3):
                rows.append(seen(tree, home, watch.stdout, draw.choice(files), f"w{number}"))
                time.sleep(PAUSE)
            idle = cpu_of(watch.pid)
            time.sleep(5.0)
            idle = cpu_of(watch.pid) - idle
        finally:
            watch.terminate()
    rows = rows[3:]  # workers start with the first
    for what, times in (
        ("refreshed", [a for a, _ in rows]),
        ("found by a client", [b for _, b in rows]),
    ):
        p50, p95 = quantile(times, 0.5), quantile(times, 0.95)
        yield f"{size}: watcher, close to {what}, p50 / p95", f"{p50:.1f} / {p95:.1f}", ""
    yield f"{size}: watcher, idle, CPU ms per second", "", f"{1000 * idle / 5:.1f}"


def seen(tree: Path, home: Path, events: Any, path: Path, mark: str) -> tuple[float, float]:
    """(ms from close to the event, ms from close to the answer of a client that has it)."""
    while events.readline():
        pass
    save(tree, path, mark)
    closed = time.perf_counter()
    while not events.readline():
        if time.perf_counter() - closed > WAIT:
            raise TimeoutError("the watcher saw nothing")
        time.sleep(0.0005)
    refreshed = 1000 * (time.perf_counter() - closed)
    while True:
        question = {"query": word(mark), "options": SearchOptions(k=1)}
        result = ask(home, "search", question)
        if result.hits and word(mark) in result.hits[0].text:
            return refreshed, 1000 * (time.perf_counter() - closed)
        if time.perf_counter() - closed > WAIT:
            raise TimeoutError(f"{path} is not found")
        time.sleep(0.002)


def switching(clone: Path, scratch: Path, apart: int) -> Iterator[Row]:
    """From one branch to another one that is many commits older, and back."""
    tree, home = scratch / "switched", scratch / "home-switched"
    git(scratch, "clone", "-q", "--no-checkout", str(clone), str(tree))
    git(tree, "checkout", "-q", "-B", "newer", "HEAD")
    git(tree, "branch", "-f", "older", f"HEAD~{apart}")
    engine = Engine.open(str(home))
    engine.index(str(tree))
    engine.index(str(tree), refs=("older",))
    (view,) = engine.work_trees()
    engine.refresh(view)
    for name in ("older", "newer"):
        git(tree, "checkout", "-q", name)
        with Clock() as clock:
            report = engine.refresh(view)
        what = f"switch to an indexed branch {apart} commits apart, {report.changed} paths"
        yield what, *clock.shown()
    engine.close()


# -------------------------------------------------------------------------------------- trees


def export(clone: Path, tree: Path) -> int:
    """The files of HEAD in a work tree of their own; how many lines their sources have."""
    tree.mkdir()
    archive = subprocess.run(
        ("git", "-C", str(clone), "archive", "HEAD"), check=True, capture_output=True
    ).stdout
    subprocess.run(("tar", "-x", "-C", str(tree)), input=archive, check=True)
    commit(tree)
    return sum(count(path) for path in sources(tree))


def thin(large: Path, small: Path, lines: int) -> int:
    """A tree of some of the sources of another one."""
    files = sources(large)
    random.Random(SEED).shuffle(files)
    total = 0
    for path in files:
        if total >= lines:
            break
        target = small / path.relative_to(large)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
        total += count(path)
    commit(small)
    return total


def commit(tree: Path) -> None:
    """Make a folder a repository with one commit."""
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    git(tree, *IDENTITY, "commit", "-qm", "all")


def git(tree: Path, *arguments: str) -> None:
    """Run git there."""
    subprocess.run(("git", "-C", str(tree), *arguments), check=True, capture_output=True)


def sources(tree: Path) -> list[Path]:
    """Its files in a known language, sorted."""
    return [
        path
        for path in sorted(tree.rglob("*"))
        if ".git" not in path.parts
        and path.is_file()
        and not path.is_symlink()
        and detect(os.fsencode(path.name), b"")
    ]


def editable(tree: Path) -> list[Path]:
    """Its files that a comment can be added to."""
    return [
        path
        for path in sources(tree)
        if path.suffix in (".java", ".py", ".scala") and path.stat().st_size < MAX_BYTES
    ]


def count(path: Path) -> int:
    """Lines of a file."""
    return path.read_bytes().count(b"\n")


def word(mark: str) -> str:
    """A name that stands nowhere else, nor does any part of it."""
    digest = hashlib.blake2b(mark.encode(), digest_size=12).digest()
    return "z" + "".join(chr(ord("a") + byte % 26) for byte in digest)


def save(tree: Path, path: Path, mark: str) -> bytes:
    """Add a comment with a new word in the middle of a file; its path in the tree."""
    lines = path.read_bytes().split(b"\n")
    comment = b"# " if path.suffix == ".py" else b"// "
    lines.insert(len(lines) // 2, comment + word(mark).encode())
    path.write_bytes(b"\n".join(lines))
    return os.fsencode(path.relative_to(tree))


# -------------------------------------------------------------------------------------- numbers


def quantiles(clocks: Sequence[Clock]) -> tuple[str, str]:
    """p50 and p95 of both times."""
    wall, cpu = [clock.wall for clock in clocks], [clock.cpu for clock in clocks]
    return (
        f"{quantile(wall, 0.5):.1f} / {quantile(wall, 0.95):.1f}",
        f"{quantile(cpu, 0.5):.1f} / {quantile(cpu, 0.95):.1f}",
    )


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which a share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def calibrate() -> float:
    """CPU ms of a fixed piece of interpreter work: tells how fast this machine is right now."""
    start = time.process_time()
    table: dict[int, int] = {}
    for number in range(1_000_000):
        table[number & 4095] = table.get(number & 4095, 0) + number
    return 1000 * (time.process_time() - start)


def children(pid: int) -> list[int]:
    """The living children of a process (Linux)."""
    listed = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(word) for path in listed for word in path.read_text(encoding="ascii").split()]


def scheduled(pid: int) -> tuple[int, int]:
    """(ns of CPU, ns in run queues) of a process so far, of all its threads (Linux)."""
    found = [0, 0]
    for thread in Path(f"/proc/{pid}/task").iterdir():
        words = (thread / "schedstat").read_text(encoding="ascii").split()
        found = [found[0] + int(words[0]), found[1] + int(words[1])]
    return found[0], found[1]


def cpu_of(pid: int) -> float:
    """CPU seconds of a process so far (Linux)."""
    parts = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())

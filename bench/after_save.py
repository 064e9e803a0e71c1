"""What the first questions after a save wait for, in a tree of Python that `grainline watch` follows.

    after_save.py FOLDER [--saves N] [--pause S]

FOLDER is copied. A save is a remark, a call in the body of a function, or a new function. It is asked for
as soon as the watcher says that it is refreshed (*at once*), or `--pause` seconds later; each question is the
first one after its save. Milliseconds of wall-clock time as a client waits, and CPU of the watcher and its
processes from the save until it rests again.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from freshness import WAIT, children, commit

from grainline.engine import Engine
from grainline.indexing.owner.client import ask

SEED = 7
QUIET = 1.0
"""Seconds in which a watcher that rests takes less CPU than `RESTS`."""

RESTS = 0.03


class Place(NamedTuple):
    """A function: the file, and the line of its first statement, from 1, with its column."""

    path: Path
    line: int
    column: int


def main() -> int:
    """0; the figures go to standard output as Markdown rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--saves", type=int, default=3, help="of each kind and question")
    parser.add_argument("--pause", type=float, default=10.0)
    options = parser.parse_args()
    print("| save | question | at once, ms | after a pause, ms | CPU until it rests, s |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="grainline-bench-") as folder:
        tree, home = Path(folder) / "tree", Path(folder) / "home"
        shutil.copytree(options.folder, tree)
        commit(tree)
        engine = Engine.open(str(home))
        engine.index(str(tree))
        engine.fill()
        engine.close()
        watched(tree, home, options.saves, options.pause)
    return 0


def watched(tree: Path, home: Path, saves: int, pause: float) -> None:
    """Every figure, under a real `grainline watch`."""
    command = (sys.executable, "-c", "from grainline.surfaces.cli.main import main; main()")
    with subprocess.Popen(
        (*command, "watch", "--json", "--home", str(home)), stdout=subprocess.PIPE, text=True
    ) as watch:
        assert watch.stdout is not None
        wanted = ["watching", "refreshed"]
        while wanted:
            if json.loads(watch.stdout.readline())["event"] == wanted[0]:
                del wanted[0]
        os.set_blocking(watch.stdout.fileno(), False)
        draw = random.Random(SEED)
        places = functions(tree)
        try:
            first = draw.choice(places)
            _remark(first)
            following(watch)
            _callers(home, tree, first)  # IR of all files is made once
            rest(watch.pid)
            for kind, save in SAVES.items():
                for name, question in QUESTIONS.items():
                    now, later, cost = list[float](), list[float](), list[float]()
                    for _ in range(saves):
                        for waits, found in ((0.0, now), (pause, later)):
                            place, before = draw.choice(places), spent(watch.pid)
                            save(place)
                            following(watch)
                            time.sleep(waits)
                            begun = time.perf_counter()
                            question(home, tree, place)
                            found.append(1000 * (time.perf_counter() - begun))
                            rest(watch.pid)
                            cost.append(spent(watch.pid) - before)
                            places = functions(tree)
                    print(f"| {kind} | {name} | {shown(now)} | {shown(later)} | {median(cost):.2f} |",
                          flush=True)  # fmt: skip
        finally:
            watch.terminate()


def shown(times: list[float]) -> str:
    """The median, and the most."""
    return f"{median(times):.0f} (most {max(times):.0f})"


def following(watch: subprocess.Popen[str]) -> None:
    """Until the watcher says that it saw a change."""
    assert watch.stdout is not None
    begun = time.perf_counter()
    while not watch.stdout.readline():
        if time.perf_counter() - begun > WAIT:
            raise TimeoutError("the watcher saw nothing")
        time.sleep(0.002)
    time.sleep(0.05)
    while watch.stdout.readline():
        pass


# ------------------------------------------------------------------------------------ questions


def _search(home: Path, tree: Path, place: Place) -> None:
    ask(home, "search", {"query": place.path.stem.replace("_", " ")})


def _context(home: Path, tree: Path, place: Place) -> None:
    ask(home, "context", {"query": place.path.stem.replace("_", " ")})


def _callers(home: Path, tree: Path, place: Place) -> None:
    ask(home, "callers", {"symbol": f"{place.path.relative_to(tree)}:{place.line}"})


QUESTIONS: dict[str, Callable[[Path, Path, Place], None]] = {
    "search": _search, "context": _context, "callers": _callers,
}  # fmt: skip


# ---------------------------------------------------------------------------------------- saves


def functions(tree: Path) -> list[Place]:
    """The functions of a tree that have a body on lines of its own, sorted."""
    found: list[Place] = []
    for path in sorted(tree.rglob("*.py")):
        try:
            parsed = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(parsed):
            if isinstance(node, ast.FunctionDef) and node.body[0].lineno > node.lineno + 1:
                found.append(Place(path, node.body[0].lineno, node.body[0].col_offset))
    return found


def insert(place: Place, text: str) -> None:
    """A line before the first statement of a function."""
    lines = place.path.read_bytes().split(b"\n")
    lines.insert(place.line - 1, b" " * place.column + text.encode())
    place.path.write_bytes(b"\n".join(lines))


def _remark(place: Place) -> None:
    """A comment."""
    insert(place, "# as agreed")


def _call(place: Place) -> None:
    insert(place, "repr(object()).strip()")


def _function(place: Place) -> None:
    with place.path.open("ab") as file:
        file.write(b"\n\ndef added_%d(value):\n    return str(value)\n" % place.line)


SAVES: dict[str, Callable[[Place], None]] = {
    "a remark": _remark, "a call in a body": _call, "a new function": _function,
}  # fmt: skip


# ------------------------------------------------------------------------------------------ CPU


def rest(pid: int) -> None:
    """Until a process and its children do nothing."""
    before = spent(pid)
    while True:
        time.sleep(QUIET)
        now = spent(pid)
        if now - before < RESTS:
            return
        before = now


def spent(pid: int) -> float:
    """CPU seconds of a process, of its living children and of those that it waited for."""
    return sum(map(_times, (pid, *children(pid))))


def _times(pid: int) -> float:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return 0.0
    parts: list[Any] = text.rpartition(")")[2].split()
    return sum(map(int, parts[11:15])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())

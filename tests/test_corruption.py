"""A home that was damaged on disk says so and names the repair; it never answers wrongly."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from grainline.engine import Engine
from grainline.errors import BadInput, Damaged, GrainlineError
from grainline.indexing.pipeline import IndexOptions
from grainline.model.access import WORKTREE, AccessRule, Policy
from grainline.model.evidence import ContextOptions
from grainline.surfaces import wire
from helpers.gitrepo import FILE, HandMade, Item, write

MUTATIONS = 200
SEED = 21
NAME = "shop"
OPTIONS = IndexOptions(workers=0)
REFS = (WORKTREE, "HEAD", "refs/heads/old")
POLICY = Policy(
    epoch=0,
    users=(("ann", ("team",)),),
    rules=(AccessRule(repository="", prefix=b"lib", groups=("team",)),),
)


class World(NamedTuple):
    """A sound home, the repository that it holds, and what it answers."""

    home: Path
    top: Path
    answers: list[str]


def source(number: int, version: int) -> bytes:
    body = "".join(
        f"def step_{number}_{i}(order):\n"
        f'    """Step {i} of part {number}, version {version}."""\n'
        f"    return pay_{i}(order, {version})\n\n"
        for i in range(4)
    )
    return f"import part{number - 1}\n\n{body}".encode()


def tree(version: int) -> dict[str, Item]:
    files = {
        f"lib/part{n}.py": Item(FILE, source(n, version if n % 3 == 0 else 0)) for n in range(8)
    }
    return files | {
        "README.md": Item(FILE, b"# Shop\n\nHow orders are paid.\n"),
        "logo.png": Item(FILE, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(40)),
    }


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("corruption")
    top, home = folder / "tree", folder / "home"
    repository = HandMade(top)
    old, new = (repository.commit(tree(version)) for version in (1, 2))
    repository.move("refs/heads/old", old)
    repository.move("refs/heads/main", new)
    repository.stage(tree(2))
    for path, item in tree(2).items():
        write(top, path, item)
    write(top, "lib/part1.py", Item(FILE, source(1, 9)))
    index(home, top)
    engine = Engine.open(str(home))
    engine.set_policy(POLICY)
    engine.close()
    return World(home, top, list(answers(home)))


WITHOUT_EDGES = ContextOptions(edges=False)
"""Edges that are not kept are made anew for every damage, and depend on nothing that is not read here."""


def index(home: Path, top: Path) -> None:
    engine = Engine.open(str(home))
    engine.index(str(top), refs=REFS, name=NAME, options=OPTIONS)
    engine.close()


def answers(home: Path) -> Iterator[str]:
    """What a home says to a fixed list of questions, each as one text, whenever it was indexed."""
    return (re.sub(r"as indexed at [0-9TZ:-]+", "as indexed", text) for text in _answers(home))


def _answers(home: Path) -> Iterator[str]:
    engine = Engine.open(str(home))
    try:
        yield wire.dumps(wire.status(engine.status(paths=True)))
        for ref in REFS:
            scope = engine.scope(refs=[ref])
            for query in ("step order", "part3 version", '"pay_2"', "/def step_[0-9]_1/"):
                result = engine.search(query, scope=scope)
                yield wire.dumps(wire.search(result)["results"])
            yield wire.dumps(wire.show(engine.show("step_3_2", scope=scope)))
            yield wire.dumps(wire.outline(engine.outline("lib/part3.py", scope=scope)))
            yield wire.dumps(
                wire.context(
                    engine.context("how are orders paid", scope=scope, options=WITHOUT_EDGES)
                )
            )
            yield "\n".join(engine.dump(scope))
        for name in ("ann", "ben"):
            yield told_to(engine, name)
    finally:
        engine.close()


def told_to(engine: Engine, name: str) -> str:
    try:
        scope = engine.scope(refs=["HEAD"], principal=name)
        return wire.dumps(wire.search(engine.search("step order", scope=scope))["results"])
    except BadInput as error:
        return error.code


# ------------------------------------------------------------------ mutations

Mutation = Callable[[Path, random.Random], str]


def flip(path: Path, chance: random.Random) -> str:
    data = bytearray(path.read_bytes())
    at, bit = chance.randrange(len(data)), chance.randrange(8)
    data[at] ^= 1 << bit
    path.write_bytes(data)
    return f"bit {bit} of byte {at}"


def cut(path: Path, chance: random.Random) -> str:
    size = chance.randrange(path.stat().st_size)
    path.write_bytes(path.read_bytes()[:size])
    return f"cut to {size} bytes"


def zero(path: Path, chance: random.Random) -> str:
    data = bytearray(path.read_bytes())
    page = chance.randrange(-(-len(data) // 4096)) * 4096
    data[page : page + 4096] = bytes(len(data[page : page + 4096]))
    path.write_bytes(data)
    return f"page at {page} is zero"


def lose(path: Path, chance: random.Random) -> str:
    path.unlink()
    return "deleted"


def swap(path: Path, chance: random.Random) -> str:
    others = sorted(p for p in path.parent.iterdir() if p.is_file() and p != path)
    other = chance.choice(others)
    one, two = path.read_bytes(), other.read_bytes()
    path.write_bytes(two)
    other.write_bytes(one)
    return f"swapped with {other.name}"


def replace(path: Path, chance: random.Random) -> str:
    path.write_bytes(chance.randbytes(max(path.stat().st_size, 1)))
    return "foreign bytes of the same length"


def grow(path: Path, chance: random.Random) -> str:
    with path.open("ab") as file:
        file.write(chance.randbytes(chance.randrange(1, 9000)))
    return "grown"


KINDS: tuple[Mutation, ...] = (flip, flip, flip, cut, zero, lose, swap, replace, grow)


def mutations(home: Path) -> Iterator[tuple[str, Mutation, int]]:
    """(file, kind, seed) of each mutation: every file that holds something, every kind, in turn."""
    files = sorted(
        str(path.relative_to(home))
        for path in home.rglob("*")
        if path.is_file() and path.stat().st_size
    )
    for number in range(MUTATIONS):
        yield files[number % len(files)], KINDS[number // len(files) % len(KINDS)], number


def outcome(home: Path, sound: list[str]) -> str:
    """`same`, the code of the error that was raised, or what was wrong."""
    try:
        for number, text in enumerate(answers(home)):
            if text != sound[number]:
                return f"WRONG answer {number}"
    except Damaged as error:
        if "doctor --repair" in error.hint or "new home" in error.hint:
            return f"detected: {error.code}"
        return f"WRONG hint: {error}"
    except GrainlineError as error:
        return f"WRONG error: {error}"
    return "same"


def recovery(home: Path, world: World, found: str) -> str:
    """Walk the way that the error names: doctor, repair, index. What is wrong with it, or ""."""
    engine = Engine.open(str(home))
    checks = engine.doctor()
    if found != "same" and all(check.ok for check in checks):
        return "doctor sees nothing"
    if not all(check.ok or check.repair for check in checks):
        return "doctor names no repair"
    engine.doctor(repair=True)
    engine.close()
    index(home, world.top)
    engine = Engine.open(str(home))
    engine.set_policy(POLICY)
    broken = [check.name for check in engine.doctor() if not check.ok]
    engine.close()
    if broken:
        return f"still broken: {broken}"
    return "" if outcome(home, world.answers) == "same" else "other answers after repair"


def later(home: Path, world: World) -> str:
    """Index without repairing: the answers are right, or the damage is said."""
    try:
        index(home, world.top)
    except Damaged:
        return ""
    except GrainlineError as error:
        return f"{error}"
    found = outcome(home, world.answers)
    return found if found.startswith("WRONG") else ""


def judge(world: World, folder: Path, name: str, kind: Mutation, number: int) -> tuple[str, str]:
    """(what a damage led to, what was wrong with that or "")."""
    home, copy = folder / "home", folder / "copy"
    shutil.copytree(world.home, home)
    what = kind(home / name, random.Random(f"{SEED} {number}"))
    shutil.copytree(home, copy)
    found = outcome(home, world.answers)
    steps = [found if found.startswith("WRONG") else "", recovery(home, world, found)]
    steps.append(later(copy, world))
    shutil.rmtree(folder)
    wrong = "; ".join(filter(None, steps))
    return found, wrong and f"{number}: {name}, {what}: {wrong}"


def test_two_hundred_damages_are_detected_or_harmless(world: World, tmp_path: Path) -> None:
    wrong: list[str] = []
    seen: Counter[str] = Counter()
    for name, kind, number in mutations(world.home):
        found, complaint = judge(world, tmp_path / str(number), name, kind, number)
        seen[found] += 1
        if complaint:
            wrong.append(complaint)
    assert not wrong, "\n".join([f"{len(wrong)} of {MUTATIONS}; {dict(seen)}", *wrong])
    assert seen["same"] < MUTATIONS / 2, "most damages touched nothing: the test tests nothing"


def test_wrong_rows_under_a_sound_structure_are_noticed(world: World, tmp_path: Path) -> None:
    """SQLite finds nothing wrong with a catalog whose rows say something else."""
    edits = (
        "UPDATE member SET data = replace(data, 'refs/heads/old', 'refs/heads/odd')",
        "UPDATE member SET died = 1 WHERE ref = 'HEAD'",
        "UPDATE part SET blob_base = blob_base + 1",
        "UPDATE policy SET data = replace(data, 'team', 'mean')",
        "UPDATE pointer SET generation = generation + 1",
        "UPDATE fingerprint SET text = text || 'x'",
        "UPDATE blob SET number = number + 1",
        "UPDATE membership SET data = (SELECT data FROM membership ORDER BY digest LIMIT 1)",
    )
    for number, edit in enumerate(edits):

        def change(path: Path, _: random.Random, edit: str = edit) -> str:
            connection = sqlite3.connect(path)
            connection.execute(edit)
            connection.commit()
            connection.close()
            return edit

        found, wrong = judge(world, tmp_path / str(number), "catalog.sqlite", change, number)
        assert not wrong
        assert found != "same" or " blob " in edit, "what indexing alone reads is read then"

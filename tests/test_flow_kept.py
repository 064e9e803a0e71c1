"""Findings are kept with all that they depend on: asked again nothing is solved, and no change is missed."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from grainline.access.policy import parse_policy
from grainline.engine import MEMORY, Engine
from grainline.findings import keeping
from grainline.flow import analysis, groups, solver
from grainline.flow.builtin import builtin
from grainline.flow.families import families
from grainline.model.flow import ModelFile, ScanOptions
from helpers.flows import parsed
from helpers.gitrepo import FILE, HandMade, Item

APP = """\
import os
from flask import request
from lib.clean import safe


def run():
    os.system(safe(request.args["name"]))
"""
CLEAN = "import shlex\n\n\ndef safe(x):\n    return shlex.quote(x)\n"
OPEN = "def safe(x):\n    return x\n"
BROKEN = "def safe(x):\n    return other(x\n"
FETCH = "def get(url):\n    import shop\n    shop.shell(url)\n"
MODELS = b'languages = ["python"]\npackages = ["shop"]\n[[sink]]\nkind = "command"\nnames = ["shop.shell"]\n'


def write(root: Path, files):
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def indexed(root: Path, home: str):
    engine = Engine.open(home)
    engine.index(str(root), name="shop")
    engine.fill()
    return engine


def said(result):
    """What an answer says, without the time it was made at."""
    coverage = result.coverage
    channels = [each for each in coverage.channels if each[0] != "work_tree"]
    return result.findings, coverage.state, coverage.not_covered, channels, coverage.warnings


def rebuilt(root: Path, models=()):
    engine = indexed(root, MEMORY)
    try:
        return said(engine.scan(options=ScanOptions(models=models)))
    finally:
        engine.close()


def kept_keys(home: Path):
    return sorted(path.name for path in (home / "derived").glob("flow-*"))


def kept_parts(home: Path):
    return sorted(path.name for path in (home / "derived").glob("flowpart-*"))


def empty(found):
    return found._replace(report=replace(found.report, paths=()))


@pytest.fixture(autouse=True)
def _small_ones(monkeypatch):
    """What is found in small groups is kept, too."""
    monkeypatch.setattr(analysis, "KEPT_FROM", 0)


@pytest.fixture
def place(tmp_path):
    write(tmp_path / "shop", {"app.py": APP, "lib/clean.py": OPEN})
    return tmp_path / "shop", tmp_path / "home"


def scanned(home: Path, **options):
    engine = Engine.open(str(home))
    try:
        return said(engine.scan(options=ScanOptions(**options)))
    finally:
        engine.close()


def lie(home: Path):
    """Replace what is kept by findings of nothing, whole and well formed."""
    engine = Engine.open(str(home))
    derived = engine._base.derived
    (key,) = derived.keys(keeping.KIND)
    (view,) = {row.view for row in engine._base.views()}
    keeping.put(derived, key, empty(keeping.find(derived, key, view)))
    engine.close()


def test_what_is_kept_is_not_found_again(place):
    root, home = place
    indexed(root, str(home)).close()
    first = scanned(home)
    assert first == rebuilt(root)
    assert len(first[0]) == 1
    assert len(kept_keys(home)) == 1
    lie(home)
    assert scanned(home)[0] == ()


def test_who_reads_under_a_policy_neither_gets_what_is_kept_nor_adds_to_it(place):
    root, home = place
    engine = indexed(root, str(home))
    everyone = said(engine.scan())
    engine.close()
    lie(home)
    policy = {"users": {"ann": ["web"]}, "paths": [{"repo": "shop", "prefix": "", "groups": ["web"]}]}  # fmt: skip
    engine = Engine.open(str(home))
    engine.set_policy(parse_policy(json.dumps(policy).encode(), "p"))
    assert said(engine.scan(scope=engine.scope(principal="ann"))) == everyone
    engine.close()
    assert len(kept_keys(home)) == 1


def test_a_state_that_was_kept_under_one_ref_answers_under_another(tmp_path):
    repository = HandMade(tmp_path / "shop", bare=True)
    clean = Item(FILE, OPEN.encode())
    first = repository.commit({"app.py": Item(FILE, APP.encode()), "lib/clean.py": clean})
    moved = Item(FILE, b"\n" + APP.encode())
    second = repository.commit({"app.py": moved, "lib/clean.py": clean}, parents=[first])
    home = tmp_path / "home"
    for commit in (first, second, first):
        repository.move("refs/heads/main", commit)
        for refs in (("main",), (commit,)):
            engine = Engine.open(str(home), create=True)
            engine.index(str(repository.top), refs=refs, name="shop")
            engine.fill()
            found = engine.scan(scope=engine.scope(refs=refs)).findings
            engine.close()
            line = 7 if commit == first else 8
            assert [step.line for each in found for step in each.steps][-1] == line
    assert len(kept_keys(home)) == 2, "both states, each once"


def test_what_is_damaged_is_made_again(place):
    root, home = place
    engine = indexed(root, str(home))
    engine.scan()
    engine.close()
    (name,) = kept_keys(home)
    path = home / "derived" / name
    whole = path.read_bytes()
    for at in (0, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert scanned(home) == rebuilt(root)
        assert path.read_bytes() == whole
    path.write_bytes(whole[:9])
    assert scanned(home) == rebuilt(root)


def test_rows_of_models_are_part_of_the_key(place):
    root, home = place
    write(root, {"fetch.py": f"{FETCH}\n\nfrom flask import request\n\n\ndef r():\n    get(request.args['u'])\n"})  # fmt: skip
    indexed(root, str(home)).close()
    models = (ModelFile("mine.toml", MODELS),)
    assert len(scanned(home)[0]) == 1
    assert len(scanned(home, models=models)[0]) == 2
    assert len(scanned(home)[0]) == 1
    assert len(kept_keys(home)) == 2


def test_states_that_nobody_can_ask_about_are_forgotten(place):
    root, home = place
    engine = indexed(root, str(home))
    engine.scan()
    before = kept_keys(home)
    write(root, {"lib/clean.py": CLEAN})
    engine.index(str(root), name="shop")
    engine.fill()
    engine.scan()
    engine.close()
    assert len(kept_keys(home)) == 1
    assert kept_keys(home) != before


SECOND = """\
import os
from flask import request
from clean import safe


def run():
    os.popen(safe(request.args["name"]))
"""
APART = {
    "app.py": APP,
    "lib/clean.py": OPEN,
    "two/clean.py": OPEN,
    "two/app.py": SECOND,
    "three.py": CLEAN,
}


@pytest.fixture
def solved(monkeypatch):
    """The files of what is solved."""
    found = []
    kept = solver.Solver.solve

    def solve(self, tell=None):
        found.append(sorted(code.path.decode() for code in self.program.codes))
        kept(self, tell)

    monkeypatch.setattr(solver.Solver, "solve", solve)
    return found


def test_after_a_change_only_files_that_may_meet_it_are_solved_again(tmp_path, solved):
    root, home = tmp_path / "shop", tmp_path / "home"
    write(root, APART)
    indexed(root, str(home)).close()
    first = scanned(home)
    assert sorted(solved) == [["app.py", "lib/clean.py"], ["two/app.py", "two/clean.py"]]
    assert len(first[0]) == 2
    assert len(kept_parts(home)) == 3
    for text, number in ((CLEAN, 1), (OPEN, 2)):
        solved.clear()
        write(root, {"two/clean.py": text})
        indexed(root, str(home)).close()
        again = scanned(home)
        assert solved == [["two/app.py", "two/clean.py"]]
        assert len(again[0]) == number
        assert again == rebuilt(root)
    assert len(kept_parts(home)) == 4, "of the state before, too, until the next index"
    indexed(root, str(home)).close()
    assert len(kept_parts(home)) == 3


def test_a_small_group_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(analysis, "KEPT_FROM", 4)  # an app and what it calls have as many
    root, home = tmp_path / "shop", tmp_path / "home"
    write(root, APART)
    indexed(root, str(home)).close()
    assert scanned(home) == rebuilt(root)
    assert len(kept_parts(home)) == 2


def test_what_is_kept_of_files_says_nothing_under_other_rows_or_another_policy(tmp_path, solved):
    root, home = tmp_path / "shop", tmp_path / "home"
    write(root, {**APART, "three.py": f"{FETCH}\n\nfrom flask import request\n\n\ndef r():\n    get(request.args['u'])\n"})  # fmt: skip
    indexed(root, str(home)).close()
    assert len(scanned(home)[0]) == 2
    solved.clear()
    models = (ModelFile("mine.toml", MODELS),)
    assert len(scanned(home, models=models)[0]) == 3
    assert len(solved) == 3, "all of it"


TEXTS = (APP, CLEAN, OPEN, BROKEN, FETCH, "")
PATHS = ("app.py", "lib/clean.py", "other.py")


def difference(folder: Path, edits):
    """The first edit after which a home that is kept up to date answers unlike a new one."""
    root, home = folder / "shop", folder / "home"
    write(root, {"app.py": APP, "lib/clean.py": OPEN})
    engine = indexed(root, str(home))
    try:
        engine.scan()
        for number, (path, text) in enumerate(edits):
            write(root, {path: text})
            engine.close()
            engine = indexed(root, str(home))
            for _ in range(2):
                if said(engine.scan()) != rebuilt(root):
                    return number
        return None
    finally:
        engine.close()


def test_a_key_that_forgets_the_files_of_a_group_is_noticed(tmp_path, monkeypatch):
    """The seeded fault of the law that what was solved in part equals what is solved anew."""
    monkeypatch.setattr(groups, "digest", lambda said, group: "0" * 31 + str(len(group.units) % 10))
    assert difference(tmp_path, [("lib/clean.py", CLEAN)]) == 0


def test_the_edges_of_a_group_are_part_of_its_key():
    units, graph = parsed({"app.py": APP, "lib/clean.py": OPEN})
    (family,) = families(units, graph)
    (group,) = groups.Groups(builtin(), kept=Nothing()).of(family)
    for less in (replace(group.graph, edges=()), replace(group.graph, unresolved=())):
        assert groups.digest(b"", group._replace(graph=less)) != groups.digest(b"", group)
    assert groups.digest(b"1", group) != groups.digest(b"", group)
    assert groups.digest(b"", group._replace(units=group.units[::-1])) == groups.digest(b"", group)


class Nothing:
    """Nothing is kept."""

    def get(self, key):
        return None

    def put(self, key, found):
        pass


@pytest.mark.parametrize("seed", range(2))
def test_edits_one_by_one_answer_as_a_new_home(tmp_path, seed):
    chance = random.Random(seed)
    edits = [(chance.choice(PATHS), chance.choice(TEXTS)) for _ in range(3)]
    assert difference(tmp_path, edits) is None


def test_a_key_that_forgets_what_is_called_is_noticed(tmp_path, monkeypatch):
    def forgetful(view, generation, table, models=()):
        del generation, table, models
        return keeping.graph_key(view, "") + "0" * 16

    monkeypatch.setattr(keeping, "flow_key", forgetful)
    monkeypatch.setattr(keeping, "keep", lambda derived, views: None)
    assert difference(tmp_path, [("lib/clean.py", CLEAN)]) == 0

"""A work tree kept up to date in memory answers as after `grainline index`."""

from __future__ import annotations

import gc
import subprocess
import weakref

import pytest

from grainline.engine import Engine
from grainline.errors import BadInput, Interrupted
from grainline.indexing.pipeline import IndexOptions
from grainline.model.access import View

HERE = IndexOptions(workers=0)


def git(path, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(path), *identity, *arguments]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path):
    path = tmp_path / "repo"
    (path / "pkg").mkdir(parents=True)
    git(path.parent, "init", "-q", "-b", "main", str(path))
    (path / "app.py").write_text("def run():\n    return helper()\n\n\ndef stop():\n    return 0\n")
    (path / "pkg" / "util.py").write_text("def helper():\n    return 1\n")
    (path / "README.md").write_text("# Title\n\nWords about things.\n")
    git(path, "add", "-A")
    git(path, "commit", "-qm", "one")
    return path


@pytest.fixture
def engine(tree, tmp_path):
    engine = Engine.open(str(tmp_path / "home"))
    engine.index(str(tree), options=HERE)
    yield engine
    engine.close()


def view(engine) -> View:
    (found,) = engine.work_trees()
    return found


def rebuilt(tree, tmp_path):
    """The dump of an index of the tree as it is now, made from scratch."""
    home = tmp_path / f"rebuilt-{len(list(tmp_path.iterdir()))}"
    with_home = Engine.open(str(home))
    with_home.index(str(tree), options=HERE)
    return list(with_home.dump())


EDITS = {
    "edit": lambda path: (path / "app.py").write_text("def go():\n    return helper()\n"),
    "new": lambda path: (path / "pkg" / "new.py").write_text("class Fresh:\n    pass\n"),
    "delete": lambda path: (path / "pkg" / "util.py").unlink(),
    "rename": lambda path: (path / "app.py").rename(path / "main.py"),
    "mode": lambda path: (path / "app.py").chmod(0o755),
    "link": lambda path: ((path / "app.py").unlink(), (path / "app.py").symlink_to("README.md")),
    "folder": lambda path: (
        (path / "app.py").unlink(),
        (path / "app.py").mkdir(),
        (path / "app.py" / "x.py").write_text("x = 1\n"),
    ),
    "ignore": lambda path: (path / ".gitignore").write_text("pkg/\nREADME.md\n"),
    "attributes": lambda path: (path / ".gitattributes").write_text("*.py linguist-vendored\n"),
    "commit": lambda path: ((path / "a.py").write_text("a = 1\n"), git(path, "add", "-A"),
                            git(path, "commit", "-qm", "two")),
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_a_full_look_gives_what_a_new_index_gives(engine, tree, tmp_path, edit):
    edit(tree)
    report = engine.refresh(view(engine), options=HERE)
    assert report.full
    assert list(engine.dump()) == rebuilt(tree, tmp_path)


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_a_look_at_what_changed_gives_what_a_new_index_gives(engine, tree, tmp_path, edit):
    engine.refresh(view(engine), options=HERE)
    before = {path.relative_to(tree) for path in tree.rglob("*")}
    edit(tree)
    after = {path.relative_to(tree) for path in tree.rglob("*")}
    seen = [str(path).encode() for path in before | after if ".git" not in path.parts]
    engine.refresh(view(engine), seen)
    assert list(engine.dump()) == rebuilt(tree, tmp_path)


def test_a_look_at_one_file_reads_one_file(engine, tree):
    engine.refresh(view(engine), options=HERE)
    (tree / "app.py").write_text("def fresh_name():\n    return 2\n")
    report = engine.refresh(view(engine), [b"app.py"])
    assert (report.changed, report.full, report.failed) == (1, False, 0)
    hit = engine.search("fresh_name").hits[0]
    assert hit.place.path == b"app.py"
    assert str(hit.place.citation).startswith("app.py:1-2@worktree:")


def test_only_what_differs_from_the_commit_is_cited_by_its_blob(engine, tree):
    (tree / "app.py").write_text("def fresh_name():\n    return 2\n")
    engine.refresh(view(engine), options=HERE)
    assert "@worktree:" in str(engine.search("fresh_name").hits[0].place.citation)
    clean = engine.search("def helper").hits[0].place
    assert str(clean.citation) == f"pkg/util.py:1-2@{clean.snapshot.commit}"
    assert engine.read(str(clean.citation)).text.startswith("def helper")


def test_the_home_itself_stays_as_it_was(engine, tree):
    before = list(engine.dump())
    (tree / "app.py").write_text("def other():\n    return 2\n")
    engine.refresh(view(engine), options=HERE)
    assert list(engine.dump()) != before
    with_home = Engine.open(engine.home)
    assert list(with_home.dump()) == before


def test_a_new_generation_of_the_home_takes_the_place_of_what_was_followed(engine, tree, tmp_path):
    (tree / "app.py").write_text("def followed():\n    return 2\n")
    engine.refresh(view(engine), options=HERE)
    (tree / "late.py").write_text("def late():\n    return 3\n")
    Engine.open(engine.home).index(str(tree), options=HERE)
    assert list(engine.dump()) == rebuilt(tree, tmp_path), "the newer generation answers"
    (tree / "later.py").write_text("def later():\n    return 3\n")
    engine.refresh(view(engine), [b"later.py"])
    assert list(engine.dump()) == rebuilt(tree, tmp_path)


def test_many_saves_of_one_file_keep_one_answer(engine, tree, tmp_path):
    engine.refresh(view(engine), options=HERE)
    for number in range(40):
        (tree / "app.py").write_text(f"def run_{number}():\n    return {number}\n")
        engine.refresh(view(engine), [b"app.py"])
    assert list(engine.dump()) == rebuilt(tree, tmp_path)


def test_coverage_says_when_all_of_the_tree_was_looked_at(engine, tree):
    assert "as indexed at" in dict(engine.search("helper").coverage.channels)["work_tree"]
    engine.refresh(view(engine), options=HERE)
    assert "as on disk" in dict(engine.search("helper").coverage.channels)["work_tree"]


def test_only_an_indexed_work_tree_is_followed(engine):
    with pytest.raises(BadInput):
        engine.refresh(View(repository=view(engine).repository, ref="HEAD"))


def test_a_run_that_was_stopped_leaves_nothing_in_a_followed_tree(engine, tree, tmp_path):
    engine.refresh(view(engine), options=HERE)
    (tree / "b.py").write_text(
        "def unfinished(a, b, c):\n    return a\n\n\nclass More:\n    x = 1\n"
    )

    def stop(progress):
        if progress.stage == "store":
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        Engine.open(engine.home).index(str(tree), options=HERE, progress=stop)
    (tree / "c.py").write_text("def finished():\n    return 1\n")
    engine.refresh(view(engine), [b"b.py", b"c.py"])
    assert list(engine.dump()) == rebuilt(tree, tmp_path)
    assert [hit.place.path for hit in engine.search("unfinished").hits][:1] == [b"b.py"]
    assert engine.show("finished").symbols[0].place.path == b"c.py"


def test_a_corpus_of_the_past_is_let_go(engine, tree):
    """Whoever follows a tree makes one for every save."""
    engine.refresh(view(engine), options=HERE)
    past = []
    for number in range(12):
        (tree / "app.py").write_text(f"def run_{number}():\n    return {number}\n")
        engine.refresh(view(engine), [b"app.py"])
        engine.search(f"run_{number}")
        past.append(weakref.ref(engine.corpus()))
    gc.collect()
    assert [corpus() is not None for corpus in past] == [False] * 11 + [True]


def test_content_that_comes_back_is_there_although_it_was_dead(engine, tree, tmp_path):
    """What no view has is freed now and then, while a save that names it again is on its way."""
    engine.refresh(view(engine), options=HERE)
    for number in range(60):
        (tree / "app.py").write_text(f"def run_{number % 19}():\n    return 0\n")
        engine.refresh(view(engine), [b"app.py"])
        assert engine.search(f"run_{number % 19}").hits[0].place.path == b"app.py"
    assert list(engine.dump()) == rebuilt(tree, tmp_path)


def test_the_parts_of_a_followed_tree_stay_few(engine, tree):
    engine.refresh(view(engine), options=HERE)
    for number in range(60):
        (tree / "app.py").write_text(f"def run_{number}():\n    return {number}\n")
        (tree / f"new_{number}.py").write_text(f"n{number} = 1\n")
        engine.refresh(view(engine), [b"app.py", f"new_{number}.py".encode()])
    live = engine._live
    assert live is not None
    assert len(live.store._catalog.pin().parts) < 20

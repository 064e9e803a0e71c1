"""Built-in sets: what is shipped, what the questions point at, and the same ids everywhere."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from grainline.errors import BadInput
from grainline.lab.corpora import (
    BUILTIN,
    corpus,
    corpus_names,
    from_files,
    given_away,
    place,
    questions,
    read_folder,
    rows,
)
from grainline.lab.mirror import Checkout, find_clone
from grainline.lab.questions import Place
from grainline.model.position import LineSpan

NAMES = corpus_names()


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_a_question_names_is_there(name):
    asked = questions(name)
    assert len(asked) == len(list(rows(name)))
    assert len({each.id for each in asked}) == len(asked)
    assert len({(each.text, each.commit) for each in asked}) == len(asked), "asked twice"


@pytest.mark.parametrize("name", NAMES)
def test_git_reads_what_is_written_and_the_ids_hang_on_nothing_else(name, tmp_path):
    source = corpus(name)
    folder = source.write(tmp_path)
    assert find_clone(tmp_path, source.repository) == folder
    git = ["git", "-C", str(folder)]
    subprocess.run([*git, "fsck", "--strict", "--full"], check=True, capture_output=True)
    for commit, files in source.trees.items():
        listed = subprocess.run(
            [*git, "ls-tree", "-rz", "--name-only", commit], check=True, capture_output=True
        )
        assert set(listed.stdout.split(b"\0")) - {b""} == set(files)
        checkout = Checkout(
            repository=source.repository, commit=commit, clone=folder, scratch=tmp_path
        )
        assert {entry.path: data for entry, data in checkout.files()} == dict(files)


def test_the_folder_of_built_in_sets_goes_into_the_wheel():
    flit = pytest.importorskip("flit_core.common")
    source = Path(__file__).parent.parent / "src"
    shipped = {Path(path) for path in flit.Module("grainline", source.parent).iter_files()}
    data = {path for path in BUILTIN.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert data
    assert data <= shipped


def test_byte_code_beside_the_files_is_no_part_of_a_corpus(tmp_path):
    (tmp_path / "a" / "__pycache__").mkdir(parents=True)
    (tmp_path / "a" / "__pycache__" / "x.pyc").write_bytes(b"")
    (tmp_path / "a" / "x.py").write_bytes(b"x = 1\n")
    assert read_folder(tmp_path) == {b"a/x.py": b"x = 1\n"}


# ------------------------------------------------------------------ places

FILES = {
    b"shop.py": b"class Cart:\n    def add(self):\n        x = 1\n        return x\n\n\ndef add():\n    x = 1\n",
    b"guide.md": b"# Guide\n\nText.\n\n## Refunds\n\nOne.\n\n| a |\n|---|\n| b |\n\n## End\n",
}


@pytest.mark.parametrize(
    ("gold", "lines", "name"),
    [
        ({"path": "shop.py", "symbol": "Cart.add"}, (2, 4), "Cart.add"),
        ({"path": "shop.py", "symbol": "Cart"}, (1, 4), "Cart"),
        ({"path": "shop.py", "line": "return x"}, (4, 4), ""),
        ({"path": "shop.py", "from": "def add(self):", "to": "x = 1"}, (2, 3), ""),
        ({"path": "guide.md", "symbol": "Refunds"}, (5, 11), ""),
        ({"path": "guide.md", "line": "| b |"}, (11, 11), ""),
    ],
)
def test_a_place_is_found_by_what_is_written_there(gold, lines, name):
    assert place(FILES, gold) == Place(gold["path"].encode(), LineSpan(*lines), name)


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ({"path": "gone.py", "symbol": "f"}, "no file"),
        ({"path": "shop.py", "symbol": "Cart.remove"}, "0 symbols"),
        ({"path": "shop.py", "line": "x = 1"}, "2 lines"),
        ({"path": "shop.py", "line": "y = 1"}, "0 lines"),
        ({"path": "shop.py", "from": "return x", "to": "def add(self):"}, "no line"),
    ],
)
def test_a_corpus_that_changed_under_its_questions_is_an_error(gold, message):
    with pytest.raises(BadInput, match=message):
        place(FILES, gold)


def test_an_unknown_set_or_version_is_an_error():
    with pytest.raises(BadInput, match="small"):
        corpus("nope")
    with pytest.raises(BadInput, match="no version 'nope'"):
        corpus("small").files("nope")


def test_ids_change_with_the_content():
    first, second = (from_files("x", {b"a": data}) for data in (b"1", b"2"))
    assert first.commit() != second.commit()
    assert first.commit() == from_files("x", {b"a": b"1"}).commit()


@pytest.mark.parametrize(
    ("text", "leaks"),
    [
        ("where is store called", (False, False)),
        ("where is `store` called", (False, True)),
        ("what does store() do", (False, True)),
        ("what does evict_expired do", (False, True)),
        ("look into cache.py", (True, True)),
        ("how is the cache emptied", (False, False)),
    ],
)
def test_a_question_gives_away_only_what_it_writes_as_a_name(text, leaks):
    span = LineSpan(1, 1)
    gold = [Place(b"cache.py", span, "store"), Place(b"cache.py", span, "Cache.evict_expired")]
    assert given_away(text, gold) == leaks

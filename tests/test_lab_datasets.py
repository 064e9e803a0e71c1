"""Question sets: rows in, questions out; and checkouts with hidden doc comments."""

from __future__ import annotations

import json
import subprocess

import pytest

from grainline.errors import BadInput
from grainline.lab.datasets._rows import RowSet
from grainline.lab.datasets.base import DATASETS, Sources, load
from grainline.lab.mirror import Checkout, blank, find_clone
from grainline.lab.questions import Place
from grainline.model.position import LineSpan

NOTHING: dict[str, list[str]] = {"path": [], "basename": [], "stem": [], "symbol": []}
FIX = {
    "id": "x/1",
    "lang": "python",
    "repo": "o/r",
    "commit": "c" * 40,
    "query": "It fails.",
    "query_zh": "它失败了。",
    "gold_files": ["a.py"],
    "gold_functions": [["a.py", "C.f", 3, 9]],
    "gold_lines": [["a.py", 4, 4]],
    "leaks": NOTHING,
    "leaks_zh": NOTHING | {"symbol": ["f"]},
}
ROWS = {
    "history": FIX,
    "multilang_en": FIX,
    "multilang_zh": FIX,
    "swebench_lite": FIX | {"leaks": NOTHING | {"stem": ["a"]}},
    "nl2func": {
        "id": "n/1",
        "lang": "go",
        "repo": "o/r",
        "commit": "c" * 40,
        "query": "Does it.",
        "path": "a.go",
        "function": "f",
        "start": 3,
        "end": 9,
        "doc": [1, 2],
    },
    "repo_qa": {
        "id": "q/1",
        "lang": "python",
        "repo": "o/r",
        "commit": "c" * 40,
        "query": "Why?",
        "gold_files": ["a.py", "b.py"],
        "gold_evidence": [["a.py", [[1, 2], [5, 6]]], ["b.py", [[7, 7]]]],
        "leaks": NOTHING,
    },
    "version_pairs": {
        "id": "v/1",
        "lang": "python",
        "repo": "o/r",
        "query": "What does f do?",
        "versions": [
            {"ref": "1.0", "commit": "c" * 40, "gold": ["a.py", 3, 9]},
            {"ref": "2.0", "commit": "d" * 40, "gold": None},
        ],
    },
}


def write(folder, name, *rows):
    path = folder / DATASETS.get(name).file
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return Sources(scratch=folder, bench=folder, mirror=folder)


def test_every_dataset_has_a_row_here():
    assert {each.name for each in DATASETS if isinstance(each, RowSet)} == set(ROWS)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_row_becomes_a_question(name, tmp_path):
    (asked,) = load(DATASETS.get(name), write(tmp_path, name, ROWS[name]))
    assert asked.repository == "o/r"
    assert asked.files[0].startswith(b"a.")
    assert asked.lines
    assert asked.text == ("它失败了。" if name == "multilang_zh" else ROWS[name]["query"])


def test_leaks_of_the_question_that_is_asked_are_the_ones_that_count(tmp_path):
    def flags(name):
        (asked,) = load(DATASETS.get(name), write(tmp_path, name, ROWS[name]))
        return asked.leak_file, asked.leak_function

    assert flags("multilang_en") == (False, False)
    assert flags("multilang_zh") == (False, True)
    assert flags("swebench_lite") == (True, True)


def test_a_symbol_that_is_gone_in_a_release_is_no_question_there(tmp_path):
    (asked,) = load(
        DATASETS.get("version_pairs"), write(tmp_path, "version_pairs", ROWS["version_pairs"])
    )
    assert asked.id == "v/1@1.0"
    assert asked.functions == (Place(b"a.py", LineSpan(3, 9)),)


def test_two_rows_of_one_id_and_lines_that_are_no_json_are_refused(tmp_path):
    with pytest.raises(BadInput, match="share an id"):
        load(DATASETS.get("history"), write(tmp_path, "history", FIX, FIX))
    (tmp_path / "loc_history.jsonl").write_text("{\n", encoding="utf-8")
    given = Sources(scratch=tmp_path, bench=tmp_path, mirror=tmp_path)
    with pytest.raises(BadInput, match=r"loc_history\.jsonl:1"):
        load(DATASETS.get("history"), given)
    with pytest.raises(BadInput, match=r"no file .nl2func\.jsonl."):
        load(DATASETS.get("nl2func"), given)
    with pytest.raises(BadInput, match="needs --mirror"):
        load(DATASETS.get("nl2func"), Sources(scratch=tmp_path, bench=tmp_path))


def test_blanking_keeps_line_numbers_and_line_ends():
    data = b"a\r\nb\r\nc\nd"
    assert blank(data, [Place(b"x", LineSpan(2, 3))]) == b"a\r\n\r\n\nd"
    assert blank(data, []) == data


@pytest.fixture
def clone(tmp_path):
    top = tmp_path / "mirror" / "o+r" / "repo"
    top.mkdir(parents=True)
    git = ["git", "-C", str(top), "-c", "user.name=n", "-c", "user.email=e@example.invalid"]
    (top / "a.go").write_text("// Says it.\nfunc f() {}\n", encoding="utf-8")
    for args in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *args], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    (top / "a.go").write_text("changed\n", encoding="utf-8")
    return tmp_path / "mirror", head.stdout.strip()


def test_a_checkout_with_hidden_docs_is_a_copy_without_them(clone, tmp_path):
    mirror, commit = clone
    checkout = Checkout(
        repository="o/r",
        commit=commit,
        clone=find_clone(mirror, "o/r"),
        scratch=tmp_path,
        hidden=(Place(b"a.go", LineSpan(1, 1)),),
    )
    assert checkout.ref is None
    assert (checkout.folder / "a.go").read_bytes() == b"\nfunc f() {}\n"


def test_a_checkout_without_hidden_docs_is_the_clone_at_its_commit(clone, tmp_path):
    mirror, commit = clone
    checkout = Checkout(
        repository="o/r", commit=commit, clone=find_clone(mirror, "o/r"), scratch=tmp_path
    )
    assert (checkout.folder, checkout.ref) == (mirror / "o+r" / "repo", commit)
    assert [data for _, data in checkout.files()] == [b"// Says it.\nfunc f() {}\n"]


def test_a_missing_clone_is_an_error_that_tells_where_it_was_looked_for(tmp_path):
    with pytest.raises(BadInput, match="o\\+x/repo"):
        find_clone(tmp_path, "o/x")

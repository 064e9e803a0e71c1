"""Readers of other people's layouts, each on a fixture of ours."""

from __future__ import annotations

import difflib
import json
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grainline.errors import BadInput
from grainline.lab.changed import changed_lines, functions_at, patched_lines
from grainline.lab.datasets.base import DATASETS, Sources, load
from grainline.lab.ground import Ground
from grainline.lab.questions import Place
from grainline.model.position import LineSpan


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def jsonl(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def ask(name, sources):
    """Questions, and for each what its gold says in its checkout."""
    dataset = DATASETS.get(name)
    asked = load(dataset, sources)
    for each in asked:
        with Ground(dataset.checkout([each], sources)) as ground:
            files = ground.files()
            texts = [
                files[place.path].decode(files[place.path].span(place.lines))
                for place in each.lines
            ]
        yield each, texts


@pytest.mark.parametrize("name", ["beir", "expected_results", "pycg", "swebench"])
def test_a_folder_without_what_is_read_is_an_error(name, tmp_path):
    with pytest.raises(BadInput, match="needs --data"):
        load(DATASETS.get(name), Sources(scratch=tmp_path))
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(BadInput, match="no "):
        load(DATASETS.get(name), Sources(scratch=tmp_path, data=empty, mirror=tmp_path))


# ------------------------------------------------------------------ beir

BEIR = {
    "corpus.jsonl": jsonl(
        {"_id": "d1", "title": "Cats", "text": "They purr."},
        {"_id": "d/2", "title": "", "text": "def bark():\n    return 'woof'", "language": "Python"},
        {"_id": "d 2", "text": "Nobody asks for this."},
    ),
    "queries.jsonl": jsonl(
        {"_id": "q1", "text": "who purrs"},
        {"_id": "q2", "text": "how to bark"},
        {"_id": "q3", "text": "nothing"},
    ),
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq2\td1\t1\nq2\td/2\t2\nq1\td1\t1\nq3\td1\t0\n",
}


def test_documents_become_files_and_judgements_gold(tmp_path):
    sources = Sources(scratch=tmp_path / "scratch", data=write(tmp_path / "pets", BEIR))
    found = {each.id: (each, texts) for each, texts in ask("beir", sources)}
    assert list(found) == ["q1", "q2"]
    assert found["q1"][1] == ["Cats\n\nThey purr.\n"]
    assert found["q2"][1][0] == "def bark():\n    return 'woof'\n"
    assert [place.name for place in found["q2"][0].functions] == ["d/2", "d1"]
    assert found["q2"][0].files[0].endswith(b".py")


# ------------------------------------------------------------------ expected results

CSV = """# test name, category, real vulnerability, cwe, version: 1.0, 2024-01-01
Case00001,pathtraver,true,22
Case00002,pathtraver,false,22
Case00003,sqli,true,89
"""


def test_a_list_of_verdicts_becomes_questions_about_the_files_that_are_there(tmp_path):
    write(
        tmp_path / "suite",
        {
            "expectedresults-1.0.csv": CSV,
            "src/Case00001.java": "class Case00001 {\n  void go() {}\n}\n",
            "src/Case00002.java": "class Case00002 {\n  void go() {}\n}\n",
        },
    )
    asked = [each for each, _ in ask("expected_results",
             Sources(scratch=tmp_path, data=tmp_path / "suite"))]  # fmt: skip
    assert [(each.id, each.vulnerable, each.cwe, each.kind) for each in asked] == [
        ("Case00001", True, "CWE-22", "pathtraver"),
        ("Case00002", False, "CWE-22", "pathtraver"),
    ]
    assert asked[0].functions == (Place(b"src/Case00001.java", LineSpan(2, 2), "Case00001.go"),)
    assert asked[0].leak_file


def test_a_row_without_a_verdict_is_refused(tmp_path):
    write(tmp_path, {"expectedresults-1.csv": "Case1,sqli,maybe,89\n"})
    with pytest.raises(BadInput, match=r"expectedresults-1\.csv:1"):
        load(DATASETS.get("expected_results"), Sources(scratch=tmp_path, data=tmp_path))


# ------------------------------------------------------------------ pycg


def test_a_call_graph_becomes_a_question_for_each_caller(tmp_path):
    write(
        tmp_path / "suite",
        {
            "classes/simple/main.py": (
                "from helper import lift\n\n\nclass Box:\n    def open(self):\n"
                "        return lift(self)\n\n\nBox().open()\nprint(1)\n"
            ),
            "classes/simple/helper.py": "def lift(box):\n    return box\n",
            "classes/simple/callgraph.json": json.dumps(
                {
                    "main": ["main.Box.open", "<builtin>.print"],
                    "main.Box.open": ["helper.lift"],
                    "helper.lift": [],
                }
            ),
        },
    )
    found = list(ask("pycg", Sources(scratch=tmp_path, data=tmp_path / "suite")))
    assert [(each.text, each.repository) for each, _ in found] == [
        ("What does main call?", "classes/simple"),
        ("What does main.Box.open call?", "classes/simple"),
    ]
    assert found[0][1] == ["    def open(self):\n        return lift(self)\n"]
    assert found[1][1] == ["def lift(box):\n    return box\n"]


# ------------------------------------------------------------------ swe-bench

BEFORE = "import os\n\n\ndef keep():\n    return 1\n\n\ndef wrong(x):\n    y = x\n    return y\n"
AFTER = BEFORE.replace("    y = x\n", "    y = x + 1\n").replace("import os\n", "import os\nimport re\n")  # fmt: skip


@pytest.fixture
def patched(tmp_path):
    top = tmp_path / "mirror" / "o+r"
    write(top, {"pkg/mod.py": BEFORE})
    git = ["git", "-C", str(top), "-c", "user.name=n", "-c", "user.email=e@example.invalid"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *arguments], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    write(top, {"pkg/mod.py": AFTER})
    patch = subprocess.run([*git, "diff"], check=True, capture_output=True, text=True).stdout
    row = {
        "instance_id": "o__r-1",
        "repo": "o/r",
        "base_commit": head.stdout.strip(),
        "problem_statement": "The number is one too small.",
        "patch": patch,
    }
    (tmp_path / "tasks.jsonl").write_text(jsonl(row), encoding="utf-8")
    return Sources(scratch=tmp_path, data=tmp_path / "tasks.jsonl", mirror=tmp_path / "mirror")


def test_a_patch_becomes_the_lines_and_functions_that_it_changes(patched):
    ((asked, texts),) = ask("swebench", patched)
    assert asked.functions == (Place(b"pkg/mod.py", LineSpan(8, 10), "wrong"),)
    assert texts == ["import os\n", "    y = x\n"]
    assert (asked.leak_file, asked.language) == (False, "python")


def test_a_row_that_lacks_a_field_is_refused(patched):
    patched.data.write_text(jsonl({"instance_id": "x"}), encoding="utf-8")
    with pytest.raises(BadInput, match=r"no 'repo' in this row"):
        load(DATASETS.get("swebench"), patched)


def test_a_hunk_is_read_by_its_counts():
    patch = """--- a/one.sql
+++ b/one.sql
@@ -1,3 +1,2 @@
 select 1;
--- a comment that is gone
 select 2;
@@ -9,0 +9,2 @@
+select 3;
+select 4;
--- /dev/null
+++ b/new.sql
@@ -0,0 +1 @@
+select 5;
"""
    assert patched_lines(patch) == {"one.sql": (LineSpan(2, 2), LineSpan(9, 9))}


lines = st.lists(st.sampled_from(["a", "b", "-- x", "++ y"]), max_size=8)


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(before=lines, after=lines, context=st.integers(0, 3))
def test_a_unified_diff_says_what_the_texts_say(before, after, context):
    patch = "\n".join(difflib.unified_diff(before, after, "a/f", "b/f", n=context, lineterm=""))
    found = {at for span in patched_lines(patch).get("f", ()) for at in range(span.start, span.end + 1)}  # fmt: skip
    matcher = difflib.SequenceMatcher(None, before, after)
    gone = {
        at + 1
        for tag, start, end, _, _ in matcher.get_opcodes()
        if tag != "equal"
        for at in range(start, end)
    }
    assert gone <= found
    assert all(at in gone or 1 <= at <= max(1, len(before)) for at in found)


def test_changed_lines_are_those_before_and_the_line_above_what_came():
    before = b"a\nb\nc\nd\n"
    assert changed_lines(before, b"a\nX\nc\nd\n") == (LineSpan(2, 2),)
    assert changed_lines(before, b"a\nb\nc\nd\nnew\n") == (LineSpan(4, 4),)
    assert changed_lines(before, b"new\na\nb\nc\nd\n") == (LineSpan(1, 1),)
    assert changed_lines(before, before) == ()


def test_a_nested_function_counts_as_the_one_around_it():
    data = b"def outer():\n    def inner():\n        return 1\n    return inner\n"
    (found,) = functions_at(b"a.py", data, [LineSpan(3, 3)])
    assert (found.name, found.lines) == ("outer", LineSpan(1, 4))

"""`grainline lab`: what it runs, prints and refuses."""

from __future__ import annotations

import json

import pytest

from grainline.errors import BadInput
from grainline.lab.experiments.base import experiment_names, parse, read_experiment
from grainline.surfaces.cli import main

EXPERIMENT = """
title = "twenty lines find more than functions"
datasets = ["small"]
strategies = ["lines", "function"]
[settings]
k = 5
[vary]
retriever = ["bm25", "shuffled"]
[[expect]]
set = "small"
measure = "function R@5"
scores = { "lines[k=5]" = 1.0 }
"""


@pytest.fixture
def lab(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = main.run(["lab", *map(str, arguments)])
        return code, *capsys.readouterr()

    return run


def test_an_experiment_runs_every_combination_and_checks_what_it_expects(lab, tmp_path):
    (tmp_path / "one.toml").write_text(EXPERIMENT, encoding="utf-8")
    code, out, err = lab("run", "one.toml")
    assert code == 0, err
    for label in ("lines[k=5]", "lines[k=5,retriever=shuffled]", "function[k=5]"):
        assert f"| {label} |" in out
    assert "12 questions" in err
    code, _, err = lab("run", "one.toml")
    assert code == 0
    assert "12 questions, 12 known" in err
    code, out, err = lab(
        "run", "one.toml", "--strategy", "function", "--set", "vulnapp", "--limit", 3
    )
    assert code == 0
    assert "### vulnapp, all" in out
    assert "lines" not in err
    assert lab("run", "one.toml", "--strategy", "file")[0] == 2
    assert lab("run", "one.toml", "--option", "k=1")[0] == 2
    # Seeded fault: a score that does not come out is told and has its own exit code.
    (tmp_path / "one.toml").write_text(EXPERIMENT.replace("= 1.0 }", "= 0.5 }"))
    code, out, _ = lab("run", "one.toml", "--json")
    assert code == 7
    found = json.loads(out)
    assert not found["ok"]
    assert "1.0000, not 0.5" in found["unmet"][0]
    assert {row["label"] for row in found["runs"]} >= {"lines[k=5]"}


def test_two_runs_are_compared_question_by_question(lab):
    sets = ("--set", "small", "--strategy", "lines", "--strategy", "function", "--option", "k=5")
    assert lab("run", *sets)[0] == 0
    code, out, _ = lab("compare", "function[k=5]", "lines[k=5]", "--json")
    assert code == 0
    (found,) = json.loads(out)["comparisons"]
    rows = {(row["slice"], row["measure"]): row for row in found["rows"]}
    gain = rows["all", "function R@5"]
    assert gain["gain"] == pytest.approx(0.5 / 12)
    assert gain["low"] <= gain["gain"] <= gain["high"]
    code, out, _ = lab("compare", "function[k=5]", "lines[k=5]", "--measure", "function R@5")
    assert "+0.042" in out
    assert "function RR" not in out
    code, out, _ = lab("report")
    assert "### small, all" in out
    assert lab("report", "-o", "r.md")[1] == ""
    code, out, err = lab("report", "-o", "none/r.md")
    assert (code, out) == (2, "")
    assert "could not be written" in err


@pytest.mark.parametrize("rest", ['{"id": "x", "langua', '{"id": "x"}', "[]", "7", ""])
def test_a_broken_line_of_a_result_file_is_named(lab, tmp_path, rest):
    assert lab("run", "--set", "small", "--strategy", "lines")[0] == 0
    (file,) = (tmp_path / ".cache" / "lab" / "small").glob("*.jsonl")
    whole = file.read_text("utf-8").splitlines()
    file.write_text("\n".join([*whole[:-1], rest, ""]), encoding="utf-8")
    code, out, err = lab("report")
    assert (code, out) == (2, "")
    assert f"{file.name}: line {len(whole)} is no line of a result file" in err
    assert "run again, or move it away" in err


def test_what_cannot_be_meant_is_one_line_with_what_to_do(lab, tmp_path):
    def refused(*arguments):
        code, out, err = lab(*arguments)
        assert (code, out) == (2, "")
        assert err.count("\n") == 1
        return err

    assert "known:" in refused("run", "nope")
    assert "lab list" in refused("run", "--set", "small")
    assert "unknown_strategy" in refused("run", "--set", "small", "--strategy", "nope")
    assert "unknown_dataset" in refused("run", "--set", "nope", "--strategy", "lines")
    assert "--bench" in refused("run", "--set", "history", "--strategy", "lines")
    assert "no strategy has" in refused(
        "run", "--set", "small", "--strategy", "lines", "--option", "x=1"
    )
    for given, wanted in (
        ("k=abc", "whole number"), ("k=true", "whole number"), ("depth=2.5", "whole number"),
        ("budget=x", "whole number"), ("seed=x", "whole number"), ("retriever=5", "word"),
        ("generator=true", "word"),
    ):  # fmt: skip
        told = refused("run", "--set", "small", "--strategy", "lines", "--option", given)
        assert f"the setting {given.partition('=')[0]} is" in told
        assert f"no {wanted}" in told
    told = refused("run", "--set", "small", "--strategy", "lines", "--llm-url", "http://x/v1")
    assert "--llm-url without a generator; add --option generator=model" in told
    assert "there are: none" in refused("compare", "a", "b")
    assert "lab run" in refused("report")
    (tmp_path / "bad.toml").write_text("title = 3 4", encoding="utf-8")
    assert "bad_experiment" in refused("run", "bad.toml")
    (tmp_path / "bad.toml").write_text('title = "x"\nstrategy = ["a"]', encoding="utf-8")
    assert "unknown key 'strategy'" in refused("run", "bad.toml")


def test_the_doctor_says_what_is_missing_and_what_to_do(lab, tmp_path):
    code, out, _ = lab("doctor")
    assert code == 0
    assert "ok       set small: 12 questions" in out
    assert "missing  set nl2func: the set 'nl2func' needs --bench" in out
    (tmp_path / "clones").mkdir()
    (tmp_path / "bench").mkdir()
    row = {
        "id": "n/1", "lang": "go", "repo": "o/r", "commit": "c" * 40, "query": "Does it.",
        "path": "a.go", "function": "f", "start": 3, "end": 9, "doc": [1, 2],
    }  # fmt: skip
    (tmp_path / "bench" / "nl2func.jsonl").write_text(json.dumps(row), encoding="utf-8")
    given = ("--bench", "bench", "--mirror", "clones")
    _, out, _ = lab("doctor", *given)
    assert "1 question, not there: o/r; clone them below --mirror" in out
    sets = ("--set", "nl2func", "--strategy", "lines")
    assert lab("run", *sets, *given)[0] == 2
    code, out, _ = lab("run", *sets, *given, "--present", "--json")
    assert code == 0
    assert json.loads(out)["runs"][0]["left_out"] == 1


def test_the_doctor_goes_on_where_the_folders_are_missing(lab, tmp_path):
    gone = ("--bench", tmp_path / "bench", "--mirror", tmp_path / "clones")
    code, out, err = lab("doctor", *gone)
    assert (code, err) == (0, "")
    assert "ok       set small: 12 questions" in out
    assert "missing  set nl2func: no file 'nl2func.jsonl'" in out
    rows = [line for line in out.splitlines() if "it cannot be read (No such file" in line]
    assert rows
    assert all(str(tmp_path / "clones") in line and "--mirror" in line for line in rows)


@pytest.mark.parametrize("name", experiment_names())
def test_every_experiment_can_be_read_and_says_what_it_claims(name):
    found = read_experiment(name)
    assert found.title
    assert found.asked
    labels = {asked.label for asked in found.asked}
    for each in found.expected:
        assert each.set in found.datasets
        assert each.label in labels


def test_a_strategy_that_does_not_know_an_option_runs_once():
    rows = {
        "title": "x", "datasets": ["small"], "strategies": ["lines", "oracle"],
        "vary": {"size": [100, 200]}, "seeds": [0, 1],
    }  # fmt: skip
    labels = [asked.label for asked in parse("x", rows).asked]
    assert labels == [
        "lines[size=100]", "lines[seed=1,size=100]", "lines[size=200]", "lines[seed=1,size=200]",
        "oracle", "oracle[seed=1]",
    ]  # fmt: skip


def test_a_question_of_a_set_is_explained_with_what_is_gold(lab):
    asked = ("explain", "--set", "small", "--question", "small/12", "--strategy", "function_calls")
    code, out, _ = lab(*asked)
    assert code == 0
    assert "gold 2  notification.py:40-51" in out
    assert "context EvidenceRecall" in out
    code, out, _ = lab(*asked, "--json")
    found = json.loads(out)
    assert found["ranking"][0]["gold"] == [2]
    assert found["scores"]["file RR"] == 1.0
    assert lab("explain")[0] == 2
    assert lab("explain", "--set", "small", "--question", "nope")[0] == 2


def test_each_value_of_an_ablation_is_run_alone():
    rows = {
        "title": "x", "datasets": ["small"], "strategies": ["oracle", "function"],
        "each": {"header": [True, False], "size": [100]}, "vary": {"k": [5]},
    }  # fmt: skip
    labels = [asked.label for asked in parse("x", rows).asked]
    assert labels == [
        "oracle[k=5]", "function[k=5]", "function[k=5,header=False]", "function[k=5,size=100]",
    ]  # fmt: skip


def test_a_limit_counts_the_questions_that_can_be_asked(lab, tmp_path):
    (tmp_path / "clones" / "o" / "here").mkdir(parents=True)
    (tmp_path / "clones" / "o" / "here" / "a.go").write_text("package a\n", encoding="utf-8")
    (tmp_path / "bench").mkdir()
    rows = [
        {
            "id": f"n/{number}", "lang": "go", "repo": f"o/{name}", "commit": "", "query": "Does it.",
            "path": "a.go", "function": "f", "start": 1, "end": 1, "doc": [1, 1],
        }
        for number, name in enumerate(["gone", "gone", "gone", "here", "here"])
    ]  # fmt: skip
    text = "\n".join(map(json.dumps, rows))
    (tmp_path / "bench" / "nl2func.jsonl").write_text(text, encoding="utf-8")
    given = ("--set", "nl2func", "--strategy", "lines", "--bench", "bench", "--mirror", "clones")
    code, out, _ = lab("run", *given, "--present", "--limit", 2, "--json")
    assert code == 0
    (ran,) = json.loads(out)["runs"]
    assert (ran["questions"], ran["left_out"]) == (2, 3)


def test_a_set_may_have_a_limit_of_its_own():
    rows = {"title": "x", "datasets": ["small", "vulnapp"], "strategies": ["lines"], "limit": 9}
    found = parse("x", {**rows, "limits": {"small": 2}})
    assert [found.limit_of(name) for name in found.datasets] == [2, 9]
    with pytest.raises(BadInput, match="a limit of 'smal'"):
        parse("x", {**rows, "limits": {"smal": 2}})


def test_a_set_of_a_repositorys_own_is_made_and_run(lab, tmp_path):
    from grainline.lab.corpora import corpus

    clone = corpus("versions").write(tmp_path / "clones")
    code, out, err = lab("make-dataset", clone, "-o", "mine", "--json")
    assert code == 0, err
    made = json.loads(out)
    assert made["docs"] > 0
    given = ("--set", "own", "--data", "mine", "--strategy", "baseline", "--json")
    code, out, err = lab("run", *given)
    assert code == 0, err
    assert json.loads(out)["runs"][0]["questions"] == made["docs"] + made["fixes"]
    assert lab("make-dataset", tmp_path / "nowhere", "-o", "x")[0] == 2


def test_the_help_of_every_verb_of_the_lab_fits_in_a_line(lab):
    listed = lab("--help")[1].partition("Commands:")[2]
    assert listed.count("\n") > 6
    assert "..." not in listed

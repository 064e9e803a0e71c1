"""The lab end to end on a repository made here: run, stop, go on, report."""

from __future__ import annotations

import json
import subprocess

import pytest

from grainline.errors import BadInput
from grainline.lab.__main__ import main
from grainline.lab.runs import read_results

PAYMENTS = '''"""Payments."""


def refund_order(order):
    """Give the money of an order back to the customer."""
    return order.gateway.send(-order.amount)


def charge_card(card, amount):
    """Take an amount from a card."""
    return card.gateway.send(amount)
'''
STOCK = '''"""Stock."""


def reserve_item(warehouse, item):
    """Set an item of a warehouse aside."""
    warehouse.shelf.remove(item)
'''


@pytest.fixture
def folders(tmp_path):
    """A mirror with one repository, a folder of questions, and the arguments that name both."""
    top = tmp_path / "mirror" / "shop+shop" / "repo"
    top.mkdir(parents=True)
    (top / "payments.py").write_text(PAYMENTS, encoding="utf-8")
    (top / "stock.py").write_text(STOCK, encoding="utf-8")
    git = ["git", "-C", str(top), "-c", "user.name=n", "-c", "user.email=e@example.invalid"]
    for args in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *args], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    rows = [
        row(head.stdout.strip(), 0, "Send a negative amount of the order.", "payments.py", 4, 6, 5),
        row(head.stdout.strip(), 1, "Remove an item from the shelf.", "stock.py", 4, 6, 5),
    ]
    bench = tmp_path / "bench"
    bench.mkdir()
    (bench / "nl2func.jsonl").write_text("".join(map(line, rows)), encoding="utf-8")
    return tmp_path


def row(commit, number, query, path, start, end, doc):
    return {
        "id": f"nl2func/shop/{number}", "lang": "python", "repo": "shop/shop", "commit": commit,
        "query": query, "path": path, "function": "f", "start": start, "end": end,
        "doc": [doc, doc],
    }  # fmt: skip


def line(value):
    return json.dumps(value) + "\n"


def run(folders, *arguments):
    return main(
        ["--results", str(folders / "results"), "run", "--bench", str(folders / "bench"),
         "--mirror", str(folders / "mirror"), "--set", "nl2func", *arguments]
    )  # fmt: skip


def test_every_strategy_finds_the_function_whose_doc_is_hidden(folders, capsys):
    strategies = ("baseline", "grainline", "grainline+lines")
    arguments = [word for name in strategies for word in ("--strategy", name)]
    assert run(folders, *arguments) == 0
    files = capsys.readouterr().out.split()
    assert len(files) == len(strategies)
    for name in files:
        header, outcomes = read_results(folders / "results" / name)
        assert header.strategy in strategies
        assert len(outcomes) == 2
        assert all(each.scores["function RR"] == 1.0 for each in outcomes.values()), name
    assert main(["--results", str(folders / "results"), "report"]) == 0
    table = capsys.readouterr().out
    assert "### nl2func, all" in table
    assert "| grainline+lines |" in table
    assert "+0.000, +0.000..+0.000" in table


def test_a_run_goes_on_where_it_stopped_and_refuses_the_file_of_another(
    folders, capsys, monkeypatch
):
    monkeypatch.setattr("grainline.lab.runs.code_version", lambda: "c0ffee")
    assert run(folders, "--strategy", "baseline", "--limit", "1") == 0
    (name,) = capsys.readouterr().out.split()
    path = folders / "results" / name
    answers = folders / "results" / "answers"
    (kept,) = answers.iterdir()
    first = kept.read_text(encoding="utf-8")
    assert run(folders, "--strategy", "baseline") == 0
    assert kept.read_text(encoding="utf-8").startswith(first)
    assert len(read_results(path)[1]) == 2
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"machine": "', '"machine": "another '), encoding="utf-8")
    assert run(folders, "--strategy", "baseline") == 2
    assert "other_run" in capsys.readouterr().err


def test_an_unknown_set_or_strategy_is_named_with_those_that_exist(folders, capsys):
    assert run(folders, "--strategy", "nope") == 2
    assert "grainline+cast" in capsys.readouterr().err
    assert main(["list"]) == 0
    assert "nl2func" in capsys.readouterr().out


def test_a_file_that_holds_no_results_is_refused(tmp_path):
    (tmp_path / "x.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(BadInput, match="bad_results"):
        read_results(tmp_path / "x.jsonl")

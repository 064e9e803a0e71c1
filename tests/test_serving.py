"""Exact edges of a language server in the product: `index --lsp`, resumable, told and never silent."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from grainline.engine import MEMORY, Engine
from grainline.errors import BadInput, Interrupted
from grainline.indexing import answered, serving
from grainline.indexing.pipeline import IndexOptions
from grainline.model.edge import EdgeType, Method, Tier
from grainline.precise import lsp
from grainline.precise.session import Limits
from grainline.surfaces.cli import main
from helpers import precise as small
from helpers.graphs import graph_of

FAKE = Path(small.__file__).with_name("fake_lsp.py")
LIB = "def f():\n    pass\n\n\nclass Base:\n    pass\n"
APP = "from lib import f, Base\n\n\nclass Sub(Base):\n    def run(self):\n        f()\n        return Base()\n"
QUESTIONS = 3  # the base, the call, the making
LIMITS = Limits(start=20, request=1.0, patience=2, total=40, memory=200 << 20)


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "lib.py").write_text(LIB)
    (tmp_path / "tree" / "app.py").write_text(APP)
    (tmp_path / "tree" / "notes.md").write_text("# Notes\n")
    return tmp_path / "tree"


@pytest.fixture
def engine(tree):
    engine = Engine.open(MEMORY)
    engine.index(str(tree), name="it", options=IndexOptions(workers=0))
    yield engine
    engine.close()


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Puts the fake on PATH as pyright, behaving as it is told."""

    def call(*words):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        program = folder / "pyright-langserver"
        line = " ".join(map(shlex.quote, (sys.executable, str(FAKE), *map(str, words))))
        program.write_text(f"#!/bin/sh\nexec {line}\n")
        program.chmod(0o700)
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    return call


def ask(engine, **more):
    return engine.ask_server("it", "pyright", limits=LIMITS, **more)


def test_a_server_confirms_edges_and_is_counted(engine, install):
    install("good")
    seen = []
    (report,) = ask(engine, progress=seen.append)
    counts = dict(report.counts)
    assert (report.tool, report.asked, report.questions, report.problem) == (
        "fake 1", QUESTIONS, QUESTIONS, "",
    )  # fmt: skip
    assert (report.documents, report.matched) == (2, 2)
    assert (counts["upgraded"], counts["contradicted"], counts["added"]) == (3, 0, 0)
    assert (seen[0].stage, seen[0].done, seen[0].total) == ("pyright", 1, QUESTIONS)
    (row,) = engine.callers("lib.f").rows
    assert row.tier is Tier.EXACT
    assert str(Method.LSP) in row.methods
    assert len(row.methods) > 1


def test_what_contradicts_is_told_and_both_stay(engine, install, tree):
    """This server knows definitions by their names: the last one of a name is as good as the first."""
    (tree / "app.py").write_text(APP.replace("f()\n", "g()\n").replace("import f", "import f as g"))
    (tree / "other.py").write_text("def g():\n    pass\n")
    engine.index(str(tree), options=IndexOptions(workers=0))
    install("good")
    (report,) = ask(engine)
    assert dict(report.counts)["contradicted"] == 1
    assert [edge.dst.path for edge in report.contradicted] == [b"lib.py"]
    rows = {row.dst: row.tier for row in engine.callees("Sub.run").rows}
    assert rows["other.g"] is Tier.EXACT
    assert rows["lib.f"] is Tier.RESOLVED
    assert "contradict 1 others" in dict(engine.callees("Sub.run").coverage.channels)["graph"]


def test_a_run_that_was_interrupted_is_gone_on_with(engine, install, monkeypatch):
    install("good")
    monkeypatch.setattr(serving, "EVERY", 1)

    def stop(progress):
        if progress.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match=f"stopped after 2 of {QUESTIONS} questions"):
        ask(engine, progress=stop)
    told = []
    (report,) = ask(engine, progress=lambda progress: told.append(progress.done))
    assert told == [QUESTIONS]  # the others are not asked again
    assert report.asked == QUESTIONS
    told.clear()
    ask(engine, progress=lambda progress: told.append(progress.done))
    assert told == [1, 2, 3]  # a run that came to its end begins anew


def test_the_check_finds_a_run_that_forgets(engine, install, monkeypatch):
    install("good")
    monkeypatch.setattr(serving, "EVERY", 1)
    monkeypatch.setattr(serving, "recall", lambda derived, key: None)

    def stop(progress):
        if progress.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        ask(engine, progress=stop)
    told = []
    ask(engine, progress=lambda progress: told.append(progress.done))
    assert told != [QUESTIONS]


@pytest.mark.parametrize(
    ("mode", "code"), [("dies-start", "died"), ("dies-ask", "died"), ("silent-ask", "slow")]
)
def test_a_server_that_fails_says_so_and_takes_nothing_away(engine, install, mode, code):
    install("good")
    ask(engine)
    install(mode)
    (report,) = ask(engine)
    assert report.problem.startswith(code)
    assert engine.callers("lib.f").rows[0].tier is Tier.EXACT


def test_answers_of_another_version_are_not_mixed(engine):
    site = answered.Site(b"a.py", serving_span())
    one = answered.Answers(server="s", version="1", done=(site,))
    two = answered.Answers(server="s", version="2")
    assert answered.together(one, two).done == ()
    assert answered.together(one, answered.Answers(server="s", version="1")).done == (site,)
    assert answered.together(one, answered.Answers(server="s")).version == "1"
    assert answered.together(None, one) == one


def serving_span():
    return answered.Span(3, 4)


def test_answers_are_kept_as_bytes(engine):
    site = answered.Site(b"a\xff.py", serving_span())
    targets = (
        answered.Target(None, answered.Range(0, 1, 2, 3), "x.py"),
        answered.Target(b"\xfe.py", answered.Range(4, 5, 6, 7), "y"),
    )
    said = answered.Answers(
        server="s", version="1", done=(site,), answers=(answered.Answer(site, targets),),
        refused=2, encoding=answered.Encoding.UTF8,
    )  # fmt: skip
    derived = engine._base.derived
    key = "ab" * 24
    answered.remember(derived, key, said)
    assert answered.recall(derived, key) == said
    answered.forget(derived, key)
    assert answered.recall(derived, key) is None


def test_what_two_sources_say_stands_together(engine, install):
    install("good")
    ask(engine)
    index = serving_index(engine)
    engine.exact("it", index)
    (row,) = engine.callers("lib.f").rows
    assert {str(Method.LSP), str(Method.SCIP)} <= set(row.methods)


def serving_index(engine):
    from grainline.indexing.exact import read_index

    return read_index(engine.scip().data, "index.scip")


def test_overloads_of_one_function_are_a_set_and_an_alias_contradicts_nothing():
    text = (
        "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: any) {}\n"
        "class Real {}\ntype Alias = Real;\nfunction g(x: Alias) { f(1); }\n"
    )
    files = [small.file("a.ts", text)]
    site, there = (text.rindex(word) for word in ("f(1)", "Alias)"))
    answers = answered.Answers(
        server="x",
        answers=tuple(
            answered.Answer(
                answered.Site(b"a.ts", answered.Span(at, at + len(word))),
                (answered.Target(b"a.ts", small.place(text, word, nth=nth), "a.ts"),),
            )
            for at, word, nth in ((site, "f", 1), (there, "Alias", 0))
        ),
    )
    known = graph_of({"a.ts": text}).edges
    found = lsp.edges(answers, files, known)
    calls = [edge for edge in found.edges if edge.type is EdgeType.CALLS]
    assert {edge.candidates for edge in calls} == {3}
    assert EdgeType.CALLS in {edge.type for edge in found.comparison.upgraded}
    assert found.comparison.contradicted == ()
    (typed,) = (edge for edge in known if edge.type is EdgeType.HAS_TYPE)
    assert typed in found.comparison.unmatched


# ------------------------------------------------------------------------------ command line


def test_the_command_line_warns_asks_and_counts(tree, tmp_path, install, capsys):
    install("good")
    arguments = ["index", str(tree), "--home", str(tmp_path / "home"), "--lsp", "pyright"]
    assert main.run(arguments) == 0
    out, err = capsys.readouterr()
    assert "exact edges of fake 1: 3; 2 of 2 documents match" in out
    assert "asked 3 of 3 questions" in out
    assert "confirms 3, contradicts 0, adds 0" in out
    assert "can execute code of a hostile project" in err
    assert main.run([*arguments, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["exact"]
    assert (found["asked"], found["problem"]) == (3, None)


def test_a_server_that_ends_early_is_a_warning_and_an_exit_code(tree, tmp_path, install, capsys):
    install("dies-ask")
    arguments = ["index", str(tree), "--home", str(tmp_path / "home"), "--lsp", "pyright"]
    assert main.run(arguments) == 1
    err = capsys.readouterr().err
    assert "ended early (died: " in err
    assert "1 of 3 questions were asked. Run it again to go on" in err


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("pyright", "error[no_server] pyright: pyright-langserver is not installed; get it: npm"),
        ("nope", "pyright"),
    ],
)
def test_a_server_that_is_not_there_is_an_error_before_anything_is_written(
    tree, tmp_path, monkeypatch, capsys, name, said
):
    monkeypatch.setenv("PATH", "/nowhere")
    home = tmp_path / "home"
    assert main.run(["index", str(tree), "--home", str(home), "--lsp", name]) == 2
    assert said in capsys.readouterr().err
    assert not home.exists()


def test_no_server_runs_that_nobody_named(engine, install, tmp_path):
    install("told", tmp_path / "out")
    engine.fill(options=IndexOptions(workers=0))
    engine.callers("lib.f")
    assert not (tmp_path / "out").exists()
    with pytest.raises(BadInput, match="nothing is indexed"):
        engine.ask_server("other", "pyright")

"""What a result of a merged chunk shows: the definition that the question means there."""

from __future__ import annotations

import pytest

from grainline.engine import MEMORY, Engine
from grainline.model.position import Span
from grainline.model.search import Hit, SearchOptions
from grainline.surfaces import wire
from grainline.surfaces.cli import main

ARGS = """\
package cmd

// LegacyArgs keeps old commands working.
func LegacyArgs(cmd *Command) error {
	return oldest(cmd)
}

// NoDuplicateArgs refuses what is said again.
func NoDuplicateArgs(cmd *Command) error {
	return refuse(cmd, "given twice")
}

// MinimumNArgs wants at least n of them.
func MinimumNArgs(n int) error {
	return atLeast(n, "requires at least")
}

func limitRange(low int, high int) error {
	return between(low, high)
}
"""
SMALL = """\
MISSING = "no such key here"


class Box:
    def first(self):
        return head(self)

    def second(self):
        return tail(self)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("merged")
    (root / "args.go").write_text(ARGS, encoding="utf-8")
    (root / "box.py").write_text(SMALL, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def engine(folder):
    engine = Engine.open(MEMORY)
    engine.index(str(folder), name="merged")
    yield engine
    engine.close()


def first(engine: Engine, question: str) -> Hit:
    return engine.search(question, options=SearchOptions(k=3)).hits[0]


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


MERGED = [
    ("MinimumNArgs", "MinimumNArgs", "func MinimumNArgs", ("atLeast",)),
    ("minimumnargs", "MinimumNArgs", "func MinimumNArgs", ("atLeast",)),
    ("what does `NoDuplicateArgs` do", "NoDuplicateArgs", "func NoDup", ("refuse",)),
    ('"requires at least"', "MinimumNArgs", "return atLeast", ("atLeast",)),
    ('why is it "given twice" here', "NoDuplicateArgs", "return refuse", ("refuse",)),
    ('"refuses what is said"', "NoDuplicateArgs", "// NoDuplicate", ("refuse",)),
    ("/between\\(\\w+, high/", "limitRange", "return between", ("between",)),
    ("args.go:10", "NoDuplicateArgs", "return refuse", ("refuse",)),
    ("how is the range of arguments limited", "limitRange", "func limitRange", ("between",)),
]


@pytest.mark.parametrize(("question", "name", "line", "calls"), MERGED)
def test_a_merged_chunk_shows_the_sibling_that_is_meant(engine, question, name, line, calls):
    hit = first(engine, question)
    assert hit.text.count("\nfunc ") == 4, "the siblings share a chunk"
    assert hit.symbol is not None
    assert (hit.symbol.name, hit.calls) == (name, calls)
    assert hit.symbol.signature.startswith(f"func {name}(")
    assert hit.focus is not None
    assert hit.focus.start == line_of(ARGS, line)
    assert hit.chunk_symbol is not None
    assert hit.chunk_symbol.name == "LegacyArgs"


def test_words_that_no_sibling_shares_leave_the_chunk_as_it_is(engine):
    hit = first(engine, "oldest")
    assert hit.symbol == hit.chunk_symbol
    assert hit.focus is None
    assert hit.calls == ("oldest", "refuse", "atLeast", "between")


@pytest.mark.parametrize(
    ("question", "name", "calls"),
    [("Box", "Box", ("head", "tail")), ("Box.second", "second", ("tail",))],
)
def test_a_member_of_a_small_class_is_shown_when_it_is_named(engine, question, name, calls):
    hit = first(engine, question)
    assert hit.symbol is not None
    assert (hit.symbol.name, hit.calls) == (name, calls)


def test_an_exact_text_in_a_value_shows_the_value(engine):
    hit = first(engine, '"no such key"')
    assert hit.symbol is not None
    assert (hit.symbol.name, hit.symbol.kind) == ("MISSING", "constant")
    assert hit.focus == (1, 1)


def test_the_wire_adds_the_line_and_keeps_the_span_of_the_chunk(engine):
    hit = first(engine, "MinimumNArgs")
    row = wire.hit(hit)
    assert row["focus_line"] == line_of(ARGS, "func MinimumNArgs")
    assert (row["start_line"], row["end_line"]) == hit.place.lines
    assert row["start_line"] < row["focus_line"]
    assert row["citation"] == str(hit.place.citation)
    assert row["text"] == hit.text


def test_the_terminal_prints_the_place_and_the_lines_of_the_match(folder, tmp_path, capsys):
    home = str(tmp_path / "home")
    assert main.run(["--home", home, "index", str(folder), "--workers", "1"]) == 0
    capsys.readouterr()
    assert main.run(["--home", home, "search", "--lines", "2", '"requires at least"']) == 0
    line = line_of(ARGS, "return atLeast")
    head, one, two, *_ = capsys.readouterr().out.split("\n")
    assert f"args.go:{line}  function  MinimumNArgs  " in head
    assert one.split() == [str(line), "return", "atLeast(n,", '"requires', "at", 'least")']
    assert two.split() == [str(line + 1), "}"]


def test_the_definitions_of_a_span_are_those_that_start_there(corpus_of):
    corpus = corpus_of({"a.py": "def a():\n    pass\n\ndef b():\n    pass\n\ndef c():\n    pass\n"})
    rows = list(enumerate(corpus.outline(0)))
    starts = [each.start for _, each in rows]
    for low in [0, *starts, starts[-1] + 1]:
        for high in [*starts, starts[-1] + 1]:
            wanted = [pair for pair in rows if low <= pair[1].start < high]
            assert list(corpus.definitions(0, Span(low, high))) == wanted

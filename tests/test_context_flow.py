"""Contexts along data: what comes along, why, inside which bounds, and what is said where nothing is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline.access.policy import make_policy
from grainline.context import assemble, nearby, ways
from grainline.engine import MEMORY, Engine
from grainline.model.access import AccessRule
from grainline.model.evidence import ContextOptions, Profile
from grainline.model.flow import ModelFile
from grainline.surfaces import wire

GOLDEN = Path(__file__).parent / "golden" / "context"
FILES = {
    "shop/views.py": """\
from flask import Flask, request
from shop.service import list_folder, list_safely
from shop.words import note

app = Flask(__name__)


@app.route("/list")
def show():
    folder = request.args["folder"]
    note("listing")
    return list_folder(folder)


@app.route("/safe")
def show_safely():
    return list_safely(request.args["folder"])


@app.route("/about")
def about():
    return list_folder("about")
""",
    "shop/service.py": """\
from shop.shell import run
from shop.words import quoted


def list_folder(folder):
    return run("ls " + folder)


def list_safely(folder):
    return run("ls " + quoted(folder))


def unused(folder):
    return len(folder)
""",
    "shop/shell.py": """\
import os


def run(line):
    os.system(line)
    return "done"
""",
    "shop/words.py": """\
import shlex


def quoted(text):
    return shlex.quote(text)


def note(text):
    print(text)
""",
    "shop/report.swift": """\
func report(name: String) {
    print(name)
}
""",
}


def write(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def opened(root, files=FILES):
    write(root, files)
    engine = Engine.open(MEMORY)
    engine.index(str(root), name="shop")
    return engine


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    engine = opened(tmp_path_factory.mktemp("shop"))
    yield engine
    engine.close()


def ask(engine, target="", query="", **options):
    wanted = ContextOptions(**{"budget": 8000, **options})
    return engine.context(query, target=target or None, options=wanted)


def along(result):
    """Name -> item, of those that data led to."""
    return {
        item.symbol.name: item
        for item in result.items
        if item.via and item.via[0].type == "DATA_FLOWS_TO"
    }


def state(result):
    return dict(result.coverage.channels)["flow"]


def test_from_a_step_the_source_and_the_sink_come_along_with_the_way(engine):
    found = along(ask(engine, "list_folder"))
    assert {(name, str(item.role)) for name, item in found.items()} == {
        ("show", "source"),
        ("run", "sink"),
    }
    why = "data flows from shop/views.py:10 (request data) to shop/shell.py:5 (os.system)"
    assert {item.why for item in found.values()} == {why}
    hops = {
        name: [(hop.src, hop.dst, hop.path.decode(), hop.line, hop.tier) for hop in item.via]
        for name, item in found.items()
    }
    assert hops == {
        "show": [("shop.views.show", "shop.service.list_folder", "shop/views.py", 12, "resolved")],
        "run": [("shop.service.list_folder", "shop.shell.run", "shop/service.py", 6, "resolved")],
    }


def test_from_the_sink_every_piece_names_its_hops(engine):
    found = along(ask(engine, "run"))
    assert [(hop.src, hop.dst) for hop in found["show"].via] == [
        ("shop.views.show", "shop.service.list_folder"),
        ("shop.service.list_folder", "shop.shell.run"),
    ]
    assert [hop.dst for hop in found["list_folder"].via] == ["shop.shell.run"]


def test_what_is_beside_every_way_stays_out(engine):
    assert along(ask(engine, "unused")) == {}
    assert along(ask(engine, "about")) == {}
    assert along(ask(engine, "note")) == {}
    assert "show_safely" not in along(ask(engine, "run"))  # a sanitizer stops that way


def test_what_was_found_by_words_and_stands_on_a_way_says_so(engine):
    result = ask(engine, query="list_folder show folder", profile=Profile.INJECTION)
    found = along(result)
    assert found["show"].why.startswith("rank ")
    assert "data flows from shop/views.py:10" in found["show"].why
    assert str(found["show"].role) in ("target", "source")


WORDS = "list_folder show folder run line quoted text"


def test_hops_are_told_where_room_is_left_and_cost_no_piece_its_place(engine):
    told, plain = [], []
    for budget in range(400, 2400, 100):
        given = ask(engine, query=WORDS, budget=budget, profile=Profile.INJECTION)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(assemble, "_at_length", lambda ask, chosen, form, spare: list(chosen))
            short = ask(engine, query=WORDS, budget=budget, profile=Profile.INJECTION)
        assert [item.text for item in given.items] == [item.text for item in short.items]
        told.append(sum(len(item.via) for item in given.items))
        plain.append(sum(len(item.via) for item in short.items))
    assert all(one >= other for one, other in zip(told, plain, strict=True))
    assert sum(told) > sum(plain)


def test_a_question_about_data_looks_further(engine):
    for query in (
        "where does the folder go to",
        "command injection by folder",
        "目录参数流向哪里 folder",
    ):
        assert ways_of(engine, query).keen
    assert not ways_of(engine, "how is a folder listed").keen


def ways_of(engine, query):
    seen = []
    made = ways.Ways.__init__

    def noted(self, *arguments, **words):
        made(self, *arguments, **words)
        seen.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ways.Ways, "__init__", noted)
        ask(engine, query=query)
    return seen[0]


def test_the_golden_context_of_an_injection(engine):
    result = ask(engine, "list_folder", "can a folder inject a command?", budget=1500)
    text, _, _ = result.rendered.partition("\nCoverage: ")  # behind it stands when it was indexed
    file = GOLDEN / "injection.md"
    if os.environ.get("GRAINLINE_GOLDEN") == "rewrite":
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
    assert text == file.read_text("utf-8")


@settings(max_examples=30, deadline=None)
@given(
    budget=st.integers(300, 4000),
    target=st.sampled_from(["show", "list_folder", "run", "quoted", "about"]),
    profile=st.sampled_from([Profile.AUTO, Profile.INJECTION, Profile.IMPACT]),
    form=st.sampled_from(["markdown", "compact", "json", "xml"]),
)
def test_budgets_hold_and_the_same_question_gives_the_same_bytes(
    engine, budget, target, profile, form
):
    one, two = (ask(engine, target, budget=budget, profile=profile, format=form) for _ in range(2))
    assert one.tokens <= budget
    assert one.rendered == two.rendered


# ------------------------------------------------------------------ the ways themselves


def told_ways(result):
    """The ways that a context tells, as `PATH:LINE` of their steps, stops and reasons."""
    return [
        [f"{each.path.decode()}:{each.line}" for each in (*path.steps, *path.stops, *path.reasons)]
        for path in result.paths
    ]


def lines_of(result):
    """Every line that a context shows."""
    return {
        f"{item.place.path.decode()}:{line}"
        for item in result.items
        for span in item.spans
        for line in range(span.start, span.end + 1)
    }


def test_a_way_is_told_when_all_of_it_is_shown(engine):
    result = ask(engine, "list_folder", format="json")
    (way,) = told_ways(result)
    assert way[0] == "shop/views.py:10"
    assert way[-1] == "shop/shell.py:5"
    assert set(way) <= lines_of(result)
    document = json.loads(result.rendered)
    (told,) = document["paths"]
    assert told["kind"] == "command"
    assert told["verdict"] == "path"
    assert [f"{step['path']}:{step['line']}" for step in told["steps"]] == way
    assert wire.context(result)["paths"] == document["paths"]
    assert wire.context(ask(engine, "list_folder"))["paths"] == document["paths"]


def test_no_way_is_told_of_pieces_that_none_passes(engine):
    assert told_ways(ask(engine, "unused", format="json")) == []
    assert told_ways(ask(engine, "list_folder", format="json", edges=False)) == []


@settings(deadline=None, max_examples=25)
@given(budget=st.integers(300, 3000), form=st.sampled_from(["json", "markdown", "xml", "compact"]))
def test_ways_never_pass_the_budget_and_never_go_beyond_what_is_shown(engine, budget, form):
    result = ask(engine, "list_folder", budget=budget, format=form)
    assert result.tokens <= budget
    assert all(set(way) <= lines_of(result) for way in told_ways(result))


def test_a_way_that_leaves_what_is_shown_is_found_out(engine, monkeypatch):
    monkeypatch.setattr(ways, "_lies", lambda *_: True)
    seen = [ask(engine, "list_folder", budget=budget) for budget in range(300, 1500, 50)]
    assert any(not set(way) <= lines_of(each) for each in seen for way in told_ways(each))


# ------------------------------------------------------------------ where flow is not there


def test_a_language_without_flow_is_said(engine):
    assert state(ask(engine, "report")) == "off: not known of swift"
    assert state(ask(engine, "run")) == "on"


def test_without_edges_nothing_is_followed(engine):
    result = ask(engine, "list_folder", edges=False)
    assert (along(result), state(result)) == ({}, "off: not asked for")


def test_files_out_of_reach_are_counted(engine, monkeypatch):
    monkeypatch.setattr(ways, "PLAIN", ways.Effort(300, 6000))
    result = ask(engine, "list_folder")
    assert along(result) == {}
    assert state(result) == "on; 2 files near by out of reach"


def test_behind_many_files_out_of_reach_nothing_is_looked_for(engine, monkeypatch):
    for module in (nearby, ways):
        monkeypatch.setattr(module, "MANY", 1)
    monkeypatch.setattr(ways, "PLAIN", ways.Effort(300, 6000))
    assert state(ask(engine, "list_folder")) == "on; at least 1 file near by out of reach"


def test_work_that_is_cut_is_said(engine, monkeypatch):
    monkeypatch.setattr(ways, "PLAIN", ways.Effort(96 << 10, 1))
    assert state(ask(engine, "list_folder")) == "on; the work was cut"


def test_calls_that_are_too_far_away_are_not_followed(engine, monkeypatch):
    monkeypatch.setattr(nearby, "HOPS", 0)
    assert along(ask(engine, "list_folder")) == {}


def test_a_sanitizer_out_of_reach_makes_a_way_assumed(tmp_path, monkeypatch):
    large = FILES["shop/words.py"] + "# long\n" * 1000
    engine = opened(tmp_path, {**FILES, "shop/words.py": large})
    near = along(ask(engine, "list_safely", profile=Profile.INJECTION))
    monkeypatch.setattr(ways, "KEEN", ways.Effort(2_000, 60_000))
    monkeypatch.setattr(ways, "PLAIN", ways.KEEN)
    found = along(ask(engine, "list_safely", profile=Profile.INJECTION))
    plain = along(ask(engine, "list_safely"))
    engine.close()
    assert near == plain == {}
    assert found["show_safely"].why == (
        "data may flow from shop/views.py:17 (request data) to shop/shell.py:5 (os.system);"
        " assumed: depth shop/words.py"
    )


def test_models_of_the_asker_count(engine):
    text = """languages = ["python"]
packages = ["shop"]

[[sink]]
kind = "log"
names = ["len"]
ports = [0]
"""
    files = (ModelFile("mine.toml", text.encode()),)
    assert along(ask(engine, "list_folder", models=files)).keys() >= {"show", "run"}


def test_a_reader_gets_what_an_index_without_the_hidden_file_gives(engine, tmp_path):
    rules = (
        AccessRule(repository="", prefix=b"", groups=("all",)),
        AccessRule(repository="", prefix=b"shop/words.py", groups=("few",)),
    )
    seen = {name: text for name, text in FILES.items() if name != "shop/words.py"}
    other = opened(tmp_path / "shop", seen)
    wanted = ContextOptions(budget=8000, profile=Profile.INJECTION)
    engine.set_policy(make_policy([("ann", ["all"]), ("bob", ["all", "few"])], rules))
    try:
        ann, bob = (
            engine.context(target="list_safely", scope=engine.everything(name), options=wanted)
            for name in ("ann", "bob")
        )
    finally:
        engine.set_policy(None)
    alone = other.context(target="list_safely", options=wanted)
    other.close()
    assert along(bob) == {}
    assert "may flow" in along(ann)["show_safely"].why
    assert [told(item) for item in ann.items] == [told(item) for item in alone.items]


def told(item):
    return item.place.citation, item.role, item.why, item.via, item.text


# ------------------------------------------------------------------ faults that these tests find


def every_way_passes(patch):
    """A way is told of every piece, wherever it goes."""
    patch.setattr(ways, "_passed", lambda steps, path, span: (0,))


def never_look_up(patch):
    """Nobody asks who calls."""
    patch.setattr(nearby, "_UP", ())


def hops_before_pieces(patch):
    """What a way of data says is told first, whatever room it takes."""
    honest = assemble._at_length
    patch.setattr(
        assemble, "_at_length", lambda ask, chosen, form, _: honest(ask, chosen, form, 1 << 30)
    )


@pytest.mark.parametrize(
    ("fault", "check"),
    [
        (
            hops_before_pieces,
            test_hops_are_told_where_room_is_left_and_cost_no_piece_its_place,
        ),
        (every_way_passes, test_what_is_beside_every_way_stays_out),
        (
            never_look_up,
            test_from_a_step_the_source_and_the_sink_come_along_with_the_way,
        ),
    ],
)
def test_a_fault_is_found(fault, check, engine, monkeypatch):
    fault(monkeypatch)
    with pytest.raises(AssertionError):
        check(engine)

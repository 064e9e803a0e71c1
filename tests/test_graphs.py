"""The edges of views: kept by what they were made from, the same however they came to be."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grainline.engine import MEMORY, Engine
from grainline.errors import BadInput
from grainline.graph.table import EdgeTable
from grainline.graph.tablebytes import encode_table
from grainline.indexing import moved as moving
from grainline.indexing import resolver as making
from grainline.indexing.graphs import Graphs
from grainline.indexing.irs import LowerHere
from grainline.indexing.kept import graph_key
from grainline.indexing.pipeline import IndexOptions
from grainline.model.access import AccessRule, Policy
from grainline.storage.derived import MemoryDerived
from grainline.storage.recent import Recent

FILES = {
    "app/__init__.py": "from app.pay import refund\n",
    "app/pay.py": "from app.bank import Bank\n\ndef refund(order):\n    Bank().send(order)\n",
    "app/bank.py": "class Bank:\n    def send(self, order):\n        return log(order)\n\ndef log(x):\n    return x\n",
    "README.md": "# Pay\n\n`app.pay.refund` and `Bank.send`, as `SHOP_URL` says: `h()`.\n",
    "pyproject.toml": "[project]\nname = 'app'\n",
    ".env.example": "SHOP_URL=x\n",
    "app/web.py": "import os\nfrom flask import Flask\nfrom app.pay import refund\n\napp = Flask('x')\n"
    "app.add_url_rule('/pay', view_func=refund)\nURL = os.environ['SHOP_URL']\n",
    "tests/test_pay.py": "from app.pay import refund\n\ndef test_refund():\n    refund(1)\n",
    "lone/one.py": "def f():\n    return g()\n\ndef g():\n    return 1\n",
    "lone/two.py": "import os\n\ndef h(path):\n    return os.path.join(path, k())\n\ndef k():\n    return ''\n",
}
EDITS = (
    ("app/bank.py", "class Bank:\n    def send(self, order):\n        return order\n"),
    ("app/bank.py", None),
    (
        "app/bank.py",
        "from app.pay import refund\n\nclass Bank:\n    def send(self, order):\n        refund(order)\n",
    ),
    ("lone/one.py", "from lone.two import h\n\ndef f():\n    return h('x')\n"),
    ("lone/two.py", "def h(path):\n    return path()\n"),
    ("lone/three.py", "from lone import one\n\ndef t():\n    one.f()\n"),
    ("README.md", "# Bank\n\n`log(x)` and `refund`\n"),
    (".env.example", "OTHER=1\n"),
    ("tests/test_pay.py", "from app.bank import log\n\ndef test_log():\n    log(1)\n"),
    ("pyproject.toml", None),
    ("app/pay.py", "import app.bank\n\ndef refund(order):\n    app.bank.Bank().send(order)\n"),
)


@pytest.fixture
def tree(tmp_path):
    for path, text in FILES.items():
        put(tmp_path, path, text)
    return tmp_path


@pytest.fixture
def engine():
    engine = Engine.open(MEMORY)
    yield engine
    engine.close()


def put(tree, path, text):
    target = tree / path
    if text is None:
        target.unlink(missing_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def corpus_of(engine, tree, **scope):
    engine.index(str(tree), options=IndexOptions(workers=0))
    return engine.corpus(engine.scope(**scope))


def rebuilt(corpus):
    return Graphs(MemoryDerived(), LowerHere).edges(corpus)


BRIDGES = {"tests", "documents", "routes_to", "configures", "provides"}


def test_edges_lead_across_languages_by_bridges(engine, tree):
    table = rebuilt(corpus_of(engine, tree)).table
    types = {str(table.edge(number).type) for number in range(len(table))}
    assert types >= BRIDGES


def test_a_bridge_that_is_taken_over_is_noticed(engine, tree, monkeypatch):
    """The seeded fault: bridges are kept with the component in which they begin, and made again."""
    graphs = Graphs(MemoryDerived(), LowerHere)
    graphs.edges(corpus_of(engine, tree))
    monkeypatch.setattr(EdgeTable, "without", lambda table, methods: table)
    put(tree, *EDITS[4])
    corpus = corpus_of(engine, tree)
    assert told(graphs.edges(corpus)) != told(rebuilt(corpus))


def told(edges):
    return encode_table(edges.table), edges.left_out


def row_of(corpus):
    (view,), (state,) = corpus.scope.views, corpus.snapshots
    return view, state.generation


def key_of(corpus):
    return graph_key(*row_of(corpus))


def calls(table: EdgeTable):
    found = [table.edge(number) for number in range(len(table))]
    return {
        (e.src.path.decode(), e.dst.path.decode(), e.dst.descriptor)
        for e in found
        if e.type == "calls"
    }


def test_edges_lead_across_files(engine, tree):
    table = rebuilt(corpus_of(engine, tree)).table
    assert ("app/pay.py", "app/bank.py", "Bank#send().") in calls(table)
    assert ("lone/one.py", "lone/one.py", "g().") in calls(table)


def test_edges_that_are_kept_are_not_made_again(engine, tree, monkeypatch):
    corpus = corpus_of(engine, tree)
    derived = MemoryDerived()
    first = told(Graphs(derived, LowerHere).edges(corpus))
    monkeypatch.setattr(making, "solve", None)
    assert told(Graphs(derived, None).edges(corpus)) == first


def solved(monkeypatch):
    """Paths of every component that is solved from now on."""
    seen = []
    solve = making.solve

    def noted(part):
        seen.append(sorted(unit.path.decode() for unit in part.units))
        return solve(part)

    monkeypatch.setattr(making, "solve", noted)
    return seen


def test_an_edit_resolves_its_component_only(engine, tree, monkeypatch):
    graphs = Graphs(MemoryDerived(), LowerHere)
    graphs.edges(corpus_of(engine, tree))
    seen = solved(monkeypatch)
    put(tree, *EDITS[4])
    graphs.edges(corpus_of(engine, tree))
    assert seen == [["lone/two.py"]]


@pytest.mark.parametrize("seed", range(8))
def test_step_by_step_is_as_from_scratch(engine, tree, seed):
    graphs = Graphs(MemoryDerived(), LowerHere)
    order = random.Random(seed).choices(EDITS, k=7)
    for path, text in order:
        put(tree, path, text)
        corpus = corpus_of(engine, tree)
        assert told(graphs.edges(corpus)) == told(rebuilt(corpus))


REMARKS = (
    lambda text: "# what follows is old\n" + text,
    lambda text: text.replace("\n", "\n\n"),
    lambda text: text.replace("(", "(  "),
    lambda text: text.replace("\ndef ", "\n\n# ä\ndef "),
)
"""Edits that change positions alone."""


def remark(tree, draw):
    """One of them in a file of code."""
    path = draw.choice([path for path in FILES if path.endswith(".py") and (tree / path).exists()])
    put(tree, path, draw.choice(REMARKS)((tree / path).read_text()))


def test_a_remark_moves_edges_and_resolves_nothing(engine, tree, monkeypatch):
    graphs = Graphs(MemoryDerived(), LowerHere)
    graphs.edges(corpus_of(engine, tree))
    seen = solved(monkeypatch)
    for edit in REMARKS:
        put(tree, "app/bank.py", edit((tree / "app/bank.py").read_text()))
        corpus = corpus_of(engine, tree)
        now = told(graphs.edges(corpus))
        assert not seen
        assert now == told(rebuilt(corpus))
        seen.clear()


@pytest.mark.parametrize("seed", range(8))
def test_remarks_between_edits_are_as_from_scratch(engine, tree, seed):
    graphs, draw = Graphs(MemoryDerived(), LowerHere), random.Random(seed)
    for _ in range(7):
        if draw.random() < 0.3:
            put(tree, *draw.choice(EDITS))
        for _ in range(draw.randrange(3)):
            remark(tree, draw)
        corpus = corpus_of(engine, tree)
        assert told(graphs.edges(corpus)) == told(rebuilt(corpus))


FAULTS = {
    "sites stay where they were": (moving, "moved", lambda table, ways: table),
    "whatever changed counts as moved": (
        making,
        "change",
        lambda part, before, ir: moving.Change({}, {}) if part.links == before.links else None,
    ),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_check_finds_what_is_moved_wrongly(engine, tree, monkeypatch, fault):
    monkeypatch.setattr(*fault)
    graphs = Graphs(MemoryDerived(), LowerHere)
    graphs.edges(corpus_of(engine, tree))
    text = "\n" + FILES["app/bank.py"]
    put(tree, "app/bank.py", text if fault[1] == "moved" else text.replace("log", "lag"))
    corpus = corpus_of(engine, tree)
    assert told(graphs.edges(corpus)) != told(rebuilt(corpus))


def test_the_check_finds_components_that_forget_a_link(engine, tree, monkeypatch):
    """A component that is named by its files alone is taken over though its links changed."""
    monkeypatch.setattr(making, "digest_of", lambda part, said: part.units[0].path.hex())
    graphs = Graphs(MemoryDerived(), LowerHere)
    graphs.edges(corpus_of(engine, tree))
    put(tree, *EDITS[0])
    corpus = corpus_of(engine, tree)
    assert told(graphs.edges(corpus)) != told(rebuilt(corpus))


POLICY = Policy(
    epoch=0,
    users=(("ann", ("team",)),),
    rules=(
        AccessRule(repository="", prefix=b"", groups=("team",)),
        AccessRule(repository="", prefix=b"app/bank.py", groups=("vault",)),
    ),
)


def test_who_may_not_read_a_file_has_the_edges_of_a_repository_without_it(engine, tree):
    engine.index(str(tree), options=IndexOptions(workers=0))
    graphs = Graphs(MemoryDerived(), LowerHere)
    graphs.edges(engine.corpus(engine.scope()))
    engine.set_policy(POLICY)
    seen = graphs.edges(engine.corpus(engine.scope(principal="ann")))
    put(tree, "app/bank.py", None)
    bare = Engine.open(MEMORY)
    assert told(seen) == told(rebuilt(corpus_of(bare, tree)))
    bare.close()
    assert not any(b"bank" in key for key in seen.table.keys)


def test_readers_that_see_alike_share_and_others_do_not(engine, tree):
    engine.index(str(tree), options=IndexOptions(workers=0))
    engine.set_policy(POLICY)
    owner = engine.corpus(engine.scope())
    ann = engine.corpus(engine.scope(principal="ann"))
    assert key_of(owner) != key_of(ann)


def test_what_no_view_needs_is_forgotten(engine, tree):
    derived = MemoryDerived()
    graphs = Graphs(derived, LowerHere)
    graphs.edges(corpus_of(engine, tree))
    put(tree, *EDITS[0])
    corpus = corpus_of(engine, tree)
    graphs.edges(corpus)
    assert len(derived.keys("graph")) == 2
    graphs.keep([row_of(corpus)])
    assert derived.keys("graph") == {key_of(corpus)}
    Graphs(derived, None).edges(corpus)


def test_a_damaged_or_foreign_table_is_made_again(engine, tree):
    corpus = corpus_of(engine, tree)
    derived = MemoryDerived()
    derived.put("graph", key_of(corpus), b"GLG0\0\0\0\0")
    assert told(Graphs(derived, LowerHere).edges(corpus)) == told(rebuilt(corpus))


# ------------------------------------------------------------------------------- many repositories


@pytest.fixture
def several(tmp_path, engine, monkeypatch):
    """An engine with four repositories, and those whose edges were asked for."""
    for name in ("one", "two", "three", "four"):
        put(
            tmp_path / name,
            f"{name}.py",
            f"def pay_{name}(x):\n    return x\n\ndef use():\n    pay_{name}(1)\n",
        )
        engine.index(str(tmp_path / name), name=name)
    asked = []
    edges = Graphs.edges

    def noting(self, corpus, whole=None):
        asked.append(corpus.snapshots[0].repository)
        return edges(self, corpus, whole)

    monkeypatch.setattr(Graphs, "edges", noting)
    return engine, asked


def test_a_question_makes_the_edges_of_the_views_that_it_is_about(several):
    engine, asked = several
    assert [row.node.name for row in engine.callers("pay_two").rows] == ["two.use"]
    assert asked == ["two"]
    assert len(engine.callees("use").subjects) == 4
    assert sorted(asked[1:]) == ["four", "one", "three", "two"]
    asked.clear()
    assert engine.context(target="pay_three").coverage.channels
    assert asked == ["three"]
    with pytest.raises(BadInput, match="unknown_symbol"):
        engine.callers("nobody")
    assert engine.context("zebra").items == ()
    assert asked == ["three"], "nothing else"
    engine.graph()
    assert len(asked) == 5


def test_one_crew_serves_all_views_of_a_question(several, monkeypatch):
    engine, _ = several
    started, ended = [], []
    crew = engine._graph_maker()._irs._crew

    class Counting(LowerHere):
        def __init__(self):
            started.append(self)

        def close(self):
            ended.append(self)

    monkeypatch.setattr(engine._graph_maker()._irs, "_crew", Counting)
    assert crew is not Counting
    engine.graph()
    assert len(started) == len(ended) == 1


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 50))), st.integers(0, 5))
def test_what_was_used_last_is_kept_as_far_as_there_is_room(uses, few):
    kept = Recent(few, 100, len)
    order = []
    for key, size in uses:
        kept.keep(key, "x" * size)
        order = [each for each in order if each[0] != key] + [(key, size)]
        while len(order) > few and sum(each[1] for each in order) > 100:
            order.pop(0)
        assert list(kept) == [each[0] for each in reversed(order)]
        assert kept.held == sum(each[1] for each in order)

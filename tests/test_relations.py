"""Callers, callees and the rest: rows in order, totals that are exact, names that are not evidence."""

from __future__ import annotations

import dataclasses
from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline.engine import MEMORY, Engine
from grainline.errors import BadInput
from grainline.graph.confidence import confidence, wilson
from grainline.graph.results import Graph
from grainline.graph.table import table_of
from grainline.model.edge import Edge, EdgeType, Method, Symbol, Tier
from grainline.model.position import Span
from grainline.model.relations import GraphOptions, RelationOptions, Verdict
from grainline.model.search import Filters, State, TestFilter
from grainline.retrieval.relations import walk as walking
from grainline.retrieval.relations.views import ViewGraph
from grainline.retrieval.relations.walk import Steps, starts, walk

FILES = {
    "src/shop/__init__.py": "",
    "src/shop/pay.py": """\
import gateway
from shop.base import Base

LIMIT = 10


def charge(order):
    return send(order)


def send(order):
    return gateway.post("/", order)


def refund(order):
    charge(order)
    return charge(order)


class Card(Base):
    def pay(self, order):
        refund(order)
        return order.settle()

    def settle(self):
        return 1


def loop(n):
    return again(n)


def again(n):
    return loop(n)
""",
    "src/shop/base.py": """\
class Base:
    def pay(self, order):
        raise NotImplementedError


def use(card: Base):
    return card.pay(1)
""",
    "src/shop/cli.py": """\
from shop.pay import Card, refund


def main(thing):
    card = Card()
    card.pay(2)
    refund(3)
    thing.unique_name()
    thing.settle()
""",
    "src/shop/odd.py": """\
def unique_name():
    return 1


def settle():
    return 2
""",
    "tests/test_pay.py": """\
from shop.pay import refund


def test_refund():
    assert refund(1)


def unique_name():
    return 3
""",
    "notes.md": "# Refund\n\nrefund\n",
    "run.sh": "charge() {\n  echo\n}\ncharge\n",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    root = tmp_path_factory.mktemp("shop")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    engine = Engine.open(MEMORY)
    engine.index(str(root))
    yield engine
    engine.close()


UNCOUNTED = "calls of {} may run what was found, and are not counted"
UNFOLLOWED = (
    "calls of {} may run what overrides that, and a way leads on from there: it is not followed"
)


def named(result):
    return [
        (row.depth, row.node.name, row.line, row.tier and row.tier.name.lower())
        for row in result.rows
    ]


def test_callers_stand_in_the_order_of_depth_each_once_source_before_tests(engine):
    result = engine.callers("send", options=RelationOptions(depth=9))
    assert (
        named(result)
        == [
            (1, "shop.pay.charge", 8, "resolved"),
            (2, "shop.pay.refund", 16, "resolved"),
            (3, "shop.cli.main", 7, "resolved"),
            (3, "shop.pay.Card.pay", 22, "resolved"),
            (3, "tests.test_pay.test_refund", 5, "resolved"),
            (4, "shop.base.use", 7, "resolved"),
        ][: len(result.rows)]
    )
    assert [row.sites for row in result.rows][:2] == [1, 2]
    assert sum(dict(result.totals).values()) == len(result.rows)
    assert dict(result.tests)[3] == 1
    assert result.rows[0].text == "return send(order)"
    # `use` calls the declaration that `Card.pay` overrides
    assert result.coverage.state is State.PARTIAL
    assert result.coverage.warnings == (UNCOUNTED.format("shop.base.Base.pay"),)


def test_a_depth_that_cuts_is_told(engine):
    result = engine.callers("send")
    assert [row.node.name for row in result.rows] == ["shop.pay.charge"]
    assert result.coverage.state is State.BOUNDED
    assert dict(result.coverage.not_covered) == {"deeper": 1}


def test_a_member_that_a_class_inherits_is_found_by_the_name_of_the_class(tmp_path):
    base = "class Base:\n    def get(self):\n        return 1\n\n    def put(self):\n        return 2\n"
    app = (
        "from base import Base\n\n\nclass Middle(Base):\n    def put(self):\n        return 3\n\n\n"
        "class App(Middle):\n    pass\n\n\ndef main():\n    return App().get()\n"
    )
    (tmp_path / "base.py").write_text(base)
    (tmp_path / "app.py").write_text(app)
    engine = Engine.open(MEMORY)
    engine.index(str(tmp_path))
    result = engine.callers("App.get")
    assert [node.name for node in result.subjects] == ["base.Base.get"]
    assert [row.node.name for row in result.rows] == ["app.main"]
    assert [node.name for node in engine.refs("App.put").subjects] == ["app.Middle.put"]
    assert engine.path("main", "App.get").verdict is Verdict.PATH
    for unknown in ("App.got", "Base.main", "Nothing.get"):
        with pytest.raises(BadInput) as failure:
            engine.callers(unknown)
        assert failure.value.code == "unknown_symbol"
    engine.close()


def test_a_circle_of_calls_ends(engine):
    result = engine.callers("loop", options=RelationOptions(depth=50))
    assert named(result) == [(1, "shop.pay.again", 34, "resolved")]
    assert result.coverage.state is State.COMPLETE


def test_what_is_outside_is_a_leaf_by_its_name(engine):
    result = engine.callees("send")
    (row,) = result.rows
    assert (row.node.name, row.node.external, row.tier) == ("gateway.post", True, None)
    assert dict(result.unresolved) == {"external": 1}


def test_totals_are_the_same_whatever_is_shown(engine):
    whole = engine.callers("send", options=RelationOptions(depth=9))
    shown, cursor = [], None
    for _ in range(20):
        page = engine.callers("send", options=RelationOptions(depth=9, k=2, cursor=cursor))
        assert (page.totals, page.tests) == (whole.totals, whole.tests)
        shown += page.rows
        cursor = page.cursor
        if cursor is None:
            break
    assert tuple(shown) == whole.rows


def test_a_cursor_of_another_question_is_refused(engine):
    cursor = engine.callers("send", options=RelationOptions(depth=9, k=1)).cursor
    with pytest.raises(BadInput, match="stale_cursor"):
        engine.callers("charge", options=RelationOptions(depth=9, k=1, cursor=cursor))


def test_filters_change_rows_and_totals_not_the_walk(engine):
    tests = Filters(tests=TestFilter.NO)
    result = engine.callers("send", options=RelationOptions(depth=9, filters=tests))
    assert not any(row.node.test for row in result.rows)
    assert dict(result.totals)[3] == 2
    only = Filters(paths=("src/shop/cli.py",))
    result = engine.callers("send", options=RelationOptions(depth=9, filters=only))
    assert named(result) == [(3, "shop.cli.main", 7, "resolved")]
    kinds = Filters(kinds=("method",))
    result = engine.callers("send", options=RelationOptions(depth=3, filters=kinds))
    assert [row.node.name for row in result.rows] == ["shop.pay.Card.pay"]


def test_a_name_alone_is_a_candidate_below_the_default_floor_only(engine):
    plain = engine.callers("shop.odd.unique_name")
    assert (plain.rows, plain.weaker) == ((), 1)
    assert dict(plain.unresolved) == {"injection": 1}
    named_ = engine.callers("shop.odd.unique_name", options=RelationOptions(floor=Tier.NAMED))
    (row,) = named_.rows
    # the namesake in the tests is none for code that is no test
    assert (row.node.name, row.tier, row.candidates) == ("shop.cli.main", Tier.NAMED, 1)
    assert (row.methods, row.confidence, named_.weaker) == (("name",), None, 0)


def test_several_definitions_of_a_name_are_ambiguous(engine):
    result = engine.callers("shop.odd.settle", options=RelationOptions(floor=Tier.NAMED))
    assert (result.rows, result.weaker) == ((), 2)
    result = engine.callers("shop.odd.settle", options=RelationOptions(floor=Tier.AMBIGUOUS))
    assert {(row.node.name, row.candidates) for row in result.rows} == {
        ("shop.cli.main", 2),
        ("shop.pay.Card.pay", 2),
    }


def test_production_never_calls_a_test_by_its_name(engine):
    options = RelationOptions(floor=Tier.AMBIGUOUS)
    assert engine.callers("tests.test_pay.unique_name", options=options).rows == ()


def test_callees_by_name(engine):
    result = engine.callees("shop.cli.main", options=RelationOptions(floor=Tier.NAMED))
    weak = [(row.node.name, row.tier) for row in result.rows if row.tier is Tier.NAMED]
    assert weak == [("shop.odd.unique_name", Tier.NAMED)]
    assert result.weaker == 1


def test_references_are_a_row_each(engine):
    result = engine.refs("shop.pay.refund")
    assert [(row.node.name, row.line, str(row.type)) for row in result.rows] == [
        ("shop.cli", 1, "imports"),
        ("shop.cli.main", 7, "calls"),
        ("shop.pay.Card.pay", 22, "calls"),
        ("tests.test_pay", 1, "imports"),
        ("tests.test_pay.test_refund", 5, "calls"),
    ]


def test_implements_goes_both_ways(engine):
    down = engine.implements("Base")
    assert [(row.node.name, str(row.type)) for row in down.rows] == [
        ("shop.pay.Card", "inherits"),
        ("shop.pay.Card.pay", "overrides"),
    ]
    up = engine.implements("Card.pay")
    assert [(row.dst, str(row.type)) for row in up.rows] == [("shop.base.Base.pay", "overrides")]


def test_imports_of_a_file_a_module_and_a_symbol(engine):
    for name in ("src/shop/pay.py", "shop.pay"):
        result = engine.imports(name)
        assert [(row.node.name, row.src) for row in result.rows] == [
            ("shop.cli", "shop.cli"),
            ("shop.base.Base", "shop.pay"),
            ("tests.test_pay", "tests.test_pay"),
        ]
    assert [row.node.name for row in engine.imports("refund").rows] == [
        "shop.cli",
        "tests.test_pay",
    ]


def test_impact_has_callers_overrides_importers_and_tests_apart(engine):
    result = engine.impact("shop.base.Base.pay", options=RelationOptions(depth=1))
    assert {(row.node.name, str(row.type)) for row in result.rows} >= {
        ("shop.pay.Card.pay", "overrides"),
        ("shop.base.use", "calls"),
    }
    result = engine.impact("refund", options=RelationOptions(depth=1))
    assert [row.node.name for row in result.rows if row.node.test] == [
        "tests.test_pay",
        "tests.test_pay.test_refund",
    ]
    assert dict(result.tests) == {1: 2}


def test_a_path_is_a_shortest_one_and_its_absence_says_what_was_not_known(engine):
    found = engine.path("shop.cli.main", "send")
    assert found.verdict is Verdict.PATH
    assert [row.node.name for row in found.rows] == [
        "shop.pay.refund",
        "shop.pay.charge",
        "shop.pay.send",
    ]
    assert [row.depth for row in found.rows] == [1, 2, 3]
    assert engine.path("send", "shop.cli.main").verdict is Verdict.NO_PATH
    unsure = engine.path("shop.cli.main", "loop")
    assert unsure.verdict is Verdict.UNDETERMINED
    assert dict(unsure.unresolved)["injection"] >= 2
    with pytest.raises(BadInput, match="same_symbol"):
        engine.path("send", "send")


def test_an_unknown_symbol_is_an_error_with_suggestions(engine):
    with pytest.raises(BadInput, match="unknown_symbol") as error:
        engine.callers("refnd")
    assert "refund" in error.value.hint
    with pytest.raises(BadInput, match="bad_depth"):
        engine.callers("refund", options=RelationOptions(depth=0))


def test_a_line_means_the_symbol_over_it(engine):
    assert engine.callers("src/shop/pay.py:12").rows == engine.callers("send").rows


def test_what_no_graph_knows_is_told_and_not_denied(engine):
    result = engine.callers("run.sh:1")
    assert result.rows == ()
    assert result.coverage.state is State.PARTIAL
    assert "does not know bash" in result.coverage.warnings[0]
    assert engine.refs("LIMIT").coverage.state is State.PARTIAL


def test_code_is_meant_before_headings(engine):
    assert [node.name for node in engine.callers("refund").subjects] == ["shop.pay.refund"]


def test_several_symbols_are_answered_together(engine):
    result = engine.callers("settle", options=RelationOptions(floor=Tier.AMBIGUOUS))
    assert result.ambiguous
    assert len(result.subjects) == 2


def test_no_graph_is_an_error_that_says_what_to_do(engine, monkeypatch):
    state = "off: not filled yet; run: grainline index PATH"

    def off(self, corpus, views):
        return tuple(ViewGraph(view, None, state) for view in views)

    monkeypatch.setattr(Engine, "_graphs", off)
    with pytest.raises(BadInput, match="graph_off") as error:
        engine.callers("refund")
    assert error.value.hint == "run: grainline index PATH"


def test_the_graph_has_every_edge_and_its_ends_once(engine):
    result = engine.graph()
    names = [node.name for node in result.nodes]
    assert len(set(names)) == len(names)
    pairs = {(names[link.src], names[link.dst]) for link in result.links}
    assert ("shop.pay.refund", "shop.pay.charge") in pairs
    assert len(result.links) > len(pairs)
    both = GraphOptions(types=(EdgeType.INHERITS, EdgeType.OVERRIDES))
    assert {str(link.type) for link in engine.graph(options=both).links} == {
        "inherits",
        "overrides",
    }
    inside = engine.graph(options=GraphOptions(filters=Filters(paths=("src/shop/pay.py",))))
    assert {node.path for node in inside.nodes} == {b"src/shop/pay.py"}
    outside = engine.graph(options=GraphOptions(external=True))
    assert "gateway.post" in [node.name for node in outside.nodes if node.external]


# ------------------------------------------------------------------ against brute force

NAMES = [Symbol(path, f"{name}().") for path in (b"a.py", b"b.py") for name in "fghij"]
EDGES = st.builds(
    Edge,
    st.sampled_from((EdgeType.CALLS, EdgeType.IMPORTS, EdgeType.INHERITS)),
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
    st.integers(0, 3).map(lambda at: Span(at, at + 1)),
    st.just((Method.SCOPE,)),
    st.sampled_from((Tier.RESOLVED, Tier.FLOWED)),
    st.just(1),
)
GRAPHS = st.lists(EDGES, max_size=30, unique_by=lambda edge: edge[:4]).map(
    lambda edges: Graph(edges=tuple(edges), unresolved=(), cuts=0)
)


def brute(graph, start, steps, depth):
    """Depth of every symbol that is reached, and how many edges reach it from the depth before."""
    edges = [
        (edge.dst, edge.src) if steps.incoming else (edge.src, edge.dst)
        for edge in graph.edges
        if edge.type in steps.types and edge.tier <= steps.floor
    ]
    depths, queue = {start: 0}, deque([start])
    while queue:
        at = queue.popleft()
        for one, other in edges:
            if one == at and other not in depths:
                depths[other] = depths[at] + 1
                queue.append(other)
    return {
        symbol: (at, sum(other == symbol and depths.get(one) == at - 1 for one, other in edges))
        for symbol, at in depths.items()
        if 0 < at <= depth
    }


@settings(max_examples=200, deadline=None)
@given(
    GRAPHS,
    st.sampled_from(NAMES),
    st.integers(1, 6),
    st.booleans(),
    st.sampled_from((Tier.RESOLVED, Tier.FLOWED)),
)
def test_a_walk_finds_what_a_search_edge_by_edge_finds(graph, start, depth, incoming, floor):
    table = table_of(graph)
    steps = Steps(frozenset({EdgeType.CALLS, EdgeType.INHERITS}), floor, incoming)
    levels, further = walk(table, starts(table, start, inside=False), steps, depth)
    found = {
        table.symbol(symbol): (at, sites)
        for at, level in enumerate(levels, 1)
        for symbol, sites in zip(level.symbols.tolist(), level.sites.tolist(), strict=True)
    }
    everything = brute(graph, start, steps, depth + 1)
    assert found == {symbol: row for symbol, row in everything.items() if row[0] <= depth}
    assert further == len(everything) - len(found)
    for level in levels:
        for symbol, number in zip(level.symbols.tolist(), level.edges.tolist(), strict=True):
            edge = table.edge(number)
            assert symbol == table.find(edge.src if incoming else edge.dst)


def test_a_walk_that_forgets_what_it_saw_is_found_out(monkeypatch):
    step = walking._step

    def forgetful(table, frontier, seen, *rest):
        return step(table, frontier, np.zeros_like(seen), *rest)

    monkeypatch.setattr(walking, "_step", forgetful)
    with pytest.raises(AssertionError):
        test_a_walk_finds_what_a_search_edge_by_edge_finds()


# ------------------------------------------------------------------ confidence


def test_confidence_is_a_lower_bound_and_unmeasured_without_a_sample():
    assert confidence("cobol", Tier.RESOLVED) is None
    assert confidence("python", None) is None
    assert wilson(0, 0) == 0.0
    assert round(wilson(99, 100), 4) == 0.9455
    assert wilson(400, 400) > 0.99


def test_rows_carry_what_was_measured(engine, monkeypatch):
    from grainline.retrieval.relations import rows

    monkeypatch.setattr(rows, "confidence_of", lambda language, edge: 0.5)
    assert [row.confidence for row in engine.callers("send").rows] == [0.5]
    assert dataclasses.is_dataclass(engine.callers("send"))


# ------------------------------------------------------------------ what runs in another's place

DRAWN = {
    "s.go": """\
package s

type Shape interface{ Draw() }
type Circle struct{}

func (c Circle) Draw() { Leaf() }
func Leaf()            {}
func Run(s Shape)      { s.Draw() }
func Other()           {}
""",
    "Svc.java": """\
interface Round { void roll(); }
class Ball implements Round { public void roll() { bounce(); } void bounce() {} void rest() {} }
class Svc { void run(Round s) { s.roll(); } }
""",
    "deep.py": """\
class Top:
    def go(self):
        raise NotImplementedError


class Middle(Top):
    pass


class Low(Middle):
    def go(self):
        step()


def step():
    after()


def after():
    pass


def alone():
    pass


def start(top: Top):
    top.go()


class Quiet:
    def hush(self):
        raise NotImplementedError


class Quieter(Quiet):
    def hush(self):
        alone()
""",
}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    root = tmp_path_factory.mktemp("drawn")
    for name, text in DRAWN.items():
        (root / name).write_text(text)
    engine = Engine.open(MEMORY)
    engine.index(str(root))
    yield engine
    engine.close()


@pytest.mark.parametrize(
    ("source", "target", "declared"),
    [
        ("Run", "Leaf", "Shape.Draw"),
        ("Svc.run", "Ball.bounce", "Round.roll"),
        ("deep.start", "deep.step", "deep.Top.go"),
        ("deep.start", "deep.after", "deep.Top.go"),
    ],
)
def test_a_path_through_a_declaration_is_not_denied(drawn, source, target, declared):
    found = drawn.path(source, target)
    assert (found.verdict, found.rows) == (Verdict.UNDETERMINED, ())
    assert found.coverage.warnings == (UNFOLLOWED.format(declared),)
    assert found.coverage.state is State.PARTIAL


@pytest.mark.parametrize(
    ("source", "target"),
    [("Run", "Other"), ("Svc.run", "Ball.rest"), ("deep.start", "deep.alone")],
)
def test_what_no_overriding_method_leads_to_is_denied(drawn, source, target):
    found = drawn.path(source, target)
    assert (found.verdict, found.coverage.warnings) == (Verdict.NO_PATH, ())


def test_callers_of_a_declaration_in_the_way_are_told(drawn):
    for ask in (drawn.callers, drawn.impact):
        found = ask("deep.after", options=RelationOptions(depth=9))
        assert found.coverage.warnings == (UNCOUNTED.format("deep.Top.go"),)
        assert found.coverage.state is State.PARTIAL


def test_a_declaration_that_nobody_calls_is_not_told(drawn):
    found = drawn.callers("deep.alone", options=RelationOptions(depth=9))
    assert [row.node.name for row in found.rows] == ["deep.Quieter.hush"]
    assert (found.coverage.warnings, found.coverage.state) == ((), State.COMPLETE)


def test_a_search_that_forgets_what_overrides_denies_a_path(drawn, monkeypatch):
    from grainline.retrieval.relations import paths

    monkeypatch.setattr(paths, "called_before", lambda *_: np.empty(0, np.int64))
    assert drawn.path("deep.start", "deep.after").verdict is Verdict.NO_PATH

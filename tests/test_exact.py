"""Exact edges in the product: given with the index, believed for the state they were made for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grainline.engine import MEMORY, Engine
from grainline.errors import BadInput, Damaged
from grainline.graph.results import Graph
from grainline.graph.table import table_of
from grainline.graph.tablebytes import encode_table
from grainline.indexing import exact as taking
from grainline.indexing import kept as keeping
from grainline.indexing.kept import Exact, with_exact
from grainline.indexing.pipeline import IndexOptions
from grainline.model.access import AccessRule, Policy
from grainline.model.edge import Edge, EdgeType, Method, Symbol, Tier, Unresolved, Why
from grainline.model.position import Span
from grainline.model.relations import GraphOptions
from grainline.model.search import Filters
from grainline.precise import scip_export as exporting
from grainline.precise.scip_export import Naming, export, write

FILES = {
    "pay.py": "import bank\n\ndef refund(order, handler):\n    bank.send(order)\n    handler.handle(order)\n",
    "bank.py": "def send(order):\n    return order\n\ndef handle(order):\n    return order\n",
}
AT = FILES["pay.py"].index("handle(")
DYNAMIC = Edge(
    EdgeType.CALLS,
    Symbol(b"pay.py", "refund()."),
    Symbol(b"bank.py", "handle()."),
    Span(AT, AT + len("handle")),
    (Method.FLOW,),
    Tier.FLOWED,
    1,
)
POLICY = Policy(
    epoch=0,
    users=(("ann", ("team",)), ("bob", ("team", "vault"))),
    rules=(
        AccessRule(repository="", prefix=b"", groups=("team",)),
        AccessRule(repository="", prefix=b"bank.py", groups=("vault",)),
    ),
)


@pytest.fixture
def tree(tmp_path):
    for path, text in FILES.items():
        (tmp_path / path).write_text(text)
    return tmp_path


@pytest.fixture
def engine(tree):
    engine = Engine.open(MEMORY)
    engine.index(str(tree), name="pay", options=IndexOptions(workers=0))
    yield engine
    engine.close()


def scip(engine):
    """An index of the same files that knows one more call."""
    corpus = engine.corpus()
    return index_of(list(taking.files_of(corpus)), [DYNAMIC])


def index_of(files, edges):
    data = write(export(files, edges, Naming(package="pay", version="1")).index)
    return taking.read_index(data, "index.scip")


def callers(engine, **scope):
    result = engine.callers("bank.handle", scope=engine.scope(**scope))
    return [(row.src, row.tier) for row in result.rows]


def test_an_exact_edge_is_there_for_who_may_read_all_that_its_index_saw(engine):
    assert callers(engine) == []
    (report,) = engine.exact("pay", scip(engine))
    assert (report.matched, report.stale, dict(report.counts)["added"]) == (2, (), 1)
    assert callers(engine) == [("pay.refund", Tier.EXACT)]
    engine.set_policy(POLICY)
    assert callers(engine, principal="bob") == [("pay.refund", Tier.EXACT)]


def answer(engine, principal):
    result = engine.callees("pay.refund", scope=engine.scope(principal=principal))
    return result.rows, result.totals, dict(result.coverage.channels)


def test_who_may_not_read_one_file_is_answered_as_if_there_were_no_index(engine):
    engine.set_policy(POLICY)
    before = answer(engine, "ann")
    engine.exact("pay", scip(engine))
    assert answer(engine, "ann") == before
    assert answer(engine, "bob") != before


def test_the_check_finds_edges_that_serve_everybody(engine, monkeypatch):
    """What a fault would give away is noticed twice: the answer differs, or names no file."""
    whole = keeping.read_exact
    monkeypatch.setattr(
        keeping, "read_exact", lambda value: tuple(e._replace(consumed=()) for e in whole(value))
    )
    engine.set_policy(POLICY)
    engine.exact("pay", scip(engine))
    with pytest.raises(Damaged, match="names a file that is not there"):
        answer(engine, "ann")


def test_another_state_of_the_files_has_no_exact_edges(engine, tree):
    engine.exact("pay", scip(engine))
    (tree / "bank.py").write_text(FILES["bank.py"] + "\n")
    engine.index(str(tree), options=IndexOptions(workers=0))
    assert callers(engine) == []


def test_an_index_of_another_text_is_told_and_not_believed(engine, tree):
    data = scip(engine)
    (tree / "pay.py").write_text("def other():\n    return 1\n" * 4)
    engine.index(str(tree), options=IndexOptions(workers=0))
    (report,) = engine.exact("pay", data)
    assert report.stale == (b"pay.py",)
    assert callers(engine) == []


@pytest.mark.parametrize("data", [b"\xff\xff\xff", b"no index at all" * 9], ids=["short", "text"])
def test_what_is_no_index_is_refused(engine, data):
    with pytest.raises(BadInput, match=r"index\.scip.*no SCIP index"):
        taking.read_index(data, "index.scip")
    with pytest.raises(BadInput, match="nothing is indexed"):
        engine.exact("other", scip(engine))


def test_a_call_with_an_exact_target_is_not_unresolved():
    site = Span(3, 9)
    exact = DYNAMIC._replace(site=site, tier=Tier.EXACT, methods=(Method.SCIP,))
    calls = (
        Unresolved(DYNAMIC.src, site, "handler", Why.INJECTION),
        Unresolved(DYNAMIC.src, Span(20, 30), "other", Why.DYNAMIC),
    )
    own = table_of(Graph(edges=(), unresolved=calls, cuts=2))
    both = with_exact(own, table_of(Graph(edges=(exact,), unresolved=(), cuts=0)))
    assert [both.edge(0), both.unresolved_call(0), both.cuts] == [exact, calls[1], 2]
    assert len(both.unresolved.src) == 1


def test_exact_edges_are_kept_as_bytes():
    table = table_of(Graph(edges=(DYNAMIC,), unresolved=(), cuts=0))
    kept = (Exact("one", table, (b"a", b"\xff"), 3), Exact("two", table, (), 0))
    value = keeping.encode_exact(kept)
    again = keeping.read_exact(value)
    assert [each._replace(table=table) for each in again] == list(kept)
    assert {encode_table(each.table) for each in again} == {encode_table(table)}
    assert keeping.read_exact(value.replace(b"GLX2", b"GLX0", 1)) == ()
    for end in range(0, len(value), 7):
        assert len(keeping.read_exact(value[:end])) < 2


def test_of_two_sources_each_serves_who_may_read_what_it_saw(engine):
    """An index of one file, and one of both."""
    files = list(taking.files_of(engine.corpus()))
    engine.exact("pay", scip(engine))
    one = index_of([file for file in files if file.path == b"pay.py"], [])
    engine.exact("pay", replace(one, tool="another"))
    said = keeping.read_exact(engine._base.derived.get("exact", exact_key_of(engine)))
    assert [(each.source, each.consumed) for each in said] == [
        ("another", (b"pay.py",)), ("grainline", (b"bank.py", b"pay.py")),
    ]  # fmt: skip
    engine.set_policy(POLICY)
    ann = dict(engine.callees("pay.refund", scope=engine.scope(principal="ann")).coverage.channels)
    bob = dict(engine.callees("pay.refund", scope=engine.scope(principal="bob")).coverage.channels)
    assert ann["graph"] == bob["graph"] == "on, with exact edges that contradict 0 others"
    assert callers(engine, principal="bob") == [("pay.refund", Tier.EXACT)]


def exact_key_of(engine):
    (row,) = engine._base.views()
    return keeping.exact_key(row.view, row.generation)


def test_another_index_of_the_same_state_takes_the_place_of_the_first(engine):
    """Also in a process that has joined the first one already."""
    engine.exact("pay", scip(engine))
    assert callers(engine) == [("pay.refund", Tier.EXACT)]
    other = Engine(engine._base, MEMORY)
    files = list(taking.files_of(engine.corpus()))
    other.exact("pay", index_of(files, []))
    assert callers(engine) == []
    other.close()


# ------------------------------------------------------------------------------ export


def test_an_export_that_is_taken_again_confirms_the_edges(engine):
    written = engine.scip()
    counts = dict(written.coverage.not_covered)
    (report,) = engine.exact("pay", taking.read_index(written.data, "index.scip"))
    said = dict(report.counts)
    assert (written.documents, written.edges) == (2, 2)
    assert (report.matched, report.stale, report.unreadable) == (2, (), 0)
    assert (said["upgraded"], said["contradicted"], said["unmatched"]) == (written.edges, 0, 0)
    assert said["added"] == 0
    assert counts == {}


def test_the_check_finds_an_export_that_names_other_symbols(engine, monkeypatch):
    """Were symbols without their folders and files, namesakes would be one."""
    monkeypatch.setattr(exporting, "namespaces", lambda path: "")
    (report,) = engine.exact("pay", taking.read_index(engine.scip().data, "index.scip"))
    assert dict(report.counts)["upgraded"] < engine.scip().edges


def test_an_export_holds_what_its_reader_may_read(engine):
    whole = engine.scip()
    engine.set_policy(POLICY)
    part = engine.scip(scope=engine.scope(principal="ann"))
    assert engine.scip(scope=engine.scope(principal="bob")).data == whole.data
    assert (part.documents, part.edges) == (1, 0)
    assert b"bank.py" in whole.data
    assert b"bank.py" not in part.data
    apart = engine.without_unreadable("ann").scip()
    assert part.data == apart.data


def test_filters_types_and_floors_choose_what_is_exported(engine):
    calls = engine.scip(options=GraphOptions())
    assert (calls.documents, calls.edges) == (2, 1)
    one = engine.scip(options=GraphOptions(filters=Filters(paths=("pay.py",))))
    assert (one.documents, one.edges) == (1, 0)
    assert engine.scip(options=GraphOptions(floor=Tier.EXACT)).edges == 0


def test_an_index_of_several_states_is_refused(engine, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.py").write_text("x = 1\n")
    engine.index(str(tmp_path / "other"), name="other", options=IndexOptions(workers=0))
    with pytest.raises(BadInput, match="2 are in scope"):
        engine.scip()

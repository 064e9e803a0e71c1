"""The machine interface: keys, their order, and what may stand in them."""

from __future__ import annotations

import base64
import dataclasses
import json

import pytest

from grainline import errors
from grainline.model.answers import (
    Check,
    IndexReport,
    OutlineNode,
    OutlineResult,
    PathRow,
    ReadResult,
    RefStatus,
    RepositoryStatus,
    ShownSymbol,
    ShowResult,
    StatusResult,
    ViewReport,
    WhyResult,
)
from grainline.model.chunk import ChunkKind
from grainline.model.edge import EdgeType, Tier
from grainline.model.evidence import ContextItem, ContextResult, EvidenceRole, Profile, Step
from grainline.model.position import Citation, LineSpan, Span, parse_citation
from grainline.model.relations import (
    GraphResult,
    Link,
    Node,
    PathResult,
    Relation,
    RelationResult,
    RelationRow,
    Verdict,
)
from grainline.model.search import (
    CoverageRecord,
    Hit,
    Place,
    SearchResult,
    SnapshotState,
    State,
    SymbolInfo,
)
from grainline.model.snapshot import (
    BlobId,
    Flag,
    FlagName,
    Outcome,
    Reason,
    RepositoryId,
    Snapshot,
)
from grainline.surfaces import wire

COMMIT = "ab" * 20
SNAPSHOT = Snapshot(
    repository=RepositoryId("r"), ref="refs/heads/main", commit=COMMIT, version=COMMIT, dirty=False
)
COVERAGE = CoverageRecord(
    snapshots=(SnapshotState(repository="pay", snapshot=SNAPSHOT, generation="77"),),
    state=State.BOUNDED,
    not_covered=(("failed", 2),),
    omitted=3,
    channels=(("lexical", "on"), ("dense", "off: not built")),
    warnings=("look here",),
)
COVERAGE_KEYS = [
    "snapshots",
    "state",
    "not_covered",
    "omitted",
    "floor",
    "channels",
    "warnings",
]
INFO = SymbolInfo(
    name="apply",
    qualified_name="pay.refund.Service.apply",
    kind="method",
    signature="def apply(self)",
    doc="Applies.",
    descriptor="Service#apply().",
    parent="pay.refund.Service",
)


def place(path=b"src/pay/refund.py"):
    return Place(
        repository="pay",
        snapshot=SNAPSHOT,
        path=path,
        blob=BlobId("cd" * 20),
        language="python",
        span=Span(10, 40),
        lines=LineSpan(2, 3),
        citation=Citation(path=path, lines=LineSpan(2, 3), version=COMMIT),
        flags=(Flag(FlagName.TEST, "path:tests/"),),
    )


def hit(path=b"src/pay/refund.py", symbol=INFO):
    return Hit(
        rank=1,
        place=place(path),
        chunk_id="ff",
        kind=ChunkKind.SYMBOL if symbol else ChunkKind.BLOCK,
        symbol=symbol,
        module="pay.refund",
        imports=("pay.money",),
        calls=("audit",),
        score=1.5,
        channels=(("lexical", 1.25), ("symbol", 0.25)),
        also_at=(),
        text="def apply(self):\n    pass\n",
    )


def test_search_has_the_documented_keys_in_order():
    found = wire.search(
        SearchResult(query="q", hits=(hit(),), total=1, cursor=None, coverage=COVERAGE)
    )
    assert list(found) == ["schema", "query", "results", "total", "cursor", "coverage"]
    assert list(found["coverage"]) == COVERAGE_KEYS
    (row,) = found["results"]
    documented = [
        "rank",
        "repo",
        "ref",
        "commit",
        "blob",
        "path",
        "start_line",
        "end_line",
        "language",
        "module",
        "symbol",
        "qualified_name",
        "signature",
        "kind",
        "parent",
        "imports",
        "calls",
        "called_by",
        "score",
        "channels",
        "citation",
        "also_at",
        "text",
    ]
    assert [key for key in row if key in documented] == documented
    assert row["citation"] == f"src/pay/refund.py:2-3@{COMMIT}"
    assert row["channels"] == {"lexical": 1.25, "symbol": 0.25}
    assert row["kind"] == "method"
    assert (row["start_line"], row["end_line"]) == (2, 3)


def test_a_chunk_without_a_symbol_has_nulls():
    row = wire.hit(hit(symbol=None))
    assert row["symbol"] is row["qualified_name"] is row["signature"] is row["parent"] is None
    assert row["kind"] == "block"


def test_coverage_is_told_in_full():
    found = wire.search(SearchResult(query="q", hits=(), total=0, cursor="c", coverage=COVERAGE))
    assert found["coverage"] == {
        "snapshots": [
            {
                "repo": "pay",
                "ref": "refs/heads/main",
                "commit": COMMIT,
                "dirty": False,
                "generation": "77",
            }
        ],
        "state": "bounded",
        "not_covered": {"failed": 2},
        "omitted": 3,
        "floor": None,
        "channels": {"lexical": "on", "dense": "off: not built"},
        "warnings": ["look here"],
    }


@pytest.mark.parametrize("path", [b"caf\xe9.py", b"\xff/\xfe"], ids=["latin1", "bytes"])
def test_a_path_that_is_not_utf8_comes_escaped_with_its_bytes_beside(path):
    row = wire.hit(hit(path))
    assert base64.b64decode(row["path_b64"]) == path
    assert "\\" in row["path"]
    parsed = parse_citation(row["citation"])
    assert parsed is not None
    assert parsed.path == path


def test_a_utf8_path_stands_as_it_is_without_a_second_field():
    row = wire.hit(hit("größe/漢.py".encode()))
    assert row["path"] == "größe/漢.py"
    assert "path_b64" not in row


def context_result(rendered="# Context\n"):
    step = Step(
        type="CALLS",
        src="a.f",
        dst="a.g",
        tier="named",
        methods=("same_file",),
        candidates=1,
        repository="pay",
        path=b"src/a.py",
        line=7,
    )
    item = ContextItem(
        place=place(),
        symbol=INFO,
        spans=(LineSpan(2, 2), LineSpan(3, 3)),
        level=2,
        role=EvidenceRole.CALLEE,
        via=(step,),
        why="called at line 7",
        tokens=42,
        text="x\n",
    )
    return ContextResult(
        query="q",
        profile=Profile.IMPACT,
        budget=100,
        tokens=90,
        tokenizer="t/1",
        items=(item,),
        omitted=1,
        cursor=None,
        coverage=COVERAGE,
        rendered=rendered,
    )


def test_context_has_the_documented_keys_in_order():
    found = wire.context(context_result())
    assert list(found) == [
        "schema",
        "query",
        "profile",
        "budget",
        "tokens",
        "tokenizer",
        "items",
        "paths",
        "omitted",
        "cursor",
        "coverage",
        "markdown",
    ]
    (item,) = found["items"]
    assert list(item) == [
        "repo",
        "ref",
        "commit",
        "blob",
        "path",
        "start_line",
        "end_line",
        "spans",
        "symbol",
        "level",
        "role",
        "via",
        "why",
        "tokens",
        "citation",
        "text",
    ]
    assert item["spans"] == [[2, 2], [3, 3]]
    (edge,) = item["via"]
    assert list(edge) == (
        [
            "type",
            "src",
            "dst",
            "repo",
            "path",
            "line",
            "tier",
            "confidence",
            "methods",
            "candidates",
        ]
    )
    assert found["markdown"] == "# Context\n"


def test_a_json_context_is_the_object_itself():
    rendered = '{"schema":1,"query":"q","items":[],"markdown":null}'
    assert wire.context(context_result(rendered)) == json.loads(rendered)


def test_read_show_and_outline():
    read = wire.read(ReadResult(place=place(), text="x\n", coverage=COVERAGE))
    assert list(read) == (
        [
            "schema",
            "citation",
            "repo",
            "ref",
            "commit",
            "blob",
            "path",
            "start_line",
            "end_line",
            "text",
            "coverage",
        ]
    )
    shown = ShownSymbol(info=INFO, place=place(), text="x\n")
    show = wire.show(ShowResult(symbols=(shown, shown), ambiguous=True, coverage=COVERAGE))
    assert list(show) == ["schema", "symbols", "ambiguous", "coverage"]
    assert {"symbol", "kind", "signature", "doc", "citation", "text"} <= set(show["symbols"][0])
    leaf = OutlineNode(info=INFO, place=place())
    tree = OutlineNode(info=INFO, place=place(), children=(leaf, leaf))
    outline = wire.outline(OutlineResult(path=b"a.py", nodes=(tree,), coverage=COVERAGE))
    (node,) = outline["symbols"]
    assert [child["children"] for child in node["children"]] == [[], []]


def test_status_why_and_index_count_every_outcome():
    row = PathRow(
        path=b"a.bin", outcome=Outcome.SKIPPED, reason=Reason.BINARY, language="", symbols=0
    )
    ref = RefStatus(
        ref="refs/heads/main",
        snapshot=SNAPSHOT,
        generation="77",
        state="ready",
        counts=((Outcome.SKIPPED, 1),),
        paths=(row,),
    )
    status = wire.status(
        StatusResult(repositories=(RepositoryStatus(repository="pay", root="/r", refs=(ref,)),))
    )
    assert status["channels"] == {}  # no work tree: nothing to say of one
    known = wire.status(StatusResult(repositories=(), work_tree="on; looked at 2 s ago"))
    assert known["channels"] == {"work_tree": "on; looked at 2 s ago"}
    found = status["repositories"][0]["refs"][0]
    assert list(found) == [
        "ref", "commit", "dirty", "generation", "state", "counts", "parsed_in_part", "paths",
    ]  # fmt: skip
    assert found["counts"] == {"indexed": 0, "indexed_as_text": 0, "skipped": 1, "failed": 0}
    assert found["paths"][0]["reason"] == "binary"
    why = wire.why(WhyResult(repository="pay", row=row, rules=("content:nul",)))
    assert why["rules"] == ["content:nul"]
    assert why["outcome"] == "skipped"
    view = ViewReport(
        repository="pay", snapshot=SNAPSHOT, generation="77", counts=((Outcome.FAILED, 1),)
    )
    report = wire.index(IndexReport(views=(view,), seconds=1.23456))
    assert report["views"][0]["counts"]["failed"] == 1
    assert report["seconds"] == 1.235


def test_doctor_is_ok_only_when_every_check_is():
    good, bad = Check(name="a", ok=True), Check(name="b", ok=False, detail="d", repair="r")
    assert wire.doctor([good])["ok"] is True
    assert wire.doctor([good, bad])["ok"] is False
    assert list(wire.doctor([bad])["checks"][0]) == ["name", "ok", "detail", "repair"]


def test_every_error_has_the_one_shape():
    failure = errors.BadInput("unknown_ref", "not indexed", subject="pay@x", hint="run index")
    assert wire.error(failure) == {
        "schema": 1,
        "error": {
            "code": "unknown_ref",
            "message": "pay@x: not indexed",
            "path": None,
            "hint": "run index",
        },
    }


def test_what_is_printed_is_always_valid_utf8_json():
    text = wire.dumps({"a": "\udcff\u2028\x00漢", "b": ["\ud800"]})
    assert json.loads(text.encode("utf-8")) == {"a": "\ufffd\u2028\x00漢", "b": ["\ufffd"]}


EDGE_KEYS = [
    "type", "src", "dst", "repo", "path", "line", "tier", "confidence", "methods", "candidates",
]  # fmt: skip
NODE = Node(
    name="pay.refund", kind="function", repository="pay", path=b"src/\xff.py", line=2,
    language="python", descriptor="refund().", test=True,
)  # fmt: skip
ROW = RelationRow(
    type=EdgeType.CALLS, src="pay.refund", dst="pay.charge", node=NODE, repository="pay",
    path=b"src/\xff.py", line=3, tier=Tier.FLOWED, confidence=0.9, methods=("flow",),
    candidates=2, depth=1, text="charge()", sites=4,
    citation=Citation(path=b"src/\xff.py", lines=LineSpan(3, 3), version=COMMIT),
)  # fmt: skip


def test_rows_are_edges_with_depth_symbol_and_text():
    found = wire.relation(
        RelationResult(
            relation=Relation.CALLERS, subjects=(NODE,), ambiguous=False, rows=(ROW,),
            totals=((1, 12), (2, 40)), tests=((1, 3),), weaker=2, unresolved=(("dynamic", 1),),
            cursor="c", coverage=COVERAGE,
        )
    )  # fmt: skip
    assert list(found)[:2] == ["schema", "relation"]
    assert {"symbol", "rows", "totals", "coverage"} <= set(found)
    assert found["symbol"] == "pay.refund"
    assert found["totals"] == {"1": 12, "2": 40}
    assert found["tests"] == {"1": 3}
    (row,) = found["rows"]
    assert [key for key in row if key in EDGE_KEYS] == EDGE_KEYS
    assert base64.b64decode(row["path_b64"]) == b"src/\xff.py"
    told = (row["type"], row["tier"], row["depth"], row["symbol"], row["text"], row["test"])
    assert told == ("CALLS", "flowed", 1, "pay.refund", "charge()", True)
    json.loads(wire.dumps(found))


def test_a_leaf_has_no_tier():
    leaf = Node(name="os.stat", kind="external", external=True)
    row = dataclasses.replace(ROW, node=leaf, dst="os.stat", tier=None, confidence=None)
    result = PathResult(
        source=(NODE,), target=(leaf,), verdict=Verdict.PATH, rows=(row,), total=1, reached=2,
        unresolved=(), coverage=COVERAGE,
    )  # fmt: skip
    found = wire.relation_path(result)
    assert (found["verdict"], found["to"], found["total_paths"]) == ("path", "os.stat", 1)
    assert (found["rows"][0]["tier"], found["rows"][0]["external"]) == (None, True)


def test_a_graph_has_nodes_and_edges_between_their_positions():
    leaf = Node(name="os.stat", kind="external", external=True)
    link = Link(
        type=EdgeType.OVERRIDES, src=0, dst=1, line=3, site=Span(1, 2), tier=Tier.RESOLVED,
        confidence=None, methods=("type",), candidates=1,
    )  # fmt: skip
    found = wire.graph(
        GraphResult(
            types=(EdgeType.OVERRIDES,), nodes=(NODE, leaf), links=(link,),
            unresolved=(("external", 1),), coverage=COVERAGE,
        )
    )  # fmt: skip
    assert {"schema", "nodes", "edges", "unresolved", "coverage"} <= set(found)
    assert {"symbol", "kind", "path", "line", "external"} <= set(found["nodes"][0])
    (edge,) = found["edges"]
    assert [key for key in edge if key in EDGE_KEYS] == EDGE_KEYS
    assert (edge["src"], edge["dst"], edge["from"], edge["to"]) == ("pay.refund", "os.stat", 0, 1)

"""Edges beside those of one language: cases of `tests/cases/graph/bridge_*.md`, and laws.

A case is files and, in a block `edges`, every edge of the rule that the file is called after:
`PATH DESCRIPTOR -> PATH DESCRIPTOR "text of the site" tier candidates`.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from grainline.graph.bridges import base
from grainline.graph.bridges.base import BRIDGES, METHODS, Bridge, Found, bridged
from grainline.graph.bridges.packages import package_symbol, provided
from grainline.graph.confidence import confidence, confidence_of
from grainline.graph.table import joined
from grainline.graph.tablebytes import encode_table
from grainline.model.edge import Edge, EdgeType, Method, Symbol, Tier
from grainline.model.position import Span
from helpers.bridges import bridges_of, ground_of

FOLDER = Path(__file__).parent / "cases" / "graph"
FILE = re.compile(r"^(```+)[a-z]+ path=(\S+)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
EDGES = re.compile(r"^```edges\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def cases():
    for path in sorted(FOLDER.glob("bridge_*.md")):
        sections = path.read_text(encoding="utf-8").split("\n## ")[1:]
        assert sections, path
        for section in sections:
            title, _, body = section.partition("\n")
            files = {name: text for _, name, text in FILE.findall(body)}
            edges = EDGES.search(FILE.sub("", body))
            assert edges, title
            rule = path.stem.removeprefix("bridge_")
            yield pytest.param(rule, files, edges[1].split("\n")[:-1], id=f"{rule}: {title}")


CASES = list(cases())
WORLDS = [case.values[1] for case in CASES]


def told(edge, files):
    """An edge as cases write it."""
    ends = [f"{end.path.decode()} {end.descriptor}".strip() for end in (edge.src, edge.dst)]
    site = files[edge.src.path.decode()].encode()[edge.site.start : edge.site.end].decode()
    count = f" {edge.candidates}" if edge.candidates > 1 else ""
    return f'{ends[0]} -> {ends[1]} "{site}" {edge.tier.name.lower()}{count}'


@pytest.mark.parametrize(("rule", "files", "expected"), CASES)
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_a_rule_finds_what_the_case_says(rule, files, expected, newline):
    files = {path: text.replace("\n", newline) for path, text in files.items()}
    table = bridged(ground_of(files), [BRIDGES.get(rule)])
    found = [told(table.edge(number), files) for number in range(len(table))]
    assert sorted(found) == sorted(expected)


def test_every_rule_has_cases_and_a_method_of_its_own():
    assert {case.values[0] for case in CASES} == set(BRIDGES.names())
    assert {rule.method for rule in BRIDGES} == METHODS
    assert len(METHODS) == len(BRIDGES.names())


@pytest.mark.parametrize("files", WORLDS, ids=lambda files: next(iter(files)))
def test_the_order_of_files_does_not_matter(files):
    rows = list(files.items())
    whole = bridges_of(dict(rows))
    random.Random(1).shuffle(rows)
    assert bridges_of(dict(rows)) == whole


def crossing(table, files):
    """Edges between languages that no bridge made."""
    languages = {file.path: file.language for file in ground_of(files).files}
    edges = [table.edge(number) for number in range(len(table))]
    return [
        edge
        for edge in edges
        if languages[edge.src.path] != languages[edge.dst.path] and METHODS.isdisjoint(edge.methods)
    ]


def whole(files):
    ground = ground_of(files)
    return joined([ground.table, bridged(ground)])


@pytest.mark.parametrize("files", WORLDS, ids=lambda files: next(iter(files)))
def test_no_edge_leads_into_another_language_without_a_bridge(files):
    assert crossing(whole(files), files) == []


def test_an_edge_into_another_language_is_noticed():
    """The seeded fault: a rule that says a call was found by its name."""
    files = {"app.py": "def f(): ...\n", "app.go": "package app\nfunc f() {}\n"}

    def find(ground):
        yield Found(Symbol(b"app.py", "f()."), Symbol(b"app.go", "f()."), Span(4, 5), Tier.RESOLVED)

    fault = Bridge(type=EdgeType.CALLS, method=Method.SCOPE, find=find)
    assert crossing(bridged(ground_of(files), [fault]), files)


def test_a_table_without_bridges_is_that_of_the_languages():
    for files in WORLDS:
        ground = ground_of(files)
        table = joined([ground.table, bridged(ground)]).without(METHODS)
        assert encode_table(table) == encode_table(ground.table)


def test_what_a_bridge_found_has_the_confidence_of_its_type_and_none_of_a_language():
    a, span = Symbol(b"a.py", ""), Span(0, 1)
    edge = Edge(EdgeType.CALLS, a, a, span, (Method.SCOPE,), Tier.RESOLVED, 1)
    assert confidence_of("python", edge) == confidence("python", Tier.RESOLVED)
    for method in METHODS:
        assert confidence_of("python", edge._replace(methods=(method,))) is None
    route = edge._replace(type=EdgeType.ROUTES_TO, methods=(Method.ROUTE,))
    for language in ("python", "java"):
        assert confidence_of(language, route) == confidence("routes_to", Tier.RESOLVED)


def test_packages_of_a_view_by_name():
    files = next(files for files in WORLDS if "ui/package.json" in files)
    found = provided(whole(files))
    assert found["@shop/ui"] == (Symbol(b"ui/lib/main.js", ""),)
    assert found["example.com/shop/v2"] == (Symbol(b"svc/shop.go", ""),)
    assert sorted(found) == ["@shop/ui", "example.com/shop/v2", "shop-api", "shop-core"]
    assert package_symbol(b"m", "a`b").descriptor == "`a``b`:"


def test_a_document_that_is_too_large_says_nothing(monkeypatch):
    files = {"app.py": "def parse_row(): ...\n", "README.md": "`parse_row` and more\n"}
    assert len(bridges_of(files)) == 1
    monkeypatch.setattr(base, "MAX_TEXT", 10)
    assert bridges_of(files) == []

"""Formats of a graph: what is drawn, whatever the names."""

from __future__ import annotations

import json
import random
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline.graph.formats.base import FORMATS, draw
from grainline.model.edge import Edge, EdgeType, Method, Symbol, Tier
from grainline.model.position import Span
from helpers.graphs import graph_of, unit

FILES = {
    "lib.py": "def f():\n    return lambda: 1\n\n\nclass C:\n    def m(self): f()\n",
    "app.py": "from lib import C\n\nC().m()\n",
}
TEXTS = {path.encode(): text.encode() for path, text in FILES.items()}
FACTS = {path: unit(path.decode(), text).outline for path, text in TEXTS.items()}
EDGES = graph_of(FILES).edges
SPACE = "{http://graphml.graphdrawing.org/xmlns}"


def test_json_holds_every_edge_with_its_ends_and_lines():
    shown = json.loads(FORMATS.get("json").render(draw(EDGES, TEXTS, FACTS)))
    nodes = [(n["path"], n["symbol"], n["kind"], n["line"]) for n in shown["nodes"]]
    assert nodes == [
        ("app.py", "", "module", 1),
        ("lib.py", "C#", "class", 5),
        ("lib.py", "C#m().", "method", 6),
        ("lib.py", "f().", "function", 1),
    ]
    rows = [(e["type"], nodes[e["src"]][1], nodes[e["dst"]][1], e["line"]) for e in shown["edges"]]
    assert sorted(rows) == [
        ("calls", "", "C#m().", 3),
        ("calls", "C#m().", "f().", 6),
        ("imports", "", "C#", 1),
        ("instantiates", "", "C#", 3),
    ]
    assert {e["tier"] for e in shown["edges"]} == {"resolved"}


def test_graphml_holds_the_same_graph():
    drawing = draw(EDGES, TEXTS, FACTS)
    root = ElementTree.fromstring(FORMATS.get("graphml").render(drawing))
    declared = {key.get("id"): key.get("attr.name") for key in root.iter(f"{SPACE}key")}
    used = {data.get("key") for data in root.iter(f"{SPACE}data")}
    assert used == set(declared)
    nodes = {
        node.get("id"): {declared[data.get("key")]: data.text for data in node}
        for node in root.iter(f"{SPACE}node")
    }
    rows = [
        (nodes[edge.get("source")]["name"], nodes[edge.get("target")]["name"])
        for edge in root.iter(f"{SPACE}edge")
    ]
    assert sorted(rows) == [("app.py", "C"), ("app.py", "C"), ("app.py", "m"), ("m", "f")]


@pytest.mark.parametrize("name", FORMATS.names())
def test_the_order_of_edges_does_not_matter(name):
    shuffled = random.Random(0).sample(EDGES, len(EDGES))
    render = FORMATS.get(name).render
    assert FORMATS.get(name).name == name
    assert render(draw(shuffled, TEXTS, FACTS)) == render(draw(EDGES, TEXTS, FACTS))


@settings(deadline=None)
@given(st.binary(min_size=1, max_size=20), st.text(max_size=20))
def test_any_path_and_any_descriptor_can_be_written_and_read(path, descriptor):
    edge = Edge(
        EdgeType.CALLS, Symbol(path, descriptor), Symbol(b"b", "f()."), Span(0, 1), (Method.SCOPE,), Tier.FLOWED, 2
    )  # fmt: skip
    drawing = draw([edge], {}, {})
    shown = json.loads(FORMATS.get("json").render(drawing))
    assert len(shown["nodes"]) == len(drawing.nodes)
    root = ElementTree.fromstring(FORMATS.get("graphml").render(drawing).encode())
    assert len(list(root.iter(f"{SPACE}edge"))) == 1


def test_an_empty_graph_is_a_document_too():
    drawing = draw([], {}, {})
    assert json.loads(FORMATS.get("json").render(drawing))["edges"] == []
    assert ElementTree.fromstring(FORMATS.get("graphml").render(drawing)) is not None

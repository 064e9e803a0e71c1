"""Drawings of graphs: names from a repository are text in them, whatever they hold."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline.model.edge import EdgeType, Tier
from grainline.model.position import Span
from grainline.model.relations import GraphResult, Link, Node
from grainline.model.search import CoverageRecord
from grainline.surfaces.cli.graph import FORMATS
from grainline.surfaces.drawings.base import DRAWINGS, arrows

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["</script>", '"]; evil', "a\nb", "end", "\\", '\\"', "<!--", "a -> b", "#quot;", "x\u202ey"]
)


def node(name, path=b"a.py", **values):
    return Node(name=name, kind="function", repository="r", path=path, line=1, **values)


def link(src, dst, tier=Tier.RESOLVED, kind=EdgeType.CALLS):
    return Link(
        type=kind, src=src, dst=dst, line=3, site=Span(0, 4), tier=tier, confidence=None,
        methods=("scope",) if tier is not None else (), candidates=1,
    )  # fmt: skip


def graph(names, pairs, external=()):
    nodes = [node(name, path=b"a.py" if at % 2 else b"b\xff.py") for at, name in enumerate(names)]
    outside = [Node(name=name, kind="external", external=True) for name in external]
    links = [link(*pair) for pair in pairs] + [link(0, len(nodes), None) for _ in outside[:1]]
    return GraphResult(
        types=(EdgeType.CALLS,), nodes=(*nodes, *outside), links=tuple(links), unresolved=(),
        coverage=CoverageRecord(snapshots=()),
    )  # fmt: skip


GRAPHS = st.lists(NAMES, min_size=2, max_size=5).flatmap(
    lambda names: st.builds(
        graph,
        st.just(names),
        st.lists(
            st.tuples(st.integers(0, len(names) - 1), st.integers(0, len(names) - 1)), max_size=6
        ),
        st.lists(NAMES, max_size=1),
    )
)
QUOTED = r'"(?:[^"\\\n]|\\.)*"'
DOT = re.compile(
    rf"digraph grainline {{|}}|rankdir=LR;|(?:node|edge) \[.*\];"
    rf"|subgraph cluster_\d+ {{|label={QUOTED};|n\d+ \[label={QUOTED}(?:, style={QUOTED})?\];"
    rf"|n\d+ -> n\d+ \[label={QUOTED}, color={QUOTED}\];"
)
TEXT = r'"[A-Za-z0-9 _./,#;-]*"'
MERMAID = re.compile(
    rf"flowchart LR|subgraph g\d+\[{TEXT}\]|end|n\d+\[{TEXT}\](?::::external)?"
    r"|n\d+ (?:-->|-\.->)(?:\|[a-z ]+\|)? n\d+|classDef external .*"
)


def test_every_format_but_json_is_a_drawing():
    assert set(FORMATS) == {"json", "scip", *DRAWINGS.names()}


@settings(deadline=None)
@given(GRAPHS)
def test_every_line_of_a_drawing_is_one_that_the_language_has(found):
    for name, grammar in (("dot", DOT), ("mermaid", MERMAID)):
        for line in DRAWINGS.get(name).draw(found).removesuffix("\n").split("\n"):
            assert grammar.fullmatch(line.strip()), (name, line)


@settings(deadline=None)
@given(GRAPHS)
def test_lines_hold_one_pair_each(found):
    text = DRAWINGS.get("lines").draw(found)
    pairs = {(found.nodes[each.src].name, found.nodes[each.dst].name) for each in found.links}
    assert len(text.splitlines() if "\x85" not in text else text.split("\n")[:-1]) <= len(pairs)
    assert all(" -> " in line for line in text.split("\n")[:-1])


@settings(deadline=None, max_examples=30)
@given(GRAPHS)
def test_a_page_holds_its_data_and_nothing_of_it_ends_the_script(found):
    page = DRAWINGS.get("html").draw(found)
    assert page.count("<script") == page.count("</script>") == 2
    assert "http://" not in page
    assert "https://" not in page
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    told = json.loads(data[1])
    assert [row[0] for row in told["nodes"]] == [each.name for each in found.nodes]
    assert len(told["links"]) == len(arrows(found))


@settings(deadline=None, max_examples=30)
@given(GRAPHS)
def test_graphml_is_xml_with_every_edge(found):
    root = ET.fromstring(DRAWINGS.get("graphml").draw(found))
    edges = [each for each in root.iter() if each.tag.endswith("}edge")]
    assert len(edges) == sum(each.tier is not None for each in found.links)


def test_a_page_whose_data_is_not_escaped_is_found_out(monkeypatch):
    from grainline.surfaces.drawings import html

    monkeypatch.setattr(html, "_OPENING", {})
    with pytest.raises(AssertionError):
        test_a_page_holds_its_data_and_nothing_of_it_ends_the_script()


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_graphviz_reads_dot():
    found = graph(['a"b', "c\\", "d\ne"], [(0, 1), (1, 2), (2, 2)], ["</x>"])
    text = DRAWINGS.get("dot").draw(found)
    done = subprocess.run(["dot", "-Tplain"], input=text.encode(), capture_output=True, check=True)
    assert done.stdout.count(b"\nnode ") == 4


def test_the_strongest_of_several_edges_is_drawn():
    found = graph(["a", "b"], [(0, 1, Tier.FLOWED), (0, 1, Tier.RESOLVED), (0, 1, Tier.FLOWED)])
    ((best, sites),) = arrows(found)
    assert (best.tier, sites) == (Tier.RESOLVED, 3)

"""GraphML, as yEd, Gephi and networkx read it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from grainline.graph.formats.base import Drawing, Node, Row
from grainline.model.position import quote_path

_KEYS: Final = (
    ("node", "path", "string"), ("node", "symbol", "string"), ("node", "name", "string"),
    ("node", "kind", "string"), ("node", "line", "int"), ("edge", "type", "string"),
    ("edge", "line", "int"), ("edge", "start", "int"), ("edge", "end", "int"),
    ("edge", "tier", "string"), ("edge", "methods", "string"), ("edge", "candidates", "int"),
)  # fmt: skip
_HEAD: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
)
_FORBIDDEN: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML 1.0 document may hold, escaped or not."""


class GraphMl:
    """A directed graph; what XML cannot hold becomes U+FFFD."""

    name = "graphml"

    def render(self, drawing: Drawing) -> str:
        """The document."""
        return "".join(_pieces(drawing))


def _pieces(drawing: Drawing) -> Iterator[str]:
    yield _HEAD
    for owner, name, kind in _KEYS:
        yield (
            f'  <key id="{owner}.{name}" for="{owner}" attr.name="{name}" attr.type="{kind}"/>\n'
        )
    yield '  <graph id="symbols" edgedefault="directed">\n'
    for number, node in enumerate(drawing.nodes):
        yield f'    <node id="n{number}">{_data("node", _of_node(node))}</node>\n'
    for number, row in enumerate(drawing.rows):
        ends = f'source="n{row.source}" target="n{row.target}"'
        yield f'    <edge id="e{number}" {ends}>{_data("edge", _of_row(row))}</edge>\n'
    yield "  </graph>\n</graphml>\n"


def _of_node(node: Node) -> Iterable[tuple[str, str]]:
    yield "path", quote_path(node.symbol.path)
    yield "symbol", node.symbol.descriptor
    yield "name", node.name
    yield "kind", node.kind
    yield "line", str(node.line)


def _of_row(row: Row) -> Iterable[tuple[str, str]]:
    edge = row.edge
    yield "type", edge.type.value
    yield "line", str(row.line)
    yield "start", str(edge.site.start)
    yield "end", str(edge.site.end)
    yield "tier", edge.tier.name.lower()
    yield "methods", " ".join(method.value for method in edge.methods)
    yield "candidates", str(edge.candidates)


def _data(owner: str, values: Iterable[tuple[str, str]]) -> str:
    return "".join(f'<data key="{owner}.{key}">{_escaped(value)}</data>' for key, value in values)


def _escaped(text: str) -> str:
    kept = _FORBIDDEN.sub("\ufffd", text)
    return kept.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


FORMAT = GraphMl()

"""GraphML, by the format of the graph's own room: for yEd, Gephi, networkx."""

from __future__ import annotations

from grainline.graph.formats.base import FORMATS, Drawing, Node, Row
from grainline.model.edge import Edge, Method, Symbol
from grainline.model.relations import GraphResult, Link
from grainline.model.relations import Node as Shown


class GraphMl:
    """Edges between symbols; what leads outside is left out, for it is no edge."""

    def draw(self, graph: GraphResult) -> str:
        """The document."""
        nodes = tuple(Node(_symbol(node), node.name, node.kind, node.line) for node in graph.nodes)
        rows = tuple(row for link in graph.links if (row := _row(link, graph.nodes)) is not None)
        return FORMATS.get("graphml").render(Drawing(nodes=nodes, rows=rows))


def _symbol(node: Shown) -> Symbol:
    return Symbol(node.path, node.descriptor)


def _row(link: Link, nodes: tuple[Shown, ...]) -> Row | None:
    if link.tier is None:
        return None
    edge = Edge(
        link.type, _symbol(nodes[link.src]), _symbol(nodes[link.dst]), link.site,
        tuple(map(Method, link.methods)), link.tier, link.candidates,
    )  # fmt: skip
    return Row(link.src, link.dst, edge, link.line)


DRAWING = GraphMl()

"""DOT: for Graphviz and what reads its language, a cluster for each file."""

from __future__ import annotations

from itertools import groupby

from grainline.model.edge import Tier
from grainline.model.position import quote_path
from grainline.model.relations import GraphResult, Link, Node
from grainline.surfaces.drawings.base import arrows
from grainline.text.printing import neutral

_COLOURS = {
    Tier.EXACT: "#0b6e4f",
    Tier.RESOLVED: "#2a6fbb",
    Tier.FLOWED: "#b8860b",
    Tier.NAMED: "#b03a2e",
    Tier.AMBIGUOUS: "#7d3c98",
}


class Dot:
    """Edges are coloured by tier and labelled by type; names outside are dashed."""

    def draw(self, graph: GraphResult) -> str:
        """The digraph."""
        lines = [
            "digraph grainline {",
            "  rankdir=LR;",
            '  node [shape=box, style=rounded, fontname="Helvetica"];',
            '  edge [fontname="Helvetica", fontsize=9];',
        ]
        for number, ((repository, path), nodes) in enumerate(
            groupby(enumerate(graph.nodes), key=_place)
        ):
            inside = [f"n{at} [label={quoted(node.name)}{_style(node)}];" for at, node in nodes]
            if not path and not repository:
                lines += [f"  {line}" for line in inside]
                continue
            lines += [f"  subgraph cluster_{number} {{", f"    label={quoted(quote_path(path))};"]
            lines += [f"    {line}" for line in inside] + ["  }"]
        lines += [f"  {_arrow(link, sites)}" for link, sites in arrows(graph)]
        return "\n".join([*lines, "}"]) + "\n"


def _place(numbered: tuple[int, Node]) -> tuple[str, bytes]:
    return numbered[1].repository, numbered[1].path


def _style(node: Node) -> str:
    return ', style="rounded,dashed"' if node.external else ""


def quoted(text: str) -> str:
    """A quoted string: in it only quotes and backslashes mean something."""
    escaped = neutral(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _arrow(link: Link, sites: int) -> str:
    colour = _COLOURS[link.tier] if link.tier is not None else "#777777"
    word = str(link.type).replace("_", " ") + (f" x{sites}" if sites > 1 else "")
    return f"n{link.src} -> n{link.dst} [label={quoted(word)}, color={quoted(colour)}];"


DRAWING = Dot()

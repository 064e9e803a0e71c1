"""Mermaid: a flowchart that Markdown pages show, a subgraph for each file."""

from __future__ import annotations

import re
from itertools import groupby

from grainline.model.edge import EdgeType, Tier
from grainline.model.position import quote_path
from grainline.model.relations import GraphResult, Link, Node
from grainline.surfaces.drawings.base import arrows

_PLAIN = re.compile(r"[^A-Za-z0-9 _./,-]")


class Mermaid:
    """Solid arrows are `resolved` or better, dotted ones weaker; other types than calls are named."""

    def draw(self, graph: GraphResult) -> str:
        """The flowchart."""
        lines = ["flowchart LR"]
        numbered = enumerate(graph.nodes)
        for number, ((repository, path), nodes) in enumerate(groupby(numbered, key=_place)):
            inside = [f"    n{at}[{label(node.name)}]" for at, node in nodes]
            if not path and not repository:
                lines += [f"  n{line.strip()[1:]}:::external" for line in inside]
                continue
            lines += [f"  subgraph g{number}[{label(quote_path(path))}]", *inside, "  end"]
        lines += [f"  {_arrow(link)}" for link, _ in arrows(graph)]
        lines.append("  classDef external stroke-dasharray: 4 3")
        return "\n".join(lines) + "\n"


def _place(numbered: tuple[int, Node]) -> tuple[str, bytes]:
    return numbered[1].repository, numbered[1].path


def label(text: str) -> str:
    """A quoted label: every sign that could mean something is a numbered entity."""
    return '"' + _PLAIN.sub(lambda found: f"#{ord(found[0])};", text) + '"'


def _arrow(link: Link) -> str:
    strong = link.tier is not None and link.tier <= Tier.RESOLVED
    arrow = "-->" if strong else "-.->"
    word = "" if link.type is EdgeType.CALLS else f"|{str(link.type).replace('_', ' ')}|"
    return f"n{link.src} {arrow}{word} n{link.dst}"


DRAWING = Mermaid()

"""HTML: one page with the graph in it, to look around in; it loads nothing from anywhere.

The page begins with files and folds every file that is not opened into one dot, so that thousands
of symbols stay readable. The script beside this file draws; the data is JSON in the page.
"""

from __future__ import annotations

import json
import pkgutil
from typing import Any

from grainline.model.position import quote_path
from grainline.model.relations import GraphResult, Link, Node
from grainline.surfaces.drawings.base import arrows

_OPENING = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028",
                          "\u2029": "\\u2029"})  # fmt: skip
"""Signs that could end a script in a page."""


class Html:
    """The page: search, pan, zoom, colours by tier, light and dark."""

    def draw(self, graph: GraphResult) -> str:
        """The page; everything from the repository is data in it."""
        data = {
            "types": [str(kind) for kind in graph.types],
            "nodes": [_node(node) for node in graph.nodes],
            "links": [_link(link, sites) for link, sites in arrows(graph)],
            "unresolved": dict(graph.unresolved),
            "scope": [
                f"{state.repository}@{state.snapshot.ref or state.snapshot.commit}"
                for state in graph.coverage.snapshots
            ],
            "state": str(graph.coverage.state),
        }
        text = json.dumps(data, separators=(",", ":")).translate(_OPENING)
        page = _part("graph.html").replace("/*STYLE*/", _part("graph.css"))
        return page.replace("/*SCRIPT*/", _part("graph.js")).replace("/*DATA*/", text)


def _part(name: str) -> str:
    return (pkgutil.get_data("grainline.surfaces.drawings", f"page/{name}") or b"").decode()


def _node(node: Node) -> list[Any]:
    path = "" if node.external else quote_path(node.path)
    return [node.name, node.kind, node.repository, path, node.line, int(node.test)]


def _link(link: Link, sites: int) -> list[Any]:
    tier = "external" if link.tier is None else link.tier.name.lower()
    return [link.src, link.dst, str(link.type), tier, link.line, sites, link.candidates]


DRAWING = Html()

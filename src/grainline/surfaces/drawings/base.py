"""The seam of drawings, and what several of them need."""

from __future__ import annotations

from typing import Protocol

from grainline.model.relations import GraphResult, Link
from grainline.registry import Registry


class Drawing(Protocol):
    """A form in which a graph is written."""

    def draw(self, graph: GraphResult) -> str:
        """The whole text, with its last line end."""
        ...


DRAWINGS: Registry[Drawing] = Registry(
    "grainline.surfaces.drawings", "DRAWING", skip=frozenset({"base"})
)


def arrows(graph: GraphResult) -> list[tuple[Link, int]]:
    """One edge for each (source, target, type), the strongest, with how many sites it has."""
    best: dict[tuple[int, int, str], tuple[Link, int]] = {}
    for link in graph.links:
        key = (link.src, link.dst, str(link.type))
        known, sites = best.get(key, (link, 0))
        stronger = known.tier is not None and link.tier is not None and link.tier < known.tier
        best[key] = (link if stronger else known, sites + 1)
    return list(best.values())

"""`caller -> callee`, a line for each pair, sorted: for scripts."""

from __future__ import annotations

from grainline.model.relations import GraphResult
from grainline.text.printing import one_line


class Lines:
    """Qualified dotted names around an arrow; what could break a line is spelled out."""

    def draw(self, graph: GraphResult) -> str:
        """The lines."""
        names = [one_line(node.name) for node in graph.nodes]
        pairs = {(names[link.src], names[link.dst]) for link in graph.links}
        return "".join(f"{src} -> {dst}\n" for src, dst in sorted(pairs))


DRAWING = Lines()

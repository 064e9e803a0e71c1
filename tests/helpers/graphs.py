"""Files as units, and symbols as dotted names, for tests of the graph."""

from __future__ import annotations

import re

from grainline.graph.resolve import resolve
from grainline.graph.world import Unit
from grainline.parsing.facts import parse_lazily

_PART = re.compile(r"`((?:[^`]|``)+)`|([^#().`/]+)")


def unit(path, text):
    parsed = parse_lazily(text, "python", skeleton_limit=1000)
    return Unit(path.encode(), "python", parsed.lower(), parsed.facts)


def graph_of(files):
    """The graph of `{path: text}`."""
    return resolve([unit(path, text.encode()) for path, text in files.items()])


def dotted(symbol):
    """`module.Class.method` of a symbol."""
    module = symbol.path.decode().removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    descriptor = re.sub(r"\(\+\d+\)", "()", symbol.descriptor)
    return ".".join([module, *(a or b for a, b in _PART.findall(descriptor))])


def edges_of(graph, *types):
    """Edges of some types as readable rows, in order."""
    return [
        (edge.type.value, dotted(edge.src), dotted(edge.dst), edge.tier.name.lower())
        for edge in graph.edges
        if not types or edge.type in types
    ]

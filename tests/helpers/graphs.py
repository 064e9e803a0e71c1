"""Files as units, and symbols as dotted names, for tests of the graph."""

from __future__ import annotations

import re

from grainline.graph.resolve import resolve
from grainline.graph.units import Unit
from grainline.languages.base import LANGUAGES
from grainline.parsing.facts import parse_lazily

_PART = re.compile(r"`((?:[^`]|``)+)`|([^#().`/]+)")


def language_of(path):
    """The language of a path, None for a file that only shapes resolution."""
    suffix = path[path.rfind(".") :]
    return next((spec.name for spec in LANGUAGES if suffix in spec.suffixes and spec.lower), None)


def unit(path, text):
    language = language_of(path) or "python"
    parsed = parse_lazily(text, language, skeleton_limit=1000)
    return Unit(path.encode(), language, parsed.lower(), parsed.facts)


def graph_of(files):
    """The graph of `{path: text}`; what has no language shapes resolution."""
    units = [unit(path, text.encode()) for path, text in files.items() if language_of(path)]
    rest = {path: text.encode() for path, text in files.items() if not language_of(path)}
    return resolve(units, rest)


def dotted(symbol):
    """`module.Class.method` of a symbol."""
    path = symbol.path.decode()
    module = path[: path.rfind(".")].replace("/", ".").removesuffix(".__init__")
    descriptor = re.sub(r"\(\+\d+\)", "()", symbol.descriptor)
    return ".".join([module, *(a or b for a, b in _PART.findall(descriptor))])


def edges_of(graph, *types):
    """Edges of some types as readable rows, in order."""
    return [
        (edge.type.value, dotted(edge.src), dotted(edge.dst), edge.tier.name.lower())
        for edge in graph.edges
        if not types or edge.type in types
    ]

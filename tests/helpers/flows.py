"""Findings of data flow in texts, for tests."""

from __future__ import annotations

from dataclasses import replace

from grainline.flow.analysis import analyse
from grainline.flow.builtin import builtin
from grainline.graph.bridges.base import BRIDGES, bridged
from grainline.graph.resolve import resolve
from helpers.bridges import ground_of
from helpers.graphs import language_of, unit


def flows_of(files, models=None, *, stopped=True):
    """The report on `{path: text}`; what has no language shapes resolution."""
    units, graph = parsed(files)
    return analyse(units, graph, models or builtin(), stopped=stopped)


def parsed(files):
    """The units and the graph of `{path: text}`."""
    units = [unit(path, text.encode()) for path, text in files.items() if language_of(path)]
    rest = {path: text.encode() for path, text in files.items() if not language_of(path)}
    return units, graph_of(files, units, rest)


def graph_of(files, units, rest):
    """The edges of code, and those from files that say what handles a route."""
    graph = resolve(units, rest)
    if not any("operationId" in text for text in files.values()):
        return graph
    table = bridged(ground_of(files), [BRIDGES.get("openapi")])
    edges = (*graph.edges, *(table.edge(number) for number in range(len(table))))
    return replace(graph, edges=edges)


def line_of(files, step):
    """(path, line) of a step."""
    path = step.path.decode()
    return path, files[path].encode().count(b"\n", 0, step.span.start) + 1

"""Files whose data cannot meet: those of languages that no edge leads between are looked at apart.

Each group has bounds of its own, so that a large library in one language leaves those of another as
deep as they would be alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from grainline.graph.results import Graph
from grainline.graph.rules.base import rules_of
from grainline.graph.units import Unit
from grainline.model.edge import Edge, Tier, Unresolved


class Family(NamedTuple):
    """Files of languages that reach each other, with their edges."""

    units: tuple[Unit, ...]
    graph: Graph


def families(units: Sequence[Unit], graph: Graph) -> tuple[Family, ...]:
    """All files in groups: by the rules of their languages, joined where an edge leads on."""
    languages = {unit.language for unit in units}
    group = _joined({name: _family(name) for name in languages}, units, graph.edges)
    names = sorted(set(group.values()))
    if len(names) < 2:
        return (Family(tuple(units), graph),)
    at = {unit.path: group[unit.language] for unit in units}
    edges: dict[str, list[Edge]] = {name: [] for name in names}
    for edge in graph.edges:  # from what is no code to what it routes to
        home = at.get(edge.src.path) or at.get(edge.dst.path)
        if home is not None:
            edges[home].append(edge)
    calls: dict[str, list[Unresolved]] = {name: [] for name in names}
    for call in graph.unresolved:
        home = at.get(call.src.path)
        if home is not None:
            calls[home].append(call)
    return tuple(
        Family(
            tuple(unit for unit in units if group[unit.language] == name),
            replace(graph, edges=tuple(edges[name]), unresolved=tuple(calls[name])),
        )
        for name in names
    )


def _family(language: str) -> str:
    """The first of the languages that are resolved by the same rules."""
    rules = rules_of(language)
    return language if rules is None else min(rules.languages)


def _joined(group: dict[str, str], units: Sequence[Unit], edges: Iterable[Edge]) -> dict[str, str]:
    """Groups that an edge leads between are one."""
    at = {unit.path: unit.language for unit in units}
    for edge in edges:
        one, other = at.get(edge.src.path), at.get(edge.dst.path)
        if one is None or other is None or edge.tier > Tier.FLOWED:
            continue
        first, second = sorted((group[one], group[other]))
        if first != second:
            group = {name: first if each == second else each for name, each in group.items()}
    return group

"""Functions that are handed to something external: it may call them, and nobody sees it do so.

They are `REFERENCES`, at the name that is handed over. What is written as a lambda needs none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from grainline.graph.values import Kind
from grainline.graph.world import Fact, World
from grainline.model.edge import EdgeType, Method
from grainline.model.ir import Op, ScopeKind

_NAMES: Final = frozenset((Op.LOAD, Op.GETATTR))
_WRAPPED: Final = frozenset((Kind.BOUND, Kind.STATIC, Kind.CLASS_METHOD))


def handed(world: World) -> Iterator[tuple[Fact, int]]:
    """Edges from the arguments of external calls to the functions that they are.

    None where every mention of a function has one (`mentions.py`).
    """
    if world.rules.mentions:
        return
    for unit, part in enumerate(world.parts):
        ports: list[list[int]] = world.units[unit].ir.ports.tolist()
        for made in part.calls:
            code, _, first, count = part.ops[made.op][:4]
            if code not in (Op.CALL, Op.NEW) or not _external(world, made.callee):
                continue
            for _, _, value in ports[first : first + count]:
                if part.ops[value][0] in _NAMES:
                    yield from _functions(world, unit, made.scope, value)


def _external(world: World, node: int) -> bool:
    kinds = world.values.kinds
    return any(kinds[value] == Kind.EXTERNAL for value in world.solver.held[node] or ())


def _functions(world: World, unit: int, scope: int, op: int) -> Iterator[tuple[Fact, int]]:
    values, part = world.values, world.parts[unit]
    for value, tier in (world.solver.held[part.nodes[op]] or {}).items():
        target = values.integer(value) if values.kinds[value] in _WRAPPED else value
        if values.kinds[target] != Kind.FUNCTION:
            continue
        where, own = values.place(target)
        if world.parts[where].scopes[own].kind == ScopeKind.FUNCTION:
            method = Method.FLOW if tier else Method.SCOPE
            yield Fact(EdgeType.REFERENCES, unit, scope, op, target, method), tier

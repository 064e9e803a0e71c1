"""Edges of names: what is imported, mentioned, decorated; by what names are bound to, not what runs.

A decorated function is called by its name, though what runs may be what the decorator made of it. So
a call has edges to what runs, and a REFERENCES edge (method `called`) to the definition that its
name is bound to, where that is another one. Imports lead to that definition as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

import numpy as np

from grainline.graph.linking import seed_module
from grainline.graph.parts import Call
from grainline.graph.values import Kind
from grainline.graph.world import Fact, World, fact_of
from grainline.model.edge import EdgeType, Method
from grainline.model.ir import Op, Port

MAX_CHAIN: Final = 8
"""Imports of imports that are followed."""

Place: TypeAlias = "tuple[int, int]"
"""(unit, scope)"""

_DEFINED = {int(Op.FUNCTION): Kind.FUNCTION, int(Op.CLASS): Kind.CLASS}


class Bound:
    """Which decorated definition a node is, by names alone."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._decorated: dict[int, int] = {}
        self._imports: dict[int, Place] = {}
        for unit, part in enumerate(world.parts):
            codes = world.units[unit].ir.ops[:, 0]
            for op in (codes == Op.DECORATE).nonzero()[0].tolist():
                value = self._definition(unit, op)
                if value >= 0:
                    self._decorated[part.nodes[op]] = value
            for op in (codes == Op.IMPORT).nonzero()[0].tolist():
                self._imports[part.base + op] = unit, op
        self.any = bool(self._decorated)
        """Whether there is anything that is decorated."""

    def _definition(self, unit: int, op: int) -> int:
        ops = self._world.parts[unit].ops
        while ops[op][0] == Op.DECORATE:
            op = ops[op][2]
        kind = _DEFINED.get(ops[op][0])
        return -1 if kind is None else self._world.values.of(kind, unit, ops[op][1])

    def of(self, node: int) -> int:
        """The definition that a node stands for; -1 where it is none that is decorated."""
        if not self._decorated:
            return -1
        for _ in range(MAX_CHAIN):
            found = self._decorated.get(node)
            if found is not None:
                return found
            place = self._imports.get(node)
            if place is None:
                return -1
            node = self._member(*place)
        return -1

    def _member(self, unit: int, op: int) -> int:
        """The node of what an import names in its module, -1 where that is not certain."""
        world = self._world
        _, module, member, *_ = world.parts[unit].ops[op]
        names = world.units[unit].ir.names
        if member < 0:
            return -1
        found = seed_module(world, unit, names[module], root=False)
        return self._in_module(found, names[member]) if len(found) == 1 else -1

    def _in_module(self, found: list[int], name: str) -> int:
        (value,) = found
        if self._world.values.kinds[value] != Kind.MODULE:
            return -1
        unit = self._world.values.integer(value)
        return self._world.parts[unit].members.get(name, -1) if unit >= 0 else -1

    def called(self, made: Call) -> int:
        """The decorated definition that the name of a call is bound to, -1 for none."""
        part = self._world.parts[made.unit]
        at = part.ops[made.op][1]
        code, owner, name, *_ = part.ops[at]
        if code == Op.LOAD:
            return self.of(part.nodes[at])
        if code != Op.GETATTR:
            return -1
        held = self._world.solver.held[part.nodes[owner]] or {}
        if len(held) != 1:
            return -1
        ((value, tier),) = held.items()
        word = self._world.units[made.unit].ir.names[name]
        return -1 if tier else self.of(self._attribute(value, word))

    def _attribute(self, value: int, name: str) -> int:
        world = self._world
        kind = world.values.kinds[value]
        if kind == Kind.MODULE:
            return self._in_module([value], name)
        if kind == Kind.INSTANCE:
            value = world.values.integer(value)
        if not world.is_class(value):
            return -1
        return world.classes.member(world.classes.shape(value).order, name)


def mentions(world: World, bound: Bound) -> Iterator[tuple[Fact, int]]:
    """REFERENCES and DECORATES edges."""
    called: dict[Place, set[int]] = {}
    for fact in world.facts if bound.any else ():
        called.setdefault((fact.unit, fact.op), set()).add(fact.target)
    for unit, part in enumerate(world.parts):
        for made in part.calls if bound.any else ():
            if made.decorates or part.ops[made.op][0] != Op.CALL:
                continue
            target = bound.called(made)
            if target >= 0 and target not in called.get((unit, made.op), ()):
                fact = Fact(EdgeType.REFERENCES, unit, made.scope, made.op, target, Method.CALLED)
                yield fact, 0
        if world.rules.mentions:
            yield from _mentioned(world, bound, unit)
        codes = world.units[unit].ir.ops[:, 0]
        decorating: list[int] = (codes == Op.DECORATE).nonzero()[0].tolist()
        for op in decorating:
            yield from _decorates(world, unit, op)


def _decorates(world: World, unit: int, op: int) -> Iterator[tuple[Fact, int]]:
    """From what is decorated to the decorator."""
    ops = world.parts[unit].ops
    decorator, inner = ops[op][1:3]
    while ops[inner][0] == Op.DECORATE:
        inner = ops[inner][2]
    if ops[inner][0] not in _DEFINED:
        return
    named = ops[decorator][1] if ops[decorator][0] == Op.CALL else decorator
    for target in _certain(world, world.parts[unit].nodes[named]):
        yield Fact(EdgeType.DECORATES, unit, ops[inner][1], named, target, Method.SCOPE), 0


def _mentioned(world: World, bound: Bound, unit: int) -> Iterator[tuple[Fact, int]]:
    """Functions and classes that are named and not called there."""
    part, ir = world.parts[unit], world.units[unit].ir
    used, held = _used(world, unit), world.solver.held
    codes = ir.ops[:, 0]
    at: list[int] = ((codes == Op.LOAD) | (codes == Op.GETATTR)).nonzero()[0].tolist()
    for op in at:
        if op in used:
            continue
        code, first, second, _, start, _ = part.ops[op]
        node = part.nodes[op]
        mine = bound.of(node) if code == Op.LOAD else -1
        if mine < 0 and not held[node]:
            continue
        word = ir.names[first if code == Op.LOAD else second].partition("#")[0]
        for target in [mine] if mine >= 0 else _certain(world, node):
            where, definition = world.values.place(target)
            row = world.parts[where].scopes[definition]
            own = where == unit and row.name_start == start  # where it is defined
            if not own and world.units[where].ir.names[row.name] == word:
                scope = world.scope_of(unit, op)
                yield fact_of((EdgeType.REFERENCES, unit, scope, op, target, Method.SCOPE)), 0


def _used(world: World, unit: int) -> set[int]:
    """Operations that something else already tells of: callees, owners, bases, types, exports."""
    ir, part = world.units[unit].ir, world.parts[unit]
    codes = ir.ops[:, 0]
    first = np.isin(codes, (Op.CALL, Op.NEW, Op.DECORATE, Op.GETATTR, Op.SETATTR, Op.ATTACH))
    used: set[int] = set(ir.ops[first, 1].tolist())
    used.update(ir.ops[codes == Op.EXPORT, 2].tolist())
    used.update(op for op, _ in part.typed)
    classes: list[list[int]] = ir.ops[codes == Op.CLASS, 2:4].tolist()
    for start, count in classes:
        rows: list[list[int]] = ir.ports[start : start + count].tolist()
        used.update(value for kind, _, value in rows if kind in (Port.POSITIONAL, Port.INTERFACE))
    return used


def _certain(world: World, node: int) -> Iterator[int]:
    """The functions and classes that a node holds and did not get by flow."""
    values = world.values
    for value, tier in (world.solver.held[node] or {}).items():
        if values.kinds[value] == Kind.BOUND:
            value = values.integer(value)
        known = values.kinds[value] in (Kind.FUNCTION, Kind.CLASS)
        if known and not tier and not world.nameless(value):
            yield value

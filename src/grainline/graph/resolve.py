"""`resolve`: units in, edges and unresolved references out.

First what each file says (`constraints.py`), then linking: modules, bases of classes, and the
fixpoint over all of them (`solver.py`). The files may come in any order.
"""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

from grainline.graph import calls, library, linking
from grainline.graph.classes import Classes
from grainline.graph.constraints import constrain
from grainline.graph.handlers import handlers
from grainline.graph.names import BUILTINS
from grainline.graph.parts import Call, Part, Seed, Use
from grainline.graph.results import Graph, collect
from grainline.graph.solver import Solver
from grainline.graph.values import Kind
from grainline.graph.world import Unit, World
from grainline.languages.modules.python import PythonModules

MAX_ROUNDS = 6
"""Times that what stayed unknown is given its default."""


def resolve(units: Iterable[Unit]) -> Graph:
    """The graph of a visible set of Python files."""
    with _without_collector():
        return collect(fixpoint(units))


@contextmanager
def _without_collector() -> Generator[None]:
    """Keep Python from looking for cycles in what lives to the end (Django: 2.0 s, not 5.0 s)."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def fixpoint(units: Iterable[Unit]) -> World:
    """What every node of the units holds in the end."""
    ordered = sorted((unit for unit in units if unit.language == "python"), key=_path)
    world = _world(ordered)
    for number, part in enumerate(world.parts):
        _link(world, number, part)
    world.solver.run()
    world.early = False
    later, world.later = world.later, []
    for kind, x, y, value, tier, node in later:
        world.solver.handlers[kind](x, y, value, tier, node)
    world.solver.run()
    for _ in range(MAX_ROUNDS):
        if not _defaults(world):
            break
        world.solver.run()
    return world


def _path(unit: Unit) -> bytes:
    return unit.path


def _world(units: list[Unit]) -> World:
    solver = Solver()
    parts: list[Part] = []
    last = 0
    for number, unit in enumerate(units):
        parts.append(constrain(unit.ir, number, last))
        last = parts[-1].last
    solver.grow(last)
    paths = {unit.path.decode("utf-8", "surrogateescape"): at for at, unit in enumerate(units)}
    world = World(
        units=units,
        parts=parts,
        modules=PythonModules(paths),
        solver=solver,
        values=solver.values,
        classes=Classes(solver.values, parts, solver.held),
        firsts=[unit.ir.scopes[:, 6].tolist() for unit in units],
        parents=[unit.ir.scopes[:, 1].tolist() for unit in units],
    )
    solver.handlers = handlers(world)
    return world


def _link(world: World, number: int, part: Part) -> None:
    """Put what a file says before the solver."""
    solver = world.solver
    solver.constants.update(part.constants)
    world.stored |= part.stored
    for node, ops in part.reads.items():
        world.reads[node] = (number, ops)
    for source, target, flow in part.copies:
        solver.static_copy(source, target, flow)
    first = len(world.calls)
    world.calls += part.calls
    for node, kind, given, y in part.uses:
        x: Any = given
        if kind == Use.CALL:
            x += first
        elif kind in _SITES:
            x = (number, x)
        elif kind in (Use.ITEM, Use.SET_ITEM):
            x = (x, (number, y - part.base if kind == Use.ITEM else -1))
        uses = solver.uses[node]
        if uses is None:
            solver.uses[node] = [(kind, x, y)]
        else:
            uses.append((kind, x, y))
        if kind in (Use.KEYED_ITEM, Use.KEYED_SET_ITEM):
            solver.want(node)
    for seed in part.seeds:
        _seed(world, number, *seed)


_SITES = frozenset({Use.ITERATE, Use.ENTER, Use.RAISE})


def _seed(world: World, unit: int, node: int, kind: int, x: Any, y: Any) -> None:
    values, solver = world.values, world.solver
    if kind == Seed.FUNCTION:
        solver.add(node, values.of(Kind.FUNCTION, unit, x), 0)
    elif kind == Seed.CLASS:
        solver.add(node, values.of(Kind.CLASS, unit, x), 0)
    elif kind == Seed.CONTAINER:
        container = world.containers[node] = values.of(Kind.CONTAINER, node, int(y))
        solver.add(node, container, 0)
    elif kind == Seed.SELF:
        klass = values.of(Kind.CLASS, unit, x)
        solver.add(node, values.of(Kind.INSTANCE, klass), 0)
    elif kind == Seed.OWN_CLASS:
        solver.add(node, values.of(Kind.CLASS, unit, x), 0)
    elif kind == Seed.NAME:
        if x in BUILTINS:
            solver.add(node, values.outside(f"builtins.{x}"), 0)
    elif kind == Seed.MODULE:
        for value in linking.seed_module(world, unit, x, root=bool(y)):
            solver.add(node, value, 0)
    else:
        linking.import_member(world, unit, x, y, node)


# ------------------------------------------------------------------------------ defaults


def _defaults(world: World) -> bool:
    """What stayed unknown behaves as it most likely does; whether anything was.

    A decorator of which nothing is known gives back what it decorates; an item of an unknown key
    is any item.
    """
    before = len(world.once)
    for number, made in enumerate(world.calls):
        key = (number, -1, "decorator", 0)
        if made.decorates and key not in world.once:
            world.once.add(key)
            _decorated(world, made)
    for part in world.parts:
        for node, kind, owner, y in part.keyed:
            held = world.solver.held[node] or {}
            if not any(world.values.kinds[value] == Kind.KEY for value in held):
                asked = (node, kind, owner, y)
                if asked not in world.once:
                    world.once.add(asked)
                    world.solver.use(owner, kind, None, y)
    return len(world.once) > before


def _decorated(world: World, made: Call) -> None:
    """A decorator that may give back what it got does; else its result is what it returns."""
    given = world.solver.held[made.arguments[0].node] or {}
    result = world.solver.held[made.result] or {}
    if not library.has_internal(world, made.result) or not result.keys().isdisjoint(given):
        world.solver.copy(made.arguments[0].node, made.result, 0)
        return
    for function, tier in world.decorations.get((made.unit, made.op), ()):
        calls.give_result(world, made, function, tier)

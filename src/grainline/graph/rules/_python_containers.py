"""Methods of the containers and generators of Python."""

from __future__ import annotations

from typing import Final

from grainline.graph.containers import DICT, LIST, argument_of, callback, container_of
from grainline.graph.parts import Argument, Call, Use
from grainline.graph.rules.base import Method
from grainline.graph.values import Kind
from grainline.graph.world import World
from grainline.model.ir import Make, Port


def _call(name: str) -> Method:
    def call(world: World, made: Call, owner: int, tier: int) -> None:
        _call_method(world, made, owner, name, tier)

    return call


def _call_method(world: World, made: Call, owner: int, name: str, tier: int) -> None:
    """A method of a container or generator is called."""
    solver = world.solver
    result = made.result
    first = argument_of(made, 0)
    if world.values.kinds[owner] == Kind.GENERATOR:
        if name in ("send", "__next__", "throw", "asend", "__anext__") and result >= 0:
            solver.copy(world.function(world.values.integer(owner)).yields, result, tier)
        return
    if name in ("append", "add", "appendleft", "insert"):
        argument = argument_of(made, 1 if name == "insert" else 0)
        if argument is not None:
            solver.copy(argument.node, world.item(owner, None), 1)
    elif name in ("extend", "update", "extendleft"):
        _extend(world, made, owner)
    elif name in ("get", "pop", "setdefault", "__getitem__", "popleft", "popitem"):
        _get(world, made, owner, name, tier)
    elif name == "copy" and result >= 0:
        solver.add(result, owner, tier)
    elif name in ("values", "items", "keys") and result >= 0:
        _view(world, made, owner, name, tier)
    elif name == "sort" and first is None:
        for argument in made.arguments:
            passed = (Argument(Port.POSITIONAL, "", world.items(owner)),)
            callback(world, made, argument.node, passed, -1)


def _extend(world: World, made: Call, owner: int) -> None:
    node = world.values.integer(owner)
    for argument in made.arguments:
        if argument.kind == Port.KEYWORD:
            world.solver.copy(argument.node, world.item(owner, f"'{argument.name}"), 1)
        elif world.values.second[owner] == DICT:
            world.solver.use(argument.node, Use.MERGE, None, node)
        else:
            world.solver.use(argument.node, Use.SPREAD, made.op, node)


def _get(world: World, made: Call, owner: int, name: str, tier: int) -> None:
    key, default = argument_of(made, 0), argument_of(made, 1)
    known = world.solver.constants.get(key.node) if key is not None else None
    if name == "setdefault" and default is not None:
        world.solver.copy(default.node, world.item(owner, known), 1)
    if made.result < 0:
        return
    world.read_item(owner, known, made.result, tier)
    if default is not None:
        world.solver.copy(default.node, made.result, 1)


def _view(world: World, made: Call, owner: int, name: str, tier: int) -> None:
    """`values()`, `items()`, `keys()`."""
    view = container_of(world, made, LIST)
    world.solver.add(made.result, view, tier)
    if name == "values":
        world.solver.copy(world.items(owner), world.item(view, None), 0)
    elif name == "items":
        node = world.solver.new()
        pair = world.containers[node] = world.values.of(Kind.CONTAINER, node, int(Make.TUPLE))
        world.solver.add(node, pair, tier)
        world.solver.copy(node, world.item(view, None), 0)
        world.solver.copy(world.items(owner), world.item(pair, "#1"), 0)


_NAMES = """append add appendleft insert extend update extendleft get pop setdefault __getitem__
popleft popitem copy values items keys sort send __next__ throw asend __anext__"""
METHODS: Final[dict[str, Method]] = {name: _call(name) for name in _NAMES.split()}

"""Containers: their methods, and what calls of the library share."""

from __future__ import annotations

from typing import Final

from grainline.graph.parts import Argument, Call, Use
from grainline.graph.values import Kind
from grainline.graph.world import World
from grainline.model.ir import Make, Port

DICT: Final = int(Make.DICT)
LIST: Final = int(Make.LIST)
_MODELLED = """append add appendleft insert extend update extendleft get pop setdefault __getitem__
popleft popitem copy values items keys sort send __next__ throw asend __anext__"""
MODELLED: Final = frozenset(_MODELLED.split())
"""Methods of containers and generators that say something of what they hold."""


def argument_of(made: Call, at: int, name: str = "") -> Argument | None:
    """The argument at a place, or of a name."""
    for index, argument in enumerate(made.arguments):
        if argument.kind == Port.KEYWORD:
            if name and argument.name == name:
                return argument
        elif index == at and argument.kind == Port.POSITIONAL:
            return argument
    return None


def container_of(world: World, made: Call, kind: int) -> int:
    """The container that a call makes."""
    known = world.containers.get(made.result)
    if known is None:
        known = world.containers[made.result] = world.values.of(Kind.CONTAINER, made.result, kind)
    return known


def callback(
    world: World, made: Call, node: int, passed: tuple[Argument, ...], result: int
) -> None:
    """A function among the arguments is called."""
    world.calls.append(made._replace(callee=node, arguments=passed, result=result, decorates=False))
    world.solver.use(node, Use.CALL, len(world.calls) - 1, -1)


def call_method(world: World, made: Call, value: int, tier: int) -> None:
    """A method of a container or generator is called."""
    owner = world.values.integer(value)
    name = world.values.second[value]
    assert isinstance(name, str)
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

"""What models of calls share: arguments, containers that calls make, callbacks."""

from __future__ import annotations

from typing import Final

from grainline.graph.parts import Argument, Call, Use
from grainline.graph.values import Kind
from grainline.graph.world import World
from grainline.model.ir import Make, Port

DICT: Final = int(Make.DICT)
LIST: Final = int(Make.LIST)


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
    world.calls.append(
        made._replace(callee=node, arguments=passed, result=result, decorates=False, new=False)
    )
    world.solver.use(node, Use.CALL, len(world.calls) - 1, -1)


def give_first(world: World, made: Call, number: int, tier: int) -> None:
    """A call that gives back its first argument."""
    argument = argument_of(made, 0)
    if argument is not None and made.result >= 0:
        world.solver.copy(argument.node, made.result, tier)

"""Methods of arrays and hashes that say something of what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from grainline.graph.containers import DICT, LIST, argument_of, callback, container_of
from grainline.graph.parts import Argument
from grainline.graph.rules.base import Method
from grainline.model.ir import Port

if TYPE_CHECKING:
    from grainline.graph.parts import Call
    from grainline.graph.world import World

BLOCK: Final = "yield"


def _block(made: Call) -> int:
    """The node of the block of a call, -1 without one."""
    return next((each.node for each in made.arguments
                 if each.kind == Port.KEYWORD and each.name == BLOCK), -1)  # fmt: skip


def _passed(world: World, owner: int) -> tuple[Argument, ...]:
    """What a block gets: an element, of a hash a key and a value."""
    element = Argument(Port.POSITIONAL, "", world.items(owner))
    if world.values.second[owner] == DICT:
        return (Argument(Port.POSITIONAL, "", world.solver.new()), element)
    return (element,)


def _run(world: World, made: Call, owner: int, result: int) -> None:
    block = _block(made)
    key = (block, made.unit, "block", made.op)
    if block >= 0 and key not in world.once:
        world.once.add(key)
        callback(world, made, block, _passed(world, owner), result)


def _each(world: World, made: Call, owner: int, tier: int) -> None:
    _run(world, made, owner, -1)
    if made.result >= 0:
        world.solver.add(made.result, owner, tier)


def _map(world: World, made: Call, owner: int, tier: int) -> None:
    view = container_of(world, made, LIST)
    _run(world, made, owner, world.item(view, None))
    world.solver.add(made.result, view, tier)


def _some(world: World, made: Call, owner: int, tier: int) -> None:
    """Elements of the same container, or one that holds them."""
    _run(world, made, owner, -1)
    view = container_of(world, made, LIST)
    world.solver.copy(world.items(owner), world.item(view, None), 0)
    world.solver.add(made.result, view, tier)


def _one(world: World, made: Call, owner: int, tier: int) -> None:
    _run(world, made, owner, -1)
    if made.result >= 0:
        world.read_item(owner, None, made.result, tier)


def _fetch(world: World, made: Call, owner: int, tier: int) -> None:
    key = argument_of(made, 0)
    known = world.solver.constants.get(key.node) if key is not None else None
    if made.result >= 0:
        world.read_item(owner, known, made.result, tier)


def _push(world: World, made: Call, owner: int, tier: int) -> None:
    for argument in made.arguments:
        if argument.kind == Port.POSITIONAL:
            world.put(argument.node, owner, None)
    if made.result >= 0:
        world.solver.add(made.result, owner, tier)


def _asks(world: World, made: Call, owner: int, tier: int) -> None:
    del tier
    _run(world, made, owner, -1)


_WORDS: Final = {
    _each: "each each_with_index each_pair each_value reverse_each each_with_object each_slice",
    _map: "map collect filter_map",
    _some: "select filter reject sort sort_by uniq reverse compact take drop to_a values dup freeze shuffle",
    _one: "first last find detect sample pop shift min_by max_by",
    _fetch: "fetch dig at []",
    _push: "push append unshift prepend add <<",
    _asks: "any? all? none? one? count sum each_key partition group_by delete_if keep_if",
}
METHODS: Final[dict[str, Method]] = {
    word: method for method, words in _WORDS.items() for word in words.split()
}

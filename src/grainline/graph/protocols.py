"""What statements call without saying so: iteration, context managers, items."""

from __future__ import annotations

from grainline.graph.containers import DICT
from grainline.graph.members import bind
from grainline.graph.parts import Argument, Call, Use
from grainline.graph.values import Kind
from grainline.graph.world import NEXT, World
from grainline.model.ir import Port


def protocol(
    world: World, site: tuple[int, int], value: int, name: str, result: int, tier: int,
    arguments: tuple[Argument, ...] = (),
) -> bool:  # fmt: skip
    """A statement calls the method `name` of an instance; whether its class has one."""
    klass = world.values.integer(value)
    member = world.classes.member_of(klass, name) if world.is_class(klass) else -1
    if member < 0:
        return False
    key = (*site, name, value << 1 | tier)
    if key in world.protocols:
        return True
    callee = world.solver.new()
    world.protocols[key] = callee
    bind(world, member, value, callee, tier)
    unit, op = site
    scope = world.scope_of(unit, op)
    world.calls.append(Call(unit, op, scope, callee, arguments, result, False))
    world.solver.use(callee, Use.CALL, len(world.calls) - 1, -1)
    return True


def iterate(world: World, site: tuple[int, int], target: int, value: int, tier: int) -> None:
    """`target` takes the elements of `value`."""
    values, solver = world.values, world.solver
    kind = values.kinds[value]
    if kind == Kind.CONTAINER:
        if values.second[value] != DICT:
            solver.copy(world.items(value), target, tier)
    elif kind == Kind.GENERATOR:
        solver.copy(world.function(values.integer(value)).yields, target, tier)
    elif kind == Kind.EXTERNAL:
        solver.add(target, values.outside(f"{values.text(value)}[]"), tier)
    elif kind == Kind.INSTANCE and world.underlying(value) >= 0:
        solver.use(world.underlying(value), Use.ITERATE, site, target)
    elif kind == Kind.INSTANCE:
        key = (*site, "iterator", 0)
        node = world.protocols.get(key)
        if node is None:
            node = world.protocols[key] = solver.new()
            solver.use(node, NEXT, site, target)
        for name in world.rules.protocols.iterators:
            if protocol(world, site, value, name, node, tier):
                return
        protocol(world, site, value, world.rules.protocols.get_item, target, tier)


def following(
    world: World, site: tuple[int, int], target: int, value: int, tier: int, node: int
) -> None:
    """An iterator gives its next element."""
    if world.values.kinds[value] == Kind.INSTANCE:
        for name in world.rules.protocols.nexts:
            if protocol(world, site, value, name, target, tier):
                return
    else:
        iterate(world, site, target, value, tier)


def enter(
    world: World, site: tuple[int, int], target: int, value: int, tier: int, node: int
) -> None:
    """`target` takes what `with` binds."""
    values, solver = world.values, world.solver
    kind = values.kinds[value]
    if kind == Kind.GENERATOR:
        solver.copy(world.function(values.integer(value)).yields, target, tier)
    elif kind == Kind.CONTAINER:
        solver.copy(world.items(value), target, tier)
    elif kind == Kind.EXTERNAL:
        solver.add(target, values.outside(f"{values.text(value)}()"), tier)
    elif kind == Kind.INSTANCE:
        entered = False
        for name in world.rules.protocols.enters:
            entered = protocol(world, site, value, name, target, tier) or entered
        for name in world.rules.protocols.exits:
            protocol(world, site, value, name, -1, tier)
        if not entered:
            solver.add(target, value, 1)


def item(
    world: World, key: str | None, target: int, value: int, tier: int, site: tuple[int, int]
) -> None:
    """`target` takes an item."""
    values, solver = world.values, world.solver
    kind = values.kinds[value]
    if kind == Kind.CONTAINER:
        world.read_item(value, key, target, tier)
    elif kind == Kind.GENERATOR:
        solver.copy(world.function(values.integer(value)).yields, target, tier)
    elif kind == Kind.CLASS:
        solver.add(target, value, tier)  # `Box[int]`
    elif kind in (Kind.FUNCTION, Kind.BOUND):
        if world.nameless(value) or not world.rules.objects:
            solver.add(target, value, tier)  # `map[int]`
    elif kind == Kind.INSTANCE and world.underlying(value) >= 0:
        solver.use(world.underlying(value), Use.ITEM, key, target)
    elif kind == Kind.EXTERNAL:
        solver.add(target, values.outside(f"{values.text(value)}[]"), tier)
    elif kind == Kind.INSTANCE and site[0] >= 0:
        protocol(world, site, value, world.rules.protocols.get_item, target, tier)


def set_item(
    world: World, key: str | None, source: int, value: int, tier: int, site: tuple[int, int]
) -> None:
    """An item takes what `source` holds."""
    kind = world.values.kinds[value]
    if kind == Kind.CONTAINER:
        if world.rules.objects and key is not None and key[0] == "'":
            world.solver.copy(source, world.item(value, key), 0)
        else:
            world.put(source, value, key)
    elif kind == Kind.INSTANCE and world.underlying(value) >= 0:
        world.solver.use(world.underlying(value), Use.SET_ITEM, key, source)
    elif kind == Kind.INSTANCE and site[0] >= 0:
        passed = tuple(Argument(Port.POSITIONAL, "", node) for node in (-2, source))
        protocol(world, site, value, world.rules.protocols.set_item, -1, tier, passed[1:])

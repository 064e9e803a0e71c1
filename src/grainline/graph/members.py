"""Attributes of classes, instances and containers; binding of methods and properties."""

from __future__ import annotations

from typing import Final

from grainline.graph.containers import MODELLED
from grainline.graph.linking import of_module
from grainline.graph.parts import Use
from grainline.graph.values import Kind
from grainline.graph.world import Fact, World
from grainline.model.edge import EdgeType, Method

BIND: Final = len(Use)
"""A use beside those of a part: x: the receiver, y: node of the result."""
BIND_CLASS: Final = len(Use) + 1


def attribute(world: World, name: str, target: int, value: int, tier: int, node: int) -> None:
    """`target` takes the attribute `name` of `value`."""
    values = world.values
    kind = values.kinds[value]
    if kind == Kind.INSTANCE:
        if world.early:
            world.later.append((Use.ATTRIBUTE, name, target, value, tier, node))
        else:
            of_instance(world, name, target, value, tier)
    elif kind == Kind.MODULE:
        of_module(world, value, name, target, tier)
    elif kind == Kind.EXTERNAL:
        world.solver.add(target, values.outside(f"{values.text(value)}.{name}"), tier)
    elif kind == Kind.CLASS:
        _of_class(world, name, target, value, tier, node)
    elif kind == Kind.SUPER:
        if world.early:
            world.later.append((Use.ATTRIBUTE, name, target, value, tier, node))
        else:
            _of_super(world, name, target, value, tier)
    elif kind == Kind.PROPERTY:
        if name in ("setter", "getter", "deleter"):
            world.solver.add(target, values.of(Kind.SETTER, value), tier)
    elif kind in (Kind.CONTAINER, Kind.GENERATOR):
        known = name in MODELLED
        method = values.of(Kind.METHOD, value, name) if known else values.outside(_native(name))
        world.solver.add(target, method, tier)
    elif kind in (Kind.FUNCTION, Kind.BOUND) and name in world.stored:
        world.solver.copy(world.field(value, name), target, tier)


def _native(name: str) -> str:
    """A method of the language that has no model."""
    return f"builtins.{name}"


def of_instance(world: World, name: str, target: int, value: int, tier: int) -> None:
    """An attribute of an instance: fields of all its classes, and the first member."""
    solver, values = world.solver, world.values
    klass = values.integer(value)
    shape = world.classes.shape(klass)
    if name == "__class__":
        solver.add(target, klass, tier)
        return
    if name in world.stored:
        for each in shape.order:
            owner = values.of(Kind.INSTANCE, each)
            solver.copy(world.field(owner, name), target, tier)
    member = world.classes.member_of(klass, name)
    if member >= 0:
        bind(world, member, value, target, tier)
    elif shape.outside:
        solver.add(target, values.outside(f"{shape.outside[0]}.{name}"), tier)


def bind(world: World, member: int, receiver: int, target: int, tier: int) -> None:
    """`target` takes what a member of a class is when it is read from an instance."""
    key = (member, receiver, target)
    if world.bound.get(key, 2) > tier:
        world.bound[key] = tier
        world.solver.use(member, BIND if tier == 0 else BIND_CLASS + 1, receiver, target)


def bound(world: World, receiver: int, target: int, value: int, tier: int, node: int) -> None:
    """A member arrives: functions are bound, properties are read."""
    values = world.values
    kind = values.kinds[value]
    if kind == Kind.FUNCTION:
        value = values.of(Kind.BOUND, value, receiver)
    elif kind == Kind.PROPERTY:
        _read_property(world, value, receiver, target, tier)
        return
    elif kind == Kind.STATIC:
        value = values.integer(value)
    elif kind == Kind.CLASS_METHOD:
        value = values.of(Kind.BOUND, values.integer(value), values.integer(receiver))
    world.solver.add(target, value, tier)


def bound_flowed(
    world: World, receiver: int, target: int, value: int, tier: int, node: int
) -> None:
    """As `bound`, for a receiver that came by flow."""
    bound(world, receiver, target, value, 1, node)


def _read_property(world: World, value: int, receiver: int, target: int, tier: int) -> None:
    function = world.values.integer(value)
    if world.values.kinds[function] != Kind.FUNCTION:
        return
    known = world.function(function)
    if known.parameters:
        world.solver.add(known.parameters[0].node, receiver, 1)
    world.solver.copy(known.returns, target, tier)
    site = world.reads.get(target)
    if site is None:
        return
    unit, ops = site
    for op in ops:
        fact = Fact(EdgeType.READS, unit, world.scope_of(unit, op), op, function, Method.TYPE)
        if world.facts.get(fact, 2) > tier:
            world.facts[fact] = tier


def _of_class(world: World, name: str, target: int, value: int, tier: int, node: int) -> None:
    order = [value] if world.early else world.classes.shape(value).order
    if world.early:
        world.later.append((Use.ATTRIBUTE, name, target, value, tier, node))
    if name in world.stored:
        for each in order:
            world.solver.copy(world.field(each, name), target, tier)
    member = world.classes.member(order, name)
    if member >= 0:
        key = (member, value, target)
        if world.bound.get(key, 2) > tier:
            world.bound[key] = tier
            flow = BIND_CLASS if tier == 0 else BIND_CLASS + 2
            world.solver.use(member, flow, value, target)
    elif not world.early:
        shape = world.classes.shape(value)
        if shape.outside:
            outside = world.values.outside(f"{shape.outside[0]}.{name}")
            world.solver.add(target, outside, tier)


def bound_class(world: World, receiver: int, target: int, value: int, tier: int, node: int) -> None:
    """A member that is read from the class itself."""
    values = world.values
    kind = values.kinds[value]
    if kind == Kind.STATIC:
        value = values.integer(value)
    elif kind == Kind.CLASS_METHOD:
        value = values.of(Kind.BOUND, values.integer(value), receiver)
    world.solver.add(target, value, tier)


def bound_class_flowed(
    world: World, receiver: int, target: int, value: int, tier: int, node: int
) -> None:
    """As `bound_class`, for a class that came by flow."""
    bound_class(world, receiver, target, value, 1, node)


def _of_super(world: World, name: str, target: int, value: int, tier: int) -> None:
    """The member of the class behind `first` in the order of the receiver's class."""
    values = world.values
    klass, receiver = values.integer(value), values.second[value]
    assert isinstance(receiver, int)
    instance = values.kinds[receiver] == Kind.INSTANCE
    own = values.integer(receiver) if instance else receiver
    order = world.classes.shape(own).order
    if klass not in order:
        return
    rest = order[order.index(klass) + 1 :]
    member = world.classes.member(rest, name)
    if member >= 0:
        bind(world, member, receiver, target, tier)
    else:
        outside = world.classes.shape(klass).outside
        if outside:
            world.solver.add(target, values.outside(f"{outside[0]}.{name}"), tier)


def set_attribute(world: World, name: str, source: int, value: int, tier: int, node: int) -> None:
    """The attribute `name` of `value` takes what `source` holds."""
    kind = world.values.kinds[value]
    if kind == Kind.MODULE:
        unit = world.values.integer(value)
        member = world.parts[unit].members.get(name) if unit >= 0 else None
        if member is not None:
            world.solver.copy(source, member, 1)
    elif kind in (Kind.INSTANCE, Kind.CLASS, Kind.FUNCTION, Kind.BOUND):
        world.solver.copy(source, world.field(value, name), tier)

"""Attributes of classes, instances and containers; binding of methods and properties."""

from __future__ import annotations

from typing import Final

from grainline.graph.containers import DICT
from grainline.graph.linking import of_module
from grainline.graph.parts import Use
from grainline.graph.values import Kind
from grainline.graph.world import Fact, World
from grainline.model.edge import EdgeType, Method
from grainline.model.ir import ABSTRACT, GETTER, STATIC

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
        if world.rules.objects and values.second[value] == DICT:
            _of_object(world, name, target, value, tier)
            return
        known = name in world.rules.methods
        method = values.of(Kind.METHOD, value, name) if known else values.outside(_native(name))
        world.solver.add(target, method, tier)
    elif kind in (Kind.FUNCTION, Kind.BOUND):
        _of_function(world, name, target, value, tier)


def _of_object(world: World, name: str, target: int, value: int, tier: int) -> None:
    """An item of a container that is an object."""
    bind(world, world.item(value, f"'{name}"), value, target, tier)
    bind(world, world.item(value, None), value, target, 1)
    if value in world.behind:
        key = (value, name, target)
        world.inherited[key] = min(tier, world.inherited.get(key, tier))
    elif name in world.rules.shared_methods:
        world.solver.add(target, world.values.of(Kind.METHOD, value, name), tier)


def fall_back(world: World) -> bool:
    """What an object does not have is of the external one behind it; whether there was any."""
    asked, world.inherited = world.inherited, {}
    found = False
    for (value, name, target), tier in asked.items():
        if not world.solver.held[world.item(value, f"'{name}")]:
            for text in sorted(world.behind[value]):
                world.solver.add(target, world.values.outside(f"{text}.{name}"), tier)
                found = True
    return found


def _of_function(world: World, name: str, target: int, value: int, tier: int) -> None:
    """A field of a function; where functions are objects, also what all of them have."""
    values = world.values
    if world.rules.objects:
        if values.kinds[value] == Kind.FUNCTION and name == "prototype":
            world.solver.add(target, values.of(Kind.INSTANCE, value), tier)
        elif name in world.rules.methods:
            world.solver.add(target, values.of(Kind.METHOD, value, name), tier)
        elif name in world.stored:
            bind(world, world.field(value, name), value, target, tier)
    elif name in world.stored:
        world.solver.copy(world.field(value, name), target, tier)


def _native(name: str) -> str:
    """A method of the language that has no model."""
    return f"builtins.{name}"


def of_instance(world: World, name: str, target: int, value: int, tier: int) -> None:
    """An attribute of an instance: fields of all its classes, and the first member."""
    solver, values = world.solver, world.values
    klass = values.integer(value)
    if values.kinds[klass] != Kind.CLASS:
        _of_prototype(world, name, target, value, tier)
        return
    shape = world.classes.shape(klass)
    if name == "__class__":
        solver.add(target, klass, tier)
        return
    if name in world.stored:
        for each in shape.order:
            node = world.field(values.of(Kind.INSTANCE, each), name)
            if world.rules.objects:
                bind(world, node, value, target, tier)
            else:
                solver.copy(node, target, tier)
    member = world.classes.member_of(klass, name)
    if member >= 0:
        bind(world, member, value, target, tier)
    elif shape.outside:
        solver.add(target, values.outside(f"{shape.outside[0]}.{name}"), tier)
    elif name in world.rules.shared_methods:
        solver.add(target, values.of(Kind.METHOD, value, name), tier)
    elif world.underlying(value) >= 0:
        _of_underlying(world, name, target, value, tier)
    elif name in world.rules.passing:
        solver.add(target, values.of(Kind.METHOD, value, name), tier)


def _of_underlying(world: World, name: str, target: int, value: int, tier: int) -> None:
    """A type that is made of another one has its fields; of an interface, its methods."""
    values, classes = world.values, world.classes
    for other in list(world.solver.held[world.underlying(value)] or ()):
        klass = values.integer(other) if values.kinds[other] == Kind.INSTANCE else -1
        if klass < 0 or not world.is_class(klass):
            continue
        unit, scope = values.place(klass)
        abstract = world.parts[unit].scopes[scope].flags & ABSTRACT
        if abstract or classes.declared(klass, name) >= 0:
            world.solver.tasks.append((of_instance, (world, name, target, other, tier)))


PROTOTYPE: Final = "__proto__"


def _of_prototype(world: World, name: str, target: int, value: int, tier: int) -> None:
    """An attribute of what a function makes: its own, then those of its prototype."""
    if name in world.stored:
        bind(world, world.field(value, name), value, target, tier)
    key = (value, Use.ATTRIBUTE, name, target)
    if (value, PROTOTYPE) in world.fields and key not in world.once:
        world.once.add(key)
        world.solver.use(world.field(value, PROTOTYPE), Use.ATTRIBUTE, name, target)


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
        known = world.function(value)
        if known.flags & GETTER:
            _read_property(world, value, receiver, target, tier)
            return
        if _is_late(world, value):
            own = values.integer(receiver) if values.kinds[receiver] == Kind.INSTANCE else receiver
            value = values.of(Kind.BOUND, value, own)
        elif known.receiver >= 0 or not world.rules.receiver_argument:
            value = values.of(Kind.BOUND, value, receiver)
    elif kind == Kind.PROPERTY:
        _read_property(world, values.integer(value), receiver, target, tier)
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


def _read_property(world: World, function: int, receiver: int, target: int, tier: int) -> None:
    if world.values.kinds[function] != Kind.FUNCTION:
        return
    known = world.function(function)
    node = known.receiver
    if node < 0 and known.parameters and world.rules.first_is_receiver:
        node = known.parameters[0].node
    if node >= 0:
        world.solver.add(node, receiver, 1)
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
    elif kind == Kind.FUNCTION and world.function(value).flags & GETTER:
        _read_property(world, value, receiver, target, tier)
        return
    elif kind == Kind.FUNCTION and _is_late(world, value):
        value = values.of(Kind.BOUND, value, receiver)
    world.solver.add(target, value, tier)


def _is_late(world: World, function: int) -> bool:
    """Whether a function without instance has to know the class that it is called on."""
    return bool(world.rules.late_binding and world.function(function).flags & STATIC)


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
    if values.kinds[own] != Kind.CLASS:
        return
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
    elif kind == Kind.INSTANCE and world.rules.declared:
        if world.early:
            world.later.append((Use.SET_ATTRIBUTE, name, source, value, tier, node))
        else:
            _set_declared(world, name, source, value, tier)
    elif kind in (Kind.INSTANCE, Kind.CLASS, Kind.FUNCTION, Kind.BOUND):
        world.solver.copy(source, world.field(value, name), tier)
    elif kind == Kind.CONTAINER and world.rules.objects:
        world.solver.copy(source, world.item(value, f"'{name}"), tier)


def _set_declared(world: World, name: str, source: int, value: int, tier: int) -> None:
    """A field whose type is declared."""
    klass = world.values.integer(value)
    field = world.field(value, name)
    declared = -1
    if world.is_class(klass):
        setter = world.classes.member_of(klass, f"{name}=")
        if setter >= 0:
            world.solver.use(setter, SET_BY, value, source)
            return
        declared = world.classes.declared(klass, name)
        unit, scope = world.values.place(klass)
        if world.parts[unit].scopes[scope].flags & ABSTRACT:
            tier = 1  # of all that has this interface one got it
    if declared < 0:
        world.solver.copy(source, field, tier)
        return
    key = (source, Use.ASSIGNED, declared, field)
    if key not in world.once:
        world.once.add(key)
        world.solver.use(source, Use.ASSIGNED, declared, field)


SET_BY: Final = len(Use) + 11
"""A use at what sets a member; x: the receiver, y: node of what is set."""


def set_by(world: World, receiver: int, source: int, value: int, tier: int, node: int) -> None:
    """A setter runs."""
    if world.values.kinds[value] == Kind.FUNCTION:
        known = world.function(value)
        if known.receiver >= 0:
            world.solver.add(known.receiver, receiver, 1)
        if known.parameters:
            parameter = known.parameters[0]
            flowed = world.flowing(source)
            if parameter.declared >= 0:
                world.solver.use(flowed, Use.ASSIGNED, parameter.declared, parameter.node)
            else:
                world.solver.copy(flowed, parameter.node, 1)


def attach(world: World, name: str, source: int, value: int, tier: int, node: int) -> None:
    """A class has a member that is defined elsewhere: known with the bases, before anything else."""
    if not world.early or not world.is_class(value):
        return
    if not name:
        world.classes.extend(value, source)
    else:
        world.solver.copy(source, world.classes.attached_node(value, name), tier)


def seen_from(world: World, klass: int, target: int, value: int, tier: int, node: int) -> None:
    """The receiver as `super` gives it."""
    kind = world.values.kinds[value]
    if kind in (Kind.INSTANCE, Kind.CLASS):
        world.solver.add(target, world.values.of(Kind.SUPER, klass, value), tier)


WRAP: Final = len(Use) + 8
"""A use at a function; x: the kind of what is made of it, y: node of the result."""


def wrap(world: World, kind: Kind, target: int, value: int, tier: int, node: int) -> None:
    """A function becomes a property, a static method or a class method."""
    if world.values.kinds[value] == Kind.FUNCTION:
        value = world.values.of(kind, value)
    elif world.values.kinds[value] == Kind.PROPERTY:
        return
    world.solver.add(target, value, tier)


CLASS_OF: Final = len(Use) + 9
"""A use at a value; y: node of its class."""


def class_of(world: World, _: object, target: int, value: int, tier: int, node: int) -> None:
    """The class of what is held."""
    if world.values.kinds[value] == Kind.INSTANCE:
        world.solver.add(target, world.values.integer(value), tier)

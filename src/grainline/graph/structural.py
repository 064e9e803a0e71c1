"""Interfaces that a type implements by having their methods, without saying so.

A method matches by name and number of parameters; that it is the one that is wanted is certain
when the named types of all parameters and results are the same, else it is no more than likely.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from grainline.graph.linkage import components_of
from grainline.graph.parts import Function, Parameter
from grainline.graph.values import Kind
from grainline.graph.world import Fact, World
from grainline.model.edge import EdgeType, Method
from grainline.model.ir import ABSTRACT, Param

MAX_PAIRS: Final = 1 << 16
"""Types that are compared with interfaces; what is beyond is counted in `cuts`."""
_HARMLESS: Final = frozenset({"builtins.any", "builtins.comparable"})


def implementations(world: World) -> Iterator[tuple[Fact, int]]:
    """Edges from types to the interfaces they implement, and between their methods."""
    groups = components_of(world)
    interfaces: list[tuple[int, dict[str, int]]] = []
    having: dict[str, list[int]] = {}
    for unit, part in enumerate(world.parts):
        for scope in part.classes:
            klass = world.values.of(Kind.CLASS, unit, scope)
            if part.scopes[scope].flags & ABSTRACT:
                wanted = _wanted(world, klass)
                if wanted:
                    interfaces.append((klass, wanted))
            else:
                for name in _names(world, klass):
                    having.setdefault(name, []).append(klass)
    left = MAX_PAIRS
    for interface, wanted in interfaces:
        candidates = min((having.get(name, []) for name in wanted), key=len)
        left -= len(candidates)
        if left < 0:
            world.solver.cuts += 1
            return
        group = groups[world.values.place(interface)[0]]
        for klass in candidates:
            if groups[world.values.place(klass)[0]] == group:
                yield from _implements(world, klass, interface, wanted)


def _names(world: World, klass: int) -> set[str]:
    """The names of all methods and fields, own and promoted."""
    return {
        name for each in world.classes.shape(klass).order for name in world.classes.members(each)
    }


def _wanted(world: World, interface: int) -> dict[str, int]:
    """The methods of an interface; none when some are not known."""
    shape = world.classes.shape(interface)
    if shape.unknown or not _HARMLESS.issuperset(shape.outside):
        return {}
    found: dict[str, int] = {}
    for name in sorted(_names(world, interface)):
        method = method_of(world, interface, name)
        if method < 0:
            return {}
        found[name] = method
    return found


def method_of(world: World, klass: int, name: str) -> int:
    """The method of a class that has just one of that name, else -1."""
    node = world.classes.member_of(klass, name)
    held = world.solver.held[node] or {} if node >= 0 else {}
    found = [value for value in held if world.values.kinds[value] == Kind.FUNCTION]
    known = [value for value in found if world.function(value).receiver >= 0]
    return known[0] if len(known) == 1 else -1


def _implements(
    world: World, klass: int, interface: int, wanted: dict[str, int]
) -> Iterator[tuple[Fact, int]]:
    unit, scope = world.values.place(klass)
    at = world.definitions(unit).get(scope)
    target, _ = world.values.place(interface)
    if at is None or (world.is_test(target) and not world.is_test(unit)):
        return
    certain = True
    pairs: list[tuple[int, int]] = []
    for name, other in wanted.items():
        mine = method_of(world, klass, name)
        if mine < 0 or not _alike(world.function(mine), world.function(other)):
            return
        certain = certain and _same(world, world.function(mine), world.function(other))
        pairs.append((mine, other))
    tier = 0 if certain else 1
    yield Fact(EdgeType.IMPLEMENTS, unit, scope, at, interface, Method.TYPE), tier
    for mine, other in pairs:
        where, own = world.values.place(mine)
        defined = world.definitions(where).get(own)
        if defined is not None:
            yield Fact(EdgeType.OVERRIDES, where, own, defined, other, Method.TYPE), tier


def _alike(mine: Function, other: Function) -> bool:
    return [_is_star(each) for each in mine.parameters] == [
        _is_star(each) for each in other.parameters
    ]


def _is_star(parameter: Parameter) -> bool:
    return parameter.kind == Param.STAR


def _same(world: World, mine: Function, other: Function) -> bool:
    """Whether the types of parameters and result are named, and the same."""
    pairs = [
        (one.declared, two.declared)
        for one, two in zip(mine.parameters, other.parameters, strict=True)
    ]
    pairs.append((mine.declared, other.declared))
    return all(_same_type(world, one, two) for one, two in pairs)


def _same_type(world: World, one: int, two: int) -> bool:
    if one < 0 or two < 0:
        return one == two
    first, second = world.solver.held[one] or {}, world.solver.held[two] or {}
    named = {Kind.INSTANCE, Kind.EXTERNAL}
    return (
        bool(first)
        and first.keys() == second.keys()
        and {world.values.kinds[value] for value in first} <= named
    )

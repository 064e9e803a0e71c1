"""What is done with a value that arrives where a use stands: the table of handlers."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from grainline.graph import calls, linking, members, protocols
from grainline.graph.parts import Call, Use
from grainline.graph.values import Kind
from grainline.graph.world import NEXT, World
from grainline.model.ir import ABSTRACT


def handlers(world: World) -> list[Any]:
    """By number of use; every handler takes `(x, y, value, tier, node)`."""
    table: dict[int, Any] = {
        Use.ATTRIBUTE: members.attribute,
        Use.SET_ATTRIBUTE: members.set_attribute,
        Use.CALL: calls.call,
        Use.ITEM: _item,
        Use.SET_ITEM: _set_item,
        Use.KEYED_ITEM: _keyed_item,
        Use.KEYED_SET_ITEM: _keyed_set_item,
        Use.ITERATE: _iterate,
        Use.ENTER: _later(Use.ENTER, protocols.enter),
        Use.INSTANCE: _instance,
        Use.RAISE: _raise,
        Use.SPREAD: _spread,
        Use.MERGE: _merge,
        Use.STAR: linking.star,
        Use.REST: _rest,
        Use.SUPER: members.seen_from,
        Use.ASSIGNED: _later(Use.ASSIGNED, _assigned),
        Use.ATTACH: members.attach,
        Use.SUPPOSE: calls.suppose,
        members.BIND: members.bound,
        members.BIND_CLASS: members.bound_class,
        members.BIND_CLASS + 1: members.bound_flowed,
        members.BIND_CLASS + 2: members.bound_class_flowed,
        calls.DECORATED: calls.decorated,
        calls.CONSTRUCT: calls.constructed,
        calls.CONSTRUCT + 1: calls.constructed_flowed,
        NEXT: protocols.following,
        members.WRAP: members.wrap,
        members.SET_BY: members.set_by,
        members.CLASS_OF: members.class_of,
        linking.TYPES: linking.types,
    }
    table.update(world.rules.uses)
    return [partial(table.get(kind, _nothing), world) for kind in range(max(table) + 1)]


def _nothing(world: World, x: Any, y: Any, value: int, tier: int, node: int) -> None:
    """No use has this number."""


def _later(kind: int, handler: Any) -> Any:
    """A handler that needs the orders of classes waits until they are known."""

    def later(world: World, x: Any, y: Any, value: int, tier: int, node: int) -> None:
        if world.early:
            world.later.append((kind, x, y, value, tier, node))
        else:
            handler(world, x, y, value, tier, node)

    return later


def _with_site(x: Any) -> tuple[str | None, tuple[int, int]]:
    """The key of a use, and its site; what the solver adds has none."""
    if isinstance(x, tuple):
        key, site = cast("tuple[str | None, tuple[int, int]]", x)
        return key, site
    return x, (-1, -1)


def _do_item(world: World, x: Any, y: Any, value: int, tier: int, node: int) -> None:
    key, site = _with_site(x)
    protocols.item(world, key, y, value, tier, site)


def _do_set_item(world: World, x: Any, y: Any, value: int, tier: int, node: int) -> None:
    key, site = _with_site(x)
    protocols.set_item(world, key, y, value, tier, site)


def _do_iterate(world: World, x: Any, y: Any, value: int, tier: int, node: int) -> None:
    protocols.iterate(world, x, y, value, tier)


_later_item = _later(Use.ITEM, _do_item)


def _item(world: World, x: Any, y: Any, value: int, tier: int, node: int) -> None:
    """An item of a class is the class: bases are written so, and come before everything else."""
    if world.values.kinds[value] in (Kind.CLASS, Kind.EXTERNAL, Kind.FUNCTION):
        _do_item(world, x, y, value, tier, node)
    else:
        _later_item(world, x, y, value, tier, node)


_set_item = _later(Use.SET_ITEM, _do_set_item)
_iterate = _later(Use.ITERATE, _do_iterate)


def _keyed_item(world: World, x: int, y: int, value: int, tier: int, node: int) -> None:
    if world.values.kinds[value] == Kind.KEY:
        world.solver.use(x, Use.ITEM, world.values.text(value), y)


def _keyed_set_item(world: World, x: int, y: int, value: int, tier: int, node: int) -> None:
    if world.values.kinds[value] == Kind.KEY:
        world.solver.use(x, Use.SET_ITEM, world.values.text(value), y)


def _instance(world: World, _: object, y: int, value: int, tier: int, node: int) -> None:
    kind = world.values.kinds[value]
    if kind == Kind.CLASS:
        world.solver.add(y, world.values.of(Kind.INSTANCE, value), tier)
    elif kind == Kind.FUNCTION and world.function(value).flags & ABSTRACT:
        world.solver.add(y, value, tier)  # the name of a type of functions
    elif world.rules.objects and kind in (Kind.CONTAINER, Kind.FUNCTION, Kind.INSTANCE):
        world.solver.add(y, value, tier)
    elif kind == Kind.EXTERNAL:
        name = world.values.text(value)
        if not name.endswith(")"):
            world.solver.add(y, world.values.outside(f"{name}()"), tier)


def _raise(world: World, x: tuple[int, int], _: int, value: int, tier: int, node: int) -> None:
    if world.early:
        world.later.append((Use.RAISE, x, _, value, tier, node))
    elif world.values.kinds[value] == Kind.CLASS:
        unit, op = x
        scope = world.scope_of(unit, op)
        world.calls.append(Call(unit, op, scope, node, (), -1, False))
        calls.instantiate(world, world.calls[-1], len(world.calls) - 1, value, tier)


def _spread(
    world: World, x: tuple[int, int] | int | None, y: int, value: int, tier: int, node: int
) -> None:
    kind = world.values.kinds[value]
    if kind in (Kind.CONTAINER, Kind.GENERATOR) and y in world.containers:
        target = world.item(world.containers[y], None)
        protocols.iterate(world, (-1, -1), target, value, 1)
    elif kind == Kind.INSTANCE and isinstance(x, tuple) and y in world.containers:
        protocols.iterate(world, x, world.item(world.containers[y], None), value, 1)


_TYPED = frozenset({Kind.INSTANCE, Kind.CONTAINER})
_TYPES = frozenset({Kind.INSTANCE, Kind.EXTERNAL})


def _assigned(world: World, x: int, y: int, value: int, tier: int, node: int) -> None:
    """Of a variable whose type is known, that type says what is called on it."""
    kinds = world.values.kinds
    declared = world.solver.held[x] or {}
    if kinds[value] in _TYPED and any(kinds[v] in _TYPES for v in declared):
        return
    world.solver.add(y, value, tier)
    if kinds[value] == Kind.FUNCTION:
        calls.expect(world, value, list(declared))


def _merge(world: World, _: Any, y: int, value: int, tier: int, node: int) -> None:
    if world.values.kinds[value] == Kind.CONTAINER and y in world.containers:
        world.merge(value, world.containers[y], 0)


def _rest(world: World, x: int | None, y: int, value: int, tier: int, node: int) -> None:
    if world.values.kinds[value] != Kind.CONTAINER or y not in world.containers:
        return
    target = world.containers[y]
    if x is None:
        world.solver.copy(world.items(value), world.item(target, None), 0)
    else:
        world.merge(value, target, x)

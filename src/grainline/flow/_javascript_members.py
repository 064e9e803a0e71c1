"""Members of things of JavaScript that functions define, give and set by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from grainline.flow.state import Thing
from grainline.flow.values import (
    NOTHING,
    Function,
    Key,
    Object,
    Value,
    join,
    joined,
    ordered,
    pointing,
)
from grainline.model.flow import Cut, Role

if TYPE_CHECKING:
    from grainline.flow.machine import Run

Work = Callable[["Run", int, list[Value]], Value]


def _described(run: Run, op: int, holder: Value, descriptor: Value) -> Value:
    """What a member holds that is described by its value or its getter."""
    assert run.state is not None
    found = [run.state.read(descriptor, "value")]
    for each in ordered(run.state.read(descriptor, "get").refs):
        if isinstance(each, Function) and not run.is_over():
            found.append(run.solver.calls.invoke(run, op, each, holder, []))
    return joined(found)


def _defined(run: Run, op: int, values: list[Value]) -> Value:
    """`Object.defineProperty(o, name, {...})`."""
    if len(values) < 3:
        return joined(values[:1])
    content = _described(run, op, values[0], values[2])
    if not run.is_over():
        _put(run, op, values[0], values[1], content)
    return values[0]


def _all_defined(run: Run, op: int, values: list[Value]) -> Value:
    """`Object.defineProperties(o, {name: {...}})`."""
    if len(values) < 2:
        return joined(values[:1])
    for name, descriptor in _members(run, values[1]).items():
        content = _described(run, op, values[0], descriptor)
        if run.is_over():
            return NOTHING
        run.set_member(values[0], str(name), run.step(content, op, Role.PROPAGATOR))
    return values[0]


def _members(run: Run, value: Value) -> Mapping[Key, Value]:
    things = [run.thing(ref) for ref in ordered(value.refs) if isinstance(ref, Object)]
    return {key: content for thing in things for key, content in thing.fields.items()}


def _created(run: Run, op: int, values: list[Value]) -> Value:
    """`Object.create(o, {name: {...}})`: what it is made of answers for it."""
    assert run.state is not None
    ref = Object((run.unit, op, "created"))
    run.state.heap[ref] = Thing({})
    made = pointing(ref)
    for key, content in _members(run, values[0] if values else NOTHING).items():
        run.state.write(made, key, content)
    if len(values) > 1:
        _all_defined(run, op, [made, values[1]])
    return made


def _got(run: Run, op: int, values: list[Value]) -> Value:
    """`Reflect.get(o, name)`: a member, else any."""
    if len(values) < 2:
        return NOTHING
    name = values[1].const
    if isinstance(name, str):
        return run.member(op, values[0], name)
    assert run.state is not None
    return run.state.read(values[0], None)


def _set(run: Run, op: int, values: list[Value]) -> Value:
    """`Reflect.set(o, name, x)`."""
    if len(values) > 2:
        _put(run, op, values[0], values[1], values[2])
    return NOTHING


def _put(run: Run, op: int, holder: Value, name: Value, content: Value) -> None:
    content = run.step(content, op, Role.PROPAGATOR)
    if isinstance(name.const, str):
        run.set_member(holder, name.const, content)
    elif content.taints:
        held = run.solver.modelled.assumed(run, op, [content], Cut.REFLECTION, "computed name")
        run.put(holder, None, held)


def proxied(run: Run, op: int, values: list[Value]) -> Value | None:
    """`new Proxy(o, {get() {...}})`: what the handler gives for any member, else `o`."""
    if len(values) < 2:
        return None
    assert run.state is not None
    getters = [ref for ref in ordered(run.state.read(values[1], "get").refs)
               if isinstance(ref, Function)]  # fmt: skip
    if not getters:
        return values[0]
    given = [run.solver.calls.invoke(run, op, each, values[1], values[:1]) for each in getters]
    if run.is_over():
        return NOTHING
    ref = Object((run.unit, op, "proxy"))
    run.state.heap[ref] = Thing({}, joined(given))
    return join(values[0], pointing(ref))


STATICS: Final[Mapping[str, Work]] = {
    "Object.defineProperty": _defined,
    "Reflect.defineProperty": _defined,
    "Object.defineProperties": _all_defined,
    "Object.create": _created,
    "Reflect.get": _got,
    "Reflect.set": _set,
}

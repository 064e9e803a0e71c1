"""What methods of containers do, by the word of a row: they set and give elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from grainline.flow import hosts, own
from grainline.flow.constants import key as key_of
from grainline.flow.state import Thing
from grainline.flow.values import (
    MAX_PATH,
    NOTHING,
    Free,
    Key,
    Object,
    Origin,
    Port,
    Value,
    join,
    keys_of,
    merge,
    ordered,
    pointing,
)
from grainline.model.flow import Role
from grainline.model.ir import Op
from grainline.model.ir import Port as Kind

if TYPE_CHECKING:
    from grainline.flow.calls import Argument
    from grainline.flow.machine import Run

KEYS: Final[Key] = (".", "keys")
"""Of a variable elsewhere: what its elements are called, as a field, so that data in them is none in it."""

Work: TypeAlias = "Callable[[Run, int, Value, list[Value]], Value | None]"


def handle(
    word: str, run: Run, op: int, receiver: Value | None, arguments: Sequence[Argument]
) -> Value | None:
    """The result of a container's method, None where the row's ports say it better."""
    if word == "dict":
        return _dict(run, op, arguments)
    values, known = _given(run, op, arguments)
    if word == "update" and receiver is not None:
        assert run.state is not None
        values = [a.value for a in arguments if a.kind == Kind.POSITIONAL]
        for each in arguments:
            if each.kind == Kind.KEYWORD:
                content = run.step(each.value, op, Role.PROPAGATOR, "set")
                run.state.write(receiver, each.key, content)
    if word in _OF_ARGUMENTS:
        return _OF_ARGUMENTS[word](run, op, values) if values else None
    if word in STATIC:
        receiver = None
    if receiver is not None and word in _ELEMENTS:
        receiver = own.opened(run, op, receiver, word)
    if receiver is None:
        if not values and word == "listed":
            return _empty(run, op, NOTHING, [])
        if not values and word == "new":
            values = [NOTHING]
        if not values:
            return None
        receiver, values = values[0], values[1:]
    if word == "all":
        receiver = own.iterated(run, op, receiver)
        if run.is_over():
            return NOTHING
    if word in _PUTS:
        receiver = _made_there(run, op, receiver)
    if word in _PUTS or word in _TAKES:
        run.sames.changed(run, receiver)
        if not known:
            _forget_length(run, receiver)
    if word in _PUTS and run.solver.asked is not None:
        for value in values:
            run.solver.asked.put(run, op, receiver, value)
    by_key = word in _BY_KEY and bool(values) and key_of(values[0].const) is not None
    if by_key and run.solver.asked is not None:
        run.solver.asked.took(run, op)
    return _WORK[word](run, op, receiver, values)


def _given(run: Run, op: int, arguments: Sequence[Argument]) -> tuple[list[Value], bool]:
    """The arguments, and whether it is known how many there are.

    What is spread gives its elements; where they are not known, one that may be any of them.
    """
    assert run.state is not None
    values: list[Value] = []
    known = True
    for each in arguments:
        if each.kind in (Kind.POSITIONAL, Kind.KEYWORD):
            values.append(each.value)
        elif each.kind == Kind.STAR:
            spread = own.iterated(run, op, each.value)
            items = run.items(spread)
            known = known and items is not None
            if items is None:
                any_of = run.state.read(spread, None)
                items = [join(any_of, hosts.part(run, op, Value(spread.taints)))]
            values += items
    return values, known


def _made_there(run: Run, op: int, receiver: Value) -> Value:
    """What something is put into: where nothing stands under a key yet, something does from here on."""
    assert run.state is not None
    if receiver.taints or any(isinstance(ref, Object) for ref in receiver.refs):
        return receiver
    callee = run.ops[run.ops[op][1]]
    read = run.ops[callee[1]] if callee[0] == Op.GETATTR else callee
    holder = run.value(read[1]) if read[0] == Op.GETITEM else NOTHING
    if not any(isinstance(ref, Object) for ref in holder.refs):
        return receiver
    ref = Object((run.unit, op, "made"))
    run.state.heap[ref] = Thing({})
    run.state.write(holder, key_of(run.value(read[2]).const), pointing(ref))
    return Value(refs=receiver.refs | {ref})


def _dict(run: Run, op: int, arguments: Sequence[Argument]) -> Value:
    """`dict(x, key=value)`: the elements of `x`, and names."""
    assert run.state is not None
    ref = Object((run.unit, op, "all"))
    rest, taints = NOTHING, NOTHING
    fields: dict[Key, Value] = {}
    for argument in arguments:
        value = run.step(argument.value, op, Role.PROPAGATOR)
        if argument.kind == Kind.KEYWORD:
            fields[argument.key] = value
            continue
        taints = join(taints, Value(value.taints))
        for held in ordered(value.refs):
            if isinstance(held, Object):
                fields.update(run.thing(held).fields)
        rest = join(rest, run.state.read(value, None))
    run.state.heap[ref] = Thing(fields, NOTHING if fields and rest.taints else rest)
    return Value(taints.taints, frozenset((ref,)))


def _only(run: Run, value: Value) -> tuple[Object, Thing] | None:
    """The one list whose length is known."""
    objects = [ref for ref in ordered(value.refs) if isinstance(ref, Object)]
    if len(objects) == 1:
        thing = run.thing(objects[0])
        if thing.length is not None:
            return objects[0], thing
    return None


def _append(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    assert run.state is not None
    for value in values:
        content = run.step(value, op, Role.PROPAGATOR, "added")
        known = _only(run, receiver)
        if known is None:
            run.state.write(receiver, None, content)
            continue
        ref, thing = known
        length = None if run.loops else thing.length or 0  # which one it is differs by round
        run.state.write(receiver, length, content)
        length = None if length is None else length + 1
        run.state.heap[ref] = run.thing(ref)._replace(length=length)
    return NOTHING


def _extend(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    assert run.state is not None
    for value in values:
        inner = join(run.state.read(value, None), Value(value.taints))
        run.state.write(receiver, None, run.step(inner, op, Role.PROPAGATOR, "added"))
        _forget_length(run, receiver)
    return NOTHING


def _forget_length(run: Run, receiver: Value) -> None:
    assert run.state is not None
    for ref in ordered(receiver.refs):
        if isinstance(ref, Object) and ref in run.state.heap:
            thing = run.state.heap[ref]
            items = [value for key, value in thing.fields.items() if isinstance(key, int)]
            rest = thing.rest
            for value in items:
                rest = join(rest, value)
            fields: dict[Key, Value] = {
                key: value for key, value in thing.fields.items() if not isinstance(key, int)
            }
            run.state.heap[ref] = thing._replace(fields=fields, rest=rest, length=None)


def _remove(run: Run, op: int, receiver: Value, at: int) -> Value | None:
    """Take item `at` away; what follows moves up."""
    assert run.state is not None
    known = _only(run, receiver)
    if known is None:
        return None
    ref, thing = known
    length = thing.length or 0
    at += length if at < 0 else 0
    if not 0 <= at < length:
        return NOTHING
    items = [thing.fields.get(number, NOTHING) for number in range(length)]
    taken = items.pop(at)
    fields: dict[Key, Value] = dict(thing.fields)
    for number in range(length):
        fields.pop(number, None)
    fields.update(enumerate(items))
    run.state.heap[ref] = thing._replace(fields=fields, length=length - 1)
    return run.step(taken, op, Role.PROPAGATOR)


def _pop(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    at = key_of(values[0].const) if values else -1
    if isinstance(at, int):
        found = _remove(run, op, receiver, at)
        if found is not None:
            return found
    _forget_length(run, receiver)
    return _get(run, op, receiver, values)


def _shift(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    del values
    return _pop(run, op, receiver, [Value(const=0)])


def _insert(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    assert run.state is not None
    if len(values) < 2:
        return _append(run, op, receiver, values)
    known = _only(run, receiver)
    at = key_of(values[0].const)
    content = run.step(values[1], op, Role.PROPAGATOR, "added")
    if known is None or not isinstance(at, int) or at < 0:
        _forget_length(run, receiver)
        run.state.write(receiver, None, content)
        return NOTHING
    ref, thing = known
    length = thing.length or 0
    items = [thing.fields.get(number, NOTHING) for number in range(length)]
    items.insert(at, content)
    fields: dict[Key, Value] = dict(thing.fields)
    for number in range(length):
        fields.pop(number, None)
    fields.update(enumerate(items))
    run.state.heap[ref] = thing._replace(fields=fields, length=length + 1)
    return NOTHING


def _get(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    assert run.state is not None
    key = key_of(values[0].const) if values else None
    if isinstance(key, int) and key < 0:  # from the end
        known = _only(run, receiver)
        key = None if known is None else (known[1].length or 0) + key
    found = run.state.read(receiver, key)
    if key is None and values:
        found = hosts.part(run, op, found)
    found = run.part(receiver, key, run.again(op, receiver, key, found))
    if len(values) == 1 and not found.facts:
        facts = run.looked_up(op, receiver, values[0])
        found = Value(found.taints, found.refs, found.const, facts)
    for default in values[1:2]:
        found = join(found, default)
    return run.step(found, op, Role.PROPAGATOR)


def _dig(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    """What stands under several keys, one inside of the other."""
    found: Value | None = receiver
    for value in values:
        found = None if found is None else _get(run, op, found, [value])
    return found


def _set(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    assert run.state is not None
    if len(values) < 2:
        return _append(run, op, receiver, values)
    content = run.step(values[1], op, Role.PROPAGATOR, "set")
    run.write(op, receiver, values[0], content)
    return NOTHING


def _set_default(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    """Set under a key where nothing stands yet; what stands there then is the result."""
    assert run.state is not None
    key = key_of(values[0].const) if values else None
    found = run.state.read(receiver, key)
    found = hosts.part(run, op, found) if key is None else found
    found = run.part(receiver, key, run.again(op, receiver, key, found))
    if len(values) > 1:
        content = run.step(values[1], op, Role.PROPAGATOR, "set")
        found = join(found, content) if found.taints or found.refs else content
        if key is not None:
            run.state.write(receiver, key, found)
        else:
            run.write(op, receiver, values[0], content)
    return run.step(found, op, Role.PROPAGATOR)


def _update(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    """The elements of others are set under their keys."""
    _assign(run, op, [receiver, *values])
    return NOTHING


def _deep_set(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    """`set(section, option, value)` of settings in two levels."""
    assert run.state is not None
    if len(values) < 3:
        return _set(run, op, receiver, values)
    content = run.step(values[2], op, Role.PROPAGATOR, "set")
    run.state.write(receiver, _two(values), content)
    return NOTHING


def _deep_get(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    assert run.state is not None
    if len(values) < 2:
        return _get(run, op, receiver, values)
    return run.step(run.state.read(receiver, _two(values)), op, Role.PROPAGATOR)


def _two(values: list[Value]) -> str | None:
    first, second = key_of(values[0].const), key_of(values[1].const)
    return None if first is None or second is None else f"{first}\0{second}"


def _all(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    """A new container of the same elements (`values()`, `list(x)`, `copy()`)."""
    assert run.state is not None
    inner = run.state.read(receiver, None)
    for each in values:  # `zip(x, y)`
        if any(isinstance(ref, Object) for ref in each.refs):
            inner = join(inner, run.state.read(each, None))
    ref = Object((run.unit, op, "all"))
    run.state.heap[ref] = Thing({}, run.step(inner, op, Role.PROPAGATOR))
    return Value(run.step(Value(receiver.taints), op, Role.PROPAGATOR).taints, frozenset((ref,)))


def _numbered(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    """Pairs of a number and an element (`enumerate(x)`)."""
    assert run.state is not None
    del values
    inner = join(run.state.read(receiver, None), Value(receiver.taints))
    pair, ref = Object((run.unit, op, "pair")), Object((run.unit, op, "all"))
    fields: dict[Key, Value] = {0: NOTHING, 1: run.step(inner, op, Role.PROPAGATOR)}
    run.state.heap[pair] = Thing(fields, length=2)
    run.state.heap[ref] = Thing({}, pointing(pair))
    return pointing(ref)


def _itself(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    """A builder: takes the arguments in and gives itself back."""
    assert run.state is not None
    for value in values:
        taints = run.state.deep(value)
        if taints:
            grown = Value(run.longer(taints, op, Role.PROPAGATOR, "added"))
            run.state.write(receiver, None, grown)
    return receiver


def _keys(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    """Names of elements: data where the whole comes from outside."""
    del values
    return run.step(called(receiver), op, Role.PROPAGATOR)


def called(container: Value) -> Value:
    """What the elements are called, as far as it is data: a test of that says nothing of the elements."""
    return Value({_called(origin): taint for origin, taint in container.taints.items()})


def _called(origin: Origin) -> Origin:
    if isinstance(origin, (Free, Port)):
        return origin._replace(path=(*origin.path, KEYS)) if len(origin.path) < MAX_PATH else origin
    return keys_of(origin)


def _clear(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    assert run.state is not None
    del op, values
    known = [ref for ref in ordered(receiver.refs) if isinstance(ref, Object)]
    if len(known) == 1:
        thing = run.thing(known[0])
        run.state.heap[known[0]] = thing._replace(fields={}, rest=NOTHING, symbol=None, length=0)
    return NOTHING


def _empty(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    """A new container: without elements, or with those of another one."""
    assert run.state is not None
    if run.state.deep(receiver):
        return _all(run, op, receiver, values)
    ref = Object((run.unit, op, "all"))
    run.state.heap[ref] = Thing({}, length=0)
    return pointing(ref)


def _listed(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    """A new list of the arguments."""
    assert run.state is not None
    ref = Object((run.unit, op, "all"))
    items = [run.step(value, op, Role.PROPAGATOR) for value in (receiver, *values)]
    run.state.heap[ref] = Thing(dict(enumerate(items)), length=len(items))
    return pointing(ref)


def _prepend(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    for value in reversed(values):
        _insert(run, op, receiver, [Value(const=0), value])
    return NOTHING


def _splice(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    """Elements go, others come: the places of all are not known any more."""
    assert run.state is not None
    taken = _all(run, op, receiver, [])
    _forget_length(run, receiver)
    for value in values[2:]:
        run.state.write(receiver, None, run.step(value, op, Role.PROPAGATOR, "added"))
    return taken


def _concat(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    """A new list of the elements of several, or a text of texts."""
    assert run.state is not None
    parts = [receiver, *values]
    taints = merge(value.taints for value in parts)
    ref = Object((run.unit, op, "all"))
    content = NOTHING
    for value in parts:
        refs = frozenset(each for each in value.refs if isinstance(each, Object))
        content = join(content, run.state.read(Value(refs=refs), None))
    run.state.heap[ref] = Thing({}, run.step(content, op, Role.PROPAGATOR))
    return Value(run.step(Value(taints), op, Role.PROPAGATOR).taints, frozenset((ref,)))


def _same(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    """The container itself, its elements at other places."""
    assert run.state is not None
    _forget_length(run, receiver)
    for value in values[:1]:
        if value.taints:
            run.state.write(receiver, None, run.step(value, op, Role.PROPAGATOR, "added"))
    return receiver


def _first(run: Run, op: int, values: list[Value]) -> Value | None:
    """The first argument as it is."""
    return run.step(values[0], op, Role.PROPAGATOR)


def _values(run: Run, op: int, values: list[Value]) -> Value | None:
    """The elements of the first argument, in a container of their own."""
    return _all(run, op, values[0], [])


def _keys_of(run: Run, op: int, values: list[Value]) -> Value | None:
    """Keys carry data where the whole does."""
    return run.step(called(values[0]), op, Role.PROPAGATOR, "keys")


def _entries(run: Run, op: int, values: list[Value]) -> Value | None:
    """Pairs of a key and an element."""
    assert run.state is not None
    ref, pair = Object((run.unit, op, "all")), Object((run.unit, op, "pair"))
    inner = run.step(hosts.part(run, op, run.state.read(values[0], None)), op, Role.PROPAGATOR)
    fields: dict[Key, Value] = {0: _keys_of(run, op, values) or NOTHING, 1: inner}
    run.state.heap[pair] = Thing(fields, length=2)
    run.state.heap[ref] = Thing({}, pointing(pair))
    return pointing(ref)


def _from_pairs(run: Run, op: int, values: list[Value]) -> Value | None:
    """A container of the second elements of pairs under the first ones, where all are known."""
    assert run.state is not None
    pairs = [run.items(each) for each in run.items(values[0]) or ()]
    keys = [key_of(pair[0].const) if pair and len(pair) == 2 else None for pair in pairs]
    if not pairs or None in keys:
        return _all(run, op, values[0], [])
    ref = Object((run.unit, op, "all"))
    fields: dict[Key, Value] = {
        key: run.step(pair[1], op, Role.PROPAGATOR)
        for key, pair in zip(keys, pairs, strict=True)
        if key is not None and pair is not None
    }
    run.state.heap[ref] = Thing(fields)
    return pointing(ref)


def _pairs(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
    """The same of what it is called on."""
    del values
    return _entries(run, op, [receiver])


def _item(at: int) -> Work:
    def item(run: Run, op: int, receiver: Value, values: list[Value]) -> Value | None:
        """The key, or the element, of such a pair."""
        del values
        known = run.items(receiver)
        return (
            None if known is None or len(known) != 2 else run.step(known[at], op, Role.PROPAGATOR)
        )

    return item


def _assign(run: Run, op: int, values: list[Value]) -> Value | None:
    """The fields of the further arguments are set in the first one, which is the result."""
    assert run.state is not None
    target = values[0]
    for value in values[1:]:
        objects = [ref for ref in ordered(value.refs) if isinstance(ref, Object)]
        known = run.thing(objects[0]) if len(objects) == 1 and not value.taints else None
        if known is not None and known.symbol is None:
            for key, content in known.fields.items():
                run.state.write(target, key, run.step(content, op, Role.PROPAGATOR, "set"))
            if known.rest.taints or known.rest.refs:
                run.state.write(target, None, known.rest)
        else:
            inner = join(run.state.read(value, None), Value(value.taints))
            run.state.write(target, None, run.step(inner, op, Role.PROPAGATOR, "set"))
    return target


_OF_ARGUMENTS: Final[Mapping[str, Callable[[Run, int, list[Value]], Value | None]]] = {
    "first": _first,
    "values": _values,
    "keys of": _keys_of,
    "from pairs": _from_pairs,
    "entries": _entries,
    "assign": _assign,
}
"""Words about arguments alone, whatever the function is called on."""

_PUTS: Final = frozenset(
    ("append", "extend", "insert", "set", "set_default", "update", "deep_set", "prepend")
)
"""Words whose arguments stay in the container."""

_ELEMENTS: Final = frozenset(("get", "all", "numbered", "pairs", "key", "value", "dig", "deep_get"))
"""Words that give elements."""

_BY_KEY: Final = frozenset(("get", "dig"))
"""Words that give what stands under a key."""

_TAKES: Final = frozenset(("pop", "shift", "clear", "splice", "same"))
"""Words after which elements stand elsewhere, or are gone."""

_WORK: Final[Mapping[str, Work]] = {
    "append": _append,
    "extend": _extend,
    "pop": _pop,
    "shift": _shift,
    "insert": _insert,
    "get": _get,
    "dig": _dig,
    "set": _set,
    "set_default": _set_default,
    "update": _update,
    "deep_set": _deep_set,
    "deep_get": _deep_get,
    "all": _all,
    "numbered": _numbered,
    "builder": _itself,
    "wrap": _itself,
    "keys": _keys,
    "clear": _clear,
    "new": _empty,
    "listed": _listed,
    "pairs": _pairs,
    "key": _item(0),
    "value": _item(1),
    "prepend": _prepend,
    "splice": _splice,
    "concat": _concat,
    "same": _same,
}
STATIC: Final = frozenset(("new", "listed", "wrap"))
"""Words that say nothing of what they are called on."""
WORDS: Final = frozenset((*_WORK, *_OF_ARGUMENTS, "dict"))
"""Words that rows may use."""

"""Operations that have a value."""

from __future__ import annotations

from functools import partial

from grainline.graph.annotations import type_node
from grainline.graph.builder import CALL, CONST, LOAD, MAKE, Builder
from grainline.graph.parts import Argument, Call, Class, Seed, Use, argument
from grainline.model.ir import Make, Op, Port

UNDERLYING = "underlying"
"""The keyword of a class that is made of another type."""
MAX_ITEMS = 256
"""Elements of a display that are told apart; those of a longer one are one."""


def const(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """A constant may be a key."""
    key = builder.constant_key(op)
    if key is not None:
        builder.part.constants[builder.base + op] = key


def read_attribute(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """An attribute is read: what was stored just before, or what the object has."""
    owner = builder.nodes[a]
    known = builder.facts.get(b)
    if known is not None and owner in known:
        builder.nodes[op] = known[owner]
        return
    node = builder.attributes.get((owner, b))
    if node is None:
        node = builder.attributes[owner, b] = builder.base + op
        builder.uses.append((owner, Use.ATTRIBUTE, builder.names[b], node))
        builder.part.reads[node] = []
    builder.part.reads[node].append(op)
    builder.nodes[op] = node


def read_item(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """An item is read: what was stored just before, or what the object has."""
    owner = builder.nodes[a]
    key = builder.constant_key(b)
    known = builder.facts.get(key) if key is not None else None
    if known is not None and owner in known:
        builder.nodes[op] = known[owner]
    elif builder.ops[b][0] == Op.SLICE:
        start = builder.ops[b][1]
        first = builder.constant_key(start) if start >= 0 else "#0"
        builder.part.seeds.append((builder.base + op, Seed.CONTAINER, op, Make.LIST))
        builder.uses.append((owner, Use.REST, _index(first), builder.base + op))
    elif key is not None or builder.ops[b][0] in (CONST, MAKE):
        builder.uses.append((owner, Use.ITEM, key, builder.base + op))
    else:
        builder.uses.append((builder.nodes[b], Use.KEYED_ITEM, owner, builder.base + op))
        builder.part.keyed.append((builder.nodes[b], Use.ITEM, owner, builder.base + op))


def call(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """A call: nothing that was stored before it is sure behind it."""
    builder.facts.clear()
    arguments = tuple(
        [
            argument((kind, builder.names[key] if key >= 0 else "", builder.nodes[value]))
            for kind, key, value in builder.ports[b : b + c]
        ]
    )
    _write_call(builder, op, builder.nodes[a], arguments)
    callee = builder.ops[a]
    word = builder.names[callee[2]] if callee[0] == Op.GETATTR else ""
    if word and word == builder.rules.idioms.updates and c == 1:
        _updated(builder, builder.nodes[callee[1]], builder.ports[b][2])


def create(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """An instance is made."""
    builder.facts.clear()
    if builder.ops[a][0] == MAKE:
        _fill(builder, op, a, builder.ports[b : b + c])
        return
    arguments = tuple(
        [
            argument((kind, builder.names[key] if key >= 0 else "", builder.nodes[value]))
            for kind, key, value in builder.ports[b : b + c]
        ]
    )
    _write_call(builder, op, builder.nodes[a], arguments, new=True)


def _fill(builder: Builder, op: int, a: int, ports: list[list[int]]) -> None:
    """A container of a type that is written out."""
    target = type_node(builder, a, builder.scope, builder.scope)
    builder.nodes[op] = target
    for at, (kind, name, value) in enumerate(ports):
        key = f"'{builder.names[name]}" if kind == Port.KEYWORD else f"#{at}"
        if builder.ops[value][0] != CONST:
            builder.uses.append((target, Use.SET_ITEM, key, builder.nodes[value]))


def _updated(builder: Builder, owner: int, op: int) -> None:
    """`d.update({...})` sets the constant keys of the display."""
    code, kind, first, count, *_ = builder.ops[op]
    if code == MAKE and kind == Make.DICT:
        for port, key, value in builder.ports[first : first + count]:
            known = builder.constant_key(key) if port == Port.ITEM else None
            if known is not None:
                builder.facts[known] = {owner: builder.nodes[value]}


def _write_call(
    builder: Builder,
    op: int,
    callee: int,
    arguments: tuple[Argument, ...],
    *,
    decorates: bool = False,
    new: bool = False,
) -> None:
    number = builder.numbers[op] = len(builder.part.calls)
    result = builder.base + op
    builder.part.calls.append(
        _call((builder.unit, op, builder.scope, callee, arguments, result, decorates, new))
    )
    builder.uses.append((callee, Use.CALL, number, -1))


_call = partial(tuple.__new__, Call)  # pyright: ignore[reportUnknownMemberType]


def decorate(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """A decorator is applied."""
    builder.facts.clear()
    inner = (Argument(Port.POSITIONAL, "", builder.nodes[b]),)
    _write_call(builder, op, builder.nodes[a], inner, decorates=True)
    word, value = builder.ops[a], builder.ops[b]
    if value[0] == Op.CLASS:  # bases are needed before calls are looked at
        builder.copies.append((builder.nodes[b], builder.base + op, 0))
    if value[0] == Op.FUNCTION:
        wraps = _wraps(builder, word)
        (builder.part.wrapping if wraps else builder.part.decorated).add(value[1])
    if word[0] == LOAD and value[0] == Op.FUNCTION:
        name = builder.names[word[1]]
        idioms = builder.rules.idioms
        if name in idioms.statics or name in idioms.class_functions:
            builder.bindings[value[1]] = name


def _wraps(builder: Builder, row: list[int]) -> bool:
    """Whether a decorator says that what it decorates stands for something else."""
    callee = builder.ops[row[1]] if row[0] == CALL else row
    word = callee[1] if callee[0] == LOAD else callee[2] if callee[0] == Op.GETATTR else -1
    return word >= 0 and builder.names[word] == builder.rules.idioms.wraps


def make(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """A display makes a container."""
    node = builder.base + op
    if a == Make.TEXT or (c and builder.rules.declared and _is_type(builder, b)):
        return
    builder.part.seeds.append((node, Seed.CONTAINER, op, a))
    at: int | None = 0 if a in (Make.LIST, Make.TUPLE) and c <= MAX_ITEMS else None
    for kind, key, value in builder.ports[b : b + c]:
        if kind == Port.STAR:
            builder.uses.append((builder.nodes[value], Use.SPREAD, None, node))
            at = None
            continue
        if kind == Port.DOUBLE_STAR:
            builder.uses.append((builder.nodes[value], Use.MERGE, None, node))
            continue
        known = f"#{at}" if at is not None else None
        if kind == Port.ITEM:
            known = builder.constant_key(key)
        if at is not None:
            at += 1
        code, scope, *_ = builder.ops[value]
        if code != CONST:
            builder.uses.append((node, Use.SET_ITEM, known, builder.nodes[value]))
        if code == Op.FUNCTION and builder.rules.objects:
            builder.objects[scope] = node
        if known is not None and c <= MAX_ITEMS:
            builder.facts.setdefault(known, {})[node] = builder.nodes[value]


def _is_type(builder: Builder, first: int) -> bool:
    """Types are written as displays of any number of elements."""
    return builder.ports[first][0] == Port.EACH


def function(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """A function object."""
    builder.part.seeds.append((builder.base + op, Seed.FUNCTION, a, None))


def klass(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """A class object and its bases."""
    builder.part.seeds.append((builder.base + op, Seed.CLASS, a, None))
    ports = builder.ports[b : b + c]
    bases = [builder.nodes[value] for kind, _, value in ports if kind == Port.POSITIONAL]
    given = [builder.nodes[value] for kind, _, value in ports if kind == Port.INTERFACE]
    made = builder.part.classes[a] = Class([*bases, *given], len(given))
    for kind, name, value in ports:
        if kind == Port.KEYWORD and builder.names[name] == UNDERLYING:
            made.underlying = type_node(builder, value, builder.scope, builder.scope)


def operate(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """Joined lists and dictionaries hold the items of both; a part of a list is one of its type."""
    if b >= 0 and builder.ops[b][0] == Op.SLICE:
        builder.nodes[op] = builder.nodes[a]
    elif b >= 0 and builder.names[c] in ("+", "|"):
        builder.copies.append((builder.nodes[a], builder.base + op, 1))
        builder.copies.append((builder.nodes[b], builder.base + op, 1))
    elif b < 0 and builder.rules.late_binding and builder.names[c] == builder.rules.late_binding:
        builder.copies.append((builder.nodes[a], builder.base + op, 1))


def either(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """One of two values."""
    builder.nodes[op] = builder.variables.join((builder.nodes[a], builder.nodes[b]))


def iterate(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """An element of something iterable."""
    builder.facts.clear()
    builder.uses.append((builder.nodes[a], Use.ITERATE, op, builder.base + op))


def enter(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """What a context manager gives."""
    builder.facts.clear()
    builder.uses.append((builder.nodes[a], Use.ENTER, op, builder.base + op))


def wait(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """Waiting gives the value itself: coroutines are not told from their results."""
    builder.facts.clear()
    builder.nodes[op] = builder.nodes[a]


def give(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """A generator gives an element."""
    builder.facts.clear()
    function = builder.part.functions.get(builder.scope)
    if a < 0 or function is None:
        return
    if b:
        builder.uses.append((builder.nodes[a], Use.ITERATE, op, function.yields))
    else:
        builder.copies.append((builder.nodes[a], function.yields, 0))


def element(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """An item of what is unpacked."""
    code, kind, first, count, *_ = builder.ops[a]
    if code == MAKE and kind in (Make.LIST, Make.TUPLE) and count == c:
        ports = builder.ports[first : first + count]
        if all(port[0] == Port.POSITIONAL for port in ports):
            builder.nodes[op] = builder.nodes[ports[b][2]]
            return
    elif code == MAKE and b != c and _aligned(builder, op, a, b):
        return
    builder.uses.append(
        (builder.nodes[a], Use.ITEM, f"#{b}" if b >= 0 else None, builder.base + op)
    )


def _aligned(builder: Builder, op: int, a: int, b: int) -> bool:
    """An item of a display without stars that is unpacked into targets with one."""
    _, kind, first, count, *_ = builder.ops[a]
    ports = builder.ports[first : first + count]
    plain = kind in (Make.LIST, Make.TUPLE) and all(p[0] == Port.POSITIONAL for p in ports)
    if not plain or not -count <= b < count:
        return False
    builder.nodes[op] = builder.nodes[ports[b][2]]
    return True


def rest(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """The items that a starred target takes."""
    node = builder.base + op
    builder.part.seeds.append((node, Seed.CONTAINER, op, Make.LIST))
    code, kind, first, count, *_ = builder.ops[a]
    ports = builder.ports[first : first + count]
    if code == MAKE and kind in (Make.LIST, Make.TUPLE) and not any(p[0] for p in ports):
        for at, port in enumerate(ports[b : count - c]):
            builder.uses.append((node, Use.SET_ITEM, f"#{at}", builder.nodes[port[2]]))
    else:
        builder.uses.append((builder.nodes[a], Use.REST, b, node))


def narrow(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """A value that is known to be an instance."""
    if builder.rules.declared and builder.ops[b][0] != CONST:
        declared = type_node(builder, b, builder.scope, builder.scope)
        builder.copies.append((declared, builder.base + op, 0))
        if a >= 0:
            builder.assign(builder.nodes[a], declared, builder.base + op)
        return
    builder.narrowed(b, builder.base + op)


def load_module(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """An import."""
    node = builder.base + op
    module = builder.names[a]
    if b < 0:
        builder.part.seeds.append((node, Seed.MODULE, module, c))
    elif builder.names[b] == "*":
        builder.part.seeds.append((node, Seed.MODULE, module, 0))
        builder.part.stars.append(node)
        for name, other in builder.outside.items() if builder.rules.star_binds else ():
            builder.uses.append((node, Use.STAR, builder.names[name].partition("#")[0], other))
    else:
        builder.part.seeds.append((node, Seed.MEMBER, module, builder.names[b]))


def _index(key: str | None) -> int | None:
    return (
        int(key[1:])
        if key is not None and key[0] == "#" and key[1:].isdecimal() and len(key) < 10
        else None
    )

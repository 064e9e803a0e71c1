"""Operations that bind, store, give back."""

from __future__ import annotations

from grainline.graph.annotations import type_node
from grainline.graph.builder import CALL, CONST, LOAD, MAKE, Builder
from grainline.graph.parts import Function, Use
from grainline.model.ir import Make, Op, ScopeKind

MAX_PARTS = 16
"""Ways in which one returned value comes about that are told apart."""


def store(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """A name takes a value; an annotation before it adds its type."""
    node = builder.nodes[b]
    declared = builder.annotated.pop(a, None)
    if declared is None and builder.rules.declared:
        declared = builder.typed.get((builder.scope, a))
    if declared is not None and builder.rules.declared:
        value, node = node, builder.new()
        builder.copies.append((declared, node, 0))
        builder.assign(value, declared, node)
    elif declared is not None:
        node = builder.variables.join((node, declared))
    elif a in builder.env and _beside(builder, op, b, builder.env[a]):
        node = builder.variables.join((node, builder.env[a]))
    elif builder.rules.first_declares:
        builder.typed[builder.scope, a] = node
    bind(builder, a, node)


def _beside(builder: Builder, op: int, value: int, before: int) -> bool:
    """Whether a declaration stands beside the one before it, rather than in its place."""
    if builder.rules.overloads:
        return builder.ops[value][0] == Op.FUNCTION
    if not builder.rules.merges or builder.ops[op][4:6] != builder.ops[value][4:6]:
        return False
    at = before - builder.base
    inside = 0 <= at < len(builder.ops)
    return not inside or builder.ops[at][0] in (Op.FUNCTION, Op.CLASS, MAKE)


def bind(builder: Builder, name: int, node: int) -> None:
    """A new version of a name."""
    scope = builder.scope
    if not (builder.rules.hides_members and builder.scopes[scope].kind == ScopeKind.CLASS):
        builder.env[name] = node
    owner = builder.variables.elsewhere.get((scope, name))
    if owner is None:
        builder.variables.versions.setdefault((scope, name), []).append(node)
    elif owner >= 0:
        builder.copies.append((node, builder.variables.variable(owner, name), 0))


def annotate(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """The type of a name or attribute is declared."""
    node = type_node(builder, b, builder.scope, builder.scope)
    if c >= 0:
        builder.part.stored.add(builder.names[a])
        builder.uses.append((builder.nodes[c], Use.SET_ATTRIBUTE, builder.names[a], node))
        return
    if builder.scopes[builder.scope].kind == ScopeKind.CLASS:
        builder.part.classes[builder.scope].fields.append(builder.names[a])
        builder.part.classes[builder.scope].types[builder.names[a]] = node
    if builder.rules.declared:
        builder.typed[builder.scope, a] = node
    following = builder.ops[op + 1] if op + 1 < len(builder.ops) else [0, 0]
    if following[0] == Op.STORE and following[1] == a:
        builder.annotated[a] = node
    else:
        bind(builder, a, node)


def write_attribute(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """An attribute is set; right behind it, it holds just that."""
    node = builder.nodes[c]
    builder.part.stored.add(builder.names[b])
    builder.uses.append((builder.nodes[a], Use.SET_ATTRIBUTE, builder.names[b], node))
    if not _declares(builder):
        builder.facts[b] = {builder.nodes[a]: node}
    if builder.rules.objects and builder.ops[c][0] == Op.FUNCTION:
        builder.objects[builder.ops[c][1]] = builder.nodes[a]


def _declares(builder: Builder) -> bool:
    """Whether what is stored in something says less than its declared type."""
    return builder.rules.declared and not builder.rules.objects


def write_item(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """An item is set; right behind it, it holds just that."""
    owner, node = builder.nodes[a], builder.nodes[c]
    key = builder.constant_key(b)
    if _declares(builder):
        pass
    elif key is not None:
        builder.facts[key] = {owner: node}
    else:
        builder.facts.clear()
    if key is not None or builder.ops[b][0] in (CONST, MAKE, Op.SLICE):
        builder.uses.append((owner, Use.SET_ITEM, (key, op), node))
    else:
        builder.uses.append((builder.nodes[b], Use.KEYED_SET_ITEM, owner, node))
        builder.part.keyed.append((builder.nodes[b], Use.SET_ITEM, owner, node))


def delete(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """A name is unbound."""
    builder.env.pop(a, None)
    builder.facts.clear()


def give_back(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """A function returns; a parameter that is returned as it came is remembered as such."""
    builder.dead = True
    function = builder.part.functions.get(builder.scope)
    if a < 0 or function is None:
        return
    if builder.rules.late_binding and function.declared < 0 and _is_receiver(builder, function, a):
        function.fluent = True
        return
    parts = builder.variables.parts(builder.nodes[a])
    for node in parts if len(parts) <= MAX_PARTS else [builder.nodes[a]]:
        _give(builder, function, a, node)


def _give(builder: Builder, function: Function, a: int, node: int) -> None:
    """One of the values that operation `a` may be is given back."""
    at = builder.plain.get(node, -1)
    if at < 0:
        annotated = builder.scopes[builder.scope].returns >= 0
        if function.declared >= 0 and builder.rules.declared and _is_tuple(builder, a):
            _give_items(builder, a, function.declared)
        elif function.declared >= 0 and builder.rules.declared:
            builder.assign(node, function.declared, function.returns)
        else:
            result = _tail(builder, a, node - builder.base)
            builder.copies.append((result, function.returns, int(annotated)))
        at = _wrapped(builder, node - builder.base)
        function.wraps = function.wraps or at >= 0
    if builder.ops[a][0] == CALL:
        builder.part.tails[a] = builder.scope
        function.tail = True
    if at >= 0 and at not in function.identity:
        function.identity += (at,)


def _tail(builder: Builder, a: int, op: int) -> int:
    """The node of what a function returns, of a call that it kept in a variable a node of its own.

    What such a call gives back of what the function got is in the variable and not in that node: whoever
    calls the function knows it better.
    """
    scope = builder.scopes[builder.scope]
    node = builder.base + op
    if op == a or not scope.first <= op < scope.last or builder.ops[op][0] != CALL:
        return node
    known = builder.part.tails.get(op)
    number = builder.numbers.get(op, -1)
    if known is not None or number < 0 or not _takes_own(builder, op):
        return node if known is None else builder.part.calls[number].result
    made = builder.part.calls[number]
    result = builder.new()
    builder.part.calls[number] = made._replace(result=result)
    builder.part.tails[op] = builder.scope
    builder.copies.append((result, node, 0))
    return result


def _takes_own(builder: Builder, op: int) -> bool:
    """Whether a call gets something that its function got, or is one on it or on `super()`."""
    _, callee, first, count, *_ = builder.ops[op]
    if any(
        builder.nodes[port[2]] in builder.plain for port in builder.ports[first : first + count]
    ):
        return True
    code, owner, *_ = builder.ops[callee]
    return code == Op.GETATTR and (
        builder.nodes[owner] in builder.plain or builder.ops[owner][0] == CALL
    )


def _is_receiver(builder: Builder, function: Function, op: int) -> bool:
    """Whether a value is what the function is called on, or made by its class."""
    if function.receiver < 0:
        return False
    code, callee, *_ = builder.ops[op]
    made = builder.ops[callee] if code == Op.NEW else [0, 0, 0, 0]
    late = made[0] == Op.OPERATE and builder.names[made[3]] == builder.rules.late_binding
    return builder.nodes[op] == function.receiver or late


def _is_tuple(builder: Builder, op: int) -> bool:
    return builder.ops[op][:2] == [MAKE, Make.TUPLE]


def _give_items(builder: Builder, op: int, declared: int) -> None:
    """Several results, each of its declared type."""
    first, count = builder.ops[op][2:4]
    for at, (_, _, value) in enumerate(builder.ports[first : first + count]):
        builder.uses.append((declared, Use.SET_ITEM, f"#{at}", builder.nodes[value]))


def _wrapped(builder: Builder, op: int) -> int:
    """The parameter that what is returned wraps (`functools.wraps`), -1 when there is none.

    Whoever calls the wrapper means what it wraps.
    """
    if not 0 <= op < len(builder.ops):
        return -1
    code, a, first, count, *_ = builder.ops[op]
    if code == Op.DECORATE and builder.ops[a][0] == CALL:
        code, a, first, count, *_ = builder.ops[a]
        wanted, number = builder.rules.idioms.wraps, 0
    else:
        wanted, number = builder.rules.idioms.rewraps, 1
    if code != CALL or count <= number:
        return -1
    callee = builder.ops[a]
    word = callee[1] if callee[0] == LOAD else callee[2] if callee[0] == Op.GETATTR else 0
    if not wanted or builder.names[word] != wanted:
        return -1
    return builder.plain.get(builder.nodes[builder.ports[first + number][2]], -1)


def throw(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """A class that is raised is called."""
    builder.dead = True
    if a >= 0 and builder.ops[a][0] != CALL:
        builder.uses.append((builder.nodes[a], Use.RAISE, op, -1))


def attach(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """A member is defined outside of its type."""
    builder.uses.append((builder.nodes[a], Use.ATTACH, builder.names[b], builder.nodes[c]))


def export(builder: Builder, op: int, a: int, b: int, c: int) -> None:
    """The module gives something under a name; several under one are a set."""
    name, node = builder.names[a], builder.nodes[b]
    before = builder.part.members.get(name)
    builder.part.members[name] = node if before is None else builder.variables.join((before, node))

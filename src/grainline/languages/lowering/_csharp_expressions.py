"""Expressions of C#: each handler leaves one value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering import _csharp_types as types
from grainline.languages.lowering import _typed as typed
from grainline.languages.lowering._csharp_patterns import asked, match
from grainline.languages.lowering._csharp_types import inferred, kids, parameters_of
from grainline.languages.lowering._typed import Work, text_of, type_work
from grainline.languages.lowering.base import Handler, Writer, close, drop, opaque
from grainline.languages.lowering.common import inner, last
from grainline.model.ir import (
    ARGUMENTS,
    ASSIGNS,
    ASYNC,
    DECLARED,
    MENTIONED,
    QUALIFIER,
    Arm,
    Branch,
    Const,
    Make,
    Op,
    Port,
    ScopeKind,
)

if TYPE_CHECKING:
    from tree_sitter import Node


def visited(low: Writer, node: Node) -> tuple[Handler, object]:
    """An expression as work."""
    return low.handlers[node.kind_id], node


def mention(low: Writer, node: Node) -> tuple[Handler, object]:
    """A type as work."""
    return type_work(low, node, MENTIONED)


def operator_of(low: Writer, node: Node) -> bytes:
    """The first token that is no name, of an operator with operands."""
    for child in node.children:
        if not child.is_named:
            return text_of(low, child)
    return b""


# ------------------------------------------------------------------------------ names


def _base(low: Writer, node: Node) -> None:
    low.values.append(low.emit(Op.LOAD, low.name(b"super"), -1, -1, *node.byte_range))


def _generic(low: Writer, node: Node) -> None:
    """A generic type where a value stands."""
    typed.visit_type(low, node, MENTIONED)


def _member(low: Writer, node: Node) -> None:
    owner = node.child_by_field_name("expression") or node.child_by_field_name("qualifier")
    name = node.child_by_field_name("name")
    if owner is None or name is None:
        typed.anything(low, node)
        return
    low.push(visited(low, owner), (types.attribute_named, (name, -1)))


def _aliased(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        typed.anything(low, node)
    else:
        low.visit(name)


def _conditional(low: Writer, node: Node) -> None:
    """`a?.b`, `a?[b]`."""
    found = kids(node)
    if len(found) != 2:
        typed.anything(low, node)
        return
    owner, part = found
    name = part.child_by_field_name("name")
    if part.type == "member_binding_expression" and name is not None:
        low.push(visited(low, owner), (types.attribute_named, (name, -1)))
    elif part.type == "element_binding_expression":
        _item_of(low, node, owner, part)
    else:
        low.push(*typed.dropped(low, owner), *typed.dropped(low, part), (opaque, node))


def _item(low: Writer, node: Node) -> None:
    owner, keys = node.child_by_field_name("expression"), node.child_by_field_name("subscript")
    if owner is None or keys is None:
        typed.anything(low, node)
    else:
        _item_of(low, node, owner, keys)


def _item_of(low: Writer, node: Node, owner: Node, keys: Node) -> None:
    low.push(visited(low, owner), *keys_work(low, node, keys), (_item_end, node))


def keys_work(low: Writer, node: Node, keys: Node) -> Work:
    """Work that leaves one key of those in brackets."""
    found = [values[-1] for each in kids(keys) if (values := kids(each))]
    if not found:
        return [(opaque, node)]
    return [visited(low, found[0]), *(p for each in found[1:] for p in typed.dropped(low, each))]


def _item_end(low: Writer, node: Node) -> None:
    key, value = low.values.pop(), low.values.pop()
    low.values.append(low.emit(Op.GETITEM, value, key, -1, *node.byte_range))


# ------------------------------------------------------------------------------ calls

Ports = list[tuple[int, int]]


def arguments(low: Writer, node: Node | None) -> tuple[Work, Ports]:
    """Work that evaluates arguments, and kinds and names of their ports."""
    work: Work = []
    ports: Ports = []
    for each in kids(node) if node is not None else ():
        if each.type != "argument":
            continue
        name = each.child_by_field_name("name")
        values = [child for child in kids(each) if child != name and child.type != "modifier"]
        if not values:
            continue
        work.append(visited(low, values[-1]))
        kind = (int(Port.POSITIONAL), -1)
        if name is not None:
            kind = (int(Port.KEYWORD), low.name(text_of(low, name)))
        ports.append(kind)
    return work, ports


def call_end(low: Writer, work: tuple[Node, int, Ports]) -> None:
    """A call, or what makes an instance, of the value below those of the ports."""
    node, code, ports = work
    count = len(ports)
    found = low.values[len(low.values) - count :]
    del low.values[len(low.values) - count :]
    rows = [(kind, name, value) for (kind, name), value in zip(ports, found, strict=True)]
    first, count = low.write_ports(rows)
    callee = low.values.pop()
    low.values.append(low.emit(code, callee, first, count, *node.byte_range))


def _invocation(low: Writer, node: Node) -> None:
    callee = node.child_by_field_name("function")
    passed = node.child_by_field_name("arguments")
    if callee is None or passed is None:
        typed.anything(low, node)
        return
    if callee.type == "identifier" and text_of(low, callee) == b"nameof":
        low.constant(Const.STR, None, node)
        return
    work, ports = arguments(low, passed)
    low.push(*_callee(low, callee), *work, (call_end, (node, int(Op.CALL), ports)))


def _callee(low: Writer, node: Node) -> Work:
    """A function that is called; type arguments stand around its name."""
    if node.type == "generic_name" and (found := types.generic_parts(node)) is not None:
        return [(typed.load, found[0]), *types.type_arguments(low, node, MENTIONED)]
    owner, name = None, None
    if node.type == "member_access_expression":
        owner, name = node.child_by_field_name("expression"), node.child_by_field_name("name")
    elif node.type == "conditional_access_expression" and len(kids(node)) == 2:
        owner, binding = kids(node)
        name = binding.child_by_field_name("name")
    if owner is None or name is None:
        return [visited(low, node)]
    return [
        visited(low, owner),
        (typed.attribute, types.last_name(name)),
        *types.type_arguments(low, name, MENTIONED),
    ]


def _creation(low: Writer, node: Node) -> None:
    kind = node.child_by_field_name("type")
    if kind is None:
        typed.anything(low, node)
    elif kind.type == "array_type":
        _array(low, node)
    else:
        creation_of(low, (node, kind))


def creation_of(low: Writer, work: tuple[Node, Node]) -> None:
    """`new` of a type that may stand elsewhere."""
    node, kind = work
    passed = next((each for each in kids(node) if each.type == "argument_list"), None)
    values, ports = arguments(low, passed)
    filled = next((each for each in kids(node) if each.type == "initializer_expression"), None)
    low.push(
        type_work(low, kind, QUALIFIER),
        *values,
        (call_end, (node, int(Op.NEW), ports)),
        *([(_filled, filled)] if filled is not None else []),
    )


def _filled(low: Writer, node: Node) -> None:
    """Members of the last value, which stays, are set, or elements are added to it."""
    work: Work = []
    for each in kids(node):
        left, right = each.child_by_field_name("left"), each.child_by_field_name("right")
        if each.type == "initializer_expression":  # arguments of what adds
            parts = kids(each)
            work += [p for part in parts[:-1] for p in typed.dropped(low, part)]
            work += [p for part in parts[-1:] for p in (visited(low, part), (_element_set, part))]
        elif each.type != "assignment_expression" or left is None or right is None:
            work += [visited(low, each), (_element_set, each)]
        elif left.type == "identifier":
            work += [visited(low, right), (_member_set, left)]
        else:
            work += [visited(low, right), (_element_set, right)]
    low.push(*work)


def _element_set(low: Writer, node: Node) -> None:
    """An element of the value below: which one is not said."""
    value = low.values.pop()
    start, end = node.byte_range
    key = low.emit(Op.CONST, Const.OTHER, -1, -1, start, end)
    low.emit(Op.SETITEM, low.values[-1], key, value, start, end)


def _member_set(low: Writer, name: Node) -> None:
    value = low.values.pop()
    number = low.name(text_of(low, name))
    low.emit(Op.SETATTR, low.values[-1], number, value, *name.byte_range)


def _with(low: Writer, node: Node) -> None:
    found = kids(node)
    values = [part for each in found[1:] for part in kids(each)[1:]]
    if not found:
        opaque(low, node)
        return
    low.push(
        visited(low, found[0]),
        *(p for each in values for p in (visited(low, each), (typed.binary_end, (node, b"with")))),
    )


def _implicit_creation(low: Writer, node: Node) -> None:
    """`new(...)` whose type is that of what takes it."""
    passed = next((each for each in kids(node) if each.type == "argument_list"), None)
    values, _ = arguments(low, passed)
    filled = next((each for each in kids(node) if each.type == "initializer_expression"), None)
    low.push(
        *(part for each in values for part in (each, (drop, None))),
        (opaque, node),
        *([(_filled, filled)] if filled is not None else []),
    )


def _initializer(low: Writer, node: Node) -> None:
    if node.parent is not None and node.parent.type == "variable_declarator":  # of an array
        found = kids(node)
        low.push(*(visited(low, each) for each in found), (typed.make_list, (node, len(found))))
        return
    low.push((opaque, node), (_filled, node))


def _array(low: Writer, node: Node) -> None:
    kind = node.child_by_field_name("type")
    filled = next((each for each in kids(node) if each.type == "initializer_expression"), None)
    if kind is None:
        typed.anything(low, node)
        return
    rank = kind.child_by_field_name("rank")
    work: Work = [p for each in (kids(rank) if rank else ()) for p in typed.dropped(low, each)]
    elements = kids(filled) if filled is not None else []
    work += [visited(low, each) for each in elements]
    low.push(*work, (_make, (node, len(elements), Make.LIST)), mention(low, kind),
             (typed.narrow_end, node))  # fmt: skip


def _implicit_array(low: Writer, node: Node) -> None:
    filled = next((each for each in kids(node) if each.type == "initializer_expression"), None)
    found = kids(filled) if filled is not None else []
    low.push(*(visited(low, each) for each in found), (typed.make_list, (node, len(found))))


# ------------------------------------------------------------------------------ functions


def _lambda(low: Writer, node: Node) -> None:
    body = node.child_by_field_name("body")
    if body is None:
        body = next((each for each in kids(node) if each.type == "block"), None)
    if body is None:
        typed.anything(low, node)
        return
    given = node.child_by_field_name("parameters")
    parameters = parameters_of(low, given).found
    words = {text_of(low, each) for each in node.children if each.type == "modifier"}
    flags = (ASYNC if b"async" in words else 0) | (ARGUMENTS if given is None else 0)
    handler = low.statements[body.kind_id] if body.type == "block" else typed.body_value
    number = low.lambdas[low.scope] = low.lambdas.get(low.scope, 0) + 1
    made = typed.Definition(
        node, ScopeKind.LAMBDA, b"%d" % number, node.start_byte, flags, handler, body, parameters
    )
    low.push(*typed.visit_parameters(low, parameters, DECLARED), (typed.defined, made))


# ------------------------------------------------------------------------------ operators


def _binary(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        typed.anything(low, node)
        return
    word = operator_of(low, node)
    end = (typed.either_end, node) if word == b"??" else (typed.binary_end, (node, word))
    low.push(visited(low, left), visited(low, right), end)


def _unary(low: Writer, node: Node) -> None:
    found = kids(node)
    word = operator_of(low, node)
    if len(found) != 1 or word in (b"*", b"&", b"^"):
        typed.anything(low, node)
    elif node.type == "postfix_unary_expression" and word == b"!":
        low.visit(found[0])
    else:
        low.push(visited(low, found[0]), (typed.unary_end, (node, b"!" if word == b"!" else b"-")))


def _ternary(low: Writer, node: Node) -> None:
    found = [
        each
        for name in ("condition", "consequence", "alternative")
        if (each := node.child_by_field_name(name)) is not None
    ]
    if len(found) != 3:
        typed.anything(low, node)
        return
    low.push(
        *(visited(low, each) for each in found),
        (typed.choice_end, node),
    )


def _cast(low: Writer, node: Node) -> None:
    kind = node.child_by_field_name("type") or node.child_by_field_name("right")
    value = node.child_by_field_name("value") or node.child_by_field_name("left")
    if kind is None or value is None:
        typed.anything(low, node)
        return
    low.push(visited(low, value), mention(low, kind), (typed.narrow_end, node))


def _is(low: Writer, node: Node) -> None:
    value, kind = node.child_by_field_name("left"), node.child_by_field_name("right")
    if value is None or kind is None:
        typed.anything(low, node)
        return
    low.push(*typed.dropped(low, value), mention(low, kind), (drop, None), (_truth, node))


def _is_pattern(low: Writer, node: Node) -> None:
    value, pattern = node.child_by_field_name("expression"), node.child_by_field_name("pattern")
    if value is None or pattern is None:
        typed.anything(low, node)
        return
    low.push(visited(low, value), (match, pattern), (asked, pattern))


def _truth(low: Writer, node: Node) -> None:
    low.constant(Const.BOOL, None, node)


def _type_of(low: Writer, node: Node) -> None:
    kind = node.child_by_field_name("type")
    if kind is None:
        typed.anything(low, node)
    else:
        low.push(mention(low, kind), (_class_object, node))


def _class_object(low: Writer, node: Node) -> None:
    name = low.name(b"class")
    low.values.append(low.emit(Op.GETATTR, low.values.pop(), name, -1, *node.byte_range))


def _default(low: Writer, node: Node) -> None:
    kind = node.child_by_field_name("type")
    if kind is None:
        opaque(low, node)
    else:
        low.push((opaque, node), mention(low, kind), (typed.narrow_end, node))


def _assignment(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        typed.anything(low, node)
        return
    word = operator_of(low, node)
    value = visited(low, right)
    if word not in _SETS:
        low.push(visited(low, left), value, (typed.binary_end, (node, word[:-1])))
        return
    owner, name = left.child_by_field_name("expression"), left.child_by_field_name("name")
    keys = left.child_by_field_name("subscript")
    adds = [(_added, (node, word))] if word != b"=" else []
    if left.type == "identifier" and adds:
        low.push(visited(low, left), value, *adds, (_stored, left))
    elif left.type == "identifier":
        low.push(value, (_stored, left))
    elif left.type in ("tuple_expression", "tuple_pattern"):
        low.push(value, (_unpacked, left))
    elif left.type == "member_access_expression" and owner is not None and name is not None:
        old: Work = [visited(low, left)] if adds else []
        low.push(visited(low, owner), *old, value, *adds, (_attribute_set, types.last_name(name)))
    elif left.type == "element_access_expression" and owner is not None and keys is not None:
        low.push(visited(low, owner), *keys_work(low, left, keys), value, (_item_set, left))
    else:
        low.push(*typed.dropped(low, left), value)


_SETS = frozenset({b"=", b"+=", b"??="})
"""What gives a variable a function that is called later: events are added to."""


def _added(low: Writer, work: tuple[Node, bytes]) -> None:
    """`x += y`: what is stored is `y`, which is added to what was there (an event has several)."""
    node, word = work
    right, left = low.values.pop(), low.values.pop()
    low.emit(Op.OPERATE, left, right, low.name(word), *node.byte_range)
    low.values.append(right)


def _unpacked(low: Writer, target: Node) -> None:
    """`(a, b) = x`: the value stays."""
    whole = low.values[-1]
    parts = [values[-1] for each in kids(target) if (values := kids(each) or [each])]
    for place, each in enumerate(parts):
        if each.type == "identifier":
            start, end = each.byte_range
            part = low.emit(Op.ELEMENT, whole, place, len(parts), start, end)
            low.emit(Op.STORE, low.name(low.text[start:end]), part, ASSIGNS, start, end)


def unpack(low: Writer, names: list[Node]) -> None:
    """Declare names that hold parts of the last value."""
    whole = low.values.pop()
    for place, name in enumerate(names):
        low.values.append(low.emit(Op.ELEMENT, whole, place, len(names), *name.byte_range))
        typed.declare(low, (name, name, -1, True))


def _stored(low: Writer, name: Node) -> None:
    start, end = name.byte_range
    low.emit(Op.STORE, low.name(low.text[start:end]), low.values[-1], ASSIGNS, start, end)


def _attribute_set(low: Writer, name: Node) -> None:
    value, owner = low.values.pop(), low.values.pop()
    low.emit(Op.SETATTR, owner, low.name(text_of(low, name)), value, *name.byte_range)
    low.values.append(value)


def _item_set(low: Writer, node: Node) -> None:
    value, key, owner = low.values.pop(), low.values.pop(), low.values.pop()
    low.emit(Op.SETITEM, owner, key, value, *node.byte_range)
    low.values.append(value)


def _declaration(low: Writer, node: Node) -> None:
    """`out Foo x`, `var (a, b)`: variables that are declared where a value stands."""
    kind, name = node.child_by_field_name("type"), node.child_by_field_name("name")
    if name is None or name.type != "identifier":
        opaque(low, node)
        low.push(*((declare_unknown, each) for each in names_in(node)))
    elif inferred(kind) or kind is None:
        opaque(low, node)
        low.push((declare_unknown, name))
    else:
        low.push((opaque, node), type_work(low, kind, DECLARED), (_declared, name))


def _declared(low: Writer, name: Node) -> None:
    kind, value = low.values.pop(), low.values.pop()
    narrowed = low.emit(Op.NARROW, value, kind, -1, *name.byte_range)
    low.values += [narrowed, narrowed]
    typed.declare(low, (name, name, kind, True))


def declare_unknown(low: Writer, name: Node) -> None:
    """A variable of which nothing is known."""
    typed.declare(low, (name, name, -1, False))


MAX_NAMES = 64


def names_in(node: Node) -> list[Node]:
    """The names that a designation of several variables binds."""
    found: list[Node] = []
    open_ = list(reversed(kids(node)))
    while open_ and len(found) < MAX_NAMES:
        at = open_.pop()
        if at.type == "identifier":
            found.append(at)
        elif at.type not in types.TYPES:
            open_ += reversed(kids(at))
    return found


def _await(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 1:
        typed.anything(low, node)
    else:
        low.push(visited(low, found[0]), (_awaited, node))


def _awaited(low: Writer, node: Node) -> None:
    low.values.append(low.emit(Op.AWAIT, low.values.pop(), -1, -1, *node.byte_range))


def _throw(low: Writer, node: Node) -> None:
    work: Work = []
    for each in kids(node)[:1]:
        work += [visited(low, each), (_raised, node)]
    low.push(*work, (opaque, node))


def _raised(low: Writer, node: Node) -> None:
    low.emit(Op.RAISE, low.values.pop(), -1, -1, *node.byte_range)


def _interpolated(low: Writer, node: Node) -> None:
    """A text of its parts in order."""
    work: Work = []
    count = 0
    for part in kids(node):
        found = [each for each in kids(part) if each.type not in _PIECES]
        if part.type == "interpolation" and found:
            work += [*(p for each in found[1:] for p in typed.dropped(low, each)),
                     visited(low, found[0])]  # fmt: skip
        elif part.type in ("string_content", "interpolated_string_text"):
            work.append((_piece, part))
        else:
            continue
        count += 1
    low.push(*work, (_text, (node, count)))


_PIECES = frozenset(
    {"interpolation_brace", "interpolation_format_clause", "interpolation_alignment_clause"}
)


def _piece(low: Writer, node: Node) -> None:
    low.constant(Const.STR, b'"' + text_of(low, node) + b'"', node)


def _text(low: Writer, work: tuple[Node, int]) -> None:
    _make(low, (*work, Make.TEXT))


def _make(low: Writer, work: tuple[Node, int, Make]) -> None:
    """A display of the last values."""
    node, count, kind = work
    first, count = typed.positional(low, count)
    low.values.append(low.emit(Op.MAKE, kind, first, count, *node.byte_range))


def _tuple(low: Writer, node: Node) -> None:
    found = [values[-1] for each in kids(node) if (values := kids(each) or [each])]
    low.push(*(visited(low, each) for each in found), (_make, (node, len(found), Make.TUPLE)))


def _switch(low: Writer, node: Node) -> None:
    found = kids(node)
    arms = [each for each in found if each.type == "switch_expression_arm" and kids(each)]
    if not found or found[0].type == "switch_expression_arm":
        typed.anything(low, node)
        return
    work: Work = [visited(low, found[0]), (typed.branch, (Branch.MATCH, node))]
    for each in arms:
        parts = kids(each)
        work.append((typed.arm, (Arm.THEN, each)))
        work += [(match, part) for part in parts[:1] if len(parts) > 1]
        work += [p for part in parts[1:-1] for p in _when(low, part)]
        work += [visited(low, parts[-1]), (_swap, None)]
    work += [(typed.arm, (Arm.ELSE, node)), (close, node), (drop, None)]
    work += [(typed.either_end, node)] * (len(arms) - 1) if arms else [(opaque, node)]
    low.push(*work)


def _when(low: Writer, node: Node) -> Work:
    return [p for each in kids(node) for p in typed.dropped(low, each)]


def _swap(low: Writer, _: None) -> None:
    """Keep what is matched on top of what is kept."""
    low.values[-1], low.values[-2] = low.values[-2], low.values[-1]


def _query(low: Writer, node: Node) -> None:
    """Clauses of LINQ: what they are about is an element of what they go through."""
    work: Work = []
    names: list[Node] = []
    given = 0
    for clause in kids(node):
        name = clause.child_by_field_name("name")
        values = [each for each in kids(clause) if each != name]
        if clause.type == "from_clause" and name is not None and values:
            names.append(name)
            work += [visited(low, values[-1]), (_ranged, name)]
            continue
        bound = name if clause.type in {"let_clause", "join_clause"} else None
        if clause.type in {"let_clause", "join_clause"} and bound is None and values:
            bound = values[0] if values[0].type == "identifier" else None
            values = values[1:] if bound is not None else values
        if bound is not None:
            names.append(bound)
            work.append((declare_unknown, bound))
        if clause.type in {"identifier"}:
            names.append(clause)
            work.append((declare_unknown, clause))
        elif clause.type == "select_clause" and values:
            work += [p for each in values[1:] for p in typed.dropped(low, each)]
            work += [(drop, None)] * given + [visited(low, values[0])]
            given = 1
        else:
            work += [p for each in values for p in typed.dropped(low, each)]
    end = (_each, node) if given else (opaque, node)
    low.push(*work, (typed.forget, names), end)


def _each(low: Writer, node: Node) -> None:
    """Any number of such elements."""
    at, count = low.write_ports([(int(Port.EACH), -1, low.values.pop())])
    low.values.append(low.emit(Op.MAKE, Make.GENERATOR, at, count, *node.byte_range))


def _ranged(low: Writer, name: Node) -> None:
    source = low.values.pop()
    low.values.append(low.emit(Op.ITER, source, -1, -1, *name.byte_range))
    typed.declare(low, (name, name, -1, True))


EXPRESSIONS: dict[str, Handler] = {
    "identifier": typed.load,
    "this": typed.load,
    "base": _base,
    "predefined_type": typed.load,
    "generic_name": _generic,
    "member_access_expression": _member,
    "qualified_name": _member,
    "alias_qualified_name": _aliased,
    "conditional_access_expression": _conditional,
    "element_access_expression": _item,
    "invocation_expression": _invocation,
    "object_creation_expression": _creation,
    "implicit_object_creation_expression": _implicit_creation,
    "array_creation_expression": _array,
    "implicit_array_creation_expression": _implicit_array,
    "initializer_expression": _initializer,
    "with_expression": _with,
    "lambda_expression": _lambda,
    "anonymous_method_expression": _lambda,
    "binary_expression": _binary,
    "prefix_unary_expression": _unary,
    "postfix_unary_expression": _unary,
    "conditional_expression": _ternary,
    "cast_expression": _cast,
    "as_expression": _cast,
    "is_expression": _is,
    "is_pattern_expression": _is_pattern,
    "typeof_expression": _type_of,
    "default_expression": _default,
    "assignment_expression": _assignment,
    "declaration_expression": _declaration,
    "await_expression": _await,
    "throw_expression": _throw,
    "switch_expression": _switch,
    "query_expression": _query,
    "parenthesized_expression": inner,
    "checked_expression": last,
    "ref_expression": last,
    "argument": last,
    "interpolated_string_expression": _interpolated,
    "tuple_expression": _tuple,
    "string_literal": typed.constant(Const.STR),
    "verbatim_string_literal": typed.constant(Const.STR),
    "raw_string_literal": typed.constant(Const.STR),
    "boolean_literal": typed.constant(Const.BOOL),
    "null_literal": typed.constant(Const.NONE),
    "integer_literal": typed.constant(Const.INT),
    "real_literal": typed.constant(Const.OTHER),
    "character_literal": typed.constant(Const.OTHER),
}

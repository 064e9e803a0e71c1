"""Expressions of Rust: each handler leaves one value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering import _rust_macros as macros
from grainline.languages.lowering._rust_base import field, label_of, rust
from grainline.languages.lowering.base import (
    MAX_CONSTANT,
    Handler,
    Writer,
    anything,
    evaluate,
    kids,
    opaque,
)
from grainline.languages.lowering.blocks import (
    CALL,
    GETATTR,
    GETITEM,
    LOAD,
    MAKE,
    POSITIONAL,
    STORE,
    unknown,
)
from grainline.model.ir import FAR, OP_WIDTH, Const, Make, Op, Port

if TYPE_CHECKING:
    from tree_sitter import Node


def inner(low: Writer, node: Node) -> None:
    """Wrappers: what is in them."""
    found = [child for child in kids(node) if child.type != "mutable_specifier"]
    if len(found) == 1:
        low.visit(found[0])
    else:
        anything(low, node)


def _field(low: Writer, node: Node) -> None:
    _read(low, (node, True))


def _method(low: Writer, node: Node) -> None:
    """What is called: a method where a field stands, whatever type arguments follow."""
    if node.type == "generic_function":
        node = node.child_by_field_name("function") or node
    if node.type == "field_expression":
        _read(low, (node, False))
    else:
        low.visit(node)


def _read(low: Writer, work: tuple[Node, bool]) -> None:
    node, as_field = work
    value, place = node.child_by_field_name("value"), node.child_by_field_name("field")
    if value is None or place is None:
        anything(low, node)
        return
    low.todo.append((_member, (place, as_field)))
    low.visit(value)


def _member(low: Writer, work: tuple[Node, bool]) -> None:
    node, as_field = work
    start, end = node.byte_range
    raw = low.text[start:end]
    name = low.name(field(raw) if as_field else raw)
    low.values.append(low.emit(GETATTR, low.values.pop(), name, -1, start, end))


def _call(low: Writer, node: Node) -> None:
    function = node.child_by_field_name("function")
    passed = node.child_by_field_name("arguments")
    if function is None or passed is None:
        anything(low, node)
        return
    arguments = [child for child in kids(passed) if child.type != "attribute_item"]
    low.push(
        (_method, function),
        *((low.handlers[each.kind_id], each) for each in arguments),
        (_call_end, (node, len(arguments))),
    )


def _call_end(low: Writer, work: tuple[Node, int]) -> None:
    node, count = work
    at, n_ports = _positional(low, count)
    start, end = node.byte_range
    low.values.append(low.emit(CALL, low.values.pop(), at, n_ports, start, end))


def _positional(low: Writer, count: int) -> tuple[int, int]:
    first = len(low.values) - count
    values = low.values[first:]
    del low.values[first:]
    return low.write_ports([(POSITIONAL, -1, value) for value in values])


def _generic_function(low: Writer, node: Node) -> None:
    function = node.child_by_field_name("function")
    if function is None:
        anything(low, node)
    else:
        low.visit(function)


def _macro(low: Writer, node: Node) -> None:
    """A macro: what is written in it is looked at where it is evaluated as it stands."""
    name = node.child_by_field_name("macro")
    if name is None:
        opaque(low, node)
        return
    start, end = name.byte_range
    callee = low.emit(LOAD, low.name(low.text[start:end] + b"!"), -1, -1, start, end)
    word = low.text[start:end].rpartition(b"::")[2]
    found = macros.arguments(low, node, word)
    if found is not None:
        low.push((macros.evaluated, (node, word, callee, found)))
        return
    at, n_ports = low.write_ports([])
    low.values.append(low.emit(CALL, callee, at, n_ports, *node.byte_range))


def _structure(low: Writer, node: Node) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        anything(low, node)
        return
    fields: list[Node] = []
    values: list[Node] = []
    rest: list[Node] = []
    for child in kids(body) if body is not None else ():
        found = [part for part in kids(child) if part.type != "attribute_item"]
        if child.type == "field_initializer" and len(found) == 2:
            fields.append(found[0])
            values.append(found[1])
        elif child.type == "shorthand_field_initializer" and found:
            fields.append(found[-1])
            values.append(found[-1])
        else:
            rest += found
    low.push(
        (low.handlers[name.kind_id], name),
        *((low.handlers[value.kind_id], value) for value in values),
        (_structure_end, (node, fields)),
        *((evaluate, part) for part in rest),
    )


def _structure_end(low: Writer, work: tuple[Node, list[Node]]) -> None:
    node, fields = work
    first = len(low.values) - len(fields)
    ports = [
        (int(Port.KEYWORD), low.name(field(rust(low).raw(name))), value)
        for name, value in zip(fields, low.values[first:], strict=True)
    ]
    del low.values[first:]
    at, count = low.write_ports(ports)
    low.values.append(low.emit(Op.NEW, low.values.pop(), at, count, *node.byte_range))


def _display(kind: Make) -> Handler:
    def end(low: Writer, work: tuple[Node, int]) -> None:
        node, count = work
        at, n_ports = _positional(low, count)
        low.values.append(low.emit(MAKE, kind, at, n_ports, *node.byte_range))

    def display(low: Writer, node: Node) -> None:
        length = node.child_by_field_name("length")
        found = [
            child for child in kids(node) if child != length and child.type != "attribute_item"
        ]
        low.todo.append((end, (node, len(found))))
        low.visit_all(found)

    return display


def _index(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        anything(low, node)
        return
    low.todo.append((_index_end, node))
    low.visit_all(found)


def _index_end(low: Writer, node: Node) -> None:
    key = low.values.pop()
    if low.ops[key * OP_WIDTH] != Op.CONST:
        key = unknown(low, node)
    start, end = node.byte_range
    low.values.append(low.emit(GETITEM, low.values.pop(), key, -1, start, end))


def _try(low: Writer, node: Node) -> None:
    """`x?` is what is in the wrapper."""
    found = kids(node)
    if len(found) != 1:
        anything(low, node)
        return
    low.push((low.handlers[found[0].kind_id], found[0]), (_try_end, node))


def _try_end(low: Writer, node: Node) -> None:
    start, end = node.byte_range
    low.values.append(low.emit(GETITEM, low.values.pop(), unknown(low, node), -1, start, end))


def _await(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 1:
        anything(low, node)
        return
    low.push((low.handlers[found[0].kind_id], found[0]), (_await_end, node))


def _await_end(low: Writer, node: Node) -> None:
    low.values.append(low.emit(Op.AWAIT, low.values.pop(), -1, -1, *node.byte_range))


def _cast(low: Writer, node: Node) -> None:
    """A cast to something known of which nothing is called: the value."""
    value, kind = node.child_by_field_name("value"), node.child_by_field_name("type")
    if value is None or kind is None:
        anything(low, node)
        return
    low.visit(value)


def _unary(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 1:
        anything(low, node)
        return
    if not low.text.startswith(b"*", node.start_byte):
        low.todo.append((_unary_end, node))
    low.visit(found[0])


def _unary_end(low: Writer, node: Node) -> None:
    start, end = node.byte_range
    operator = low.name(low.text[start : start + 1])
    low.values.append(low.emit(Op.OPERATE, low.values.pop(), -1, operator, start, end))


def _binary(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        anything(low, node)
        return
    low.todo.append((_binary_end, node))
    low.visit_all(found)


def _binary_end(low: Writer, node: Node) -> None:
    word = node.child_by_field_name("operator") or node
    start, end = node.byte_range
    right = low.values.pop()
    operator = low.name(rust(low).raw(word)[:8])
    low.values.append(low.emit(Op.OPERATE, low.values.pop(), right, operator, start, end))


def _literal(kind: Const) -> Handler:
    def literal(low: Writer, node: Node) -> None:
        raw = rust(low).raw(node)
        low.constant(kind, raw.strip(b'"') if len(raw) <= MAX_CONSTANT else None, node)

    return literal


def _raw_string(low: Writer, node: Node) -> None:
    raw = rust(low).raw(node)
    inside = raw[raw.find(b'"') + 1 : raw.rfind(b'"')]
    low.constant(Const.STR, inside if len(raw) <= MAX_CONSTANT else None, node)


# ------------------------------------------------------------------------------ assignments


def _assignment(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        anything(low, node)
        return
    low.push((low.handlers[right.kind_id], right), (_assigned, left), (opaque, node))


def _assigned(low: Writer, target: Node) -> None:
    _assign(low, (target, low.values.pop()))


def _assign(low: Writer, work: tuple[Node, int]) -> None:
    target, value = work
    kind, found = target.type, kids(target)
    if kind == "identifier":
        start, end = target.byte_range
        known = rust(low).locals.known(low.text[start:end])
        if known:
            low.emit(STORE, low.name(known), value, -1, start, end)
    elif kind == "field_expression" and len(found) == 2:
        low.push((low.handlers[found[0].kind_id], found[0]), (_set_field, (found[1], value)))
    elif kind == "index_expression" and len(found) == 2:
        low.todo.append((_set_item, (target, value)))
        low.visit_all(found)
    elif kind == "parenthesized_expression" and len(found) == 1:
        low.push((_assign, (found[0], value)))
    elif kind == "unary_expression" and len(found) == 1:
        if found[0].type == "identifier":
            low.push((_assign, (found[0], value)))
        low.push((low.handlers[found[0].kind_id], found[0]), (_set_pointed, (target, value)))
    elif kind == "tuple_expression":
        low.push(*((_assign, (part, unknown(low, part))) for part in found))
    else:
        evaluate(low, target)


def _set_field(low: Writer, work: tuple[Node, int]) -> None:
    name, value = work
    start, end = name.byte_range
    word = low.name(field(low.text[start:end]))
    low.emit(Op.SETATTR, low.values.pop(), word, value, start, end)


def _set_pointed(low: Writer, work: tuple[Node, int]) -> None:
    """`*x = y`: something in what it refers to."""
    target, value = work
    key = unknown(low, target)
    low.emit(Op.SETITEM, low.values.pop(), key, value, *target.byte_range)


def _set_item(low: Writer, work: tuple[Node, int]) -> None:
    target, value = work
    key = low.values.pop()
    if low.ops[key * OP_WIDTH] != Op.CONST:
        key = unknown(low, target)
    low.emit(Op.SETITEM, low.values.pop(), key, value, *target.byte_range)


def _compound(low: Writer, node: Node) -> None:
    """`x += y`."""
    found = kids(node)
    if len(found) != 2:
        low.push(*((evaluate, child) for child in found), (opaque, node))
        return
    low.push(*((low.handlers[child.kind_id], child) for child in found), (_binary_end, node))


def _return(low: Writer, node: Node) -> None:
    found = kids(node)[:1]
    low.push(
        *((low.handlers[child.kind_id], child) for child in found),
        (_return_end, (node, bool(found))),
        (opaque, node),
    )


def _return_end(low: Writer, work: tuple[Node, bool]) -> None:
    node, given = work
    low.emit(Op.RETURN, low.values.pop() if given else -1, -1, -1, *node.byte_range)


def _break(low: Writer, node: Node) -> None:
    """`break 'label value`: what the loop or block gives, and where it goes on."""
    around = rust(low).left_by(node)
    found = [child for child in kids(node) if child.type != "label"]
    work = (_left_with, (found[0], around.variable)) if found else (_nothing, None)
    low.push(
        *((low.handlers[child.kind_id], child) for child in found[:1]),
        work,
        (_left, (node, around.jump)),
        (opaque, node),
    )


def _left_with(low: Writer, work: tuple[Node, int]) -> None:
    node, variable = work
    value = low.values.pop()
    if variable >= 0:
        low.emit(STORE, variable, value, -1, *node.byte_range)


def _nothing(low: Writer, _: None) -> None:
    del low


def _left(low: Writer, work: tuple[Node, int]) -> None:
    node, jump = work
    if jump >= 0:
        low.emit(Op.JUMP, jump, -1, -1, *node.byte_range)
    else:
        _go_on(low, (Op.BREAK, node))


def _go_on(low: Writer, work: tuple[Op, Node]) -> None:
    code, node = work
    far = label_of(low, node) is not None
    low.emit(code, -1, FAR if far else -1, -1, *node.byte_range)


def _continue(low: Writer, node: Node) -> None:
    low.push((_go_on, (Op.CONTINUE, node)), (opaque, node))


EXPRESSIONS: dict[str, Handler] = {
    "field_expression": _field,
    "call_expression": _call,
    "generic_function": _generic_function,
    "macro_invocation": _macro,
    "struct_expression": _structure,
    "array_expression": _display(Make.LIST),
    "tuple_expression": _display(Make.TUPLE),
    "index_expression": _index,
    "try_expression": _try,
    "await_expression": _await,
    "type_cast_expression": _cast,
    "reference_expression": inner,
    "parenthesized_expression": inner,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "assignment_expression": _assignment,
    "compound_assignment_expr": _compound,
    "return_expression": _return,
    "break_expression": _break,
    "continue_expression": _continue,
    "integer_literal": _literal(Const.INT),
    "string_literal": _literal(Const.STR),
    "boolean_literal": _literal(Const.BOOL),
    "char_literal": opaque,
    "float_literal": opaque,
    "raw_string_literal": _raw_string,
    "unit_expression": opaque,
    "token_tree": opaque,
}

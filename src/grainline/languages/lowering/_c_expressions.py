"""Expressions of C: each handler leaves one value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering.base import (
    Handler,
    Ports,
    Writer,
    anything,
    evaluate,
    kids,
    opaque,
)
from grainline.languages.lowering.blocks import (
    CALL,
    GETATTR,
    LOAD,
    POSITIONAL,
    STORE,
    assigned,
    keep,
    machine,
)
from grainline.languages.lowering.common import inner
from grainline.model.ir import Const, Op, Port

if TYPE_CHECKING:
    from tree_sitter import Node


def _last(low: Writer, node: Node) -> None:
    _keep(low, node, -1)


def _subscript(low: Writer, node: Node) -> None:
    """An element is what the whole is, and the whole is looked into."""
    found = kids(node)
    if len(found) != 2:
        anything(low, node)
        return
    low.todo.append((_subscript_end, node))
    low.visit_all(found)


def _subscript_end(low: Writer, node: Node) -> None:
    index = low.values.pop()
    low.emit(Op.OPERATE, low.values[-1], index, low.name(b"[]"), *node.byte_range)


def _pointer(low: Writer, node: Node) -> None:
    """What a pointer points at, and the pointer to something, are what that is."""
    found = kids(node)
    if len(found) != 1:
        anything(low, node)
        return
    low.todo.append((_pointer_end, node))
    low.visit(found[0])


def _pointer_end(low: Writer, node: Node) -> None:
    word = low.name(low.text[node.start_byte : node.start_byte + 1])
    low.emit(Op.OPERATE, low.values[-1], -1, word, *node.byte_range)


def _null(low: Writer, node: Node) -> None:
    low.constant(Const.NONE, None, node)


def _number(low: Writer, node: Node) -> None:
    low.constant(Const.INT, low.text[node.start_byte : node.end_byte], node)


def _unary(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 1:
        anything(low, node)
        return
    low.todo.append((_unary_end, node))
    low.visit(found[0])


def _unary_end(low: Writer, node: Node) -> None:
    word = low.name(low.text[node.start_byte : node.start_byte + 1])
    low.values.append(low.emit(Op.OPERATE, low.values.pop(), -1, word, *node.byte_range))


def _keep(low: Writer, node: Node, at: int) -> None:
    """All parts are evaluated, one is the value."""
    found = kids(node)
    if not found:
        opaque(low, node)
        return
    low.todo.append((keep, (at if at < 0 else -len(found), len(found))))
    low.visit_all(found)


def _field(low: Writer, node: Node) -> None:
    owner, field = node.child_by_field_name("argument"), node.child_by_field_name("field")
    if owner is None or field is None:
        anything(low, node)
        return
    low.push((low.handlers[owner.kind_id], owner), (_field_end, field))


def _field_end(low: Writer, node: Node) -> None:
    start, end = node.byte_range
    name = low.name(low.text[start:end])
    low.values.append(low.emit(GETATTR, low.values.pop(), name, -1, start, end))


def _call(low: Writer, node: Node) -> None:
    function, passed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or passed is None:
        anything(low, node)
        return
    given = kids(passed)
    low.todo.append((_call_end, (node, len(given))))
    low.visit_all([function, *given])


def _call_end(low: Writer, work: tuple[Node, int]) -> None:
    node, count = work
    first = len(low.values) - count
    ports: Ports = [(POSITIONAL, -1, value) for value in low.values[first:]]
    del low.values[first:]
    at, n_ports = low.write_ports(ports)
    start, end = node.byte_range
    low.values.append(low.emit(CALL, low.values.pop(), at, n_ports, start, end))


def _conditional(low: Writer, node: Node) -> None:
    test, one, other = (node.child_by_field_name(name) for name in _CONDITIONAL)
    if test is None or other is None:
        anything(low, node)
        return
    either = [one or test, other]
    low.push(
        *([(evaluate, test)] if one is not None else []),
        *((low.handlers[each.kind_id], each) for each in either),
        (_either, node),
    )


_CONDITIONAL = ("condition", "consequence", "alternative")


def _either(low: Writer, node: Node) -> None:
    right, left = low.values.pop(), low.values.pop()
    low.values.append(low.emit(Op.EITHER, left, right, -1, *node.byte_range))


def _cast(low: Writer, node: Node) -> None:
    """A value of the type, or (where that says nothing) what it was."""
    kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    if kind is None or value is None:
        anything(low, node)
        return
    low.push(
        (low.handlers[value.kind_id], value), (low.handlers[kind.kind_id], kind), (_cast_end, node)
    )


def _cast_end(low: Writer, node: Node) -> None:
    kind, value = low.values.pop(), low.values.pop()
    low.values.append(low.emit(Op.NARROW, value, kind, -1, *node.byte_range))


def _operate(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        low.push(*((evaluate, child) for child in found), (opaque, node))
        return
    low.todo.append((_operate_end, node))
    low.visit_all(found)


def _operate_end(low: Writer, node: Node) -> None:
    """Pointers move, and stay what they are."""
    right, left = low.values.pop(), low.values.pop()
    start, end = node.byte_range
    word = next((child for child in node.children if not child.is_named), node)
    raw = low.text[word.start_byte : word.end_byte]
    made = low.emit(Op.OPERATE, left, right, low.name(raw[:8]), start, end)
    low.values.append(left if raw in (b"+", b"-") else made)


def text(low: Writer, node: Node) -> None:
    """A text, of one literal or several beside each other; with a macro it is not known."""
    parts = kids(node) if node.type == "concatenated_string" else [node]
    texts = [low.text[part.start_byte : part.end_byte] for part in parts]
    known = all(part.type == "string_literal" for part in parts)
    inside = [text[text.find(b'"') + 1 : -1] for text in texts]
    low.constant(Const.STR, b'"' + b"".join(inside) + b'"' if known else None, node)


def _update(low: Writer, node: Node) -> None:
    """`x++`: what is counted on stays what it is for whoever reads it."""
    found = kids(node)
    if len(found) != 1:
        anything(low, node)
        return
    low.todo.append((_updated, node))
    low.visit(found[0])


def _updated(low: Writer, node: Node) -> None:
    low.emit(Op.OPERATE, low.values[-1], -1, low.name(b"++"), *node.byte_range)


# ------------------------------------------------------------------------------ assignments


def _assignment(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    word = node.child_by_field_name("operator")
    if left is None or right is None:
        anything(low, node)
    elif word is not None and word.type != "=":
        low.push(
            (low.handlers[right.kind_id], right), (low.handlers[left.kind_id], left), (_added, word)
        )
    else:
        low.push((low.handlers[right.kind_id], right), (_assigned, left))


def _added(low: Writer, word: Node) -> None:
    """`x += 1`: the value is what it was, changed."""
    left, right = low.values.pop(), low.values.pop()
    start, end = word.byte_range
    low.emit(Op.OPERATE, left, right, low.name(b"++"), start, end)
    low.values.append(left)


def _assigned(low: Writer, target: Node) -> None:
    assign(low, (target, low.values[-1], False))


def assign(low: Writer, work: tuple[Node, int, bool]) -> None:
    """Give a target a value; `part`: something in it or behind it, the rest stays."""
    target, value, part = work
    kind, found = target.type, kids(target)
    if kind == "identifier":
        start, end = target.byte_range
        number = assigned(low, low.text[start:end], start, end)
        if number >= 0:
            if part:
                before = low.emit(LOAD, number, -1, -1, start, end)
                low.emit(Op.OPERATE, before, value, low.name(b"*="), start, end)
                value = low.emit(Op.EITHER, before, value, -1, start, end)
            low.emit(STORE, number, value, -1, start, end)
    elif kind == "field_expression" and len(found) >= 2:
        low.push((low.handlers[found[0].kind_id], found[0]), (_set_field, (found[-1], value)))
    elif kind in ("subscript_expression", "pointer_expression") and found:
        low.push(*((evaluate, each) for each in found[1:]), (assign, (found[0], value, True)))
    elif kind in ("parenthesized_expression", "cast_expression") and found:
        low.push((assign, (found[-1], value, part)))
    elif part:
        low.push((low.handlers[target.kind_id], target), (_put, (target, value)))
    else:
        evaluate(low, target)


def _put(low: Writer, work: tuple[Node, int]) -> None:
    """What the last value points at is set."""
    target, value = work
    low.emit(Op.OPERATE, low.values.pop(), value, low.name(b"*="), *target.byte_range)


def _set_field(low: Writer, work: tuple[Node, int]) -> None:
    name, value = work
    start, end = name.byte_range
    low.emit(Op.SETATTR, low.values.pop(), low.name(low.text[start:end]), value, start, end)


# ------------------------------------------------------------------------------ initializers

Filled = tuple["Node", int]
"""An initializer, and the register of the type that it makes."""


def initializer(low: Writer, work: Filled) -> None:
    """Leaves the value: braces make a structure, braces in braces several of them."""
    node, kind = work
    if node.type != "initializer_list":
        low.visit(node)
        return
    names: list[bytes] = []
    steps: list[tuple[Handler, object]] = []
    nested = 0
    for child in kids(node):
        value = child.child_by_field_name("value") if child.type == "initializer_pair" else child
        if value is None:
            continue
        names.append(_designated(low, child))
        nested += value.type == "initializer_list"
        steps.append((initializer, (value, kind)))
    plain = bool(names) and nested == len(names)
    low.push(*steps, (_filled, (node, kind, names, plain)))


def _designated(low: Writer, node: Node) -> bytes:
    found = [child for child in kids(node) if child.type == "field_designator"]
    inside = kids(found[0]) if found else []
    return machine(low).raw(inside[0]) if inside else b""


def _filled(low: Writer, work: tuple[Node, int, list[bytes], bool]) -> None:
    node, kind, names, nested = work
    first = len(low.values) - len(names)
    values = low.values[first:]
    del low.values[first:]
    start, end = node.byte_range
    if nested and not any(names):
        low.values.append(_any(low, values, node))
        return
    ports = [
        (int(Port.KEYWORD), low.name(name), value) if name else (POSITIONAL, -1, value)
        for name, value in zip(names, values, strict=True)
    ]
    at, count = low.write_ports(ports)
    made = low.emit(Op.NEW, kind, at, count, start, end)
    # an array of functions is what is in it
    low.values.append(_any(low, [made, *values], node) if not any(names) else made)


def _any(low: Writer, values: list[int], node: Node) -> int:
    start, end = node.byte_range
    if not values:
        return low.emit(Op.CONST, Const.OTHER, -1, -1, start, end)
    found = values[0]
    for value in values[1:]:
        found = low.emit(Op.EITHER, found, value, -1, start, end)
    return found


def _compound(low: Writer, node: Node) -> None:
    kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    if kind is None or value is None:
        anything(low, node)
        return
    low.push((low.handlers[kind.kind_id], kind), (_compound_end, value))


def _compound_end(low: Writer, value: Node) -> None:
    initializer(low, (value, low.values.pop()))


def assembler(low: Writer, node: Node) -> None:
    """Whatever it is told of may be changed."""
    found = [
        value
        for name in ("output_operands", "input_operands")
        if (listed := node.child_by_field_name(name)) is not None
        for each in kids(listed)
        if (value := each.child_by_field_name("value")) is not None
    ]
    low.push(*(p for each in found for p in ((low.handlers[each.kind_id], each), (_told, each))),
             (opaque, node), (_told, node), (opaque, node))  # fmt: skip


def _told(low: Writer, node: Node) -> None:
    low.emit(Op.OPERATE, low.values.pop(), -1, low.name(b"asm"), *node.byte_range)


def _braces(low: Writer, node: Node) -> None:
    low.push(*((evaluate, child) for child in kids(node)), (opaque, node))


def _sizeof(low: Writer, node: Node) -> None:
    opaque(low, node)


EXPRESSIONS: dict[str, Handler] = {
    "parenthesized_expression": inner,
    "pointer_expression": _pointer,
    "subscript_expression": _subscript,
    "comma_expression": _last,
    "field_expression": _field,
    "call_expression": _call,
    "conditional_expression": _conditional,
    "cast_expression": _cast,
    "binary_expression": _operate,
    "unary_expression": _unary,
    "update_expression": _update,
    "assignment_expression": _assignment,
    "compound_literal_expression": _compound,
    "initializer_list": _braces,
    "sizeof_expression": _sizeof,
    "gnu_asm_expression": assembler,
    "string_literal": text,
    "concatenated_string": text,
    "char_literal": opaque,
    "number_literal": _number,
    "null": _null,
    "true": opaque,
    "false": opaque,
}

"""Expressions of Go: each handler leaves one value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grainline.languages.lowering.base import Handler, Writer, anything, kids, opaque
from grainline.languages.lowering.blocks import (
    CALL,
    GETATTR,
    GETITEM,
    identifier,
    keep,
    machine,
    unknown,
)
from grainline.languages.lowering.common import inner
from grainline.model.ir import PORT_WIDTH, Const, Op, Port

if TYPE_CHECKING:
    from tree_sitter import Node


def _selector(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        anything(low, node)
        return
    low.todo.append((_selector_end, found[1]))
    low.visit(found[0])


def _selector_end(low: Writer, node: Node) -> None:
    start, end = node.byte_range
    name = low.name(low.text[start:end])
    low.values.append(low.emit(GETATTR, low.values.pop(), name, -1, start, end))


def _call(low: Writer, node: Node) -> None:
    function = node.child_by_field_name("function")
    passed = node.child_by_field_name("arguments")
    if function is None or passed is None:
        anything(low, node)
        return
    arguments = kids(passed)
    if arguments and function.type == "identifier" and _makes(low, function):
        low.todo.append((_made, (node, len(arguments))))
        low.visit_all(arguments)
        return
    ports = [
        Port.STAR if each.type == "variadic_argument" else Port.POSITIONAL for each in arguments
    ]
    low.todo.append((_call_end, (node, ports)))
    low.visit_all([function, *arguments])


def _makes(low: Writer, function: Node) -> bool:
    raw = machine(low).raw(function)
    return raw in _MAKERS and machine(low).locals.find(raw) == raw


_MAKERS = frozenset({b"new", b"make"})


def _made(low: Writer, work: tuple[Node, int]) -> None:
    """`new(T)`, `make(T, n)`."""
    node, count = work
    kind = low.values[-count]
    del low.values[-count:]
    low.values.append(low.emit(Op.NEW, kind, len(low.ports) // PORT_WIDTH, 0, *node.byte_range))


def _call_end(low: Writer, work: tuple[Node, list[Port]]) -> None:
    node, kinds = work
    values = low.values
    first = len(values) - len(kinds)
    ports = [(int(kind), -1, value) for kind, value in zip(kinds, values[first:], strict=True)]
    del values[first:]
    at, count = low.write_ports(ports)
    start, end = node.byte_range
    values.append(low.emit(CALL, values.pop(), at, count, start, end))


def _index(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        _first(low, node)
        return
    low.todo.append((_index_end, node))
    low.visit_all(found)


def _index_end(low: Writer, node: Node) -> None:
    key = low.values.pop()
    start, end = node.byte_range
    low.values.append(low.emit(GETITEM, low.values.pop(), key, -1, start, end))


def _first(low: Writer, node: Node) -> None:
    """The first part; the others are evaluated and say nothing of the value."""
    found = kids(node)
    if not found:
        opaque(low, node)
        return
    low.todo.append((keep, (-len(found), len(found))))
    low.visit_all(found)


def _slice(low: Writer, node: Node) -> None:
    """`x[a:b]`: a part of `x`, of its type."""
    whole = node.child_by_field_name("operand")
    if whole is None:
        _first(low, node)
        return
    ends = [node.child_by_field_name(each) for each in ("start", "end", "capacity")]
    low.todo.append((_slice_end, (node, [each is not None for each in ends])))
    low.visit_all([whole, *(each for each in ends if each is not None)])


def _slice_end(low: Writer, work: tuple[Node, list[bool]]) -> None:
    node, given = work
    ends = [low.values.pop() if each else -1 for each in reversed(given)]
    start, end = node.byte_range
    at = low.emit(Op.SLICE, ends[2], ends[1], ends[0], start, end)
    low.values.append(low.emit(Op.OPERATE, low.values.pop(), at, low.name(b"[:]"), start, end))


def _assertion(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        anything(low, node)
        return
    low.todo.append((_assertion_end, node))
    low.visit_all(found)


def _assertion_end(low: Writer, node: Node) -> None:
    kind, value = low.values.pop(), low.values.pop()
    low.values.append(low.emit(Op.NARROW, value, kind, -1, *node.byte_range))


def _conversion(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        anything(low, node)
        return
    if found[0].type == "generic_type":  # written as one, `f[T](x)` is a call
        low.todo.append((_call_end, (node, [Port.POSITIONAL])))
        low.visit_all(found)
        return
    low.todo.append((_assertion_end, node))
    low.visit_all([found[1], found[0]])


def _operator(node: Node) -> Node | None:
    return next((child for child in node.children if not child.is_named), None)


def _unary(low: Writer, node: Node) -> None:
    """`&x` and `*x` are `x`; `<-x` is an element of a channel."""
    found = kids(node)
    word = _operator(node)
    if len(found) != 1 or word is None:
        anything(low, node)
        return
    kind = word.type
    if kind not in ("&", "*"):
        low.todo.append((_received if kind == "<-" else _unary_end, node))
    low.visit(found[0])


def _received(low: Writer, node: Node) -> None:
    start, end = node.byte_range
    low.values.append(low.emit(GETITEM, low.values.pop(), unknown(low, node), -1, start, end))


def _unary_end(low: Writer, node: Node) -> None:
    _operate(low, node, -1)


def _binary(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        anything(low, node)
        return
    low.todo.append((_binary_end, node))
    low.visit_all(found)


def _binary_end(low: Writer, node: Node) -> None:
    _operate(low, node, low.values.pop())


def _operate(low: Writer, node: Node, right: int) -> None:
    word = _operator(node) or node
    start, end = node.byte_range
    operator = low.name(machine(low).raw(word)[:8])
    low.values.append(low.emit(Op.OPERATE, low.values.pop(), right, operator, start, end))


def _literal(kind: Const) -> Handler:
    def literal(low: Writer, node: Node) -> None:
        low.constant(kind, machine(low).raw(node), node)

    return literal


def _string(low: Writer, node: Node) -> None:
    found: list[Any] = node.named_children
    plain = all(part.type.endswith("_content") for part in found)
    text = b"".join(machine(low).raw(part) for part in found) if plain else None
    low.constant(Const.STR, text, node)


EXPRESSIONS: dict[str, Handler] = {
    "identifier": identifier,
    "type_identifier": identifier,
    "package_identifier": identifier,
    "blank_identifier": opaque,
    "selector_expression": _selector,
    "qualified_type": _selector,
    "parenthesized_expression": inner,
    "parenthesized_type": inner,
    "pointer_type": inner,
    "literal_element": inner,
    "variadic_argument": inner,
    "type_elem": inner,
    "type_constraint": inner,
    "negated_type": inner,
    "call_expression": _call,
    "index_expression": _index,
    "slice_expression": _slice,
    "generic_type": _first,
    "type_arguments": anything,
    "type_instantiation_expression": _first,
    "type_assertion_expression": _assertion,
    "type_conversion_expression": _conversion,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "nil": _literal(Const.NONE),
    "true": _literal(Const.BOOL),
    "false": _literal(Const.BOOL),
    "int_literal": _literal(Const.INT),
    "rune_literal": _literal(Const.INT),
    "iota": opaque,
    "float_literal": opaque,
    "imaginary_literal": opaque,
    "interpreted_string_literal": _string,
    "raw_string_literal": _string,
}

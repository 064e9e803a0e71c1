"""Expressions of Python: each handler leaves one value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering.base import Handler, Ports, Writer, anything, kids
from grainline.languages.lowering.common import (
    CALL,
    GETATTR,
    GETITEM,
    MAKE,
    Spec,
    display_end,
    identifier,
    inner,
    take_ports,
)
from grainline.model.ir import Make, Op, Port

if TYPE_CHECKING:
    from tree_sitter import Node


def _attribute(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        anything(low, node)
        return
    low.todo.append((_attribute_end, found[1]))
    low.visit(found[0])


def _attribute_end(low: Writer, node: Node) -> None:
    start, end = node.byte_range
    value = low.values.pop()
    name = low.name(low.text[start:end])
    low.values.append(low.emit(GETATTR, value, name, -1, start, end))


def arguments(low: Writer, node: Node) -> tuple[Spec, list[Node]]:
    """What an argument list passes, and the nodes of the values."""
    spec: Spec = []
    values: list[Node] = []
    for child in kids(node):
        kind = child.type
        if kind == "keyword_argument" and len(pair := kids(child)) == 2:
            start, end = pair[0].byte_range
            spec.append((Port.KEYWORD, low.name(low.text[start:end])))
            values.append(pair[1])
        elif kind in _SPLATS and (found := kids(child)):
            spec.append((_SPLATS[kind], -1))
            values.append(found[0])
        else:
            spec.append((Port.POSITIONAL, -1))
            values.append(child)
    return spec, values


_SPLATS = {"list_splat": Port.STAR, "dictionary_splat": Port.DOUBLE_STAR}


def _call(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        anything(low, node)
        return
    function, passed = found
    if passed.type == "argument_list":
        spec, nodes = arguments(low, passed)
    else:
        spec, nodes = [(int(Port.POSITIONAL), -1)], [passed]
    low.todo.append((_call_end, (node, spec)))
    low.visit_all([function, *nodes])


def _call_end(low: Writer, work: tuple[Node, Spec]) -> None:
    node, spec = work
    first, count = take_ports(low, spec)
    start, end = node.byte_range
    callee = low.values.pop()
    low.values.append(low.emit(CALL, callee, first, count, start, end))


def _subscript(low: Writer, node: Node) -> None:
    found = kids(node)
    low.push((_subscript_end, (node, len(found) - 1)))
    low.visit_all(found)


def _subscript_end(low: Writer, work: tuple[Node, int]) -> None:
    node, n_keys = work
    key = key_of(low, node, n_keys)
    start, end = node.byte_range
    value = low.values.pop()
    low.values.append(low.emit(GETITEM, value, key, -1, start, end))


def key_of(low: Writer, node: Node, n_keys: int) -> int:
    """The key that the last `n_keys` values make."""
    if n_keys == 1:
        return low.values.pop()
    first, count = take_ports(low, [(Port.POSITIONAL, -1)] * n_keys)
    start, end = node.byte_range
    return low.emit(MAKE, Make.TUPLE, first, count, start, end)


def _slice(low: Writer, node: Node) -> None:
    parts: list[Node | None] = [None, None, None]
    at = 0
    for child in node.children:
        if not child.is_named:
            at += 1
        elif not child.is_extra and at < 3:
            parts[at] = child
    low.push((_slice_end, (node, [part is not None for part in parts])))
    low.visit_all([part for part in parts if part is not None])


def _slice_end(low: Writer, work: tuple[Node, list[bool]]) -> None:
    node, given = work
    start, end = node.byte_range
    found = [low.values.pop() if there else -1 for there in reversed(given)]
    low.values.append(low.emit(Op.SLICE, found[2], found[1], found[0], start, end))


def _display(kind: Make) -> Handler:
    def display(low: Writer, node: Node) -> None:
        spec, nodes = arguments(low, node)
        low.todo.append((display_end, (node, kind, spec)))
        low.visit_all(nodes)

    return display


def _dictionary(low: Writer, node: Node) -> None:
    kinds: list[int] = []
    nodes: list[Node] = []
    for child in kids(node):
        found = kids(child)
        if child.type == "pair" and len(found) == 2:
            kinds.append(Port.ITEM)
            nodes += found
        elif child.type == "dictionary_splat" and len(found) == 1:
            kinds.append(Port.DOUBLE_STAR)
            nodes += found
    low.todo.append((_dictionary_end, (node, kinds)))
    low.visit_all(nodes)


def _dictionary_end(low: Writer, work: tuple[Node, list[int]]) -> None:
    node, kinds = work
    ports: Ports = []
    for kind in reversed(kinds):
        value = low.values.pop()
        ports.append((kind, low.values.pop() if kind == Port.ITEM else -1, value))
    first, count = low.write_ports(reversed(ports))
    start, end = node.byte_range
    low.values.append(low.emit(MAKE, Make.DICT, first, count, start, end))


def _generic(low: Writer, node: Node) -> None:
    found = kids(node)
    keys = kids(found[-1]) if found else []
    if len(found) != 2 or not keys:
        anything(low, node)
        return
    low.push((_subscript_end, (node, len(keys))))
    low.visit_all([found[0], *keys])


EXPRESSIONS: dict[str, Handler] = {
    "identifier": identifier,
    "attribute": _attribute,
    "member_type": _attribute,
    "call": _call,
    "subscript": _subscript,
    "generic_type": _generic,
    "type": inner,
    "slice": _slice,
    "list": _display(Make.LIST),
    "tuple": _display(Make.TUPLE),
    "expression_list": _display(Make.TUPLE),
    "pattern_list": _display(Make.TUPLE),
    "set": _display(Make.SET),
    "dictionary": _dictionary,
    "parenthesized_expression": inner,
    "list_splat": inner,
    "dictionary_splat": inner,
    "splat_type": inner,
    "keyword_argument": anything,
}

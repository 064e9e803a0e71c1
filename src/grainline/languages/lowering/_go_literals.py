"""Composite literals of Go: `NEW` of a type with what is put into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering.base import (
    MAX_CONSTANT,
    Handler,
    Ports,
    Writer,
    anything,
    drop,
    evaluate,
    kids,
    opaque,
)
from grainline.languages.lowering.blocks import MAKE, machine
from grainline.model.ir import OP_WIDTH, PORT_WIDTH, Op, Port

if TYPE_CHECKING:
    from tree_sitter import Node

Literal = tuple["Node", int, "Node | None"]
"""The braces, the register of the type (-1: not known), its node where it is written out."""


def composite(low: Writer, node: Node) -> None:
    """A literal with its type."""
    kind = node.child_by_field_name("type")
    body = node.child_by_field_name("body")
    if kind is None or body is None:
        anything(low, node)
        return
    low.push((low.handlers[kind.kind_id], kind), (_typed, (body, kind)))


def _typed(low: Writer, work: tuple[Node, Node]) -> None:
    body, kind = work
    _literal(low, (body, low.values.pop(), kind))


def _literal(low: Writer, work: Literal) -> None:
    """Elements that are braces only have the type of an element of what they stand in.

    Names of fields and constant keys are keywords; what stands under another key has a place.
    """
    node, kind, written = work
    item = _item(low, kind, written)
    ports: list[tuple[Port, int]] = []
    steps: list[tuple[Handler, object]] = []
    fields = written is None or written.type in _FIELDS
    for child in kids(node):
        parts = kids(child)
        if child.type == "keyed_element" and len(parts) == 2:
            key, value = _plain(parts[0]), parts[1]
            name = _key(low, key, fields=fields)
            ports.append((Port.POSITIONAL, -1) if name is None else (Port.KEYWORD, low.name(name)))
            if name is None:
                steps.append((evaluate, key) if key.type != "literal_value" else (_dropped, key))
        else:
            ports.append((Port.POSITIONAL, -1))
            value = child
        steps.append(_value(low, _plain(value), item))
    low.push(*steps, (_literal_end, (node, kind, ports)))


def _key(low: Writer, key: Node, *, fields: bool) -> bytes | None:
    if key.type == "identifier" and fields:
        return machine(low).raw(key)
    parts = key.named_children
    if key.type not in _TEXTS or len(parts) != 1 or not parts[0].type.endswith("_content"):
        return None
    raw = machine(low).raw(parts[0])
    return raw if len(raw) <= MAX_CONSTANT else None


_TEXTS = frozenset({"interpreted_string_literal", "raw_string_literal"})


def _dropped(low: Writer, node: Node) -> None:
    low.push((braces, node), (drop, None))


_FIELDS = frozenset({"type_identifier", "qualified_type", "generic_type", "struct_type"})


def _plain(node: Node) -> Node:
    found = kids(node)
    return found[0] if node.type == "literal_element" and len(found) == 1 else node


def _item(low: Writer, kind: int, written: Node | None) -> tuple[int, Node | None]:
    """Register and node of the type of the elements."""
    if kind < 0 or written is None or low.ops[kind * OP_WIDTH] != MAKE:
        return -1, None
    first = low.ops[kind * OP_WIDTH + 2]
    part = written.child_by_field_name("element") or written.child_by_field_name("value")
    while part is not None and part.type in ("pointer_type", "parenthesized_type"):
        part = kids(part)[0] if kids(part) else None
    return low.ports[first * PORT_WIDTH + 2], part


def _value(low: Writer, node: Node, item: tuple[int, Node | None]) -> tuple[Handler, object]:
    if node.type == "literal_value":
        return _literal, (node, *item)
    return low.handlers[node.kind_id], node


def _literal_end(low: Writer, work: tuple[Node, int, list[tuple[Port, int]]]) -> None:
    node, kind, given = work
    first = len(low.values) - len(given)
    values = low.values[first:]
    del low.values[first:]
    if kind < 0:
        opaque(low, node)
        return
    ports: Ports = [(port, key, value) for (port, key), value in zip(given, values, strict=True)]
    at, count = low.write_ports(ports)
    low.values.append(low.emit(Op.NEW, kind, at, count, *node.byte_range))


def braces(low: Writer, node: Node) -> None:
    """Braces without a type, in broken code."""
    _literal(low, (node, -1, None))


EXPRESSIONS: dict[str, Handler] = {"composite_literal": composite, "literal_value": braces}

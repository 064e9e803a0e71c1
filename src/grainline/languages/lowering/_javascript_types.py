"""Types of TypeScript as values: names are loaded, what has no class behind it is opaque."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering.base import Handler, Writer, anything, kids, opaque
from grainline.languages.lowering.common import GETITEM, LOAD, MAKE, last, take_ports
from grainline.model.ir import Make, Op, Port

if TYPE_CHECKING:
    from tree_sitter import Node


def _generic(low: Writer, node: Node) -> None:
    name, given = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
    parts = kids(given) if given is not None else []
    if name is None or not parts:
        anything(low, node)
        return
    low.todo.append((_item, (node, len(parts))))
    low.visit_all([name, *parts])


def _item(low: Writer, work: tuple[Node, int]) -> None:
    node, count = work
    key = low.values.pop() if count == 1 else _tuple(low, node, count)
    low.values.append(low.emit(GETITEM, low.values.pop(), key, -1, *node.byte_range))


def _tuple(low: Writer, node: Node, count: int) -> int:
    first, given = take_ports(low, [(int(Port.POSITIONAL), -1)] * count)
    return low.emit(MAKE, Make.TUPLE, first, given, *node.byte_range)


def _container(name: bytes) -> Handler:
    """`A[]`, `[A, B]`: as if a generic type were written."""

    def container(low: Writer, node: Node) -> None:
        start, _ = node.byte_range
        parts = kids(node)
        if not parts:
            opaque(low, node)
            return
        low.values.append(low.emit(LOAD, low.name(name), -1, -1, start, start))
        low.todo.append((_item, (node, len(parts))))
        low.visit_all(parts)

    return container


def _union(low: Writer, node: Node) -> None:
    """Any of the types, or all of them at once; those without members do not count."""
    open_, parts = [node], list["Node"]()
    while open_:
        at = open_.pop()
        if at.type in _JOINED:
            open_ += reversed(kids(at))
        elif at.type not in _PLAIN:
            parts.append(at)
    if not parts:
        opaque(low, node)
        return
    low.todo.append((_either, (node, len(parts))))
    low.visit_all(parts)


_JOINED = frozenset({"union_type", "intersection_type", "parenthesized_type"})
_PLAIN = frozenset({"predefined_type", "literal_type", "template_literal_type"})


def _either(low: Writer, work: tuple[Node, int]) -> None:
    node, count = work
    for _ in range(count - 1):
        right, left = low.values.pop(), low.values.pop()
        low.values.append(low.emit(Op.EITHER, left, right, -1, *node.byte_range))


def _cast(low: Writer, node: Node) -> None:
    """`x as T`: an instance of T, or the value when T says nothing of it."""
    found = kids(node)
    if len(found) == 1:
        low.visit(found[0])
        return
    if len(found) != 2:
        anything(low, node)
        return
    value, kind = found[::-1] if node.type == "type_assertion" else found
    if kind.type == "type_arguments":
        kind = kids(kind)[0] if kids(kind) else kind
    native = (
        kind.type == "predefined_type" and low.text[kind.start_byte : kind.end_byte] in _NATIVES
    )
    if (kind.type not in _NAMED and not native) or node.type == "satisfies_expression":
        low.visit(value)
        return
    low.todo.append((_cast_end, node))
    low.visit_all([value, kind])


_NAMED = frozenset({"type_identifier", "generic_type", "nested_type_identifier"})


def _cast_end(low: Writer, node: Node) -> None:
    kind, value = low.values.pop(), low.values.pop()
    low.values.append(low.emit(Op.NARROW, value, kind, -1, *node.byte_range))


_NATIVES = {
    b"string": b"String",
    b"number": b"Number",
    b"boolean": b"Boolean",
    b"bigint": b"BigInt",
    b"symbol": b"Symbol",
}


def _predefined(low: Writer, node: Node) -> None:
    """What is declared to be a string is one, whatever is put there; `any` may be anything."""
    start, end = node.byte_range
    name = _NATIVES.get(low.text[start:end])
    if name is None:
        opaque(low, node)
    else:
        low.values.append(low.emit(LOAD, low.name(name), -1, -1, start, end))


def _query(low: Writer, node: Node) -> None:
    """`typeof x`: what `x` is."""
    found = kids(node)
    if found and found[0].type in {"identifier", "member_expression"}:
        low.visit(found[0])
    else:
        opaque(low, node)


def _instantiated(low: Writer, node: Node) -> None:
    """`f<T>` as a value."""
    found = kids(node)
    if found:
        low.visit(found[0])
    else:
        opaque(low, node)


EXPRESSIONS: dict[str, Handler] = {
    **dict.fromkeys(
        ["type_annotation", "parenthesized_type", "readonly_type", "optional_type", "rest_type",
         "constraint", "omitting_type_annotation", "opting_type_annotation",
         "adding_type_annotation", "required_parameter", "optional_parameter"],
        last,
    ),
    "generic_type": _generic,
    "array_type": _container(b"Array"),
    "tuple_type": _container(b"[]"),
    "union_type": _union,
    "intersection_type": _union,
    "as_expression": _cast,
    "type_assertion": _cast,
    "satisfies_expression": _cast,
    "instantiation_expression": _instantiated,
    "type_query": _query,
    "predefined_type": _predefined,
    **dict.fromkeys(
        ["literal_type", "template_literal_type", "conditional_type",
         "index_type_query", "lookup_type", "infer_type", "existential_type", "flow_maybe_type",
         "type_predicate", "type_predicate_annotation", "asserts_annotation", "asserts",
         "type_arguments", "type_parameters", "mapped_type_clause"],
        opaque,
    ),
}  # fmt: skip

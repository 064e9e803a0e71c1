"""Types and declarators of C.

Pointers and arrays are what they are of. A structure is a class that is bound to its tag, written
`struct name`, a type of functions a FUNCTION without a body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from grainline.languages.lowering.base import Handler, Writer, anything, kids, opaque
from grainline.languages.lowering.blocks import LOAD, STORE, Work, machine
from grainline.model.ir import ABSTRACT, ARGUMENTS, Op, Param, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_DECLARATOR = 64
"""Nested declarators that are looked at."""


class Declared(NamedTuple):
    """What one declarator declares.

    `parameters` are those of a function, `pointed` those of the function that it points to (or an
    array of such); None where there is none.
    """

    name: Node
    parameters: Node | None
    pointed: Node | None


def declared(node: Node) -> Declared | None:
    """From a declarator to the name in it; None when it has none."""
    parameters: Node | None = None
    pointed: Node | None = None
    at: Node | None = node
    for _ in range(MAX_DECLARATOR):
        if at is None:
            return None
        kind = at.type
        if kind in _NAMES:
            return Declared(at, parameters, pointed)
        if kind == "function_declarator":
            pointed = parameters or pointed
            parameters = at.child_by_field_name("parameters")
        elif kind in ("pointer_declarator", "array_declarator"):
            pointed = parameters or pointed
            parameters = None
        found = at.child_by_field_name("declarator")
        if found is None:
            inner = [child for child in kids(at) if child.type in _DECLARATORS]
            found = inner[0] if inner else None
        at = found
    return None


_NAMES = frozenset({"identifier", "field_identifier", "type_identifier", "primitive_type"})
_DECLARATORS = _NAMES | {
    "function_declarator", "pointer_declarator", "array_declarator", "parenthesized_declarator",
    "attributed_declarator", "init_declarator",
}  # fmt: skip


def arguments(low: Writer, listed: Node, first: int) -> int:
    """Write the parameters of a list, whose types are the values from `first` on; its flags."""
    types = iter(low.values[first:])
    del low.values[first:]
    flags = 0
    found = kids(listed)
    for child in found:
        if child.type == "parameter_declaration":
            kind = next(types, -1)
            if _is_void(low, child, found):
                continue
            place = child.child_by_field_name("declarator")
            known = declared(place) if place is not None else None
            name = low.name(machine(low).raw(known.name)) if known is not None else 0
            low.params += (Param.POSITIONAL, name, -1, kind, child.start_byte)
        elif child.type == "identifier":
            low.params += (
                Param.POSITIONAL,
                low.name(machine(low).raw(child)),
                -1,
                -1,
                child.start_byte,
            )
        elif child.type == "variadic_parameter":
            flags = ARGUMENTS
    return flags if found else ARGUMENTS


def _is_void(low: Writer, child: Node, found: list[Node]) -> bool:
    return len(found) == 1 and machine(low).raw(child) == b"void"


def visit_arguments(low: Writer, listed: Node) -> Work:
    """Work that leaves the type of every parameter that has one."""
    return [(_argument, child) for child in kids(listed) if child.type == "parameter_declaration"]


def _argument(low: Writer, node: Node) -> None:
    place = node.child_by_field_name("declarator")
    typed(low, (node, declared(place) if place is not None else None))


def typed(low: Writer, work: tuple[Node, Declared | None]) -> None:
    """Leaves the type of one declarator of a declaration."""
    node, known = work
    kind = node.child_by_field_name("type")
    if kind is None:
        opaque(low, node)
    elif known is not None and known.pointed is not None and known.parameters is None:
        low.push((low.handlers[kind.kind_id], kind), (function_type, (node, known.pointed)))
    elif known is not None and known.parameters is not None:
        low.push((low.handlers[kind.kind_id], kind), (function_type, (node, known.parameters)))
    else:
        low.visit(kind)


def function_type(low: Writer, work: tuple[Node, Node]) -> None:
    """A type of functions whose result is the last value."""
    node, listed = work
    first = len(low.values)
    low.push(*visit_arguments(low, listed), (_function_type_end, (node, listed, first)))


def _function_type_end(low: Writer, work: tuple[Node, Node, int]) -> None:
    node, listed, first = work
    flags = arguments(low, listed, first)
    returns = low.values.pop()
    start, end = node.byte_range
    scope = low.enter(ScopeKind.LAMBDA, 0, node, start, flags | ABSTRACT, returns)
    low.later(scope, nothing, None, {})
    low.values.append(low.emit(Op.FUNCTION, scope, -1, -1, start, end))


def nothing(low: Writer, _: object) -> None:
    """A body that is not there."""
    del low


# ------------------------------------------------------------------------------ structures


def _structure(low: Writer, node: Node) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None and body is None:
        opaque(low, node)
        return
    start, end = (name or node).byte_range
    tag = low.name(b"struct " + low.text[start:end]) if name is not None else -1
    if body is None:
        low.values.append(low.emit(LOAD, tag, -1, -1, start, end))
        return
    number = low.name(low.text[start:end]) if name is not None else low.lambda_name()
    scope = low.enter(ScopeKind.CLASS, number, node, start, 0, -1)
    low.later(scope, _fields, (body, machine(low).locals.inside()), {})
    first, count = low.write_ports([])
    value = low.emit(Op.CLASS, scope, first, count, start, end)
    if tag >= 0:
        low.emit(STORE, tag, value, -1, start, end)
    low.values.append(value)


def _fields(low: Writer, work: tuple[Node, object]) -> None:
    body, names = work
    machine(low).locals = names  # type: ignore[assignment]  # pyright: ignore[reportAttributeAccessIssue]
    low.push(*((_field, child) for child in _listed(body)))


def _listed(body: Node) -> list[Node]:
    """The fields of a body, those under a condition of the preprocessor included."""
    found: list[Node] = []
    open_ = [body]
    while open_:
        node = open_.pop()
        for child in reversed(kids(node)):
            if child.type == "field_declaration":
                found.append(child)
            elif child.type.startswith("preproc_"):
                open_.append(child)
    return sorted(found, key=lambda node: node.start_byte)


def _field(low: Writer, node: Node) -> None:
    known = [declared(each) for each in node.children_by_field_name("declarator")]
    for each in reversed([each for each in known if each is not None]):
        low.push((typed, (node, each)), (_field_end, each.name))


def _field_end(low: Writer, name: Node) -> None:
    start, end = name.byte_range
    low.emit(Op.ANNOTATE, low.name(low.text[start:end]), low.values.pop(), -1, start, end)


def _descriptor(low: Writer, node: Node) -> None:
    kind = node.child_by_field_name("type")
    if kind is None:
        anything(low, node)
    else:
        low.visit(kind)


def identifier(low: Writer, node: Node) -> None:
    """A name."""
    number, start, end = machine(low).found(node)
    low.values.append(low.emit(LOAD, number, -1, -1, start, end))


EXPRESSIONS: dict[str, Handler] = {
    "type_identifier": identifier,
    "identifier": identifier,
    "primitive_type": opaque,
    "sized_type_specifier": opaque,
    "struct_specifier": _structure,
    "union_specifier": _structure,
    "enum_specifier": opaque,
    "type_descriptor": _descriptor,
}

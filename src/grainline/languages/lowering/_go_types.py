"""Types of Go as values: each handler leaves one value.

A slice, array or channel of T is `MAKE LIST` or `GENERATOR` of EACH T, a map `MAKE DICT` of
EACH value, a type of functions a FUNCTION without a body, a pointer what it points to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from grainline.languages.lowering.base import Handler, Writer, anything, evaluate, kids, opaque
from grainline.languages.lowering.blocks import MAKE, STORE, Work, machine, unknown
from grainline.model.ir import ABSTRACT, Make, Op, Param, Port, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node


def _each(kind: Make) -> Handler:
    def end(low: Writer, node: Node) -> None:
        start, end = node.byte_range
        first, count = low.write_ports([(int(Port.EACH), -1, low.values.pop())])
        low.values.append(low.emit(MAKE, kind, first, count, start, end))

    def each(low: Writer, node: Node) -> None:
        found = node.child_by_field_name("element") or node.child_by_field_name("value")
        if found is None:
            anything(low, node)
            return
        low.todo.append((end, node))
        low.visit(found)

    return each


# ------------------------------------------------------------------------------ functions


class Parameter(NamedTuple):
    """One declaration of a list: the names that share a type, and the type."""

    kind: Param
    names: tuple[Node, ...]
    type: Node


class Signature(NamedTuple):
    """Parameters (the receiver first), results, and whether a receiver is only understood."""

    parameters: list[Parameter]
    results: list[Parameter]
    implied: bool = False


def declared(node: Node | None) -> list[Parameter]:
    """The parameters of a list; `node` may be a single type, or nothing."""
    if node is None:
        return []
    if node.type != "parameter_list":
        return [Parameter(Param.POSITIONAL, (), node)]
    found: list[Parameter] = []
    for child in kids(node):
        kind = child.child_by_field_name("type")
        if kind is None:
            continue
        names = tuple(child.children_by_field_name("name"))
        star = child.type == "variadic_parameter_declaration"
        found.append(Parameter(Param.STAR if star else Param.POSITIONAL, names, kind))
    return found


def signature(node: Node, receiver: list[Parameter], *, implied: bool = False) -> Signature:
    """What the head of a function says."""
    parameters = declared(node.child_by_field_name("parameters"))
    results = declared(node.child_by_field_name("result"))
    return Signature([*receiver, *parameters], results, implied)


def visit_signature(low: Writer, known: Signature) -> None:
    """Evaluate the types; `take_signature` takes them."""
    low.visit_all([each.type for each in (*known.parameters, *known.results)])


def take_signature(low: Writer, known: Signature, node: Node) -> int:
    """Write the parameters, whose types are the last values; the register of the result."""
    count = len(known.parameters) + len(known.results)
    first = len(low.values) - count
    types = low.values[first:]
    del low.values[first:]
    if known.implied:
        low.params += (Param.RECEIVER, 0, -1, -1, node.start_byte)
    for each, kind in zip(known.parameters, types, strict=False):
        for name in each.names or (None,):
            number = low.name(machine(low).raw(name)) if name is not None else 0
            start = (name or each.type).start_byte
            low.params += (each.kind, number, -1, kind, start)
    results = [
        kind
        for each, kind in zip(known.results, types[len(known.parameters) :], strict=True)
        for _ in each.names or (None,)
    ]
    if len(results) < 2:
        return results[0] if results else -1
    at, n_ports = low.write_ports([(int(Port.POSITIONAL), -1, kind) for kind in results])
    start, end = node.byte_range
    return low.emit(MAKE, Make.TUPLE, at, n_ports, start, end)


def function_type(low: Writer, node: Node) -> None:
    """A type of functions."""
    known = signature(node, [])
    low.todo.append((_function_type_end, (node, known)))
    visit_signature(low, known)


def _function_type_end(low: Writer, work: tuple[Node, Signature]) -> None:
    node, known = work
    returns = take_signature(low, known, node)
    start, end = node.byte_range
    scope = low.enter(ScopeKind.LAMBDA, 0, node, start, ABSTRACT, returns)
    low.later(scope, nothing, None, {})
    low.values.append(low.emit(Op.FUNCTION, scope, -1, -1, start, end))


def nothing(low: Writer, _: object) -> None:
    """A body that is not there."""
    del low


# ------------------------------------------------------------------------------ structures


class Head(NamedTuple):
    """A class that is being made: what it is made of, its name or None."""

    node: Node
    name: Node | None
    outer: Node
    bases: list[Node]
    underlying: bool


def _bases(node: Node) -> list[Node]:
    """What a structure or interface embeds."""
    if node.type == "interface_type":
        parts = [child for child in kids(node) if child.type == "type_elem"]
        return [kids(part)[0] for part in parts if len(kids(part)) == 1]
    return [kind for field in _fields(node) if (kind := _embedded(field)) is not None]


def _fields(node: Node) -> list[Node]:
    return [
        field
        for listed in kids(node)
        if listed.type == "field_declaration_list"
        for field in kids(listed)
        if field.type == "field_declaration"
    ]


def _embedded(field: Node) -> Node | None:
    named = field.child_by_field_name("name") is not None
    return None if named else field.child_by_field_name("type")


def structure(low: Writer, node: Node) -> None:
    """A structure or interface without a name."""
    make_class(low, (node, None, node))


def make_class(low: Writer, work: tuple[Node, Node | None, Node]) -> None:
    """A class of a type, called as `name` says, whose definition is `outer`."""
    node, name, outer = work
    if node.type in STRUCTURES:
        bases = _bases(node)
        head = Head(node, name, outer, bases, underlying=False)
        if name is None and node.type == "interface_type" and not kids(node):
            opaque(low, node)
            return
    else:
        bases = [node]
        head = Head(node, name, outer, bases, underlying=True)
    low.todo.append((_class_end, head))
    low.visit_all(bases)


STRUCTURES = frozenset({"struct_type", "interface_type"})


def _class_end(low: Writer, head: Head) -> None:
    node, name, outer, bases, underlying = head
    values = low.values[len(low.values) - len(bases) :]
    del low.values[len(low.values) - len(bases) :]
    kind, key = (Port.KEYWORD, low.name(b"underlying")) if underlying else (Port.POSITIONAL, -1)
    first, count = low.write_ports([(int(kind), key, value) for value in values])
    start, end = (name or node).byte_range
    number = low.name(machine(low).raw(name)) if name is not None else low.lambda_name()
    flags = ABSTRACT if node.type == "interface_type" else 0
    scope = low.enter(ScopeKind.CLASS, number, outer, start, flags, -1)
    names = machine(low).locals.inside()
    low.later(scope, nothing if underlying else _members, (node, names), {})
    low.values.append(low.emit(Op.CLASS, scope, first, count, start, end))


def _members(low: Writer, work: tuple[Node, object]) -> None:
    node, names = work
    machine(low).locals = names  # type: ignore[assignment]  # pyright: ignore[reportAttributeAccessIssue]
    if node.type == "interface_type":
        low.push(*((_method, child) for child in kids(node) if child.type == "method_elem"))
    else:
        low.push(*((_field, child) for child in _fields(node)))


def _field(low: Writer, field: Node) -> None:
    kind = field.child_by_field_name("type")
    if kind is None:
        return
    names = field.children_by_field_name("name") or [_last(kind)]
    low.push((low.handlers[kind.kind_id], kind), (_field_end, names))


def _field_end(low: Writer, names: list[Node]) -> None:
    kind = low.values.pop()
    for name in names:
        start, end = name.byte_range
        low.emit(Op.ANNOTATE, low.name(low.text[start:end]), kind, -1, start, end)


def _last(kind: Node) -> Node:
    """The name by which an embedded type is a field: its last one."""
    while kind.type in _WRAPPERS and kids(kind):
        found = kids(kind)
        kind = found[-1] if kind.type == "qualified_type" else found[0]
    return kind


_WRAPPERS = frozenset({"pointer_type", "generic_type", "qualified_type", "parenthesized_type"})


def _method(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        evaluate(low, node)
        return
    known = signature(node, [], implied=True)
    low.todo.append((_method_end, (node, name, known)))
    visit_signature(low, known)


def _method_end(low: Writer, work: tuple[Node, Node, Signature]) -> None:
    node, name, known = work
    returns = take_signature(low, known, node)
    start, end = name.byte_range
    number = low.name(low.text[start:end])
    scope = low.enter(ScopeKind.FUNCTION, number, node, start, ABSTRACT, returns)
    low.later(scope, nothing, None, {})
    value = low.emit(Op.FUNCTION, scope, -1, -1, start, end)
    low.emit(STORE, number, value, -1, start, end)


# ------------------------------------------------------------------------------ type parameters


def visit_type_parameters(low: Writer, node: Node | None) -> None:
    """Type parameters are variables that hold what constrains them; they end with their block."""
    if node is None:
        return
    work: Work = []
    for each in kids(node):
        kind = each.child_by_field_name("type")
        names = each.children_by_field_name("name")
        # a constraint may name any of them: all are there before the first constraint is
        numbers = [machine(low).fresh(machine(low).raw(name)) for name in names]
        if kind is not None:
            work += [(low.handlers[kind.kind_id], kind), (_type_parameter, (names, numbers))]
    low.push(*work)


def _type_parameter(low: Writer, work: tuple[list[Node], list[int]]) -> None:
    value = low.values.pop()
    for name, number in zip(*work, strict=True):
        low.emit(STORE, number, value, -1, *name.byte_range)


def free_type_parameters(low: Writer, names: list[Node]) -> None:
    """Type parameters of a receiver: nothing is known of them there."""
    for name in names:
        start, end = name.byte_range
        value = unknown(low, name)
        low.emit(STORE, machine(low).fresh(low.text[start:end]), value, -1, start, end)


EXPRESSIONS: dict[str, Handler] = {
    "slice_type": _each(Make.LIST),
    "array_type": _each(Make.LIST),
    "implicit_length_array_type": _each(Make.LIST),
    "channel_type": _each(Make.GENERATOR),
    "map_type": _each(Make.DICT),
    "function_type": function_type,
    "struct_type": structure,
    "interface_type": structure,
}

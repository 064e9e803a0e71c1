"""Types and declarators of C++.

A pointer and an array are OPERATE `*` of what they are of, a reference is what it refers to. A
type that is left to the value (`auto`) is a constant without text, a type of the language one with
its text. `const` is OPERATE, and so is a reference of `auto &` and of a field. Names of types carry a mark; those in front of `::` are QUALIFIER.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from grainline.languages.lowering.base import Handler, Writer, kids, opaque
from grainline.languages.lowering.blocks import Work, machine
from grainline.model.ir import DECLARED, MENTIONED, QUALIFIER, Const, Make, Op, Port

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_DECLARATOR = 64
"""Nested declarators that are looked at."""


class Declared(NamedTuple):
    """What one declarator declares.

    `name` is an identifier, a qualified name, an operator or a destructor. `parameters` are those
    of a function, `function` its declarator. `pointers` are the pointers and arrays around the
    name that are not those of a result, `results` those that are. `refers`: it is a reference;
    `pointed`: a pointer to a function, `pack`: a pack of parameters.
    """

    name: Node | None
    function: Node | None
    pointers: int
    results: int
    refers: bool
    pointed: bool
    pack: bool

    @property
    def parameters(self) -> Node | None:
        """The list of parameters of a function."""
        return self.function.child_by_field_name("parameters") if self.function else None


def declared(node: Node | None) -> Declared:
    """From a declarator to the name in it."""
    function: Node | None = None
    pointers = results = 0
    refers = pointed = pack = False
    at = node
    for _ in range(MAX_DECLARATOR):
        if at is None or at.type in NAMES:
            break
        kind = at.type
        if kind in ("function_declarator", "abstract_function_declarator"):
            if function is not None:
                pointed = True
            function, results, pointers = at, pointers, 0
        elif kind in _POINTERS:
            if function is not None:
                pointed = True
            pointers += 1
        elif kind in _REFERENCES:
            refers = refers or function is None
        elif kind == "variadic_declarator":
            pack = True
        inner = at.child_by_field_name("declarator")
        if inner is None:
            found = [child for child in kids(at) if child.type in _DECLARATORS]
            inner = found[0] if found else None
        at = inner
    cast = _last(at)
    if cast is not None and cast.type == "operator_cast" and function is None:
        function = cast.child_by_field_name("declarator")
    if pointed:
        return Declared(at, None, 0, 0, refers, True, pack)
    return Declared(at, function, pointers, results, refers, False, pack)


def _last(node: Node | None) -> Node | None:
    at = node
    for _ in range(MAX_DECLARATOR):
        if at is None or at.type != "qualified_identifier":
            break
        at = at.child_by_field_name("name")
    return at


NAMES = frozenset({
    "identifier", "field_identifier", "type_identifier", "qualified_identifier", "destructor_name",
    "operator_name", "operator_cast", "template_function", "structured_binding_declarator",
    "primitive_type",
})  # fmt: skip
_POINTERS = frozenset({
    "pointer_declarator", "array_declarator", "abstract_pointer_declarator",
    "abstract_array_declarator", "pointer_type_declarator",
})  # fmt: skip
_REFERENCES = frozenset({"reference_declarator", "abstract_reference_declarator"})
_DECLARATORS = NAMES | _POINTERS | _REFERENCES | {
    "function_declarator", "parenthesized_declarator", "attributed_declarator", "init_declarator",
    "variadic_declarator", "abstract_function_declarator", "abstract_parenthesized_declarator",
    "optional_type_parameter_declaration",
}  # fmt: skip


# ------------------------------------------------------------------------------ types


def type_work(low: Writer, node: Node | None, mark: int = DECLARED) -> tuple[Handler, object]:
    """Work that leaves the type that a node names."""
    del low
    return _type, (node, mark)


def _type(low: Writer, work: tuple[Node | None, int]) -> None:
    node, mark = work
    if node is None:
        low.values.append(low.emit(Op.CONST, Const.OTHER, -1, -1, 0, 0))
        return
    _TYPES.get(node.type, _none)(low, (node, mark))


def _none(low: Writer, work: tuple[Node, int]) -> None:
    opaque(low, work[0])


def _primitive(low: Writer, work: tuple[Node, int]) -> None:
    node = work[0]
    low.constant(Const.OTHER, b" ".join(machine(low).raw(node).split()), node)


def _named(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    number, start, end = machine(low).found(node)
    low.values.append(low.emit(Op.LOAD, number, mark, -1, start, end))


def _template(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    name = node.child_by_field_name("name")
    low.push(type_work(low, name, mark), *arguments_work(low, node, mark))


def arguments_work(low: Writer, node: Node, mark: int) -> Work:
    """Work that applies the arguments of a template to the last value."""
    given = node.child_by_field_name("arguments")
    found = kids(given) if given is not None else []
    inside = mark if mark == DECLARED else MENTIONED
    return [
        *(type_work(low, each, inside) for each in found),
        (_template_end, (node, len(found), mark)),
    ]


def _template_end(low: Writer, work: tuple[Node, int, int]) -> None:
    node, count, mark = work
    first = len(low.values) - count
    ports = [(int(Port.POSITIONAL), -1, value) for value in low.values[first:]]
    del low.values[first:]
    at, n_ports = low.write_ports(ports)
    start, end = node.byte_range
    made = low.emit(Op.MAKE, Make.TUPLE, at, n_ports, start, end)
    low.values.append(low.emit(Op.GETITEM, low.values.pop(), made, mark, start, end))


def _qualified(low: Writer, work: tuple[Node, int]) -> None:
    """`a::b::C`: the qualifiers, then the name."""
    node, mark = work
    low.push(*scoped(low, node, mark))


def scoped(low: Writer, node: Node, mark: int) -> Work:
    """Work for a qualified name, whose last name has a mark of its own."""
    parts: list[Node | None] = []
    at: Node | None = node
    for _ in range(MAX_DECLARATOR):
        if at is None or at.type != "qualified_identifier":
            break
        parts.append(at.child_by_field_name("scope"))
        at = at.child_by_field_name("name")
    steps: Work = []
    if parts and parts[0] is None:
        steps.append((_global, node))
    elif parts:
        steps.append(type_work(low, parts[0], QUALIFIER))
    for part in parts[1:]:
        steps += _member(low, part, QUALIFIER)
    return [*steps, *_member(low, at, mark)]


def _global(low: Writer, node: Node) -> None:
    start = node.start_byte
    low.values.append(low.emit(Op.LOAD, low.name(b"::"), QUALIFIER, -1, start, start + 2))


def _member(low: Writer, node: Node | None, mark: int) -> Work:
    if node is None:
        return []
    steps: Work = []
    name = node
    if node.type == "dependent_name" and kids(node):
        node = name = kids(node)[-1]
    if node.type in ("template_type", "template_function", "template_method"):
        name = node.child_by_field_name("name") or node
        steps = arguments_work(low, node, mark)
    return [(_member_end, (name, mark)), *steps]


def _member_end(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    start, end = node.byte_range
    name = low.name(b"".join(low.text[start:end].split()) or b"?")
    low.values.append(low.emit(Op.GETATTR, low.values.pop(), name, mark, start, end))


def _inner(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    found = kids(node)
    inner = node.child_by_field_name("type") or (found[-1] if found else None)
    low.push(type_work(low, inner, mark))


def _descriptor(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    place = node.child_by_field_name("declarator")
    known = declared(place)
    if known.pointed or known.function is not None:
        _function_pointer(low, node)
        return
    kind = node.child_by_field_name("type")
    low.push(
        type_work(low, kind, mark), *constant_work(low, node), (pointed, (node, known.pointers))
    )


def _expression(low: Writer, work: tuple[Node, int]) -> None:
    """An argument of a template that may be a value."""
    node = work[0]
    low.push((low.handlers[node.kind_id], node))


def _function_pointer(low: Writer, node: Node) -> None:
    low.constant(Const.OTHER, b"(*)", node)


def pointed(low: Writer, work: tuple[Node, int]) -> None:
    """So many pointers to the last value."""
    node, count = work
    start, end = node.byte_range
    for _ in range(count):
        value = low.values.pop()
        low.values.append(low.emit(Op.OPERATE, value, -1, low.name(b"*"), start, end))


def typed(low: Writer, work: tuple[Node, Declared]) -> None:
    """Leaves the type of a variable or parameter of a declaration."""
    node, known = work
    if known.pointed or known.function is not None:
        _function_pointer(low, node)
        return
    kind = node.child_by_field_name("type")
    steps = constant_work(low, node)
    steps.append((pointed, (node, known.pointers)))
    if known.refers:
        steps.append((_word, (node, b"&")))
    low.push(type_work(low, kind), *steps)


def constant_work(low: Writer, node: Node) -> Work:
    """Work that makes the last value, a type, that of something that does not change."""
    for child in node.children:
        if child.type == "type_qualifier" and machine(low).raw(child) in (b"const", b"constexpr"):
            return [(_word, (node, b"const"))]
    return []


def _word(low: Writer, work: tuple[Node, bytes]) -> None:
    node, word = work
    start, end = node.byte_range
    value = low.values.pop()
    low.values.append(low.emit(Op.OPERATE, value, -1, low.name(word), start, end))


def _elaborated(low: Writer, work: tuple[Node, int]) -> None:
    """`class A` as a type; a body makes a class, which is bound."""
    node, mark = work
    name = node.child_by_field_name("name")
    if node.child_by_field_name("body") is not None:
        low.visit(node)
    else:
        low.push(type_work(low, name, mark))


_TYPES: dict[str, Handler] = {
    "type_identifier": _named,
    "namespace_identifier": _named,
    "identifier": _named,
    "template_type": _template,
    "qualified_identifier": _qualified,
    "dependent_type": _inner,
    "type_descriptor": _descriptor,
    "primitive_type": _primitive,
    "sized_type_specifier": _primitive,
    "class_specifier": _elaborated,
    "struct_specifier": _elaborated,
    "union_specifier": _elaborated,
    "enum_specifier": _elaborated,
    "parameter_pack_expansion": _none,
    "lambda_expression": _expression,
    "call_expression": _expression,
}

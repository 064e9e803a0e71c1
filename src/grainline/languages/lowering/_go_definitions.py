"""What a file of Go declares: functions, methods, types, variables, imports."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grainline.languages.lowering._go_statements import block, share
from grainline.languages.lowering._go_types import (
    Parameter,
    Signature,
    declared,
    free_type_parameters,
    make_class,
    nothing,
    signature,
    take_signature,
    visit_signature,
    visit_type_parameters,
)
from grainline.languages.lowering.base import Handler, Writer, kids
from grainline.languages.lowering.blocks import (
    LOAD,
    STORE,
    close_block,
    machine,
    open_block,
)
from grainline.languages.lowering.names import Names
from grainline.model.ir import Const, Op, Param, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node


def _package(low: Writer, node: Node) -> None:
    for child in kids(node)[:1]:
        low.emit(Op.PACKAGE, low.name(machine(low).raw(child)), -1, -1, *child.byte_range)


# ------------------------------------------------------------------------------ functions


def _function(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        return
    parameters = node.child_by_field_name("type_parameters")
    known = signature(node, [])
    low.push(
        (open_block, None),
        (_type_parameters, parameters),
        (_signature, known),
        (_function_end, (node, name, known)),
        (close_block, None),
    )


def _type_parameters(low: Writer, node: Node | None) -> None:
    visit_type_parameters(low, node)


def _signature(low: Writer, known: Signature) -> None:
    visit_signature(low, known)


def _function_end(low: Writer, work: tuple[Node, Node, Signature]) -> None:
    node, name, known = work
    value = _make(low, node, name, known)
    start, end = name.byte_range
    raw = low.text[start:end]
    if raw not in _UNNAMED:
        low.emit(STORE, low.name(raw), value, -1, start, end)


_UNNAMED = frozenset({b"init", b"_"})
"""Functions that nobody can call, and of which a file may have several."""


def _make(low: Writer, node: Node, name: Node, known: Signature) -> int:
    returns = take_signature(low, known, node)
    start, end = name.byte_range
    number = low.name(low.text[start:end])
    scope = low.enter(ScopeKind.FUNCTION, number, node, start, 0, returns)
    _body(low, scope, node.child_by_field_name("body"), known)
    return low.emit(Op.FUNCTION, scope, -1, -1, start, end)


def _body(low: Writer, scope: int, body: Node | None, known: Signature) -> None:
    names = machine(low).locals.inside()
    if body is None:
        low.later(scope, nothing, None, {})
    else:
        low.later(scope, _begin, (body, known, names), {})


def _begin(low: Writer, work: tuple[Node, Signature, Names]) -> None:
    """Parameters keep their names; named results are the first variables."""
    body, known, names = work
    state = machine(low)
    state.locals = names
    for each in known.parameters:
        for name in each.names:
            raw = state.raw(name)
            names.declare(raw, raw)
    state.results, state.finals = [], []
    results = [each for each in known.results if each.names]
    low.push(
        *((_named_result, each) for each in results),
        (block, body),
    )


def _named_result(low: Writer, each: Parameter) -> None:
    low.push((low.handlers[each.type.kind_id], each.type), (_named_result_end, each))


def _named_result_end(low: Writer, each: Parameter) -> None:
    state = machine(low)
    kind = low.values.pop()
    for name in each.names:
        start, end = name.byte_range
        number = state.fresh(low.text[start:end])
        state.results.append(number)
        low.emit(Op.ANNOTATE, number, kind, -1, start, end)


def _literal(low: Writer, node: Node) -> None:
    known = signature(node, [])
    low.todo.append((_literal_end, (node, known)))
    visit_signature(low, known)


def _literal_end(low: Writer, work: tuple[Node, Signature]) -> None:
    node, known = work
    returns = take_signature(low, known, node)
    start, end = node.byte_range
    scope = low.enter(ScopeKind.LAMBDA, low.lambda_name(), node, start, 0, returns)
    _body(low, scope, node.child_by_field_name("body"), known)
    low.values.append(low.emit(Op.FUNCTION, scope, -1, -1, start, end))


# ------------------------------------------------------------------------------ methods


def _method(low: Writer, node: Node) -> None:
    """A function that is attached to its type."""
    name = node.child_by_field_name("name")
    listed = declared(node.child_by_field_name("receiver"))[:1]
    receiver = [each._replace(kind=Param.RECEIVER, names=each.names[:1]) for each in listed]
    owner = _owner(receiver[0].type) if receiver else None
    if name is None or owner is None:
        return
    known = signature(node, receiver)
    low.push(
        (open_block, None),
        (_free, _arguments(receiver[0].type)),
        (_signature, known),
        (_method_end, (node, name, known, owner)),
        (close_block, None),
    )


def _free(low: Writer, names: list[Node]) -> None:
    free_type_parameters(low, names)


def _owner(kind: Node) -> Node | None:
    """The name of the type of a receiver."""
    while kind.type in ("pointer_type", "generic_type", "parenthesized_type") and kids(kind):
        kind = kids(kind)[0]
    return kind if kind.type == "type_identifier" else None


def _arguments(kind: Node) -> list[Node]:
    """The names of the type parameters of a receiver."""
    while kind.type in ("pointer_type", "parenthesized_type") and kids(kind):
        kind = kids(kind)[0]
    listed = kids(kind)[1:] if kind.type == "generic_type" else []
    found = [name for each in listed for part in kids(each) for name in (kids(part) or [part])]
    return [name for name in found if name.type == "type_identifier"]


def _method_end(low: Writer, work: tuple[Node, Node, Signature, Node]) -> None:
    node, name, known, owner = work
    value = _make(low, node, name, known)
    start, end = owner.byte_range
    klass = low.emit(LOAD, low.name(low.text[start:end]), -1, -1, start, end)
    start, end = name.byte_range
    low.emit(Op.ATTACH, klass, low.name(low.text[start:end]), value, start, end)


# ------------------------------------------------------------------------------ types


def _type_spec(low: Writer, node: Node) -> None:
    name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is None or kind is None:
        return
    bound = name_of(low, name)
    parameters = node.child_by_field_name("type_parameters")
    low.push(
        (open_block, None),
        (_type_parameters, parameters),
        (make_class, (kind, name, node)),
        (close_block, None),
        (_type_end, (name, bound)),
    )


def _type_end(low: Writer, work: tuple[Node, int]) -> None:
    name, bound = work
    low.emit(STORE, bound, low.values.pop(), -1, *name.byte_range)


def _type_alias(low: Writer, node: Node) -> None:
    name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is None or kind is None:
        return
    low.push((low.handlers[kind.kind_id], kind), (_alias_end, name))


def _alias_end(low: Writer, name: Node) -> None:
    _type_end(low, (name, name_of(low, name)))


def name_of(low: Writer, name: Node) -> int:
    """The number of a name that is declared here: of the package, or a variable of its own."""
    raw = machine(low).raw(name)
    if low.scope:
        return machine(low).fresh(raw)
    machine(low).globals.add(raw)
    return low.name(raw)


# ------------------------------------------------------------------------------ variables


def _variables(low: Writer, node: Node) -> None:
    names = [name for name in node.children_by_field_name("name") if name.is_named]
    kind = node.child_by_field_name("type")
    given = node.child_by_field_name("value")
    values = kids(given) if given is not None else []
    low.todo.append((_variables_end, (names, kind is not None, values, node)))
    low.visit_all([*([kind] if kind is not None else []), *values])


def _variables_end(low: Writer, work: tuple[list[Node], bool, list[Node], Node]) -> None:
    names, typed, nodes, node = work
    values = share(low, nodes, len(names), node)
    kind = low.values.pop() if typed else -1
    for at, name in enumerate(names):
        start, end = name.byte_range
        if low.text[start:end] == b"_":
            continue
        number = name_of(low, name)
        if kind >= 0:
            low.emit(Op.ANNOTATE, number, kind, -1, start, end)
        if values[at] >= 0:
            low.emit(STORE, number, values[at], -1, start, end)
        elif kind < 0:
            low.emit(
                STORE, number, low.emit(Op.CONST, Const.OTHER, -1, -1, start, end), -1, start, end
            )


# ------------------------------------------------------------------------------ imports

_VERSION = re.compile(rb"v\d+")
_SUFFIX = re.compile(rb"\.v\d+$|^go-|-go$")


def _import(low: Writer, node: Node) -> None:
    """`c` 2: the name is a guess, the package knows."""
    path, alias = node.child_by_field_name("path"), node.child_by_field_name("name")
    if path is None:
        return
    raw = machine(low).raw(path)[1:-1]
    start, end = path.byte_range
    module = low.name(raw)
    word = alias.type if alias is not None else ""
    if word == "dot":
        low.emit(Op.IMPORT, module, low.name(b"*"), 0, start, end)
        return
    value = low.emit(Op.IMPORT, module, -1, 2 * (alias is None), start, end)
    if alias is not None and word != "blank_identifier":
        low.emit(STORE, low.name(machine(low).raw(alias)), value, -1, *alias.byte_range)
    elif alias is None:
        low.emit(STORE, low.name(_guess(raw)), value, -1, start, end)


def _guess(path: bytes) -> bytes:
    """The name that a package of this path most likely has."""
    parts = path.split(b"/")
    if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
        del parts[-1]
    return _SUFFIX.sub(b"", parts[-1])


STATEMENTS: dict[str, Handler] = {
    "package_clause": _package,
    "import_spec": _import,
    "function_declaration": _function,
    "method_declaration": _method,
    "type_spec": _type_spec,
    "type_alias": _type_alias,
    "const_spec": _variables,
    "var_spec": _variables,
}
EXPRESSIONS: dict[str, Handler] = {"func_literal": _literal}

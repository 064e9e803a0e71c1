"""Modules of JavaScript: imports, exports, namespaces of TypeScript, and what ends a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from grainline.languages.lowering._javascript_expressions import object_end, place_of
from grainline.languages.lowering._javascript_names import (
    EXPORTS,
    FUNCTIONS,
    declared_in,
    names_in,
    rename,
    restore,
    text_of,
)
from grainline.languages.lowering._javascript_statements import body_block
from grainline.languages.lowering.base import Handler, Writer, kids
from grainline.languages.lowering.common import LOAD, MAKE
from grainline.model.ir import Const, Make, Op, Port

if TYPE_CHECKING:
    from tree_sitter import Node

_DEFAULT = b"default"


class Given(NamedTuple):
    """What a module or namespace gives under a name: a variable that is read at its end."""

    name: bytes
    variable: bytes
    start: int
    end: int


def module(low: Writer, node: Node) -> None:
    """A file. What it exports is what its variables hold at its end."""
    if b"exports" in low.text:
        start, _ = node.byte_range
        value = low.emit(MAKE, Make.DICT, len(low.ports) // 3, 0, start, start)
        low.emit(Op.STORE, low.name(EXPORTS), value, -1, start, start)
        low.renamed = {b"exports": EXPORTS}
    low.push((body_block, node), (_end, node))


def _end(low: Writer, node: Node) -> None:
    del node
    for each in low.deferred:
        value = low.emit(LOAD, low.name(each.variable), -1, -1, each.start, each.end)
        low.emit(Op.EXPORT, low.name(each.name), value, -1, each.start, each.end)
    if EXPORTS in low.names and not low.deferred and low.renamed:
        value = low.emit(LOAD, low.name(EXPORTS), -1, -1, 0, 0)
        low.emit(Op.EXPORT, low.name(EXPORTS), value, -1, 0, 0)


def _source(low: Writer, node: Node) -> bytes | None:
    found = node.child_by_field_name("source")
    return text_of(low, found)[1:-1] if found is not None else None


def _bind_import(low: Writer, name: Node, module_name: bytes, member: bytes, place: Node) -> None:
    given = low.name(member) if member else -1
    value = low.emit(Op.IMPORT, low.name(module_name), given, 0, *place.byte_range)
    number, start, end = low.variable(name)
    low.emit(Op.STORE, number, value, -1, start, end)


def _import(low: Writer, node: Node) -> None:
    module_name = _source(low, node)
    for clause in kids(node):
        if clause.type == "import_require_clause":
            found = _source(low, clause)
            names = [child for child in kids(clause) if child.type == "identifier"]
            if found is not None and names:
                _bind_import(low, names[0], found, EXPORTS, names[0])
        elif clause.type == "import_clause" and module_name is not None:
            _import_clause(low, clause, module_name)
    if module_name is not None and not any(child.type == "import_clause" for child in kids(node)):
        low.emit(Op.IMPORT, low.name(module_name), -1, 0, *node.byte_range)


def _import_clause(low: Writer, clause: Node, module_name: bytes) -> None:
    for child in kids(clause):
        if child.type == "identifier":
            _bind_import(low, child, module_name, _DEFAULT, child)
        elif child.type == "namespace_import" and kids(child):
            _bind_import(low, kids(child)[0], module_name, b"", kids(child)[0])
        elif child.type == "named_imports":
            for each in kids(child):
                name, alias = each.child_by_field_name("name"), each.child_by_field_name("alias")
                if name is not None:
                    _bind_import(low, alias or name, module_name, _bare(low, name), name)


def _bare(low: Writer, node: Node) -> bytes:
    raw = text_of(low, node)
    return raw[1:-1] if node.type == "string" else raw


def _export(low: Writer, node: Node) -> None:
    module_name = _source(low, node)
    words = {child.type for child in node.children if not child.is_named}
    declared, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
    if module_name is not None:
        _export_from(low, node, module_name, words)
    elif declared is not None:
        _export_declared(low, node, declared, default="default" in words)
    elif value is not None:
        _export_value(low, node, value, _DEFAULT)
    elif "=" in words and kids(node):
        _export_value(low, node, kids(node)[-1], EXPORTS)
    else:
        for clause in kids(node):
            for each in kids(clause) if clause.type == "export_clause" else ():
                name, alias = each.child_by_field_name("name"), each.child_by_field_name("alias")
                if name is not None:
                    _give(low, _bare(low, alias or name), name)


def _give(low: Writer, name: bytes, variable: Node) -> None:
    raw = text_of(low, variable)
    low.deferred.append(Given(name, low.renamed.get(raw, raw), *place_of(variable)))


def _export_from(low: Writer, node: Node, module_name: bytes, words: set[str]) -> None:
    number = low.name(module_name)
    for child in kids(node):
        if child.type == "namespace_export" and kids(child):
            value = low.emit(Op.IMPORT, number, -1, 0, *child.byte_range)
            name = kids(child)[0]
            low.emit(Op.EXPORT, low.name(_bare(low, name)), value, -1, *name.byte_range)
            return
        for each in kids(child) if child.type == "export_clause" else ():
            written, alias = each.child_by_field_name("name"), each.child_by_field_name("alias")
            if written is not None:
                member = low.name(_bare(low, written))
                value = low.emit(Op.IMPORT, number, member, 0, *written.byte_range)
                given = alias or written
                low.emit(Op.EXPORT, low.name(_bare(low, given)), value, -1, *given.byte_range)
    if "*" in words:
        low.emit(Op.IMPORT, number, low.name(b"*"), 0, *node.byte_range)


def _export_declared(low: Writer, node: Node, declared: Node, *, default: bool) -> None:
    if declared.type == "ambient_declaration" and kids(declared):
        declared = kids(declared)[0]
    name = declared.child_by_field_name("name")
    if default and name is None:
        word = next(child for child in node.children if child.type == "default")
        low.hints[declared.start_byte] = place_of(word)
        low.push((_anonymous, declared), (_export_end, (_DEFAULT, word)))
        return
    low.push((low.statements[declared.kind_id], declared))
    names = [name] if name is not None else []
    for child in kids(declared):
        if child.type == "variable_declarator" and (inside := child.child_by_field_name("name")):
            names += names_in(inside)
    for each in names:
        if each.type != "nested_identifier" and each.type != "string":
            _give(low, _DEFAULT if default else text_of(low, each), each)


def _anonymous(low: Writer, node: Node) -> None:
    """A declaration without a name is a value."""
    from grainline.languages.lowering import _javascript_functions as functions

    if "function" in node.type:
        functions.unnamed(low, node)
    else:
        functions.class_value(low, node)


def _export_value(low: Writer, node: Node, value: Node, name: bytes) -> None:
    if value.type in FUNCTIONS and name == _DEFAULT:
        word = next((child for child in node.children if child.type == "default"), node)
        low.hints[value.start_byte] = place_of(word)
    low.push((low.handlers[value.kind_id], value), (_export_end, (name, value)))


def _export_end(low: Writer, work: tuple[bytes, Node]) -> None:
    name, node = work
    low.emit(Op.EXPORT, low.name(name), low.values.pop(), -1, *node.byte_range)


# ------------------------------------------------------------------------------ namespaces


def _namespace(low: Writer, node: Node) -> None:
    """An object of what its block exports; of a module that is only declared, nothing."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if body is None:
        return
    outside, given = low.renamed, low.deferred
    low.deferred = []
    names = declared_in(body, variables=True)
    for child in kids(body):
        if child.type == "export_statement" and (
            inside := child.child_by_field_name("declaration")
        ):
            names += _declared_names(inside)
    rename(low, names)
    low.push((body_block, body), (_namespace_end, (node, name, outside, given)))


def _declared_names(node: Node) -> list[Node]:
    name = node.child_by_field_name("name")
    if name is not None:
        return [name] if name.type in {"identifier", "type_identifier"} else []
    found = [child.child_by_field_name("name") for child in kids(node)]
    return [inner for each in found if each is not None for inner in names_in(each)]


def _namespace_end(low: Writer, work: tuple[Node, Node | None, Any, list[Given]]) -> None:
    node, name, outside, before = work
    found, low.deferred = low.deferred, before
    for each in found:
        place = (each.start, each.end)
        low.values.append(low.emit(Op.CONST, Const.STR, low.name(each.name), -1, *place))
        low.values.append(low.emit(LOAD, low.name(each.variable), -1, -1, *place))
    object_end(low, (node, [Port.ITEM] * len(found)))
    value = low.values.pop()
    restore(low, outside)
    if name is not None and name.type == "nested_identifier" and kids(name):
        name = kids(name)[0]  # the rest of `a.b` is not told apart
    if name is not None and name.type == "identifier":
        number, start, end = low.variable(name)
        low.emit(Op.STORE, number, value, -1, start, end)


def _ambient(low: Writer, node: Node) -> None:
    low.push(*((low.statements[child.kind_id], child) for child in kids(node)))


def _import_alias(low: Writer, node: Node) -> None:
    """`import a = b.c`."""
    found = kids(node)
    if len(found) == 2:
        low.push((low.handlers[found[1].kind_id], found[1]), (_alias_end, found[0]))


def _alias_end(low: Writer, name: Node) -> None:
    number, start, end = low.variable(name)
    low.emit(Op.STORE, number, low.values.pop(), -1, start, end)


STATEMENTS: dict[str, Handler] = {
    "import_statement": _import,
    "export_statement": _export,
    "internal_module": _namespace,
    "module": _namespace,
    "ambient_declaration": _ambient,
    "import_alias": _import_alias,
}

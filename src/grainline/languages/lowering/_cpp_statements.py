"""Namespaces, classes and statements of C++; statements leave no value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering import _cpp_declarations as declarations
from grainline.languages.lowering._c_declarations import STATEMENTS as C_STATEMENTS
from grainline.languages.lowering._c_declarations import block, parts
from grainline.languages.lowering._cpp_expressions import EXPRESSIONS as VALUES
from grainline.languages.lowering._cpp_types import Declared, declared, type_work, typed
from grainline.languages.lowering._cpp_writer import (
    in_class,
    in_function,
    state,
    take_templates,
    write_templates,
)
from grainline.languages.lowering.base import Handler, Writer, close, drop, evaluate, kids, opaque
from grainline.languages.lowering.blocks import POSITIONAL, STORE, Work, close_block, open_block
from grainline.languages.lowering.names import Names
from grainline.model.ir import (
    BROKEN,
    CONSTANT,
    MENTIONED,
    QUALIFIER,
    Arm,
    Branch,
    Const,
    Op,
    ScopeKind,
)

if TYPE_CHECKING:
    from tree_sitter import Node


def _ignored(low: Writer, node: Node) -> None:
    del low, node


def _conditional(low: Writer, node: Node) -> None:
    """What the preprocessor may leave out; the condition is no code."""
    skipped = {
        child.id for name in ("condition", "name") for child in node.children_by_field_name(name)
    }
    statements = low.statements
    low.todo += [
        (statements[child.kind_id], child)
        for child in reversed(node.named_children)
        if child.id not in skipped
    ]


# ------------------------------------------------------------------------------ namespaces


def _namespace(low: Writer, node: Node) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if body is None or low.scope:
        return
    before = state(low).namespace
    if name is None:
        own = b"(anonymous)"
    else:
        own = b"::".join(state(low).raw(name).replace(b"inline ", b"").split(b"::"))
        own = b"".join(own.split())
    if any(child.type == "inline" for child in node.children):
        own = b"(inline)" + own
    low.push(
        (_enter, (before + b"::" + own if before else own, node)),
        (parts, body),
        (_enter, (before, node)),
    )


def _enter(low: Writer, work: tuple[bytes, Node]) -> None:
    path, node = work
    state(low).namespace = path
    low.emit(Op.PACKAGE, low.name(path), -1, -1, *node.byte_range)


def _block(low: Writer, node: Node) -> None:
    """Statements whose names end with them, also where no function is around."""
    if low.scope:
        block(low, node)
    else:
        low.push((_deeper, 1), (block, node), (_deeper, -1))


def _deeper(low: Writer, step: int) -> None:
    state(low).depth += step


def _linkage(low: Writer, node: Node) -> None:
    body = node.child_by_field_name("body")
    if body is not None:
        low.push((low.statements[body.kind_id], body))


def _template(low: Writer, node: Node) -> None:
    """The parameters are those of whatever comes next."""
    listed, found = node.child_by_field_name("parameters"), kids(node)
    if listed is None or not found:
        return
    inner = found[-1]
    state(low).templates = [*state(low).templates, listed]
    low.push((low.statements[inner.kind_id], inner), (_used, None))


def _used(low: Writer, _: object) -> None:
    take_templates(low)


def _macro_value(low: Writer, node: Node) -> None:
    """A macro without parameters that stands for something hides what is called so."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or value is None or low.scope:
        return
    start, end = name.byte_range
    raw = low.text[start:end]
    if state(low).raw(value).strip() != raw:
        made = low.emit(Op.CONST, Const.OTHER, -1, -1, start, end)
        low.emit(STORE, low.name(raw), made, declarations.MACRO, start, end)


# ------------------------------------------------------------------------------ classes


def structure(low: Writer, node: Node) -> None:
    """Leaves a class; without a body it is only named."""
    templates = take_templates(low)
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if body is None:
        low.push(type_work(low, name, MENTIONED))
        return
    bases = [
        each
        for child in node.children
        if child.type == "base_class_clause"
        for each in kids(child)
        if each.type in ("type_identifier", "template_type", "qualified_identifier")
    ]
    low.push(
        *declarations.owner_work(low, name),
        *(type_work(low, each, QUALIFIER) for each in bases),
        (_structure_end, (node, name, body, templates, len(bases))),
    )


def _structure_end(low: Writer, work: tuple[Node, Node | None, Node, list[Node], int]) -> None:
    node, name, body, templates, count = work
    first = len(low.values) - count
    ports = [(POSITIONAL, -1, value) for value in low.values[first:]]
    del low.values[first:]
    outer = low.values.pop() if name is not None and name.type == "qualified_identifier" else -1
    hint = low.hints.get(node.start_byte)
    last = name
    while last is not None and last.type in ("qualified_identifier", "template_type"):
        last = last.child_by_field_name("name")
    start, end = last.byte_range if last is not None else hint or node.byte_range
    unnamed = last is None and hint is None
    number = low.lambda_name() if unnamed else low.name(low.text[start:end])
    write_templates(low, templates)
    flags = (BROKEN if _is_torn(body) else 0) | (CONSTANT if node.type == "enum_specifier" else 0)
    own = -1
    if name is not None and name.type == "type_identifier":
        raw = low.text[start:end]
        own = state(low).fresh(raw) if in_function(low) else low.name(raw)
    scope = low.enter(ScopeKind.CLASS, number, node, start, flags, -1)
    names = state(low).locals.inside()
    low.later(scope, _enumerators if node.type == "enum_specifier" else _members, (body, names), {})
    at, n_ports = low.write_ports(ports)
    value = low.emit(Op.CLASS, scope, at, n_ports, start, end)
    if own >= 0:
        low.emit(STORE, own, value, -1, start, end)
    elif name is not None and name.type == "template_type":
        low.emit(STORE, low.name(low.text[start:end] + b"<>"), value, -1, start, end)
    elif outer >= 0:
        low.emit(Op.ATTACH, outer, number, value, start, end)
    if node.type == "enum_specifier" and not _is_scoped(node):
        _constants(low, body, value)
    low.values.append(value)


def _is_torn(body: Node) -> bool:
    """Whether members may be lost."""
    if not body.has_error:
        return False
    open_ = [body]
    while open_:
        for child in open_.pop().children:
            if child.type == "ERROR" or child.is_missing:
                return True
            if child.type.startswith("preproc_") or child.type == "access_specifier":
                open_.append(child)
    return False


def _is_scoped(node: Node) -> bool:
    return any(child.type in ("class", "struct") for child in node.children)


def _constants(low: Writer, body: Node, kind: int) -> None:
    """Names of an enumeration that its surroundings have as well."""
    for each in kids(body):
        name = each.child_by_field_name("name")
        if name is not None:
            start, end = name.byte_range
            raw = low.text[start:end]
            number = state(low).fresh(raw) if in_function(low) else low.name(raw)
            low.emit(Op.ANNOTATE, number, kind, -1, start, end)


def _enumerators(low: Writer, work: tuple[Node, Names]) -> None:
    """Names of an enumeration are of its type, which stands around."""
    body, names = work
    state(low).locals = names
    own = low.scopes[low.scope][2]
    for each in kids(body):
        name = each.child_by_field_name("name")
        if name is not None:
            start, end = name.byte_range
            kind = low.emit(Op.LOAD, own, QUALIFIER, -1, start, end)
            low.emit(Op.ANNOTATE, low.name(low.text[start:end]), kind, -1, start, end)


def _members(low: Writer, work: tuple[Node, Names]) -> None:
    body, names = work
    state(low).locals = names
    parts(low, body)


def _type_alone(low: Writer, node: Node) -> None:
    if node.child_by_field_name("body") is None:
        take_templates(low)
        declarations.forward(low, node)
    elif (
        node.child_by_field_name("name") is None and in_class(low) and node.type != "enum_specifier"
    ):
        _members_of(low, node)
    else:
        low.push((structure, node), (drop, None))


def _field(low: Writer, node: Node) -> None:
    """What an unnamed structure holds is a member of the class around."""
    kind = node.child_by_field_name("type")
    if (
        kind is not None
        and in_class(low)
        and kind.type in ("struct_specifier", "union_specifier")
        and kind.child_by_field_name("name") is None
        and node.child_by_field_name("declarator") is None
    ):
        _members_of(low, kind)
    elif (
        kind is not None
        and kind.child_by_field_name("body") is not None
        and node.child_by_field_name("declarator") is None
    ):
        low.push((structure, kind), (drop, None))
    else:
        declarations.declaration(low, node)


def _members_of(low: Writer, node: Node) -> None:
    body = node.child_by_field_name("body")
    if body is not None:
        low.push((parts, body))


# ------------------------------------------------------------------------------ statements


def _in_block(kind: str) -> Handler:
    """A statement whose condition may declare something."""
    handler = C_STATEMENTS[kind]

    def wrapped(low: Writer, node: Node) -> None:
        low.push((open_block, None), (handler, node), (close_block, None))

    return wrapped


def condition(low: Writer, node: Node) -> None:
    """What stands in the parentheses of `if`, `while`, `switch`; leaves a value."""
    first, value = node.child_by_field_name("initializer"), node.child_by_field_name("value")
    work: Work = [(low.statements[first.kind_id], first)] if first is not None else []
    if value is not None and value.type == "declaration":
        work += [(declarations.declaration, value), (opaque, node)]
    elif value is not None:
        work.append((low.handlers[value.kind_id], value))
    else:
        work.append((opaque, node))
    low.push(*work)


def _for_range(low: Writer, node: Node) -> None:
    right, body = node.child_by_field_name("right"), node.child_by_field_name("body")
    first = node.child_by_field_name("initializer")
    if right is None or body is None:
        return
    known = declared(node.child_by_field_name("declarator"))
    low.push(
        (open_block, None),
        *([(low.statements[first.kind_id], first)] if first is not None else []),
        (typed, (node, known)),
        (low.handlers[right.kind_id], right),
        (_element, (node, known)),
        (_loop, node),
        (low.statements[body.kind_id], body),
        (close, node),
        (close_block, None),
    )


def _element(low: Writer, work: tuple[Node, Declared]) -> None:
    node, known = work
    value = low.values.pop()
    kind = low.values.pop()
    low.values.append(low.emit(Op.ITER, value, -1, -1, *node.byte_range))
    if known.name is not None and known.name.type == "structured_binding_declarator":
        declarations.unpacked(low, known.name)
        return
    declarations.variable(low, (known, kind, True))


def _loop(low: Writer, node: Node) -> None:
    low.open(Op.LOOP, -1, -1, node)


def _try(low: Writer, node: Node) -> None:
    body = node.child_by_field_name("body")
    handlers = [child for child in kids(node) if child.type == "catch_clause"]
    work: Work = [(_open, (Branch.TRY, node))]
    if body is not None:
        work += [(_arm, (Arm.BODY, body)), (low.statements[body.kind_id], body)]
    for each in handlers:
        work += [(_arm, (Arm.HANDLER, each)), (_catch, each)]
    low.push(*work, (close, node))


def _open(low: Writer, work: tuple[Branch, Node]) -> None:
    kind, node = work
    low.open(Op.BRANCH, -1, kind, node)


def _arm(low: Writer, work: tuple[Arm, Node]) -> None:
    kind, node = work
    low.emit(Op.ARM, kind, -1, -1, *node.byte_range)


def _catch(low: Writer, node: Node) -> None:
    listed, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    work: Work = [(open_block, None)]
    for each in kids(listed) if listed is not None else ():
        if each.type == "parameter_declaration":
            known = declared(each.child_by_field_name("declarator"))
            work += [(typed, (each, known)), (_caught, known)]
    if body is not None:
        work.append((low.statements[body.kind_id], body))
    low.push(*work, (close_block, None))


def _caught(low: Writer, known: Declared) -> None:
    kind = low.values.pop()
    if known.name is not None:
        start, end = known.name.byte_range
        low.values.append(low.emit(Op.NARROW, -1, kind, -1, start, end))
    declarations.variable(low, (known, kind, known.name is not None))


def _throw(low: Writer, node: Node) -> None:
    found = kids(node)[:1]
    low.push(
        *((low.handlers[child.kind_id], child) for child in found), (_throw_end, (node, len(found)))
    )


def _throw_end(low: Writer, work: tuple[Node, int]) -> None:
    node, count = work
    low.emit(Op.RAISE, low.values.pop() if count else -1, -1, -1, *node.byte_range)


def _delete(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 1:
        low.push(*((evaluate, child) for child in found), (opaque, node))
        return
    low.push((low.handlers[found[0].kind_id], found[0]), (_deleted, node), (opaque, node))


def _deleted(low: Writer, node: Node) -> None:
    several = any(child.type == "[" for child in node.children)
    word = b"delete[]" if several else b"delete"
    low.emit(Op.OPERATE, low.values.pop(), -1, low.name(word), *node.byte_range)


EXPRESSIONS: dict[str, Handler] = {
    **VALUES,
    **dict.fromkeys(
        ["class_specifier", "struct_specifier", "union_specifier", "enum_specifier"], structure
    ),
    "condition_clause": condition,
    "delete_expression": _delete,
}

STATEMENTS: dict[str, Handler] = {
    **{
        kind: C_STATEMENTS[kind]
        for kind in (
            "translation_unit", "declaration_list", "preproc_include", "preproc_function_def",
            "expression_statement", "labeled_statement",
            "attributed_statement", "case_statement", "return_statement", "else_clause",
            "do_statement", "continue_statement", "break_statement", "goto_statement",
        )
    },
    "compound_statement": _block,
    "init_statement": parts,
    "linkage_specification": _linkage,
    **dict.fromkeys(
        ["preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef"],
        _conditional,
    ),
    "preproc_def": _macro_value,
    "namespace_definition": _namespace,
    "namespace_alias_definition": declarations.namespace_alias,
    "template_declaration": _template,
    "using_declaration": declarations.using,
    "alias_declaration": declarations.alias,
    "type_definition": declarations.type_definition,
    "declaration": declarations.declaration,
    "field_declaration": _field,
    "friend_declaration": declarations.friend,
    "function_definition": declarations.definition,
    **dict.fromkeys(
        ["class_specifier", "struct_specifier", "union_specifier", "enum_specifier"], _type_alone
    ),
    **{kind: _in_block(kind) for kind in ("if_statement", "while_statement", "for_statement",
                                          "switch_statement")},
    "for_range_loop": _for_range,
    "try_statement": _try,
    "throw_statement": _throw,
    "co_return_statement": C_STATEMENTS["return_statement"],
    **dict.fromkeys(
        ["comment", "preproc_call", "statement_identifier", "preproc_undef", "access_specifier",
         "storage_class_specifier", "attribute_specifier", "attribute_declaration",
         "ms_declspec_modifier", "static_assert_declaration", "template_instantiation",
         "concept_definition", "type_qualifier",
         "requires_clause", "preproc_directive"],
        _ignored,
    ),
}  # fmt: skip

__all__ = ["EXPRESSIONS", "STATEMENTS", "block"]

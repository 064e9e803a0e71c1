"""Declarations and statements of C; none leaves a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering._c_expressions import initializer
from grainline.languages.lowering._c_types import (
    Declared,
    arguments,
    declared,
    nothing,
    typed,
    visit_arguments,
)
from grainline.languages.lowering.base import (
    MAX_CONSTANT,
    Handler,
    Writer,
    close,
    drop,
    evaluate,
    kids,
)
from grainline.languages.lowering.blocks import LOAD, STORE, Work, close_block, machine, open_block
from grainline.languages.lowering.common import jump
from grainline.languages.lowering.names import Names
from grainline.model.ir import (
    ABSTRACT,
    ARGUMENTS,
    BREAKS,
    BROKEN,
    STATIC,
    Arm,
    Branch,
    Op,
    ScopeKind,
)

if TYPE_CHECKING:
    from tree_sitter import Node


def parts(low: Writer, node: Node) -> None:
    """Statements in order; what is no statement (in broken code) is evaluated."""
    statements = low.statements
    low.todo += [(statements[child.kind_id], child) for child in reversed(node.named_children)]


def block(low: Writer, node: Node) -> None:
    """Statements whose names end with them."""
    low.push((open_block, None), (parts, node), (close_block, None))


def _ignored(low: Writer, node: Node) -> None:
    del low, node


# ------------------------------------------------------------------------------ declarations


def _include(low: Writer, node: Node) -> None:
    path = node.child_by_field_name("path")
    if path is not None:
        start, end = path.byte_range
        module = low.name(low.text[start:end].strip())
        low.emit(Op.IMPORT, module, low.name(b"*"), 0, start, end)


def _declaration(low: Writer, node: Node) -> None:
    """Every declarator; the type is evaluated for each, a structure in it once."""
    kind = node.child_by_field_name("type")
    places = node.children_by_field_name("declarator")
    body = kind is not None and kind.child_by_field_name("body") is not None
    work: Work = []
    if kind is not None and body:
        work += [(low.handlers[kind.kind_id], kind), (_once, (node, places))]
    else:
        work += [step for place in places for step in _declarator(low, node, place)]
    low.push(*work)


def _once(low: Writer, work: tuple[Node, list[Node]]) -> None:
    node, places = work
    kind = low.values.pop()
    steps: Work = []
    for place in places:
        known = declared(place)
        if known is not None:
            steps += [(_again, kind), (_bind, (node, place, known))]
    low.push(*steps)


def _again(low: Writer, value: int) -> None:
    low.values.append(value)


def _declarator(low: Writer, node: Node, place: Node) -> Work:
    known = declared(place)
    if known is None:
        return []
    if known.parameters is not None and place.type != "init_declarator":
        return [(_prototype, (node, known))] if low.scope == 0 else []
    return [(typed, (node, known)), (_bind, (node, place, known))]


def _bind(low: Writer, work: tuple[Node, Node, Declared]) -> None:
    """A variable: its type, and what it begins with."""
    node, place, known = work
    kind = low.values.pop()
    value = place.child_by_field_name("value") if place.type == "init_declarator" else None
    if node.type == "type_definition":
        _type_name(low, known, kind)
    elif value is None:
        _variable(low, (known, kind, False))
    else:
        low.push((initializer, (value, kind)), (_variable, (known, kind, True)))


def _type_name(low: Writer, known: Declared, kind: int) -> None:
    start, end = known.name.byte_range
    raw = low.text[start:end]
    number = machine(low).fresh(raw) if low.scope else low.name(raw)
    low.emit(STORE, number, kind, -1, start, end)


def _variable(low: Writer, work: tuple[Declared, int, bool]) -> None:
    known, kind, given = work
    value = low.values.pop() if given else -1
    start, end = known.name.byte_range
    raw = low.text[start:end]
    if low.scope:
        number = machine(low).fresh(raw)
    else:
        machine(low).globals.add(raw)
        number = low.name(raw)
    low.emit(Op.ANNOTATE, number, kind, -1, start, end)
    if low.scope and is_static(low, known.name):
        loaded = low.emit(LOAD, number, -1, -1, start, end)
        low.emit(Op.OPERATE, loaded, -1, low.name(b"&"), start, end)  # it stays
    if given:
        low.emit(STORE, number, value, -1, start, end)


def is_static(low: Writer, name: Node) -> bool:
    """Whether a variable of a function outlives it."""
    node = name.parent
    while node is not None and node.type != "declaration":
        node = node.parent
    return node is not None and any(
        child.type == "storage_class_specifier" and machine(low).raw(child) == b"static"
        for child in node.children
    )


# ------------------------------------------------------------------------------ functions


def _prototype(low: Writer, work: tuple[Node, Declared]) -> None:
    _function(low, (*work, None))


def _definition(low: Writer, node: Node) -> None:
    place, body = node.child_by_field_name("declarator"), node.child_by_field_name("body")
    known = declared(place) if place is not None else None
    if known is None or known.parameters is None or body is None or low.scope:
        if body is not None:
            low.push((low.statements[body.kind_id], body))
        return
    _function(low, (node, known, body))


def _function(low: Writer, work: tuple[Node, Declared, Node | None]) -> None:
    node, known, body = work
    kind = node.child_by_field_name("type")
    assert known.parameters is not None
    low.push(
        *([(low.handlers[kind.kind_id], kind)] if kind is not None else []),
        (_signature, (node, known, body, kind is not None)),
    )


def _signature(low: Writer, work: tuple[Node, Declared, Node | None, bool]) -> None:
    node, known, body, has_type = work
    listed = known.parameters
    assert listed is not None
    first = len(low.values)
    low.push(*visit_arguments(low, listed), (_function_end, (node, known, body, has_type, first)))


def _function_end(low: Writer, work: tuple[Node, Declared, Node | None, bool, int]) -> None:
    node, known, body, has_type, first = work
    listed = known.parameters
    assert listed is not None
    flags = arguments(low, listed, first)
    returns = low.values.pop() if has_type else -1
    if body is None:
        flags |= ABSTRACT
    elif body.has_error:
        flags |= BROKEN
    if any(
        child.type == "storage_class_specifier" and machine(low).raw(child) == b"static"
        for child in node.children
    ):
        flags |= STATIC
    start, end = known.name.byte_range
    number = low.name(low.text[start:end])
    scope = low.enter(ScopeKind.FUNCTION, number, node, start, flags, returns)
    if body is None:
        low.later(scope, nothing, None, {})
    else:
        low.later(scope, _begin, (body, listed, machine(low).locals.inside()), {})
    value = low.emit(Op.FUNCTION, scope, -1, -1, start, end)
    low.emit(STORE, number, value, -1, start, end)


def _begin(low: Writer, work: tuple[Node, Node, Names]) -> None:
    """Parameters keep their names."""
    body, listed, names = work
    machine(low).locals = names
    for child in kids(listed):
        place = child.child_by_field_name("declarator")
        known = declared(place) if place is not None else None
        name = known.name if known is not None else child
        if name.type == "identifier":
            raw = machine(low).raw(name)
            names.declare(raw, raw)
    low.push((block, body))


def _macro(low: Writer, node: Node) -> None:
    """A macro that is called like a function; what it stands for is text."""
    name = node.child_by_field_name("name")
    if name is None or low.scope:
        return
    start, end = name.byte_range
    number = low.name(low.text[start:end])
    scope = low.enter(ScopeKind.FUNCTION, number, node, start, ARGUMENTS, -1)
    low.later(scope, nothing, None, {})
    low.emit(STORE, number, low.emit(Op.FUNCTION, scope, -1, -1, start, end), -1, start, end)


# ------------------------------------------------------------------------------ statements


def _return(low: Writer, node: Node) -> None:
    found = kids(node)[:1]
    low.push(
        *((low.handlers[child.kind_id], child) for child in found),
        (_return_end, (node, bool(found))),
    )


def _return_end(low: Writer, work: tuple[Node, bool]) -> None:
    node, given = work
    low.emit(Op.RETURN, low.values.pop() if given else -1, -1, -1, *node.byte_range)


def _if(low: Writer, node: Node) -> None:
    test, then, other = (node.child_by_field_name(name) for name in _IF)
    work: Work = [(low.handlers[test.kind_id], test)] if test is not None else []
    work.append((_open, (Branch.IF, node)))
    work.append((_arm if test is None else _tested, (Arm.THEN, node)))
    if then is not None:
        work.append((low.statements[then.kind_id], then))
    if other is not None:
        work += [(_arm, (Arm.ELSE, other)), (parts, other)]
    low.push(*work, (close, node))


_IF = ("condition", "consequence", "alternative")


def _open(low: Writer, work: tuple[Branch, Node]) -> None:
    kind, node = work
    low.open(Op.BRANCH, -1, kind, node)


def _arm(low: Writer, work: tuple[Arm, Node]) -> None:
    kind, node = work
    low.emit(Op.ARM, kind, -1, -1, *node.byte_range)


def _tested(low: Writer, work: tuple[Arm, Node]) -> None:
    kind, node = work
    low.emit(Op.ARM, kind, low.values.pop(), -1, *node.byte_range)


def _loop(low: Writer, node: Node) -> None:
    """A loop that only a jump leaves says so."""
    test = node.child_by_field_name("condition")
    raw = b"1" if test is None else machine(low).raw(test).strip(b"() ")
    endless = raw in (b"1", b"true") or node.type == "do_statement"
    low.open(Op.LOOP, -1, -1, node, BREAKS if endless else -1)


def _holds(low: Writer, node: Node) -> None:
    """Where the body of a loop runs its condition holds."""
    low.emit(Op.ASSERT, low.values.pop(), -1, -1, *node.byte_range)


def _may_leave(low: Writer, node: Node) -> None:
    """The end of a loop that runs once at least."""
    low.open(Op.BRANCH, -1, Branch.IF, node)
    low.emit(Op.ARM, Arm.THEN, -1, -1, *node.byte_range)
    low.emit(Op.BREAK, -1, -1, -1, *node.byte_range)
    close(low, node)


def _jump(low: Writer, node: Node) -> None:
    label = node.child_by_field_name("label")
    if label is not None:
        low.emit(Op.JUMP, low.name(machine(low).raw(label)), -1, -1, *node.byte_range)


def _label(low: Writer, node: Node) -> None:
    label = node.child_by_field_name("label")
    if label is not None:
        low.emit(Op.LABEL, low.name(machine(low).raw(label)), -1, -1, *label.byte_range)
    parts(low, node)


def _conditional(low: Writer, node: Node) -> None:
    """In a function, either the one or the other is there."""
    other = node.child_by_field_name("alternative")
    if not low.scope:
        parts(low, node)
        return
    test = node.child_by_field_name("condition") or node.child_by_field_name("name")
    work: Work = [(_open, (Branch.IF, node)), (_arm, (Arm.THEN, node))]
    if test is not None:
        work = [(_chosen, (node, test)), (_open, (Branch.IF, node)), (_tested, (Arm.THEN, node))]
    for child in kids(node):
        if child not in (test, other):
            work.append((low.statements[child.kind_id], child))
    if other is not None:
        work += [(_arm, (Arm.ELSE, other)), (low.statements[other.kind_id], other)]
    low.push(*work, (close, node))


def _chosen(low: Writer, work: tuple[Node, Node]) -> None:
    """What the preprocessor tests is the same wherever the same words are tested."""
    node, test = work
    start, end = test.byte_range
    raw = b" ".join(low.text[start:end].split())[:MAX_CONSTANT]
    value = low.emit(LOAD, low.name(b"#if " + raw), -1, -1, start, end)
    if node.children[0].type == "#ifndef":
        value = low.emit(Op.OPERATE, value, -1, low.name(b"!"), start, end)
    low.values.append(value)


def _while(low: Writer, node: Node) -> None:
    """`for`, `while`, `do`: what comes first, then all that is repeated."""
    first = node.child_by_field_name("initializer")
    work: Work = [(open_block, None)]
    if first is not None:
        work.append((low.statements[first.kind_id], first))
    work.append((_loop, node))
    once = node.type == "do_statement"
    for name in ("body", "condition") if once else ("condition", "body", "update"):
        part = node.child_by_field_name(name)
        if part is None:
            continue
        if name == "condition" and not once:
            work += [(low.handlers[part.kind_id], part), (_holds, part)]
        else:
            work.append((low.statements[part.kind_id], part))
    if once:
        work.append((_may_leave, node))
    low.push(*work, (close, node), (close_block, None))


def _switch(low: Writer, node: Node) -> None:
    test, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    work: Work = [(evaluate, test)] if test is not None else []
    work += [(_open, (Branch.MATCH, node)), (open_block, None)]
    cases = kids(body) if body is not None else []
    for case in cases:
        default = case == cases[-1] and case.child_by_field_name("value") is None
        rest = default and case.type == "case_statement"
        work.append((_arm, (Arm.ELSE if rest else Arm.THEN, case)))
        work.append(
            (parts if case.type == "case_statement" else low.statements[case.kind_id], case)
        )
    low.push(*work, (close_block, None), (close, node))


def _type_alone(low: Writer, node: Node) -> None:
    """A structure that is declared without a variable."""
    low.push((low.handlers[node.kind_id], node), (drop, None))


STATEMENTS: dict[str, Handler] = {
    "translation_unit": parts,
    "linkage_specification": parts,
    "declaration_list": parts,
    "preproc_if": _conditional,
    "preproc_ifdef": _conditional,
    "preproc_else": parts,
    "preproc_elif": _conditional,
    "preproc_elifdef": _conditional,
    "preproc_include": _include,
    "preproc_function_def": _macro,
    "declaration": _declaration,
    "type_definition": _declaration,
    "function_definition": _definition,
    "compound_statement": block,
    "expression_statement": parts,
    "labeled_statement": _label,
    "attributed_statement": parts,
    "case_statement": parts,
    "return_statement": _return,
    "if_statement": _if,
    "else_clause": parts,
    "while_statement": _while,
    "do_statement": _while,
    "for_statement": _while,
    "switch_statement": _switch,
    "break_statement": jump(Op.BREAK),
    "continue_statement": jump(Op.CONTINUE),
    "goto_statement": _jump,
    **dict.fromkeys(["struct_specifier", "union_specifier", "enum_specifier"], _type_alone),
    **dict.fromkeys(
        ["comment", "preproc_def", "preproc_call", "statement_identifier", "preproc_undef",
         "storage_class_specifier", "attribute_specifier", "ms_declspec_modifier"],
        _ignored,
    ),
}  # fmt: skip

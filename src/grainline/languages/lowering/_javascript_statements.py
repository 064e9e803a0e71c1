"""Statements of JavaScript; none leaves a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grainline.languages.lowering._javascript_names import (
    FUNCTIONS,
    HOISTED,
    declare,
    declare_assigned,
    declared_in,
    names_in,
    rename,
    restore,
    text_of,
)
from grainline.languages.lowering.base import Handler, Writer, close, evaluate, kids
from grainline.languages.lowering.common import labelled, leave_at
from grainline.model.ir import LEAVES_SWITCH, Arm, Branch, Const, Op

if TYPE_CHECKING:
    from tree_sitter import Node


def body_block(low: Writer, node: Node) -> None:
    """Statements of a module or function: functions first, they are there from the start."""
    found = kids(node)
    first = [child for child in found if _hoisted(child)]
    if first:
        signed = _implemented(low, first)
        rest = [child for child in found if not _hoisted(child) and not _signs(low, child, signed)]
        found = [*first, *rest]
    statements = low.statements
    low.todo += [(statements[child.kind_id], child) for child in reversed(found)]


def _hoisted(node: Node) -> bool:
    if node.type == "export_statement":
        declared = node.child_by_field_name("declaration")
        return declared is not None and declared.type in HOISTED
    return node.type in HOISTED


def _declared(node: Node) -> Node:
    return (
        node.child_by_field_name("declaration") or node if node.type == "export_statement" else node
    )


def _implemented(low: Writer, functions: list[Node]) -> set[bytes]:
    names = [_declared(child).child_by_field_name("name") for child in functions]
    return {text_of(low, name) for name in names if name is not None}


def _signs(low: Writer, node: Node, implemented: set[bytes]) -> bool:
    """Whether a statement is an overload whose implementation is there."""
    inside = _declared(node)
    if inside.type != "function_signature":
        return False
    name = inside.child_by_field_name("name")
    return name is not None and text_of(low, name) in implemented


def _block(low: Writer, node: Node) -> None:
    """A block in a function has names of its own."""
    names = declared_in(node, variables=False)
    if names:
        low.todo.append((restore, low.renamed))
        rename(low, names)
    body_block(low, node)


def _parts(low: Writer, node: Node) -> None:
    low.push(*((evaluate, child) for child in kids(node)))


def _expression(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 1 or found[0].type != "string":
        _parts(low, node)


def ignored(low: Writer, node: Node) -> None:
    """Statements that do nothing, and comments."""
    del low, node


def _declaration(low: Writer, node: Node) -> None:
    low.push(*((_declarator, child) for child in kids(node) if child.type == "variable_declarator"))


def _declarator(low: Writer, node: Node) -> None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    typed = node.child_by_field_name("type")
    if name is None:
        _parts(low, node)
        return
    steps: list[tuple[Handler, Any]] = []
    if value is not None:
        if value.type in FUNCTIONS and name.type == "identifier":
            start, end = name.byte_range
            low.hints[value.start_byte] = (start, end)
        steps.append((low.handlers[value.kind_id], value))
    if typed is not None:
        steps.append((low.handlers[typed.kind_id], typed))
    low.push(*steps, (_declarator_end, (node, name, typed is not None, value is not None)))


def _declarator_end(low: Writer, work: tuple[Node, Node, bool, bool]) -> None:
    node, name, typed, given = work
    annotation = low.values.pop() if typed else -1
    value = low.values.pop() if given else -1
    if typed and name.type == "identifier":
        number, start, end = low.variable(name)
        low.emit(Op.ANNOTATE, number, annotation, -1, start, end)
        if not given:
            return
    elif typed:  # a pattern takes the members of its type
        narrowed = low.emit(Op.NARROW, -1, annotation, -1, *name.byte_range)
        value = (
            narrowed if value < 0 else low.emit(Op.EITHER, value, narrowed, -1, *name.byte_range)
        )
    if value < 0:
        value = low.emit(Op.CONST, Const.OTHER, -1, -1, *node.byte_range)
    declare(low, (name, value))


def _jump(code: Op) -> Handler:
    def jump(low: Writer, node: Node) -> None:
        label = node.child_by_field_name("label")
        if label is not None:
            leave_at(low, code, node, label)
            return
        at = node.parent
        while at is not None and at.type not in _AROUND:
            at = at.parent
        if at is not None and at.type in _LOOPS:
            low.emit(code, -1, -1, -1, *node.byte_range)
        elif at is not None and code is Op.BREAK:
            low.emit(code, LEAVES_SWITCH, -1, -1, *node.byte_range)
        elif at is not None:
            low.emit(code, -1, -1, -1, *node.byte_range)

    return jump


_LOOPS = frozenset({"for_statement", "for_in_statement", "while_statement", "do_statement"})
_AROUND = _LOOPS | {"switch_statement"}


def _value(code: Op) -> Handler:
    """`return`, `throw`."""

    def end(low: Writer, work: tuple[Node, bool]) -> None:
        node, given = work
        low.emit(code, low.values.pop() if given else -1, -1, -1, *node.byte_range)

    def value(low: Writer, node: Node) -> None:
        found = kids(node)[:1]
        low.todo.append((end, (node, bool(found))))
        low.visit_all(found)

    return value


# ------------------------------------------------------------------------------ control


def _statement(low: Writer, node: Node | None) -> list[tuple[Handler, Any]]:
    return [] if node is None else [(low.statements[node.kind_id], node)]


def _arm(low: Writer, work: tuple[Arm, Node]) -> None:
    kind, node = work
    low.emit(Op.ARM, kind, -1, -1, *node.byte_range)


def _if(low: Writer, node: Node) -> None:
    test = node.child_by_field_name("condition")
    other = node.child_by_field_name("alternative")
    if test is None:
        _parts(low, node)
        return
    work: list[tuple[Handler, Any]] = [(low.handlers[test.kind_id], test), (_then, node)]
    work += _statement(low, node.child_by_field_name("consequence"))
    if other is not None:
        work.append((_arm, (Arm.ELSE, other)))
        work += [(low.statements[child.kind_id], child) for child in kids(other)]
    low.push(*work, (close, node))


def _then(low: Writer, node: Node) -> None:
    test = low.values.pop()
    low.open(Op.BRANCH, -1, Branch.IF, node)
    low.emit(Op.ARM, Arm.THEN, test, -1, *node.byte_range)


def _for(low: Writer, node: Node) -> None:
    first = node.child_by_field_name("initializer")
    outside = low.renamed
    if first is not None and first.type == "lexical_declaration":
        named = [each.child_by_field_name("name") for each in kids(first)]
        rename(low, [name for each in named if each is not None for name in names_in(each)])
    test, step = node.child_by_field_name("condition"), node.child_by_field_name("increment")
    low.push(
        *_statement(low, first),
        (_loop, node),
        *([(evaluate, test)] if test is not None else []),
        *_statement(low, node.child_by_field_name("body")),
        *([(evaluate, step)] if step is not None else []),
        (close, node),
        (restore, outside),
    )


def _loop(low: Writer, node: Node) -> None:
    low.open(Op.LOOP, -1, -1, node)


def _for_in(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        _parts(low, node)
        return
    outside = low.renamed
    word = node.child_by_field_name("kind")
    low.push(
        (low.handlers[right.kind_id], right),
        (_each, (node, left, word)),
        *_statement(low, node.child_by_field_name("body")),
        (close, node),
        (restore, outside),
    )


def _each(low: Writer, work: tuple[Node, Node, Node | None]) -> None:
    node, left, word = work
    several = low.values.pop()
    low.open(Op.LOOP, -1, -1, node)
    if word is not None and word.type != "var":
        rename(low, names_in(left))
    of = node.child_by_field_name("operator")
    start, end = left.byte_range
    if of is not None and of.type == "of":
        value = low.emit(Op.ITER, several, 0, -1, start, end)
    else:
        value = low.emit(Op.OPERATE, several, -1, low.name(b"in"), start, end)
    low.push((declare if word is not None else declare_assigned, (left, value)))


def _while(low: Writer, node: Node) -> None:
    test = node.child_by_field_name("condition")
    body = _statement(low, node.child_by_field_name("body"))
    asked: list[tuple[Handler, Any]] = [(evaluate, test)] if test is not None else []
    low.open(Op.LOOP, -1, -1, node)
    low.push(*(body + asked if node.type == "do_statement" else asked + body), (close, node))


def _try(low: Writer, node: Node) -> None:
    low.open(Op.BRANCH, -1, Branch.TRY, node)
    work: list[tuple[Handler, Any]] = [(_arm, (Arm.BODY, node))]
    work += _statement(low, node.child_by_field_name("body"))
    handler = node.child_by_field_name("handler")
    if handler is not None:
        work += [(_arm, (Arm.HANDLER, handler)), (_catch, handler)]
    final = node.child_by_field_name("finalizer")
    if final is not None:
        work.append((_arm, (Arm.FINALLY, final)))
        work += _statement(low, final.child_by_field_name("body"))
    low.push(*work, (close, node))


def _catch(low: Writer, node: Node) -> None:
    caught = node.child_by_field_name("parameter")
    low.todo.append((restore, low.renamed))
    if caught is not None:
        rename(low, names_in(caught))
    low.push(*_statement(low, node.child_by_field_name("body")))
    if caught is not None:
        anything = low.emit(Op.CONST, Const.OTHER, -1, -1, *caught.byte_range)
        value = low.emit(Op.NARROW, -1, anything, -1, *caught.byte_range)
        low.push((declare, (caught, value)))


def _switch(low: Writer, node: Node) -> None:
    subject, body = node.child_by_field_name("value"), node.child_by_field_name("body")
    cases = kids(body) if body is not None else []
    outside = low.renamed
    names = [name for case in cases for name in declared_in(case, variables=False)]
    if names:
        rename(low, names)
    asked = [each for each in [subject] if each is not None]
    tests = [value for case in cases if (value := case.child_by_field_name("value")) is not None]
    conditions: list[int] = []
    work: list[tuple[Handler, Any]] = [(low.handlers[each.kind_id], each) for each in asked + tests]
    work.append((_open_switch, (node, tests if asked else [], conditions)))
    for case in cases:
        value = case.child_by_field_name("value")
        work.append((_case, (case, value is not None, conditions)))
        inside = [child for child in kids(case) if value is None or child.id != value.id]
        work += [(low.statements[child.kind_id], child) for child in inside]
    low.push(*work, (close, node), (restore, outside))


def _open_switch(low: Writer, work: tuple[Node, list[Node], list[int]]) -> None:
    """Compare the subject with each case before any arm: what is compared is nearly always fixed."""
    node, tests, conditions = work
    if tests:
        values = low.values[-len(tests) :]
        del low.values[-len(tests) :]
        subject = low.values.pop()
        word = low.name(b"===")
        conditions += [low.emit(Op.OPERATE, subject, value, word, *test.byte_range)
                       for value, test in zip(values, tests, strict=True)]  # fmt: skip
        conditions.reverse()
    low.open(Op.BRANCH, -1, Branch.MATCH, node)


def _case(low: Writer, work: tuple[Node, bool, list[int]]) -> None:
    node, tests, conditions = work
    test = conditions.pop() if tests and conditions else -1
    low.emit(Op.ARM, Arm.THEN if tests else Arm.ELSE, test, -1, *node.byte_range)


def _labeled(low: Writer, node: Node) -> None:
    label = node.child_by_field_name("label")
    after = [] if label is None else [(labelled, label)]
    low.push(*_statement(low, node.child_by_field_name("body")), *after)


STATEMENTS: dict[str, Handler] = {
    "statement_block": _block,
    "expression_statement": _expression,
    "lexical_declaration": _declaration,
    "variable_declaration": _declaration,
    "using_declaration": _declaration,
    "return_statement": _value(Op.RETURN),
    "throw_statement": _value(Op.RAISE),
    "break_statement": _jump(Op.BREAK),
    "continue_statement": _jump(Op.CONTINUE),
    "if_statement": _if,
    "for_statement": _for,
    "for_in_statement": _for_in,
    "while_statement": _while,
    "do_statement": _while,
    "try_statement": _try,
    "switch_statement": _switch,
    "labeled_statement": _labeled,
    "else_clause": _parts,
    "empty_statement": ignored,
    "debugger_statement": ignored,
    "comment": ignored,
    "hash_bang_line": ignored,
}

"""Statements of Python; none leaves a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from grainline.languages.lowering._python_patterns import assign, begin_each
from grainline.languages.lowering.base import Handler, Writer, anything, close, evaluate, kids
from grainline.languages.lowering.common import jump
from grainline.model.ir import BREAKS, Arm, Branch, Op

if TYPE_CHECKING:
    from tree_sitter import Node

DELETES: Final = b"del"
"""The operator of an element, or a member, that is taken out of what it is in."""


def block(low: Writer, node: Node) -> None:
    """Statements in order; what is no statement (in broken code) is evaluated."""
    statements = low.statements
    low.todo += [(statements[child.kind_id], child) for child in reversed(node.named_children)]


def _expression(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 1 or found[0].type != "string":
        evaluate_parts(low, node)


def evaluate_parts(low: Writer, node: Node) -> None:
    """Statements of which only the operands matter."""
    low.push(*((evaluate, child) for child in kids(node)))


def ignored(low: Writer, node: Node) -> None:
    """Statements that do nothing, and comments."""
    del low, node


def _value(code: Op, most: int) -> Handler:
    """`return`, `raise`, `assert`: at most `most` operands."""

    def end(low: Writer, work: tuple[Node, int]) -> None:
        node, given = work
        found = [*[low.values.pop() for _ in range(given)][::-1], -1, -1]
        if code is Op.ASSERT and not given:
            return
        low.emit(code, found[0], found[1] if code is Op.RAISE else -1, -1, *node.byte_range)

    def value(low: Writer, node: Node) -> None:
        found = kids(node)[:most]
        low.todo.append((end, (node, len(found))))
        low.visit_all(found)

    return value


def _delete(low: Writer, node: Node) -> None:
    for child in reversed(kids(node)):
        if child.type == "identifier":
            number, start, end = low.variable(child)
            low.emit(Op.DELETE, number, -1, -1, start, end)
        elif child.type in {"expression_list", "parenthesized_expression", "tuple"}:
            low.push((_delete, child))
        elif child.type in {"subscript", "attribute"}:
            low.push((low.handlers[child.kind_id], child), (_taken_out, child))
        else:
            low.push((evaluate, child))


def _taken_out(low: Writer, node: Node) -> None:
    low.emit(Op.OPERATE, low.values.pop(), -1, low.name(DELETES), *node.byte_range)


def _declare(code: Op) -> Handler:
    def declare(low: Writer, node: Node) -> None:
        for child in kids(node):
            start, end = child.byte_range
            low.emit(code, low.name(low.text[start:end]), -1, -1, start, end)

    return declare


# ------------------------------------------------------------------------------ assignments


def _assignment(low: Writer, node: Node) -> None:
    """Leaves the value that was bound, for chains of assignments."""
    found = kids(node)
    target, rest = found[0], found[1:]
    typed = rest[0] if rest and rest[0].type == "type" else None
    value = rest[-1] if rest and rest[-1] is not typed else None
    low.push((_assigned, (node, target, typed is not None, value is not None)))
    if typed is not None:
        low.visit(typed)
    if value is not None:
        low.visit(value)


def _assigned(low: Writer, work: tuple[Node, Node, bool, bool]) -> None:
    node, target, typed, given = work
    annotation = low.values.pop() if typed else -1
    if not given:
        low.values.append(low.emit(Op.CONST, 5, -1, -1, *node.byte_range))
    value = low.values[-1]
    if typed and target.type == "identifier":
        number, start, end = low.variable(target)
        low.emit(Op.ANNOTATE, number, annotation, -1, start, end)
    elif typed and target.type == "attribute" and len(kids(target)) == 2:
        low.push((_annotate_attribute, (target, annotation, value if given else -1)))
        low.visit(kids(target)[0])
        return
    if given:
        assign(low, (target, value))


def _annotate_attribute(low: Writer, work: tuple[Node, int, int]) -> None:
    target, annotation, value = work
    start, end = kids(target)[1].byte_range
    name = low.name(low.text[start:end])
    owner = low.values.pop()
    low.emit(Op.ANNOTATE, name, annotation, owner, start, end)
    if value >= 0:
        low.emit(Op.SETATTR, owner, name, value, start, end)


def _augmented(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        anything(low, node)
        return
    low.push((_augmented_end, (node, found[0])))
    low.visit_all(found)


def _augmented_end(low: Writer, work: tuple[Node, Node]) -> None:
    node, target = work
    right, left = low.values.pop(), low.values.pop()
    word = next((child for child in node.children if not child.is_named), node)
    start, end = word.byte_range
    operator = low.name(low.text[start:end].removesuffix(b"="))
    value = low.emit(Op.OPERATE, left, right, operator, start, end)
    low.values.append(value)
    assign(low, (target, value))


# ------------------------------------------------------------------------------ control


def _if(low: Writer, node: Node) -> None:
    work: list[tuple[Handler, object]] = []
    opened = 0
    for child in kids(node):
        kind = child.type
        if kind == "block":
            work.append((block, child))
        elif kind == "else_clause":
            work += [(arm, (Arm.ELSE, child)), (blocks, child)]
        else:
            if kind == "elif_clause":
                work.append((arm, (Arm.ELSE, child)))
            test = kids(child) if kind == "elif_clause" else [child]
            work += [(low.handlers[test[0].kind_id], test[0]), (_then, child)]
            work += [(block, part) for part in test[1:]]
            opened += 1
    low.push(*work, *[(close, node)] * opened)


def _then(low: Writer, node: Node) -> None:
    test = low.values.pop()
    low.open(Op.BRANCH, -1, Branch.IF, node)
    low.emit(Op.ARM, Arm.THEN, test, -1, *node.byte_range)


def arm(low: Writer, work: tuple[Arm, Node]) -> None:
    kind, node = work
    low.emit(Op.ARM, kind, -1, -1, *node.byte_range)


def blocks(low: Writer, node: Node) -> None:
    for child in reversed(kids(node)):
        if child.type == "block":
            low.todo.append((block, child))


def _for(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) < 2:
        evaluate_parts(low, node)
        return
    low.push(
        (low.handlers[found[1].kind_id], found[1]),
        (begin_each, (node, found[0], assign)),
        *((block, child) for child in found[2:] if child.type == "block"),
        (close, node),
        *((blocks, child) for child in found[2:] if child.type == "else_clause"),
    )


def _while(low: Writer, node: Node) -> None:
    found = kids(node)
    if not found:
        return
    low.open(Op.LOOP, -1, -1, node, BREAKS)
    low.push(
        (low.handlers[found[0].kind_id], found[0]),
        (_while_test, found[0]),
        *((block, child) for child in found[1:] if child.type == "block"),
        (close, node),
        *((blocks, child) for child in found[1:] if child.type == "else_clause"),
    )


def _while_test(low: Writer, test: Node) -> None:
    """`while test` is a loop that begins with `if not test: break`."""
    span = test.byte_range
    value = low.emit(Op.OPERATE, low.values.pop(), -1, low.name(b"not"), *span)
    low.open(Op.BRANCH, -1, Branch.IF, test)
    low.emit(Op.ARM, Arm.THEN, value, -1, *span)
    low.emit(Op.BREAK, -1, -1, -1, *span)
    close(low, test)


STATEMENTS: dict[str, Handler] = {
    "module": block,
    "block": block,
    "expression_statement": _expression,
    "return_statement": _value(Op.RETURN, 1),
    "raise_statement": _value(Op.RAISE, 2),
    "assert_statement": _value(Op.ASSERT, 1),
    "delete_statement": _delete,
    "print_statement": evaluate_parts,
    "chevron": evaluate_parts,
    "exec_statement": evaluate_parts,
    "pass_statement": ignored,
    "future_import_statement": ignored,
    "break_statement": jump(Op.BREAK),
    "continue_statement": jump(Op.CONTINUE),
    "global_statement": _declare(Op.GLOBAL),
    "nonlocal_statement": _declare(Op.NONLOCAL),
    "if_statement": _if,
    "for_statement": _for,
    "while_statement": _while,
    "comment": ignored,
    "line_continuation": ignored,
}
EXPRESSIONS: dict[str, Handler] = {
    "assignment": _assignment,
    "augmented_assignment": _augmented,
}

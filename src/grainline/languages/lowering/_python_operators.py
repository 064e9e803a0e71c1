"""Operators of Python, and what else takes one or two values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering.base import Handler, Writer, anything, kids
from grainline.model.ir import GENERATOR, OP_WIDTH, Const, Op

if TYPE_CHECKING:
    from tree_sitter import Node


def _either(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) == 3:  # `a if b else c`
        low.push((_choice_end, node))
        low.visit_all([found[1], found[0], found[2]])
    elif len(found) == 2:
        low.push((_either_end, node))
        low.visit_all(found)
    else:
        anything(low, node)


def _either_end(low: Writer, node: Node) -> None:
    """`a or b` is `a if a else b`, `a and b` is `b if a else a`."""
    right, left = low.values.pop(), low.values.pop()
    start, end = node.byte_range
    word = node.child_by_field_name("operator")
    first, second = (right, left) if word is not None and word.type == "and" else (left, right)
    low.values.append(low.emit(Op.EITHER, first, second, left, start, end))


def _choice_end(low: Writer, node: Node) -> None:
    right, left, test = low.values.pop(), low.values.pop(), low.values.pop()
    start, end = node.byte_range
    low.values.append(low.emit(Op.EITHER, left, right, test, start, end))


def _operator(low: Writer, node: Node) -> None:
    """Binary operators and chains of comparisons: operands with operators between them."""
    operands = kids(node)
    words = [child for child in node.children if not child.is_named]
    if len(operands) != len(words) + 1:
        anything(low, node)
        return
    low.todo.append((_operator_end, words))
    low.visit_all(operands)


def _operator_end(low: Writer, words: list[Node]) -> None:
    operands = low.values[-len(words) - 1 :]
    del low.values[-len(words) - 1 :]
    value = operands[0]
    for word, left, right in zip(words, operands, operands[1:], strict=False):
        start, end = word.byte_range
        value = low.emit(Op.OPERATE, left, right, low.name(low.text[start:end]), start, end)
    low.values.append(value)


def _unary(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 1:
        anything(low, node)
        return
    low.todo.append((_unary_end, node))
    low.visit(found[0])


def _unary_end(low: Writer, node: Node) -> None:
    value = low.values.pop()
    word = node.children[0]
    operator = low.text[word.start_byte : word.end_byte]
    at = value * OP_WIDTH
    if operator == b"-" and low.ops[at : at + 2] == [Op.CONST, Const.INT]:
        low.constant(Const.INT, low.text[node.start_byte : node.end_byte], node)
        return
    start, end = word.byte_range
    low.values.append(low.emit(Op.OPERATE, value, -1, low.name(operator), start, end))


def _one(code: Op) -> Handler:
    """An operation on the one child."""

    def end(low: Writer, node: Node) -> None:
        start, stop = node.byte_range
        low.values.append(low.emit(code, low.values.pop(), -1, -1, start, stop))

    def one(low: Writer, node: Node) -> None:
        found = kids(node)
        if len(found) != 1:
            anything(low, node)
            return
        low.todo.append((end, node))
        low.visit(found[0])

    return one


def _yield(low: Writer, node: Node) -> None:
    low.scopes[low.scope][11] |= GENERATOR
    found = kids(node)
    low.todo.append((_yield_end, (node, bool(found))))
    if found:
        low.visit(found[0])


def _yield_end(low: Writer, work: tuple[Node, bool]) -> None:
    node, given = work
    start, end = node.byte_range
    delegates = any(child.type == "from" for child in node.children[1:2])
    value = low.values.pop() if given else -1
    low.values.append(low.emit(Op.YIELD, value, int(delegates), -1, start, end))


def _union(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        anything(low, node)
        return
    low.todo.append((_union_end, node))
    low.visit_all(found)


def _union_end(low: Writer, node: Node) -> None:
    right, left = low.values.pop(), low.values.pop()
    start, end = node.byte_range
    low.values.append(low.emit(Op.OPERATE, left, right, low.name(b"|"), start, end))


EXPRESSIONS: dict[str, Handler] = {
    "union_type": _union,
    "conditional_expression": _either,
    "boolean_operator": _either,
    "binary_operator": _operator,
    "comparison_operator": _operator,
    "unary_operator": _unary,
    "not_operator": _unary,
    "await": _one(Op.AWAIT),
    "yield": _yield,
}

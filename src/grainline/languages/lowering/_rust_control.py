"""Blocks and control flow of Rust, as statements and as values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering._rust_base import Around, label_of, names_of, rust
from grainline.languages.lowering._rust_patterns import bind, condition, tested
from grainline.languages.lowering.base import Handler, Writer, close, evaluate, kids, opaque
from grainline.languages.lowering.blocks import LOAD, STORE, Work, close_block, open_block, unknown
from grainline.model.ir import Arm, Branch, Op

if TYPE_CHECKING:
    from tree_sitter import Node


def hoist(low: Writer, node: Node) -> None:
    """Items of a block are there before they are written."""
    for name in dict.fromkeys(names_of(low, node.named_children)):
        rust(low).fresh(name)


def _statements(low: Writer, node: Node, found: list[Node]) -> Work:
    statements = low.statements
    return [
        (open_block, None),
        (hoist, node),
        *((statements[child.kind_id], child) for child in found),
    ]


def block(low: Writer, node: Node) -> None:
    """A block whose value is forgotten."""
    found = [child for child in kids(node) if child.type != "label"]
    low.push(*_statements(low, node, found), (close_block, None))


def block_value(low: Writer, node: Node) -> None:
    """A block is its last expression."""
    found = [child for child in kids(node) if child.type != "label"]
    tail = found[-1] if found and _is_value(low, found[-1]) else None
    if tail is not None:
        found.pop()
    value = (low.handlers[tail.kind_id], tail) if tail is not None else (opaque, node)
    low.push(*_statements(low, node, found), value, (close_block, None))


def _is_value(low: Writer, node: Node) -> bool:
    """Whether what stands last in a block is its value: no item and no statement is."""
    if node.type == "expression_statement":
        return bool(kids(node)) and not low.text.endswith(b";", 0, node.end_byte)
    return node.type in _CONTROL or low.statements[node.kind_id] is evaluate


_CONTROL = frozenset(
    {"block", "if_expression", "match_expression", "loop_expression", "while_expression",
     "for_expression", "unsafe_block", "async_block", "const_block", "try_block", "gen_block"}
)  # fmt: skip


def statement(low: Writer, node: Node) -> None:
    """An expression as a statement."""
    low.push(*((low.statements[child.kind_id], child) for child in kids(node)))


def _inner_value(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) == 1:
        low.visit(found[0])
    else:
        opaque(low, node)


def _wrapped(low: Writer, node: Node) -> None:
    body = next((child for child in kids(node) if child.type == "block"), None)
    if body is None:
        opaque(low, node)
    else:
        low.visit(body)


# ------------------------------------------------------------------------------ branches

Value = int
"""The number of the variable that takes the value of every arm, -1 when it is forgotten."""


def _temporary(low: Writer) -> Value:
    low.blocks += 1
    return low.name(b"#%d" % low.blocks)


def _take(low: Writer, work: tuple[Node, Value]) -> None:
    node, variable = work
    value = low.values.pop()
    if variable >= 0:
        low.emit(STORE, variable, value, -1, *node.byte_range)


def _give(low: Writer, work: tuple[Node, Value]) -> None:
    node, variable = work
    if variable >= 0:
        low.values.append(low.emit(LOAD, variable, -1, -1, *node.byte_range))


def _arm_value(low: Writer, node: Node, variable: Value) -> Work:
    if variable < 0:
        return [(low.statements[node.kind_id], node)]
    return [(low.handlers[node.kind_id], node), (_take, (node, variable))]


def _as_value(handler: Handler) -> Handler:
    def value(low: Writer, node: Node) -> None:
        variable = _temporary(low)
        low.push((handler, (node, variable)), (_give, (node, variable)))

    return value


def _as_statement(handler: Handler) -> Handler:
    def statement(low: Writer, node: Node) -> None:
        handler(low, (node, -1))

    return statement


def _if(low: Writer, work: tuple[Node, Value]) -> None:
    """Names of `let` are known in the first arm."""
    node, variable = work
    test, then, other = (node.child_by_field_name(name) for name in _IF)
    steps: Work = [(open_block, None)]
    steps.append((tested, test) if test is not None else (_untested, node))
    steps.append((_tested_then, node))
    if then is not None:
        steps += _arm_value(low, then, variable)
    steps.append((close_block, None))
    arms = kids(other) if other is not None else []
    for each in arms[:1]:
        steps.append((_arm, (Arm.ELSE, each)))
        if each.type == "if_expression":
            steps.append((_if, (each, variable)))
        else:
            steps += _arm_value(low, each, variable)
    low.push(*steps, (close, node))


_IF = ("condition", "consequence", "alternative")


def _then(low: Writer, node: Node) -> None:
    low.open(Op.BRANCH, -1, Branch.IF, node)
    low.emit(Op.ARM, Arm.THEN, -1, -1, *node.byte_range)


def _untested(low: Writer, node: Node) -> None:
    del node
    low.values.append(-1)


def _tested_then(low: Writer, node: Node) -> None:
    test = low.values.pop()
    low.open(Op.BRANCH, -1, Branch.IF, node)
    low.emit(Op.ARM, Arm.THEN, test, -1, *node.byte_range)


def _arm(low: Writer, work: tuple[Arm, Node]) -> None:
    kind, node = work
    low.emit(Op.ARM, kind, -1, -1, *node.byte_range)


def _match(low: Writer, work: tuple[Node, Value]) -> None:
    node, variable = work
    subject, body = node.child_by_field_name("value"), node.child_by_field_name("body")
    if subject is None or body is None:
        low.push(*((evaluate, child) for child in kids(node)))
        return
    low.push((low.handlers[subject.kind_id], subject), (_arms, (node, body, variable)))


def _arms(low: Writer, work: tuple[Node, Node, Value]) -> None:
    node, body, variable = work
    subject = low.values.pop()
    found = [each for each in kids(body) if each.type == "match_arm"]
    tests = [_compared(low, each, subject) for each in found]
    low.open(Op.BRANCH, -1, Branch.MATCH, node)
    steps: Work = []
    for each, compared in zip(found, tests, strict=True):
        pattern, value = each.child_by_field_name("pattern"), each.child_by_field_name("value")
        if pattern is None or value is None:
            continue
        test = pattern.child_by_field_name("condition")
        last = each == found[-1] and test is None
        arm = (_arm, (Arm.ELSE, each)) if last else (_compared_arm, (each, compared))
        steps += [(open_block, None), arm, (bind, (pattern, subject))]
        if test is not None:
            steps.append((condition, test))
        steps += [*_arm_value(low, value, variable), (close_block, None)]
    low.push(*steps, (close, node))


def _compared(low: Writer, arm: Node, subject: int) -> int:
    """The test of an arm whose pattern is a text or number, or one of several; -1: another one."""
    pattern = arm.child_by_field_name("pattern")
    waiting = [] if pattern is None else kids(pattern)
    if pattern is None or pattern.child_by_field_name("condition") is not None:
        return -1
    test = -1
    while waiting:
        each = waiting.pop()
        if each.type == "or_pattern":
            waiting += kids(each)
            continue
        if each.type not in ("string_literal", "integer_literal"):
            return -1
        low.handlers[each.kind_id](low, each)
        place = each.byte_range
        found = low.emit(Op.OPERATE, subject, low.values.pop(), low.name(b"=="), *place)
        test = found if test < 0 else low.emit(Op.OPERATE, test, found, low.name(b"||"), *place)
    return test


def _compared_arm(low: Writer, work: tuple[Node, int]) -> None:
    node, test = work
    low.emit(Op.ARM, Arm.THEN, test, -1, *node.byte_range)


# ------------------------------------------------------------------------------ loops


def _loop(low: Writer, node: Node) -> None:
    low.open(Op.LOOP, -1, -1, node)


def _inside(handler: Handler, variable: Value = -1) -> Handler:
    """A loop that is left with the value of a variable."""

    def work(low: Writer, node: Node) -> None:
        rust(low).around.append(Around(label_of(low, node), variable, -1))
        low.push((handler, node), (_outside, None))

    return work


def _outside(low: Writer, _: None) -> None:
    rust(low).around.pop()


def _for(low: Writer, node: Node) -> None:
    pattern, value, body = (node.child_by_field_name(name) for name in _FOR)
    steps: Work = [(open_block, None)]
    if value is not None:
        steps.append((low.handlers[value.kind_id], value))
    steps += [(_loop, node), (_each, (node, pattern, value is not None))]
    if body is not None:
        steps.append((block, body))
    low.push(*steps, (close, node), (close_block, None))


_FOR = ("pattern", "value", "body")


def _each(low: Writer, work: tuple[Node, Node | None, bool]) -> None:
    node, pattern, given = work
    over = low.values.pop() if given else unknown(low, node)
    if pattern is not None:
        bind(low, (pattern, low.emit(Op.ITER, over, 0, -1, *pattern.byte_range)))


def _while(low: Writer, node: Node) -> None:
    test, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    steps: Work = [(open_block, None), (_loop, node)]
    if test is not None:
        steps.append((condition, test))
    if body is not None:
        steps.append((block, body))
    low.push(*steps, (close, node), (close_block, None))


def _valued(handler: Handler) -> Handler:
    """A loop as a value: what it is left with."""

    def value(low: Writer, node: Node) -> None:
        variable = _temporary(low)
        low.push((_inside(handler, variable), node), (_give, (node, variable)))

    return value


def _labelled(low: Writer, node: Node) -> None:
    """A block as a value: its last expression, or what it is left with."""
    label = label_of(low, node)
    if label is None:
        block_value(low, node)
        return
    variable = _temporary(low)
    rust(low).around.append(Around(label, variable, _temporary(low)))
    low.push((block_value, node), (_take, (node, variable)), (_behind, node),
             (_give, (node, variable)))  # fmt: skip


def _block(low: Writer, node: Node) -> None:
    """A block whose value is forgotten."""
    label = label_of(low, node)
    if label is None:
        block(low, node)
        return
    rust(low).around.append(Around(label, -1, _temporary(low)))
    low.push((block, node), (_behind, node))


def _behind(low: Writer, node: Node) -> None:
    """Where a block ends that its label leaves."""
    low.emit(Op.LABEL, rust(low).around.pop().jump, -1, -1, node.end_byte, node.end_byte)


def _let(low: Writer, node: Node) -> None:
    pattern, kind, value, other = (node.child_by_field_name(name) for name in _LET)
    steps: Work = []
    if kind is not None:
        steps.append((low.handlers[kind.kind_id], kind))
    if value is not None:
        steps.append((low.handlers[value.kind_id], value))
    steps.append((_let_end, (pattern, kind is not None, value is not None)))
    if other is not None:
        steps += [(_then, other), (block, other), (close, other)]
    low.push(*steps)


_LET = ("pattern", "type", "value", "alternative")


def _let_end(low: Writer, work: tuple[Node | None, bool, bool]) -> None:
    pattern, typed, given = work
    value = low.values.pop() if given else -1
    kind = low.values.pop() if typed else -1
    if pattern is None:
        return
    start, end = pattern.byte_range
    if kind >= 0 and pattern.type == "identifier":
        number = rust(low).fresh(low.text[start:end])
        low.emit(Op.ANNOTATE, number, kind, -1, start, end)
        if value >= 0:
            low.emit(STORE, number, value, -1, start, end)
        return
    if value < 0:
        value = unknown(low, pattern)
    bind(low, (pattern, value))


EXPRESSIONS: dict[str, Handler] = {
    "block": _labelled,
    "expression_statement": _inner_value,
    "if_expression": _as_value(_if),
    "match_expression": _as_value(_match),
    "for_expression": _valued(_for),
    "while_expression": _valued(_while),
    "loop_expression": _valued(_while),
    **dict.fromkeys(
        ["unsafe_block", "async_block", "const_block", "try_block", "gen_block"], _wrapped
    ),
}
STATEMENTS: dict[str, Handler] = {
    "block": _block,
    "expression_statement": statement,
    "if_expression": _as_statement(_if),
    "match_expression": _as_statement(_match),
    "for_expression": _inside(_for),
    "while_expression": _inside(_while),
    "loop_expression": _inside(_while),
    "let_declaration": _let,
    "empty_statement": lambda low, node: None,
}

"""Control flow of Go: `if`, `for`, `switch`, `select`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering._go_statements import declare, listed, parts, share, targets
from grainline.languages.lowering.base import Handler, Writer, close, drop, evaluate, kids
from grainline.languages.lowering.blocks import (
    GETITEM,
    Work,
    close_block,
    open_block,
    unknown,
)
from grainline.languages.lowering.common import leave_unless, tested_loop
from grainline.model.ir import Arm, Branch, Op

if TYPE_CHECKING:
    from tree_sitter import Node


def _arm(low: Writer, work: tuple[Arm, Node]) -> None:
    kind, node = work
    low.emit(Op.ARM, kind, -1, -1, *node.byte_range)


def _if(low: Writer, node: Node) -> None:
    """An `else if` is an `if` of its own in the other arm."""
    start = node.child_by_field_name("initializer")
    test = node.child_by_field_name("condition")
    then = node.child_by_field_name("consequence")
    other = node.child_by_field_name("alternative")
    work: Work = [(open_block, None)]
    if start is not None:
        work.append((low.statements[start.kind_id], start))
    if test is not None:
        work.append((low.handlers[test.kind_id], test))
    work.append((_then, (node, test is not None)))
    if then is not None:
        work.append((low.statements[then.kind_id], then))
    if other is not None:
        work += [(_arm, (Arm.ELSE, other)), (low.statements[other.kind_id], other)]
    low.push(*work, (close, node), (close_block, None))


def _then(low: Writer, work: tuple[Node, bool]) -> None:
    node, given = work
    test = low.values.pop() if given else -1
    low.open(Op.BRANCH, -1, Branch.IF, node)
    low.emit(Op.ARM, Arm.THEN, test, -1, *node.byte_range)


# ------------------------------------------------------------------------------ loops


def _for(low: Writer, node: Node) -> None:
    body = node.child_by_field_name("body")
    head = next((child for child in kids(node) if child is not body and child != body), None)
    work: Work = [(open_block, None)]
    after: Work = []
    if head is None:
        work.append((tested_loop, node))
    elif head.type == "range_clause":
        right = head.child_by_field_name("right")
        if right is not None:
            work.append((low.handlers[right.kind_id], right))
        work += [(_loop, node), (_range, (head, right is not None))]
    elif head.type == "for_clause":
        first, test, step = (head.child_by_field_name(name) for name in _CLAUSE)
        if first is not None:
            work.append((low.statements[first.kind_id], first))
        work.append((tested_loop, node))
        if test is not None:
            work += [(low.handlers[test.kind_id], test), (leave_unless, test)]
        if step is not None:
            after.append((low.statements[step.kind_id], step))
    else:
        work += [(tested_loop, node), (low.handlers[head.kind_id], head), (leave_unless, head)]
    if body is not None:
        work.append((low.statements[body.kind_id], body))
    low.push(*work, *after, (close, node), (close_block, None))


_CLAUSE = ("initializer", "condition", "update")


def _loop(low: Writer, node: Node) -> None:
    low.open(Op.LOOP, -1, -1, node)


def _range(low: Writer, work: tuple[Node, bool]) -> None:
    """The first variable is a key (an element of a channel), the second an element."""
    head, given = work
    over = low.values.pop() if given else unknown(low, head)
    names = listed(head.child_by_field_name("left"))
    values: list[int] = []
    for at, name in enumerate(names[:2]):
        start, end = name.byte_range
        if at:
            values.append(low.emit(GETITEM, over, unknown(low, name), -1, start, end))
        else:
            values.append(low.emit(Op.ITER, over, 0, -1, start, end))
    if any(child.type == ":=" for child in head.children):
        for name, value in zip(names, values, strict=False):
            declare(low, name, value)
    else:
        targets(low, names[:2], values)


# ------------------------------------------------------------------------------ switches


def _switch(low: Writer, node: Node) -> None:
    start, value = node.child_by_field_name("initializer"), node.child_by_field_name("value")
    work: Work = [(open_block, None)]
    if start is not None:
        work.append((low.statements[start.kind_id], start))
    tests: list[int] = []
    cases = [case for case in kids(node) if case.type == "expression_case"]
    if value is not None:
        work.append((low.handlers[value.kind_id], value))
    work += [(_tests, (case, tests, value is not None)) for case in cases]
    if value is not None:
        work.append((drop, None))
    low.push(*work, (_ways, (node, cases, tests)), (close_block, None))


def _tests(low: Writer, work: tuple[Node, list[int], bool]) -> None:
    """Whether the last value is one of those of a case, or a case without a value to compare holds."""
    case, tests, given = work
    subject = low.values[-1] if given else -1
    tests.append(-1)
    values = [each for child in kids(case)[:1] for each in listed(child)]
    for each in reversed(values):
        low.push((low.handlers[each.kind_id], each), (_test, (each, tests, subject)))


def _test(low: Writer, work: tuple[Node, list[int], int]) -> None:
    node, tests, subject = work
    test = low.values.pop()
    if subject >= 0:
        test = low.emit(Op.OPERATE, subject, test, low.name(b"=="), *node.byte_range)
    if tests[-1] >= 0:
        test = low.emit(Op.OPERATE, tests[-1], test, low.name(b"||"), *node.byte_range)
    tests[-1] = test


def _ways(low: Writer, work: tuple[Node, list[Node], list[int]]) -> None:
    """The cases; what none of them is comes last, wherever it stands."""
    node, cases, tests = work
    low.open(Op.BRANCH, -1, Branch.MATCH, node)
    steps: Work = []
    for case, test in zip(cases, tests, strict=True):
        steps += [(open_block, None), (_tested_arm, (case, test))]
        steps += [(low.statements[child.kind_id], child) for child in kids(case)[1:]]
        steps.append((close_block, None))
    for case in kids(node):
        if case.type == "default_case":
            steps += [(open_block, None), (_arm, (Arm.ELSE, case)), (_case, case)]
            steps.append((close_block, None))
    low.push(*steps, (close, node))


def _tested_arm(low: Writer, work: tuple[Node, int]) -> None:
    case, test = work
    low.emit(Op.ARM, Arm.THEN, test, -1, *case.byte_range)


def _cases(low: Writer, node: Node) -> None:
    low.open(Op.BRANCH, -1, Branch.MATCH, node)
    work: Work = []
    for case in kids(node):
        if case.type in ("expression_case", "default_case", "communication_case"):
            work += [(open_block, None), (_arm, (_kind(case), case)), (_case, case)]
            work.append((close_block, None))
    low.push(*work, (close, node))


def _kind(case: Node) -> Arm:
    return Arm.ELSE if case.type == "default_case" else Arm.THEN


def _case(low: Writer, case: Node) -> None:
    """Values, what is sent or received, then the statements."""
    work: Work = []
    for child in kids(case):
        if child.type == "expression_list":
            work += [(evaluate, each) for each in kids(child)]
        else:
            work.append((low.statements[child.kind_id], child))
    low.push(*work)


def _receive(low: Writer, node: Node) -> None:
    left, right = (node.child_by_field_name(name) for name in ("left", "right"))
    if right is None:
        return
    low.push((low.handlers[right.kind_id], right), (_received, (node, listed(left), right)))


def _received(low: Writer, work: tuple[Node, list[Node], Node]) -> None:
    node, left, right = work
    values = share(low, [right], len(left), node)
    if any(child.type == ":=" for child in node.children):
        for name, value in zip(left, values, strict=True):
            declare(low, name, value)
    else:
        targets(low, left, values)


def _type_switch(low: Writer, node: Node) -> None:
    start, value = node.child_by_field_name("initializer"), node.child_by_field_name("value")
    alias = listed(node.child_by_field_name("alias"))
    work: Work = [(open_block, None)]
    if start is not None:
        work.append((low.statements[start.kind_id], start))
    if value is not None:
        work.append((low.handlers[value.kind_id], value))
    low.push(*work, (_type_cases, (node, alias, value is not None)), (close_block, None))


def _type_cases(low: Writer, work: tuple[Node, list[Node], bool]) -> None:
    node, alias, given = work
    subject = low.values.pop() if given else unknown(low, node)
    low.open(Op.BRANCH, -1, Branch.MATCH, node)
    steps: Work = []
    for case in kids(node):
        if case.type not in ("type_case", "default_case"):
            continue
        kinds = [kind for kind in case.children_by_field_name("type") if kind.is_named]
        steps += [(open_block, None), (_arm, (_kind(case), case))]
        steps += [(low.handlers[kind.kind_id], kind) for kind in kinds]
        steps.append((_type_case, (alias, subject, len(kinds))))
        steps += [(parts, child) for child in kids(case) if child.type == "statement_list"]
        steps.append((close_block, None))
    low.push(*steps, (close, node))


def _type_case(low: Writer, work: tuple[list[Node], int, int]) -> None:
    """With one type the variable has it, else that of the subject."""
    alias, subject, count = work
    kinds = [low.values.pop() for _ in range(count)]
    for name in alias[:1]:
        value = subject
        if len(kinds) == 1:
            value = low.emit(Op.NARROW, subject, kinds[0], -1, *name.byte_range)
        declare(low, name, value)


STATEMENTS: dict[str, Handler] = {
    "if_statement": _if,
    "for_statement": _for,
    "expression_switch_statement": _switch,
    "select_statement": _cases,
    "type_switch_statement": _type_switch,
    "receive_statement": _receive,
    # outside of their statements these stand in broken code only
    **dict.fromkeys(["expression_case", "default_case", "type_case", "communication_case"], parts),
}

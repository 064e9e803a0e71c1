"""Statements of Python with several blocks: `try`, `with`, `match`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering._python_patterns import assign, match_pattern
from grainline.languages.lowering._python_statements import arm, block, blocks, evaluate_parts
from grainline.languages.lowering.base import Handler, Writer, close, kids
from grainline.model.ir import Arm, Branch, Op

if TYPE_CHECKING:
    from tree_sitter import Node


_ARMS = {
    "except_clause": Arm.HANDLER,
    "except_group_clause": Arm.HANDLER,
    "else_clause": Arm.AFTER,
    "finally_clause": Arm.FINALLY,
}


def _try(low: Writer, node: Node) -> None:
    low.open(Op.BRANCH, -1, Branch.TRY, node)
    work: list[tuple[Handler, object]] = []
    for child in kids(node):
        way = _ARMS.get(child.type, Arm.BODY)
        work.append((arm, (way, child)))
        if way is Arm.BODY:
            work.append((low.statements[child.kind_id], child))
        elif way is Arm.HANDLER:
            work += [(_except, child), (blocks, child)]
        else:
            work.append((blocks, child))
    low.push(*work, (close, node))


def _except(low: Writer, node: Node) -> None:
    for child in kids(node)[:1]:
        if child.type == "block":
            return
        found = kids(child) if child.type == "as_pattern" else [child]
        target = found[1] if len(found) == 2 else None
        low.push((low.handlers[found[0].kind_id], found[0]), (_caught, target))


def _caught(low: Writer, target: Node | None) -> None:
    kind = low.values.pop()
    if target is not None:
        start, end = target.byte_range
        assign(low, (target, low.emit(Op.NARROW, -1, kind, -1, start, end)))


def _with(low: Writer, node: Node) -> None:
    work: list[tuple[Handler, object]] = []
    bodies: list[tuple[Handler, object]] = []
    open_ = list(reversed(kids(node)))
    while open_:
        child = open_.pop()
        kind = child.type
        if kind == "with_clause":
            open_ += reversed(kids(child))
        elif kind == "block":
            bodies.append((block, child))
        else:
            held = kids(child)[0] if kind == "with_item" and kids(child) else child
            found = kids(held) if held.type == "as_pattern" else [held]
            target = found[1] if len(found) == 2 else None
            work += [(low.handlers[found[0].kind_id], found[0]), (_entered, (node, held, target))]
    low.push(*work, (_with_body, node), *bodies, (close, node))


def _entered(low: Writer, work: tuple[Node, Node, Node | None]) -> None:
    statement, held, target = work
    asynchronous = int(statement.children[0].type == "async")
    value = low.emit(Op.ENTER, low.values.pop(), asynchronous, -1, *held.byte_range)
    if target is not None:
        assign(low, (target, value))


def _with_body(low: Writer, node: Node) -> None:
    low.open(Op.BRANCH, -1, Branch.WITH, node)
    low.emit(Op.ARM, Arm.BODY, -1, -1, *node.byte_range)


def _match(low: Writer, node: Node) -> None:
    found = kids(node)
    subjects = [child for child in found if child.type not in {"block", "case_clause"}]
    bodies = [child for child in found if child.type == "block"]
    cases = [child for child in found if child.type == "case_clause"]
    for body in bodies:
        cases += [child for child in kids(body) if child.type == "case_clause"]
    if len(subjects) != 1:
        evaluate_parts(low, node)
        return
    low.push((low.handlers[subjects[0].kind_id], subjects[0]), (_tests, (node, cases)))


def _tests(low: Writer, work: tuple[Node, list[Node]]) -> None:
    """What decides a case of literals is evaluated before all cases."""
    node, cases = work
    subject = low.values.pop()
    tests: dict[int, int] = {}
    steps: list[tuple[Handler, object]] = []
    for number, case in enumerate(cases):
        literals = _literals(case)
        steps += [(low.handlers[each.kind_id], each) for each in literals]
        if literals:
            steps.append((_test_end, (tests, number, literals, subject)))
    low.push(*steps, (_cases, (node, cases, subject, tests)))


_LITERALS = frozenset(("string", "integer", "none", "true", "false"))


def _literals(case: Node) -> list[Node]:
    """The literals that a case is one of; none where it is anything else."""
    patterns = kids(case)
    if not patterns or patterns[0].type != "case_pattern" or len(patterns) != 2:
        return []
    found = _alternatives(patterns[0])
    return found if all(each.type in _LITERALS for each in found) else []


def _alternatives(pattern: Node) -> list[Node]:
    """What a pattern is one of: without the name it is given, and the parentheses around it."""
    found: list[Node] = []
    waiting = [pattern]
    while waiting:
        each = waiting.pop()
        within = kids(each)
        grouped = each.type == "tuple_pattern" and not any(c.type == "," for c in each.children)
        if each.type == "union_pattern":
            waiting += reversed(within)
        elif (each.type in {"case_pattern", "as_pattern"} or grouped) and within:
            waiting.append(within[0])
        else:
            found.append(each)
    return found


def _test_end(low: Writer, work: tuple[dict[int, int], int, list[Node], int]) -> None:
    tests, number, literals, subject = work
    values = [low.values.pop() for _ in literals][::-1]
    for literal, value in zip(literals, values, strict=True):
        span = literal.byte_range
        same = low.emit(Op.OPERATE, subject, value, low.name(b"=="), *span)
        before = tests.get(number)
        if before is not None:
            same = low.emit(Op.OPERATE, before, same, low.name(b"or"), *span)
        tests[number] = same


def _cases(low: Writer, work: tuple[Node, list[Node], int, dict[int, int]]) -> None:
    node, cases, subject, tests = work
    low.open(Op.BRANCH, -1, Branch.MATCH, node)
    steps: list[tuple[Handler, object]] = []
    for number, case in enumerate(cases):
        steps.append((_case, (case, tests.get(number, -1))))
        for child in kids(case):
            if child.type == "if_clause":
                steps += [(low.handlers[each.kind_id], each) for each in kids(child)[:1]]
                steps.append((_holds, child))
            elif child.type == "block":
                steps.append((low.statements[child.kind_id], child))
            else:
                steps.append((match_pattern, (child, subject)))
    low.push(*steps, (close, node))


def _holds(low: Writer, node: Node) -> None:
    """What is asked behind a pattern holds in its case."""
    low.emit(Op.ASSERT, low.values.pop(), -1, -1, *node.byte_range)


def _case(low: Writer, work: tuple[Node, int]) -> None:
    case, test = work
    pattern = kids(case)
    anything_else = len(pattern) == 2 and pattern[0].type == "case_pattern" and not kids(pattern[0])
    kind = Arm.ELSE if anything_else else Arm.THEN
    low.emit(Op.ARM, kind, test, -1, *case.byte_range)


STATEMENTS: dict[str, Handler] = {
    "try_statement": _try,
    "with_statement": _with,
    "match_statement": _match,
    # outside of their statements these stand in broken code only
    **dict.fromkeys([*_ARMS, "elif_clause", "case_clause"], blocks),
}

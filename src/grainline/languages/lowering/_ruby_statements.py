"""Branches, loops and jumps of Ruby: all of them have values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering._ruby_expressions import assign
from grainline.languages.lowering._ruby_names import (
    LEFT,
    LOAD,
    Work,
    either_end,
    kids,
    sequence,
    unknown,
    value_of,
)
from grainline.languages.lowering._ruby_patterns import asked, matched
from grainline.languages.lowering.base import Handler, Writer, anything, close, drop, opaque
from grainline.languages.lowering.common import then
from grainline.model.ir import OP_WIDTH, Arm, Branch, Make, Op, Port, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node


def _block(low: Writer, node: Node) -> None:
    """Some expressions, the last of which is the value; with what rescues them."""
    found = kids(node)
    if any(child.type in _PARTS for child in found):
        _try(low, node, found)
    else:
        low.push(*sequence(low, found, node))


_PARTS = frozenset({"rescue", "ensure", "else"})


def _try(low: Writer, node: Node, found: list[Node]) -> None:
    inside = [child for child in found if child.type not in _PARTS]
    work: Work = [(_branch, (Branch.TRY, node)), (_arm, (Arm.BODY, node)),
                  *sequence(low, inside, node)]  # fmt: skip
    values = 1
    for child in found:
        body = child.child_by_field_name("body")
        nodes = [body] if body is not None else kids(child) if child.type != "rescue" else []
        if child.type == "rescue":
            work += [(_arm, (Arm.HANDLER, child)), *_caught(low, child)]
            work += sequence(low, nodes, child)
            values += 1
        elif child.type == "else":
            work += [(_arm, (Arm.AFTER, child)), *sequence(low, nodes, child)]
            values += 1
        elif child.type == "ensure":
            work += [(_arm, (Arm.FINALLY, child)), *sequence(low, nodes, child), (drop, None)]
    low.push(*work, (close, node), *[(either_end, node)] * (values - 1))


def _caught(low: Writer, node: Node) -> Work:
    listed, name = node.child_by_field_name("exceptions"), node.child_by_field_name("variable")
    kinds = kids(listed) if listed is not None else []
    work: Work = [value_of(low, each) for each in kinds]
    target = kids(name)[0] if name is not None and kids(name) else None
    return [*work, (_bound, (node, len(kinds), target))]


def _bound(low: Writer, work: tuple[Node, int, Node | None]) -> None:
    node, count, target = work
    found = low.values[len(low.values) - count :]
    del low.values[len(low.values) - count :]
    if target is None:
        return
    if not found:
        found, count = [unknown(low, target)], 1
    first, number = low.write_ports((int(Port.POSITIONAL), -1, value) for value in found)
    start, end = target.byte_range
    kinds = found[0] if count == 1 else low.emit(Op.MAKE, Make.TUPLE, first, number, start, end)
    assign(low, (target, low.emit(Op.NARROW, -1, kinds, -1, start, end)))
    del node


def _arm(low: Writer, work: tuple[Arm, Node]) -> None:
    kind, node = work
    low.emit(Op.ARM, kind, -1, -1, *node.byte_range)


def _branch(low: Writer, work: tuple[Branch, Node]) -> None:
    kind, node = work
    low.open(Op.BRANCH, -1, kind, node)


def _otherwise(low: Writer, node: Node) -> None:
    """A way that is taken when the last value does not hold."""
    place = node.byte_range
    test = low.emit(Op.OPERATE, low.values.pop(), -1, low.name(b"!"), *place)
    low.open(Op.BRANCH, -1, Branch.IF, node)
    low.emit(Op.ARM, Arm.THEN, test, -1, *place)


def _if(low: Writer, node: Node) -> None:
    condition = node.child_by_field_name("condition")
    body = node.child_by_field_name("consequence") or node.child_by_field_name("body")
    other = node.child_by_field_name("alternative")
    if condition is None:
        anything(low, node)
        return
    way = _otherwise if node.type.startswith("unless") else then
    work: Work = [value_of(low, condition), (way, node)]
    work += sequence(low, [body] if body is not None else [], node)
    work.append((_arm, (Arm.ELSE, node)))
    work += sequence(low, [other] if other is not None else [], node)
    low.push(*work, (close, node), (either_end, node))


def _case(low: Writer, node: Node) -> None:
    value = node.child_by_field_name("value")
    if value is None:
        low.values.append(-1)
        low.push((_cases, node))
    else:
        low.push(value_of(low, value), (_cases, node))


def _cases(low: Writer, node: Node) -> None:
    """What the arms compare with is evaluated first, for all of them."""
    subject = low.values.pop()
    work: Work = []
    count = 0
    for each in kids(node):
        if each.type == "when":
            patterns = each.children_by_field_name("pattern")
            work += [value_of(low, pattern) for pattern in patterns]
            work.append((_when, (each, subject, len(patterns))))
            count += 1
        elif each.type == "in_clause":
            found = each.child_by_field_name("pattern")
            work.append((asked, (each if found is None else found, subject)))
            count += 1
    low.push(*work, (_arms, (node, subject, count)))


def _arms(low: Writer, given: tuple[Node, int, int]) -> None:
    node, subject, count = given
    tests = iter(low.values[len(low.values) - count :])
    del low.values[len(low.values) - count :]
    low.open(Op.BRANCH, -1, Branch.MATCH, node)
    work: Work = []
    values = 0
    for each in kids(node):
        if each.type == "when":
            body = each.child_by_field_name("body")
            work.append((_tested, (each, next(tests))))
            work += sequence(low, [body] if body is not None else [], each)
        elif each.type == "in_clause":
            work += _in(low, each, subject, next(tests))
        elif each.type == "else":
            work += [(_arm, (Arm.ELSE, each)), *sequence(low, kids(each), each)]
        else:
            continue
        values += 1
    if not values:
        work.append((opaque, node))
    low.push(*work, (close, node), *[(either_end, node)] * (values - 1))


def _when(low: Writer, work: tuple[Node, int, int]) -> None:
    """The test of an arm of `case`; one with one class says what the subject is."""
    node, subject, count = work
    found = low.values[len(low.values) - count :]
    del low.values[len(low.values) - count :]
    test = -1
    loaded = subject >= 0 and low.ops[subject * OP_WIDTH] == LOAD
    if loaded and count == 1 and low.ops[found[0] * OP_WIDTH] == LOAD:
        test = low.emit(Op.OPERATE, subject, found[0], low.name(b"is_a?"), *node.byte_range)
    elif subject >= 0:
        for pattern in found:
            place = node.byte_range
            each = low.emit(Op.OPERATE, pattern, subject, low.name(b"==="), *place)
            test = each if test < 0 else low.emit(Op.OPERATE, test, each, low.name(b"||"), *place)
    low.values.append(test)


def _tested(low: Writer, work: tuple[Node, int]) -> None:
    node, test = work
    low.emit(Op.ARM, Arm.THEN, test, -1, *node.byte_range)


def _in(low: Writer, node: Node, subject: int, test: int) -> Work:
    pattern, body = node.child_by_field_name("pattern"), node.child_by_field_name("body")
    guard = node.child_by_field_name("guard")
    work: Work = [(_tested, (node, test))]
    if pattern is not None:
        work.append((matched, (pattern, subject)))
    for each in kids(guard) if guard is not None else ():
        work += [value_of(low, each), (drop, None)]
    return [*work, *sequence(low, [body] if body is not None else [], node)]


def _match(low: Writer, node: Node) -> None:
    """`x => pattern`, `x in pattern`."""
    value, pattern = node.child_by_field_name("value"), node.child_by_field_name("pattern")
    if value is None or pattern is None:
        anything(low, node)
    else:
        low.push(value_of(low, value), (_match_end, pattern))


def _match_end(low: Writer, pattern: Node) -> None:
    """Its value is what it asks, where it asks; else what it is about."""
    value = low.values.pop()
    low.push((matched, (pattern, value)), (asked, (pattern, value)), (_asked_end, value))


def _asked_end(low: Writer, value: int) -> None:
    if low.values[-1] < 0:
        low.values[-1] = value


def _while(low: Writer, node: Node) -> None:
    condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    work: Work = [(_loop, node)]
    for each in (condition, body):
        if each is not None:
            work += [value_of(low, each), (drop, None)]
    low.push(*work, (close, node), (opaque, node))


def _loop(low: Writer, node: Node) -> None:
    low.open(Op.LOOP, -1, -1, node)


def _for(low: Writer, node: Node) -> None:
    target, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
    body = node.child_by_field_name("body")
    inside = kids(value) if value is not None and value.type == "in" else []
    if target is None or not inside:
        anything(low, node)
        return
    work: Work = [] if body is None else [value_of(low, body), (drop, None)]
    low.push(value_of(low, inside[0]), (_loop, node), (_element, target), *work, (close, node),
             (opaque, node))  # fmt: skip


def _element(low: Writer, target: Node) -> None:
    item = low.emit(Op.ITER, low.values.pop(), 0, -1, *target.byte_range)
    assign(low, (target, item))


def _jump(low: Writer, node: Node) -> None:
    """`return`, `next`, `break`: what they give."""
    found = kids(node)
    given = kids(found[0]) if found and found[0].type == "argument_list" else found
    work = [value_of(low, each) for each in given]
    low.push(*work, (_jumped, (node, len(given))))


def _jumped(low: Writer, work: tuple[Node, int]) -> None:
    node, count = work
    found = low.values[len(low.values) - count :]
    del low.values[len(low.values) - count :]
    place = node.byte_range
    value = found[0] if found else -1
    if count > 1:
        ports = [(int(Port.POSITIONAL), -1, each) for each in found]
        value = low.emit(Op.MAKE, Make.LIST, *low.write_ports(ports), *place)
    function = low.scopes[low.scope][0] == ScopeKind.FUNCTION
    block = low.scopes[low.scope][0] == ScopeKind.LAMBDA
    inside = any(low.ops[begin * OP_WIDTH] == Op.LOOP for begin in low.regions)
    if node.type == "break" and block and not inside and value >= 0:
        low.emit(Op.NONLOCAL, low.name(LEFT), -1, -1, *place)
        low.emit(Op.STORE, low.name(LEFT), value, -1, *place)
        low.emit(Op.RETURN, value, -1, -1, *place)
    elif (node.type == "return" and function) or (node.type == "next" and block and not inside):
        low.emit(Op.RETURN, value, -1, -1, *place)
    elif inside:
        low.emit(Op.BREAK if node.type == "break" else Op.CONTINUE, -1, -1, -1, *place)
    elif node.type == "return":
        low.emit(Op.RETURN, -1, -1, -1, *place)
    low.values.append(unknown(low, node))


def _rescued(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        anything(low, node)
    else:
        low.push(value_of(low, found[0]), value_of(low, found[1]), (either_end, node))


def _last(low: Writer, node: Node) -> None:
    low.push(*sequence(low, kids(node), node))


EXPRESSIONS: dict[str, Handler] = {
    "program": _block,
    "body_statement": _block,
    "block_body": _block,
    "begin": _block,
    "begin_block": _last,
    "end_block": _last,
    "then": _last,
    "else": _last,
    "do": _last,
    "pattern": _last,
    "parenthesized_statements": _last,
    "if": _if,
    "unless": _if,
    "elsif": _if,
    "if_modifier": _if,
    "unless_modifier": _if,
    "conditional": _if,
    "while": _while,
    "until": _while,
    "while_modifier": _while,
    "until_modifier": _while,
    "for": _for,
    "case": _case,
    "case_match": _case,
    "match_pattern": _match,
    "test_pattern": _match,
    "return": _jump,
    "next": _jump,
    "break": _jump,
    "rescue_modifier": _rescued,
    "exceptions": _last,
}

"""Statements of Go; none leaves a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering.base import Handler, Writer, close, evaluate, kids
from grainline.languages.lowering.blocks import (
    CALL,
    LOAD,
    MAKE,
    POSITIONAL,
    STORE,
    assigned,
    close_block,
    machine,
    open_block,
    unknown,
)
from grainline.languages.lowering.common import jump, labelled
from grainline.model.ir import OP_WIDTH, Arm, Branch, Const, Make, Op

if TYPE_CHECKING:
    from tree_sitter import Node


def parts(low: Writer, node: Node) -> None:
    """Statements in order; what is no statement (in broken code) is evaluated."""
    statements = low.statements
    low.todo += [(statements[child.kind_id], child) for child in reversed(node.named_children)]


def block(low: Writer, node: Node) -> None:
    """Statements whose names end with them."""
    low.push((open_block, None), (parts, node), (close_block, None))


def ignored(low: Writer, node: Node) -> None:
    """Statements that do nothing, and comments."""
    del low, node


def _labeled(low: Writer, node: Node) -> None:
    """It is gone to its begin by `goto`, to its end by `break`."""
    label, *found = kids(node)
    low.push((_begins, label), *((low.statements[c.kind_id], c) for c in found), (labelled, label))


def _begins(low: Writer, label: Node) -> None:
    low.emit(Op.LABEL, low.name(machine(low).raw(label)), -1, -1, *label.byte_range)


def _goto(low: Writer, node: Node) -> None:
    for label in kids(node):
        low.emit(Op.JUMP, low.name(machine(low).raw(label)), -1, -1, *node.byte_range)


# ------------------------------------------------------------------------------ assignments


def share(low: Writer, nodes: list[Node], count: int, node: Node) -> list[int]:
    """The last values, one for each of `count` targets; -1 where nothing is known of one."""
    first = len(low.values) - len(nodes)
    values = low.values[first:]
    del low.values[first:]
    if len(values) == 1 < count:
        start, end = node.byte_range
        if nodes[0].type == "index_expression" and count == 2:
            there = low.emit(Op.OPERATE, values[0], -1, low.name(b"found"), start, end)
            return [values[0], there]
        if nodes[0].type != "call_expression":
            return [values[0], *[-1] * (count - 1)]
        return [low.emit(Op.ELEMENT, values[0], at, count, start, end) for at in range(count)]
    return [*values, *[-1] * (count - len(values))][:count]


def listed(node: Node | None) -> list[Node]:
    """The expressions of a list; an expression alone is one too."""
    if node is None:
        return []
    return kids(node) if node.type == "expression_list" else [node]


def _short(low: Writer, node: Node) -> None:
    left = listed(node.child_by_field_name("left"))
    right = listed(node.child_by_field_name("right"))
    low.todo.append((_short_end, (node, left, right)))
    low.visit_all(right)


def _short_end(low: Writer, work: tuple[Node, list[Node], list[Node]]) -> None:
    node, left, right = work
    for name, value in zip(left, share(low, right, len(left), node), strict=True):
        declare(low, name, value)


def declare(low: Writer, name: Node, value: int) -> None:
    """A new variable, or the one that this block has already; `value` -1: nothing is known of it."""
    start, end = name.byte_range
    raw = low.text[start:end]
    if name.type != "identifier" or raw == b"_":
        return
    state = machine(low)
    again = state.locals.in_block(raw)
    number = low.name(state.locals.find(raw)) if again else state.fresh(raw)
    if value < 0:
        value = unknown(low, name)
    low.emit(STORE, number, value, -1, start, end)


def _assignment(low: Writer, node: Node) -> None:
    left = listed(node.child_by_field_name("left"))
    right = listed(node.child_by_field_name("right"))
    word = node.child_by_field_name("operator")
    if word is not None and word.type != "=":
        if len(left) == len(right) == 1:
            low.todo.append((_changed, (node, left[0], word.type.encode()[:-1])))
            low.visit_all([*left, *right])
        else:
            low.push(*((evaluate, each) for each in (*left, *right)))
        return
    low.todo.append((_assignment_end, (node, left, right)))
    low.visit_all(right)


def _changed(low: Writer, work: tuple[Node, Node, bytes]) -> None:
    """The target gets what an operator makes of it and the last value."""
    node, target, word = work
    right, left = low.values.pop(), low.values.pop()
    value = low.emit(Op.OPERATE, left, right, low.name(word), *node.byte_range)
    targets(low, [target], [value])


def _counted(low: Writer, node: Node) -> None:
    """`x++`, `x--`."""
    found = kids(node)
    word = b"+" if node.type == "inc_statement" else b"-"
    if len(found) == 1:
        low.push(
            (low.handlers[found[0].kind_id], found[0]),
            (_one, node),
            (_changed, (node, found[0], word)),
        )


def _one(low: Writer, node: Node) -> None:
    low.constant(Const.INT, b"1", node)


def _assignment_end(low: Writer, work: tuple[Node, list[Node], list[Node]]) -> None:
    node, left, right = work
    targets(low, left, share(low, right, len(left), node))


def targets(low: Writer, left: list[Node], values: list[int]) -> None:
    """Every target takes its value."""
    low.push(*((_assign, (target, value)) for target, value in zip(left, values, strict=True)))


def _assign(low: Writer, work: tuple[Node, int]) -> None:
    target, value = work
    kind, found = target.type, kids(target)
    if kind == "identifier":
        start, end = target.byte_range
        number = assigned(low, low.text[start:end], start, end)
        if number >= 0 and value >= 0:
            low.emit(STORE, number, value, -1, start, end)
    elif kind == "parenthesized_expression" and len(found) == 1:
        low.push((_assign, (found[0], value)))
    elif value < 0 or len(found) != (1 if kind == "unary_expression" else 2):
        evaluate(low, target)
    elif kind == "selector_expression":
        low.push((low.handlers[found[0].kind_id], found[0]), (_set_attribute, (found[1], value)))
    elif kind == "index_expression":
        low.todo.append((_set_item, (target, value)))
        low.visit_all(found)
    elif low.text.startswith(b"*", target.start_byte):
        low.push((low.handlers[found[0].kind_id], found[0]), (_set_pointed, (target, value)))
    else:
        evaluate(low, target)


def _set_attribute(low: Writer, work: tuple[Node, int]) -> None:
    name, value = work
    start, end = name.byte_range
    low.emit(Op.SETATTR, low.values.pop(), low.name(low.text[start:end]), value, start, end)


def _set_pointed(low: Writer, work: tuple[Node, int]) -> None:
    """`*p = x`: something in what it points to."""
    target, value = work
    key = unknown(low, target)
    low.emit(Op.SETITEM, low.values.pop(), key, value, *target.byte_range)


def _set_item(low: Writer, work: tuple[Node, int]) -> None:
    target, value = work
    key = low.values.pop()
    low.emit(Op.SETITEM, low.values.pop(), key, value, *target.byte_range)


def _send(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        low.push(*((evaluate, each) for each in found))
        return
    low.todo.append((_send_end, node))
    low.visit_all(found)


def _send_end(low: Writer, node: Node) -> None:
    value = low.values.pop()
    low.emit(Op.SETITEM, low.values.pop(), unknown(low, node), value, *node.byte_range)


# ------------------------------------------------------------------------------ results


def _return(low: Writer, node: Node) -> None:
    found = kids(node)
    values = [part for each in found for part in listed(each)]
    low.todo.append((_return_end, (node, len(values))))
    low.visit_all(values)


def _return_end(low: Writer, work: tuple[Node, int]) -> None:
    node, count = work
    start, end = node.byte_range
    named = machine(low).results
    if named and machine(low).finals:
        _set_results(low, node, count)
        count = 0
    if not count:
        values = [low.emit(LOAD, number, -1, -1, start, end) for number in named]
    else:
        values = low.values[-count:]
        del low.values[-count:]
    value = values[0] if values else -1
    if len(values) > 1:
        first, n_ports = low.write_ports([(POSITIONAL, -1, each) for each in values])
        value = low.emit(MAKE, Make.TUPLE, first, n_ports, start, end)
    low.emit(Op.RETURN, value, -1, -1, start, end)


def _set_results(low: Writer, node: Node, count: int) -> None:
    """Named results get what is returned, and deferred functions may set them anew."""
    start, end = node.byte_range
    named = machine(low).results
    values = low.values[len(low.values) - count :]
    del low.values[len(low.values) - count :]
    if len(values) == 1 < len(named):
        values = [low.emit(Op.ELEMENT, values[0], at, len(named), start, end)
                  for at in range(len(named))]  # fmt: skip
    for number, value in zip(named, values, strict=False):
        low.emit(STORE, number, value, -1, start, end)
    for callee, first, n_ports, at, until, always in reversed(machine(low).finals):
        if not always:
            low.open(Op.BRANCH, -1, Branch.IF, node)
            low.emit(Op.ARM, Arm.THEN, -1, -1, start, end)
        low.emit(CALL, callee, first, n_ports, at, until)
        if not always:
            close(low, node)


def _defer(low: Writer, node: Node) -> None:
    """The call is made here; that of a literal, which may set named results, at returns behind it, too."""
    call = next(iter(kids(node)), None)
    function = None if call is None else call.child_by_field_name("function")
    if machine(low).results and function is not None and function.type == "func_literal":
        low.todo.append((_deferred, node))
    parts(low, node)


def _deferred(low: Writer, node: Node) -> None:
    """Note the call that was just made: one in a block of its own may not have been deferred."""
    code, callee, first, n_ports, start, end = low.ops[-OP_WIDTH:]
    if code == CALL:
        holder: Node | None = node
        for _ in range(3):  # the list, the block, what has the block
            holder = None if holder is None else holder.parent
        always = holder is not None and holder.type in _FUNCTIONS
        machine(low).finals.append((callee, first, n_ports, start, end, always))


_FUNCTIONS = frozenset({"function_declaration", "method_declaration", "func_literal"})

STATEMENTS: dict[str, Handler] = {
    "source_file": parts,
    "statement_list": parts,
    "import_declaration": parts,
    "import_spec_list": parts,
    "type_declaration": parts,
    "const_declaration": parts,
    "var_declaration": parts,
    "var_spec_list": parts,
    "expression_statement": parts,
    "go_statement": parts,
    "defer_statement": _defer,
    "inc_statement": _counted,
    "dec_statement": _counted,
    "block": block,
    "labeled_statement": _labeled,
    "short_var_declaration": _short,
    "assignment_statement": _assignment,
    "send_statement": _send,
    "return_statement": _return,
    "break_statement": jump(Op.BREAK),
    "continue_statement": jump(Op.CONTINUE),
    "goto_statement": _goto,
    "fallthrough_statement": ignored,
    "empty_statement": ignored,
    "label_name": ignored,
    "comment": ignored,
}

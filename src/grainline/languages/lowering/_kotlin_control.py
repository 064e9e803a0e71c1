"""Branches, loops and bodies of Kotlin, most of which have a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering import _typed as typed
from grainline.languages.lowering._kotlin_expressions import (
    dropped,
    keys,
    mention,
    operand,
    visited,
)
from grainline.languages.lowering._kotlin_types import TYPE_NODES, name_of, type_in
from grainline.languages.lowering._typed import Work, statement, text_of, type_work
from grainline.languages.lowering.base import Handler, Writer, close, drop, kids, opaque
from grainline.languages.lowering.common import then
from grainline.model.ir import (
    ARGUMENTS,
    DECLARED,
    STATIC,
    Arm,
    Branch,
    Const,
    Op,
    Param,
    ScopeKind,
)

if TYPE_CHECKING:
    from tree_sitter import Node

DECLARATIONS = frozenset(
    {
        "property_declaration",
        "function_declaration",
        "class_declaration",
        "object_declaration",
        "type_alias",
        "assignment",
        "for_statement",
        "while_statement",
        "do_while_statement",
    }
)
"""What has no value."""


def value_of(low: Writer, node: Node) -> None:
    """The value of a block, or of what stands in place of one."""
    if node.type == "block":
        block_value(low, (node, kids(node)))
    elif node.type in DECLARATIONS:
        low.push(statement(low, node), (opaque, node))
    else:
        low.visit(node)


def block_value(low: Writer, work: tuple[Node, list[Node]]) -> None:
    """The value of the last of some statements."""
    node, found = work
    if not found or found[-1].type in DECLARATIONS:
        low.push(*(statement(low, each) for each in found), (opaque, node))
    else:
        low.push(*(statement(low, each) for each in found[:-1]), visited(low, found[-1]))


def _block(low: Writer, node: Node) -> None:
    typed.parts(low, node)


def _nothing(low: Writer, node: Node) -> None:
    """What is passed by: null is of every type."""
    low.constant(Const.NONE, None, node)


# ------------------------------------------------------------------------------ if


def _ways(node: Node) -> tuple[Node | None, Node | None, Node | None]:
    """Condition, what is done when it holds, what else."""
    test = node.child_by_field_name("condition")
    first: Node | None = None
    other: Node | None = None
    closed = False
    behind = False
    for child in node.children:
        if child.type == ")" and not closed:
            closed = test is None or child.start_byte >= test.end_byte
        elif child.type == "else":
            behind = True
        elif closed and child.is_named and not child.is_extra:
            if behind:
                other = child
            else:
                first = child
    return test, first, other


def _if_value(low: Writer, node: Node) -> None:
    test, first, other = _ways(node)
    if test is None:
        typed.anything(low, node)
        return
    low.push(
        visited(low, test), (then, node),
        (value_of, first) if first is not None else (_nothing, node),
        (typed.arm, (Arm.ELSE, node)),
        (value_of, other) if other is not None else (opaque, node),
        (close, node), (typed.either_end, node),
    )  # fmt: skip


def _if(low: Writer, node: Node) -> None:
    test, first, other = _ways(node)
    if test is None:
        typed.parts(low, node)
        return
    work: Work = [visited(low, test), (then, node)]
    if first is not None:
        work.append(statement(low, first))
    if other is not None:
        work += [(typed.arm, (Arm.ELSE, other)), statement(low, other)]
    low.push(*work, (close, node))


# ------------------------------------------------------------------------------ operators


def _binary(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        typed.anything(low, node)
        return
    word = text_of(low, operator)
    if word in _LAZY:
        low.push(
            visited(low, left), (_lazy, (node, word)), visited(low, right), (close, node),
            (typed.either_end, node) if word == b"?:" else (typed.binary_end, (node, word)),
        )  # fmt: skip
    else:
        low.push(visited(low, left), visited(low, right), (typed.binary_end, (node, word)))


_LAZY = frozenset({b"&&", b"||", b"?:"})


def _lazy(low: Writer, work: tuple[Node, bytes]) -> None:
    """The right operand is a way that is taken when the left one says so."""
    node, word = work
    test = low.values[-1]
    low.open(Op.BRANCH, -1, Branch.IF, node)
    if word == b"?:":
        low.emit(Op.ARM, Arm.THEN, -1, -1, *node.byte_range)
        return
    low.emit(Op.ARM, Arm.THEN, test, -1, *node.byte_range)
    if word == b"||":
        low.emit(Op.ARM, Arm.ELSE, -1, -1, *node.byte_range)


def _assignment(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    word = node.child_by_field_name("operator")
    if left is None or right is None or word is None:
        typed.parts(low, node)
        return
    raw = text_of(low, word)
    while left.type == "parenthesized_expression" and len(kids(left)) == 1:
        left = kids(left)[0]
    found = kids(left)
    if raw != b"=":
        low.push(
            visited(low, left), visited(low, right), (typed.binary_end, (node, raw)), (drop, None)
        )
    elif left.type == "identifier":
        low.push(visited(low, right), (_stored, left))
    elif left.type == "navigation_expression" and len(found) == 2:
        low.push(operand(low, found[0]), visited(low, right), (_attribute_set, found[1]))
    elif left.type == "index_expression" and len(found) > 1:
        work = keys(low, left, found[1:])
        low.push(operand(low, found[0]), *work, visited(low, right), (_item_set, left))
    else:
        low.push(*dropped(low, left), *dropped(low, right))


def _stored(low: Writer, name: Node) -> None:
    number = low.name(name_of(low, name))
    low.emit(Op.STORE, number, low.values.pop(), 1, *name.byte_range)


def _attribute_set(low: Writer, name: Node) -> None:
    value, owner = low.values.pop(), low.values.pop()
    low.emit(Op.SETATTR, owner, low.name(name_of(low, name)), value, *name.byte_range)


def _item_set(low: Writer, node: Node) -> None:
    value, key, owner = low.values.pop(), low.values.pop(), low.values.pop()
    low.emit(Op.SETITEM, owner, key, value, *node.byte_range)


# ------------------------------------------------------------------------------ when


def _when_value(low: Writer, node: Node) -> None:
    _cases(low, node, keep=True)


def _when(low: Writer, node: Node) -> None:
    _cases(low, node, keep=False)


def _cases(low: Writer, node: Node, *, keep: bool) -> None:
    subject = next((c for c in kids(node) if c.type == "when_subject"), None)
    entries = [c for c in kids(node) if c.type == "when_entry"]
    work: Work = [(typed.branch, (Branch.WITH, node)), (typed.arm, (Arm.BODY, node))]
    if subject is not None and kids(subject):
        work.append(visited(low, kids(subject)[-1]))
        name = next((c for c in kids(subject) if c.type == "variable_declaration"), None)
        if name is not None:
            work.append((_subject, name))
    else:
        work.append((opaque, node))
    work += [(_tested, (node, entries, keep, subject is not None))]
    low.push(*work)


def _subject(low: Writer, name: Node) -> None:
    """`when (val x = y)`: what is tested is x."""
    low.push((declared, (name, True)), (_again, name))


def _again(low: Writer, name: Node) -> None:
    found = [c for c in kids(name) if c.type == "identifier"]
    if found:
        low.visit(found[0])
    else:
        opaque(low, name)


def _tested(low: Writer, work: tuple[Node, list[Node], bool, bool]) -> None:
    node, entries, keep, given = work
    subject = low.values.pop()
    todo: Work = [(typed.branch, (Branch.IF, node))]
    for entry in entries:
        conditions = entry.children_by_field_name("condition")
        body = next((c for c in reversed(kids(entry)) if c not in conditions), None)
        todo.append((typed.arm, (Arm.AFTER if conditions else Arm.ELSE, entry)))
        if conditions:
            for number, each in enumerate(conditions):
                todo.append((_condition, (each, subject if given else -1)))
                if number:
                    todo.append((typed.binary_end, (each, b"||")))
            todo.append((_way, entry))
        if body is not None:
            todo.append((value_of, body) if keep else statement(low, body))
        elif keep:
            todo.append((opaque, entry))
    todo += [(close, node), (close, node)]
    if keep:
        todo += [(typed.either_end, node)] * (len(entries) - 1)
        if not entries:
            todo.append((opaque, node))
    low.push(*todo)


def _way(low: Writer, node: Node) -> None:
    low.emit(Op.ARM, Arm.THEN, low.values.pop(), -1, *node.byte_range)


def _condition(low: Writer, work: tuple[Node, int]) -> None:
    """One test of an entry, which is about the subject when there is one."""
    node, subject = work
    found = kids(node)
    if node.type in ("type_test", "range_test"):
        if len(found) != 1 or subject < 0:
            typed.anything(low, node)
            return
        word = text_of(low, node.children[0])
        low.values.append(subject)
        inside = mention(low, found[0]) if found[0].type in TYPE_NODES else visited(low, found[0])
        low.push(inside, (typed.binary_end, (node, word)))
    elif subject < 0:
        low.visit(node)
    else:
        low.values.append(subject)
        low.push(visited(low, node), (typed.binary_end, (node, b"==")))


# ------------------------------------------------------------------------------ try


def _try_value(low: Writer, node: Node) -> None:
    _tried(low, node, keep=True)


def _try(low: Writer, node: Node) -> None:
    _tried(low, node, keep=False)


def _tried(low: Writer, node: Node, *, keep: bool) -> None:
    work: Work = [(typed.branch, (Branch.TRY, node)), (typed.arm, (Arm.BODY, node))]
    values = 0
    for child in kids(node):
        if child.type == "catch_block":
            work += [(typed.arm, (Arm.HANDLER, child)), (_catch, (child, keep))]
            values += 1
        elif child.type == "finally_block":
            work += [(typed.arm, (Arm.FINALLY, child)), *(statement(low, b) for b in kids(child))]
        else:
            work.append((value_of, child) if keep else statement(low, child))
            values += 1
    work.append((close, node))
    if keep:
        work += [(typed.either_end, node)] * (values - 1) if values else [(opaque, node)]
    low.push(*work)


def _catch(low: Writer, work: tuple[Node, bool]) -> None:
    node, keep = work
    name = next((c for c in kids(node) if c.type == "identifier"), None)
    kind = type_in(node)
    body = next((c for c in kids(node) if c.type == "block"), None)
    todo: Work = []
    if name is not None and kind is not None:
        todo += [type_work(low, kind, DECLARED), (_caught, name)]
    if body is not None:
        todo.append((value_of, body) if keep else statement(low, body))
    elif keep:
        todo.append((opaque, node))
    low.push(*todo)


def _caught(low: Writer, name: Node) -> None:
    kind = low.values.pop()
    value = low.emit(Op.NARROW, -1, kind, -1, *name.byte_range)
    number = low.name(name_of(low, name))
    low.emit(Op.ANNOTATE, number, kind, -1, *name.byte_range)
    low.emit(Op.STORE, number, value, -1, *name.byte_range)


# ------------------------------------------------------------------------------ variables


def declared(low: Writer, work: tuple[Node, bool]) -> None:
    """A variable, which takes the last value when it is `stored`."""
    node, stored = work
    declared_for(low, (node, stored, -1))


def declared_for(low: Writer, work: tuple[Node, bool, int]) -> None:
    """The same, with a mark that says who sees it."""
    node, stored, mark = work
    found = [c for c in kids(node) if c.type == "identifier"]
    kind = type_in(node)
    if not found:
        if stored:
            low.values.pop()
        return
    work_: Work = [type_work(low, kind, DECLARED)] if kind is not None else []
    low.push(
        *work_, (_bound, (found[-1] if kind is None else found[0], kind is not None, stored, mark))
    )


def _bound(low: Writer, work: tuple[Node, bool, bool, int]) -> None:
    name, given, stored, mark = work
    at = name.byte_range
    kind = low.values.pop() if given else low.emit(Op.CONST, Const.OTHER, -1, -1, *at)
    number = low.name(name_of(low, name))
    low.emit(Op.ANNOTATE, number, kind, -1, *at)
    if stored:
        low.emit(Op.STORE, number, low.values.pop(), mark, *at)


def several(low: Writer, node: Node) -> None:
    """`(a, b)` takes the last value apart."""
    value = low.values.pop()
    found = [c for c in kids(node) if c.type == "variable_declaration"]
    for number, each in enumerate(found):
        if text_of(low, each) != b"_":
            low.todo.append((_element, (each, value, number, len(found))))


def _element(low: Writer, work: tuple[Node, int, int, int]) -> None:
    each, value, number, count = work
    low.values.append(low.emit(Op.ELEMENT, value, number, count, *each.byte_range))
    declared(low, (each, True))


def taken(low: Writer, node: Node) -> None:
    """One variable, or several, take the last value."""
    if node.type == "multi_variable_declaration":
        several(low, node)
    else:
        declared(low, (node, True))


# ------------------------------------------------------------------------------ loops


def _for(low: Writer, node: Node) -> None:
    found = [c for c in kids(node) if c.type not in ("label", "annotation")]
    if len(found) < 2:
        typed.parts(low, node)
        return
    low.push(
        visited(low, found[1]), (typed.loop, node), (_next, found[0]),
        *(statement(low, each) for each in found[2:]), (close, node),
    )  # fmt: skip


def _next(low: Writer, node: Node) -> None:
    low.values.append(low.emit(Op.ITER, low.values.pop(), -1, -1, *node.byte_range))
    taken(low, node)


def _while(low: Writer, node: Node) -> None:
    test = node.child_by_field_name("condition")
    body = [c for c in kids(node) if c != test and c.type != "label"]
    if test is None:
        typed.parts(low, node)
        return
    low.push(
        (typed.loop, node), visited(low, test), (then, node),
        *(statement(low, each) for each in body), (close, node), (close, node),
    )  # fmt: skip


def _do(low: Writer, node: Node) -> None:
    test = node.child_by_field_name("condition")
    body = [c for c in kids(node) if c != test and c.type != "label"]
    work: Work = [statement(low, each) for each in body]
    work += dropped(low, test) if test is not None else []
    typed.repeated(low, node, work)


# ------------------------------------------------------------------------------ functions


def _return(low: Writer, node: Node) -> None:
    label = node.child_by_field_name("label")
    found = [c for c in kids(node) if c != label]
    low.push(*(visited(low, each) for each in found[:1]), (_returned, (node, bool(found), label)))


def _returned(low: Writer, work: tuple[Node, bool, Node | None]) -> None:
    """Without a label it is the function with a name that ends, not a lambda in it."""
    node, given, label = work
    value = low.values.pop() if given else -1
    row = low.scopes[low.scope]
    inside = row[0] == ScopeKind.LAMBDA and not row[11] & STATIC and label is None
    low.emit(Op.RETURN, -1 if inside else value, -1, -1, *node.byte_range)
    low.constant(Const.NONE, None, node)


def _lambda(low: Writer, node: Node) -> None:
    listed = next((c for c in kids(node) if c.type == "lambda_parameters"), None)
    body = [c for c in kids(node) if c.type != "lambda_parameters"]
    parameters: list[typed.Parameter] = []
    apart: list[tuple[bytes, Node]] = []
    for number, each in enumerate(kids(listed) if listed is not None else ()):
        names = [c for c in kids(each) if c.type == "identifier"]
        if each.type == "multi_variable_declaration":
            raw = b"(%d)" % number
            apart.append((raw, each))
            parameters.append(_parameter(raw, each, None))
        elif names:
            parameters.append(_parameter(name_of(low, names[0]), names[0], type_in(each)))
    flags = 0
    if not any(child.type == "->" for child in node.children):
        flags = ARGUMENTS
        parameters = [_parameter(b"it", node, None)]
    number = low.lambdas[low.scope] = low.lambdas.get(low.scope, 0) + 1
    made = typed.Definition(
        node, ScopeKind.LAMBDA, b"%d" % number, node.start_byte, flags, _body, (node, body, apart),
        parameters,
    )  # fmt: skip
    low.push(*typed.visit_parameters(low, parameters, DECLARED), (typed.defined, made))


def _parameter(raw: bytes, node: Node, kind: Node | None) -> typed.Parameter:
    return typed.Parameter(Param.PLAIN, raw, node.start_byte, kind)


def _body(low: Writer, work: tuple[Node, list[Node], list[tuple[bytes, Node]]]) -> None:
    node, body, apart = work
    todo: Work = []
    for raw, each in apart:
        todo += [(_read, (raw, each)), (several, each)]
    low.push(*todo, (block_value, (node, body)), (typed.return_last, node))


def _read(low: Writer, work: tuple[bytes, Node]) -> None:
    raw, node = work
    low.values.append(low.emit(Op.LOAD, low.name(raw), -1, -1, *node.byte_range))


EXPRESSIONS: dict[str, Handler] = {
    "if_expression": _if_value,
    "when_expression": _when_value,
    "try_expression": _try_value,
    "binary_expression": _binary,
    "return_expression": _return,
    "lambda_literal": _lambda,
}

STATEMENTS: dict[str, Handler] = {
    "if_expression": _if,
    "when_expression": _when,
    "try_expression": _try,
    "block": _block,
    "assignment": _assignment,
    "for_statement": _for,
    "while_statement": _while,
    "do_while_statement": _do,
    "line_comment": typed.ignored,
    "block_comment": typed.ignored,
    "label": typed.ignored,
    "annotation": typed.ignored,
    "modifiers": typed.ignored,
    "file_annotation": typed.ignored,
    "shebang": typed.ignored,
}

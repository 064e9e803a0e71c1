"""Statements of PHP: regions, bindings, files that are included."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grainline.languages.lowering._php_expressions import echoed, either_end, named, scope_value
from grainline.languages.lowering._php_names import (
    Target,
    global_of,
    load,
    machine,
    put_computed,
    raw,
    variable_name,
    written_name,
)
from grainline.languages.lowering.base import Handler, Writer, anything, close, drop, kids, opaque
from grainline.languages.lowering.common import jump, leave_unless, tested_loop, then
from grainline.model.ir import Arm, Branch, Const, Op

if TYPE_CHECKING:
    from tree_sitter import Node

Work = list[tuple[Handler, object]]
STORE, SETATTR, SETITEM = int(Op.STORE), int(Op.SETATTR), int(Op.SETITEM)


def parts(low: Writer, node: Node) -> None:
    """A statement of which only the parts matter."""
    statements = low.statements
    low.todo += [(statements[child.kind_id], child) for child in reversed(kids(node))]


def ignored(low: Writer, node: Node) -> None:
    """What does nothing."""
    del low, node


def value_of(low: Writer, node: Node) -> tuple[Handler, Node]:
    """An expression as work."""
    return low.handlers[node.kind_id], node


def statement(low: Writer, node: Node) -> tuple[Handler, Node]:
    """A statement as work."""
    return low.statements[node.kind_id], node


# ------------------------------------------------------------------------------ bindings


def assign(low: Writer, work: tuple[Node, int]) -> None:
    """A target takes the value of a register."""
    node, value = work
    while node.type == "by_ref" and kids(node):
        node = kids(node)[0]
    owner = node.child_by_field_name("object") or node.child_by_field_name("scope")
    name = node.child_by_field_name("name")
    if node.type == "variable_name":
        low.emit(STORE, low.name(variable_name(low, node)), value, -1, *node.byte_range)
        _set_target(low, raw(low, node), value)
    elif node.type == "dynamic_variable_name":
        _set_computed(low, node, value)
    elif global_of(low, node) is not None:
        number = low.name(global_of(low, node) or b"")
        if not machine(low).context.module:
            low.emit(Op.GLOBAL, number, -1, -1, *node.byte_range)
        low.emit(STORE, number, value, -1, *node.byte_range)
    elif node.type in _FIELDS and owner is not None and name is not None:
        if name.type == _FIELDS[node.type]:
            low.push((scope_value, owner), (_set_field, (name, value)))
        elif node.type != "scoped_property_access_expression":
            low.push((scope_value, owner), value_of(low, name), (named, name),
                     (_set_item, (node, value)))  # fmt: skip
    elif node.type == "subscript_expression" and (found := kids(node)):
        key = value_of(low, found[1]) if len(found) > 1 else (opaque, node)
        low.push(value_of(low, found[0]), key, (_set_item, (node, value)))
    elif node.type in ("list_literal", "array_creation_expression"):
        _unpack(low, node, value)


def _set_computed(low: Writer, node: Node, value: int) -> None:
    word = written_name(low, node)
    if word is None:
        put_computed(low, value, node)
    else:
        low.emit(STORE, low.name(word), value, -1, *node.byte_range)


def _set_target(low: Writer, word: bytes, value: int) -> None:
    """What a variable is a reference to is set with it."""
    target = machine(low).targets.get((low.scope, word))
    if target is None:
        return
    node = target.node
    if target.element:
        low.push(value_of(low, node), (_any_key, node), (_set_item, (node, value)))
    elif target.sure:
        low.push((assign, (node, value)))
    else:
        low.push(value_of(low, node), (_set_perhaps, (node, value)))


def _set_perhaps(low: Writer, work: tuple[Node, int]) -> None:
    """A target takes the value of a register, or keeps its own, the last value."""
    node, value = work
    either = low.emit(Op.EITHER, value, low.values.pop(), -1, *node.byte_range)
    if node.type == "variable_name":
        low.emit(STORE, low.name(variable_name(low, node)), either, -1, *node.byte_range)
    else:
        assign(low, (node, either))


def _any_key(low: Writer, node: Node) -> None:
    low.values.append(load(low, b"$", node))


def _refers(low: Writer, left: Node, right: Node, *, element: bool = False) -> None:
    """From here on `left` is a reference to `right`, or to its elements."""
    if left.type != "variable_name":
        return
    names, key, sure = machine(low), (low.scope, raw(low, left)), not low.regions
    _forget(low, left)
    if right.type != "variable_name" or element:
        if key[1] not in raw(low, right):
            names.targets[key] = Target(right, element, sure)
    elif raw(low, right) == key[1]:
        return
    elif sure:
        names.aliases[key] = variable_name(low, right)
    else:
        names.targets[key] = Target(right, False, False)
        names.targets[low.scope, raw(low, right)] = Target(left, False, False)


def _forget(low: Writer, variable: Node) -> None:
    """From here on a variable is no reference."""
    names, key = machine(low), (low.scope, raw(low, variable))
    names.targets.pop(key, None)
    names.aliases.pop(key, None)


def _unset(low: Writer, node: Node) -> None:
    """References end where that happens on every way."""
    for child in kids(node) if not low.regions else ():
        if child.type == "variable_name":
            _forget(low, child)
    parts(low, node)


_FIELDS = {
    "member_access_expression": "name",
    "nullsafe_member_access_expression": "name",
    "scoped_property_access_expression": "variable_name",
}


def _set_field(low: Writer, work: tuple[Node, int]) -> None:
    name, value = work
    word = raw(low, name)
    number = low.name(word if word[:1] == b"$" else b"$" + word)
    low.emit(SETATTR, low.values.pop(), number, value, *name.byte_range)


def _set_item(low: Writer, work: tuple[Node, int]) -> None:
    node, value = work
    key, owner = low.values.pop(), low.values.pop()
    low.emit(SETITEM, owner, key, value, *node.byte_range)


def _unpack(low: Writer, node: Node, value: int) -> None:
    rows: list[list[Node]] = [[]]
    for child in node.children:
        if child.type == ",":
            rows.append([])
        elif child.is_named and not child.is_extra:
            rows[-1] += kids(child) if child.type == "array_element_initializer" else [child]
    work: Work = []
    for at, row in enumerate(rows):
        if len(row) == 1:
            item = low.emit(Op.ELEMENT, value, at, len(rows), *row[0].byte_range)
            work.append((assign, (row[0], item)))
        elif len(row) == 2:
            work += [value_of(low, row[0]), (_keyed, (row[1], value))]
    low.push(*work)


def _keyed(low: Writer, work: tuple[Node, int]) -> None:
    node, value = work
    item = low.emit(Op.GETITEM, value, low.values.pop(), -1, *node.byte_range)
    assign(low, (node, item))


def _assignment(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        anything(low, node)
    else:
        low.push(value_of(low, right), (_assigned, left))


def _reference(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is not None and right is not None:
        low.push(value_of(low, right), (_referred, (left, right)))
    else:
        anything(low, node)


def _referred(low: Writer, work: tuple[Node, Node]) -> None:
    left, right = work
    _refers(low, left, right)
    if (low.scope, raw(low, left)) not in machine(low).aliases:
        number = low.name(variable_name(low, left)) if left.type == "variable_name" else -1
        if number < 0:
            assign(low, (left, low.values[-1]))
        else:
            low.emit(STORE, number, low.values[-1], -1, *left.byte_range)


def _assigned(low: Writer, left: Node) -> None:
    assign(low, (left, low.values[-1]))


def _augmented(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        anything(low, node)
        return
    word = raw(low, operator)
    if word == b"??=":
        low.push(value_of(low, left), value_of(low, right), (either_end, node), (_assigned, left))
    else:
        end = (_operated, (node, word[:-1]))
        low.push(value_of(low, left), value_of(low, right), end, (_assigned, left))


def _update(low: Writer, node: Node) -> None:
    """`$x++`, `--$x`."""
    found = kids(node)
    if len(found) != 1:
        anything(low, node)
        return
    word = next(raw(low, each)[:1] for each in node.children if not each.is_named)
    end = (_operated, (node, word))
    low.push(value_of(low, found[0]), (_one, node), end, (_assigned, found[0]))


def _one(low: Writer, node: Node) -> None:
    low.constant(Const.INT, b"1", node)


def _operated(low: Writer, work: tuple[Node, bytes]) -> None:
    node, word = work
    right, left = low.values.pop(), low.values.pop()
    low.values.append(low.emit(Op.OPERATE, left, right, low.name(word), *node.byte_range))


def _global(low: Writer, node: Node) -> None:
    for child in kids(node):
        if child.type == "variable_name" and not machine(low).context.module:
            word = raw(low, child)
            low.emit(Op.GLOBAL, low.name(word + b"#0"), -1, -1, *child.byte_range)
            machine(low).aliases[low.scope, word] = word + b"#0"


def _static_variable(low: Writer, node: Node) -> None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is not None and value is not None:
        low.push(value_of(low, value), (_assigned, name), (drop, None))


# ------------------------------------------------------------------------------ regions


def arm(low: Writer, work: tuple[Arm, Node]) -> None:
    """One of the ways of a branch."""
    kind, node = work
    low.emit(Op.ARM, kind, -1, -1, *node.byte_range)


def branch(low: Writer, work: tuple[Branch, Node]) -> None:
    """A branch begins."""
    kind, node = work
    low.open(Op.BRANCH, -1, kind, node)


def loop(low: Writer, node: Node) -> None:
    """A loop begins."""
    low.open(Op.LOOP, -1, -1, node)


def _if(low: Writer, node: Node) -> None:
    work: Work = []
    open_: list[Node] = []
    for at, each in enumerate([node, *node.children_by_field_name("alternative")]):
        condition, body = each.child_by_field_name("condition"), each.child_by_field_name("body")
        if at:
            work.append((arm, (Arm.ELSE, each)))
        if condition is not None:
            work += [value_of(low, condition), (then, each)]
            open_.append(each)
        if body is not None:
            work.append(statement(low, body))
        if condition is None:
            break
    low.push(*work, *((close, each) for each in reversed(open_)))


def _repeated(low: Writer, node: Node) -> None:
    condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    first = node.child_by_field_name("initialize")
    update = node.child_by_field_name("update")
    before = [value_of(low, first), (drop, None)] if first is not None else []
    test = [] if condition is None else [value_of(low, condition), (leave_unless, condition)]
    inside = [] if body is None else [statement(low, body)]
    after = [] if update is None else [value_of(low, update), (drop, None)]
    work = [*inside, *test] if node.type == "do_statement" else [*test, *inside, *after]
    low.push(*before, (tested_loop, node), *work, (close, node))


def _foreach(low: Writer, node: Node) -> None:
    body = node.child_by_field_name("body")
    found = [child for child in kids(node) if child != body]
    if len(found) < 2:
        parts(low, node)
        return
    target, key = found[1], None
    if target.type == "pair" and len(pair := kids(target)) == 2:
        key, target = pair
    if target.type == "by_ref" and kids(target):
        _refers(low, kids(target)[0], found[0], element=True)
        target = kids(target)[0]
    work: Work = [] if body is None else [statement(low, body)]
    low.push(value_of(low, found[0]), (loop, node), (_element, (target, key)), *work, (close, node))


def _element(low: Writer, work: tuple[Node, Node | None]) -> None:
    target, key = work
    several = low.values.pop()
    item = low.emit(Op.ITER, several, 0, -1, *target.byte_range)
    if key is not None:
        name = low.emit(Op.OPERATE, several, -1, low.name(b"key of"), *key.byte_range)
        low.todo.append((assign, (key, name)))
    if target.type == "variable_name":  # nothing is set with it: it comes from there
        low.emit(STORE, low.name(variable_name(low, target)), item, -1, *target.byte_range)
    else:
        low.todo.append((assign, (target, item)))


def _switch(low: Writer, node: Node) -> None:
    condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    if condition is None or body is None:
        parts(low, node)
        return
    tests: list[int] = []
    cases = kids(body)
    last = len(cases) - 1
    work: Work = [value_of(low, condition)]
    for case in cases:
        value = case.child_by_field_name("value")
        if value is None:
            work.append((_untested, tests))
        else:
            work += [value_of(low, value), (_compared, (value, tests))]
    work += [(_otherwise, (node, tests)), (drop, None), (branch, (Branch.MATCH, node))]
    default = False
    for number, case in enumerate(cases):
        value = case.child_by_field_name("value")
        default = default or value is None
        kind = Arm.ELSE if value is None and number == last else Arm.THEN
        work.append((_tested, (case, kind, tests, number)))
        work += [statement(low, child) for child in kids(case) if child != value]
    if default and cases[last].child_by_field_name("value") is not None:
        work.append((arm, (Arm.ELSE, node)))
    low.push(*work, (close, node))


def _untested(low: Writer, tests: list[int]) -> None:
    del low
    tests.append(-1)


def _compared(low: Writer, work: tuple[Node, list[int]]) -> None:
    """Whether the value below the last one is that."""
    node, tests = work
    value = low.values.pop()
    tests.append(low.emit(Op.OPERATE, low.values[-1], value, low.name(b"=="), *node.byte_range))


def _otherwise(low: Writer, work: tuple[Node, list[int]]) -> None:
    """A default between other cases is what none of these is."""
    node, tests = work
    others = [test for test in tests if test >= 0]
    if -1 not in tests[:-1] or not others:
        return
    test = others[0]
    for other in others[1:]:
        test = low.emit(Op.OPERATE, test, other, low.name(b"||"), *node.byte_range)
    tests[tests.index(-1)] = low.emit(Op.OPERATE, test, -1, low.name(b"!"), *node.byte_range)


def _tested(low: Writer, work: tuple[Node, int, list[int], int]) -> None:
    case, kind, tests, number = work
    test = tests[number] if kind == Arm.THEN else -1
    low.emit(Op.ARM, kind, test, -1, *case.byte_range)


def _try(low: Writer, node: Node) -> None:
    work: Work = [(branch, (Branch.TRY, node))]
    for child in kids(node):
        body = child.child_by_field_name("body")
        if child.type == "catch_clause":
            work.append((arm, (Arm.HANDLER, child)))
            kind, name = child.child_by_field_name("type"), child.child_by_field_name("name")
            if kind is not None and name is not None:
                work += [value_of(low, kind), (_caught, name)]
        elif child.type == "finally_clause":
            work.append((arm, (Arm.FINALLY, child)))
        else:
            work.append((arm, (Arm.BODY, child)))
            body = child
        if body is not None:
            work.append(statement(low, body))
    low.push(*work, (close, node))


def _caught(low: Writer, name: Node) -> None:
    start, end = name.byte_range
    value = low.emit(Op.NARROW, -1, low.values.pop(), -1, start, end)
    low.emit(STORE, low.name(variable_name(low, name)), value, -1, start, end)


def _return(low: Writer, node: Node) -> None:
    found = kids(node)
    if found:
        low.push(value_of(low, found[0]), (_return_end, node))
    else:
        low.emit(Op.RETURN, -1, -1, -1, *node.byte_range)


def _return_end(low: Writer, node: Node) -> None:
    low.emit(Op.RETURN, low.values.pop(), -1, -1, *node.byte_range)


# ------------------------------------------------------------------------------ files

_INCLUDED = re.compile(
    rb"""\w+\s*\(?\s*(?:(__DIR__|dirname\s*\(\s*__(?:FILE|DIR)__\s*(?:,\s*(\d)\s*)?\))\s*\.\s*)?"""
    rb"""(['"])([^'"$]+)\3\s*\)?\s*"""
)


def _include(low: Writer, node: Node) -> None:
    """A file whose path is constant: the folder of this one, or one above it, and a text."""
    found = _INCLUDED.fullmatch(raw(low, node))
    if found is None:
        inside = kids(node)
        if inside:
            low.push(value_of(low, inside[0]), (_included, node))
        else:
            anything(low, node)
        return
    above = int(found[2] or 1) if found[1] and found[1][:1] != b"_" else 0
    above -= bool(found[1] and b"__FILE__" in found[1])
    path = b"./" + b"../" * above + found[4].lstrip(b"/")
    low.emit(Op.IMPORT, low.name(path), -1, 0, *node.byte_range)
    low.constant(Const.OTHER, None, node)


def _included(low: Writer, node: Node) -> None:
    """What is run as a part of this file."""
    name = low.name(b"include")
    low.values.append(low.emit(Op.OPERATE, low.values.pop(), -1, name, *node.byte_range))


def _echo(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) == 1 and found[0].type == "sequence_expression":
        found = kids(found[0])
    low.push(*((echoed, each) for each in found))


def _expression(low: Writer, node: Node) -> None:
    """A statement; behind `<?=` what is written to the answer."""
    start = node.start_byte
    if low.text[max(start - 16, 0) : start].rstrip().endswith(b"<?="):
        _echo(low, node)
    else:
        parts(low, node)


def _exit(low: Writer, node: Node) -> None:
    """The program ends; a text is written to the answer."""
    low.push(*((echoed, each) for each in kids(node)), (_ended, node))


def _ended(low: Writer, node: Node) -> None:
    low.emit(Op.RAISE, -1, -1, -1, *node.byte_range)


def _label(code: Op) -> Handler:
    """`name:` and `goto name`."""

    def handler(low: Writer, node: Node) -> None:
        for name in kids(node)[:1]:
            low.emit(code, low.name(raw(low, name)), -1, -1, *node.byte_range)

    return handler


STATEMENTS: dict[str, Handler] = {
    "expression_statement": _expression,
    "compound_statement": parts,
    "colon_block": parts,
    "declare_statement": parts,
    "declare_directive": ignored,
    "echo_statement": _echo,
    "exit_statement": _exit,
    "unset_statement": _unset,
    "if_statement": _if,
    "while_statement": _repeated,
    "do_statement": _repeated,
    "for_statement": _repeated,
    "foreach_statement": _foreach,
    "switch_statement": _switch,
    "try_statement": _try,
    "return_statement": _return,
    "global_declaration": _global,
    "function_static_declaration": parts,
    "static_variable_declaration": _static_variable,
    "break_statement": jump(Op.BREAK),
    "continue_statement": jump(Op.CONTINUE),
    "goto_statement": _label(Op.JUMP),
    "named_label_statement": _label(Op.LABEL),
    "empty_statement": ignored,
    "text": ignored,
    "text_interpolation": ignored,
    "php_tag": ignored,
    "php_end_tag": ignored,
    "attribute_list": ignored,
}
EXPRESSIONS: dict[str, Handler] = {
    "assignment_expression": _assignment,
    "reference_assignment_expression": _reference,
    "augmented_assignment_expression": _augmented,
    "update_expression": _update,
    "include_expression": _include,
    "include_once_expression": _include,
    "require_expression": _include,
    "require_once_expression": _include,
}

"""Statements of C#; none leaves a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering import _csharp_expressions as expressions
from grainline.languages.lowering import _csharp_types as types
from grainline.languages.lowering import _typed as typed
from grainline.languages.lowering._csharp_expressions import visited
from grainline.languages.lowering._csharp_patterns import match
from grainline.languages.lowering._csharp_types import kids
from grainline.languages.lowering._typed import Work, statement, text_of, type_work
from grainline.languages.lowering.base import Handler, Writer, close, drop
from grainline.model.ir import DECLARED, Arm, Branch, Op

if TYPE_CHECKING:
    from tree_sitter import Node


def block(low: Writer, node: Node) -> None:
    """Statements; the names that it declares end with it."""
    found = kids(node)
    if node.parent is not None and node.parent.type in _PLAIN:
        names = [name for each in found for name in _declared_by(each)]
        if names:
            low.todo.append((typed.forget, names))
    low.todo += [statement(low, child) for child in reversed(found)]


_PLAIN = frozenset(
    {"block", "labeled_statement", "lock_statement", "using_statement", "checked_statement",
     "unsafe_statement", "fixed_statement", "switch_section"}
)  # fmt: skip
"""Around a block that no region stands for."""


def _declared_by(node: Node) -> list[Node]:
    """The names that a statement declares."""
    if node.type not in {"local_declaration_statement", "using_statement", "fixed_statement"}:
        return []
    return [
        name
        for listed in kids(node)
        if listed.type == "variable_declaration"
        for each in kids(listed)
        if each.type == "variable_declarator"
        and (name := each.child_by_field_name("name")) is not None
    ]


# ------------------------------------------------------------------------------ variables


def variables(low: Writer, node: Node, *, entered: bool = False, shared: bool = False) -> None:
    """Fields and locals of a `variable_declaration`.

    With `entered` they are disposed of; `shared` ones are those of the class itself.
    """
    kind = node.child_by_field_name("type")
    given = None if types.inferred(kind) else kind
    found = [each for each in kids(node) if each.type == "variable_declarator"]
    work: Work = [] if given is None else [type_work(low, given, DECLARED)]
    names = [each.child_by_field_name("name") for each in found] if shared else []
    work += [(_static, name) for name in names if name is not None]
    work += [(_variable, (each, given, entered)) for each in found]
    if given is not None:
        work.append((drop, None))
    low.push(*work)


def _static(low: Writer, name: Node) -> None:
    low.emit(Op.GLOBAL, low.name(text_of(low, name)), -1, -1, *name.byte_range)


def _variable(low: Writer, work: tuple[Node, Node | None, bool]) -> None:
    node, given, entered = work
    name = node.child_by_field_name("name")
    rest = [each for each in kids(node) if each != name and each.type != "bracketed_argument_list"]
    if name is None:
        patterns = [each for each in rest if each.type == "tuple_pattern"]
        names = [part for each in patterns for part in expressions.names_in(each)]
        values = [each for each in rest if each.type != "tuple_pattern"]
        if len(values) == 1:
            low.push(visited(low, values[0]), (expressions.unpack, names))
        else:
            low.push(*((expressions.declare_unknown, each) for each in names))
        return
    kind = low.values[-1] if given is not None else -1
    todo: Work = []
    if rest:
        todo = [_initial(low, rest[-1], given)]
        if entered:
            todo.append((_entered, rest[-1]))
    low.push(*todo, (typed.declare, (name, node, kind, bool(rest))))


def _initial(low: Writer, value: Node, given: Node | None) -> tuple[Handler, object]:
    """A first value; `new()` makes what is declared."""
    if value.type == "implicit_object_creation_expression" and given is not None:
        while given.type == "nullable_type" and (inner := given.child_by_field_name("type")):
            given = inner
        if given.type in _CLASS_TYPES:
            return expressions.creation_of, (value, given)
    return visited(low, value)


_CLASS_TYPES = frozenset({"identifier", "generic_name", "qualified_name", "alias_qualified_name"})


def initial(low: Writer, value: Node, given: Node | None) -> tuple[Handler, object]:
    """The same for a property."""
    return _initial(low, value, given)


def _entered(low: Writer, node: Node) -> None:
    low.values.append(low.emit(Op.ENTER, low.values.pop(), -1, -1, *node.byte_range))


def _local(low: Writer, node: Node) -> None:
    words = {child.type for child in node.children if not child.is_named}
    entered = "using" in words and "await" not in words
    for each in kids(node):
        if each.type == "variable_declaration":
            variables(low, each, entered=entered)
            return


def _listed(low: Writer, node: Node) -> None:
    variables(low, node)


# ------------------------------------------------------------------------------ control


def _fields(low: Writer, node: Node, *names: str) -> Work:
    return [statement(low, child) for name in names for child in node.children_by_field_name(name)]


def _while(low: Writer, node: Node) -> None:
    typed.repeated(low, node, _fields(low, node, "condition", "body"))


def _do(low: Writer, node: Node) -> None:
    typed.repeated(low, node, _fields(low, node, "body", "condition"))


def _for(low: Writer, node: Node) -> None:
    typed.repeated(low, node, _fields(low, node, "initializer", "condition", "body", "update"))


def _each(low: Writer, node: Node) -> None:
    kind, left = node.child_by_field_name("type"), node.child_by_field_name("left")
    value, body = node.child_by_field_name("right"), node.child_by_field_name("body")
    if left is None or value is None:
        typed.parts(low, node)
        return
    work: Work = [visited(low, value), (typed.loop, node)]
    if left.type != "identifier":
        names = expressions.names_in(left)
        work += [(_parts, (left, names))]
    else:
        given = None if types.inferred(kind) else kind
        if given is not None:
            work.append(type_work(low, given, DECLARED))
        work.append((_element, (node, left, given is not None)))
    if body is not None:
        work.append(statement(low, body))
    low.push(*work, (close, node))


def _parts(low: Writer, work: tuple[Node, list[Node]]) -> None:
    """Names for parts of an element."""
    node, names = work
    low.values.append(low.emit(Op.ITER, low.values.pop(), -1, -1, *node.byte_range))
    expressions.unpack(low, names)


def _yield(low: Writer, node: Node) -> None:
    found = kids(node)
    if not found:
        low.emit(Op.RETURN, -1, -1, -1, *node.byte_range)
        return
    low.push(visited(low, found[0]), (_yielded, node))


def _yielded(low: Writer, node: Node) -> None:
    low.emit(Op.YIELD, low.values.pop(), -1, -1, *node.byte_range)


def _element(low: Writer, work: tuple[Node, Node, bool]) -> None:
    node, name, given = work
    kind = low.values.pop() if given else -1
    source = low.values.pop()
    waits = 1 if any(child.type == "await" for child in node.children) else -1
    low.values.append(low.emit(Op.ITER, source, waits, -1, *name.byte_range))
    typed.declare(low, (name, node, kind, True))


def _switch(low: Writer, node: Node) -> None:
    value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
    if value is None or body is None:
        typed.parts(low, node)
        return
    work: Work = [visited(low, value), (typed.branch, (Branch.MATCH, node))]
    closed = False
    for section in kids(body):
        closed = closed or any(each.type == "default" for each in section.children)
        work.append((typed.arm, (Arm.THEN, section)))
        for child in kids(section):
            if child.type.endswith("_pattern") or child.type == "discard":
                work.append((match, child))
            elif child.type == "when_clause":
                work += [part for each in kids(child) for part in typed.dropped(low, each)]
            else:
                work.append(statement(low, child))
    if closed:
        work.append((typed.arm, (Arm.ELSE, node)))
    low.push(*work, (close, node), (drop, None))


def _try(low: Writer, node: Node) -> None:
    work: Work = [(typed.branch, (Branch.TRY, node)), (typed.arm, (Arm.BODY, node))]
    for child in kids(node):
        if child.type == "catch_clause":
            work += [(typed.arm, (Arm.HANDLER, child)), (_catch, child)]
        elif child.type == "finally_clause":
            work += [(typed.arm, (Arm.FINALLY, child)), *(statement(low, b) for b in kids(child))]
        else:
            work.append(statement(low, child))
    low.push(*work, (close, node))


def _catch(low: Writer, node: Node) -> None:
    work: Work = []
    for child in kids(node):
        if child.type == "catch_declaration":
            kind, name = child.child_by_field_name("type"), child.child_by_field_name("name")
            if kind is not None:
                work += [type_work(low, kind, DECLARED), (_caught, (child, name))]
        elif child.type == "catch_filter_clause":
            work += [part for each in kids(child) for part in typed.dropped(low, each)]
        else:
            work.append(statement(low, child))
    low.push(*work)


def _caught(low: Writer, work: tuple[Node, Node | None]) -> None:
    node, name = work
    kind = low.values.pop()
    if name is not None:
        low.values.append(low.emit(Op.NARROW, -1, kind, -1, *node.byte_range))
        typed.declare(low, (name, node, kind, True))


def _using(low: Writer, node: Node) -> None:
    work: Work = []
    names = _declared_by(node)
    waits = any(child.type == "await" for child in node.children)
    for each in kids(node):
        if each.type == "variable_declaration":
            work.append((_listed if waits else _used, each))
        elif each == node.child_by_field_name("body") or each == kids(node)[-1]:
            work.append(statement(low, each))
        else:
            work += [visited(low, each), *([] if waits else [(_entered, each)]), (drop, None)]
    low.push(*work, *([(typed.forget, names)] if names else []))


def _used(low: Writer, node: Node) -> None:
    variables(low, node, entered=True)


def _labeled(low: Writer, node: Node) -> None:
    low.push(*(statement(low, child) for child in kids(node)[1:]))


def condition_apart(low: Writer, node: Node) -> None:
    """What the preprocessor may leave out; its condition is no code."""
    test = node.child_by_field_name("condition")
    low.push(*(statement(low, child) for child in kids(node) if child != test))


STATEMENTS: dict[str, Handler] = {
    "block": block,
    "local_declaration_statement": _local,
    "variable_declaration": _listed,
    "expression_statement": typed.parts,
    "global_statement": typed.parts,
    "if_statement": typed.if_else,
    "while_statement": _while,
    "do_statement": _do,
    "for_statement": _for,
    "foreach_statement": _each,
    "switch_statement": _switch,
    "try_statement": _try,
    "using_statement": _using,
    "return_statement": typed.leave(Op.RETURN),
    "throw_statement": typed.leave(Op.RAISE),
    "yield_statement": _yield,
    "break_statement": typed.jump(Op.BREAK),
    "continue_statement": typed.jump(Op.CONTINUE),
    "goto_statement": typed.ignored,
    "labeled_statement": _labeled,
    "lock_statement": typed.parts,
    "checked_statement": typed.parts,
    "unsafe_statement": typed.parts,
    "fixed_statement": typed.parts,
    "empty_statement": typed.ignored,
    "comment": typed.ignored,
    "modifier": typed.ignored,
    "preproc_if": condition_apart,
    "preproc_elif": condition_apart,
    "preproc_else": typed.parts,
    **dict.fromkeys(
        (
            "preproc_region", "preproc_endregion", "preproc_line", "preproc_pragma",
            "preproc_nullable", "preproc_error", "preproc_warning", "preproc_define",
            "preproc_undef", "shebang_directive", "extern_alias_directive",
        ),
        typed.ignored,
    ),
}  # fmt: skip

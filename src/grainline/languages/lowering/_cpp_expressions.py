"""Expressions of C++: each handler leaves one value.

`p->x` is a member of OPERATE `->`, `*p` and `&x` are OPERATE without a right side. A qualified name
is a GETATTR with the mark REFERENCE. `new A(1)` is a pointer (OPERATE `new`) to a NEW.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering._c_expressions import assembler, text
from grainline.languages.lowering._cpp_types import (
    arguments_work,
    declared,
    scoped,
    type_work,
    typed,
)
from grainline.languages.lowering.base import (
    Handler,
    Ports,
    Writer,
    anything,
    evaluate,
    kids,
    opaque,
)
from grainline.languages.lowering.blocks import (
    CALL,
    GETATTR,
    LOAD,
    POSITIONAL,
    STORE,
    Work,
    keep,
    machine,
    open_block,
)
from grainline.languages.lowering.common import inner, last
from grainline.languages.lowering.names import Names
from grainline.model.ir import (
    MENTIONED,
    QUALIFIER,
    REFERENCE,
    Const,
    Op,
    Param,
    Port,
    ScopeKind,
)

if TYPE_CHECKING:
    from tree_sitter import Node


def identifier(low: Writer, node: Node) -> None:
    """A name that is read."""
    number, start, end = machine(low).found(node)
    low.values.append(low.emit(LOAD, number, -1, -1, start, end))


def _this(low: Writer, node: Node) -> None:
    start, end = node.byte_range
    low.values.append(low.emit(LOAD, low.name(b"this"), -1, -1, start, end))


def _literal(word: bytes) -> Handler:
    def literal(low: Writer, node: Node) -> None:
        low.constant(Const.OTHER, word, node)

    return literal


def _number(low: Writer, node: Node) -> None:
    low.constant(Const.INT, machine(low).raw(node).lower(), node)


def _truth(low: Writer, node: Node) -> None:
    low.constant(Const.BOOL, machine(low).raw(node), node)


def _nothing(low: Writer, node: Node) -> None:
    low.constant(Const.NONE, None, node)


def _raw_text(low: Writer, node: Node) -> None:
    """A text in which nothing is escaped: what stands between the parentheses."""
    raw = machine(low).raw(node)
    inside = raw[raw.find(b"(") + 1 : raw.rfind(b")")]
    low.constant(Const.STR, None if b"\\" in inside else b'"' + inside + b'"', node)


def _qualified(low: Writer, node: Node) -> None:
    low.push(*scoped(low, node, REFERENCE))


def _template_name(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        anything(low, node)
        return
    low.push((low.handlers[name.kind_id], name), *arguments_work(low, node, QUALIFIER))


def _first(low: Writer, node: Node) -> None:
    found = kids(node)
    if not found:
        opaque(low, node)
        return
    low.todo.append((keep, (-len(found), len(found))))
    low.visit_all(found)


# ------------------------------------------------------------------------------ members


def _field(low: Writer, node: Node) -> None:
    owner, field = node.child_by_field_name("argument"), node.child_by_field_name("field")
    if owner is None or field is None:
        anything(low, node)
        return
    arrow = any(child.type == "->" for child in node.children)
    low.push((low.handlers[owner.kind_id], owner), *_member(low, node, field, arrow=arrow))


def _member(low: Writer, node: Node, field: Node, *, arrow: bool) -> Work:
    steps: Work = [(_arrow, node)] if arrow else []
    at = field
    if at.type == "dependent_name" and kids(at):
        at = kids(at)[-1]
    if at.type == "qualified_identifier":  # p->A::f()
        return [*steps, (_forget, None), *scoped(low, at, REFERENCE)]
    name = at
    rest: Work = []
    if at.type in ("template_method", "template_function"):
        name = at.child_by_field_name("name") or at
        rest = arguments_work(low, at, QUALIFIER)
    return [*steps, (_field_end, name), *rest]


def _forget(low: Writer, _: object) -> None:
    low.values.pop()


def _arrow(low: Writer, node: Node) -> None:
    start, end = node.byte_range
    value = low.values.pop()
    low.values.append(low.emit(Op.OPERATE, value, -1, low.name(b"->"), start, end))


def _field_end(low: Writer, node: Node) -> None:
    start, end = node.byte_range
    name = low.name(b"".join(low.text[start:end].split()) or b"?")
    low.values.append(low.emit(GETATTR, low.values.pop(), name, -1, start, end))


# ------------------------------------------------------------------------------ calls

_CASTS = frozenset({b"static_cast", b"dynamic_cast", b"reinterpret_cast", b"const_cast"})


def _call(low: Writer, node: Node) -> None:
    function, passed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or passed is None:
        anything(low, node)
        return
    if function.type == "template_function" and _is_cast(low, function):
        _named_cast(low, (node, function, passed))
        return
    if function.type in ("primitive_type", "sized_type_specifier"):
        low.push(*((evaluate, each) for each in kids(passed)), type_work(low, function))
        return
    given, torn = arguments_of(passed)
    low.push(
        (low.handlers[function.kind_id], function), *given, (call_end, (node, len(given), torn))
    )


def arguments_of(passed: Node) -> tuple[Work, bool]:
    """Work for the arguments, and whether their number is not known."""
    found = kids(passed)
    torn = passed.has_error or any(each.type == "parameter_pack_expansion" for each in found)
    return [(_argument, each) for each in found], torn


def _argument(low: Writer, node: Node) -> None:
    if node.type.startswith("preproc_"):
        opaque(low, node)
    else:
        low.visit(node)


def _is_cast(low: Writer, function: Node) -> bool:
    name = function.child_by_field_name("name")
    return name is not None and machine(low).raw(name) in _CASTS


def _named_cast(low: Writer, work: tuple[Node, Node, Node]) -> None:
    node, function, passed = work
    kinds = function.child_by_field_name("arguments")
    kind, value = kids(kinds) if kinds is not None else [], kids(passed)
    if not kind or not value:
        anything(low, passed)
        return
    low.push(
        (low.handlers[value[0].kind_id], value[0]),
        type_work(low, kind[0], MENTIONED),
        (_cast_end, node),
    )


def take_arguments(low: Writer, count: int, *, torn: bool) -> tuple[int, int]:
    """Write the last values as arguments."""
    first = len(low.values) - count
    ports: Ports = [(POSITIONAL, -1, value) for value in low.values[first:]]
    if torn:
        start = low.ops[-2] if low.ops else 0
        ports.append((int(Port.STAR), -1, low.emit(Op.CONST, Const.OTHER, -1, -1, start, start)))
    del low.values[first:]
    return low.write_ports(ports)


def call_end(low: Writer, work: tuple[Node, int, bool]) -> None:
    """Leaves what a call of the value below the arguments gives."""
    node, count, torn = work
    at, n_ports = take_arguments(low, count, torn=torn)
    start, end = node.byte_range
    low.values.append(low.emit(CALL, low.values.pop(), at, n_ports, start, end))


def _new(low: Writer, node: Node) -> None:
    kind, passed = node.child_by_field_name("type"), node.child_by_field_name("arguments")
    array = node.child_by_field_name("declarator") is not None
    placement = node.child_by_field_name("placement")
    work: Work = [
        part
        for each in (kids(placement) if placement is not None else ())
        for part in ((low.handlers[each.kind_id], each), (_placed, each))
    ]
    given, torn = arguments_of(passed) if passed is not None else ([], False)
    low.push(
        *work, type_work(low, kind, QUALIFIER if not array else MENTIONED),
        *given, (_new_end, (node, len(given), torn, array)),
    )  # fmt: skip


def _placed(low: Writer, node: Node) -> None:
    """What comes next is made at a place that is there."""
    word = low.name(b"placement")
    low.emit(Op.OPERATE, low.values.pop(), -1, word, *node.byte_range)


def _new_end(low: Writer, work: tuple[Node, int, bool, bool]) -> None:
    node, count, torn, array = work
    at, n_ports = take_arguments(low, count, torn=torn)
    start, end = node.byte_range
    value = low.values.pop()
    if not array:
        value = low.emit(Op.NEW, value, at, n_ports, start, end)
    low.values.append(low.emit(Op.OPERATE, value, -1, low.name(b"new"), start, end))


def _compound(low: Writer, node: Node) -> None:
    kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    if kind is None or value is None:
        anything(low, node)
        return
    given, torn = arguments_of(value)
    low.push(type_work(low, kind, QUALIFIER), *given, (new_end, (node, len(given), torn)))


def new_end(low: Writer, work: tuple[Node, int, bool]) -> None:
    """Leaves an instance of the type below the arguments."""
    node, count, torn = work
    at, n_ports = take_arguments(low, count, torn=torn)
    start, end = node.byte_range
    low.values.append(low.emit(Op.NEW, low.values.pop(), at, n_ports, start, end))


# ------------------------------------------------------------------------------ operators


def _conditional(low: Writer, node: Node) -> None:
    test, one, other = (
        node.child_by_field_name(name) for name in ("condition", "consequence", "alternative")
    )
    if test is None or one is None or other is None:
        anything(low, node)
        return
    low.push((evaluate, test), (low.handlers[one.kind_id], one),
             (low.handlers[other.kind_id], other), (_either, node))  # fmt: skip


def _either(low: Writer, node: Node) -> None:
    right, left = low.values.pop(), low.values.pop()
    low.values.append(low.emit(Op.EITHER, left, right, -1, *node.byte_range))


def _cast(low: Writer, node: Node) -> None:
    kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    if kind is None or value is None:
        anything(low, node)
        return
    low.push(
        (low.handlers[value.kind_id], value), type_work(low, kind, MENTIONED), (_cast_end, node)
    )


def _cast_end(low: Writer, node: Node) -> None:
    kind, value = low.values.pop(), low.values.pop()
    low.values.append(low.emit(Op.NARROW, value, kind, -1, *node.byte_range))


def _binary(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        anything(low, node)
        return
    low.push((low.handlers[left.kind_id], left), (low.handlers[right.kind_id], right),
             (_operate_end, (node, 2)))  # fmt: skip


def _unary(low: Writer, node: Node) -> None:
    value = node.child_by_field_name("argument")
    if value is None:
        anything(low, node)
        return
    low.push((low.handlers[value.kind_id], value), (_operate_end, (node, 1)))


def _operate_end(low: Writer, work: tuple[Node, int]) -> None:
    """The place is that of the operator."""
    node, count = work
    right = low.values.pop() if count == 2 else -1
    word = node.child_by_field_name("operator") or next(
        (child for child in node.children if not child.is_named), node
    )
    start, end = word.byte_range
    name = low.name(low.text[start:end][:8] or b"?")
    low.values.append(low.emit(Op.OPERATE, low.values.pop(), right, name, start, end))


def _subscript(low: Writer, node: Node) -> None:
    value, listed = node.child_by_field_name("argument"), node.child_by_field_name("indices")
    found = kids(listed) if listed is not None else []
    if value is None or len(found) != 1:
        anything(low, node)
        return
    low.push((low.handlers[value.kind_id], value), (low.handlers[found[0].kind_id], found[0]),
             (subscript_end, listed))  # fmt: skip


def subscript_end(low: Writer, node: Node) -> None:
    """An element of the value below its key."""
    key, value = low.values.pop(), low.values.pop()
    start, _ = node.byte_range
    low.values.append(low.emit(Op.GETITEM, value, key, -1, start, start + 1))


def _await(low: Writer, node: Node) -> None:
    low.push(*((evaluate, child) for child in kids(node)), (opaque, node))


# ------------------------------------------------------------------------------ assignments


def _assignment(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    word = node.child_by_field_name("operator")
    if left is None or right is None:
        anything(low, node)
    elif right.type == "initializer_list":
        low.push((evaluate, right), (low.handlers[left.kind_id], left))
    elif word is not None and word.type != "=":
        _binary(low, node)
    else:
        low.push((low.handlers[left.kind_id], left), (low.handlers[right.kind_id], right),
                 (_operate_end, (node, 2)), (_assigned, left))  # fmt: skip


def _assigned(low: Writer, target: Node) -> None:
    """The value also goes where it is kept; an operator may take it, too."""
    value = low.ops[low.values[-1] * 6 + 2]
    start, end = target.byte_range
    if target.type == "identifier":
        number = machine(low).found(target)[0]
        low.emit(STORE, number, value, 1, start, end)
    elif target.type == "field_expression":
        left = low.ops[low.values[-1] * 6 + 1]
        code, owner, name = low.ops[left * 6 : left * 6 + 3]
        if code == Op.GETATTR:
            low.emit(Op.SETATTR, owner, name, value, start, end)


# ------------------------------------------------------------------------------ lambdas


def _lambda(low: Writer, node: Node) -> None:
    place, captures = node.child_by_field_name("declarator"), node.child_by_field_name("captures")
    listed = place.child_by_field_name("parameters") if place is not None else None
    known = [child for child in kids(listed) if child.type in PARAMETERS] if listed else []
    given = [
        child for child in (kids(captures) if captures is not None else ())
        if child.type == "lambda_capture_initializer"
    ]  # fmt: skip
    work: Work = []
    for each in known:
        work.append((typed, (each, declared(each.child_by_field_name("declarator")))))
    values = [child.child_by_field_name("right") for child in given]
    work += [(low.handlers[value.kind_id], value) for value in values if value is not None]
    names = [
        left for child in given
        if child.child_by_field_name("right") is not None
        and (left := child.child_by_field_name("left")) is not None
    ]  # fmt: skip
    low.push(*work, (_lambda_end, (node, known, names)))


PARAMETERS = frozenset(
    {"parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration"}
)


def _lambda_end(low: Writer, work: tuple[Node, list[Node], list[Node]]) -> None:
    node, known, names = work
    for name in reversed(names):
        value = low.values.pop()
        start, end = name.byte_range
        low.emit(STORE, machine(low).fresh(low.text[start:end]), value, -1, start, end)
    write_parameters(low, known)
    number = low.lambda_name()
    scope = low.enter(ScopeKind.LAMBDA, number, node, node.start_byte, 0, -1)
    body = node.child_by_field_name("body")
    low.later(scope, _lambda_body, (body, known, machine(low).locals.inside()), {})
    start, end = node.byte_range
    low.values.append(low.emit(Op.FUNCTION, scope, -1, -1, start, end))


def _lambda_body(low: Writer, work: tuple[Node | None, list[Node], Names]) -> None:
    body, known, names = work
    begin_function(low, known, names)
    if body is not None:
        low.push((open_block, None), (low.statements[body.kind_id], body))


def begin_function(low: Writer, known: list[Node], names: Names) -> None:
    """Parameters keep their names."""
    machine(low).locals = names
    for each in known:
        name = declared(each.child_by_field_name("declarator")).name
        if name is not None and name.type in ("identifier", "field_identifier"):
            raw = machine(low).raw(name)
            names.declare(raw, raw)


def write_parameters(low: Writer, known: list[Node], defaults: tuple[int, ...] = ()) -> None:
    """Write rows of parameters, whose types are the last values."""
    types = low.values[len(low.values) - len(known) :]
    del low.values[len(low.values) - len(known) :]
    given = iter(defaults)
    for each, kind in zip(known, types, strict=True):
        place = declared(each.child_by_field_name("declarator"))
        name = low.name(machine(low).raw(place.name)) if place.name is not None else 0
        word = Param.STAR if place.pack or each.type.startswith("variadic") else Param.POSITIONAL
        default = -1
        if each.type == "optional_parameter_declaration":
            default = next(given, kind)
        low.params += (word, name, default, kind, each.start_byte)


EXPRESSIONS: dict[str, Handler] = {
    "identifier": identifier,
    "field_identifier": identifier,
    "this": _this,
    "qualified_identifier": _qualified,
    "template_function": _template_name,
    "template_method": _template_name,
    "parenthesized_expression": inner,
    "pointer_expression": _unary,
    "unary_expression": _unary,
    "update_expression": _unary,
    "subscript_expression": _subscript,
    "comma_expression": last,
    "field_expression": _field,
    "call_expression": _call,
    "new_expression": _new,
    "conditional_expression": _conditional,
    "cast_expression": _cast,
    "binary_expression": _binary,
    "assignment_expression": _assignment,
    "compound_literal_expression": _compound,
    "lambda_expression": _lambda,
    "parameter_pack_expansion": _first,
    "co_await_expression": _await,
    "sizeof_expression": opaque,
    "alignof_expression": opaque,
    "decltype": opaque,
    "requires_expression": opaque,
    "string_literal": text,
    "raw_string_literal": _raw_text,
    "concatenated_string": text,
    "user_defined_literal": opaque,
    "char_literal": _literal(b"char"),
    "number_literal": _number,
    "true": _truth,
    "false": _truth,
    "null": _nothing,
    "gnu_asm_expression": assembler,
}

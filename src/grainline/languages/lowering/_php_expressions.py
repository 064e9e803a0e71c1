"""Expressions of PHP: each handler leaves one value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grainline.languages.lowering._php_names import (
    NAMES,
    function_name,
    get_computed,
    global_of,
    last_name,
    load,
    load_class,
    machine,
    put_computed,
    raw,
    unknown,
    variable_name,
    words_of,
    written_name,
)
from grainline.languages.lowering.base import Handler, Writer, anything, drop, kids, opaque
from grainline.languages.lowering.common import Spec, display_end, inner, take_ports
from grainline.model.ir import GENERATOR, OP_WIDTH, Const, Make, Op, Port, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node

GETATTR, GETITEM, CALL, MAKE = int(Op.GETATTR), int(Op.GETITEM), int(Op.CALL), int(Op.MAKE)


def member(low: Writer, work: tuple[Node, bytes]) -> None:
    """The member of the last value that a node names, behind a prefix."""
    node, prefix = work
    name = low.name(prefix + raw(low, node))
    low.values.append(low.emit(GETATTR, low.values.pop(), name, -1, *node.byte_range))


def hide(low: Writer, node: Node) -> None:
    """The last value becomes one of which nothing is known: no variable has this name."""
    low.values[-1] = load(low, b"$", node)


def _variable(low: Writer, node: Node) -> None:
    low.values.append(load(low, variable_name(low, node), node))


# ------------------------------------------------------------------------------ constants


def _string(low: Writer, node: Node) -> None:
    found = kids(node)
    if not found:
        low.constant(Const.STR, b"", node)
    elif len(found) == 1 and found[0].type == "string_content":
        low.constant(Const.STR, raw(low, found[0]), node)
    elif node.type == "string":
        low.constant(Const.STR, raw(low, node)[1:-1], node)
    else:
        _text(low, (node, found))


def _text(low: Writer, work: tuple[Node, list[Node]]) -> None:
    """A text that is made of parts."""
    node, found = work
    low.push(*((_part, part) for part in found), (_text_end, (node, len(found))))


def _part(low: Writer, node: Node) -> None:
    if node.type in _PIECES:
        low.constant(Const.STR, raw(low, node), node)
    else:
        low.visit(node)


_PIECES = frozenset({"string_content", "escape_sequence", "nowdoc_string"})


def _text_end(low: Writer, work: tuple[Node, int]) -> None:
    node, count = work
    display_end(low, (node, Make.TEXT, [(int(Port.POSITIONAL), -1)] * count))


def _document(low: Writer, node: Node) -> None:
    """A text of several lines."""
    body = next((child for child in kids(node) if child.type.endswith("_body")), None)
    _text(low, (node, [] if body is None else kids(body)))


def _shell(low: Writer, node: Node) -> None:
    """A text that is run as a command."""
    low.push((_text, (node, kids(node))), (_unary_end, (node, b"shell")))


def _unary(low: Writer, node: Node) -> None:
    """`!x`, `-x`, `(int) x`, `print x`."""
    found = kids(node)
    if not found:
        anything(low, node)
        return
    word = {"print_intrinsic": b"echo"}.get(node.type) or raw(low, node.children[0])
    if node.type == "cast_expression":
        word = b"(" + raw(low, found[0]).lower() + b")"
    low.push((low.handlers[found[-1].kind_id], found[-1]), (_unary_end, (node, word)))


def _unary_end(low: Writer, work: tuple[Node, bytes]) -> None:
    node, word = work
    name = low.name(word)
    low.values.append(low.emit(Op.OPERATE, low.values.pop(), -1, name, *node.byte_range))


def echoed(low: Writer, node: Node) -> None:
    """What is written to the answer."""
    low.push((low.handlers[node.kind_id], node), (_unary_end, (node, b"echo")), (drop, None))


def _constant(kind: Const) -> Handler:
    def handler(low: Writer, node: Node) -> None:
        low.constant(kind, raw(low, node), node)

    return handler


# ------------------------------------------------------------------------------ members


def scope_value(low: Writer, node: Node) -> None:
    """What stands before `::`."""
    if node.type in NAMES or node.type == "relative_scope":
        low.values.append(load_class(low, node))
    else:
        low.visit(node)


def _access(low: Writer, node: Node) -> None:
    owner, name = node.child_by_field_name("object"), node.child_by_field_name("name")
    if owner is None or name is None:
        anything(low, node)
    elif name.type == "name":
        low.push((low.handlers[owner.kind_id], owner), (member, (name, b"$")))
    else:
        low.push((low.handlers[owner.kind_id], owner), (low.handlers[name.kind_id], name),
                 (named, name), (_item_end, node))  # fmt: skip


def named(low: Writer, node: Node) -> None:
    """The last value as the name of a property."""
    word = low.name(b"property")
    low.values.append(low.emit(Op.OPERATE, low.values.pop(), -1, word, *node.byte_range))


def _static_access(low: Writer, node: Node) -> None:
    owner, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
    if owner is None or name is None:
        anything(low, node)
    elif name.type == "variable_name":
        low.push((scope_value, owner), (member, (name, b"")))
    else:
        low.push((scope_value, owner), (hide, node))


def _class_constant(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        anything(low, node)
    elif found[1].type == "name" and raw(low, found[1]).lower() == b"class":
        if found[0].type in NAMES or raw(low, found[0]).lower() == b"self":
            scope_value(low, found[0])
        else:
            low.push((scope_value, found[0]), (hide, node))
    elif found[1].type == "name":
        low.push((scope_value, found[0]), (member, (found[1], b"")))
    else:
        low.push((scope_value, found[0]), (hide, node))


def _dynamic(low: Writer, node: Node) -> None:
    word = written_name(low, node)
    low.values.append(get_computed(low, node) if word is None else load(low, word, node))


def _item(low: Writer, node: Node) -> None:
    found = kids(node)
    word = global_of(low, node)
    if word is not None:
        low.values.append(load(low, word, node))
    elif len(found) == 2:
        low.todo.append((_item_end, node))
        low.visit_all(found)
    else:
        anything(low, node)


def _item_end(low: Writer, node: Node) -> None:
    key, owner = low.values.pop(), low.values.pop()
    low.values.append(low.emit(GETITEM, owner, key, -1, *node.byte_range))


# ------------------------------------------------------------------------------ calls


def arguments(low: Writer, node: Node | None) -> tuple[Spec, list[Node]]:
    """What an argument list passes, and the nodes of the values."""
    spec: Spec = []
    values: list[Node] = []
    for child in kids(node) if node is not None else ():
        found = kids(child)
        if child.type != "argument" or not found:
            continue
        name = child.child_by_field_name("name")
        value = found[-1]
        if value.type == "variadic_unpacking" and (inside := kids(value)):
            spec.append((Port.STAR, -1))
            value = inside[0]
        elif name is not None:
            spec.append((Port.KEYWORD, low.name(b"$" + raw(low, name))))
        else:
            spec.append((Port.POSITIONAL, -1))
        values.append(value)
    return spec, values


def makes_closure(node: Node | None) -> bool:
    """Whether an argument list is `(...)`: the function itself is meant."""
    return node is not None and any(child.type == "variadic_placeholder" for child in kids(node))


def call_work(low: Writer, node: Node, code: int) -> None:
    """Put a call of the last value on the stack of work."""
    listed = node.child_by_field_name("arguments")
    if listed is None:
        listed = next((child for child in kids(node) if child.type == "arguments"), None)
    if makes_closure(listed):
        return
    spec, values = arguments(low, listed)
    low.todo.append((call_end, (node, spec, code)))
    low.visit_all(values)


def call_end(low: Writer, work: tuple[Node, Spec, int]) -> None:
    """A call, whose arguments are the last values, the callee below them."""
    node, spec, code = work
    first, count = take_ports(low, spec)
    callee = low.values.pop()
    low.values.append(low.emit(code, callee, first, count, *node.byte_range))


def _called(low: Writer, node: Node) -> None:
    call_work(low, node, CALL)


def _call(low: Writer, node: Node) -> None:
    function = node.child_by_field_name("function")
    if function is None:
        anything(low, node)
    elif function.type in NAMES:
        word = words_of(low, function)
        name = function_name(machine(low).context, word)
        low.values.append(load(low, name, last_name(function)))
        if word.rpartition(b"\\")[2] in CALLING:
            low.push((_calling, node))
        elif word in _NAMING:
            low.push((_called, node), (_NAMING[word], node))
        else:
            _called(low, node)
    elif function.type in _TEXTS:
        low.values.append(load(low, b"$", function))
        _called(low, node)
    else:
        low.push((low.handlers[function.kind_id], function), (_called, node))


def _extracted(low: Writer, node: Node) -> None:
    """`extract($all)`: variables are set to its elements, by the keys."""
    for given in _first_argument(low):
        put_computed(low, low.emit(Op.ITER, given, 0, -1, *node.byte_range), node)


def _compacted(low: Writer, node: Node) -> None:
    """`compact(...)`: elements are what variables hold that are named by texts."""
    low.values[-1] = get_computed(low, node)


def _first_argument(low: Writer) -> list[int]:
    """The register of what the last value, a call, is given first."""
    row = low.ops[low.values[-1] * OP_WIDTH :][:OP_WIDTH]
    return [low.ports[row[2] * 3 + 2]] if row[0] == CALL and row[3] else []


_NAMING: dict[bytes, Handler] = {b"extract": _extracted, b"compact": _compacted}
"""Functions of the language that variables are named to."""

_TEXTS = frozenset({"string", "encapsed_string"})


def _calling(low: Writer, node: Node) -> None:
    """A function of the language that calls what it gets, also what is named by a string."""
    listed = node.child_by_field_name("arguments")
    if makes_closure(listed):
        return
    spec, values = arguments(low, listed)
    low.push(*((_callback, value) for value in values), (call_end, (node, spec, CALL)))


_FUNCTION = re.compile(rb"\\?[A-Za-z_\x80-\xff][\w\x80-\xff]*(?:\\{1,2}[\w\x80-\xff]+)*")
_METHOD = re.compile(rb"\\?([A-Za-z_\x80-\xff][\w\\\x80-\xff]*)::([\w\x80-\xff]+)")


def _callback(low: Writer, node: Node) -> None:
    found = kids(node)
    if node.type not in _TEXTS or len(found) != 1 or found[0].type != "string_content":
        low.visit(node)
        return
    text = raw(low, found[0]).replace(b"\\\\", b"\\")
    method = _METHOD.fullmatch(text)
    if method is not None:
        owner = load(low, method[1], found[0])
        value = low.emit(GETATTR, owner, low.name(method[2]), -1, *found[0].byte_range)
    elif _FUNCTION.fullmatch(text):
        value = load(low, b"\\" + text.lstrip(b"\\") + b"()", found[0])
    else:
        low.visit(node)
        return
    low.values.append(value)


CALLING = frozenset(
    b"""array_map array_filter array_walk array_walk_recursive array_reduce usort uasort uksort
    call_user_func call_user_func_array preg_replace_callback iterator_apply array_udiff
    array_uintersect array_diff_ukey register_shutdown_function set_error_handler
    set_exception_handler spl_autoload_register ob_start forward_static_call
    forward_static_call_array header_register_callback is_callable""".split()
)
"""Functions of the language whose arguments may name functions."""


def _method_call(low: Writer, node: Node) -> None:
    owner, name = node.child_by_field_name("object"), node.child_by_field_name("name")
    if owner is None or name is None:
        anything(low, node)
        return
    end = (member, (name, b"")) if name.type == "name" else (hide, name)
    low.push((low.handlers[owner.kind_id], owner), end, (_called, node))


def _static_call(low: Writer, node: Node) -> None:
    owner, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
    if owner is None or name is None:
        anything(low, node)
        return
    end = (member, (name, b"")) if name.type == "name" else (hide, name)
    low.push((scope_value, owner), end, (_called, node))


def _new(low: Writer, node: Node) -> None:
    found = kids(node)
    if not found:
        anything(low, node)
        return
    kind = found[0]
    if kind.type in NAMES or kind.type == "relative_scope":
        word = raw(low, kind).lower()
        if word == b"parent" and not machine(low).context.parent:
            low.values.append(unknown(low, kind))
        else:
            low.values.append(load_class(low, kind, making=True))
        call_work(low, node, Op.NEW)
    elif kind.type == "anonymous_class":
        low.push((low.handlers[kind.kind_id], kind), (_new_end, kind))
    else:
        low.push((low.handlers[kind.kind_id], kind), (_new_end, node))


def _new_end(low: Writer, node: Node) -> None:
    call_work(low, node, Op.NEW)


# ------------------------------------------------------------------------------ operators


def _binary(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        anything(low, node)
        return
    word = raw(low, operator).lower()
    second = low.handlers[right.kind_id]
    if word == b"instanceof":
        second = scope_value
    word = b"&&" if word == b"and" else word
    low.push((low.handlers[left.kind_id], left), (second, right), (_binary_end, (node, word)))


def _binary_end(low: Writer, work: tuple[Node, bytes]) -> None:
    node, word = work
    right, left = low.values.pop(), low.values.pop()
    if word == b"??":
        value = low.emit(Op.EITHER, left, right, -1, *node.byte_range)
    else:
        value = low.emit(Op.OPERATE, left, right, low.name(word), *node.byte_range)
    low.values.append(value)


def either_end(low: Writer, node: Node) -> None:
    """One of the last two values."""
    _binary_end(low, (node, b"??"))


def _choice_end(low: Writer, node: Node) -> None:
    right, left, test = low.values.pop(), low.values.pop(), low.values.pop()
    low.values.append(low.emit(Op.EITHER, left, right, test, *node.byte_range))


def _conditional(low: Writer, node: Node) -> None:
    condition = node.child_by_field_name("condition")
    body, other = node.child_by_field_name("body"), node.child_by_field_name("alternative")
    if condition is None or other is None:
        anything(low, node)
    elif body is None:
        low.push(*((low.handlers[each.kind_id], each) for each in (condition, other)),
                 (either_end, node))  # fmt: skip
    else:
        low.push(*((low.handlers[each.kind_id], each) for each in (condition, body, other)),
                 (_choice_end, node))  # fmt: skip


def _last(low: Writer, node: Node) -> None:
    """What is passed on: of `clone`, `@`."""
    found = kids(node)
    if found:
        low.visit(found[-1])
    else:
        anything(low, node)


def _throw(low: Writer, node: Node) -> None:
    found = kids(node)
    if not found:
        opaque(low, node)
        return
    low.push((low.handlers[found[0].kind_id], found[0]), (_throw_end, node))


def _throw_end(low: Writer, node: Node) -> None:
    low.emit(Op.RAISE, low.values.pop(), -1, -1, *node.byte_range)
    opaque(low, node)


def _yield(low: Writer, node: Node) -> None:
    if low.scopes[low.scope][0] in (ScopeKind.FUNCTION, ScopeKind.LAMBDA):
        low.scopes[low.scope][11] |= GENERATOR
    found = kids(node)
    while len(found) == 1 and found[0].type == "array_element_initializer":
        found = kids(found[0])[-1:]
    delegates = any(child.type == "from" for child in node.children)
    if not found:
        low.values.append(low.emit(Op.YIELD, -1, 0, -1, *node.byte_range))
        return
    low.push((low.handlers[found[-1].kind_id], found[-1]), (_yield_end, (node, delegates)))


def _yield_end(low: Writer, work: tuple[Node, bool]) -> None:
    node, delegates = work
    low.values.append(low.emit(Op.YIELD, low.values.pop(), int(delegates), -1, *node.byte_range))


def _match(low: Writer, node: Node) -> None:
    """One of the results."""
    condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    work: list[tuple[Handler, object]] = []
    if condition is not None:
        work += [(low.handlers[condition.kind_id], condition), (drop, None)]
    results = 0
    for each in kids(body) if body is not None else ():
        tests = each.child_by_field_name("conditional_expressions")
        result = each.child_by_field_name("return_expression")
        for test in kids(tests) if tests is not None else ():
            work += [(low.handlers[test.kind_id], test), (drop, None)]
        if result is not None:
            work.append((low.handlers[result.kind_id], result))
            results += 1
    if not results:
        work.append((opaque, node))
    low.push(*work, *[(either_end, node)] * (results - 1))


# ------------------------------------------------------------------------------ arrays


def _array(low: Writer, node: Node) -> None:
    pairs: list[list[Node]] = []
    keyed = False
    for child in kids(node):
        found = kids(child)
        if child.type != "array_element_initializer" or not found:
            continue
        pairs.append(found[-2:])
        keyed = keyed or len(found) > 1
    spec: list[bytes] = []
    nodes: list[Node] = []
    for found in pairs:
        value = found[-1]
        if value.type == "variadic_unpacking" and (inside := kids(value)):
            spec.append(b"*")
            nodes.append(inside[0])
        elif len(found) > 1:
            spec.append(b"=")
            nodes += [found[0], _unwrapped(value)]
        else:
            spec.append(b"+" if keyed else b"-")
            nodes.append(_unwrapped(value))
    work = [(low.handlers[each.kind_id], each) for each in nodes]
    low.push(*work, (_array_end, (node, spec, keyed)))


def _unwrapped(node: Node) -> Node:
    found = kids(node) if node.type == "by_ref" else []
    return found[0] if found else node


_PORTS = {b"*": int(Port.STAR), b"+": int(Port.EACH), b"-": int(Port.POSITIONAL)}


def _array_end(low: Writer, work: tuple[Node, list[bytes], bool]) -> None:
    node, spec, keyed = work
    ports: list[tuple[int, int, int]] = []
    for kind in reversed(spec):
        value = low.values.pop()
        if kind == b"=":
            ports.append((int(Port.ITEM), low.values.pop(), value))
        else:
            ports.append((_PORTS[kind], -1, value))
    ports.reverse()
    first, count = low.write_ports(ports)
    made = low.emit(MAKE, Make.DICT if keyed else Make.LIST, first, count, *node.byte_range)
    method = _pair(low, node, ports) if spec == [b"-", b"-"] else -1
    low.values.append(
        low.emit(Op.EITHER, made, method, -1, *node.byte_range) if method >= 0 else made
    )


_WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")


def _pair(low: Writer, node: Node, ports: list[tuple[int, int, int]]) -> int:
    """`[$x, 'm']` may be meant as the method; its register, or -1."""
    text = kids(kids(node)[1])[0]
    found = kids(text)
    if text.type not in _TEXTS or len(found) != 1:
        return -1
    owner = kids(kids(node)[0])[0]
    word = raw(low, found[0])
    if owner.type not in _OWNERS or not _WORD.fullmatch(word):
        return -1
    method = low.emit(GETATTR, ports[0][2], low.name(word), -1, *found[0].byte_range)
    return low.emit(Op.OPERATE, method, -1, low.name(b"static"), *node.byte_range)


_OWNERS = frozenset({"variable_name", "class_constant_access_expression",
                     "member_access_expression"})  # fmt: skip


# ------------------------------------------------------------------------------ types


def _named_type(low: Writer, node: Node) -> None:
    word = raw(low, node).lower()
    if word in _WORDS:
        low.values.append(unknown(low, node))
    elif word in (b"self", b"static"):
        low.values.append(load(low, word, node))
    else:
        low.values.append(load_class(low, node))


_WORDS = frozenset(
    b"mixed object iterable callable array int float string bool null void never true false "
    b"resource".split()
)


def _primitive(low: Writer, node: Node) -> None:
    """A type of the language: numbers and truths by name."""
    word = raw(low, node).lower()
    name = low.name(word) if word in {b"int", b"float", b"bool"} else -1
    low.values.append(low.emit(Op.CONST, Const.OTHER, name, -1, *node.byte_range))


def _type_list(low: Writer, node: Node) -> None:
    """Several types; with `static` among them only that."""
    found = [child for child in kids(node) if child.type != "primitive_type"]
    late = [child for child in found if raw(low, child).lower() == b"static"]
    found = late or found
    if not found:
        low.values.append(unknown(low, node))
        return
    ends = [(_binary_end, (node, b"|"))] * (len(found) - 1)
    low.push(*((low.handlers[each.kind_id], each) for each in found), *ends)


EXPRESSIONS: dict[str, Handler] = {
    "variable_name": _variable,
    "dynamic_variable_name": _dynamic,
    "name": _constant(Const.OTHER),
    "qualified_name": _constant(Const.OTHER),
    "string": _string,
    "encapsed_string": _string,
    "heredoc": _document,
    "nowdoc": _document,
    "shell_command_expression": _shell,
    "unary_op_expression": _unary,
    "cast_expression": _unary,
    "print_intrinsic": _unary,
    "integer": _constant(Const.INT),
    "float": _constant(Const.OTHER),
    "boolean": _constant(Const.BOOL),
    "null": _constant(Const.NONE),
    "parenthesized_expression": inner,
    "argument": _last,
    "member_access_expression": _access,
    "nullsafe_member_access_expression": _access,
    "scoped_property_access_expression": _static_access,
    "class_constant_access_expression": _class_constant,
    "subscript_expression": _item,
    "function_call_expression": _call,
    "member_call_expression": _method_call,
    "nullsafe_member_call_expression": _method_call,
    "scoped_call_expression": _static_call,
    "object_creation_expression": _new,
    "binary_expression": _binary,
    "conditional_expression": _conditional,
    "clone_expression": _last,
    "error_suppression_expression": _last,
    "by_ref": _last,
    "throw_expression": _throw,
    "yield_expression": _yield,
    "match_expression": _match,
    "array_creation_expression": _array,
    "named_type": _named_type,
    "optional_type": _last,
    "union_type": _type_list,
    "intersection_type": _type_list,
    "disjunctive_normal_form_type": _type_list,
    "type_list": _type_list,
    "primitive_type": _primitive,
    "bottom_type": opaque,
}

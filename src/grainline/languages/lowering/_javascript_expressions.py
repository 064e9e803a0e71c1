"""Expressions of JavaScript: each handler leaves one value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from grainline.languages.lowering._javascript_names import (
    EXPORTS,
    FUNCTIONS,
    declare_assigned,
    text_of,
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
from grainline.languages.lowering.common import (
    CALL,
    GETATTR,
    GETITEM,
    LOAD,
    MAKE,
    Spec,
    identifier,
    inner,
    take_ports,
)
from grainline.model.ir import OP_WIDTH, Const, Make, Op, Port

if TYPE_CHECKING:
    from tree_sitter import Node


def place_of(node: Node) -> tuple[int, int]:
    """The span of a node."""
    start, end = node.byte_range
    return start, end


def _keyword(low: Writer, node: Node) -> None:
    """`this`, `super`: names that the language binds."""
    start, end = node.byte_range
    low.values.append(low.emit(LOAD, low.name(low.text[start:end]), -1, -1, start, end))


def load(low: Writer, raw: bytes, start: int, end: int) -> int:
    """A name that is read, at a place of the source."""
    return low.emit(LOAD, low.name(low.renamed.get(raw, raw)), -1, -1, start, end)


def _member(low: Writer, node: Node) -> None:
    owner, name = node.child_by_field_name("object"), node.child_by_field_name("property")
    if owner is None or name is None:
        anything(low, node)
    elif owner.type == "identifier" and text_of(low, node) == EXPORTS:
        low.values.append(load(low, EXPORTS, *place_of(node)))
    else:
        low.todo.append((_member_end, name))
        low.visit(owner)


def _member_end(low: Writer, node: Node) -> None:
    start, end = node.byte_range
    name = low.name(low.text[start:end])
    low.values.append(low.emit(GETATTR, low.values.pop(), name, -1, start, end))


def _nested(low: Writer, node: Node) -> None:
    """`a.b` as a name of a type or namespace."""
    found = kids(node)
    if len(found) != 2:
        anything(low, node)
        return
    low.todo.append((_member_end, found[1]))
    low.visit(found[0])


def _subscript(low: Writer, node: Node) -> None:
    owner, index = node.child_by_field_name("object"), node.child_by_field_name("index")
    if owner is None or index is None:
        anything(low, node)
        return
    low.todo.append((_subscript_end, node))
    low.visit_all([owner, index])


def _subscript_end(low: Writer, node: Node) -> None:
    key, value = low.values.pop(), low.values.pop()
    low.values.append(low.emit(GETITEM, value, key, -1, *node.byte_range))


def spread(node: Node) -> tuple[Spec, list[Node]]:
    """What a list of values passes, and their nodes."""
    spec: Spec = []
    nodes: list[Node] = []
    for child in kids(node):
        if child.type == "spread_element" and (found := kids(child)):
            spec.append((Port.STAR, -1))
            nodes.append(found[0])
        else:
            spec.append((Port.POSITIONAL, -1))
            nodes.append(child)
    return spec, nodes


def _call(low: Writer, node: Node) -> None:
    callee, passed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if callee is None or passed is None:
        anything(low, node)
        return
    if callee.type in _LOADERS and (module := constant_text(low, passed)) is not None:
        if callee.type == "import":
            _load(low, node, module, b"")
            return
        if text_of(low, callee) == b"require" and b"require" not in low.renamed:
            _load(low, node, module, EXPORTS)
            return
    _call_with(low, node, CALL, callee, passed)


_LOADERS = frozenset({"import", "identifier"})


def _load(low: Writer, node: Node, module: bytes, member: bytes) -> None:
    name = low.name(member) if member else -1
    low.values.append(low.emit(Op.IMPORT, low.name(module), name, 0, *node.byte_range))


def constant_text(low: Writer, node: Node) -> bytes | None:
    """The text of the only argument, when it is a constant string."""
    found = kids(node)
    if len(found) != 1 or found[0].type not in {"string", "template_string"}:
        return None
    if any(part.type == "template_substitution" for part in found[0].named_children):
        return None
    return text_of(low, found[0])[1:-1]


def _call_with(low: Writer, node: Node, code: int, callee: Node, passed: Node | None) -> None:
    spec: Spec = []
    nodes: list[Node] = []
    if passed is not None and passed.type == "template_string":  # the texts are the first argument
        nodes = [kids(part)[0] for part in kids(passed) if part.type == "template_substitution" and kids(part)]  # fmt: skip
        spec = [(int(Port.POSITIONAL), -1)] * len(nodes)
    elif passed is not None:
        spec, nodes = spread(passed)
    if passed is not None and passed.type == "template_string":
        spec.insert(0, (int(Port.POSITIONAL), -1))
        low.todo.append((_call_end, (node, code, spec)))
        low.visit_all(nodes)
        low.push((low.handlers[callee.kind_id], callee), (opaque, passed))
        return
    low.todo.append((_call_end, (node, code, spec)))
    low.visit_all([callee, *nodes])


def _call_end(low: Writer, work: tuple[Node, int, Spec]) -> None:
    node, code, spec = work
    first, count = take_ports(low, spec)
    low.values.append(low.emit(code, low.values.pop(), first, count, *node.byte_range))


def _new(low: Writer, node: Node) -> None:
    callee = node.child_by_field_name("constructor")
    if callee is None:
        anything(low, node)
        return
    _call_with(low, node, Op.NEW, callee, node.child_by_field_name("arguments"))


# ------------------------------------------------------------------------------ displays


def _array(low: Writer, node: Node) -> None:
    spec, nodes = spread(node)
    low.todo.append((_array_end, (node, spec)))
    low.visit_all(nodes)


def _array_end(low: Writer, work: tuple[Node, Spec]) -> None:
    node, spec = work
    first, count = take_ports(low, spec)
    low.values.append(low.emit(MAKE, Make.LIST, first, count, *node.byte_range))


def key_text(low: Writer, node: Node) -> bytes | None:
    """The name that a key is, None when it is computed."""
    raw = text_of(low, node)
    if node.type == "string":
        return raw[1:-1]
    return None if node.type == "computed_property_name" else raw


def _object(low: Writer, node: Node) -> None:
    """Members in order: each leaves a key and a value, a spread one value."""
    kinds: list[int] = []
    work: list[tuple[Handler, Any]] = []
    for child in kids(node):
        kind = child.type
        if kind == "pair":
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is None or value is None:
                continue
            if value.type in FUNCTIONS and key.type in _NAMED_KEYS:
                low.hints[value.start_byte] = _inside(key)
            work += [(_key, key), (low.handlers[value.kind_id], value)]
            kinds.append(Port.ITEM)
        elif kind == "shorthand_property_identifier":
            work += [(_key, child), (identifier, child)]
            kinds.append(Port.ITEM)
        elif kind == "method_definition" and (key := child.child_by_field_name("name")) is not None:
            work += [(_key, key), (low.handlers[child.kind_id], child)]
            kinds.append(Port.ITEM)
        elif kind == "spread_element" and (found := kids(child)):
            work.append((low.handlers[found[0].kind_id], found[0]))
            kinds.append(Port.DOUBLE_STAR)
        else:
            work.append((evaluate, child))
    low.push(*work, (object_end, (node, kinds)))


_NAMED_KEYS = frozenset({"property_identifier", "string"})


def _inside(node: Node) -> tuple[int, int]:
    """Where the name of a key stands."""
    start, end = node.byte_range
    return (start + 1, end - 1) if node.type == "string" and end - start > 2 else (start, end)


def _key(low: Writer, node: Node) -> None:
    name = key_text(low, node)
    if name is None:
        inner(low, node)
    else:
        low.constant(Const.STR, name, node)


def object_end(low: Writer, work: tuple[Node, list[int]]) -> None:
    """Make the object of what was left for each kind of port."""
    node, kinds = work
    ports: Ports = []
    for kind in reversed(kinds):
        value = low.values.pop()
        ports.append((kind, low.values.pop() if kind == Port.ITEM else -1, value))
    first, count = low.write_ports(reversed(ports))
    low.values.append(low.emit(MAKE, Make.DICT, first, count, *node.byte_range))


# ------------------------------------------------------------------------------ operators


def _binary(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    word = node.child_by_field_name("operator")
    if left is None or right is None or word is None:
        anything(low, node)
        return
    low.todo.append((_binary_end, (node, text_of(low, word))))
    low.visit_all([left, right])


def _binary_end(low: Writer, work: tuple[Node, bytes]) -> None:
    node, word = work
    right, left = low.values.pop(), low.values.pop()
    low.values.append(_joined(low, word, left, right, node))


def _joined(low: Writer, word: bytes, left: int, right: int, node: Node) -> int:
    if word == b"&&":
        return low.emit(Op.EITHER, right, left, left, *node.byte_range)
    if word == b"||":
        return low.emit(Op.EITHER, left, right, left, *node.byte_range)
    if word == b"??":  # a value decides that is there, whether or not it is true
        return low.emit(Op.EITHER, left, right, -1, *node.byte_range)
    return low.emit(Op.OPERATE, left, right, low.name(word), *node.byte_range)


def _ternary(low: Writer, node: Node) -> None:
    parts = [node.child_by_field_name(name) for name in ("condition", "consequence", "alternative")]
    found = [part for part in parts if part is not None]
    if len(found) != 3:
        anything(low, node)
        return
    low.todo.append((_ternary_end, node))
    low.visit_all(found)


def _ternary_end(low: Writer, node: Node) -> None:
    right, left, test = low.values.pop(), low.values.pop(), low.values.pop()
    low.values.append(low.emit(Op.EITHER, left, right, test, *node.byte_range))


def _sequence(low: Writer, node: Node) -> None:
    found = kids(node)
    if not found:
        opaque(low, node)
        return
    low.push(
        *((evaluate, child) for child in found[:-1]), (low.handlers[found[-1].kind_id], found[-1])
    )


def _unary(code: Op) -> Handler:
    def end(low: Writer, node: Node) -> None:
        low.values.append(low.emit(code, low.values.pop(), -1, -1, *node.byte_range))

    def unary(low: Writer, node: Node) -> None:
        found = kids(node)
        if len(found) != 1:
            anything(low, node)
            return
        low.todo.append((end, node))
        low.visit(found[0])

    return unary


def _operator(low: Writer, node: Node) -> None:
    """`!a`, `typeof a`, `a++`: the latter binds what it gives."""
    value, word = node.child_by_field_name("argument"), node.child_by_field_name("operator")
    if value is None or word is None:
        anything(low, node)
        return
    low.todo.append((_operator_end, (node, value, text_of(low, word))))
    low.visit(value)


def _operator_end(low: Writer, work: tuple[Node, Node, bytes]) -> None:
    node, target, word = work
    value = low.emit(Op.OPERATE, low.values.pop(), -1, low.name(word), *node.byte_range)
    low.values.append(value)
    if node.type == "update_expression":
        declare_assigned(low, (target, value))


def _regex(low: Writer, node: Node) -> None:
    low.constant(Const.OTHER, text_of(low, node), node)


def _yield(low: Writer, node: Node) -> None:
    found = kids(node)
    delegates = int(any(child.type == "*" for child in node.children))
    low.scopes[low.scope][11] |= 2
    low.todo.append((_yield_end, (node, delegates, bool(found))))
    low.visit_all(found[:1])


def _yield_end(low: Writer, work: tuple[Node, int, bool]) -> None:
    node, delegates, given = work
    value = low.values.pop() if given else -1
    low.values.append(low.emit(Op.YIELD, value, delegates if given else 0, -1, *node.byte_range))


def _assignment(low: Writer, node: Node) -> None:
    """Leaves the value that was bound, for chains of assignments."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        anything(low, node)
        return
    if right.type in FUNCTIONS:
        name = left.child_by_field_name("property") if left.type == "member_expression" else left
        if name is not None and name.type in _TARGET_NAMES:
            low.hints[right.start_byte] = place_of(name)
    low.todo.append((_assigned, left))
    low.visit(right)


_TARGET_NAMES = frozenset({"identifier", "property_identifier", "private_property_identifier"})


def _assigned(low: Writer, left: Node) -> None:
    declare_assigned(low, (left, low.values[-1]))


def _augmented(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    word = node.child_by_field_name("operator")
    if left is None or right is None or word is None:
        anything(low, node)
        return
    low.todo.append((_augmented_end, (node, left, text_of(low, word)[:-1])))
    low.visit_all([left, right])


def _augmented_end(low: Writer, work: tuple[Node, Node, bytes]) -> None:
    node, left, word = work
    right, before = low.values.pop(), low.values.pop()
    low.values.append(_joined(low, word, before, right, node))
    declare_assigned(low, (left, low.values[-1]))


# ------------------------------------------------------------------------------ constants


def _string(low: Writer, node: Node) -> None:
    raw = text_of(low, node)
    low.constant(Const.STR, raw[1:-1] if len(raw) >= 2 else b"", node)


def _template(low: Writer, node: Node) -> None:
    """A text of values and of what stands between them, in order."""
    parts: list[tuple[Handler, Any]] = []
    texts = True
    for part in kids(node):
        if part.type == "template_substitution":
            texts = False
            if found := kids(part):
                parts.append((low.handlers[found[0].kind_id], found[0]))
        else:
            parts.append((_fragment, part))
    if texts:
        _string(low, node)
        return
    low.push(*parts, (_template_end, (node, len(parts))))


def _fragment(low: Writer, node: Node) -> None:
    low.constant(Const.STR, text_of(low, node), node)


def _template_end(low: Writer, work: tuple[Node, int]) -> None:
    node, count = work
    first, given = take_ports(low, [(int(Port.POSITIONAL), -1)] * count)
    low.values.append(low.emit(MAKE, Make.TEXT, first, given, *node.byte_range))


def _constant(kind: Const) -> Handler:
    def constant(low: Writer, node: Node) -> None:
        low.constant(kind, text_of(low, node) if kind is not Const.NONE else None, node)

    return constant


# ------------------------------------------------------------------------------ JSX


def _element(low: Writer, node: Node) -> None:
    """An element of a component is a call of it with its attributes and children."""
    head = node
    if node.type == "jsx_element":
        found = node.child_by_field_name("open_tag")
        if found is None:
            anything(low, node)
            return
        head = found
    name = head.child_by_field_name("name")
    values: list[Node] = []
    kinds: list[int] = []
    work: list[tuple[Handler, Any]] = []
    for child in kids(head):
        found_kids = kids(child)
        if child.type == "jsx_attribute" and found_kids:
            work.append((_key, found_kids[0]))
            work.append(_part(low, found_kids[1] if len(found_kids) > 1 else child))
            kinds.append(Port.ITEM)
        elif (
            child.type == "jsx_expression" and found_kids and found_kids[0].type == "spread_element"
        ):
            values = kids(found_kids[0])[:1]
            work += [(low.handlers[value.kind_id], value) for value in values]
            kinds += [Port.DOUBLE_STAR] * len(values)
    inside = [child for child in kids(node) if child.type in _CHILDREN] if head is not node else []
    after: list[tuple[Handler, Any]] = [(evaluate, child) for child in inside]
    if name is None or not _is_component(low, name):
        made = (object_end, (head, kinds)), (_markup, head)
        low.push(*work, *made, *after, (_forget, None), (opaque, node))
        return
    low.push(
        (low.handlers[name.kind_id], name),
        *work,
        (object_end, (head, kinds)),
        *after,
        (_call_end, (node, CALL, [(int(Port.POSITIONAL), -1)])),
    )


_CHILDREN = frozenset({"jsx_element", "jsx_self_closing_element", "jsx_expression"})


_MARKUP: Final = b"dangerouslySetInnerHTML"


def _markup(low: Writer, head: Node) -> None:
    """What is set as markup is set on the element that is made."""
    if _MARKUP not in low.names:
        return
    at = low.values[-1] * OP_WIDTH
    first, count = low.ops[at + 2 : at + 4]
    for kind, key, value in zip(
        *[iter(low.ports[first * 3 : (first + count) * 3])] * 3, strict=True
    ):
        if kind == Port.ITEM and low.ops[key * OP_WIDTH + 2] == low.names[_MARKUP]:
            low.emit(Op.SETATTR, low.values[-1], low.names[_MARKUP], value, *head.byte_range)


def _part(low: Writer, node: Node) -> tuple[Handler, Any]:
    if node.type == "jsx_attribute":
        return opaque, node
    return low.handlers[node.kind_id], node


def _forget(low: Writer, _: Any) -> None:
    low.values.pop()


def _is_component(low: Writer, name: Node) -> bool:
    raw = text_of(low, name)
    return name.type == "member_expression" or not raw[:1].islower()


EXPRESSIONS: dict[str, Handler] = {
    "identifier": identifier,
    "type_identifier": identifier,
    "shorthand_property_identifier": identifier,
    "undefined": _constant(Const.NONE),
    "this": _keyword,
    "this_type": _keyword,
    "super": _keyword,
    "member_expression": _member,
    "nested_identifier": _nested,
    "nested_type_identifier": _nested,
    "subscript_expression": _subscript,
    "call_expression": _call,
    "new_expression": _new,
    "array": _array,
    "object": _object,
    "binary_expression": _binary,
    "ternary_expression": _ternary,
    "sequence_expression": _sequence,
    "await_expression": _unary(Op.AWAIT),
    "yield_expression": _yield,
    "assignment_expression": _assignment,
    "augmented_assignment_expression": _augmented,
    "parenthesized_expression": inner,
    "non_null_expression": inner,
    "spread_element": inner,
    "computed_property_name": inner,
    "jsx_expression": inner,
    "jsx_element": _element,
    "jsx_self_closing_element": _element,
    "string": _string,
    "template_string": _template,
    "number": _constant(Const.INT),
    "true": _constant(Const.BOOL),
    "false": _constant(Const.BOOL),
    "null": _constant(Const.NONE),
    "unary_expression": _operator,
    "update_expression": _operator,
    "regex": _regex,
    "meta_property": opaque,
    "import": opaque,
    "jsx_text": opaque,
    "jsx_closing_element": opaque,
}

"""Expressions of Ruby: constants, fields, displays, operators."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from grainline.languages.lowering._ruby_names import (
    BLOCK,
    GETATTR,
    Work,
    bind,
    define,
    either_end,
    kids,
    load,
    machine,
    own,
    raw,
    sequence,
    symbol,
    value_of,
)
from grainline.languages.lowering.base import Handler, Writer, anything, close, drop, opaque
from grainline.languages.lowering.common import Spec, take_ports, then
from grainline.model.ir import Const, Make, Op, Port

if TYPE_CHECKING:
    from tree_sitter import Node


def _constant(kind: Const) -> Handler:
    def handler(low: Writer, node: Node) -> None:
        low.constant(kind, raw(low, node), node)

    return handler


def _text(low: Writer, node: Node) -> None:
    """A text, made of what is put into it and of what stands between."""
    found = [child for child in kids(node) if child.type != "heredoc_end"]
    if not found:
        low.constant(Const.STR, b"", node)
    elif all(child.type != "interpolation" for child in found):
        low.constant(Const.STR, b"".join(raw(low, child) for child in found), node)
    else:
        low.push(*(_part(low, child) for child in found), (_made_text, (node, len(found))))


def _part(low: Writer, node: Node) -> tuple[Handler, Any]:
    return value_of(low, node) if node.type == "interpolation" else (_fragment, node)


def _fragment(low: Writer, node: Node) -> None:
    low.constant(Const.STR, raw(low, node), node)


def _made_text(low: Writer, work: tuple[Node, int]) -> None:
    node, count = work
    _display(low, (node, Make.TEXT, [(int(Port.POSITIONAL), -1)] * count))


def _chained(low: Writer, node: Node) -> None:
    """Texts behind each other are one."""
    found = kids(node)
    low.push(*(value_of(low, each) for each in found), (_made_text, (node, len(found))))


def _shell(low: Writer, node: Node) -> None:
    """A command, which runs."""
    low.push((_text, node), (_ran, node))


def _ran(low: Writer, node: Node) -> None:
    value = low.values.pop()
    low.values.append(low.emit(Op.OPERATE, value, -1, low.name(b"shell"), *node.byte_range))


def _regex(low: Writer, node: Node) -> None:
    """A regular expression, with its slashes where it is written out."""
    found = kids(node)
    if any(child.type == "interpolation" for child in found):
        _text(low, node)
        return
    flags = raw(low, node.children[-1])[1:]
    text = b"".join(raw(low, child) for child in found)
    low.constant(Const.OTHER, b"/" + text + b"/" + flags, node)


def _heredoc(low: Writer, node: Node) -> None:
    """A text that stands below."""
    body = _bodies(low, node).get(node.start_byte)
    if body is None:
        opaque(low, node)
    else:
        _text(low, body)


def _bodies(low: Writer, node: Node) -> dict[int, Node]:
    """Where a text below is named -> the text: they come in the same order."""
    state = machine(low)
    if state.heredocs is None:
        while node.parent is not None:
            node = node.parent
        names: list[int] = []
        bodies: list[Node] = []
        waiting = [node]
        while waiting:
            each = waiting.pop()
            if each.type == "heredoc_beginning":
                names.append(each.start_byte)
            elif each.type == "heredoc_body":
                bodies.append(each)
            waiting += each.named_children
        bodies.sort(key=lambda body: body.start_byte)
        state.heredocs = dict(zip(sorted(names), bodies, strict=False))
    return state.heredocs


def _symbol(low: Writer, node: Node) -> None:
    low.constant(Const.STR, symbol(low, node), node)


def _interpolation(low: Writer, node: Node) -> None:
    low.push(*sequence(low, kids(node), node))


def _self(low: Writer, node: Node) -> None:
    low.values.append(own(low, node))


# ------------------------------------------------------------------------------ names


_WORDS = re.compile(rb"(?:::)?[^\W\d]\w*(?:::[^\W\d]\w*)*")


def chain(low: Writer, node: Node) -> bytes:
    """`A::B` as written, b"" where something else than constants stands in it."""
    if node.type not in ("constant", "scope_resolution"):
        return b""
    word = b"".join(raw(low, node).split())
    return word if _WORDS.fullmatch(word) and node.type in _CHAIN else b""


_CHAIN = frozenset({"constant", "scope_resolution"})


def constant(low: Writer, node: Node) -> None:
    """A constant, by itself or behind others."""
    word = chain(low, node)
    name = node.child_by_field_name("name") or node
    if word and word.removeprefix(b"::")[:1].isupper():
        nesting = b"|".join(machine(low).context.nesting)
        low.values.append(load(low, word + b"#" + nesting, name))
        return
    scope = node.child_by_field_name("scope")
    if scope is None:
        opaque(low, node)
    else:
        low.push(value_of(low, scope), (_inside, name))


def _inside(low: Writer, name: Node) -> None:
    number = low.name(b"::" + raw(low, name))
    low.values.append(low.emit(GETATTR, low.values.pop(), number, -1, *name.byte_range))


def variable(low: Writer, node: Node) -> bool:
    """Whether an identifier is a local, which is then read."""
    known = machine(low).locals.known(raw(low, node))
    if known:
        low.values.append(load(low, known, node))
    return bool(known)


def field(low: Writer, node: Node) -> None:
    """A field of `self`, or of the class."""
    owner = own(low, node)
    low.values.append(low.emit(GETATTR, owner, low.name(raw(low, node)), -1, *node.byte_range))


def _global(low: Writer, node: Node) -> None:
    low.values.append(load(low, raw(low, node), node))


# ------------------------------------------------------------------------------ bindings


def assign(low: Writer, work: tuple[Node, int]) -> None:
    """A target takes the value of a register."""
    node, value = work
    kind = node.type
    if kind == "identifier":
        bind(low, node, value)
    elif kind in ("instance_variable", "class_variable"):
        owner = own(low, node)
        low.emit(Op.SETATTR, owner, low.name(raw(low, node)), value, *node.byte_range)
    elif kind == "global_variable":
        number = low.name(raw(low, node))
        if low.scope:
            low.emit(Op.GLOBAL, number, -1, -1, *node.byte_range)
        low.emit(Op.STORE, number, value, -1, *node.byte_range)
    elif chain(low, node):
        define(low, chain(low, node), value, node)
    elif kind == "call":
        _set_member(low, node, value)
    elif kind == "element_reference" and kids(node):
        first, *keys = kids(node)
        key = value_of(low, keys[0]) if keys else (opaque, node)
        low.push(value_of(low, first), key, (_set_item, (node, value)))
    elif kind in _LISTS:
        _unpack(low, node, value)


_LISTS = frozenset({"left_assignment_list", "destructured_left_assignment",
                    "destructured_parameter"})  # fmt: skip


def _set_member(low: Writer, node: Node, value: int) -> None:
    owner, name = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    if owner is not None and name is not None:
        low.push(value_of(low, owner), (_set_end, (name, value)))


def _set_end(low: Writer, work: tuple[Node, int]) -> None:
    name, value = work
    start, end = name.byte_range
    number = low.name(raw(low, name) + b"=")
    callee = low.emit(GETATTR, low.values.pop(), number, -1, start, end)
    first, count = low.write_ports([(int(Port.POSITIONAL), -1, value)])
    low.emit(Op.CALL, callee, first, count, start, end)


def _set_item(low: Writer, work: tuple[Node, int]) -> None:
    node, value = work
    key, owner = low.values.pop(), low.values.pop()
    low.emit(Op.SETITEM, owner, key, value, *node.byte_range)


def _unpack(low: Writer, node: Node, value: int) -> None:
    targets = kids(node)
    stars = [at for at, each in enumerate(targets) if each.type in _RESTS]
    work: Work = []
    for at, each in enumerate(targets):
        if each.type in _RESTS:
            inside = kids(each)
            if inside:
                rest = low.emit(Op.REST, value, at, len(targets) - 1 - at, *each.byte_range)
                work.append((assign, (inside[0], rest)))
            continue
        number = at - len(targets) if stars and at > stars[0] else at
        item = low.emit(Op.ELEMENT, value, number, len(targets), *each.byte_range)
        work.append((assign, (each, item)))
    low.push(*work)


_RESTS = frozenset({"rest_assignment", "splat_parameter"})


def _assignment(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        anything(low, node)
    else:
        if left.type == "constant":
            low.hints[right.start_byte] = left.byte_range
        low.push(value_of(low, right), (_assigned, left))


def _assigned(low: Writer, left: Node) -> None:
    assign(low, (left, low.values[-1]))


def _operator_assignment(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        anything(low, node)
        return
    word = raw(low, operator)
    first = (_present, left)
    if word == b"||=":
        end: tuple[Handler, object] = (either_end, node)
    else:
        end = (_operated, (node, word[:-1]))
    low.push(first, value_of(low, right), end, (_assigned, left))


def _present(low: Writer, node: Node) -> None:
    """What a variable that is about to be set holds; one that is new holds nothing."""
    if node.type == "identifier" and not variable(low, node):
        opaque(low, node)
    elif node.type != "identifier":
        low.visit(node)


def _values(low: Writer, node: Node) -> None:
    """Several values on the right."""
    found = kids(node)
    spec: Spec = [(Port.STAR if each.type in _SPREADS else Port.POSITIONAL, -1) for each in found]
    low.push(*(value_of(low, each) for each in found), (_display, (node, Make.LIST, spec)))


def _words(low: Writer, node: Node) -> None:
    """`%w[a b]`."""
    found = kids(node)
    spec: Spec = [(Port.POSITIONAL, -1)] * len(found)
    low.push(*(value_of(low, each) for each in found), (_display, (node, Make.LIST, spec)))


_SPREADS = frozenset({"splat_argument"})


def _display(low: Writer, work: tuple[Node, Make, Spec]) -> None:
    node, kind, spec = work
    first, count = take_ports(low, spec)
    low.values.append(low.emit(Op.MAKE, kind, first, count, *node.byte_range))


def _inner(low: Writer, node: Node) -> None:
    found = kids(node)
    if found:
        low.visit(found[-1])
    else:
        opaque(low, node)


def _hash(low: Writer, node: Node) -> None:
    spec: list[bool] = []
    work: Work = []
    for each in kids(node):
        key, value = each.child_by_field_name("key"), each.child_by_field_name("value")
        if each.type == "pair" and key is not None:
            spec.append(True)
            shown = (shorthand, key) if value is None else value_of(low, value)
            work += [value_of(low, key), shown]
        elif each.type == "hash_splat_argument":
            spec.append(False)
            work.append(value_of(low, each))
    low.push(*work, (_hash_end, (node, spec)))


def _hash_end(low: Writer, work: tuple[Node, list[bool]]) -> None:
    node, spec = work
    ports: list[tuple[int, int, int]] = []
    for keyed in reversed(spec):
        value = low.values.pop()
        kind = Port.ITEM if keyed else Port.DOUBLE_STAR
        ports.append((int(kind), low.values.pop() if keyed else -1, value))
    ports.reverse()
    first, count = low.write_ports(ports)
    low.values.append(low.emit(Op.MAKE, Make.DICT, first, count, *node.byte_range))


def shorthand(low: Writer, key: Node) -> None:
    """`x:` passes what `x` means."""
    if not variable(low, key):
        number = low.name(raw(low, key) + b"#f")
        owner = own(low, key)
        callee = low.emit(GETATTR, owner, number, -1, *key.byte_range)
        first, count = low.write_ports(())
        low.values.append(low.emit(Op.CALL, callee, first, count, *key.byte_range))


# ------------------------------------------------------------------------------ operators


def _binary(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        anything(low, node)
        return
    word = raw(low, operator)
    if word in (b"&&", b"and"):
        low.push(value_of(low, left), (_guard, node), value_of(low, right), (close, node),
                 (_operated, (node, b"&&")))  # fmt: skip
    elif word in (b"||", b"or"):
        low.push(value_of(low, left), value_of(low, right), (either_end, node))
    else:
        low.push(value_of(low, left), value_of(low, right), (_operated, (node, word)))


def _guard(low: Writer, node: Node) -> None:
    """The right side runs where the left one holds."""
    test = low.values[-1]
    then(low, node)
    low.values.append(test)


def _operated(low: Writer, work: tuple[Node, bytes]) -> None:
    node, word = work
    right, left = low.values.pop(), low.values.pop()
    low.values.append(low.emit(Op.OPERATE, left, right, low.name(word), *node.byte_range))


def _unary(low: Writer, node: Node) -> None:
    operator, found = node.child_by_field_name("operator"), kids(node)
    word = raw(low, operator) if operator is not None else b""
    if len(found) != 1 or word not in (b"!", b"not", b"-", b"+", b"~"):
        low.push(*((low.statements[each.kind_id], each) for each in found), (opaque, node))
        return
    low.push(value_of(low, found[0]), (_alone, (node, b"!" if word == b"not" else word)))


def _alone(low: Writer, work: tuple[Node, bytes]) -> None:
    node, word = work
    value = low.values.pop()
    low.values.append(low.emit(Op.OPERATE, value, -1, low.name(word), *node.byte_range))


def item(low: Writer, node: Node) -> None:
    """An item of something; of two places, a part of it."""
    found = kids(node)
    if len(found) < 2:
        anything(low, node)
        return
    rest = [step for each in found[2:] for step in (value_of(low, each), (drop, None))]
    low.push(value_of(low, found[0]), value_of(low, found[1]), *rest, (_item_end, node))


def _item_end(low: Writer, node: Node) -> None:
    key, owner = low.values.pop(), low.values.pop()
    if len(kids(node)) > 2:  # where it begins, and how long it is
        length = low.emit(Op.CONST, Const.OTHER, -1, -1, *node.byte_range)
        key = low.emit(Op.SLICE, key, length, -1, *node.byte_range)
    low.values.append(low.emit(Op.GETITEM, owner, key, -1, *node.byte_range))


def forwarded(low: Writer, node: Node) -> None:
    """The block that a method got."""
    low.values.append(load(low, BLOCK, node))


EXPRESSIONS: dict[str, Handler] = {
    "string": _text,
    "subshell": _shell,
    "regex": _regex,
    "heredoc_body": opaque,
    "delimited_symbol": _text,
    "chained_string": _chained,
    "heredoc_beginning": _heredoc,
    "simple_symbol": _symbol,
    "hash_key_symbol": _symbol,
    "integer": _constant(Const.INT),
    "float": _constant(Const.OTHER),
    "true": _constant(Const.BOOL),
    "false": _constant(Const.BOOL),
    "nil": _constant(Const.NONE),
    "self": _self,
    "constant": constant,
    "scope_resolution": constant,
    "instance_variable": field,
    "class_variable": field,
    "global_variable": _global,
    "assignment": _assignment,
    "operator_assignment": _operator_assignment,
    "right_assignment_list": _values,
    "array": _values,
    "string_array": _words,
    "symbol_array": _words,
    "bare_string": _text,
    "bare_symbol": _text,
    "splat_argument": _inner,
    "hash_splat_argument": _inner,
    "hash": _hash,
    "interpolation": _interpolation,
    "binary": _binary,
    "unary": _unary,
}

"""Expressions of Kotlin: each handler leaves one value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grainline.languages.lowering import _kotlin_types as types
from grainline.languages.lowering import _typed as typed
from grainline.languages.lowering._kotlin_types import TYPE_NODES, name_of, type_in
from grainline.languages.lowering._typed import Work, text_of, type_work
from grainline.languages.lowering.base import Handler, Writer, drop, kids, opaque
from grainline.languages.lowering.common import inner, last, take_ports
from grainline.model.ir import MENTIONED, REFERENCE, Const, Make, Op, Port

if TYPE_CHECKING:
    from tree_sitter import Node

TRAILING = b"{}"
"""The name of an argument that stands behind the parentheses: the last parameter takes it."""

Ports = list[tuple[int, int]]


def visited(low: Writer, node: Node) -> tuple[Handler, object]:
    """An expression as work."""
    return low.handlers[node.kind_id], node


def mention(low: Writer, node: Node) -> tuple[Handler, object]:
    """A type as work."""
    return type_work(low, node, MENTIONED)


def operand(low: Writer, node: Node) -> tuple[Handler, object]:
    """What stands before `.`, `[` or `(`.

    The grammar binds an operator in front closer than the language does: `!a.b()` is `!(a.b())`.
    """
    while _has_prefix(node):
        node = kids(node)[-1]
    handler = _CHAIN.get(node.type)
    return visited(low, node) if handler is None else (handler, node)


def _has_prefix(node: Node) -> bool:
    return node.type == "unary_expression" and not node.children[0].is_named and bool(kids(node))


def _whole(low: Writer, node: Node) -> None:
    """Names, calls and items behind each other, and the operators in front of all of them."""
    words: list[bytes] = []
    head = node
    while kids(head) and (head.type in _CHAIN or _has_prefix(head)):
        if head.type not in _CHAIN:
            words.append(text_of(low, head.children[0]))
        head = kids(head)[0]
    low.push((_CHAIN[node.type], node), *((_before, (node, word)) for word in reversed(words)))


def _before(low: Writer, work: tuple[Node, bytes]) -> None:
    node, word = work
    typed.unary_end(low, (node, b"unary" if word in (b"+", b"-") else word))


# ------------------------------------------------------------------------------ names

_WORDS: dict[bytes, tuple[Const, bytes | None]] = {
    b"true": (Const.BOOL, b"true"),
    b"false": (Const.BOOL, b"false"),
    b"null": (Const.NONE, None),
}


def _identifier(low: Writer, node: Node) -> None:
    raw = text_of(low, node)
    known = _WORDS.get(raw)
    if known is not None:
        low.constant(*known, node)
    elif raw in _LEAVING:
        leave(low, (node, _LEAVING[raw]))
    else:
        _load(low, (name_of(low, node), -1, node))


_LEAVING = {b"break": Op.BREAK, b"continue": Op.CONTINUE}


def leave(low: Writer, work: tuple[Node, Op]) -> None:
    """What never has a value counts as null, which is of every type."""
    node, code = work
    low.emit(code, -1, -1, -1, *node.byte_range)
    low.constant(Const.NONE, None, node)


def _load(low: Writer, work: tuple[bytes, int, Node]) -> None:
    raw, mark, node = work
    low.values.append(low.emit(Op.LOAD, low.name(raw), mark, -1, *node.byte_range))


def _this(low: Writer, node: Node) -> None:
    """`this`, `this@Label`: the label is part of the name."""
    label = next((b"@" + name_of(low, each) for each in kids(node)), b"")
    _load(low, (b"this" + label, -1, node))


def _super(low: Writer, node: Node) -> None:
    """`super`, `super@Label`; `super<T>` is the member `super<>` of the type."""
    kind = type_in(node)
    if kind is not None:
        low.push(mention(low, kind), (_attribute, (b"super<>", -1, node)))
        return
    label = next((b"@" + name_of(low, each) for each in kids(node)), b"")
    _load(low, (b"super" + label, -1, node))


def _attribute(low: Writer, work: tuple[bytes, int, Node]) -> None:
    raw, mark, node = work
    value = low.values.pop()
    low.values.append(low.emit(Op.GETATTR, value, low.name(raw), mark, *node.byte_range))


def _navigation(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        typed.anything(low, node)
        return
    owner, name = found
    raw = name_of(low, name)
    reference = any(child.type == "::" for child in node.children)
    mark = REFERENCE if reference and raw != b"class" else -1
    low.push(operand(low, owner), (_attribute, (raw, mark, name)))


def _callable(low: Writer, node: Node) -> None:
    """`::f`, `Foo<Int>::f`."""
    owner = type_in(node)
    name = node.children[-1]
    raw = name_of(low, name)
    mark = -1 if raw == b"class" else REFERENCE
    if owner is not None:
        low.push(mention(low, owner), (_attribute, (raw, mark, name)))
    elif mark == REFERENCE:
        _load(low, (raw, mark, name))
    else:
        opaque(low, node)


# ------------------------------------------------------------------------------ calls


def arguments(low: Writer, node: Node | None) -> tuple[Work, Ports]:
    """Work that evaluates arguments, and kinds and names of their ports."""
    work: Work = []
    ports: Ports = []
    for each in kids(node) if node is not None else ():
        found = kids(each)
        if each.type != "value_argument" or not found:
            continue
        value, kind = found[-1], (int(Port.POSITIONAL), -1)
        if any(child.type == "=" for child in each.children) and len(found) > 1:
            kind = (int(Port.KEYWORD), low.name(name_of(low, found[0])))
        elif value.type == "spread_expression" or any(c.type == "*" for c in each.children):
            kind = (int(Port.STAR), -1)
        work.append(visited(low, value))
        ports.append(kind)
    return work, ports


def call_end(low: Writer, work: tuple[Node, Ports]) -> None:
    """A call of the value below those of the ports."""
    node, ports = work
    count = len(ports)
    found = low.values[len(low.values) - count :]
    del low.values[len(low.values) - count :]
    rows = [(kind, name, value) for (kind, name), value in zip(ports, found, strict=True)]
    first, count = low.write_ports(rows)
    callee = low.values.pop()
    low.values.append(low.emit(Op.CALL, callee, first, count, *node.byte_range))


def _call(low: Writer, node: Node) -> None:
    """`f(a) { b }`, which the grammar may have as a call of `f(a)`."""
    callee, listed, behind = _parts(node)
    if callee is not None and listed is None and callee.type == "call_expression":
        inside = _parts(callee)
        if inside[2] is None:
            node_types = _type_arguments(callee)
            callee, listed = inside[0], inside[1]
        else:
            node_types = None
    else:
        node_types = _type_arguments(node)
    if callee is None:
        typed.anything(low, node)
        return
    work, ports = arguments(low, listed)
    if behind is not None:
        work.append(visited(low, behind))
        ports.append((int(Port.KEYWORD), low.name(TRAILING)))
    given = types.arguments(low, node_types, MENTIONED) if node_types is not None else []
    low.push(operand(low, callee), *given, *work, (call_end, (node, ports)))


def _parts(node: Node) -> tuple[Node | None, Node | None, Node | None]:
    """What is called, arguments in parentheses, the function behind them."""
    callee: Node | None = None
    listed: Node | None = None
    behind: Node | None = None
    for each in kids(node):
        if each.type == "value_arguments":
            listed = each
        elif each.type == "annotated_lambda":
            behind = next((c for c in kids(each) if c.type == "lambda_literal"), None)
        elif callee is None and each.type != "type_arguments":
            callee = each
    return callee, listed, behind


def _type_arguments(node: Node) -> Node | None:
    return next((each for each in kids(node) if each.type == "type_arguments"), None)


def _item(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) < 2:
        typed.anything(low, node)
        return
    low.push(operand(low, found[0]), *keys(low, node, found[1:]), (_item_end, node))


def keys(low: Writer, node: Node, found: list[Node]) -> Work:
    """Work that leaves one key: a tuple of several."""
    work: Work = [visited(low, each) for each in found]
    return work if len(found) == 1 else [*work, (typed.make_list, (node, len(found)))]


def _item_end(low: Writer, node: Node) -> None:
    key, value = low.values.pop(), low.values.pop()
    low.values.append(low.emit(Op.GETITEM, value, key, -1, *node.byte_range))


# ------------------------------------------------------------------------------ operators


def _unary(low: Writer, node: Node) -> None:
    found, word = kids(node), node.child_by_field_name("operator")
    if len(found) != 1 or word is None:
        typed.anything(low, node)
        return
    raw = text_of(low, word)
    if raw == b"!!":
        low.visit(found[0])
    elif raw in (b"++", b"--"):
        # what it gives is what it was, or of the same type
        low.push(visited(low, found[0]), (typed.unary_end, (node, raw)))
    else:
        low.push(
            visited(low, found[0]), (typed.unary_end, (node, b"unary" if raw in b"+-" else raw))
        )


def _two(low: Writer, node: Node) -> None:
    """`a..b`, `a in b`."""
    found = kids(node)
    word = next((text_of(low, c) for c in node.children if not c.is_named), b"")
    if len(found) != 2:
        typed.anything(low, node)
        return
    low.push(visited(low, found[0]), visited(low, found[1]), (typed.binary_end, (node, word)))


def _infix(low: Writer, node: Node) -> None:
    """`a f b` is `a.f(b)`."""
    found = kids(node)
    if len(found) != 3:
        typed.anything(low, node)
        return
    left, name, right = found
    low.push(
        visited(low, left),
        (_attribute, (name_of(low, name), -1, name)),
        visited(low, right),
        (call_end, (node, [(int(Port.POSITIONAL), -1)])),
    )


def _is(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2 or found[1].type not in TYPE_NODES:
        typed.anything(low, node)
        return
    word = b"is" if any(child.type == "is" for child in node.children) else b"!is"
    low.push(visited(low, found[0]), mention(low, found[1]), (typed.binary_end, (node, word)))


def _as(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2 or found[1].type not in TYPE_NODES:
        typed.anything(low, node)
        return
    low.push(visited(low, found[0]), mention(low, found[1]), (typed.narrow_end, node))


def _labeled(low: Writer, node: Node) -> None:
    """`l@ x`; the grammar has `break@l` as a label too."""
    first = node.children[0] if node.children else node
    word = text_of(low, first).rstrip(b"@")
    if word in _LEAVING:
        leave(low, (node, _LEAVING[word]))
    else:
        last(low, node)


# ------------------------------------------------------------------------------ literals


def _text(low: Writer, node: Node) -> None:
    """A string, made of what is put into it and of what stands between."""
    work: Work = []
    made = False
    behind = False
    for each in kids(node):
        raw = text_of(low, each)
        if each.type == "interpolation":
            made = True
            work += [visited(low, child) for child in kids(each)[:1]]
        elif behind and (name := _NAME.match(raw)) is not None:
            made = True
            work[-1] = (_name, (each, name[0]))
            if name[0] != raw:
                work.append((_fragment, (each, len(name[0]))))
        else:
            work.append((_fragment, (each, 0)))
        behind = raw == b"$"
    if not made:
        low.constant(Const.STR, text_of(low, node).strip(b'"'), node)
        return
    low.push(*work, (_string, (node, len(work))))


_NAME = re.compile(rb"[^\W\d]\w*|`[^`]+`|[^\x00-\x7f]+")
"""What follows a `$` that stands for a variable."""


def _name(low: Writer, work: tuple[Node, bytes]) -> None:
    node, raw = work
    start = node.start_byte
    name = low.name(raw.strip(b"`"))
    low.values.append(low.emit(Op.LOAD, name, -1, -1, start, start + len(raw)))


def _fragment(low: Writer, work: tuple[Node, int]) -> None:
    node, start = work
    low.constant(Const.STR, text_of(low, node)[start:], node)


def _string(low: Writer, work: tuple[Node, int]) -> None:
    node, count = work
    first, given = take_ports(low, [(int(Port.POSITIONAL), -1)] * count)
    low.values.append(low.emit(Op.MAKE, Make.TEXT, first, given, *node.byte_range))


def _collection(low: Writer, node: Node) -> None:
    found = kids(node)
    low.push(*(visited(low, each) for each in found), (typed.make_list, (node, len(found))))


def _throw(low: Writer, node: Node) -> None:
    found = kids(node)
    low.push(*(visited(low, each) for each in found[:1]), (_thrown, (node, bool(found))))


def _thrown(low: Writer, work: tuple[Node, bool]) -> None:
    node, given = work
    value = low.values.pop() if given else -1
    low.emit(Op.RAISE, value, -1, -1, *node.byte_range)
    low.constant(Const.NONE, None, node)


def _spread(low: Writer, node: Node) -> None:
    last(low, node)


def _annotated(low: Writer, node: Node) -> None:
    found = [each for each in kids(node) if each.type != "annotation"]
    if len(found) == 1:
        low.visit(found[0])
    else:
        typed.anything(low, node)


def dropped(low: Writer, node: Node) -> Work:
    """Work that evaluates an expression and forgets it."""
    return [visited(low, node), (drop, None)]


_CHAIN: dict[str, Handler] = {
    "navigation_expression": _navigation,
    "call_expression": _call,
    "index_expression": _item,
}

EXPRESSIONS: dict[str, Handler] = {
    "identifier": _identifier,
    "this_expression": _this,
    "super_expression": _super,
    "navigation_expression": _whole,
    "callable_reference": _callable,
    "call_expression": _whole,
    "index_expression": _whole,
    "unary_expression": _unary,
    "in_expression": _two,
    "range_expression": _two,
    "infix_expression": _infix,
    "is_expression": _is,
    "as_expression": _as,
    "labeled_expression": _labeled,
    "parenthesized_expression": inner,
    "annotated_expression": _annotated,
    "spread_expression": _spread,
    "string_literal": _text,
    "multiline_string_literal": _text,
    "character_literal": typed.constant(Const.OTHER),
    "number_literal": typed.constant(Const.INT),
    "float_literal": typed.constant(Const.OTHER),
    "collection_literal": _collection,
    "throw_expression": _throw,
}

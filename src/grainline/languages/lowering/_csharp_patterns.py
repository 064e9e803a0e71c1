"""Patterns of C#: they are matched against the last value, which stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering import _csharp_types as types
from grainline.languages.lowering import _typed as typed
from grainline.languages.lowering._csharp_types import kids
from grainline.languages.lowering._typed import Work, type_work
from grainline.languages.lowering.base import Writer, drop, opaque
from grainline.model.ir import DECLARED, MENTIONED, Const, Op

if TYPE_CHECKING:
    from tree_sitter import Node


def match(low: Writer, node: Node) -> None:
    """One pattern."""
    found = kids(node)
    kind, name = node.child_by_field_name("type"), node.child_by_field_name("name")
    if node.type == "declaration_pattern":
        _bound(low, node, kind, name)
    elif node.type == "recursive_pattern":
        work: Work = []
        for each in found:
            if each.type == "property_pattern_clause":
                work += [part for sub in kids(each) for part in _member(sub)]
            elif each.type.endswith("_clause"):
                inside = kids(each)
                work += [(_element, (sub, number, len(inside)))
                         for number, sub in enumerate(inside)]  # fmt: skip
        low.push(*work)
        _bound(low, node, kind, name)
    elif node.type == "var_pattern":
        low.push(*((_unknown, each) for each in _names(node)))
    elif node.type == "type_pattern" and kind is not None:
        low.push(type_work(low, kind, MENTIONED), (drop, None))
    elif node.type in _AROUND:
        low.push(*((match, each) for each in found))
    elif node.type == "list_pattern":
        low.push(*((_any, each) for each in found if each.type not in _NOTHING))
    elif node.type in {"constant_pattern", "relational_pattern"}:
        low.push(*(part for each in found for part in typed.dropped(low, each)))
    elif node.type not in _NOTHING:
        low.push(*typed.dropped(low, node))


_AROUND = frozenset({"and_pattern", "or_pattern", "negated_pattern", "parenthesized_pattern"})
_NOTHING = frozenset({"discard", "slice_pattern"})


def _member(node: Node) -> Work:
    """`Name: pattern` is matched against a member."""
    found = kids(node)
    if not found:
        return []
    if len(found) > 1 and found[0].type == "identifier":
        return [(_read, found[0]), (match, found[-1]), (drop, None)]
    return [(opaque, node), (match, found[-1]), (drop, None)]


def _read(low: Writer, name: Node) -> None:
    start, end = name.byte_range
    number = low.name(low.text[start:end])
    low.values.append(low.emit(Op.GETATTR, low.values[-1], number, -1, start, end))


def _element(low: Writer, work: tuple[Node, int, int]) -> None:
    """A pattern by its place is matched against what stands there."""
    node, number, count = work
    value = low.emit(Op.ELEMENT, low.values[-1], number, count, *node.byte_range)
    low.values.append(value)
    found = kids(node)
    low.push(*((match, each) for each in found[-1:]), (drop, None))


def _any(low: Writer, node: Node) -> None:
    """A pattern in a list is matched against an element."""
    low.values.append(low.emit(Op.ITER, low.values[-1], 0, -1, *node.byte_range))
    low.push((match, node), (drop, None))


# ------------------------------------------------------------------------------ tests


def asked(low: Writer, node: Node) -> None:
    """Leaves what a pattern asks, in the place of the last value."""
    low.push((_tests, (node, low.values.pop())), (_truth, node))


def _truth(low: Writer, node: Node) -> None:
    if low.values[-1] < 0:
        low.values.pop()
        low.constant(Const.BOOL, None, node)


def _tests(low: Writer, work: tuple[Node, int]) -> None:
    """Leaves the test of constants in a pattern, -1 where it asks something else."""
    node, value = work
    found = kids(node)
    if node.type == "constant_pattern" and found:
        low.push((low.handlers[found[0].kind_id], found[0]), (_equal, work))
    elif node.type in _AROUND:
        low.push(*((_tests, (each, value)) for each in found), (_joined, (node, len(found))))
    else:
        low.values.append(-1)


def _equal(low: Writer, work: tuple[Node, int]) -> None:
    node, value = work
    other = low.values.pop()
    low.values.append(low.emit(Op.OPERATE, value, other, low.name(b"=="), *node.byte_range))


def _joined(low: Writer, work: tuple[Node, int]) -> None:
    node, count = work
    found = low.values[len(low.values) - count :]
    del low.values[len(low.values) - count :]
    known = [each for each in found if each >= 0]
    if not known or (len(known) < count and node.type != "and_pattern"):
        low.values.append(-1)
        return
    test, place = known[0], node.byte_range
    word = b"&&" if node.type == "and_pattern" else b"||"
    for each in known[1:]:
        test = low.emit(Op.OPERATE, test, each, low.name(word), *place)
    if node.type == "negated_pattern":
        test = low.emit(Op.OPERATE, test, -1, low.name(b"!"), *place)
    low.values.append(test)


# ------------------------------------------------------------------------------ names


def _bound(low: Writer, node: Node, kind: Node | None, name: Node | None) -> None:
    if kind is None or types.inferred(kind):
        if name is not None and name.type == "identifier":
            low.values.append(low.values[-1])
            typed.declare(low, (name, node, -1, True))
        elif name is not None:
            low.push(*((_unknown, each) for each in _names(name)))
        return
    mark = MENTIONED if name is None else DECLARED
    low.push(type_work(low, kind, mark), (_typed, (node, name)))


def _typed(low: Writer, work: tuple[Node, Node | None]) -> None:
    node, name = work
    kind = low.values.pop()
    if name is not None and name.type == "identifier":
        low.values.append(low.emit(Op.NARROW, low.values[-1], kind, -1, *node.byte_range))
        typed.declare(low, (name, node, kind, True))


def _unknown(low: Writer, name: Node) -> None:
    typed.declare(low, (name, name, -1, False))


MAX_NAMES = 64


def _names(node: Node) -> list[Node]:
    found: list[Node] = []
    open_ = [node]
    while open_ and len(found) < MAX_NAMES:
        at = open_.pop()
        if at.type == "identifier":
            found.append(at)
        else:
            open_ += reversed(kids(at))
    return found

"""Patterns of C#: they are matched against the last value, which stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering import _csharp_types as types
from grainline.languages.lowering import _typed as typed
from grainline.languages.lowering._csharp_types import kids
from grainline.languages.lowering._typed import Work, type_work
from grainline.languages.lowering.base import Writer, drop, opaque
from grainline.model.ir import DECLARED, MENTIONED, Op

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
            if each.type.endswith("_clause"):
                work += [part for sub in kids(each) for part in _inside(sub)]
        low.push(*work)
        _bound(low, node, kind, name)
    elif node.type == "var_pattern":
        low.push(*((_unknown, each) for each in _names(node)))
    elif node.type == "type_pattern" and kind is not None:
        low.push(type_work(low, kind, MENTIONED), (drop, None))
    elif node.type in _AROUND:
        low.push(*((match, each) for each in found))
    elif node.type == "list_pattern":
        low.push(*(part for each in found for part in _inside(each)))
    elif node.type in {"constant_pattern", "relational_pattern"}:
        low.push(*(part for each in found for part in typed.dropped(low, each)))
    elif node.type not in _NOTHING:
        low.push(*typed.dropped(low, node))


_AROUND = frozenset({"and_pattern", "or_pattern", "negated_pattern", "parenthesized_pattern"})
_NOTHING = frozenset({"discard", "slice_pattern"})


def _inside(node: Node) -> Work:
    """A pattern of a part of which nothing is known."""
    if node.type == "subpattern":
        found = kids(node)
        if not found:
            return []
        node = found[-1]
    return [(opaque, node), (match, node), (drop, None)]


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

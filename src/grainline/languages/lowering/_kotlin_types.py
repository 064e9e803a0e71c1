"""Types of Kotlin, and the parameters that have them.

A function type `A.(B) -> C` is `kotlin.Receiver2<A, B, C>` in the IR, one without a receiver
`kotlin.Function1<B, C>`: what is called in a function of the first kind may be a member of an A.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from grainline.languages.lowering import _typed as typed
from grainline.languages.lowering._typed import Parameter, Work, text_of, type_work
from grainline.languages.lowering.base import Handler, Writer, kids, opaque
from grainline.model.ir import DECLARED, MENTIONED, QUALIFIER, Const, Op, Param

if TYPE_CHECKING:
    from tree_sitter import Node

TYPE_NODES = frozenset(
    {
        "user_type",
        "nullable_type",
        "function_type",
        "non_nullable_type",
        "parenthesized_type",
        "dynamic",
    }
)


def name_of(low: Writer, node: Node) -> bytes:
    """An identifier without the backticks around it."""
    return text_of(low, node).strip(b"`")


def type_in(node: Node) -> Node | None:
    """The first child that is a type."""
    return next((child for child in node.children if child.type in TYPE_NODES), None)


class _Part(NamedTuple):
    """One name of a dotted type, and its arguments."""

    name: Node
    arguments: Node | None


def parts_of(node: Node) -> list[_Part]:
    """The names of a `user_type`."""
    found: list[_Part] = []
    for child in kids(node):
        if child.type == "identifier":
            found.append(_Part(child, None))
        elif child.type == "type_arguments" and found:
            found[-1] = _Part(found[-1].name, child)
    return found


def _user(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    named(low, (node, parts_of(node), mark))


def named(low: Writer, work: tuple[Node, list[_Part], int]) -> None:
    """A type by some of the names of a dotted one."""
    node, found, mark = work
    if not found:
        opaque(low, node)
        return
    todo: Work = []
    for number, part in enumerate(found):
        last = number == len(found) - 1
        todo.append((_step, (part.name, number == 0, mark if last else QUALIFIER)))
        if part.arguments is not None:
            todo += arguments(low, part.arguments, mark if last else QUALIFIER)
    low.push(*todo)


def _step(low: Writer, work: tuple[Node, bool, int]) -> None:
    node, first, mark = work
    name = low.name(name_of(low, node))
    if first:
        low.values.append(low.emit(Op.LOAD, name, mark, -1, *node.byte_range))
    else:
        value = low.values.pop()
        low.values.append(low.emit(Op.GETATTR, value, name, mark, *node.byte_range))


def arguments(low: Writer, node: Node, mark: int) -> Work:
    """Work that applies type arguments to the last value."""
    inside = mark if mark == DECLARED else MENTIONED
    found = [child for child in kids(node) if child.type == "type_projection"]
    if not found:
        return []
    work: Work = []
    for each in found:
        kind = type_in(each)
        work.append((opaque, each) if kind is None else type_work(low, kind, inside))
    return [*work, (typed.generic_end, (node, len(found), mark))]


def _nullable(low: Writer, work: tuple[Node, int]) -> None:
    """What may be null is no type of the language itself."""
    node, mark = work
    inner = type_in(node)
    if inner is None:
        opaque(low, node)
    else:
        low.push(type_work(low, inner, mark), (typed.wrapped(b"?"), node))


def _inner(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    inner = type_in(node)
    if inner is None:
        opaque(low, node)
    else:
        low.push(type_work(low, inner, mark))


def _function(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    listed = next((c for c in kids(node) if c.type == "function_type_parameters"), None)
    if listed is None:
        opaque(low, node)
        return
    before = [c for c in kids(node) if c.end_byte <= listed.start_byte and c.type in TYPE_NODES]
    behind = [c for c in kids(node) if c.start_byte >= listed.end_byte and c.type in TYPE_NODES]
    given = [each for c in kids(listed) if (each := _of_parameter(c)) is not None]
    kinds = [*before[:1], *given]
    word = b"kotlin.Receiver%d" if before else b"kotlin.Function%d"
    inside = mark if mark == DECLARED else MENTIONED
    all_ = [*kinds, *behind[:1]]
    low.push(
        (_function_name, (listed, word % len(kinds))),
        *(type_work(low, each, inside) for each in all_),
        *([] if behind else [(opaque, node)]),
        (typed.generic_end, (node, len(kinds) + 1, QUALIFIER)),
    )


def _of_parameter(node: Node) -> Node | None:
    return type_in(node) if node.type == "parameter" else node if node.type in TYPE_NODES else None


def _function_name(low: Writer, work: tuple[Node, bytes]) -> None:
    node, word = work
    low.values.append(low.emit(Op.LOAD, low.name(word), QUALIFIER, -1, *node.byte_range))


def _none(low: Writer, work: tuple[Node, int]) -> None:
    opaque(low, work[0])


TYPES: dict[str, Handler] = {
    "user_type": _user,
    "nullable_type": _nullable,
    "function_type": _function,
    "non_nullable_type": _inner,
    "parenthesized_type": _inner,
    "dynamic": _none,
}

# ------------------------------------------------------------------------------ parameters


class Listed:
    """The parameters of a list, and what stands for those that a call leaves out."""

    __slots__ = ("defaults", "found")

    def __init__(self) -> None:
        self.found: list[Parameter] = []
        self.defaults: list[Node | None] = []


def parameters_of(low: Writer, node: Node | None) -> Listed:
    """The parameters of a function."""
    listed = Listed()
    spread = False
    waiting = False
    for child in node.children if node is not None else ():
        if child.type == "parameter_modifiers":
            spread = any(each.type == "vararg" for m in kids(child) for each in m.children)
        elif child.type == "parameter" and kids(child):
            name, kind = kids(child)[0], type_in(child)
            each = Param.STAR if spread else Param.PLAIN
            listed.found.append(Parameter(each, name_of(low, name), name.start_byte, kind, []))
            listed.defaults.append(None)
            spread = False
        elif child.type == "=":
            waiting = True
        elif waiting and child.is_named and not child.is_extra and listed.defaults:
            listed.defaults[-1] = child
            waiting = False
    return listed


def type_parameters(low: Writer, node: Node) -> list[Parameter]:
    """The type parameters of what is declared, a row for each bound."""
    bounds: dict[bytes, list[Node]] = {}
    for clause in kids(node):
        for each in kids(clause) if clause.type == "type_constraints" else ():
            name, kind = kids(each)[:1], type_in(each)
            if name and kind is not None:
                bounds.setdefault(name_of(low, name[0]), []).append(kind)
    found: list[Parameter] = []
    for listed in kids(node):
        for each in kids(listed) if listed.type == "type_parameters" else ():
            name = [c for c in kids(each) if c.type == "identifier"]
            if each.type != "type_parameter" or not name:
                continue
            raw, kind = name_of(low, name[0]), type_in(each)
            kinds: list[Node | None] = [
                *([kind] if kind is not None else []), *bounds.get(raw, ())
            ] or [None]  # fmt: skip
            found += [
                Parameter(Param.TYPE, raw, name[0].start_byte, each_kind) for each_kind in kinds
            ]
    return found


def unit_type(low: Writer, node: Node) -> None:
    """The result of a block that says none."""
    low.constant(Const.OTHER, b"void", node)

"""Handlers and helpers that lowerings of several languages share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering.base import (
    Handler,
    Ports,
    Writer,
    anything,
    close,
    kids,
    opaque,
)
from grainline.model.ir import BREAKS, FAR, Arm, Branch, Make, Op

if TYPE_CHECKING:
    from tree_sitter import Node

LOAD, GETATTR, GETITEM, CALL, MAKE = map(int, (Op.LOAD, Op.GETATTR, Op.GETITEM, Op.CALL, Op.MAKE))


def identifier(low: Writer, node: Node) -> None:
    """A name that is read."""
    number, start, end = low.variable(node)
    low.values.append(low.emit(LOAD, number, -1, -1, start, end))


def inner(low: Writer, node: Node) -> None:
    """Parentheses and wrappers: what is in them."""
    found = kids(node)
    if len(found) == 1:
        low.visit(found[0])
    else:
        anything(low, node)


Spec = list[tuple[int, int]]
"""Kind and name of the ports whose values are being made."""


def take_ports(low: Writer, spec: Spec) -> tuple[int, int]:
    """Write the ports of `spec`, whose values are the last ones."""
    if not spec:
        return len(low.ports) // 3, 0
    values = low.values
    found: Ports = [
        (kind, name, value) for (kind, name), value in zip(spec, values[-len(spec) :], strict=True)
    ]
    del values[-len(spec) :]
    return low.write_ports(found)


def display_end(low: Writer, work: tuple[Node, Make, Spec]) -> None:
    """Make a display of the values of `spec`, the last ones."""
    node, kind, spec = work
    first, count = take_ports(low, spec)
    start, end = node.byte_range
    low.values.append(low.emit(MAKE, kind, first, count, start, end))


def last(low: Writer, node: Node) -> None:
    """The value of the last child."""
    found = kids(node)
    if found:
        low.visit(found[-1])
    else:
        opaque(low, node)


def then(low: Writer, node: Node) -> None:
    """A way that is taken when the last value holds."""
    test = low.values.pop()
    low.open(Op.BRANCH, -1, Branch.IF, node)
    low.emit(Op.ARM, Arm.THEN, test, -1, *node.byte_range)


def tested_loop(low: Writer, node: Node) -> None:
    """A loop begins that is left by `BREAK` alone."""
    low.open(Op.LOOP, -1, -1, node)
    low.ops[-3] = BREAKS


def leave_unless(low: Writer, node: Node) -> None:
    """The innermost loop is left where the last value does not hold."""
    word = low.name(b"until")
    low.values.append(low.emit(Op.OPERATE, low.values.pop(), -1, word, *node.byte_range))
    then(low, node)
    low.emit(Op.BREAK, -1, -1, -1, *node.byte_range)
    close(low, node)


def jump(code: Op) -> Handler:
    """A statement that leaves a loop, or goes on with it."""

    def leave(low: Writer, node: Node) -> None:
        leave_at(low, code, node, next(iter(kids(node)), None))

    return leave


_NUMBERS = frozenset({"integer"})


def leave_at(low: Writer, code: Op, node: Node, label: Node | None) -> None:
    """A loop or block is left, or gone on with: the nearest, or the one with the label.

    What says by a number how many are left, or which one is gone on with, leaves any of those around.
    """
    if label is None:
        low.emit(code, -1, -1, -1, *node.byte_range)
    elif code is Op.BREAK and label.type not in _NUMBERS:
        low.emit(Op.JUMP, _end_of(low, label), -1, -1, *node.byte_range)
    else:
        low.emit(code, -1, FAR, -1, *node.byte_range)


def labelled(low: Writer, label: Node) -> None:
    """A statement with a label ends: who leaves it goes on here."""
    low.emit(Op.LABEL, _end_of(low, label), -1, -1, *label.byte_range)


def _end_of(low: Writer, label: Node) -> int:
    return low.name(b"end of " + low.text[label.start_byte : label.end_byte])

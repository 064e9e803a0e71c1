"""What lowerings of languages with declared types share: types, definitions, calls, regions.

A type is a run of operations of its own (`LOAD GETATTR GETITEM OPERATE`, marked), visited by
`visit_type`; the row of a parameter or scope, or `ANNOTATE`, names the last of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from grainline.languages.lowering import common
from grainline.languages.lowering.base import Handler, Writer, close, drop, kids, opaque
from grainline.languages.lowering.common import then
from grainline.model.ir import (
    OP_WIDTH,
    Arm,
    Branch,
    Const,
    Make,
    Op,
    Param,
    Port,
    ScopeKind,
)

if TYPE_CHECKING:
    from tree_sitter import Node

LOAD, GETATTR, GETITEM, CALL, MAKE, STORE = map(
    int, (Op.LOAD, Op.GETATTR, Op.GETITEM, Op.CALL, Op.MAKE, Op.STORE)
)
INIT = b"<init>"
"""The member that a constructor is."""

Work = list[tuple[Handler, object]]


class Parameter(NamedTuple):
    """A parameter as written; `type` is a node of a type, `name` bytes and where they start."""

    kind: Param
    name: bytes
    start: int
    type: Node | None
    decorators: list[int] | None = None
    """Registers of what it is annotated with, once they are made."""


def text_of(low: Writer, node: Node) -> bytes:
    """The text of a node."""
    return low.text[node.start_byte : node.end_byte]


def anything(low: Writer, node: Node) -> None:
    """A node without a meaning of its own, or broken: its parts are evaluated, it is opaque."""
    low.push(*((low.statements[child.kind_id], child) for child in kids(node)), (opaque, node))


def parts(low: Writer, node: Node) -> None:
    """A statement of which only the parts matter."""
    statements = low.statements
    low.todo += [(statements[child.kind_id], child) for child in reversed(kids(node))]


def ignored(low: Writer, node: Node) -> None:
    """What does nothing."""
    del low, node


def load(low: Writer, node: Node) -> None:
    """A name that is read."""
    start, end = node.byte_range
    low.values.append(low.emit(LOAD, low.name(low.text[start:end]), -1, -1, start, end))


def attribute(low: Writer, node: Node) -> None:
    """The member `node` of the last value."""
    attribute_marked(low, (node, -1))


def attribute_marked(low: Writer, work: tuple[Node, int]) -> None:
    """The same, with a mark."""
    node, mark = work
    start, end = node.byte_range
    value = low.values.pop()
    low.values.append(low.emit(GETATTR, value, low.name(low.text[start:end]), mark, start, end))


def constant(kind: Const) -> Handler:
    """A constant whose text is kept."""

    def handler(low: Writer, node: Node) -> None:
        low.constant(kind, text_of(low, node), node)

    return handler


# ------------------------------------------------------------------------------ calls


def call_end(low: Writer, work: tuple[Node, int]) -> None:
    """A call of the value below the last `count` values."""
    _call(low, work, CALL)


def new_end(low: Writer, work: tuple[Node, int]) -> None:
    """What makes an instance of the class below the last `count` values."""
    _call(low, work, Op.NEW)


def _call(low: Writer, work: tuple[Node, int], code: int) -> None:
    node, count = work
    first, count = positional(low, count)
    callee = low.values.pop()
    low.values.append(low.emit(code, callee, first, count, *node.byte_range))


def positional(low: Writer, count: int) -> tuple[int, int]:
    """Ports of the last `count` values."""
    if not count:
        return len(low.ports) // 3, 0
    found = low.values[-count:]
    del low.values[-count:]
    return low.write_ports([(int(Port.POSITIONAL), -1, value) for value in found])


def make_list(low: Writer, work: tuple[Node, int]) -> None:
    """A display of the last values."""
    node, count = work
    first, count = positional(low, count)
    low.values.append(low.emit(MAKE, Make.LIST, first, count, *node.byte_range))


def binary_end(low: Writer, work: tuple[Node, bytes]) -> None:
    """An operator of the last two values."""
    node, word = work
    right, left = low.values.pop(), low.values.pop()
    name = low.name(word)
    low.values.append(low.emit(Op.OPERATE, left, right, name, *node.byte_range))


def unary_end(low: Writer, work: tuple[Node, bytes]) -> None:
    """An operator of the last value."""
    node, word = work
    name = low.name(word)
    low.values.append(low.emit(Op.OPERATE, low.values.pop(), -1, name, *node.byte_range))


def choice_end(low: Writer, node: Node) -> None:
    """`test ? left : right`, the last three values."""
    right, left, test = low.values.pop(), low.values.pop(), low.values.pop()
    low.values.append(low.emit(Op.EITHER, left, right, test, *node.byte_range))


def either_end(low: Writer, node: Node) -> None:
    """One of the last two values."""
    right, left = low.values.pop(), low.values.pop()
    low.values.append(low.emit(Op.EITHER, left, right, -1, *node.byte_range))


def narrow_end(low: Writer, node: Node) -> None:
    """The value below the last one, which is a type, is of that type."""
    kind, value = low.values.pop(), low.values.pop()
    low.values.append(low.emit(Op.NARROW, value, kind, -1, *node.byte_range))


# ------------------------------------------------------------------------------ types


def visit_type(low: Writer, node: Node, mark: int) -> None:
    """Put a type on the stack of work."""
    low.todo.append((low.types[node.kind_id], (node, mark)))


def type_work(low: Writer, node: Node, mark: int) -> tuple[Handler, object]:
    """The same, as work."""
    return low.types[node.kind_id], (node, mark)


def named_type(low: Writer, work: tuple[Node, int]) -> None:
    """A type by its name."""
    node, mark = work
    start, end = node.byte_range
    low.values.append(low.emit(LOAD, low.name(low.text[start:end]), mark, -1, start, end))


def primitive(low: Writer, work: tuple[Node, int]) -> None:
    """A type of the language: a constant with its name."""
    node, _ = work
    low.constant(Const.OTHER, text_of(low, node), node)


def unknown_type(low: Writer, work: tuple[Node, int]) -> None:
    """A type of which nothing is known: its parts are looked at."""
    node, _ = work
    anything(low, node)


def generic_end(low: Writer, work: tuple[Node, int, int]) -> None:
    """A type with arguments, the last `count` values."""
    node, count, mark = work
    key = -1
    if count == 1:
        key = low.values.pop()
    elif count:
        first, _ = positional(low, count)
        key = low.emit(MAKE, Make.TUPLE, first, count, *node.byte_range)
    if key >= 0:
        base = low.values.pop()
        low.values.append(low.emit(GETITEM, base, key, mark, *node.byte_range))


def wrapped(word: bytes) -> Handler:
    """A type made of the last value (`[]`, `?`, `extends`)."""

    def handler(low: Writer, node: Node) -> None:
        unary_end(low, (node, word))

    return handler


array_end = wrapped(b"[]")


def arrays(node: Node, depth: int) -> Work:
    """Work that makes an array type of the last value."""
    return [(array_end, node)] * depth


# ------------------------------------------------------------------------------ bindings


def declare(low: Writer, work: tuple[Node, Node, int, bool]) -> None:
    """Bind a name: (name, statement, type or -1, whether the last value is stored).

    A name whose type is that of its value is declared by a constant.
    """
    name, _, kind, stored = work
    start, end = name.byte_range
    number = low.name(low.text[start:end])
    value = low.values.pop() if stored else -1
    if kind < 0:
        kind = low.emit(Op.CONST, Const.OTHER, -1, -1, start, end)
    low.emit(Op.ANNOTATE, number, kind, -1, start, end)
    if stored:
        low.emit(STORE, number, value, -1, start, end)


def forget(low: Writer, names: list[Node]) -> None:
    """The names of a block that ends."""
    for name in names:
        low.emit(Op.DELETE, low.name(text_of(low, name)), -1, -1, *name.byte_range)


# ------------------------------------------------------------------------------ definitions


def visit_parameters(low: Writer, parameters: list[Parameter], declared: int) -> Work:
    """Work that evaluates defaults and types of parameters."""
    work: Work = []
    for each in parameters:
        if each.type is not None:
            work.append(type_work(low, each.type, declared))
    return work


def take_parameters(low: Writer, parameters: list[Parameter]) -> None:
    """Write the rows of parameters, whose types are the last values."""
    rows: list[tuple[int, ...]] = []
    for each in reversed(parameters):
        kind = low.values.pop() if each.type is not None else -1
        rows.append((each.kind, low.name(each.name), -1, kind, each.start))
        for decorator in each.decorators or () if kind >= 0 else ():
            at = decorator * OP_WIDTH
            low.emit(Op.DECORATE, decorator, kind, -1, *low.ops[at + 4 : at + 6])
    for row in reversed(rows):
        low.params += row


class Definition(NamedTuple):
    """A function or class whose header is evaluated: what is needed to enter it.

    `typed`: the type of the result is a value; `bases`: kinds of ports of the bases;
    `decorators`: number of decorators; `body` is lowered by `handler`.
    """

    node: Node
    kind: ScopeKind
    name: bytes
    start: int
    flags: int
    handler: Handler
    body: object
    parameters: list[Parameter] = []  # noqa: RUF012
    typed: bool = False
    bases: tuple[int, ...] = ()
    decorators: int = 0
    member: bytes = b""


def defined(low: Writer, made: Definition) -> None:
    """Enter a scope; the values are decorators, parameters' types, the result's type or bases."""
    returns = low.values.pop() if made.typed else -1
    first, count = len(low.ports) // 3, 0
    if made.bases:
        found = low.values[-len(made.bases) :]
        del low.values[-len(made.bases) :]
        ports = [(kind, -1, value) for kind, value in zip(made.bases, found, strict=True)]
        first, count = low.write_ports(ports)
    take_parameters(low, made.parameters)
    scope = low.enter(made.kind, low.name(made.name), made.node, made.start, made.flags, returns)
    low.later(scope, made.handler, made.body, {})
    at = (made.start, made.start + len(made.name) if made.member else made.node.end_byte)
    if made.kind == ScopeKind.CLASS:
        value = low.emit(Op.CLASS, scope, first, count, *at)
    else:
        value = low.emit(Op.FUNCTION, scope, -1, -1, *at)
    for _ in range(made.decorators):
        decorator = low.values.pop()
        row = decorator * OP_WIDTH
        low.emit(Op.DECORATE, decorator, value, -1, *low.ops[row + 4 : row + 6])
    if made.member:
        low.emit(STORE, low.name(made.member), value, -1, *at)
    else:
        low.values.append(value)


def nothing(low: Writer, _: object) -> None:
    """The body of what has none."""
    del low


def body_value(low: Writer, node: Node) -> None:
    """A body that is an expression: its value is the result."""
    low.push((low.handlers[node.kind_id], node), (return_last, node))


def return_last(low: Writer, node: Node) -> None:
    """The last value is the result."""
    low.emit(Op.RETURN, low.values.pop(), -1, -1, *node.byte_range)


# ------------------------------------------------------------------------------ regions


def jump(code: Op) -> Handler:
    """`break`, `continue`."""
    return common.jump(code)


def leave(code: Op) -> Handler:
    """`return`, `throw`: with a value or without."""

    def end(low: Writer, node: Node) -> None:
        low.emit(code, low.values.pop(), -1, -1, *node.byte_range)

    def handler(low: Writer, node: Node) -> None:
        found = kids(node)
        if found:
            low.push((low.handlers[found[0].kind_id], found[0]), (end, node))
        else:
            low.emit(code, -1, -1, -1, *node.byte_range)

    return handler


def arm(low: Writer, work: tuple[Arm, Node]) -> None:
    """One of the ways of a branch."""
    kind, node = work
    low.emit(Op.ARM, kind, -1, -1, *node.byte_range)


def branch(low: Writer, work: tuple[Branch, Node]) -> None:
    """A branch begins."""
    kind, node = work
    low.open(Op.BRANCH, -1, kind, node)


def loop(low: Writer, node: Node) -> None:
    """A loop begins."""
    low.open(Op.LOOP, -1, -1, node)


def choice(
    low: Writer, node: Node, test: Node | None, then_part: Node | None, else_part: Node | None
) -> None:
    """`if` as a statement."""
    if test is None:
        parts(low, node)
        return
    work: Work = [(low.handlers[test.kind_id], test), (then, node)]
    if then_part is not None:
        work.append((low.statements[then_part.kind_id], then_part))
    if else_part is not None:
        work += [(arm, (Arm.ELSE, else_part)), (low.statements[else_part.kind_id], else_part)]
    low.push(*work, (close, node))


def repeated(low: Writer, node: Node, work: Work) -> None:
    """A loop around some work."""
    low.push((loop, node), *work, (close, node))


def dropped(low: Writer, node: Node) -> Work:
    """Work that evaluates an expression and forgets it."""
    return [(low.handlers[node.kind_id], node), (drop, None)]


def statement(low: Writer, node: Node) -> tuple[Handler, object]:
    """A statement as work."""
    return low.statements[node.kind_id], node


def if_else(low: Writer, node: Node) -> None:
    """`if` with a condition, a consequence and an alternative."""
    choice(low, node, *map(node.child_by_field_name, ("condition", "consequence", "alternative")))

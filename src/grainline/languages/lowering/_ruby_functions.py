"""What makes scopes of functions in Ruby: methods, blocks, lambdas, symbols that are called."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from grainline.languages.lowering._ruby_expressions import assign
from grainline.languages.lowering._ruby_names import (
    BLOCK,
    CALL,
    GETATTR,
    STORE,
    Context,
    Self,
    Work,
    define,
    either_end,
    kids,
    load,
    machine,
    raw,
    sequence,
    symbol,
    unknown,
    value_of,
)
from grainline.languages.lowering.base import Writer, drop
from grainline.languages.lowering.names import Names
from grainline.model.ir import CONSTRUCTOR, STATIC, Const, Op, Param, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node


class Row(NamedTuple):
    """A parameter: kind, name, the node that it stands at, and its default."""

    kind: Param
    name: bytes
    node: Node
    default: Node | None


_KINDS = {
    "identifier": Param.POSITIONAL,
    "optional_parameter": Param.POSITIONAL,
    "keyword_parameter": Param.KEYWORD,
    "splat_parameter": Param.STAR,
    "hash_splat_parameter": Param.DOUBLE_STAR,
    "block_parameter": Param.KEYWORD,
    "forward_parameter": Param.STAR,
}
_BARE = {"splat_parameter": b"*", "hash_splat_parameter": b"**", "forward_parameter": b"..."}


def _rows(low: Writer, listed: Node | None) -> list[Row]:
    """The parameters of a list; what is taken apart has the name `(1`."""
    rows: list[Row] = []
    inner = {each.start_byte for each in _locals(listed)}
    for at, each in enumerate(kids(listed) if listed is not None else ()):
        name = each.child_by_field_name("name")
        default = each.child_by_field_name("value")
        kind = _KINDS.get(each.type)
        if each.type == "destructured_parameter":
            rows.append(Row(Param.POSITIONAL, b"(%d" % at, each, None))
        elif kind is not None and each.start_byte not in inner:
            word = raw(low, name) if name is not None else _BARE.get(each.type, b"")
            if each.type == "identifier":
                word = raw(low, each)
            rows.append(Row(kind, word, each, default))
    return rows


def _locals(listed: Node | None) -> list[Node]:
    """The variables of a block that are no parameters (`|x; y|`)."""
    return listed.children_by_field_name("locals") if listed is not None else []


class Head(NamedTuple):
    """A function whose body is to be lowered."""

    body: Node | None
    rows: list[Row]
    context: Context
    names: Names
    start: Work


def _write(low: Writer, rows: list[Row], receiver: bool, node: Node, *, named: bool) -> None:
    """The rows of parameters of the next scope; every method may get a block."""
    if receiver:
        low.params += (Param.RECEIVER, low.name(b"self"), -1, -1, node.start_byte)
    blocks = False
    for kind, word, at, _ in rows:
        blocks = blocks or at.type == "block_parameter"
        name = BLOCK if at.type == "block_parameter" else word
        low.params += (kind, low.name(name), -1, -1, at.start_byte)
    if named and not blocks:
        low.params += (Param.KEYWORD, low.name(BLOCK), -1, -1, node.start_byte)


def _declared(low: Writer, rows: list[Row], names: Names) -> Work:
    """Declare the parameters in `names`; the work of defaults and of what is taken apart."""
    work: Work = []
    for _, word, node, default in rows:
        if node.type == "destructured_parameter":
            work.append((_apart, (node, word)))
            continue
        names.declare(word, BLOCK if node.type == "block_parameter" else word)
        if default is not None:
            work += [(_held, (word, node)), value_of(low, default), (either_end, node),
                     (_kept, (word, node))]  # fmt: skip
    return work


def _apart(low: Writer, work: tuple[Node, bytes]) -> None:
    node, word = work
    assign(low, (node, load(low, word, node)))


def _held(low: Writer, work: tuple[bytes, Node]) -> None:
    word, node = work
    low.values.append(load(low, word, node))


def _kept(low: Writer, work: tuple[bytes, Node]) -> None:
    word, node = work
    low.emit(STORE, low.name(word), low.values.pop(), -1, *node.byte_range)


# ------------------------------------------------------------------------------ methods


def method(low: Writer, node: Node) -> None:
    """A method; its value is its name."""
    name = node.child_by_field_name("name")
    if name is None:
        low.values.append(unknown(low, node))
        return
    word = b"".join(raw(low, name).split())
    context = machine(low).context
    static, bound = context.singleton, True
    on = node.child_by_field_name("object")
    elsewhere = on if on is not None and on.type == "constant" else None
    if on is not None and (on.type == "self" or _is_own(low, on)):
        static, elsewhere = True, None
    elif on is not None:
        bound = False
    value = _method(low, node, name, word, static=static, bound=bound)
    if elsewhere is not None:
        low.push(value_of(low, elsewhere), (_attach, (word + b"#self", value, name)))
    low.constant(Const.STR, word, name)


def _is_own(low: Writer, node: Node) -> bool:
    """Whether `def A.f` stands in A."""
    owner = machine(low).context.owner
    return node.type == "constant" and owner.replace(b"|", b"::").endswith(raw(low, node))


def _attach(low: Writer, work: tuple[bytes, int, Node]) -> None:
    word, value, node = work
    low.emit(Op.ATTACH, low.values.pop(), low.name(word), value, *node.byte_range)


def _method(low: Writer, node: Node, name: Node, word: bytes, *, static: bool, bound: bool) -> int:
    context = machine(low).context
    around = low.scopes[low.scope][0] == ScopeKind.CLASS and context.self is Self.CLASS
    member = around and bound
    kind = (Self.STATIC if static else Self.INSTANCE) if member else Self.UNKNOWN
    if not low.scope and context.self is Self.MAIN and bound and not static:
        kind = Self.MAIN
    rows = _rows(low, node.child_by_field_name("parameters"))
    _write(low, rows, member, node, named=True)
    flags = STATIC if static and member else 0
    if word == b"initialize" and not static:
        flags |= CONSTRUCTOR
    scope = low.enter(ScopeKind.FUNCTION, low.name(word), node, name.start_byte, flags, -1)
    names = Names(None, 0)
    inside = replace(context, self=kind, method=word if member else b"", singleton=False)
    body = node.child_by_field_name("body")
    low.later(scope, _body, Head(body, rows, inside, names, _declared(low, rows, names)), {})
    value = low.emit(Op.FUNCTION, scope, -1, -1, *name.byte_range)
    if member:
        both = low.scope in machine(low).both and not static
        for bound_as in (word, word + b"#self") if both else (word + b"#self" * static,):
            low.emit(STORE, low.name(bound_as), value, -1, *name.byte_range)
    elif kind is Self.MAIN:
        define(low, word + b"()", value, name)
    return value


def _body(low: Writer, head: Head) -> None:
    state = machine(low)
    state.context, state.locals, state.mark = head.context, head.names, b""
    found = [head.body] if head.body is not None else []
    if found:
        low.push(*head.start, *sequence(low, found, found[0]), (_result, found[0]))
    else:
        low.push(*head.start)


def _result(low: Writer, node: Node) -> None:
    low.emit(Op.RETURN, low.values.pop(), -1, -1, *node.byte_range)


def method_of_block(low: Writer, block: Node, name: Node) -> None:
    """`define_method(:name) { ... }`: a method of the class around."""
    context = machine(low).context
    word = symbol(low, name)
    rows = _rows(low, block.child_by_field_name("parameters"))
    _write(low, rows, True, block, named=False)
    static = context.singleton
    scope = low.enter(
        ScopeKind.FUNCTION, low.name(word), block, block.start_byte, STATIC * static, -1
    )
    names = machine(low).locals.inside()
    kind = Self.STATIC if static else Self.INSTANCE
    inside = replace(context, self=kind, method=word, singleton=False)
    body = block.child_by_field_name("body")
    low.later(scope, _body, Head(body, rows, inside, names, _declared(low, rows, names)), {})
    value = low.emit(Op.FUNCTION, scope, -1, -1, *name.byte_range)
    low.emit(STORE, low.name(word + b"#self" * static), value, -1, *name.byte_range)


# ------------------------------------------------------------------------------ blocks


def block_function(low: Writer, work: tuple[Node, Context]) -> None:
    """A block or lambda; one without parameters may call its first one `it` or `_1`."""
    node, context = work
    listed = node.child_by_field_name("parameters")
    body = node.child_by_field_name("body")
    if node.type == "lambda" and body is not None:
        body = body.child_by_field_name("body")
    rows = _rows(low, listed)
    names = machine(low).locals.inside()
    if listed is None:
        rows = [Row(Param.POSITIONAL, b"it", node, None)]
        names.declare(b"_1", b"it")
    _write(low, rows, False, node, named=False)
    scope = low.enter(ScopeKind.LAMBDA, low.lambda_name(), node, node.start_byte, 0, -1)
    start = _declared(low, rows, names)
    for each in _locals(listed):
        names.declare(raw(low, each), raw(low, each))
    low.later(scope, _body, Head(body, rows, context, names, start), {})
    low.values.append(low.emit(Op.FUNCTION, scope, -1, -1, *node.byte_range))


def lambda_function(low: Writer, node: Node) -> None:
    """`->(x) { ... }`."""
    block_function(low, (node, machine(low).context))


def symbol_function(low: Writer, node: Node) -> None:
    """`&:name`: calls the method of what it gets."""
    low.params += (Param.POSITIONAL, low.name(b"it"), -1, -1, node.start_byte)
    start = node.start_byte
    scope = low.enter(ScopeKind.LAMBDA, low.lambda_name(), node, start, 0, -1)
    low.later(scope, _symbol_body, node, {})
    low.values.append(low.emit(Op.FUNCTION, scope, -1, -1, *node.byte_range))


def _symbol_body(low: Writer, node: Node) -> None:
    place = node.byte_range
    callee = low.emit(GETATTR, load(low, b"it", node), low.name(symbol(low, node)), -1, *place)
    first, count = low.write_ports(())
    value = low.emit(CALL, callee, first, count, *place)
    low.emit(Op.RETURN, value, -1, -1, *place)


def enter_class(low: Writer, work: tuple[Node | None, Context]) -> None:
    """The body of a class."""
    body, context = work
    state = machine(low)
    state.context, state.locals, state.mark = context, Names(None, 0), b"#v"
    if body is not None:
        low.push(value_of(low, body), (drop, None))

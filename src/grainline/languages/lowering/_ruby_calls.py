"""Calls of Ruby: receivers, arguments, blocks, and what the language itself does when it is called."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from grainline.languages.lowering._ruby_expressions import (
    chain,
    forwarded,
    item,
    shorthand,
    variable,
)
from grainline.languages.lowering._ruby_functions import block_function, symbol_function
from grainline.languages.lowering._ruby_macros import MACROS, given, macro, own_value
from grainline.languages.lowering._ruby_names import (
    BLOCK,
    CALL,
    GETATTR,
    LEFT,
    LOAD,
    Context,
    Self,
    Work,
    kids,
    load,
    machine,
    own,
    raw,
    symbol,
    value_of,
)
from grainline.languages.lowering.base import Handler, Writer, anything, drop, opaque
from grainline.languages.lowering.common import Spec, take_ports
from grainline.model.ir import Const, Op, Port

if TYPE_CHECKING:
    from tree_sitter import Node


class Made(NamedTuple):
    """A call: its node, what it passes, the operation that makes it, where its name stands."""

    node: Node
    spec: Spec
    code: int


LATE = b"self"
"""The operator that makes the class that is meant late of the one around."""
_MOVES = frozenset(
    b"""instance_eval instance_exec class_eval class_exec module_eval module_exec define_method
    define_singleton_method configure build helpers included class_methods namespace task
    describe context it specify before after around let subject shared_examples
    shared_context""".split()
)
"""Methods that run a block on something else than the `self` around."""
_KEEPS = frozenset(
    b"""each each_with_index each_with_object each_pair each_key each_value each_slice each_cons
    each_entry map flat_map collect select filter filter_map reject find detect find_all any? all?
    none? count sum min_by max_by sort_by group_by partition inject reduce times upto downto step
    loop tap then yield_self lambda proc to_h zip cycle reverse_each each_char each_line each_byte
    sort uniq index take_while drop_while synchronize fetch open""".split()
)
"""Methods that run a block on the `self` around, also where blocks mostly are not."""


def inside_block(low: Writer, name: bytes) -> Context:
    """The context of the block that a call of `name` gets."""
    context = machine(low).context
    body = context.self in (Self.CLASS, Self.MAIN)
    if name in _MOVES or (body and name not in _KEEPS):
        return replace(context, self=Self.UNKNOWN, owner=b"", singleton=False)
    return context


# ------------------------------------------------------------------------------ arguments


def arguments(low: Writer, node: Node, name: bytes) -> tuple[Spec, Work]:
    """What a call passes, and the work that evaluates it."""
    spec: Spec = []
    work: Work = []
    listed = node.child_by_field_name("arguments")
    if listed is None:
        listed = next((child for child in kids(node) if child.type == "argument_list"), None)
    for each in kids(listed) if listed is not None else ():
        _argument(low, each, spec, work)
    block = node.child_by_field_name("block")
    if block is not None:
        spec.append((Port.KEYWORD, low.name(BLOCK)))
        if leaves_with(block):
            work.insert(0, (_not_left, block))
        work.append((block_function, (block, inside_block(low, name))))
    return spec, work


_NESTED = frozenset({"block", "do_block", "lambda", "while", "until", "for", "method", "class"})


def leaves_with(block: Node | None) -> bool:
    """Whether a block is left by `break` with a value."""
    waiting = [] if block is None else block.named_children
    while waiting:
        node = waiting.pop()
        if node.type == "break" and kids(node):
            return True
        if node.type not in _NESTED:
            waiting += node.named_children
    return False


def _not_left(low: Writer, block: Node) -> None:
    place = block.start_byte, block.start_byte
    nothing = low.emit(Op.CONST, Const.NONE, -1, -1, *place)
    low.emit(Op.STORE, low.name(LEFT), nothing, -1, *place)


def _or_left(low: Writer, node: Node) -> None:
    """What a call gives, or what its block is left with."""
    place = node.byte_range
    left = low.emit(LOAD, low.name(LEFT), -1, -1, *place)
    low.values.append(low.emit(Op.EITHER, low.values.pop(), left, -1, *place))


def _argument(low: Writer, node: Node, spec: Spec, work: Work) -> None:
    kind, inside = node.type, kids(node)
    if kind == "pair":
        _pair(low, node, spec, work)
    elif kind == "splat_argument":
        spec.append((Port.STAR, -1))
        work.append(value_of(low, inside[0]) if inside else (opaque, node))
    elif kind == "hash_splat_argument":
        spec.append((Port.DOUBLE_STAR, -1))
        work.append(value_of(low, inside[0]) if inside else (opaque, node))
    elif kind == "block_argument":
        spec.append((Port.KEYWORD, low.name(BLOCK)))
        if not inside:
            work.append((forwarded, node))
        elif inside[0].type == "simple_symbol":
            work.append((symbol_function, inside[0]))
        else:
            work.append(value_of(low, inside[0]))
    elif kind == "forward_argument":
        spec += [(Port.STAR, -1), (Port.KEYWORD, low.name(BLOCK))]
        work += [(_loaded, (b"...", node)), (forwarded, node)]
    elif kind != "heredoc_body":
        spec.append((Port.POSITIONAL, -1))
        work.append(value_of(low, node))


def _pair(low: Writer, node: Node, spec: Spec, work: Work) -> None:
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if key is None:
        return
    word = symbol(low, key) if key.type in ("hash_key_symbol", "simple_symbol") else b""
    spec.append((Port.KEYWORD, low.name(word)))
    if not word:
        work += [value_of(low, key), (drop, None)]
    work.append((shorthand, key) if value is None else value_of(low, value))


def _loaded(low: Writer, work: tuple[bytes, Node]) -> None:
    name, node = work
    low.values.append(load(low, name, node))


def call_end(low: Writer, made: Made) -> None:
    """A call, whose arguments are the last values, the callee below them."""
    node, spec, code = made
    first, count = take_ports(low, spec)
    callee = low.values.pop()
    low.values.append(low.emit(code, callee, first, count, *node.byte_range))
    if leaves_with(node.child_by_field_name("block")):
        _or_left(low, node)


def member(low: Writer, work: tuple[Node, bytes]) -> None:
    """The member `name` of the last value, which stands at a node."""
    node, name = work
    low.values.append(low.emit(GETATTR, low.values.pop(), low.name(name), -1, *node.byte_range))


# ------------------------------------------------------------------------------ calls


def _identifier(low: Writer, node: Node) -> None:
    """A local, or a call without arguments."""
    word = raw(low, node)
    if not variable(low, node) and not (word in MACROS and macro(low, node, None, word)):
        _implicit(low, node, node, word, ([], []))


def _implicit(low: Writer, node: Node, name: Node, word: bytes, given: tuple[Spec, Work]) -> None:
    """A call on the `self` around."""
    spec, work = given
    if word == b"new" and machine(low).context.self in (Self.STATIC, Self.CLASS):
        _make(low, node, name, given)
        return
    if machine(low).context.singleton and machine(low).context.self is Self.CLASS:
        word = b"extend" if word in (b"include", b"prepend") else word
    low.values.append(own(low, name))
    low.push((member, (name, word + b"#f")), *work, (call_end, Made(node, spec, CALL)))


def _make(low: Writer, node: Node, name: Node, given: tuple[Spec, Work]) -> None:
    """An instance of whatever class `self` is."""
    spec, work = given
    callee = own(low, name)
    late = low.emit(Op.OPERATE, callee, -1, low.name(LATE), *name.byte_range)
    low.values.append(late)
    start, end = name.byte_range
    low.push(*work, (_made, (start, end, spec)))


def _made(low: Writer, work: tuple[int, int, Spec]) -> None:
    start, end, spec = work
    first, count = take_ports(low, spec)
    low.values.append(low.emit(Op.NEW, low.values.pop(), first, count, start, end))


def _call(low: Writer, node: Node) -> None:
    owner, name = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    if name is not None and name.type == "super":
        _super(low, node)
        return
    if name is None and owner is None:
        anything(low, node)
        return
    word = raw(low, name) if name is not None else b"call"
    if word in MACROS and macro(low, node, owner, word):
        return
    if word in _SENDS and _send(low, node, owner):
        return
    if owner is None and name is not None:
        _implicit(low, node, name, word, arguments(low, node, word))
    elif owner is not None:
        _explicit(low, node, owner, name if name is not None else node, word)


def _explicit(low: Writer, node: Node, owner: Node, name: Node, word: bytes) -> None:
    if owner.type == "self" and machine(low).context.self is Self.STATIC and word == b"new":
        _make(low, node, name, arguments(low, node, word))
        return
    spec, work = arguments(low, node, word)
    if word == b"class" and not spec:
        low.push(value_of(low, owner), (member, (name, b"class#")))
        return
    if owner.type in _LITERALS:
        low.push(value_of(low, owner), (_literal, owner), (member, (name, word)),
                 *work, (call_end, Made(node, spec, CALL)))  # fmt: skip
        return
    if name.type == "constant":
        word += b"#call"
    low.push(value_of(low, owner), (member, (name, word)), *work,
             (call_end, Made(node, spec, CALL)))  # fmt: skip


_SENDS = frozenset((b"send", b"public_send", b"__send__"))


def _send(low: Writer, node: Node, owner: Node | None) -> bool:
    """A call of what is named by a constant symbol; whether it was one."""
    listed = given(node)
    name = symbol(low, listed[0]) if listed else b""
    if not name or b"#" in name:
        return False
    spec, work = arguments(low, node, name)
    first = value_of(low, owner) if owner is not None else (own_value, node)
    low.push(first, (member, (listed[0], name + b"#f")), *work[1:],
             (call_end, Made(node, spec[1:], CALL)))  # fmt: skip
    return True


_LITERALS = {
    "string": b"String",
    "heredoc_beginning": b"String",
    "simple_symbol": b"Symbol",
    "integer": b"Integer",
}


def _literal(low: Writer, node: Node) -> None:
    """A literal that something is called on is an instance of its class."""
    klass = load(low, b"::" + _LITERALS[node.type] + b"#", node)
    value = low.values.pop()
    low.values.append(low.emit(Op.NARROW, value, klass, -1, *node.byte_range))


def _super(low: Writer, node: Node) -> None:
    """The method of the bases; without a list of arguments it gets those of this one."""
    context = machine(low).context
    if not context.method:
        _unnamed(low, node)
        return
    name = node.child_by_field_name("method") or node
    owner = low.emit(LOAD, low.name(b"super"), -1, -1, *name.byte_range)
    low.values.append(owner)
    spec, work = arguments(low, node, b"super") if node.type == "call" else ([], [])
    low.push((member, (name, context.method)), *work, (call_end, Made(node, spec, CALL)))


def _unnamed(low: Writer, node: Node) -> None:
    _, work = arguments(low, node, b"super")
    low.push(*(step for each in work for step in (each, (drop, None))), (opaque, node))


def _yield(low: Writer, node: Node) -> None:
    """The block that the method got runs."""
    spec, work = arguments(low, node, BLOCK)
    start = node.start_byte
    end = start + len(BLOCK)
    low.values.append(low.emit(LOAD, low.name(BLOCK), -1, -1, start, min(end, node.end_byte)))
    low.push(*work, (call_end, Made(node, spec, CALL)))


def _reference(low: Writer, node: Node) -> None:
    """`A[x]` calls what the class has; of anything else it is an item."""
    found = kids(node)
    if len(found) < 2 or not chain(low, found[0]):
        item(low, node)
        return
    spec: Spec = []
    work: Work = []
    for each in found[1:]:
        _argument(low, each, spec, work)
    low.push(value_of(low, found[0]), (member, (found[0], b"[]")), *work,
             (call_end, Made(node, spec, CALL)))  # fmt: skip


EXPRESSIONS: dict[str, Handler] = {
    "identifier": _identifier,
    "call": _call,
    "super": _super,
    "yield": _yield,
    "element_reference": _reference,
}

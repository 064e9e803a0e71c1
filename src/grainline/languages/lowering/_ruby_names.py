"""Names of Ruby: what a word means at some place, and how the IR spells it.

A method is called by its name, one of the class itself by `name#self`, one on an implicit receiver by
`name#f`; what is behind `#` is not shown. A constant is loaded as `Foo::Bar#A|B`: behind `#` is where it
stands, one word for each `class` or `module` around; a class is given to others as `A|B`. Fields begin
with `@`. Locals of a file end in `#0`, those of the body of a class in `#v`, since nothing but blocks sees
them. What a method gets as its block is the parameter `yield`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, cast

from grainline.languages.lowering.base import Handler, Tables, Writer, drop, opaque
from grainline.languages.lowering.names import Names
from grainline.model.ir import Const, Op, Port

if TYPE_CHECKING:
    from tree_sitter import Node

LOAD, GETATTR, CALL, STORE = int(Op.LOAD), int(Op.GETATTR), int(Op.CALL), int(Op.STORE)
POSITIONAL, KEYWORD = int(Port.POSITIONAL), int(Port.KEYWORD)
LEFT = b"%left"
"""The variable that takes what a block is left with."""
BLOCK = b"yield"
Work = list[tuple[Handler, Any]]


class Self(IntEnum):
    """What `self` is."""

    MAIN = 0
    INSTANCE = 1
    STATIC = 2
    CLASS = 3  # in the body of a class
    UNKNOWN = 4  # in a block that is run on whatever its method likes


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What holds at some place.

    Attributes:
        nesting: what stands behind `class` and `module`, outermost first.
        owner: `self` as a class, b"" where that has no name.
        self: what `self` is.
        singleton: inside of `class << self`.
        method: the name of the method around, as `super` looks for it.
    """

    nesting: tuple[bytes, ...] = ()
    owner: bytes = b""
    self: Self = Self.MAIN
    singleton: bool = False
    method: bytes = b""


class RubyWriter(Writer):
    """The state of lowering one file.

    `both` are the scopes of modules behind `module_function`, `shared` the locals that a block has
    declared to be those around.
    """

    __slots__ = ("both", "context", "heredocs", "locals", "mark", "shared")

    def __init__(self, text: bytes, tables: Tables) -> None:
        super().__init__(text, tables)
        self.context = Context()
        self.locals = Names(None, 0)
        self.mark = b"#0"
        self.both: set[int] = set()
        self.heredocs: dict[int, Node] | None = None
        self.shared: set[tuple[int, int]] = set()


def machine(low: Writer) -> RubyWriter:
    """The state, of which handlers know only the machine."""
    return cast("RubyWriter", low)


def raw(low: Writer, node: Node) -> bytes:
    """The text of a node."""
    return low.text[node.start_byte : node.end_byte]


def kids(node: Node) -> list[Node]:
    """Named children without comments; bodies of heredocs stand anywhere."""
    return [child for child in node.named_children if child.type != "comment"]


def load(low: Writer, name: bytes, node: Node) -> int:
    """The register of a name that is read at a node."""
    return low.emit(LOAD, low.name(name), -1, -1, *node.byte_range)


def unknown(low: Writer, node: Node) -> int:
    """The register of something of which nothing is known."""
    return low.emit(Op.CONST, Const.OTHER, -1, -1, *node.byte_range)


def value_of(low: Writer, node: Node) -> tuple[Handler, Node]:
    """An expression as work."""
    return low.handlers[node.kind_id], node


def sequence(low: Writer, nodes: list[Node], at: Node) -> Work:
    """Work that leaves the value of the last of some expressions."""
    work: Work = []
    for each in nodes:
        work += [value_of(low, each), (drop, None)]
    return work[:-1] or [(opaque, at)]


def place(low: Writer, word: bytes) -> bytes:
    """The name under which what `word` defines here is given to others."""
    return b"|".join((*machine(low).context.nesting, word))


def define(low: Writer, word: bytes, value: int, node: Node) -> None:
    """A constant gets a value."""
    number = low.name(place(low, word))
    low.emit(Op.EXPORT, number, value, -1, *node.byte_range)
    low.emit(Op.PACKAGE, number, -1, -1, *node.byte_range)


def own(low: Writer, node: Node) -> int:
    """The register of `self`."""
    context = machine(low).context
    if context.self is Self.CLASS:
        if not context.owner:
            return unknown(low, node)
        return load(low, b"self#" + context.owner, node)
    return load(low, b"self#?" if context.self is Self.UNKNOWN else b"self", node)


def bind(low: Writer, node: Node, value: int) -> None:
    """A local takes the value of a register."""
    state = machine(low)
    word = raw(low, node)
    start, end = node.byte_range
    known = state.locals.known(word)
    if not known:
        known = word + state.mark
        state.locals.declare(word, known)
    number = low.name(known)
    if not state.locals.own(word):
        key = (low.scope, number)
        if key not in state.shared:
            state.shared.add(key)
            code = Op.GLOBAL if known.endswith(b"#0") else Op.NONLOCAL
            if not known.endswith(b"#v"):
                low.emit(code, number, -1, -1, start, end)
    low.emit(STORE, number, value, -1, start, end)


def symbol(low: Writer, node: Node) -> bytes:
    """The name that a symbol or text is, b"" where it is computed."""
    if node.type == "simple_symbol":
        return raw(low, node)[1:]
    if node.type == "hash_key_symbol":
        return raw(low, node)
    found = kids(node)
    if node.type in ("string", "delimited_symbol") and len(found) == 1:
        return raw(low, found[0]) if found[0].type == "string_content" else b""
    return b""


def either_end(low: Writer, node: Node) -> None:
    """One of the last two values."""
    right, left = low.values.pop(), low.values.pop()
    low.values.append(low.emit(Op.EITHER, left, right, -1, *node.byte_range))

"""Methods of Ruby itself that say something of the program: files, members, classes that are made."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from grainline.languages.lowering._ruby_expressions import chain
from grainline.languages.lowering._ruby_functions import (
    block_function,
    enter_class,
    method_of_block,
)
from grainline.languages.lowering._ruby_names import (
    GETATTR,
    STORE,
    Context,
    Self,
    Work,
    kids,
    load,
    machine,
    own,
    raw,
    symbol,
    unknown,
    value_of,
)
from grainline.languages.lowering.base import Writer, drop, opaque
from grainline.model.ir import ABSTRACT, PARTIAL, Const, Op, Port, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node

Macro = Callable[[Writer, "Node", "Node | None", bytes], bool]
"""(machine, call, receiver, name): whether the call was lowered, and left its value."""


def given(node: Node) -> list[Node]:
    """The arguments of a call."""
    listed = node.child_by_field_name("arguments")
    return kids(listed) if listed is not None else []


def macro(low: Writer, node: Node, owner: Node | None, word: bytes) -> bool:
    """Lower a call of the language, whether it was one."""
    return MACROS[word](low, node, owner, word)


# ------------------------------------------------------------------------------ files

_BESIDE = re.compile(
    rb"""(?:File\.(?:expand_path|join)\s*\(?\s*)?
    (?:__dir__\s*,\s*|File\.dirname\s*\(?\s*__FILE__\s*\)?\s*(?:,|\+)\s*)?
    (['"])(?:\#\{__dir__\})?([^'"\#]+)\1
    (?:\s*,\s*(__FILE__|__dir__|File\.dirname\s*\(?\s*__FILE__\s*\)?))?\s*\)?""",
    re.VERBOSE,
)


def _required(low: Writer, node: Node, word: bytes) -> bytes:
    """The name of the file that a call loads, `./` before what is beside this one; b"" if computed."""
    listed = given(node)
    if not listed:
        return b""
    text = raw(low, listed[-1])
    found = _BESIDE.fullmatch(text)
    if found is None:
        return b""
    name = found[2].removesuffix(b".rb")
    if word == b"require_relative" or b"__dir__" in text:
        return b"./" + name.lstrip(b"/")
    if b"__FILE__" in text:
        above = found[3] == b"__FILE__"
        return b"./" + (name.removeprefix(b"../") if above else name.lstrip(b"/"))
    return name if listed[-1].type == "string" else b""


def _require(low: Writer, node: Node, owner: Node | None, word: bytes) -> bool:
    if owner is not None and not (owner.type == "constant" and raw(low, owner) == b"Kernel"):
        return False
    name = _required(low, node, word)
    if not name:
        return False
    listed = given(node)[-1]
    low.emit(Op.IMPORT, low.name(name), -1, 0, *listed.byte_range)
    low.emit(Op.PACKAGE, low.name(b"require " + name), -1, -1, *listed.byte_range)
    opaque(low, node)
    return True


# ------------------------------------------------------------------------------ members


def _in_class(low: Writer, owner: Node | None) -> bool:
    body = low.scopes[low.scope][0] == ScopeKind.CLASS
    return owner is None and body and machine(low).context.self is Self.CLASS


def _names(low: Writer, node: Node) -> list[tuple[bytes, Node]]:
    """The symbols among the arguments."""
    found: list[tuple[bytes, Node]] = []
    for each in given(node):
        if each.type == "splat_argument" and kids(each):
            each = kids(each)[0]
        if each.type == "symbol_array":
            found += [(raw(low, one), one) for one in kids(each)]
        elif symbol(low, each):
            found.append((symbol(low, each), each))
    return found


def mark(low: Writer) -> bytes:
    """What is behind the name of a member that is defined here."""
    return b"#self" if machine(low).context.singleton else b""


def _attributes(low: Writer, node: Node, owner: Node | None, word: bytes) -> bool:
    """Members that read and write fields: a name is bound to the name of a field."""
    if not _in_class(low, owner):
        return False
    for name, place in _names(low, node):
        start, end = place.byte_range
        text = low.name(b"@" + name)
        ends = (
            (b"", b"=")
            if word == b"attr_accessor"
            else (b"=",)
            if word == b"attr_writer"
            else (b"",)
        )
        for ending in ends:
            value = low.emit(Op.CONST, Const.STR, text, -1, start, end)
            low.emit(STORE, low.name(name + ending + mark(low)), value, -1, start, end)
    opaque(low, node)
    return True


def rename(low: Writer, new: bytes, old: bytes, node: Node) -> None:
    """A member gets another name: that of an instance of the class, or of the class."""
    context = machine(low).context
    if not context.owner:
        return
    klass = load(low, b"self#" + context.owner, node)
    place = node.byte_range
    owner = klass if context.singleton else low.emit(Op.NARROW, -1, klass, -1, *place)
    value = low.emit(GETATTR, owner, low.name(old), -1, *place)
    low.emit(STORE, low.name(new + mark(low)), value, -1, *place)


def _alias_method(low: Writer, node: Node, owner: Node | None, word: bytes) -> bool:
    del word
    names = _names(low, node)
    if not _in_class(low, owner) or len(names) != 2:
        return False
    rename(low, names[0][0], names[1][0], names[1][1])
    opaque(low, node)
    return True


def _define_method(low: Writer, node: Node, owner: Node | None, word: bytes) -> bool:
    del word
    listed, block = given(node), node.child_by_field_name("block")
    if not _in_class(low, owner) or not listed or not symbol(low, listed[0]):
        return False
    if block is not None:
        method_of_block(low, block, listed[0])
    elif len(listed) == 2:
        low.push(value_of(low, listed[1]), (_kept, (symbol(low, listed[0]), listed[0])))
    opaque(low, node)
    return True


def _kept(low: Writer, work: tuple[bytes, Node]) -> None:
    name, node = work
    low.emit(STORE, low.name(name + mark(low)), low.values.pop(), -1, *node.byte_range)


def _module_function(low: Writer, node: Node, owner: Node | None, word: bytes) -> bool:
    del word
    if not _in_class(low, owner):
        return False
    context = machine(low).context
    if not given(node):
        machine(low).both.add(low.scope)
    for name, place in _names(low, node) if context.owner else ():
        klass = load(low, b"self#" + context.owner, place)
        held = low.emit(Op.NARROW, -1, klass, -1, *place.byte_range)
        value = low.emit(GETATTR, held, low.name(name), -1, *place.byte_range)
        low.emit(STORE, low.name(name + b"#self"), value, -1, *place.byte_range)
    if any(each.type == "method" for each in given(node)):
        return False
    opaque(low, node)
    return True


# ------------------------------------------------------------------------------ values


def _raise(low: Writer, node: Node, owner: Node | None, word: bytes) -> bool:
    listed = [each for each in given(node) if each.type != "pair"]
    if owner is not None or not listed or (word == b"fail" and not chain(low, listed[0])):
        return False
    if len(listed) == 1 or not chain(low, listed[0]):
        rest = [step for each in listed[1:] for step in (value_of(low, each), (drop, None))]
        low.push(*rest, value_of(low, listed[0]), (_raised, node))
    else:
        rest = [step for each in listed[2:] for step in (value_of(low, each), (drop, None))]
        low.push(*rest, *(value_of(low, each) for each in listed[:2]), (_raised_with, node))
    return True


def _raised_with(low: Writer, node: Node) -> None:
    """`raise Kind, message` makes an instance with the message."""
    message, kind = low.values.pop(), low.values.pop()
    place = node.byte_range
    made = low.emit(Op.GETATTR, kind, low.name(b"new"), -1, *place)
    first, count = low.write_ports([(int(Port.POSITIONAL), -1, message)])
    low.emit(Op.RAISE, low.emit(Op.CALL, made, first, count, *place), -1, -1, *place)
    low.values.append(unknown(low, node))


def _raised(low: Writer, node: Node) -> None:
    low.emit(Op.RAISE, low.values.pop(), -1, -1, *node.byte_range)
    low.values.append(unknown(low, node))


def _lambda(low: Writer, node: Node, owner: Node | None, word: bytes) -> bool:
    del word
    block = node.child_by_field_name("block")
    if owner is not None or block is None:
        return False
    block_function(low, (block, machine(low).context))
    return True


def _is_a(low: Writer, node: Node, owner: Node | None, word: bytes) -> bool:
    del word
    listed = given(node)
    if owner is None or len(listed) != 1:
        return False
    low.push(value_of(low, owner), value_of(low, listed[0]), (_asked, node))
    return True


def _asked(low: Writer, node: Node) -> None:
    right, left = low.values.pop(), low.values.pop()
    value = low.emit(Op.OPERATE, left, right, low.name(b"is_a?"), *node.byte_range)
    low.values.append(value)


def _method(low: Writer, node: Node, owner: Node | None, word: bytes) -> bool:
    """`method(:x)` is the method."""
    del word
    listed = given(node)
    if len(listed) != 1 or not symbol(low, listed[0]):
        return False
    first = value_of(low, owner) if owner is not None else (own_value, node)
    low.push(first, (_member, (symbol(low, listed[0]) + b"#f" * (owner is None), listed[0])))
    return True


def own_value(low: Writer, node: Node) -> None:
    """`self`."""
    low.values.append(own(low, node))


def _member(low: Writer, work: tuple[bytes, Node]) -> None:
    name, node = work
    value = low.emit(GETATTR, low.values.pop(), low.name(name), -1, *node.byte_range)
    low.values.append(value)


def _const_get(low: Writer, node: Node, owner: Node | None, word: bytes) -> bool:
    del word
    listed = given(node)
    name = symbol(low, listed[0]) if listed else b""
    if owner is None or not name or not name[:1].isupper() or b"#" in name:
        return False
    if raw(low, owner) == b"Object":
        low.values.append(load(low, b"::" + name + b"#", listed[0]))
    else:
        low.push(value_of(low, owner), (_member, (b"::" + name, listed[0])))
    return True


# ------------------------------------------------------------------------------ classes


class Anonymous(NamedTuple):
    """A class that a call makes: the call, its fields, whether it has a base, its block."""

    node: Node
    fields: list[tuple[bytes, Node]]
    based: bool
    writable: bool


def _new(low: Writer, node: Node, owner: Node | None, word: bytes) -> bool:
    """`Class.new(A) { ... }`, `Struct.new(:a)`, `Data.define(:a)`."""
    name = raw(low, owner).removeprefix(b"::") if owner is not None else b""
    if (name, word) not in _MAKERS:
        return False
    listed = [each for each in given(node) if each.type not in ("pair", "block_argument")]
    fields: list[tuple[bytes, Node]] = []
    bases: Work = []
    if name in (b"Struct", b"Data"):
        fields = [(symbol(low, each), each) for each in listed if each.type == "simple_symbol"]
    elif listed and name == b"Class":
        bases = [value_of(low, listed[0])]
    made = Anonymous(node, fields, bool(bases), name == b"Struct")
    low.push(*bases, (_anonymous, made))
    return True


_MAKERS = frozenset({(b"Class", b"new"), (b"Module", b"new"), (b"Struct", b"new"),
                     (b"Data", b"define")})  # fmt: skip


def _anonymous(low: Writer, made: Anonymous) -> None:
    node = made.node
    ports = [(int(Port.POSITIONAL), -1, low.values.pop())] if made.based else []
    first, count = low.write_ports(ports)
    start, end = low.hints.get(node.start_byte, node.byte_range)
    named = node.start_byte in low.hints
    name = low.name(low.text[start:end]) if named else low.lambda_name()
    flags = ABSTRACT if raw(low, node).startswith(b"Module") else 0
    scope = low.enter(ScopeKind.CLASS, name, node, start, flags | PARTIAL, -1)
    context = machine(low).context
    word = b"|".join((*context.nesting, low.text[start:end])) if named else b""
    inside = replace(context, self=Self.CLASS, owner=word, singleton=False, method=b"")
    low.later(scope, _anonymous_body, (made, inside), {})
    low.values.append(low.emit(Op.CLASS, scope, first, count, start, end))


def _anonymous_body(low: Writer, work: tuple[Anonymous, Context]) -> None:
    made, inside = work
    block = made.node.child_by_field_name("block")
    body = block.child_by_field_name("body") if block is not None else None
    for name, place in made.fields:
        start, end = place.byte_range
        text = low.name(b"@" + name)
        nothing = low.emit(Op.CONST, Const.OTHER, -1, -1, start, end)
        low.emit(Op.ANNOTATE, text, nothing, -1, start, end)
        for ending in (b"", b"=") if made.writable else (b"",):
            value = low.emit(Op.CONST, Const.STR, text, -1, start, end)
            low.emit(STORE, low.name(name + ending), value, -1, start, end)
    enter_class(low, (body, inside))


MACROS: dict[bytes, Macro] = {
    b"require": _require,
    b"require_relative": _require,
    b"load": _require,
    b"autoload": _require,
    b"attr_reader": _attributes,
    b"attr_writer": _attributes,
    b"attr_accessor": _attributes,
    b"attr": _attributes,
    b"alias_method": _alias_method,
    b"define_method": _define_method,
    b"module_function": _module_function,
    b"raise": _raise,
    b"fail": _raise,
    b"lambda": _lambda,
    b"proc": _lambda,
    b"is_a?": _is_a,
    b"kind_of?": _is_a,
    b"instance_of?": _is_a,
    b"method": _method,
    b"instance_method": _method,
    b"const_get": _const_get,
    b"new": _new,
    b"define": _new,
}

"""Classes and modules of Ruby, and what renames their members."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grainline.languages.lowering._ruby_expressions import chain
from grainline.languages.lowering._ruby_functions import enter_class, lambda_function, method
from grainline.languages.lowering._ruby_macros import rename
from grainline.languages.lowering._ruby_names import (
    Self,
    define,
    kids,
    machine,
    place,
    raw,
    sequence,
    symbol,
    unknown,
    value_of,
)
from grainline.languages.lowering.base import Handler, Writer, anything, drop, opaque
from grainline.model.ir import ABSTRACT, PARTIAL, Op, Port, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node


def module(low: Writer, node: Node) -> None:
    """A file."""
    low.push(*sequence(low, kids(node), node), (drop, None))


def _class(low: Writer, node: Node) -> None:
    above = node.child_by_field_name("superclass")
    found = kids(above) if above is not None else []
    name = node.child_by_field_name("name")
    if name is None or not chain(low, name):
        anything(low, node)
    elif found:
        low.push(value_of(low, found[0]), (_class_end, (node, name, True)))
    else:
        _class_end(low, (node, name, False))


def _class_end(low: Writer, work: tuple[Node, Node, bool]) -> None:
    node, name, based = work
    ports = [(int(Port.POSITIONAL), -1, low.values.pop())] if based else []
    first, count = low.write_ports(ports)
    last = name.child_by_field_name("name") or name
    word = chain(low, name)
    flags = PARTIAL | (ABSTRACT if node.type == "module" else 0)
    scope = low.enter(ScopeKind.CLASS, low.name(raw(low, last)), node, last.start_byte, flags, -1)
    context = machine(low).context
    owner = place(low, word)
    inside = replace(context, nesting=(*context.nesting, word), owner=owner, self=Self.CLASS,
                     singleton=False, method=b"")  # fmt: skip
    low.later(scope, enter_class, (node.child_by_field_name("body"), inside), {})
    value = low.emit(Op.CLASS, scope, first, count, *last.byte_range)
    define(low, word, value, last)
    low.values.append(unknown(low, last))


def _singleton(low: Writer, node: Node) -> None:
    """`class << self`: what is defined in it are members of the class itself."""
    body, value = node.child_by_field_name("body"), node.child_by_field_name("value")
    context = machine(low).context
    if body is None:
        opaque(low, node)
    elif value is not None and value.type == "self" and context.self is Self.CLASS:
        machine(low).context = replace(context, singleton=True)
        low.push(value_of(low, body), (_restore, context))
    else:
        machine(low).context = replace(context, self=Self.UNKNOWN, owner=b"", method=b"")
        first = [] if value is None else [value_of(low, value), (drop, None)]
        low.push(*first, value_of(low, body), (_restore, context))


def _restore(low: Writer, context: Any) -> None:
    machine(low).context = context


def _alias(low: Writer, node: Node) -> None:
    new, old = node.child_by_field_name("name"), node.child_by_field_name("alias")
    inside = low.scopes[low.scope][0] == ScopeKind.CLASS
    if new is not None and old is not None and inside and new.type != "global_variable":
        rename(low, _word(low, new), _word(low, old), old)
    low.values.append(unknown(low, node))


def _word(low: Writer, node: Node) -> bytes:
    return symbol(low, node) or raw(low, node)


EXPRESSIONS: dict[str, Handler] = {
    "class": _class,
    "module": _class,
    "singleton_class": _singleton,
    "method": method,
    "singleton_method": method,
    "lambda": lambda_function,
    "alias": _alias,
    "undef": opaque,
}

"""Paths, names and types of Rust: each handler leaves one value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering._rust_base import chain, load, rust, words
from grainline.languages.lowering.base import Handler, Writer, anything, kids, opaque
from grainline.languages.lowering.blocks import GETATTR, GETITEM, MAKE, POSITIONAL
from grainline.model.ir import ABSTRACT, Make, Op, Param, Port, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node


def identifier(low: Writer, node: Node) -> None:
    """A name."""
    start, end = node.byte_range
    load(low, low.text[start:end], start, end)


def _own(low: Writer, node: Node) -> None:
    """`self`: the receiver, or in a path the module."""
    start, end = node.byte_range
    if rust(low).locals.known(b"self"):
        load(low, b"self", start, end)
    else:
        module(low, [b"self"], start, end)


def _root(low: Writer, node: Node) -> None:
    start, end = node.byte_range
    module(low, [low.text[start:end]], start, end)


def module(low: Writer, path: list[bytes], start: int, end: int) -> None:
    """Push what a path of `self`, `super` or `crate`, and names behind it, means."""
    space = rust(low).space
    at = 0
    while at < len(path) and path[at] in (b"self", b"super"):
        if path[at] == b"super":
            if space.above is None:
                break
            space = space.above
        at += 1
    rest = path[at:]
    inside = not rest or rest[0] not in (b"super", b"crate")
    if inside and at and (space.chain or rest):
        chain(low, (*space.chain, *rest), start, end)
        return
    if not rest:
        rest = [b"self"]
    value = low.emit(Op.IMPORT, low.name(rest[0]), -1, 0, start, end)
    for word in rest[1:]:
        value = low.emit(GETATTR, value, low.name(word), -1, start, end)
    low.values.append(value)


def _scoped(low: Writer, node: Node) -> None:
    path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
    if name is None:
        anything(low, node)
        return
    if path is None:  # `::name`
        _root(low, name)
        return
    low.todo.append((_scoped_end, name))
    if path.type in ("identifier", "type_identifier"):
        low.todo.append((_first, path))
    elif path.type in ("super", "self", "crate"):
        low.todo.append((_root, path))
    elif _relative(low, path):
        low.todo.append((_modules, path))
    else:
        low.visit(path)


def _relative(low: Writer, path: Node) -> bool:
    """`super::super`, `self::super`: words that lead through modules."""
    return path.type == "scoped_identifier" and set(words(low, path)) <= {b"self", b"super"}


def _modules(low: Writer, path: Node) -> None:
    module(low, words(low, path), *path.byte_range)


def _first(low: Writer, node: Node) -> None:
    start, end = node.byte_range
    load(low, low.text[start:end], start, end, first=True)


def _scoped_end(low: Writer, node: Node) -> None:
    start, end = node.byte_range
    name = low.name(low.text[start:end])
    low.values.append(low.emit(GETATTR, low.values.pop(), name, -1, start, end))


# ------------------------------------------------------------------------------ types

_SKIPPED = frozenset(
    {"lifetime", "mutable_specifier", "for_lifetimes", "removed_trait_bound", "use_bounds",
     "visibility_modifier", "extern_modifier", "integer_literal", "block"}
)  # fmt: skip


def parts(node: Node) -> list[Node]:
    """The types in a type."""
    return [child for child in kids(node) if child.type not in _SKIPPED]


def last(low: Writer, node: Node) -> None:
    """A type that is the last one in it (behind lifetimes and modifiers)."""
    found = parts(node)
    if found:
        low.visit(found[-1])
    else:
        opaque(low, node)


def _first_type(low: Writer, node: Node) -> None:
    found = parts(node)
    if found:
        low.visit(found[0])
    else:
        opaque(low, node)


def bare(node: Node) -> Node:
    """A type without its arguments and references: what members are attached to."""
    while node.type in _BARE:
        found = parts(node)
        if not found:
            break
        node = found[0] if node.type == "generic_type" else found[-1]
    return node


_BARE = frozenset({"generic_type", "reference_type", "pointer_type", "dynamic_type"})


def _generic(low: Writer, node: Node) -> None:
    base = node.child_by_field_name("type")
    given = node.child_by_field_name("type_arguments")
    arguments = parts(given) if given is not None else []
    if base is None:
        anything(low, node)
        return
    low.todo.append((_generic_end, (node, len(arguments))))
    low.visit_all([base, *arguments])


def _generic_end(low: Writer, work: tuple[Node, int]) -> None:
    node, count = work
    if not count:
        return
    start, end = node.byte_range
    values = low.values[-count:]
    del low.values[-count:]
    key = values[0]
    if count > 1:
        first, n_ports = low.write_ports([(POSITIONAL, -1, value) for value in values])
        key = low.emit(MAKE, Make.TUPLE, first, n_ports, start, end)
    low.values.append(low.emit(GETITEM, low.values.pop(), key, -1, start, end))


def _array(low: Writer, node: Node) -> None:
    element = node.child_by_field_name("element")
    if element is None:
        anything(low, node)
        return
    low.push((low.handlers[element.kind_id], element), (_array_end, node))


def _array_end(low: Writer, node: Node) -> None:
    first, count = low.write_ports([(int(Port.EACH), -1, low.values.pop())])
    low.values.append(low.emit(MAKE, Make.LIST, first, count, *node.byte_range))


def _tuple(low: Writer, node: Node) -> None:
    found = parts(node)
    low.todo.append((_tuple_end, (node, len(found))))
    low.visit_all(found)


def _tuple_end(low: Writer, work: tuple[Node, int]) -> None:
    node, count = work
    first = len(low.values) - count
    values = low.values[first:]
    del low.values[first:]
    at, n_ports = low.write_ports([(POSITIONAL, -1, value) for value in values])
    low.values.append(low.emit(MAKE, Make.TUPLE, at, n_ports, *node.byte_range))


def _bounds(low: Writer, node: Node) -> None:
    """Several bounds: any of them."""
    found = parts(node)
    if not found:
        opaque(low, node)
        return
    low.todo.append((either, (node, len(found))))
    low.visit_all(found)


def either(low: Writer, work: tuple[Node, int]) -> None:
    """The last values are one."""
    node, count = work
    start, end = node.byte_range
    for _ in range(count - 1):
        right, left = low.values.pop(), low.values.pop()
        low.values.append(low.emit(Op.EITHER, left, right, -1, start, end))


def _function_type(low: Writer, node: Node) -> None:
    listed, returns = (node.child_by_field_name(name) for name in ("parameters", "return_type"))
    kinds = [
        child.child_by_field_name("type") or child
        for child in (parts(listed) if listed is not None else [])
    ]
    low.todo.append((_function_type_end, (node, kinds, returns is not None)))
    low.visit_all([*kinds, *([returns] if returns is not None else [])])


def _function_type_end(low: Writer, work: tuple[Node, list[Node], bool]) -> None:
    node, kinds, given = work
    returns = low.values.pop() if given else -1
    first = len(low.values) - len(kinds)
    for kind, value in zip(kinds, low.values[first:], strict=True):
        low.params += (Param.POSITIONAL, 0, -1, value, kind.start_byte)
    del low.values[first:]
    start, end = node.byte_range
    scope = low.enter(ScopeKind.LAMBDA, 0, node, start, ABSTRACT, returns)
    low.later(scope, nothing, None, {})
    low.values.append(low.emit(Op.FUNCTION, scope, -1, -1, start, end))


def nothing(low: Writer, _: object) -> None:
    """A body that is not there."""
    del low


EXPRESSIONS: dict[str, Handler] = {
    "identifier": identifier,
    "type_identifier": identifier,
    "primitive_type": identifier,
    "shorthand_field_identifier": identifier,
    "self": _own,
    "super": _root,
    "crate": _root,
    "scoped_identifier": _scoped,
    "scoped_type_identifier": _scoped,
    "generic_type": _generic,
    "generic_type_with_turbofish": _generic,
    "reference_type": last,
    "pointer_type": last,
    "dynamic_type": last,
    "abstract_type": last,
    "higher_ranked_trait_bound": last,
    "type_binding": last,
    "bracketed_type": _first_type,
    "qualified_type": _first_type,
    "array_type": _array,
    "tuple_type": _tuple,
    "bounded_type": _bounds,
    "trait_bounds": _bounds,
    "function_type": _function_type,
    "unit_type": opaque,
    "never_type": opaque,
    "lifetime": opaque,
}

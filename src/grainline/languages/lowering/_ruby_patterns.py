"""Patterns of Ruby: what they ask of a value, and the names that they give to parts of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering._ruby_expressions import chain
from grainline.languages.lowering._ruby_names import bind, kids, raw, symbol, value_of
from grainline.languages.lowering.base import drop
from grainline.model.ir import Const, Op

if TYPE_CHECKING:
    from tree_sitter import Node

    from grainline.languages.lowering.base import Writer

LITERALS = frozenset({"string", "integer", "simple_symbol", "true", "false", "nil", "regex",
                      "float", "range", "character"})  # fmt: skip
_GROUPS = frozenset({"hash_pattern", "array_pattern", "find_pattern", "keyword_pattern",
                     "parenthesized_pattern", "as_pattern"})  # fmt: skip
_RESTS = frozenset({"splat_parameter", "hash_splat_parameter", "hash_splat_nil"})


# ------------------------------------------------------------------------------ tests


def asked(low: Writer, work: tuple[Node, int]) -> None:
    """Leaves what a pattern asks of a register, -1 where nothing that is written out."""
    node, value = work
    if node.type in LITERALS:
        low.push(value_of(low, node), (_equal, (node, value, b"===")))
    elif chain(low, node):
        low.push(value_of(low, node), (_equal, (node, value, b"is_a?")))
    elif node.type == "alternative_pattern":
        found = node.children_by_field_name("alternatives")
        low.push(*((asked, (each, value)) for each in found), (_joined, (node, len(found), b"||")))
    elif node.type in _GROUPS:
        parts = _parts(low, node, value)
        low.push(*((asked, each) for each in parts), (_joined, (node, len(parts), b"&&")))
    else:
        low.values.append(-1)


def _equal(low: Writer, work: tuple[Node, int, bytes]) -> None:
    node, value, word = work
    sides = (value, low.values.pop()) if word == b"is_a?" else (low.values.pop(), value)
    low.values.append(low.emit(Op.OPERATE, *sides, low.name(word), *node.byte_range))


def _joined(low: Writer, work: tuple[Node, int, bytes]) -> None:
    """All tests, or one of them: of alternatives one that asks nothing lets everything pass."""
    node, count, word = work
    found = low.values[len(low.values) - count :]
    del low.values[len(low.values) - count :]
    tests = [each for each in found if each >= 0]
    if not tests or (word == b"||" and len(tests) < count):
        low.values.append(-1)
        return
    test = tests[0]
    for each in tests[1:]:
        test = low.emit(Op.OPERATE, test, each, low.name(word), *node.byte_range)
    low.values.append(test)


# ------------------------------------------------------------------------------ names


def matched(low: Writer, work: tuple[Node, int]) -> None:
    """Binds the names in a pattern to parts of a register."""
    node, value = work
    if node.type == "identifier":
        bind(low, node, value)
    elif node.type == "keyword_pattern" and node.child_by_field_name("value") is None:
        key = node.child_by_field_name("key")
        if key is not None and key.type == "hash_key_symbol":
            bind(low, key, _item(low, node, value))
    elif node.type in _RESTS:
        name = node.child_by_field_name("name")
        if name is not None:
            bind(low, name, value)
    elif node.type == "as_pattern":
        _named(low, node, value)
    elif node.type == "alternative_pattern":
        low.push(*((matched, (each, value)) for each in kids(node)))
    elif node.type in _GROUPS:
        low.push(*((matched, each) for each in _parts(low, node, value)))
    elif node.type == "variable_reference_pattern" and kids(node):
        low.push(value_of(low, kids(node)[0]), (drop, None))


def _named(low: Writer, node: Node, value: int) -> None:
    """`pattern => name`: a class that stands before it says what it is."""
    name, kind = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or kind is None:
        return
    if chain(low, kind):
        low.push(value_of(low, kind), (_narrowed, (name, value)))
    else:
        bind(low, name, value)
        low.push((matched, (kind, value)))


def _narrowed(low: Writer, work: tuple[Node, int]) -> None:
    name, value = work
    bind(low, name, low.emit(Op.NARROW, value, low.values.pop(), -1, *name.byte_range))


# ------------------------------------------------------------------------------ parts


def _parts(low: Writer, node: Node, value: int) -> list[tuple[Node, int]]:
    """Patterns inside of one, each with the register of what it is about."""
    if node.type == "keyword_pattern":
        inner = node.child_by_field_name("value")
        return [] if inner is None else [(inner, _item(low, node, value))]
    if node.type == "as_pattern":
        return [(each, value) for each in node.children_by_field_name("value")]
    klass = node.child_by_field_name("class")
    inside = [each for each in kids(node) if each != klass]
    if node.type == "find_pattern":
        found = low.emit(Op.ITER, value, 0, -1, *node.byte_range)
        return [(each, value if each.type in _RESTS else found) for each in inside]
    if node.type == "array_pattern":
        return _elements(low, inside, value)
    return [(each, value) for each in inside]


def _elements(low: Writer, inside: list[Node], value: int) -> list[tuple[Node, int]]:
    rests = [at for at, each in enumerate(inside) if each.type in _RESTS]
    count = len(inside)
    found: list[tuple[Node, int]] = []
    for at, each in enumerate(inside):
        place = each.byte_range
        if each.type in _RESTS:
            found.append((each, low.emit(Op.REST, value, at, count - 1 - at, *place)))
        else:
            number = at - count if rests and at > rests[0] else at
            found.append((each, low.emit(Op.ELEMENT, value, number, count, *place)))
    return found


def _item(low: Writer, node: Node, value: int) -> int:
    """The register of what stands under the key of a pattern."""
    key = node.child_by_field_name("key")
    word = symbol(low, key) if key is not None and key.type == "hash_key_symbol" else b""
    text = low.name(word or raw(low, key or node).strip(b"\"'"))
    at = low.emit(Op.CONST, Const.STR, text, -1, *node.byte_range)
    return low.emit(Op.GETITEM, value, at, -1, *node.byte_range)

"""Patterns of Rust: what binds names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering._rust_base import field, rust
from grainline.languages.lowering.base import Handler, Writer, evaluate, kids
from grainline.languages.lowering.blocks import GETATTR, GETITEM, STORE, unknown
from grainline.model.ir import Op

if TYPE_CHECKING:
    from tree_sitter import Node


def bind(low: Writer, work: tuple[Node, int]) -> None:
    """Bind the names of a pattern to the parts of a register."""
    pattern, value = work
    kind, found = pattern.type, kids(pattern)
    if kind in ("identifier", "shorthand_field_identifier"):
        declare(low, pattern, value)
    elif kind in _WRAPPERS:
        inner = [child for child in found if child.type != "mutable_specifier"]
        if inner:
            low.push((bind, (inner[0], value)))
    elif kind == "captured_pattern" and len(found) == 2:
        low.push((bind, (found[0], value)), (bind, (found[1], value)))
    elif kind == "tuple_pattern":
        _elements(low, found, value)
    elif kind == "slice_pattern":
        low.push(*((_item, (child, value)) for child in found))
    elif kind == "tuple_struct_pattern":
        _variant(low, pattern, value)
    elif kind == "struct_pattern":
        named = pattern.child_by_field_name("type")
        if named is not None:
            low.push((low.handlers[named.kind_id], named), (_fields, (pattern, value)))


_WRAPPERS = frozenset(
    {"match_pattern", "mut_pattern", "ref_pattern", "reference_pattern", "or_pattern",
     "parenthesized_pattern", "generic_pattern"}
)  # fmt: skip


def declare(low: Writer, name: Node, value: int) -> None:
    """A new variable; a name in capitals is a constant or variant that is compared with."""
    start, end = name.byte_range
    raw = low.text[start:end]
    if not raw[:1].isupper():
        low.emit(STORE, rust(low).fresh(raw), value, -1, start, end)


def _elements(low: Writer, found: list[Node], value: int) -> None:
    rest = next((at for at, child in enumerate(found) if _is_rest(child)), len(found))
    work: list[tuple[Handler, tuple[Node, int]]] = []
    for at, child in enumerate(found):
        if at != rest:
            place = at if at < rest else at - len(found)
            start, end = child.byte_range
            part = low.emit(Op.ELEMENT, value, place, len(found), start, end)
            work.append((bind, (child, part)))
    low.push(*work)


def _is_rest(node: Node) -> bool:
    return node.type == "remaining_field_pattern"


def _item(low: Writer, work: tuple[Node, int]) -> None:
    pattern, value = work
    start, end = pattern.byte_range
    bind(low, (pattern, low.emit(GETITEM, value, unknown(low, pattern), -1, start, end)))


def _variant(low: Writer, pattern: Node, value: int) -> None:
    """`Some(x)` and `Ok(x)` take out what is in a wrapper; others have numbered fields."""
    named = pattern.child_by_field_name("type")
    inner = [child for child in kids(pattern) if child != named]
    if named is None:
        return
    word = rust(low).raw(named).rpartition(b"::")[2]
    if word in (b"Some", b"Ok") and len(inner) == 1:
        _item(low, (inner[0], value))
    elif word == b"Err":
        low.push(*((bind, (child, unknown(low, pattern))) for child in inner))
    else:
        low.push((low.handlers[named.kind_id], named), (_numbered, (pattern, inner, value)))


def _numbered(low: Writer, work: tuple[Node, list[Node], int]) -> None:
    pattern, inner, value = work
    start, end = pattern.byte_range
    known = low.emit(Op.NARROW, value, low.values.pop(), -1, start, end)
    steps: list[tuple[Handler, tuple[Node, int]]] = []
    for at, child in enumerate(inner):
        if _is_rest(child):
            break
        part = low.emit(GETATTR, known, low.name(field(b"%d" % at)), -1, *child.byte_range)
        steps.append((bind, (child, part)))
    low.push(*steps)


def _fields(low: Writer, work: tuple[Node, int]) -> None:
    pattern, value = work
    start, end = pattern.byte_range
    known = low.emit(Op.NARROW, value, low.values.pop(), -1, start, end)
    steps: list[tuple[Handler, tuple[Node, int]]] = []
    for child in kids(pattern):
        name = child.child_by_field_name("name") if child.type == "field_pattern" else None
        if name is None:
            continue
        place = name.byte_range
        word = low.name(field(low.text[place[0] : place[1]]))
        part = low.emit(GETATTR, known, word, -1, *place)
        steps.append((bind, (child.child_by_field_name("pattern") or name, part)))
    low.push(*steps)


def condition(low: Writer, node: Node) -> None:
    """A condition of `if` or `while`: nothing stays; names of `let` are declared in this block."""
    if node.type in ("let_chain", "binary_expression") and _has_let(node):
        low.push(*((condition, child) for child in kids(node)))
    elif node.type == "let_condition":
        pattern, value = (node.child_by_field_name(name) for name in ("pattern", "value"))
        if pattern is not None and value is not None:
            low.push((low.handlers[value.kind_id], value), (_let, pattern))
    else:
        low.push((evaluate, node))


def tested(low: Writer, node: Node) -> None:
    """A condition whose value is kept where it is one; -1 where it is a pattern."""
    if node.type in ("let_chain", "let_condition") or _has_let(node):
        low.push((condition, node), (_pattern, None))
    else:
        low.visit(node)


def _pattern(low: Writer, work: None) -> None:
    del work
    low.values.append(-1)


def _has_let(node: Node) -> bool:
    return node.type == "let_chain" or any(
        child.type in ("let_condition", "let_chain") for child in kids(node)
    )


def _let(low: Writer, pattern: Node) -> None:
    bind(low, (pattern, low.values.pop()))

"""What binds names in JavaScript: declarations, targets of assignments, blocks with names of their own.

A name that is declared in a block inside of a function is `x#3` in the IR, so that it is not that
of another block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from grainline.languages.lowering.base import Handler, Writer, kids
from grainline.model.ir import ASSIGNS, Const, Op

if TYPE_CHECKING:
    from tree_sitter import Node

EXPORTS: Final = b"module.exports"
"""The variable of a module that holds what `require` of it gives."""
FUNCTIONS: Final = frozenset(
    {"arrow_function", "function_expression", "generator_function", "class"}
)
"""Values that may be named by what they are bound to."""
HOISTED: Final = frozenset({"function_declaration", "generator_function_declaration"})


def text_of(low: Writer, node: Node) -> bytes:
    """The source of a node."""
    start, end = node.byte_range
    return low.text[start:end]


def names_in(node: Node) -> list[Node]:
    """The names that a pattern binds."""
    found: list[Node] = []
    open_ = [node]
    while open_:
        at = open_.pop()
        kind = at.type
        if kind in _NAMES:
            found.append(at)
        elif kind == "pair_pattern":
            open_ += [part for part in [at.child_by_field_name("value")] if part is not None]
        elif kind in _DEFAULTS:
            open_ += [part for part in [at.child_by_field_name("left")] if part is not None]
        elif kind in _PATTERNS:
            open_ += at.named_children
    return found


_NAMES = frozenset({"identifier", "shorthand_property_identifier_pattern"})
_DEFAULTS = frozenset({"assignment_pattern", "object_assignment_pattern"})
_PATTERNS = frozenset({"object_pattern", "array_pattern", "rest_pattern"})
_DECLARATIONS = frozenset({"lexical_declaration", "variable_declaration"})
_CLASSES = frozenset({"class_declaration", "abstract_class_declaration", "enum_declaration"})


def declared_in(block: Node, *, variables: bool) -> list[Node]:
    """The names that the statements of a block declare; with `variables`, those of `var` too."""
    found: list[Node] = []
    for child in block.named_children:
        kind = child.type
        if kind == "lexical_declaration" or (variables and kind == "variable_declaration"):
            for each in child.named_children:
                name = each.child_by_field_name("name")
                if name is not None:
                    found += names_in(name)
        elif kind in HOISTED or kind in _CLASSES:
            name = child.child_by_field_name("name")
            if name is not None:
                found.append(name)
    return found


def rename(low: Writer, names: list[Node]) -> None:
    """Give names of a block an identity of their own; `low.renamed` is a new table."""
    renamed = dict(low.renamed)
    for name in names:
        raw = text_of(low, name)
        low.blocks += 1
        renamed[raw] = b"%s#%d" % (raw, low.blocks)
    low.renamed = renamed


def without(renamed: dict[bytes, bytes], names: list[bytes]) -> dict[bytes, bytes]:
    """The table for a function that declares `names` itself."""
    if not renamed:
        return renamed
    own = set(names)
    return {name: other for name, other in renamed.items() if name not in own}


def restore(low: Writer, renamed: dict[bytes, bytes]) -> None:
    """A block ends."""
    low.renamed = renamed


# ------------------------------------------------------------------------------ targets


def declare(low: Writer, work: tuple[Node, int]) -> None:
    """Bind the names of a pattern that declares them."""
    _bind(low, (*work, -1))


def declare_assigned(low: Writer, work: tuple[Node, int]) -> None:
    """Bind a target that is declared elsewhere."""
    _bind(low, (*work, ASSIGNS))


def _bind(low: Writer, work: tuple[Node, int, int]) -> None:
    target, value, flag = work
    kind = target.type
    if kind in _NAMES or kind == "shorthand_property_identifier":
        number, start, end = low.variable(target)
        low.emit(Op.STORE, number, value, flag, start, end)
    elif kind == "member_expression":
        _set_member(low, target, value)
    elif kind == "subscript_expression":
        owner, index = target.child_by_field_name("object"), target.child_by_field_name("index")
        if owner is not None and index is not None:
            low.todo.append((_set_item, (target, value)))
            low.visit_all([owner, index])
    elif kind in {"object_pattern", "object"}:
        _unpack_object(low, target, value, flag)
    elif kind in {"array_pattern", "array"}:
        _unpack_array(low, target, value, flag)
    elif kind in _WRAPPERS:
        for child in kids(target)[:1]:
            low.todo.append((_bind, (child, value, flag)))
    elif kind in _DEFAULTS or kind == "assignment_expression":
        left, right = target.child_by_field_name("left"), target.child_by_field_name("right")
        if left is not None and right is not None:
            low.todo.append((_bind_default, (target, left, value, flag)))
            low.visit(right)


_WRAPPERS = frozenset(
    {"parenthesized_expression", "rest_pattern", "spread_element", "non_null_expression",
     "as_expression"}
)  # fmt: skip


def _set_member(low: Writer, target: Node, value: int) -> None:
    owner, name = target.child_by_field_name("object"), target.child_by_field_name("property")
    if owner is None or name is None:
        return
    if owner.type == "identifier" and text_of(low, target) == EXPORTS:
        start, end = target.byte_range
        number = low.name(low.renamed.get(EXPORTS, EXPORTS))
        low.emit(Op.STORE, number, value, ASSIGNS, start, end)
        return
    low.todo.append((_set_attribute, (name, value)))
    low.visit(owner)


def _set_attribute(low: Writer, work: tuple[Node, int]) -> None:
    name, value = work
    low.emit(Op.SETATTR, low.values.pop(), low.name(text_of(low, name)), value, *name.byte_range)


def _set_item(low: Writer, work: tuple[Node, int]) -> None:
    target, value = work
    key = low.values.pop()
    low.emit(Op.SETITEM, low.values.pop(), key, value, *target.byte_range)


def _bind_default(low: Writer, work: tuple[Node, Node, int, int]) -> None:
    target, left, value, flag = work
    default = low.values.pop()
    low.todo.append(
        (_bind, (left, low.emit(Op.EITHER, value, default, -1, *target.byte_range), flag))
    )


def _unpack_object(low: Writer, target: Node, value: int, flag: int) -> None:
    work: list[tuple[Handler, Any]] = []
    for child in kids(target):
        kind = child.type
        if kind in {"pair_pattern", "pair"}:
            key, inside = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is None or inside is None:
                continue
            if key.type == "computed_property_name":
                work += [(low.handlers[key.kind_id], key), (_bind_item, (inside, value, flag))]
                continue
            name = text_of(low, key)
            name = name[1:-1] if key.type == "string" else name
            part = low.emit(Op.GETATTR, value, low.name(name), -1, *key.byte_range)
            if key.type == "number":  # of an object, or of a list
                at = low.emit(Op.CONST, Const.INT, low.name(name), -1, *key.byte_range)
                item = low.emit(Op.GETITEM, value, at, -1, *key.byte_range)
                part = low.emit(Op.EITHER, part, item, -1, *key.byte_range)
            work.append((_bind, (inside, part, flag)))
        elif kind in {"rest_pattern", "spread_element"}:
            work.append((_bind, (child, value, flag)))
        else:
            name_node = child.child_by_field_name("left") if kind in _DEFAULTS else child
            if name_node is None:
                continue
            raw = text_of(low, name_node)
            part = low.emit(Op.GETATTR, value, low.name(raw), -1, *name_node.byte_range)
            work.append((_bind, (child, part, flag)))
    low.push(*work)


def _bind_item(low: Writer, work: tuple[Node, int, int]) -> None:
    """`{[key]: target}`."""
    target, value, flag = work
    part = low.emit(Op.GETITEM, value, low.values.pop(), -1, *target.byte_range)
    _bind(low, (target, part, flag))


def _unpack_array(low: Writer, target: Node, value: int, flag: int) -> None:
    slots: list[tuple[int, Node]] = []
    at = 0
    for child in target.children:
        if child.type == ",":
            at += 1
        elif child.is_named and not child.is_extra:
            slots.append((at, child))
    count = at + 1
    work: list[tuple[Handler, Any]] = []
    for at, child in slots:
        if child.type in {"rest_pattern", "spread_element"}:
            part = low.emit(Op.REST, value, at, 0, *child.byte_range)
        else:
            part = low.emit(Op.ELEMENT, value, at, count, *child.byte_range)
        work.append((_bind, (child, part, flag)))
    low.push(*work)

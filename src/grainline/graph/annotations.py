"""Annotations as types: which values a variable of the annotated type holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from grainline.graph.parts import Seed, Use
from grainline.model.ir import Const, Make, Op, Port

if TYPE_CHECKING:
    from grainline.graph.builder import Builder

MAX_PARTS: Final = 32
"""Parts of one annotation that are looked at."""


def type_node(builder: Builder, op: int, scope: int, owner: int) -> int:
    """The node of values of the type that the annotation `op`, evaluated in `scope`, names.

    `owner` is the scope whose symbol has to do with that type.
    """
    node = builder.types.get(op)
    if node is not None:
        return node
    node = builder.types[op] = builder.new()
    open_ = [(op, node)]
    for _ in range(MAX_PARTS):
        if not open_:
            break
        part, target = open_.pop()
        open_ += _part(builder, part, target, scope, owner)
    return node


def _part(builder: Builder, op: int, target: int, scope: int, owner: int) -> list[tuple[int, int]]:
    """Handle one annotation; what is left to do: (annotation, node that takes its values)."""
    code, a, b, c, *_ = builder.ops[op]
    types = builder.rules.types
    if code in (Op.LOAD, Op.GETATTR):
        word = builder.names[a if code == Op.LOAD else b]
        if word in types.own:
            _own(builder, target, scope)
        elif word not in types.opaque:
            builder.part.typed.append((op, owner))
            builder.uses.append((builder.nodes[op], Use.INSTANCE, None, target))
    elif code == Op.OPERATE and builder.names[c] == "|" and b >= 0:
        return [(a, target), (b, target)]
    elif code == Op.CONST and a == Const.STR and b >= 0:
        _forward(builder, builder.names[b], target, scope)
    elif code == Op.EITHER:
        return [(a, target), (b, target)]
    elif code == Op.GETITEM:
        return _generic(builder, op, target)
    elif code == Op.MAKE:
        return _made(builder, op, target)
    elif code == Op.FUNCTION:
        builder.copies.append((builder.nodes[op], target, 0))
    elif code == Op.CLASS:
        builder.uses.append((builder.nodes[op], Use.INSTANCE, None, target))
    return []


def _made(builder: Builder, op: int, target: int) -> list[tuple[int, int]]:
    """A type that is written as a display of types."""
    _, kind, first, count, *_ = builder.ops[op]
    builder.part.seeds.append((target, Seed.CONTAINER, target, kind))
    left: list[tuple[int, int]] = []
    for at, (port, _, value) in enumerate(builder.ports[first : first + count]):
        node = builder.new()
        key = f"#{at}" if port == Port.POSITIONAL else None
        builder.part.elements.append((target, key, node))
        left.append((value, node))
    return left


def _own(builder: Builder, target: int, scope: int) -> None:
    if scope in builder.part.classes:
        builder.part.seeds.append((target, Seed.SELF, scope, None))


def _generic(builder: Builder, op: int, target: int) -> list[tuple[int, int]]:
    types = builder.rules.types
    base, key = builder.ops[op][1], builder.ops[op][2]
    code, a, b, *_ = builder.ops[base]
    word = builder.names[a if code == Op.LOAD else b] if code in (Op.LOAD, Op.GETATTR) else ""
    parts = [key]
    if builder.ops[key][0] == Op.MAKE:
        first, count = builder.ops[key][2:4]
        parts = [port[2] for port in builder.ports[first : first + count]]
    if word in types.transparent:
        return [(part, target) for part in parts]
    if word in types.last:
        return [(part, target) for part in parts[-1:]]
    if word in types.classes:
        builder.copies += [(builder.nodes[part], target, 0) for part in parts]
        return []
    if word in types.opaque:
        return []
    if (
        word in types.elements
        or word in types.keyed
        or word in types.mappings
        or word in types.tuples
    ):
        return _container(builder, word, parts, target)
    return [(base, target)]


def _container(builder: Builder, word: str, parts: list[int], target: int) -> list[tuple[int, int]]:
    types = builder.rules.types
    kind = (
        Make.DICT if word in types.mappings else Make.TUPLE if word in types.tuples else Make.LIST
    )
    builder.part.seeds.append((target, Seed.CONTAINER, target, kind))
    held: list[tuple[int, str | None]]
    if not parts:  # `tuple[()]`
        held = []
    elif word in types.tuples and not _is_ellipsis(builder, parts[-1]):
        held = [(part, f"#{at}") for at, part in enumerate(parts)]
    elif word in types.tuples:
        held = [(parts[0], None)]
    else:
        last = word in types.mappings or word in types.keyed
        held = [(parts[-1] if last else parts[0], None)]
    left: list[tuple[int, int]] = []
    for part, key in held:
        node = builder.new()
        if builder.rules.declared:
            builder.part.elements.append((target, key, node))
        else:
            builder.uses.append((target, Use.SET_ITEM, key, node))
        left.append((part, node))
    return left


def _is_ellipsis(builder: Builder, op: int) -> bool:
    return builder.ops[op][:2] == [Op.CONST, Const.OTHER]


_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_WRAPPED = re.compile(r"(?:\w+\.)*(?:Optional|Final|ClassVar)\[(.*)\]", re.DOTALL)


def _forward(builder: Builder, text: str, target: int, scope: int) -> None:
    """A type that is written as a string; only names, `|` and `Optional` are understood."""
    wrapped = _WRAPPED.fullmatch(text.strip())
    inside = wrapped[1] if wrapped is not None else text
    for part in inside.split("|")[:MAX_PARTS]:
        if _NAME.fullmatch(part.strip()):
            builder.uses.append((_dotted(builder, part.strip(), scope), Use.INSTANCE, None, target))


def _dotted(builder: Builder, name: str, scope: int) -> int:
    first, *rest = name.split(".")
    if first in builder.name_numbers:
        node = builder.read(scope, builder.name_numbers[first])
    else:
        node = builder.new()
    for word in rest:
        owner, node = node, builder.new()
        builder.uses.append((owner, Use.ATTRIBUTE, word, node))
    return node

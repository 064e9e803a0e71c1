"""Types of C#, and the parameters that have them. `Foo<A, B>` is called ``Foo`2``, as in metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering import _typed as typed
from grainline.languages.lowering._typed import Parameter, Work, text_of, type_work
from grainline.languages.lowering.base import Handler, Writer, opaque
from grainline.model.ir import DECLARED, MENTIONED, QUALIFIER, Const, Op, Param

if TYPE_CHECKING:
    from tree_sitter import Node

ARGUMENTS = "type_argument_list"


def kids(node: Node) -> list[Node]:
    """Children that mean something, without comments: `this` and `base` are words to the grammar."""
    return [
        child
        for child in node.children
        if (child.is_named or child.type in _WORDS) and not child.is_extra
    ]


_WORDS = frozenset({"this", "base"})


def arity(listed: Node) -> int:
    """How many types are in a list, which may only have commas."""
    return max(sum(child.type == "," for child in listed.children) + 1, 1)


def generic_parts(node: Node) -> tuple[Node, Node] | None:
    """Name and arguments of a generic name."""
    found = kids(node)
    if len(found) == 2 and found[1].type == ARGUMENTS:
        return found[0], found[1]
    return None


def full_name(low: Writer, node: Node) -> bytes:
    """An identifier, or a generic name with its arity."""
    found = generic_parts(node) if node.type == "generic_name" else None
    if found is None:
        return text_of(low, node)
    return b"%s`%d" % (text_of(low, found[0]), arity(found[1]))


def last_name(node: Node) -> Node:
    """The identifier of a simple or generic name."""
    found = generic_parts(node) if node.type == "generic_name" else None
    return node if found is None else found[0]


def _named(low: Writer, work: tuple[Node, int]) -> None:
    node, _ = work
    if text_of(low, node) == b"dynamic":
        opaque(low, node)
    else:
        typed.named_type(low, work)


def _loaded(low: Writer, work: tuple[Node, int]) -> None:
    """A name with its arity."""
    node, mark = work
    at = last_name(node)
    number = low.name(full_name(low, node))
    low.values.append(low.emit(Op.LOAD, number, mark, -1, *at.byte_range))


def attribute_named(low: Writer, work: tuple[Node, int]) -> None:
    """The member of the last value with a name that may be generic."""
    node, mark = work
    at = last_name(node)
    number = low.name(full_name(low, node))
    value = low.values.pop()
    low.values.append(low.emit(Op.GETATTR, value, number, mark, *at.byte_range))


def type_arguments(low: Writer, node: Node, mark: int) -> Work:
    """Work that applies the arguments of a generic name to the last value."""
    found = generic_parts(node) if node.type == "generic_name" else None
    if found is None:
        return []
    inside = mark if mark == DECLARED else MENTIONED
    given = kids(found[1])
    if not given:
        return []
    return [
        *(type_work(low, each, inside) for each in given),
        (typed.generic_end, (node, len(given), mark)),
    ]


def _generic(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    low.push((_loaded, work), *type_arguments(low, node, mark))


def _qualified(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    outer, name = node.child_by_field_name("qualifier"), node.child_by_field_name("name")
    if outer is None or name is None:
        typed.anything(low, node)
        return
    low.push(
        type_work(low, outer, QUALIFIER),
        (attribute_named, (name, mark)),
        *type_arguments(low, name, mark),
    )


def _aliased(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    name = node.child_by_field_name("name")
    if name is None:
        typed.anything(low, node)
    else:
        low.push(type_work(low, name, mark))


def _nullable(low: Writer, work: tuple[Node, int]) -> None:
    """A type of the language that may be null is a struct of the platform."""
    node, mark = work
    inner = node.child_by_field_name("type")
    if inner is None or (inner.type == "predefined_type" and text_of(low, inner) not in _CLASSES):
        opaque(low, node)
    else:
        low.push(type_work(low, inner, mark))


_CLASSES = frozenset({b"string", b"object"})


def _array(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    inner = node.child_by_field_name("type")
    if inner is None:
        opaque(low, node)
    else:
        low.push(type_work(low, inner, mark), *typed.arrays(node, 1))


def _inner(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    inner = node.child_by_field_name("type")
    if inner is None:
        opaque(low, node)
    else:
        low.push(type_work(low, inner, mark))


def _none(low: Writer, work: tuple[Node, int]) -> None:
    opaque(low, work[0])


def _predefined(low: Writer, work: tuple[Node, int]) -> None:
    low.constant(Const.OTHER, text_of(low, work[0]), work[0])


TYPES: dict[str, Handler] = {
    "identifier": _named,
    "generic_name": _generic,
    "qualified_name": _qualified,
    "alias_qualified_name": _aliased,
    "nullable_type": _nullable,
    "array_type": _array,
    "predefined_type": _predefined,
    "ref_type": _inner,
    "scoped_type": _inner,
    "implicit_type": _none,
    "pointer_type": _none,
    "tuple_type": _none,
    "function_pointer_type": _none,
}

# ------------------------------------------------------------------------------ parameters


def inferred(node: Node | None) -> bool:
    """Whether a type is left to the value (`var`)."""
    return node is None or node.type == "implicit_type"


class Listed:
    """The parameters of a list: `extends` where the first one is what the method is called on."""

    __slots__ = ("defaults", "extends", "found")

    def __init__(self) -> None:
        self.found: list[Parameter] = []
        self.defaults: list[bool] = []
        self.extends = False


def parameters_of(low: Writer, node: Node | None) -> Listed:
    """The parameters of a list, which may have one of a variable number behind the others."""
    listed = Listed()
    if node is None:
        return listed
    if node.type == "implicit_parameter":
        listed.found.append(Parameter(Param.PLAIN, text_of(low, node), node.start_byte, None))
        listed.defaults.append(False)
        return listed
    for child in kids(node):
        if child.type != "parameter":
            continue
        name, kind = child.child_by_field_name("name"), child.child_by_field_name("type")
        if name is None:
            continue
        words = {text_of(low, each) for each in child.children if each.type == "modifier"}
        if b"params" in words:
            _rest(low, listed, name, kind)
            continue
        listed.extends = listed.extends or (b"this" in words and not listed.found)
        given = None if inferred(kind) else kind
        marks = [word for word in (b"out", b"ref") if word in words] + _marks(low, child)
        noted = [low.emit(Op.CONST, Const.STR, low.name(b'"' + word + b'"'), -1, *name.byte_range)
                 for word in marks]  # fmt: skip
        listed.found.append(
            Parameter(Param.PLAIN, text_of(low, name), name.start_byte, given, noted)
        )
        listed.defaults.append(any(each.type == "=" for each in child.children))
    name = node.child_by_field_name("name")
    if name is not None:
        _rest(low, listed, name, node.child_by_field_name("type"))
    return listed


def _marks(low: Writer, node: Node) -> list[bytes]:
    """Names of the attributes of a parameter."""
    return [
        text_of(low, name).rpartition(b".")[2].removesuffix(b"Attribute")
        for listed in kids(node)
        if listed.type == "attribute_list"
        for each in kids(listed)
        if (name := each.child_by_field_name("name")) is not None
    ]


def _rest(low: Writer, listed: Listed, name: Node, kind: Node | None) -> None:
    element = kind.child_by_field_name("type") if kind and kind.type == "array_type" else None
    listed.found.append(Parameter(Param.STAR, text_of(low, name), name.start_byte, element))
    listed.defaults.append(False)


def type_parameters(low: Writer, node: Node) -> list[Parameter]:
    """The type parameters of what is declared, a row for each bound."""
    bounds: dict[bytes, list[Node]] = {}
    for clause in kids(node):
        if clause.type == "type_parameter_constraints_clause" and kids(clause):
            name = text_of(low, kids(clause)[0])
            bounds[name] = [
                kind
                for each in kids(clause)[1:]
                if (kind := each.child_by_field_name("type")) is not None and kind.type in TYPES
            ]
    found: list[Parameter] = []
    for listed in kids(node):
        if listed.type != "type_parameter_list":
            continue
        for each in kids(listed):
            name_node = each.child_by_field_name("name")
            if each.type != "type_parameter" or name_node is None:
                continue
            raw = text_of(low, name_node)
            kinds: list[Node | None] = [*bounds.get(raw, ())] or [None]
            found += [Parameter(Param.TYPE, raw, name_node.start_byte, kind) for kind in kinds]
    return found

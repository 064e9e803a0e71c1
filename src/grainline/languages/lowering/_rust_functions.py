"""Functions and closures of Rust, and what constrains their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from grainline.languages.lowering._rust_base import Space, load, rust
from grainline.languages.lowering._rust_paths import either, nothing, parts
from grainline.languages.lowering._rust_patterns import bind
from grainline.languages.lowering.base import Handler, Writer, kids
from grainline.languages.lowering.blocks import LOAD, STORE, Work, unknown
from grainline.languages.lowering.names import Names
from grainline.model.ir import ABSTRACT, ASYNC, Op, Param, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node


class Parameter(NamedTuple):
    """A parameter as written; `own`: its type is that of the implementation around."""

    kind: Param
    pattern: Node
    type: Node | None
    own: bool = False


class Head(NamedTuple):
    """What the head of a function says."""

    node: Node
    name: Node | None
    parameters: list[Parameter]
    returns: Node | None
    body: Node | None


def head(node: Node, *, attached: bool) -> Head:
    """`attached`: the receiver has the type of the implementation around."""
    listed = node.child_by_field_name("parameters")
    found: list[Parameter] = []
    for child in kids(listed) if listed is not None else ():
        if child.type == "self_parameter":
            if not found:
                found.append(Parameter(Param.RECEIVER, child, None, attached))
        elif child.type == "parameter":
            pattern, kind = (child.child_by_field_name(name) for name in ("pattern", "type"))
            if pattern is not None and pattern.type == "self":
                if not found:
                    found.append(Parameter(Param.RECEIVER, pattern, None, attached))
            elif pattern is not None:
                found.append(Parameter(Param.POSITIONAL, pattern, kind))
        elif child.type not in ("attribute_item", "variadic_parameter"):
            found.append(Parameter(Param.POSITIONAL, child, None))
    name, returns, body = (node.child_by_field_name(each) for each in _HEAD)
    return Head(node, name, found, returns, body)


_HEAD = ("name", "return_type", "body")


def visit_head(low: Writer, known: Head) -> None:
    """Evaluate the types; `take_head` takes them."""
    work: Work = []
    for each in known.parameters:
        if each.own:
            work.append((_own_type, each.pattern))
        elif each.type is not None:
            work.append((low.handlers[each.type.kind_id], each.type))
    if known.returns is not None:
        work.append((low.handlers[known.returns.kind_id], known.returns))
    low.push(*work)


def _own_type(low: Writer, node: Node) -> None:
    load(low, b"Self", *node.byte_range)


def take_head(low: Writer, known: Head) -> int:
    """Write the parameters, whose types are the last values; the register of the result."""
    returns = low.values.pop() if known.returns is not None else -1
    typed = [each for each in known.parameters if each.own or each.type is not None]
    first = len(low.values) - len(typed)
    kinds = iter(low.values[first:])
    del low.values[first:]
    for at, each in enumerate(known.parameters):
        kind = next(kinds) if each.own or each.type is not None else -1
        low.params += (each.kind, low.name(_name(low, each, at)), -1, kind, each.pattern.start_byte)
    return returns


def _name(low: Writer, each: Parameter, at: int) -> bytes:
    """A parameter that is taken apart has a name of its own."""
    if each.kind is Param.RECEIVER:
        return b"self"
    raw = rust(low).raw(each.pattern)
    return raw if each.pattern.type == "identifier" else b"#p%d" % at


def function(low: Writer, known: Head, kind: ScopeKind) -> int:
    """The register of a function whose types are evaluated."""
    returns = take_head(low, known)
    node = known.node
    place = known.name or node
    start, end = place.byte_range
    number = low.name(low.text[start:end]) if known.name is not None else low.lambda_name()
    flags = ABSTRACT if known.body is None else 0
    if any(child.type == "function_modifiers" and _is_async(low, child) for child in node.children):
        flags |= ASYNC
    scope = low.enter(kind, number, node, start, flags, returns)
    if known.body is None:
        low.later(scope, nothing, None, {})
    else:
        state = rust(low)
        low.later(scope, _begin, (known, known.body, state.locals.inside(), state.space), {})
    return low.emit(Op.FUNCTION, scope, -1, -1, start, end)


def _is_async(low: Writer, node: Node) -> bool:
    return b"async" in rust(low).raw(node)


def _begin(low: Writer, work: tuple[Head, Node, Names, Space]) -> None:
    known, body, names, space = work
    state = rust(low)
    state.locals, state.space = names, space
    steps: Work = []
    for at, each in enumerate(known.parameters):
        raw = _name(low, each, at)
        names.declare(raw, raw)
        if raw.startswith(b"#"):
            start, end = each.pattern.byte_range
            value = low.emit(LOAD, low.name(raw), -1, -1, start, end)
            steps.append((bind, (each.pattern, value)))
    low.push(*steps, (low.handlers[body.kind_id], body), (_give_back, body))


def _give_back(low: Writer, body: Node) -> None:
    low.emit(Op.RETURN, low.values.pop(), -1, -1, *body.byte_range)


def _closure(low: Writer, node: Node) -> None:
    known = head(node, attached=False)
    low.todo.append((_closure_end, known))
    visit_head(low, known)


def _closure_end(low: Writer, known: Head) -> None:
    low.values.append(function(low, known, ScopeKind.LAMBDA))


# ------------------------------------------------------------------------------ type parameters


def type_parameters(low: Writer, node: Node) -> None:
    """Type parameters of an item are variables that hold what bounds them."""
    listed = node.child_by_field_name("type_parameters")
    bounds: dict[bytes, list[Node]] = {}
    names: dict[bytes, Node] = {}
    for each in kids(listed) if listed is not None else ():
        name = each.child_by_field_name("name")
        if each.type == "type_parameter" and name is not None:
            raw = rust(low).raw(name)
            names[raw] = name
            bounds[raw] = _bounds(each)
    for child in kids(node):
        if child.type == "where_clause":
            for predicate in kids(child):
                left = predicate.child_by_field_name("left")
                raw = rust(low).raw(left) if left is not None else b""
                if raw in bounds:
                    bounds[raw] += _bounds(predicate)
    numbers = {raw: rust(low).fresh(raw) for raw in names}
    work: Work = []
    for raw, name in names.items():
        work += [(low.handlers[kind.kind_id], kind) for kind in bounds[raw]]
        work.append((_type_parameter, (name, numbers[raw], len(bounds[raw]))))
    low.push(*work)


def _bounds(node: Node) -> list[Node]:
    listed = node.child_by_field_name("bounds")
    return parts(listed) if listed is not None else []


def _type_parameter(low: Writer, work: tuple[Node, int, int]) -> None:
    name, number, count = work
    start, end = name.byte_range
    if count:
        either(low, (name, count))
        value = low.values.pop()
    else:
        value = unknown(low, name)
    low.emit(STORE, number, value, -1, start, end)


EXPRESSIONS: dict[str, Handler] = {"closure_expression": _closure}

"""What makes scopes in JavaScript: functions, methods, classes, and interfaces of TypeScript."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from grainline.languages.lowering._javascript_expressions import key_text, place_of
from grainline.languages.lowering._javascript_names import (
    FUNCTIONS,
    declare,
    declared_in,
    names_in,
    rename,
    text_of,
    without,
)
from grainline.languages.lowering._javascript_statements import body_block
from grainline.languages.lowering.base import (
    Handler,
    Writer,
    anything,
    drop,
    evaluate,
    kids,
    opaque,
)
from grainline.languages.lowering.common import LOAD, Spec, take_ports
from grainline.model.ir import (
    ABSTRACT,
    ASYNC,
    CONSTRUCTOR,
    GENERATOR,
    GETTER,
    OP_WIDTH,
    SETTER,
    STATIC,
    Op,
    Param,
    Port,
    ScopeKind,
)

if TYPE_CHECKING:
    from tree_sitter import Node


class Parameter(NamedTuple):
    """A parameter as written; `pattern` is what it binds, when that is no plain name."""

    kind: Param
    name: bytes
    place: Node
    pattern: Node | None
    default: Node | None
    annotation: Node | None
    member: bool


def parameters_of(low: Writer, node: Node) -> tuple[list[Parameter], Node | None]:
    """The parameters of a function, and the annotation of `this`."""
    single = node.child_by_field_name("parameter")
    if single is not None:
        return [_plain(low, single, single, 0)], None
    listed = node.child_by_field_name("parameters")
    found: list[Parameter] = []
    this = None
    for child in kids(listed) if listed is not None else ():
        pattern, default, annotation, member = child, None, None, False
        if child.type in {"required_parameter", "optional_parameter"}:
            given = child.child_by_field_name("pattern")
            if given is None:
                continue
            pattern = given
            annotation = child.child_by_field_name("type")
            default = child.child_by_field_name("value")
            member = any(part.type in _MODIFIERS for part in child.children)
        if pattern.type == "this":
            this = annotation
            continue
        if pattern.type == "assignment_pattern":
            left, right = pattern.child_by_field_name("left"), pattern.child_by_field_name("right")
            if left is None:
                continue
            pattern, default = left, right
        plain = _plain(low, pattern, child, len(found))
        found.append(plain._replace(default=default, annotation=annotation, member=member))
    return found, this


_MODIFIERS = frozenset({"accessibility_modifier", "readonly", "override_modifier"})


def _plain(low: Writer, pattern: Node, place: Node, number: int) -> Parameter:
    kind = Param.PLAIN
    if pattern.type == "rest_pattern" and kids(pattern):
        kind, pattern = Param.STAR, kids(pattern)[0]
    if pattern.type == "identifier":
        return Parameter(kind, text_of(low, pattern), pattern, None, None, None, False)
    return Parameter(kind, b"{%d}" % number, place, pattern, None, None, False)


class Head(NamedTuple):
    """What a function is, beside its parameters and its body."""

    node: Node
    kind: ScopeKind
    name: int
    place: tuple[int, int]
    flags: int
    receiver: bool
    bind: bool


def function(low: Writer, head: Head) -> None:
    """Evaluate defaults and annotations, then the function itself; leaves it, or binds it."""
    node = head.node
    outside = low.renamed
    parameters, this = parameters_of(low, node)
    returns = node.child_by_field_name("return_type") or node.child_by_field_name("type")
    if returns is not None and returns.type in _NO_TYPES:
        returns = None
    generics = node.child_by_field_name("type_parameters")
    work: list[tuple[Handler, Any]] = []
    if generics is not None:
        work = type_parameters(low, generics)
    nodes = [this] if this is not None and head.receiver else []
    for each in parameters:
        nodes += [part for part in (each.default, each.annotation) if part is not None]
    work += [(low.handlers[part.kind_id], part) for part in nodes]
    if returns is not None:
        work.append((low.handlers[returns.kind_id], returns))
    low.push(*work, (_function_end, (head, parameters, bool(this), returns is not None, outside)))


_NO_TYPES = frozenset({"type_predicate_annotation", "asserts_annotation"})


def type_parameters(low: Writer, node: Node) -> list[tuple[Handler, Any]]:
    """Parameters of a type are names of their own, that stand for what they extend."""
    found = [child for child in kids(node) if child.type == "type_parameter"]
    names = [name for child in found if (name := child.child_by_field_name("name")) is not None]
    rename(low, names)
    work: list[tuple[Handler, Any]] = []
    for child, name in zip(found, names, strict=False):
        bound = child.child_by_field_name("constraint")
        if bound is not None:
            work += [(low.handlers[bound.kind_id], bound), (_bounded, name)]
    return work


def _bounded(low: Writer, name: Node) -> None:
    number, start, end = low.variable(name)
    low.emit(Op.STORE, number, low.values.pop(), -1, start, end)


_Given = tuple[Head, list[Parameter], bool, bool, "dict[bytes, bytes]"]


def _function_end(low: Writer, work: _Given) -> None:
    head, parameters, this, annotated, outside = work
    returns = low.values.pop() if annotated else -1
    rows: list[tuple[int, ...]] = []
    for each in reversed(parameters):
        annotation = low.values.pop() if each.annotation is not None else -1
        default = low.values.pop() if each.default is not None else -1
        rows.append((each.kind, low.name(each.name), default, annotation, each.place.start_byte))
    if head.receiver:
        annotation = low.values.pop() if this else -1
        rows.append((Param.RECEIVER, low.name(b"this"), -1, annotation, head.place[0]))
    for row in reversed(rows):
        low.params += row
    scope = low.enter(head.kind, head.name, head.node, head.place[0], head.flags, returns)
    body = head.node.child_by_field_name("body")
    own = [each.name for each in parameters]
    if body is not None and low.renamed:
        for each in parameters:
            own += [text_of(low, name) for name in names_in(each.pattern)] if each.pattern else []
        if body.type == "statement_block":
            own += [text_of(low, name) for name in declared_in(body, variables=True)]
    low.later(scope, _body, (body, parameters), without(low.renamed, own))
    low.renamed = outside
    value = low.emit(Op.FUNCTION, scope, -1, -1, *head.place)
    if head.bind:
        low.emit(Op.STORE, _renamed(low, head.name), value, -1, *head.place)
    else:
        low.values.append(value)


def _renamed(low: Writer, name: int) -> int:
    """The variable of a declared function: a block may give it another name."""
    if not low.renamed:
        return name
    raw = next(raw for raw, number in low.names.items() if number == name)
    return low.name(low.renamed.get(raw, raw))


def _body(low: Writer, work: tuple[Node | None, list[Parameter]]) -> None:
    body, parameters = work
    steps: list[tuple[Handler, Any]] = []
    for each in parameters:
        start, end = each.place.byte_range
        if each.pattern is not None:
            value = low.emit(LOAD, low.name(each.name), -1, -1, start, end)
            steps.append((declare, (each.pattern, value)))
        elif each.member:
            value = low.emit(LOAD, low.name(each.name), -1, -1, start, end)
            this = low.emit(LOAD, low.name(b"this"), -1, -1, start, end)
            low.emit(Op.SETATTR, this, low.name(each.name), value, start, end)
    if body is None:
        low.push(*steps)
    elif body.type == "statement_block":
        low.push(*steps, (body_block, body))
    else:
        low.push(*steps, (low.handlers[body.kind_id], body), (_returned, body))


def _returned(low: Writer, node: Node) -> None:
    low.emit(Op.RETURN, low.values.pop(), -1, -1, *node.byte_range)


def _flags(node: Node) -> int:
    """Flags of the words in front of a function."""
    flags = 0
    for child in node.children:
        if child.type in _FLAGS:
            flags |= _FLAGS[child.type]
        elif child.type in {"formal_parameters", "statement_block"}:
            break
    return flags


_FLAGS = {"async": ASYNC, "*": GENERATOR, "static": STATIC, "get": GETTER, "set": SETTER}


def _declaration(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        _default_function(low, node)
        return
    number, place = low.name(text_of(low, name)), place_of(name)
    flags = _flags(node) | (0 if node.child_by_field_name("body") else ABSTRACT)
    function(low, Head(node, ScopeKind.FUNCTION, number, place, flags, True, True))


def _default_function(low: Writer, node: Node) -> None:
    """A declaration without a name, in broken code."""
    low.push((unnamed, node), (drop, None))


def unnamed(low: Writer, node: Node) -> None:
    """A declaration that is a value: `export default function () {}`."""
    _value(low, node)


def _value(low: Writer, node: Node) -> None:
    """A function that is a value: named by what it is bound to, by itself, or not at all."""
    arrow = node.type == "arrow_function"
    place = low.hints.pop(node.start_byte, None)
    name = None if arrow else node.child_by_field_name("name")
    if place is None and name is not None:
        place = place_of(name)
    if place is None:
        start, _ = node.byte_range
        head = Head(node, ScopeKind.LAMBDA, low.lambda_name(), (start, node.end_byte), _flags(node), not arrow, False)  # fmt: skip
    else:
        number = low.name(low.text[slice(*place)])
        head = Head(node, ScopeKind.FUNCTION, number, place, _flags(node), not arrow, False)
    function(low, head)


def _method_value(low: Writer, node: Node) -> None:
    """A method of an object."""
    name = node.child_by_field_name("name")
    if name is None or (raw := key_text(low, name)) is None:
        start, end = node.byte_range
        head = Head(node, ScopeKind.LAMBDA, low.lambda_name(), (start, end), _flags(node), True, False)  # fmt: skip
    else:
        head = Head(node, ScopeKind.FUNCTION, low.name(raw), place_of(name), _flags(node), True, False)  # fmt: skip
    function(low, head)


def function_type(low: Writer, node: Node) -> None:
    """The type of a function, or a signature without a name: a function without a body."""
    start, end = node.byte_range
    function(low, Head(node, ScopeKind.LAMBDA, low.lambda_name(), (start, end), ABSTRACT, False, False))  # fmt: skip


# ------------------------------------------------------------------------------ classes


def class_value(low: Writer, node: Node) -> None:
    """A class; leaves it."""
    place = low.hints.pop(node.start_byte, None)
    name = node.child_by_field_name("name")
    if name is not None and place is None:
        place = place_of(name)
    _class(low, node, place or place_of(node), named=place is not None)


def _class_declaration(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    low.push((class_value, node), (_bind_class, name))


def _bind_class(low: Writer, name: Node | None) -> None:
    value = low.values.pop()
    if name is not None:
        number, start, end = low.variable(name)
        low.emit(Op.STORE, number, value, -1, start, end)


def _class(low: Writer, node: Node, place: tuple[int, int], *, named: bool) -> None:
    outside = low.renamed
    decorators = [kids(child)[0] for child in _decorators(node) if kids(child)]
    generics = node.child_by_field_name("type_parameters")
    work: list[tuple[Handler, Any]] = [(low.handlers[each.kind_id], each) for each in decorators]
    if generics is not None:
        work += type_parameters(low, generics)
    bases, spec = _bases(node)
    work += [(low.handlers[base.kind_id], base) for base in bases]
    low.push(*work, (_class_end, (node, place, named, spec, len(decorators), outside)))


def _decorators(node: Node) -> list[Node]:
    """Those of a class, which may stand before `export`."""
    found = [child for child in node.children if child.type == "decorator"]
    if node.parent is not None and node.parent.type == "export_statement":
        found = [child for child in node.parent.children if child.type == "decorator"] + found
    return found


def _bases(node: Node) -> tuple[list[Node], Spec]:
    bases: list[Node] = []
    spec: Spec = []
    for heritage in kids(node):
        if heritage.type == "class_heritage":
            for child in kids(heritage):
                if child.type == "implements_clause":
                    found, kind = kids(child), Port.INTERFACE
                elif child.type == "extends_clause":
                    value = child.child_by_field_name("value")
                    found, kind = [value] if value is not None else [], Port.POSITIONAL
                else:
                    found, kind = [child], Port.POSITIONAL
                bases += found
                spec += [(kind, -1)] * len(found)
        elif heritage.type == "extends_type_clause":
            found = kids(heritage)
            bases += found
            spec += [(Port.POSITIONAL, -1)] * len(found)
    return bases, spec


_Class = tuple["Node", tuple[int, int], bool, Spec, int, "dict[bytes, bytes]"]


def _class_end(low: Writer, work: _Class) -> None:
    node, place, named, spec, decorators, outside = work
    first, count = take_ports(low, spec)
    name = low.name(low.text[slice(*place)]) if named else low.name(b"{}")
    flags = ABSTRACT if node.type in _ABSTRACT else 0
    scope = low.enter(ScopeKind.CLASS, name, node, place[0], flags, -1)
    body = node if node.type == "object_type" else node.child_by_field_name("body")
    low.later(scope, _class_body, body, low.renamed)
    low.renamed = outside
    value = low.emit(Op.CLASS, scope, first, count, *place)
    low.values.append(_decorate(low, value, decorators))


_ABSTRACT = frozenset({"interface_declaration", "object_type"})


def _decorate(low: Writer, value: int, decorators: int) -> int:
    """Apply the decorators, which are the last values, the nearest first."""
    for _ in range(decorators):
        decorator = low.values.pop()
        at = decorator * OP_WIDTH
        value = low.emit(Op.DECORATE, decorator, value, -1, *low.ops[at + 4 : at + 6])
    return value


def _class_body(low: Writer, body: Node | None) -> None:
    if body is None:
        return
    work: list[tuple[Handler, Any]] = []
    waiting: list[Node] = []
    written = _implemented(low, body)
    for child in kids(body):
        kind = child.type
        if kind == "decorator":
            waiting.append(child)
            continue
        if kind in _SIGNATURES and _name_of(low, child) in written:
            waiting = []
            continue  # the function that implements the overload stands for it
        inside = [each for each in child.children if each.type == "decorator"]
        decorators = [found[0] for each in (*waiting, *inside) if (found := kids(each))]
        waiting = []
        work.append(
            (_MEMBERS.get(kind, evaluate), (child, decorators) if kind in _MEMBERS else child)
        )
    low.push(*work)


_SIGNATURES = frozenset({"method_signature", "abstract_method_signature"})


def _name_of(low: Writer, node: Node) -> bytes:
    name = node.child_by_field_name("name")
    return text_of(low, name) if name is not None else b""


def _implemented(low: Writer, body: Node) -> set[bytes]:
    return {
        _name_of(low, child) for child in body.named_children if child.type == "method_definition"
    }


def _method(low: Writer, work: tuple[Node, list[Node]]) -> None:
    node, decorators = work
    name = node.child_by_field_name("name")
    raw = key_text(low, name) if name is not None else None
    if name is None or raw is None:
        low.push((_method_value, node), (drop, None))
        return
    flags = _flags(node) | (ABSTRACT if node.child_by_field_name("body") is None else 0)
    if raw == b"constructor" and not flags & STATIC:
        flags |= CONSTRUCTOR
        _parameter_members(low, node)
    head = Head(node, ScopeKind.FUNCTION, low.name(raw), place_of(name), flags, True, False)
    low.push(
        *((low.handlers[each.kind_id], each) for each in decorators),
        (function, head),
        (_bind_method, (name, raw + b"=" if flags & SETTER else raw, len(decorators))),
    )


def _bind_method(low: Writer, work: tuple[Node, bytes, int]) -> None:
    name, raw, decorators = work
    value = _decorate(low, low.values.pop(), decorators)
    low.emit(Op.STORE, low.name(raw), value, -1, *name.byte_range)


def _parameter_members(low: Writer, node: Node) -> None:
    """`constructor(private a: A)` declares a member."""
    for each in parameters_of(low, node)[0]:
        if each.member and each.annotation is not None:
            low.push((low.handlers[each.annotation.kind_id], each.annotation), (_declared, each))


def _declared(low: Writer, each: Parameter) -> None:
    low.emit(Op.ANNOTATE, low.name(each.name), low.values.pop(), -1, *each.place.byte_range)


def _field(low: Writer, work: tuple[Node, list[Node]]) -> None:
    node, decorators = work
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    raw = key_text(low, name) if name is not None else None
    value, typed = node.child_by_field_name("value"), node.child_by_field_name("type")
    steps: list[tuple[Handler, Any]] = [(evaluate, each) for each in decorators]
    if name is None or raw is None:
        low.push(*steps, *((evaluate, each) for each in (name, value) if each is not None))
        return
    if typed is not None:
        steps += [(low.handlers[typed.kind_id], typed), (_field_type, (name, raw))]
    if value is not None:
        if value.type in FUNCTIONS:
            low.hints[value.start_byte] = place_of(name)
        steps += [(low.handlers[value.kind_id], value), (_bind_method, (name, raw, 0))]
    low.push(*steps)


def _field_type(low: Writer, work: tuple[Node, bytes]) -> None:
    name, raw = work
    low.emit(Op.ANNOTATE, low.name(raw), low.values.pop(), -1, *name.byte_range)


def _signature(low: Writer, work: tuple[Node, list[Node]]) -> None:
    """What an interface says of being called."""
    node, _ = work
    low.push((function_type, node), (_bind_call, node))


def _bind_call(low: Writer, node: Node) -> None:
    name = b"()" if node.type == "call_signature" else b"new()"
    low.emit(Op.STORE, low.name(name), low.values.pop(), -1, *node.byte_range)


def _static_block(low: Writer, work: tuple[Node, list[Node]]) -> None:
    body = work[0].child_by_field_name("body")
    if body is not None:
        low.push((body_block, body))


def _no_member(low: Writer, work: tuple[Node, list[Node]]) -> None:
    del low, work


_MEMBERS: dict[str, Handler] = {
    "method_definition": _method,
    "method_signature": _method,
    "abstract_method_signature": _method,
    "field_definition": _field,
    "public_field_definition": _field,
    "property_signature": _field,
    "call_signature": _signature,
    "construct_signature": _signature,
    "index_signature": _no_member,
    "class_static_block": _static_block,
}


def _enum(low: Writer, node: Node) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        return
    place = place_of(name)
    scope = low.enter(ScopeKind.CLASS, low.name(text_of(low, name)), node, place[0], 0, -1)
    low.later(scope, _enum_body, body, low.renamed)
    number, start, end = low.variable(name)
    low.emit(
        Op.STORE, number, low.emit(Op.CLASS, scope, len(low.ports) // 3, 0, *place), -1, start, end
    )


def _enum_body(low: Writer, body: Node | None) -> None:
    work: list[tuple[Handler, Any]] = []
    for child in kids(body) if body is not None else ():
        name = child.child_by_field_name("name") if child.type == "enum_assignment" else child
        value = child.child_by_field_name("value")
        if name is not None and (raw := key_text(low, name)) is not None:
            step = (opaque, child) if value is None else (low.handlers[value.kind_id], value)
            work += [step, (_bind_method, (name, raw, 0))]
    low.push(*work)


def _alias(low: Writer, node: Node) -> None:
    """`type A = ...`: the name means what the type means."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or value is None:
        return
    outside = low.renamed
    generics = node.child_by_field_name("type_parameters")
    work = type_parameters(low, generics) if generics is not None else []
    if value.type == "object_type":
        low.hints[value.start_byte] = place_of(name)
    low.push(*work, (low.handlers[value.kind_id], value), (_alias_end, (name, outside)))


def _alias_end(low: Writer, work: tuple[Node, dict[bytes, bytes]]) -> None:
    name, low.renamed = work
    _bind_class(low, name)


EXPRESSIONS: dict[str, Handler] = {
    "arrow_function": _value,
    "function_expression": _value,
    "generator_function": _value,
    "method_definition": _method_value,
    "class": class_value,
    "object_type": class_value,
    "function_type": function_type,
    "constructor_type": opaque,
    "formal_parameters": anything,
}
STATEMENTS: dict[str, Handler] = {
    "function_declaration": _declaration,
    "generator_function_declaration": _declaration,
    "function_signature": _declaration,
    "class_declaration": _class_declaration,
    "abstract_class_declaration": _class_declaration,
    "interface_declaration": _class_declaration,
    "enum_declaration": _enum,
    "type_alias_declaration": _alias,
}

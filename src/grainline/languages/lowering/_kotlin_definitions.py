"""Declarations of Kotlin: classes and their members, functions, properties, imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering import _kotlin_types as types
from grainline.languages.lowering import _typed as typed
from grainline.languages.lowering._kotlin_control import declared_for, several, value_of
from grainline.languages.lowering._kotlin_expressions import arguments, call_end, dropped, visited
from grainline.languages.lowering._kotlin_types import (
    TYPE_NODES,
    name_of,
    parameters_of,
    type_in,
    type_parameters,
)
from grainline.languages.lowering._typed import (
    INIT,
    Definition,
    Parameter,
    Work,
    text_of,
    type_work,
)
from grainline.languages.lowering.base import Handler, Writer, drop, kids, opaque
from grainline.model.ir import (
    ABSTRACT,
    BROKEN,
    COMPANION,
    CONSTRUCTOR,
    DECLARED,
    GETTER,
    LIMITED,
    MENTIONED,
    OVERRIDE,
    PRIVATE,
    QUALIFIER,
    RECORD,
    SETTER,
    SINGLETON,
    STATIC,
    Const,
    Op,
    Param,
    Port,
    ScopeKind,
)

if TYPE_CHECKING:
    from tree_sitter import Node

COMPANION_NAME = b"Companion"
"""What an object that stands for its class is called when nothing else is said."""

# ------------------------------------------------------------------------------ broken source


def _list(low: Writer, node: Node) -> None:
    """Declarations: where something is broken, members may be lost or misplaced."""
    if any(_damaged(child) for child in node.children):
        low.scopes[0][11] |= BROKEN
    found: list[Node] = []
    for child in node.named_children:
        if child.is_error:  # counts as an extra, but has declarations in it
            found += [each for each in kids(child) if each.type in DEFINITIONS]
        elif not child.is_extra:
            found.append(child)
    low.push(*(typed.statement(low, each) for each in found))


def _damaged(node: Node) -> bool:
    """Whether something is lost; a body that ends on the line of its last member is only unusual."""
    if node.is_missing:
        return node.type not in _ENDS
    if not node.is_error:
        return False
    return not node.children or any(
        child.type not in DEFINITIONS or child.is_error or child.has_error
        for child in node.children
    )


_ENDS = frozenset({"_class_member_semi", "_semi", ";"})


# ------------------------------------------------------------------------------ headers


def words(low: Writer, node: Node) -> set[bytes]:
    """The words before a declaration."""
    return {
        text_of(low, each)
        for child in node.children
        if child.type == "modifiers"
        for each in kids(child)
        if each.type != "annotation"
    }


def _annotations(low: Writer, node: Node) -> list[Work]:
    """Work that mentions the classes of annotations, one after the other."""
    return [
        each
        for child in node.children
        if child.type in ("modifiers", "parameter_modifiers")
        for each in _annotations_in(low, child)
    ]


def _annotations_in(low: Writer, modifiers: Node) -> list[Work]:
    found: list[Work] = []
    for each in kids(modifiers):
        for named in kids(each) if each.type == "annotation" else ():
            kind = type_in(named) if named.type == "constructor_invocation" else named
            if kind is not None and kind.type in TYPE_NODES:
                found.append([type_work(low, kind, MENTIONED)])
    return found


def _mentions(low: Writer, node: Node) -> Work:
    """Work that mentions annotations and forgets them."""
    return [part for each in _annotations(low, node) for part in (*each, (drop, None))]


def _decorations(low: Writer, node: Node, listed: types.Listed) -> Work:
    """Work that mentions the annotations of parameters, which are said to have them."""
    work: Work = []
    at = 0
    for child in node.children:
        if child.type == "parameter":
            at += 1
        elif child.type == "parameter_modifiers" and at < len(listed.found):
            decorators = listed.found[at].decorators
            for each in _annotations_in(low, child):
                work += [*each, (drop, None) if decorators is None else (_decorating, decorators)]
    return work


def _decorating(low: Writer, decorators: list[int]) -> None:
    decorators.append(low.values.pop())


def _hidden(low: Writer, node: Node) -> bool:
    """Whether an annotation keeps a function for what is compiled already: no source calls it."""
    return any(
        b"Deprecated" in (text := text_of(low, each)) and b"HIDDEN" in text
        for child in node.children
        if child.type == "modifiers"
        for each in kids(child)
        if each.type == "annotation"
    )


def _flags(low: Writer, node: Node) -> int:
    found = words(low, node)
    flags = PRIVATE if b"private" in found else 0
    return flags | (OVERRIDE if b"override" in found else 0)


# ------------------------------------------------------------------------------ functions


def _code(low: Writer, node: Node) -> None:
    """A body: a block, or an expression behind `=`."""
    if node.type != "function_body":
        typed.parts(low, node)
        return
    found = kids(node)
    if len(found) == 1 and found[0].type == "block":
        typed.parts(low, found[0])
    elif len(found) == 1:
        low.push((value_of, found[0]), (typed.return_last, found[0]))
    else:
        typed.parts(low, node)


def _function_body(low: Writer, work: tuple[types.Listed, Node | None, Node | None]) -> None:
    """What stands for arguments that are left out, what a constructor does first, the code."""
    listed, first, body = work
    low.push(
        *_given(low, listed),
        *([(_delegated, first)] if first is not None else []),
        *([(_code, body)] if body is not None else []),
    )


def _given(low: Writer, listed: types.Listed) -> Work:
    work: Work = []
    for each, value in zip(listed.found, listed.defaults, strict=True):
        if value is not None:
            work += [visited(low, value), (_default, (each.name, value))]
    return work


def _default(low: Writer, work: tuple[bytes, Node]) -> None:
    raw, node = work
    low.emit(Op.STORE, low.name(raw), low.values.pop(), 1, *node.byte_range)


def _is_block(body: Node | None) -> bool:
    if body is None or body.type == "block":
        return True
    return any(child.type == "block" for child in body.children)


def _function(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        typed.parts(low, node)
        return
    found = kids(node)
    listed_node = next((c for c in found if c.type == "function_value_parameters"), None)
    body = next((c for c in found if c.type == "function_body"), None)
    before = [c for c in found if c.type in TYPE_NODES and c.end_byte <= name.start_byte]
    behind = [c for c in found if c.type in TYPE_NODES and c.start_byte >= name.end_byte]
    _defined_function(
        low, node, (name_of(low, name), name.start_byte), listed_node, body,
        member=b"" if _hidden(low, node) else name_of(low, name), receiver=before[0] if before else None,
        returns=behind[0] if behind else None,
    )  # fmt: skip


def _defined_function(
    low: Writer,
    node: Node,
    name: tuple[bytes, int],
    listed_node: Node | None,
    body: Node | None,
    *,
    member: bytes = b"",
    receiver: Node | None = None,
    returns: Node | None = None,
    first: Node | None = None,
    flags: int = 0,
) -> None:
    """A function; without `member` nothing calls it by name. `first`: a constructor's delegation."""
    listed = parameters_of(low, listed_node)
    if listed_node is not None and listed_node.has_error:
        low.scopes[0][11] |= BROKEN
    of_type: list[Parameter] = []
    if receiver is not None:
        of_type = [Parameter(Param.RECEIVER, b"this", receiver.start_byte, receiver)]
    parameters = [*of_type, *type_parameters(low, node), *listed.found]
    flags |= _flags(low, node) | (0 if body is not None or member == INIT else ABSTRACT)
    annotations = _annotations(low, node)
    work: Work = [
        *(part for each in annotations for part in each),
        *(_decorations(low, listed_node, listed) if listed_node is not None else ()),
        *typed.visit_parameters(low, parameters, DECLARED),
    ]
    known = returns is not None or _is_block(body)
    if returns is not None:
        work.append(type_work(low, returns, DECLARED))
    elif known:
        work.append((types.unit_type, node))
    made = Definition(
        node, ScopeKind.FUNCTION, name[0], name[1], flags, _function_body, (listed, first, body),
        parameters, typed=known, member=member, decorators=len(annotations),
    )  # fmt: skip
    optional = frozenset(
        each.name for each, v in zip(listed.found, listed.defaults, strict=True) if v is not None
    )
    low.push(*work, (_defined, (made, optional)), *([] if member else [(drop, None)]))


def _defined(low: Writer, work: tuple[Definition, frozenset[bytes]]) -> None:
    """Enter a scope; rows of parameters that may be left out say so."""
    made, optional = work
    default = -1
    if optional:
        default = low.emit(Op.CONST, Const.OTHER, -1, -1, made.start, made.start)
    before = len(low.params)
    typed.defined(low, made)
    for number, each in enumerate(made.parameters):
        if each.kind in (Param.PLAIN, Param.STAR) and each.name in optional:
            low.params[before + 5 * number + 2] = default


def _delegated(low: Writer, node: Node) -> None:
    """`: this(...)` and `: super(...)`."""
    called = next((c for c in node.children if c.type in ("this", "super")), None)
    passed = next((c for c in kids(node) if c.type == "value_arguments"), None)
    if called is not None and passed is not None:
        work, ports = arguments(low, passed)
        low.push((typed.load, called), *work, (call_end, (node, ports)), (drop, None))


def _secondary(low: Writer, node: Node) -> None:
    """`constructor(...)`, which is called by the name of its class."""
    found = kids(node)
    word = next((c for c in node.children if c.type == "constructor"), node)
    _defined_function(
        low, node, (b"constructor", word.start_byte),
        next((c for c in found if c.type == "function_value_parameters"), None),
        next((c for c in found if c.type == "block"), None),
        member=INIT, flags=CONSTRUCTOR,
        first=next((c for c in found if c.type == "constructor_delegation_call"), None),
    )  # fmt: skip


def _initializer(low: Writer, node: Node) -> None:
    """`init`: code of its class with variables of its own."""
    number = low.lambdas[low.scope] = low.lambdas.get(low.scope, 0) + 1
    body = next((c for c in kids(node) if c.type == "block"), node)
    made = Definition(
        node, ScopeKind.LAMBDA, b"%d" % number, node.start_byte, STATIC, typed.parts, body
    )
    low.push((typed.defined, made), (drop, None))


def _anonymous_function(low: Writer, node: Node) -> None:
    found = kids(node)
    listed_node = next((c for c in found if c.type == "function_value_parameters"), None)
    body = next((c for c in found if c.type == "function_body"), None)
    listed = parameters_of(low, listed_node)
    edge = listed_node.start_byte if listed_node is not None else node.end_byte
    before = [c for c in found if c.type in TYPE_NODES and c.end_byte <= edge]
    behind = [c for c in found if c.type in TYPE_NODES and c.start_byte >= edge]
    of_type = [Parameter(Param.RECEIVER, b"this", each.start_byte, each) for each in before[:1]]
    parameters = [*of_type, *listed.found]
    number = low.lambdas[low.scope] = low.lambdas.get(low.scope, 0) + 1
    made = Definition(
        node, ScopeKind.LAMBDA, b"%d" % number, node.start_byte, STATIC, _function_body,
        (listed, None, body), parameters, typed=bool(behind),
    )  # fmt: skip
    low.push(
        *typed.visit_parameters(low, parameters, DECLARED),
        *(type_work(low, each, DECLARED) for each in behind[:1]),
        (typed.defined, made),
    )


# ------------------------------------------------------------------------------ properties


def _property(low: Writer, node: Node) -> None:
    found = kids(node)
    taken = next(
        (c for c in found if c.type in ("variable_declaration", "multi_variable_declaration")), None
    )
    if taken is None:
        typed.parts(low, node)
        return
    equals = next((n for n, c in enumerate(node.children) if c.type == "="), -1)
    value = (
        next((c for c in node.children[equals + 1 :] if c.is_named), None) if equals >= 0 else None
    )
    by = next((c for c in found if c.type == "property_delegate"), None)
    work = _mentions(low, node)
    if value is not None:
        work.append(visited(low, value))
    elif by is not None and kids(by):
        work += [visited(low, kids(by)[0]), (_by, by)]
    stored = value is not None or (by is not None and bool(kids(by)))
    if taken.type == "multi_variable_declaration":
        low.push(*work, *([(several, taken)] if stored else []))
        return
    receiver = next(
        (c for c in found if c.type in TYPE_NODES and c.end_byte <= taken.start_byte), None
    )
    if receiver is None:
        mark = LIMITED if b"private" in words(low, node) else -1
        work.append((declared_for, (taken, stored, mark)))
    elif stored:
        work.append((drop, None))
    for each in found:
        if each.type in ("getter", "setter"):
            work.append((_accessor, (node, taken, receiver, each)))
    low.push(*work)


def _by(low: Writer, node: Node) -> None:
    """What a delegate gives."""
    low.values.append(low.emit(Op.AWAIT, low.values.pop(), -1, -1, *node.byte_range))


def _accessor(low: Writer, work: tuple[Node, Node, Node | None, Node]) -> None:
    """What a property does when it is read or set: code under the name of the property."""
    node, taken, receiver, each = work
    body = next((c for c in kids(each) if c.type == "function_body"), None)
    names = [c for c in kids(taken) if c.type == "identifier"]
    if body is None or not names:
        return
    name = names[-1] if type_in(taken) is None else names[0]
    kind, of = type_in(taken), None
    parameters: list[Parameter] = []
    if receiver is not None:
        parts = types.parts_of(receiver)
        if name.start_byte == name.end_byte:  # `List<T>.last: T` on one line
            if len(parts) < 2:
                return
            name = parts[-1].name
            parts = parts[:-1]
        of = (receiver, parts if receiver.type == "user_type" else None)
        parameters = [Parameter(Param.RECEIVER, b"this", receiver.start_byte, receiver)]
    getter = each.type == "getter"
    own = type_in(each) if getter else None
    parameters += type_parameters(low, node)
    if not getter:
        given = next((c for c in kids(each) if c.type == "identifier"), None)
        raw = name_of(low, given) if given is not None else b"value"
        parameters.append(Parameter(Param.PLAIN, raw, each.start_byte, kind))
    todo: Work = []
    for parameter in parameters:
        if parameter.type is None:
            continue
        if parameter.kind == Param.RECEIVER and of is not None and of[1] is not None:
            todo.append((types.named, (of[0], of[1], QUALIFIER)))
        else:
            todo.append(type_work(low, parameter.type, QUALIFIER))
    result = own or kind
    known = result is not None or _is_block(body) or not getter
    if getter and result is not None:
        todo.append(type_work(low, result, QUALIFIER))
    elif known:
        todo.append((types.unit_type, each))
    made = Definition(
        each, ScopeKind.FUNCTION, name_of(low, name), name.start_byte,
        _flags(low, node) | (GETTER if getter else SETTER), _code, body, parameters, typed=known,
    )  # fmt: skip
    low.push(*todo, (typed.defined, made), (drop, None))


# ------------------------------------------------------------------------------ classes


def _class(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        typed.parts(low, node)
        return
    _defined_class(low, node, (name_of(low, name), name.start_byte), 0)


def _object(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        typed.parts(low, node)
        return
    _defined_class(low, node, (name_of(low, name), name.start_byte), SINGLETON | STATIC)


def _companion(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    where = (COMPANION_NAME, node.start_byte)
    if name is not None:
        where = (name_of(low, name), name.start_byte)
    _defined_class(low, node, where, SINGLETON | STATIC | COMPANION)


def _defined_class(low: Writer, node: Node, name: tuple[bytes, int], flags: int) -> None:
    found = kids(node)
    said = words(low, node)
    primary = next((c for c in found if c.type == "primary_constructor"), None)
    listed_node = next(
        (c for c in kids(primary) if c.type == "class_parameters"), None
    ) if primary is not None else None  # fmt: skip
    header = [c for c in kids(listed_node) if c.type == "class_parameter"] if listed_node else []
    interface = any(c.type == "interface" for c in node.children)
    if interface:
        flags |= ABSTRACT
    inside = low.scopes[low.scope][0] == ScopeKind.CLASS
    if inside and b"inner" not in said:
        flags |= STATIC
    if b"data" in said or b"value" in said:
        flags |= RECORD
    body = next((c for c in found if c.type in ("class_body", "enum_class_body")), None)
    rows = [(c, row) for c in header if (row := _header_parameter(low, c)) is not None]
    parameters = [*type_parameters(low, node), *(row for _, row in rows)]
    optional = frozenset(row.name for each, row in rows if _header_default(each) is not None)
    bases = _bases(node, interface=interface)
    annotations = _annotations(low, node)
    work: Work = [part for each in annotations for part in each]
    for each in header:
        work += _mentions(low, each)
    work += typed.visit_parameters(low, parameters, DECLARED)
    work += [type_work(low, each, QUALIFIER) for each, _ in bases]
    made = Definition(
        node, ScopeKind.CLASS, name[0], name[1], flags | _flags(low, node), _class_body,
        (node, header, body), parameters, bases=tuple(port for _, port in bases), member=name[0],
        decorators=len(annotations),
    )  # fmt: skip
    if primary is None:
        made = made._replace(flags=made.flags | (CONSTRUCTOR if _secondaries(body) else 0))
    low.push(*work, (_defined, (made, optional)))


def _secondaries(body: Node | None) -> bool:
    return body is not None and any(c.type == "secondary_constructor" for c in kids(body))


def _header_name(node: Node) -> Node | None:
    return next((c for c in kids(node) if c.type == "identifier"), None)


def _header_default(node: Node) -> Node | None:
    equals = next((n for n, c in enumerate(node.children) if c.type == "="), -1)
    return (
        next((c for c in node.children[equals + 1 :] if c.is_named), None) if equals >= 0 else None
    )


def _header_parameter(low: Writer, node: Node) -> Parameter | None:
    name, kind = _header_name(node), type_in(node)
    if name is None:
        return None
    spread = any(
        text_of(low, word) == b"vararg"
        for child in node.children
        if child.type == "modifiers"
        for word in kids(child)
    )
    each = Param.STAR if spread else Param.PLAIN
    return Parameter(each, name_of(low, name), name.start_byte, kind)


def _bases(node: Node, *, interface: bool) -> list[tuple[Node, int]]:
    found: list[tuple[Node, int]] = []
    for each in _specifiers(node):
        kind = each
        port = Port.POSITIONAL if interface else Port.INTERFACE
        if each.type == "constructor_invocation":
            inner, port = type_in(each), Port.POSITIONAL
        else:
            inner = type_in(each) if each.type == "explicit_delegation" else kind
        if inner is not None and inner.type in TYPE_NODES:
            found.append((inner, int(port)))
    return found


def _specifiers(node: Node) -> list[Node]:
    return [
        part
        for listed in kids(node)
        if listed.type == "delegation_specifiers"
        for each in kids(listed)
        for part in kids(each)
        if part.type != "annotation"
    ]


def _class_body(low: Writer, work: tuple[Node, list[Node], Node | None]) -> None:
    """Properties of the header, what is passed to the class above, delegates, members."""
    node, header, body = work
    todo: Work = []
    for each in header:
        name, kind = _header_name(each), type_in(each)
        default = _header_default(each)
        if default is not None and name is not None:
            todo += [visited(low, default), (_default, (b"(%s)" % name_of(low, name), default))]
        if (
            name is not None
            and kind is not None
            and any(c.type in ("val", "var") for c in each.children)
        ):
            todo += [type_work(low, kind, QUALIFIER), (_field, name)]
    for each in _specifiers(node):
        found = kids(each)
        if each.type == "constructor_invocation" and found:
            passed, ports = arguments(
                low, next((c for c in found if c.type == "value_arguments"), None)
            )
            todo += [(_above, found[0]), *passed, (call_end, (found[0], ports)), (drop, None)]
        elif each.type == "explicit_delegation" and len(found) > 1:
            todo += dropped(low, found[-1])
    if body is not None:
        todo.append((_list, body))
    low.push(*todo)


def _above(low: Writer, node: Node) -> None:
    low.values.append(low.emit(Op.LOAD, low.name(b"super"), -1, -1, *node.byte_range))


def _field(low: Writer, name: Node) -> None:
    """A property without a value of its own."""
    low.emit(Op.ANNOTATE, low.name(name_of(low, name)), low.values.pop(), -1, *name.byte_range)


def _entry(low: Writer, node: Node) -> None:
    """A value of an enumeration: made by a call of its class, or of a class of its own."""
    found = kids(node)
    name = next((c for c in found if c.type == "identifier"), None)
    body = next((c for c in found if c.type == "class_body"), None)
    if name is None:
        typed.parts(low, node)
        return
    work, ports = arguments(low, next((c for c in found if c.type == "value_arguments"), None))
    todo: Work = [*_mentions(low, node), (_own_type, name)]
    if body is not None:
        todo += [(_entry_body, (node, name, body)), (drop, None), (_own_type, name)]
    todo += [*work, (call_end, (node, ports)), (drop, None), (_own_type, name), (_field, name)]
    low.push(*todo)


def _own_type(low: Writer, name: Node) -> None:
    raw = low.scopes[low.scope][2]
    low.values.append(low.emit(Op.LOAD, raw, QUALIFIER, -1, *name.byte_range))


def _entry_body(low: Writer, work: tuple[Node, Node, Node]) -> None:
    node, name, body = work
    typed.defined(low, _anonymous(low, node, name.start_byte, body, (0,)))


def _anonymous(
    low: Writer, node: Node, start: int, body: Node | None, bases: tuple[int, ...]
) -> Definition:
    number = low.lambdas[low.scope] = low.lambdas.get(low.scope, 0) + 1
    return Definition(
        node, ScopeKind.CLASS, b"`<anonymous%d>`" % number, start, 0, _class_body, (node, [], body),
        bases=bases,
    )  # fmt: skip


def _object_literal(low: Writer, node: Node) -> None:
    """`object : A(), B { ... }`: a class without a name, and its one value."""
    bases = _bases(node, interface=False)
    body = next((c for c in kids(node) if c.type == "class_body"), None)
    made = _anonymous(low, node, node.start_byte, body, tuple(port for _, port in bases))
    low.push(*(type_work(low, each, QUALIFIER) for each, _ in bases), (typed.defined, made))


# ------------------------------------------------------------------------------ modules


def _dotted(low: Writer, node: Node) -> list[bytes]:
    return [name_of(low, each) for each in kids(node) if each.type == "identifier"]


def _package(low: Writer, node: Node) -> None:
    found = next((c for c in kids(node) if c.type == "qualified_identifier"), None)
    if found is not None:
        low.emit(Op.PACKAGE, low.name(b".".join(_dotted(low, found))), -1, -1, *found.byte_range)


def _import(low: Writer, node: Node) -> None:
    found = next((c for c in kids(node) if c.type == "qualified_identifier"), None)
    if found is None:
        return
    parts = _dotted(low, found)
    at = found.byte_range
    if any(child.type == "*" for child in node.children):
        low.emit(Op.IMPORT, low.name(b".".join(parts)), low.name(b"*"), -1, *at)
        return
    alias = next((c for c in kids(node) if c.type == "identifier"), None)
    member = low.name(parts[-1])
    value = low.emit(Op.IMPORT, low.name(b".".join(parts[:-1])), member, -1, *at)
    name = member if alias is None else low.name(name_of(low, alias))
    low.emit(Op.STORE, name, value, -1, *at)


def _alias(low: Writer, node: Node) -> None:
    """`typealias A = B`; what stands for one with parameters is not known."""
    name, kind = node.child_by_field_name("type"), None
    behind = [c for c in kids(node) if c.type in TYPE_NODES]
    if name is None or not behind:
        return
    if not any(c.type == "type_parameters" for c in kids(node)):
        kind = behind[-1]
    work = (opaque, node) if kind is None else type_work(low, kind, DECLARED)
    low.push(work, (_exported, name))


def _exported(low: Writer, name: Node) -> None:
    low.emit(Op.EXPORT, low.name(name_of(low, name)), low.values.pop(), -1, *name.byte_range)


EXPRESSIONS: dict[str, Handler] = {
    "object_literal": _object_literal,
    "anonymous_function": _anonymous_function,
}

DEFINITIONS: dict[str, Handler] = {
    "source_file": _list,
    "class_body": _list,
    "enum_class_body": _list,
    "package_header": _package,
    "import": _import,
    "class_declaration": _class,
    "object_declaration": _object,
    "companion_object": _companion,
    "enum_entry": _entry,
    "function_declaration": _function,
    "secondary_constructor": _secondary,
    "anonymous_initializer": _initializer,
    "property_declaration": _property,
    "type_alias": _alias,
}

"""Declarations of C#: classes and their members, namespaces, usings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering import _csharp_types as types
from grainline.languages.lowering import _typed as typed
from grainline.languages.lowering._csharp_expressions import arguments, call_end, visited
from grainline.languages.lowering._csharp_statements import (
    block,
    condition_apart,
    initial,
    variables,
)
from grainline.languages.lowering._csharp_types import kids, parameters_of, type_parameters
from grainline.languages.lowering._typed import (
    INIT,
    Definition,
    Work,
    statement,
    text_of,
    type_work,
)
from grainline.languages.lowering.base import Handler, Writer, drop, opaque
from grainline.model.ir import (
    ABSTRACT,
    ASYNC,
    BROKEN,
    CONSTRUCTOR,
    DECLARED,
    GETTER,
    MENTIONED,
    OP_WIDTH,
    OVERRIDE,
    PARAM_WIDTH,
    PARTIAL,
    PRIVATE,
    QUALIFIER,
    RECORD,
    SETTER,
    STATIC,
    Const,
    Op,
    Param,
    Port,
    ScopeKind,
)

if TYPE_CHECKING:
    from tree_sitter import Node

INDEXER = b"this[]"
"""The member that an indexer is."""
CONVERSION = b"op_Implicit"
"""The member that a conversion is which nobody writes."""

# ------------------------------------------------------------------------------ broken source


def broken(low: Writer) -> None:
    """Members may be lost, or stand where they do not belong."""
    low.scopes[0][11] |= BROKEN


def _list(low: Writer, node: Node) -> None:
    """Declarations: what is no declaration among them is the rest of one."""
    if any(child.is_error or child.is_missing for child in node.children):
        broken(low)
    typed.parts(low, node)


def _left_out(low: Writer, node: Node) -> None:
    """What the preprocessor may leave out, which may be half of a declaration."""
    if low.scopes[low.scope][0] in (ScopeKind.CLASS, ScopeKind.MODULE) and node.has_error:
        broken(low)
    condition_apart(low, node)


# ------------------------------------------------------------------------------ headers


def _words(low: Writer, node: Node) -> set[bytes]:
    return {text_of(low, child) for child in node.children if child.type == "modifier"}


_ACCESS = frozenset({b"public", b"internal", b"protected"})


_MEMBERS = _ACCESS | {b"private", b"override", b"virtual", b"abstract"}
"""What no function in a function says."""


def _flags(low: Writer, node: Node) -> int:
    words = _words(low, node)
    flags = STATIC if b"static" in words or b"const" in words else 0
    flags |= OVERRIDE if b"override" in words else 0
    flags |= PARTIAL if b"partial" in words else 0
    flags |= ASYNC if b"async" in words else 0
    if words.isdisjoint(_ACCESS) and not _in_interface(node):
        flags |= PRIVATE
    return flags


def _in_interface(node: Node) -> bool:
    outer = node.parent
    while outer is not None and (outer.type == "declaration_list" or "preproc" in outer.type):
        outer = outer.parent
    return outer is not None and outer.type == "interface_declaration"


def _attributes(low: Writer, node: Node) -> Work:
    """Work that evaluates attributes and forgets them."""
    return [
        part
        for listed in kids(node)
        if listed.type == "attribute_list"
        for each in kids(listed)
        if each.type == "attribute"
        for part in ((_attribute, each), (drop, None))
    ]


def _attribute(low: Writer, node: Node) -> None:
    """The class of an attribute, whose name may leave out its ending."""
    name = node.child_by_field_name("name")
    if name is None:
        opaque(low, node)
        return
    given = [each for listed in kids(node) if listed != name for each in kids(listed)]
    values = [part[-1] for each in given if (part := kids(each))]
    work: Work = [part for each in values for part in typed.dropped(low, each)]
    if name.type == "identifier":
        work.append((_attribute_class, name))
    else:
        work.append((opaque, name))
    low.push(*work)


def _attribute_class(low: Writer, name: Node) -> None:
    raw = text_of(low, name).removesuffix(b"Attribute") + b"Attribute"
    low.values.append(low.emit(Op.LOAD, low.name(raw), MENTIONED, -1, *name.byte_range))


# ------------------------------------------------------------------------------ functions


def _code(low: Writer, node: Node) -> None:
    """A body: a block, or an expression behind an arrow."""
    if node.type == "block":
        block(low, node)
    elif node.type == "arrow_expression_clause" and len(kids(node)) == 1:
        typed.body_value(low, kids(node)[0])
    else:
        typed.parts(low, node)


def _function(
    low: Writer,
    node: Node,
    name: tuple[bytes, int],
    body: Node | None,
    *,
    member: bytes = b"",
    returns: Node | None = None,
    first: Node | None = None,
) -> None:
    """A method; without `member` nothing can call it. `first`: what a constructor does before."""
    listed = node.child_by_field_name("parameters")
    inside = low.scopes[low.scope][0] == ScopeKind.CLASS
    local = node.type == "local_function_statement" and not _words(low, node) & _MEMBERS
    if (listed is not None and listed.has_error) or not (inside or local):
        broken(low)
    found = parameters_of(low, listed)
    parameters = [*type_parameters(low, node), *found.found]
    flags = _flags(low, node) | (0 if body is not None else ABSTRACT)
    if member == INIT:
        flags |= CONSTRUCTOR
    given = None if types.inferred(returns) else returns
    work: Work = _attributes(low, node)
    for each in kids(listed) if listed is not None else ():
        work += _attributes(low, each)
    work += typed.visit_parameters(low, parameters, DECLARED)
    if given is not None:
        work.append(type_work(low, given, DECLARED))
    made = Definition(
        node, ScopeKind.FUNCTION, name[0], name[1], flags, _both, (first, body), parameters,
        typed=given is not None, member=member,
    )  # fmt: skip
    work.append((_defined, (made, found.defaults)))
    if not member:
        work.append((drop, None))
    elif found.extends:
        work.append((_extends, (member, len(found.found), node)))
    low.push(*work)


def _defined(low: Writer, work: tuple[Definition, list[bool]]) -> None:
    """Enter the function; rows of parameters with a default say so."""
    made, defaults = work
    default = -1
    if any(defaults):
        default = low.emit(Op.CONST, Const.OTHER, -1, -1, made.start, made.start)
    before = len(low.params)
    typed.defined(low, made)
    rows = len(low.params) - before
    width = rows // len(made.parameters) if made.parameters else 0
    kept = len(made.parameters) - len(defaults)
    for number, given in enumerate(defaults):
        if given:
            low.params[before + (kept + number) * width + 2] = default


def _extends(low: Writer, work: tuple[bytes, int, Node]) -> None:
    """The function that was just stored is a member of the type of its first parameter."""
    member, count, node = work
    store = len(low.ops) - OP_WIDTH
    kind = low.params[3 - PARAM_WIDTH * count]
    if low.ops[store] == Op.STORE and kind >= 0:
        low.emit(Op.ATTACH, kind, low.name(member), low.ops[store + 2], *node.byte_range)


def _both(low: Writer, work: tuple[Node | None, Node | None]) -> None:
    first, body = work
    found: Work = []
    if first is not None:
        found.append((_delegated, first))
    if body is not None:
        found.append((_code, body))
    low.push(*found)


def _delegated(low: Writer, node: Node) -> None:
    """`: base(...)` and `: this(...)`."""
    called = next((each for each in node.children if each.type in {"this", "base"}), None)
    passed = next((each for each in kids(node) if each.type == "argument_list"), None)
    if called is not None and passed is not None:
        work, ports = arguments(low, passed)
        low.push(visited(low, called), *work, (call_end, (node, int(Op.CALL), ports)), (drop, None))


def _body_of(node: Node) -> Node | None:
    body = node.child_by_field_name("body")
    if body is None:
        body = next((each for each in kids(node) if each.type == "arrow_expression_clause"), None)
    return body


def _explicit(node: Node) -> bool:
    return any(each.type == "explicit_interface_specifier" for each in kids(node))


def _method(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        typed.parts(low, node)
        return
    raw = text_of(low, name)
    returns = node.child_by_field_name("returns") or node.child_by_field_name("type")
    member = b"" if _explicit(node) else raw
    _function(low, node, (raw, name.start_byte), _body_of(node), member=member, returns=returns)


def _constructor(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        typed.parts(low, node)
        return
    first = next((each for each in kids(node) if each.type == "constructor_initializer"), None)
    member = b"" if b"static" in _words(low, node) else INIT
    where = (text_of(low, name), name.start_byte)
    _function(low, node, where, _body_of(node), member=member, first=first)


def _nameless(low: Writer, node: Node) -> None:
    """Operators and destructors: nothing calls them by name."""
    name, word = (node.child_by_field_name(field) for field in ("name", "operator"))
    if name is not None:
        where = text_of(low, name), name.start_byte
    elif word is not None:
        where = b"operator " + text_of(low, word), node.start_byte
    else:
        where = b"operator", node.start_byte
    _function(low, node, where, _body_of(node))


def _conversion(low: Writer, node: Node) -> None:
    implicit = any(each.type == "implicit" for each in node.children)
    where = (CONVERSION, node.start_byte)
    returns = node.child_by_field_name("type")
    member = CONVERSION if implicit else b""
    _function(low, node, where, _body_of(node), member=member, returns=returns)


# ------------------------------------------------------------------------------ properties


def _property(low: Writer, node: Node) -> None:
    name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
    indexer = node.type == "indexer_declaration"
    if indexer:
        name = next((each for each in node.children if each.type == "this"), None)
    if name is None or kind is None:
        typed.parts(low, node)
        return
    value = node.child_by_field_name("value")
    arrow = value if value is not None and value.type == "arrow_expression_clause" else None
    first = value if arrow is None and not indexer else None
    work = _attributes(low, node)
    if not _explicit(node) and not (indexer and _several(node)):
        work.append(type_work(low, kind, DECLARED))
        if first is not None:
            work += [initial(low, first, kind), (_swapped, None)]
        raw = INDEXER if indexer else text_of(low, name)
        work.append((_field, (raw, name, first is not None)))
    else:
        work += [type_work(low, kind, DECLARED), (drop, None)]
    raw = text_of(low, name)
    if arrow is not None:
        work.append((_accessor, (node, raw, name, kind, arrow)))
    listed = node.child_by_field_name("accessors")
    for each in kids(listed) if listed is not None else ():
        body = _body_of(each) if each.type == "accessor_declaration" else None
        if body is not None:
            work.append((_accessor, (node, raw, name, kind, body)))
    low.push(*work)


def _several(node: Node) -> bool:
    """Whether a class has more than one indexer: which one is meant is not said."""
    beside = kids(node.parent) if node.parent is not None else []
    return sum(each.type == "indexer_declaration" for each in beside) > 1


def _swapped(low: Writer, _: None) -> None:
    low.values[-1], low.values[-2] = low.values[-2], low.values[-1]


def _field(low: Writer, work: tuple[bytes, Node, bool]) -> None:
    raw, name, stored = work
    kind = low.values.pop()
    number = low.name(raw)
    value = low.values.pop() if stored else -1
    low.emit(Op.ANNOTATE, number, kind, -1, *name.byte_range)
    if stored:
        low.emit(Op.STORE, number, value, -1, *name.byte_range)


def _accessor(low: Writer, work: tuple[Node, bytes, Node, Node, Node]) -> None:
    """What a property does when it is read or set: code under the name of the property."""
    node, raw, name, kind, body = work
    found = parameters_of(low, node.child_by_field_name("parameters")).found
    getter = body.parent is None or not any(
        each.type in {"set", "init", "add", "remove"} for each in body.parent.children
    )
    given = typed.Parameter(Param.PLAIN, b"value", name.start_byte, kind)
    parameters = found if getter else [*found, given]
    flags = _flags(low, node) | (GETTER if getter else SETTER)
    made = Definition(
        node, ScopeKind.FUNCTION, raw, name.start_byte, flags, _both, (None, body),
        parameters, typed=getter,
    )  # fmt: skip
    result = [type_work(low, kind, QUALIFIER)] if getter else []
    low.push(
        *typed.visit_parameters(low, parameters, QUALIFIER), *result, (typed.defined, made),
        (drop, None),
    )  # fmt: skip


def _fields(low: Writer, node: Node) -> None:
    low.push(*_attributes(low, node), (_listed, node))


def _listed(low: Writer, node: Node) -> None:
    shared = bool(_flags(low, node) & STATIC)
    for each in kids(node):
        if each.type == "variable_declaration":
            variables(low, each, shared=shared)


# ------------------------------------------------------------------------------ classes


def _class(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        typed.parts(low, node)
        return
    listed = next((each for each in kids(node) if each.type == "parameter_list"), None)
    found = parameters_of(low, listed)
    if any(each.is_error or each.is_missing for each in node.children) or any(
        each.has_error for each in kids(node) if each.type in {"base_list", "parameter_list"}
    ):
        broken(low)
    parameters = [*type_parameters(low, node), *found.found]
    bases, passed = _bases(node)
    work: Work = _attributes(low, node)
    for each in kids(listed) if listed is not None else ():
        work += _attributes(low, each)
    work += typed.visit_parameters(low, parameters, DECLARED)
    work += [type_work(low, each, QUALIFIER) for each, _ in bases]
    raw = _arity_name(low, node, name)
    body = node.child_by_field_name("body")
    made = Definition(
        node, ScopeKind.CLASS, raw, name.start_byte, _flags(low, node) | _KINDS.get(node.type, 0),
        _class_body, (passed, body), parameters, bases=tuple(kind for _, kind in bases), member=raw,
    )  # fmt: skip
    low.push(*work, (_defined, (made, found.defaults)))


_KINDS = {
    "interface_declaration": ABSTRACT,
    "enum_declaration": STATIC,
    "record_declaration": RECORD,
    "record_struct_declaration": RECORD,
}


def _arity_name(low: Writer, node: Node, name: Node) -> bytes:
    listed = next((each for each in kids(node) if each.type == "type_parameter_list"), None)
    raw = text_of(low, name)
    if listed is None:
        return raw
    return b"%s`%d" % (raw, sum(each.type == "type_parameter" for each in kids(listed)))


def _bases(node: Node) -> tuple[list[tuple[Node, int]], tuple[Node, Node] | None]:
    """Types above, and (base, arguments) of a call of a constructor among them."""
    found: list[tuple[Node, int]] = []
    passed: tuple[Node, Node] | None = None
    listed = next((each for each in kids(node) if each.type == "base_list"), None)
    for each in kids(listed) if listed is not None and node.type != "enum_declaration" else ():
        if each.type == "argument_list":
            if found:
                passed = (found[-1][0], each)
            continue
        if each.type == "primary_constructor_base_type":
            kind = each.child_by_field_name("type")
            given = next((part for part in kids(each) if part.type == "argument_list"), None)
            if kind is None:
                continue
            if given is not None:
                passed = (kind, given)
            each = kind
        found.append((each, int(Port.POSITIONAL)))
    return found, passed


def _class_body(low: Writer, work: tuple[tuple[Node, Node] | None, Node | None]) -> None:
    passed, body = work
    todo: Work = []
    if passed is not None:
        base, given = passed
        values, ports = arguments(low, given)
        todo = [
            (_base, base), *values, (call_end, (base, int(Op.CALL), ports)), (drop, None),
        ]  # fmt: skip
    if body is not None:
        todo.append((typed.parts, body))
    low.push(*todo)


def _base(low: Writer, node: Node) -> None:
    low.values.append(low.emit(Op.LOAD, low.name(b"super"), -1, -1, *node.byte_range))


def _enum_member(low: Writer, node: Node) -> None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None:
        typed.parts(low, node)
        return
    work: Work = _attributes(low, node)
    if value is not None:
        work += typed.dropped(low, value)
    low.push(*work, (_own_type, name), (_field, (text_of(low, name), name, False)))


def _own_type(low: Writer, name: Node) -> None:
    raw = low.scopes[low.scope][2]
    low.values.append(low.emit(Op.LOAD, raw, QUALIFIER, -1, *name.byte_range))


def _delegate(low: Writer, node: Node) -> None:
    """A class with one method, which is what calling it is."""
    name = node.child_by_field_name("name")
    if name is None:
        typed.parts(low, node)
        return
    parameters = type_parameters(low, node)
    raw = _arity_name(low, node, name)
    made = Definition(
        node, ScopeKind.CLASS, raw, name.start_byte, _flags(low, node) | ABSTRACT | STATIC,
        _invoke, node, parameters, member=raw,
    )  # fmt: skip
    work = typed.visit_parameters(low, parameters, DECLARED)
    low.push(*_attributes(low, node), *work, (typed.defined, made))


def _invoke(low: Writer, node: Node) -> None:
    found = parameters_of(low, node.child_by_field_name("parameters"))
    kind = node.child_by_field_name("type")
    name = node.child_by_field_name("name")
    assert name is not None
    work: Work = typed.visit_parameters(low, found.found, DECLARED)
    if kind is not None:
        work.append(type_work(low, kind, DECLARED))
    made = Definition(
        node, ScopeKind.FUNCTION, b"Invoke", name.start_byte, ABSTRACT, typed.nothing, None,
        found.found, typed=kind is not None, member=b"Invoke",
    )  # fmt: skip
    low.push(*work, (typed.defined, made))


# ------------------------------------------------------------------------------ namespaces


def _plain(low: Writer, node: Node) -> bytes:
    """A dotted name without space, comments and `global::`; generic names with their arity."""
    found: list[bytes] = []
    at: Node | None = node
    while at is not None:
        name = at.child_by_field_name("name")
        if at.type in {"qualified_name", "alias_qualified_name"} and name is not None:
            found.append(types.full_name(low, name))
            at = at.child_by_field_name("qualifier") if at.type == "qualified_name" else None
        else:
            found.append(types.full_name(low, at))
            at = None
    return b".".join(reversed(found))


def _namespace(low: Writer, node: Node) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    outer: bytes = low.deferred[-1] if low.deferred else b""
    if name is None:
        typed.parts(low, node)
        return
    whole = _plain(low, name)
    whole = outer + b"." + whole if outer else whole
    rest = [each for each in kids(node) if each not in (name, body)]
    work: Work = [(_open, (whole, name))]
    if body is not None:
        work += [statement(low, body), (_close, (outer, node))]
    else:
        work += [statement(low, each) for each in rest]
    low.push(*work)


def _open(low: Writer, work: tuple[bytes, Node]) -> None:
    whole, name = work
    low.deferred.append(whole)
    low.emit(Op.PACKAGE, low.name(whole), -1, -1, *name.byte_range)


def _close(low: Writer, work: tuple[bytes, Node]) -> None:
    outer, node = work
    low.deferred.pop()
    end = node.end_byte
    low.emit(Op.PACKAGE, low.name(outer), -1, -1, end, end)


def _using(low: Writer, node: Node) -> None:
    found = kids(node)
    words = {each.type for each in node.children if not each.is_named}
    alias = node.child_by_field_name("name")
    named = [each for each in found if each != alias and each.type in _NAMES]
    if not named:
        return
    whole = _plain(low, named[-1])
    star = b"**" if "global" in words else b"*"
    if alias is None:
        low.emit(Op.IMPORT, low.name(whole), low.name(star), -1, *named[-1].byte_range)
        return
    module, _, member = whole.rpartition(b".")
    value = low.emit(Op.IMPORT, low.name(module), low.name(member), -1, *named[-1].byte_range)
    low.emit(Op.STORE, low.name(text_of(low, alias)), value, -1, *alias.byte_range)


_NAMES = frozenset({"identifier", "generic_name", "qualified_name", "alias_qualified_name"})

DEFINITIONS: dict[str, Handler] = {
    "compilation_unit": _list,
    "declaration_list": _list,
    "preproc_if": _left_out,
    "preproc_elif": _left_out,
    "enum_member_declaration_list": typed.parts,
    "namespace_declaration": _namespace,
    "file_scoped_namespace_declaration": _namespace,
    "using_directive": _using,
    "class_declaration": _class,
    "struct_declaration": _class,
    "record_declaration": _class,
    "record_struct_declaration": _class,
    "interface_declaration": _class,
    "enum_declaration": _class,
    "enum_member_declaration": _enum_member,
    "delegate_declaration": _delegate,
    "method_declaration": _method,
    "local_function_statement": _method,
    "constructor_declaration": _constructor,
    "destructor_declaration": _nameless,
    "operator_declaration": _nameless,
    "conversion_operator_declaration": _conversion,
    "property_declaration": _property,
    "indexer_declaration": _property,
    "event_declaration": _property,
    "field_declaration": _fields,
    "event_field_declaration": _fields,
    "attribute_list": typed.ignored,
    "global_attribute": typed.ignored,
}

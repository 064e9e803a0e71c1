"""What makes scopes in PHP, namespaces and `use`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from grainline.languages.lowering._php_expressions import member
from grainline.languages.lowering._php_names import (
    Context,
    full_name,
    load,
    load_class,
    machine,
    raw,
    unknown,
    variable_name,
    within,
    words_of,
)
from grainline.languages.lowering._php_statements import Work, parts, statement, value_of
from grainline.languages.lowering.base import Handler, Writer, drop, kids
from grainline.model.ir import ABSTRACT, CONSTRUCTOR, STATIC, Const, Op, Param, Port, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node

STORE, ANNOTATE = int(Op.STORE), int(Op.ANNOTATE)


# ------------------------------------------------------------------------------ modules


def module(low: Writer, node: Node) -> None:
    """A file: what is defined comes into being before anything runs, namespace by namespace."""
    _block(low, kids(node))


def _block(low: Writer, nodes: list[Node]) -> None:
    work: Work = []
    regions: list[list[Node]] = [[]]
    for child in nodes:
        if child.type == "namespace_definition":
            regions.append([])
        regions[-1].append(child)
    for region in regions:
        first = [child for child in region if child.type in _NAMING]
        second = [child for child in region if child.type in _DEFINING]
        rest = [child for child in region if child.type not in _NAMING | _DEFINING]
        work += [statement(low, child) for child in (*first, *second, *rest)]
    low.push(*work)


_NAMING = frozenset({"namespace_definition", "namespace_use_declaration"})
_DEFINING = frozenset(
    {"function_definition", "class_declaration", "interface_declaration", "trait_declaration",
     "enum_declaration"}
)  # fmt: skip


def _namespace(low: Writer, node: Node) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    word = words_of(low, name) if name is not None else b""
    machine(low).context = Context(namespace=word)
    if body is not None:
        _block(low, kids(body))


def _use(low: Writer, node: Node) -> None:
    prefix = next((child for child in kids(node) if child.type == "namespace_name"), None)
    before = words_of(low, prefix).strip(b"\\") if prefix is not None else b""
    group = node.child_by_field_name("body")
    clauses = kids(group if group is not None else node)
    kind = _kind(node)
    if group is None:  # the word stands in the first one, for all
        kind = next((found for each in clauses if (found := _kind(each))), kind)
    for clause in clauses:
        if clause.type == "namespace_use_clause":
            _use_clause(low, clause, before, _kind(clause) or kind)


def _kind(node: Node) -> str:
    found = (child.type for child in node.children if child.type in ("function", "const"))
    return next(found, "")


def _use_clause(low: Writer, node: Node, before: bytes, kind: str) -> None:
    found = [child for child in kids(node) if child.type in ("name", "qualified_name")]
    alias = node.child_by_field_name("alias")
    if not found:
        return
    word = within(before, words_of(low, found[0]).strip(b"\\"))
    called = raw(low, alias) if alias is not None else word.rpartition(b"\\")[2]
    context = machine(low).context
    if kind == "const":
        return
    if kind == "function":
        context.functions[called.lower()] = word
        word += b"()"
    else:
        context.classes[called.lower()] = word
    number = low.name(word)
    low.emit(Op.IMPORT, number, number, 0, *found[0].byte_range)


# ------------------------------------------------------------------------------ functions


class Head(NamedTuple):
    """A function whose header is being evaluated.

    `name` is a node or None; `bound` what is bound to it, b"" nothing; `context` that of its body.
    """

    node: Node
    name: Node | None
    bound: bytes
    flags: int
    receiver: bytes
    context: Context
    rows: list[tuple[Param, Node, Node | None, Node | None, bool]]
    typed: bool
    start: Work


def _rows(node: Node) -> list[tuple[Param, Node, Node | None, Node | None, bool]]:
    """Kind, name, default, type of every parameter, and whether it is a property as well."""
    rows: list[tuple[Param, Node, Node | None, Node | None, bool]] = []
    listed = node.child_by_field_name("parameters")
    for each in kids(listed) if listed is not None else ():
        name = each.child_by_field_name("name")
        while name is not None and name.type == "by_ref" and kids(name):
            name = kids(name)[0]
        if name is None or name.type != "variable_name":
            continue
        kind = Param.STAR if each.type == "variadic_parameter" else Param.PLAIN
        default, typed = each.child_by_field_name("default_value"), each.child_by_field_name("type")
        promoted = each.type == "property_promotion_parameter"
        rows.append((kind, name, default, typed, promoted))
    return rows


def _head(low: Writer, head: Head) -> None:
    """Evaluate defaults and types, then enter."""
    work: Work = []
    for _, _, default, typed, _ in head.rows:
        work += [value_of(low, each) for each in (default, typed) if each is not None]
    returns = head.node.child_by_field_name("return_type")
    if returns is not None:
        work.append(value_of(low, returns))
    low.push(*work, (_entered, head._replace(typed=returns is not None)))


def _entered(low: Writer, head: Head) -> None:
    returns = low.values.pop() if head.typed else -1
    names = machine(low)
    outer, names.context = names.context, head.context
    rows: list[tuple[int, ...]] = []
    for kind, name, default, typed, promoted in reversed(head.rows):
        annotation = low.values.pop() if typed is not None else -1
        if name.parent is not None and name.parent.child_by_field_name("reference_modifier"):
            annotation = _by_reference(low, name, annotation)
        value = low.values.pop() if default is not None else -1
        number = low.name(variable_name(low, name))
        rows.append((kind, number, value, annotation, name.start_byte))
        if promoted and annotation >= 0:
            low.emit(ANNOTATE, low.name(raw(low, name)), annotation, -1, *name.byte_range)
    names.context = outer
    if head.receiver:
        at = head.node.start_byte
        low.params += (Param.RECEIVER, low.name(head.receiver), -1, -1, at)
    for row in reversed(rows):
        low.params += row
    node, own = head.node, head.name
    start, end = (own if own is not None else node).byte_range
    body = node.child_by_field_name("body")
    if own is not None:
        number = low.name(raw(low, own))
        scope = low.enter(ScopeKind.FUNCTION, number, node, start, head.flags, returns)
    else:
        scope = low.enter(ScopeKind.LAMBDA, low.lambda_name(), node, start, head.flags, returns)
    low.later(scope, _body, (body, head), {})
    value = low.emit(Op.FUNCTION, scope, -1, -1, start, end)
    if own is None:
        low.values.append(value)
        return
    for bound in (head.bound, b"\\" + head.bound) if head.bound[-2:] == b"()" else (head.bound,):
        low.emit(STORE, low.name(bound), value, -1, start, end)
    if head.bound[-2:] == b"()" and not low.scope:
        low.emit(Op.PACKAGE, low.name(head.bound), -1, -1, start, end)


def _by_reference(low: Writer, name: Node, annotation: int) -> int:
    """A parameter that is a variable of the caller; the type that says so."""
    kind = unknown(low, name) if annotation < 0 else annotation
    word = low.emit(Op.CONST, Const.STR, low.name(b"ref"), -1, *name.byte_range)
    low.emit(Op.DECORATE, word, kind, -1, *name.byte_range)
    return kind


def _body(low: Writer, work: tuple[Node | None, Head]) -> None:
    body, head = work
    machine(low).context = head.context
    for _, name, _, _, promoted in head.rows:
        if promoted:
            start, end = name.byte_range
            value, owner = load(low, raw(low, name), name), load(low, b"$this", name)
            low.emit(Op.SETATTR, owner, low.name(raw(low, name)), value, start, end)
    if body is None:
        return
    if body.type == "compound_statement":
        low.push(*head.start, (parts, body))
    else:
        low.push(*head.start, value_of(low, body), (_result, body))


def _result(low: Writer, node: Node) -> None:
    low.emit(Op.RETURN, low.values.pop(), -1, -1, *node.byte_range)


def _function(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        return
    context = machine(low).context
    bound = within(context.namespace, raw(low, name)) + b"()"
    inside = replace(context, module=False, method=0, own=b"", parent=b"", shared=False)
    _head(low, Head(node, name, bound, 0, b"", inside, _rows(node), False, []))


def _closure(low: Writer, node: Node) -> None:
    context = machine(low).context
    if node.type == "arrow_function":
        _head(low, Head(node, None, b"", 0, b"", context, _rows(node), False, []))
        return
    start: Work = []
    for clause in kids(node):
        if clause.type == "anonymous_function_use_clause":
            start = [(_capture, (clause, context.module))]
    inside = replace(context, module=False)
    _head(low, Head(node, None, b"", 0, b"", inside, _rows(node), False, start))


def _capture(low: Writer, work: tuple[Node, bool]) -> None:
    """What a closure takes from around: by name inside of functions, from the module by value."""
    clause, of_module = work
    for child in kids(clause):
        name = kids(child)[0] if child.type == "by_ref" and kids(child) else child
        if name.type != "variable_name":
            continue
        start, end = name.byte_range
        number = low.name(raw(low, name))
        if of_module:
            low.emit(STORE, number, load(low, raw(low, name) + b"#0", name), -1, start, end)
        elif child.type == "by_ref":
            low.emit(Op.NONLOCAL, number, -1, -1, start, end)


def _method(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        return
    word = raw(low, name)
    static = any(child.type == "static_modifier" for child in node.children)
    flags = STATIC if static else 0
    if node.child_by_field_name("body") is None:
        flags |= ABSTRACT
    if word == b"__construct":
        flags |= CONSTRUCTOR
    inside = replace(machine(low).context, module=False, method=2 if static else 1)
    receiver = b"static" if static else b"$this"
    _head(low, Head(node, name, word, flags, receiver, inside, _rows(node), False, []))


# ------------------------------------------------------------------------------ classes


class Kind(NamedTuple):
    """A class that is being made: its node, name or None, full name, kinds of its bases."""

    node: Node
    name: Node | None
    own: bytes
    bases: list[int]


def _class(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None and node.type != "anonymous_class":
        return
    own = b""
    if name is not None:
        own = within(machine(low).context.namespace, raw(low, name))
    bases: list[int] = []
    traits = [each for use in _uses(node) for each in kids(use) if each.type != "use_list"]
    for each in (*traits, *_named(node, "base_clause")):
        low.values.append(load_class(low, each))
        bases.append(int(Port.POSITIONAL))
    for each in _named(node, "class_interface_clause"):
        low.values.append(load_class(low, each))
        bases.append(int(Port.INTERFACE))
    _class_end(low, Kind(node, name, own, bases))


def _named(node: Node, clause: str) -> list[Node]:
    return [each for child in kids(node) if child.type == clause for each in kids(child)]


def _body_of(node: Node) -> Node | None:
    return next((child for child in kids(node) if child.type in _BODIES), None)


_BODIES = frozenset({"declaration_list", "enum_declaration_list"})


def _uses(node: Node) -> list[Node]:
    body = _body_of(node)
    return [child for child in kids(body) if child.type == "use_declaration"] if body else []


def _class_end(low: Writer, kind: Kind) -> None:
    node, name, own, bases = kind
    found = low.values[len(low.values) - len(bases) :]
    del low.values[len(low.values) - len(bases) :]
    first, count = low.write_ports(
        (port, -1, value) for port, value in zip(bases, found, strict=True)
    )
    start, end = (name if name is not None else node).byte_range
    flags = ABSTRACT if node.type == "interface_declaration" else 0
    number = low.name(raw(low, name)) if name is not None else low.lambda_name()
    scope = low.enter(ScopeKind.CLASS, number, node, start, flags, -1)
    context = machine(low).context
    extended = _named(node, "base_clause")
    parent = b""
    if _uses(node) and len(extended) == 1:
        parent = full_name(context, words_of(low, extended[0]))
    shared = name is None or node.type == "trait_declaration"
    inside = replace(context, own=own, parent=parent, shared=shared, module=False, method=0)
    low.later(scope, _members, (node, inside), {})
    value = low.emit(Op.CLASS, scope, first, count, start, end)
    if name is None:
        low.values.append(value)
        return
    low.emit(STORE, low.name(own), value, -1, start, end)
    if not low.scope:
        low.emit(Op.PACKAGE, low.name(own), -1, -1, start, end)


def _members(low: Writer, work: tuple[Node, Context]) -> None:
    node, context = work
    machine(low).context = context
    body = _body_of(node)
    found = kids(body) if body is not None else []
    low.push(*((_MEMBERS[each.type], each) for each in found if each.type in _MEMBERS))


def _adapted(low: Writer, node: Node) -> None:
    """`A::f insteadof B` and `A::f as g`: members of the class itself."""
    for listed in kids(node):
        if listed.type == "use_list":
            low.push(*((_adaptation, each) for each in kids(listed)))


def _adaptation(low: Writer, node: Node) -> None:
    found = kids(node)
    if not found or found[0].type != "class_constant_access_expression":
        return
    pair = kids(found[0])
    alias = pair[-1] if node.type == "use_instead_of_clause" else found[-1]
    if len(pair) != 2 or alias.type != "name":
        return
    low.values.append(load_class(low, pair[0]))
    low.push((member, (pair[1], b"")), (_kept, alias))


def _kept(low: Writer, name: Node) -> None:
    low.emit(STORE, low.name(raw(low, name)), low.values.pop(), -1, *name.byte_range)


def _constants(low: Writer, node: Node) -> None:
    work: Work = []
    for each in kids(node):
        found = kids(each) if each.type == "const_element" else []
        if len(found) == 2:
            work += [value_of(low, found[1]), (_kept, found[0])]
    low.push(*work)


def _top_constants(low: Writer, node: Node) -> None:
    low.push(*(step for each in kids(node) if each.type == "const_element"
               for value in kids(each)[1:]
               for step in (value_of(low, value), (drop, None))))  # fmt: skip


def _case(low: Writer, node: Node) -> None:
    """A case of an enumeration is an instance of it."""
    name = node.child_by_field_name("name")
    if name is not None:
        kind = load(low, b"self", name)
        low.emit(ANNOTATE, low.name(raw(low, name)), kind, -1, *name.byte_range)


def _properties(low: Writer, node: Node) -> None:
    typed = node.child_by_field_name("type")
    names = [each for each in kids(node) if each.type == "property_element"]
    static = any(child.type == "static_modifier" for child in node.children)
    work: Work = []
    if typed is not None:
        work += [value_of(low, typed), (_typed, names)]
    for each in names:
        name, value = each.child_by_field_name("name"), each.child_by_field_name("default_value")
        if name is not None and value is not None:
            work += [value_of(low, value), (_kept, name)]
        elif name is not None and static:  # the class has it, whoever sets it
            work += [(_nothing, name), (_kept, name)]
    low.push(*work)


def _nothing(low: Writer, node: Node) -> None:
    low.constant(Const.NONE, b"", node)


def _typed(low: Writer, elements: list[Node]) -> None:
    kind = low.values.pop()
    for each in elements:
        name = each.child_by_field_name("name")
        if name is not None:
            low.emit(ANNOTATE, low.name(raw(low, name)), kind, -1, *name.byte_range)


_MEMBERS: dict[str, Handler] = {
    "use_declaration": _adapted,
    "const_declaration": _constants,
    "enum_case": _case,
    "property_declaration": _properties,
    "method_declaration": _method,
}
STATEMENTS: dict[str, Handler] = {
    "namespace_definition": _namespace,
    "namespace_use_declaration": _use,
    "function_definition": _function,
    "class_declaration": _class,
    "interface_declaration": _class,
    "trait_declaration": _class,
    "enum_declaration": _class,
    "const_declaration": _top_constants,
}
EXPRESSIONS: dict[str, Handler] = {
    "anonymous_function": _closure,
    "arrow_function": _closure,
    "anonymous_class": _class,
}

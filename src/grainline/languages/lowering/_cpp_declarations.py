"""Declarations of C++: variables, functions, names for others.

What is declared in a namespace stands behind the PACKAGE of it. A function that is defined outside
of its class is an ATTACH; a friend is a STORE with `FRIEND`, a macro that is no function one with
`MACRO`. A function that is deleted is not there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from grainline.languages.lowering import _cpp_types as types
from grainline.languages.lowering._c_declarations import is_static
from grainline.languages.lowering._cpp_expressions import (
    PARAMETERS,
    arguments_of,
    begin_function,
    call_end,
    identifier,
    new_end,
    subscript_end,
    write_parameters,
)
from grainline.languages.lowering._cpp_types import Declared, declared, pointed, scoped, type_work
from grainline.languages.lowering._cpp_writer import (
    in_class,
    in_function,
    state,
    take_templates,
    write_templates,
)
from grainline.languages.lowering.base import Writer, drop, kids
from grainline.languages.lowering.blocks import STORE, Work, close_block, open_block
from grainline.languages.lowering.names import Names
from grainline.model.ir import (
    ABSTRACT,
    ARGUMENTS,
    CONSTANT,
    CONSTRUCTOR,
    DECLARED,
    OVERRIDE,
    QUALIFIER,
    REFERENCE,
    STATIC,
    VIRTUAL,
    Const,
    Op,
    Param,
    ScopeKind,
)

if TYPE_CHECKING:
    from tree_sitter import Node

FRIEND: Final = 2
MACRO: Final = 3
ALIAS: Final = 4
FORWARD: Final = 5
"""Of a STORE (`c`): a friend; a macro without parameters; another name of its value; a type that
is declared, and defined elsewhere."""


# ------------------------------------------------------------------------------ variables


def declaration(low: Writer, node: Node) -> None:
    """Every declarator; the type is evaluated for each, a class in it once."""
    templates = take_templates(low)
    kind = node.child_by_field_name("type")
    places = _places(node)
    if kind is not None and kind.child_by_field_name("body") is not None:
        low.push((low.handlers[kind.kind_id], kind), (_bodied, (node, places)))
    elif not places and kind is not None and kind.type in _ELABORATED:
        forward(low, kind)
    else:
        low.push(*(step for each in places for step in _declarator(low, node, *each, templates)))


_ELABORATED = frozenset(
    {"class_specifier", "struct_specifier", "union_specifier", "enum_specifier"}
)


def _places(node: Node) -> list[tuple[Node, Node | None]]:
    """The declarators, each with what it begins with."""
    found: list[tuple[Node, Node | None]] = []
    for number, child in enumerate(node.children):
        field = node.field_name_for_child(number)
        if field == "declarator":
            value = child.child_by_field_name("value") if child.type == "init_declarator" else None
            found.append((child, value))
        elif field in ("default_value", "value") and found:
            found[-1] = found[-1][0], child
    return found


def _bodied(low: Writer, work: tuple[Node, list[tuple[Node, Node | None]]]) -> None:
    node, places = work
    value = low.values.pop()
    steps: Work = []
    for place, given in places:
        known = declared(place)
        if known.function is None:
            steps += [
                (_again, value),
                (pointed, (place, known.pointers)),
                (_bind, (node, known, given)),
            ]
    low.push(*steps)


def _again(low: Writer, value: int) -> None:
    low.values.append(value)


def forward(low: Writer, kind: Node) -> None:
    """`class A;`."""
    name = kind.child_by_field_name("name")
    if name is not None and name.type == "type_identifier":
        start, end = name.byte_range
        value = low.emit(Op.CONST, Const.OTHER, -1, -1, start, end)
        low.emit(STORE, low.name(low.text[start:end]), value, FORWARD, start, end)


def _declarator(
    low: Writer, node: Node, place: Node, value: Node | None, templates: list[Node]
) -> Work:
    known = declared(place)
    if known.function is not None and place.type != "init_declarator":
        if not in_function(low):
            return [(function, (node, known, None, templates, False))]
        return _constructed(low, node, known)
    if known.function is not None and not in_function(low):  # `virtual void f() = 0`, misread
        return [(function, (node, known, None, templates, False))]
    return [(types.typed, (node, known)), (_bind, (node, known, value))]


def _constructed(low: Writer, node: Node, known: Declared) -> Work:
    """`A a(b);` in a function reads like the declaration of a function; with types it is one."""
    listed = kids(known.parameters) if known.parameters is not None else []
    steps: Work = []
    for each in listed:
        step = _read_as_value(low, each)
        if step is None:
            return []
        steps += step
    if not listed:
        return []
    plain = known._replace(function=None)
    return [
        (types.typed, (node, plain)),
        *steps,
        (new_end, (known.parameters, len(listed), False)),
        (_bind_made, (node, plain)),
    ]


def _read_as_value(low: Writer, node: Node) -> Work | None:
    """What reads like a parameter without a name, as a value: `a`, `a()`, `a::b()`."""
    kind, place = node.child_by_field_name("type"), node.child_by_field_name("declarator")
    if kind is None or kind.type not in ("type_identifier", "qualified_identifier"):
        return None
    if kind.type == "qualified_identifier":
        name: Work = scoped(low, kind, REFERENCE)
    else:
        name = [(identifier, kind)]
    if place is None:
        return name
    size = place.child_by_field_name("size")
    if place.type == "abstract_array_declarator" and size is not None and len(kids(place)) == 1:
        return [*name, (low.handlers[size.kind_id], size), (subscript_end, place)]
    listed = place.child_by_field_name("parameters")
    if place.type != "abstract_function_declarator" or listed is None or kids(listed):
        return None
    return [*name, (call_end, (node, 0, False))]


def _bind_made(low: Writer, work: tuple[Node, Declared]) -> None:
    """A variable whose value is the last one; the type is that of what is made."""
    node, known = work
    del node
    value = low.values.pop()
    name = known.name
    if name is None or name.type != "identifier":
        return
    start, end = name.byte_range
    number = state(low).fresh(low.text[start:end])
    low.emit(Op.ANNOTATE, number, low.ops[value * 6 + 1], -1, start, end)
    low.emit(STORE, number, value, -1, start, end)


def _bind(low: Writer, work: tuple[Node, Declared, Node | None]) -> None:
    """A variable: its type, and what it begins with."""
    node, known, value = work
    kind = low.values.pop()
    if known.name is None:
        return
    if known.name.type == "structured_binding_declarator":
        if value is None:
            low.push((_unpacked_nothing, known.name))
        else:
            low.push((low.handlers[value.kind_id], value), (unpacked, known.name))
    elif value is not None and value.type in ("argument_list", "initializer_list"):
        given, torn = arguments_of(value)
        if low.ops[kind * 6] == Op.CONST or known.refers or known.pointed:
            low.push(*given, (_dropped, len(given)), (variable, (known, kind, False)))
        else:
            low.push((_again, kind), *given, (new_end, (value, len(given), torn)),
                     (variable, (known, kind, True)))  # fmt: skip
    elif value is not None:
        low.push((low.handlers[value.kind_id], value), (variable, (known, kind, True)))
    elif _is_made(low, node, known, kind):
        low.push((_again, kind), (new_end, (known.name, 0, False)), (variable, (known, kind, True)))
    else:
        variable(low, (known, kind, False))


def _is_made(low: Writer, node: Node, known: Declared, kind: int) -> bool:
    """Whether a variable without a value is an instance that is made here."""
    if known.pointers or known.refers or known.pointed or in_class(low):
        return False
    if any(state(low).raw(child) == b"extern" for child in node.children
           if child.type == "storage_class_specifier"):  # fmt: skip
        return False
    if low.ops[kind * 6] == Op.OPERATE:  # `const A a`
        kind = low.ops[kind * 6 + 1]
    return low.ops[kind * 6] in (Op.LOAD, Op.GETATTR, Op.GETITEM)


def _dropped(low: Writer, count: int) -> None:
    del low.values[len(low.values) - count :]


def unpacked(low: Writer, node: Node) -> None:
    """Names that a structured binding declares, of unknown types; they hold parts of the last value."""
    _unpacked(low, node, low.values.pop())


def _unpacked_nothing(low: Writer, node: Node) -> None:
    _unpacked(low, node, -1)


def _unpacked(low: Writer, node: Node, whole: int) -> None:
    names = kids(node)
    for place, each in enumerate(names):
        start, end = each.byte_range
        value = low.emit(Op.CONST, Const.OTHER, -1, -1, start, end)
        number = state(low).fresh(low.text[start:end])
        part = -1
        if whole >= 0:
            part = low.emit(Op.ELEMENT, whole, place, len(names), start, end)
        low.emit(Op.ANNOTATE, number, value, -1, start, end)
        if whole >= 0:
            low.emit(STORE, number, part, -1, start, end)


def variable(low: Writer, work: tuple[Declared, int, bool]) -> None:
    """Bind the name of a declarator; `given`: the last value is its."""
    known, kind, given = work
    value = low.values.pop() if given else -1
    name = known.name
    if name is None or name.type not in ("identifier", "field_identifier", "type_identifier"):
        return
    start, end = name.byte_range
    raw = low.text[start:end]
    number = state(low).fresh(raw) if in_function(low) else low.name(raw)
    if in_function(low) and is_static(low, name):
        loaded = low.emit(Op.LOAD, number, -1, -1, start, end)
        low.emit(Op.OPERATE, loaded, -1, low.name(b"&"), start, end)  # it stays
    low.emit(Op.ANNOTATE, number, kind, -1, start, end)
    if given:
        low.emit(STORE, number, value, -1, start, end)


# ------------------------------------------------------------------------------ functions

Work_ = tuple["Node", Declared, "Node | None", "list[Node]", bool]


def definition(low: Writer, node: Node) -> None:
    """A function with a body, or one that is defaulted; a friend is one of the namespace."""
    _definition(low, node, friend=False)


def friend(low: Writer, node: Node) -> None:
    """What a friend declares is in the namespace."""
    for child in kids(node):
        if child.type == "function_definition":
            _definition(low, child, friend=True)
        elif child.type == "declaration":
            templates = take_templates(low)
            places = [declared(place) for place, _ in _places(child)]
            low.push(
                *(
                    (function, (child, known, None, templates, True))
                    for known in places
                    if known.function is not None
                )
            )
    take_templates(low)


def _definition(low: Writer, node: Node, *, friend: bool) -> None:
    templates = take_templates(low)
    known = declared(node.child_by_field_name("declarator"))
    body = node.child_by_field_name("body")
    words = {child.type for child in node.children}
    if "delete_method_clause" in words:
        return
    if known.function is None or known.name is None or in_function(low):
        if body is not None and in_function(low):
            low.push((low.statements[body.kind_id], body))
        return
    if body is None and "default_method_clause" not in words:
        return
    function(low, (node, known, body or node, templates, friend))


def function(low: Writer, work: Work_) -> None:
    """The type of the result, those of the parameters, then the function."""
    node, known, _, _, _ = work
    if known.name is None or known.function is None or known.name.type in _NO_FUNCTIONS:
        return
    if any(child.type == "delete_method_clause" for child in node.children):
        return
    fixture = _fixture(low, node, known)
    listed = parameters_of(low, known) if fixture is None else []
    returns, pointers = _returned(node, known)
    low.push(
        (_qualifiers, (known.name, fixture)),
        type_work(low, returns, DECLARED),
        *types.constant_work(low, node),
        (pointed, (node, pointers)),
        *(
            (types.typed, (each, declared(each.child_by_field_name("declarator"))))
            for each in listed
        ),
        (_function_end, (work, listed, fixture is not None)),
    )


_NO_FUNCTIONS = frozenset({"primitive_type", "structured_binding_declarator", "type_identifier"})


def parameters_of(low: Writer, known: Declared) -> list[Node]:
    """The parameters; `(void)` has none."""
    listed = known.parameters
    found = [each for each in kids(listed) if each.type in PARAMETERS] if listed is not None else []
    if len(found) == 1 and state(low).raw(found[0]) == b"void":
        return []
    return found


def _returned(node: Node, known: Declared) -> tuple[Node | None, int]:
    """What names the type of the result, and the pointers to it."""
    assert known.function is not None
    for child in known.function.children:
        if child.type == "trailing_return_type" and kids(child):
            return kids(child)[0], 0
    return node.child_by_field_name("type"), known.results


FIXTURES: Final = frozenset({b"TEST_F", b"TEST_P", b"TYPED_TEST", b"TYPED_TEST_P"})
"""Macros of GoogleTest behind which a body stands: it is one of a class below the first argument."""


def _fixture(low: Writer, node: Node, known: Declared) -> Node | None:
    """The class that the body behind a macro of tests is a member of."""
    if node.child_by_field_name("type") is not None or low.scope or known.name is None:
        return None
    listed = known.parameters
    if listed is None or state(low).raw(known.name) not in FIXTURES or not kids(listed):
        return None
    kind = kids(listed)[0].child_by_field_name("type")
    return kind if kind is not None and kind.type == "type_identifier" else None


def _qualifiers(low: Writer, work: tuple[Node, Node | None]) -> None:
    """Leaves the type that a function is a member of, if it says one."""
    name, fixture = work
    if fixture is not None:
        low.push(type_work(low, fixture, QUALIFIER))
    else:
        low.push(*owner_work(low, name))


def owner_work(low: Writer, name: Node | None) -> Work:
    """Work that leaves what stands in front of the last name of a qualified one."""
    if name is None or name.type != "qualified_identifier":
        return []
    path = scoped(low, name, QUALIFIER)
    return path[: _before_last(name, path)]


def _before_last(name: Node, path: Work) -> int:
    """How much of the work for a qualified name is about what stands in front of the last name."""
    at: Node | None = name
    while at is not None and at.type == "qualified_identifier":
        at = at.child_by_field_name("name")
    steps = 1
    if at is not None and at.type == "template_function":
        given = at.child_by_field_name("arguments")
        steps += 1 + (len(kids(given)) if given is not None else 0)
    return len(path) - (steps if at is not None else 0)


def _function_end(low: Writer, work: tuple[Work_, list[Node], bool]) -> None:
    (node, known, body, templates, is_friend), listed, of_test = work
    name, place = known.name, known.function
    assert name is not None
    assert place is not None
    types_of = low.values[len(low.values) - len(listed) :]
    del low.values[len(low.values) - len(listed) :]
    returns = low.values.pop()
    owner = low.values.pop() if of_test or name.type == "qualified_identifier" else -1
    last, raw = _named(low, name)
    flags = _flags(low, node, place, body)
    if _is_constructor(low, node, name, last, raw):
        flags |= CONSTRUCTOR
    if in_class(low) and not is_friend and not flags & STATIC:
        low.params += (Param.RECEIVER, low.name(b"this"), -1, -1, node.start_byte)
    write_templates(low, templates)
    low.values += types_of
    write_parameters(low, listed)
    number = low.name(raw)
    scope = low.enter(ScopeKind.FUNCTION, number, node, last.start_byte, flags, returns)
    names = state(low).locals.inside()
    low.later(scope, _begin, (node if body is not None else None, body, listed, names), {})
    start, end = last.byte_range
    value = low.emit(Op.FUNCTION, scope, -1, -1, start, end)
    if owner >= 0:
        low.emit(Op.ATTACH, owner, number, value, start, end)
    else:
        low.emit(STORE, number, value, FRIEND if is_friend else -1, start, end)


def _named(low: Writer, name: Node) -> tuple[Node, bytes]:
    """The last name of what a function is called, and its text."""
    at = name
    while at.type in ("qualified_identifier", "template_function"):
        inner = at.child_by_field_name("name")
        if inner is None:
            break
        at = inner
    raw = b" ".join(state(low).raw(at).split())
    if at.type == "operator_cast":
        kind = at.child_by_field_name("type")
        raw = b"operator " + (state(low).raw(kind) if kind is not None else b"?")
    elif at.type == "operator_name":
        rest = raw.removeprefix(b"operator").strip()
        word = rest[:1].isalpha()
        raw = b"operator " + rest if word else b"operator" + b"".join(rest.split())
    return at, raw or b"?"


def _flags(low: Writer, node: Node, place: Node, body: Node | None) -> int:
    flags = ABSTRACT if body is None else 0
    for child in node.children:
        if child.type == "storage_class_specifier" and state(low).raw(child) == b"static":
            flags |= STATIC
        elif child.type == "virtual":
            flags |= VIRTUAL
    for child in place.children:
        if child.type == "virtual_specifier":
            flags |= OVERRIDE
        elif child.type == "type_qualifier" and state(low).raw(child) == b"const":
            flags |= CONSTANT
    listed = place.child_by_field_name("parameters")
    if listed is not None and any(
        child.type in ("...", "variadic_parameter") for child in listed.children
    ):
        flags |= ARGUMENTS
    return flags


def _is_constructor(low: Writer, node: Node, name: Node, last: Node, raw: bytes) -> bool:
    if last.type not in ("identifier", "field_identifier"):
        return False
    if name.type != "qualified_identifier":
        return in_class(low) and low.names.get(raw) == low.scopes[low.scope][2]
    if node.child_by_field_name("type") is not None:
        return False
    at, owner = name, b""
    while at.type == "qualified_identifier":
        scope, inner = at.child_by_field_name("scope"), at.child_by_field_name("name")
        if scope is not None:
            named = scope.child_by_field_name("name") or scope
            owner = state(low).raw(named)
        if inner is None:
            break
        at = inner
    return owner == raw


def _begin(low: Writer, work: tuple[Node | None, Node | None, list[Node], Names]) -> None:
    node, body, listed, names = work
    begin_function(low, listed, names)
    if node is None or body is None:
        return
    steps: Work = [(open_block, None)]
    for child in node.children:
        if child.type == "field_initializer_list":
            for each in kids(child):
                if each.type == "field_initializer":
                    steps += _initializer(low, each)
    if body.type in ("compound_statement", "try_statement"):
        steps.append((low.statements[body.kind_id], body))
    low.push(*steps, (close_block, None))


def _initializer(low: Writer, node: Node) -> Work:
    """A base or field that a constructor makes."""
    found = kids(node)
    if len(found) < 2 or found[-1].type not in ("argument_list", "initializer_list"):
        return []
    name, value = found[0], found[-1]
    given, torn = arguments_of(value)
    made = (new_end, (value, len(given), torn))
    if name.type == "qualified_identifier":
        return [*scoped(low, name, REFERENCE), *given, made, (drop, None)]
    rest: Work = []
    at = name
    if name.type in ("template_method", "template_type", "template_function"):
        at = name.child_by_field_name("name") or name
        rest = types.arguments_work(low, name, QUALIFIER)
    return [(_member_name, at), *rest, *given, made, (drop, None)]


def _member_name(low: Writer, node: Node) -> None:
    """A name that a parameter does not hide."""
    start, end = node.byte_range
    low.values.append(low.emit(Op.LOAD, low.name(low.text[start:end]), REFERENCE, -1, start, end))


# ------------------------------------------------------------------------------ other names


def type_definition(low: Writer, node: Node) -> None:
    """`typedef`."""
    kind = node.child_by_field_name("type")
    places = [place for place, _ in _places(node)]
    if kind is None:
        return
    if kind.child_by_field_name("body") is not None:
        if (
            kind.child_by_field_name("name") is None
            and places
            and places[0].type == "type_identifier"
        ):
            low.hints[kind.start_byte] = places[0].byte_range
        low.push((low.handlers[kind.kind_id], kind), (_typedefs, places))
        return
    steps: Work = []
    for place in places:
        known = declared(place)
        steps += [(types.typed, (node, known)), (_alias, known.name)]
    low.push(*steps)


def _typedefs(low: Writer, places: list[Node]) -> None:
    value = low.values.pop()
    steps: Work = []
    for place in places:
        known = declared(place)
        if known.function is None and not known.pointed:
            steps += [(_again, value), (pointed, (place, known.pointers)), (_alias, known.name)]
    low.push(*steps)


def _alias(low: Writer, name: Node | None) -> None:
    value = low.values.pop()
    if name is None or name.type == "qualified_identifier":
        return
    start, end = name.byte_range
    raw = low.text[start:end]
    number = state(low).fresh(raw) if in_function(low) else low.name(raw)
    low.emit(STORE, number, value, ALIAS, start, end)


def alias(low: Writer, node: Node) -> None:
    """`using A = B;`; one that takes parameters is a type of which nothing is known."""
    templates = take_templates(low)
    name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
    low.push(type_work(low, None if templates else kind), (_alias, name))


def using(low: Writer, node: Node) -> None:
    """`using namespace a;`, `using a::b;`."""
    found = kids(node)
    if not found:
        return
    words = {child.type for child in node.children}
    path = found[-1]
    if "namespace" in words:
        low.push(type_work(low, path, QUALIFIER), (_whole, path))
    elif path.type == "qualified_identifier" and "enum" not in words:
        low.push(*scoped(low, path, REFERENCE), (_alias, _last(path)))


def _last(node: Node) -> Node:
    at = node
    while at.type in ("qualified_identifier", "template_function"):
        inner = at.child_by_field_name("name")
        if inner is None:
            return at
        at = inner
    return at


def _whole(low: Writer, node: Node) -> None:
    low.emit(Op.EXPORT, low.name(b"*"), low.values.pop(), -1, *node.byte_range)


def namespace_alias(low: Writer, node: Node) -> None:
    """`namespace a = b::c;`."""
    name, found = node.child_by_field_name("name"), kids(node)
    if name is None or len(found) < 2:
        return
    path = found[-1]
    parts = kids(path) if path.type == "nested_namespace_specifier" else [path]
    low.push(
        type_work(low, parts[0], QUALIFIER),
        *((_path_member, part) for part in parts[1:]),
        (_alias, name),
    )


def _path_member(low: Writer, node: Node) -> None:
    start, end = node.byte_range
    number = low.name(low.text[start:end])
    low.values.append(low.emit(Op.GETATTR, low.values.pop(), number, QUALIFIER, start, end))

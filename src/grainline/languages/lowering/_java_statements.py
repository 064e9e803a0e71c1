"""Statements and declarations of Java; none leaves a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering import _java_expressions as expressions
from grainline.languages.lowering import _typed as typed
from grainline.languages.lowering._java_expressions import ANNOTATIONS, dimensions, parameters_of
from grainline.languages.lowering._typed import (
    INIT,
    Definition,
    Parameter,
    Work,
    statement,
    text_of,
    type_work,
)
from grainline.languages.lowering.base import Handler, Writer, close, drop, kids
from grainline.languages.lowering.common import labelled, leave_unless, tested_loop
from grainline.model.ir import (
    ABSTRACT,
    CONSTRUCTOR,
    DECLARED,
    PRIVATE,
    QUALIFIER,
    RECORD,
    STATIC,
    Arm,
    Branch,
    Op,
    Param,
    Port,
    ScopeKind,
)

if TYPE_CHECKING:
    from tree_sitter import Node


def _block(low: Writer, node: Node) -> None:
    """Statements; the names that it declares end with it."""
    found = kids(node)
    names = [
        name
        for child in found
        if child.type == "local_variable_declaration"
        for each in child.children_by_field_name("declarator")
        if (name := each.child_by_field_name("name")) is not None
    ]
    if names and node.parent is not None and node.parent.type in _PLAIN:
        low.todo.append((typed.forget, names))
    low.todo += [statement(low, child) for child in reversed(found)]


_PLAIN = frozenset({"block", "labeled_statement", "synchronized_statement"})
"""Around a block that no region stands for."""


def _expression(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) == 1 and found[0].type == "switch_expression":
        expressions.switch(low, found[0], keep=False)
    else:
        typed.parts(low, node)


def _switch(low: Writer, node: Node) -> None:
    expressions.switch(low, node, keep=False)


# ------------------------------------------------------------------------------ variables


def _annotations(low: Writer, node: Node) -> list[Node]:
    """The annotations of what is declared."""
    found = [child for child in node.children[:1] if child.type == "modifiers"]
    return [each for child in found for each in kids(child) if each.type in ANNOTATIONS]


def _mentions(low: Writer, node: Node) -> Work:
    """Work that evaluates annotations and forgets them."""
    return [part for each in _annotations(low, node) for part in typed.dropped(low, each)]


def _variables(low: Writer, node: Node) -> None:
    """Fields and locals."""
    kind = node.child_by_field_name("type")
    found = node.children_by_field_name("declarator")
    work = _mentions(low, node)
    if kind is None:
        typed.parts(low, node)
        return
    inferred = kind.type == "type_identifier" and text_of(low, kind) == b"var"
    if not inferred:
        work.append(type_work(low, kind, DECLARED))
    for each in found:
        work.append((_variable, (node, each, not inferred)))
    if not inferred:
        work.append((drop, None))
    low.push(*work)


def _variable(low: Writer, work: tuple[Node, Node, bool]) -> None:
    node, each, given = work
    name, value = each.child_by_field_name("name"), each.child_by_field_name("value")
    if name is None:
        return
    kind = -1
    if given:
        kind = low.values[-1]
        for _ in range(dimensions(each)):
            word = low.name(b"[]")
            kind = low.emit(Op.OPERATE, kind, -1, word, *name.byte_range)
    todo: Work = [] if value is None else [(low.handlers[value.kind_id], value)]
    if node.type != "local_variable_declaration" and _flags(low, node) & STATIC:
        todo.insert(0, (_static, name))
    low.push(*todo, (typed.declare, (name, node, kind, value is not None)))


def _static(low: Writer, name: Node) -> None:
    """The field is that of the class itself."""
    low.emit(Op.GLOBAL, low.name(text_of(low, name)), -1, -1, *name.byte_range)


# ------------------------------------------------------------------------------ control


def _fields(low: Writer, node: Node, *names: str) -> Work:
    """Statements and expressions in the named fields, in this order."""
    return [statement(low, child) for name in names for child in node.children_by_field_name(name)]


def _while(low: Writer, node: Node) -> None:
    low.push((tested_loop, node), *_test(low, node), *_fields(low, node, "body"), (close, node))


def _do(low: Writer, node: Node) -> None:
    low.push((tested_loop, node), *_fields(low, node, "body"), *_test(low, node), (close, node))


def _for(low: Writer, node: Node) -> None:
    work = [*_fields(low, node, "init"), (tested_loop, node), *_test(low, node)]
    low.push(*work, *_fields(low, node, "body", "update"), (close, node))


def _test(low: Writer, node: Node) -> Work:
    """A loop is left where its test fails."""
    test = node.child_by_field_name("condition")
    if test is None:
        return []
    return [(low.handlers[test.kind_id], test), (leave_unless, test)]


def _each(low: Writer, node: Node) -> None:
    kind, name = node.child_by_field_name("type"), node.child_by_field_name("name")
    value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
    if kind is None or name is None or value is None:
        typed.parts(low, node)
        return
    inferred = kind.type == "type_identifier" and text_of(low, kind) == b"var"
    work: Work = [(low.handlers[value.kind_id], value), (typed.loop, node)]
    if not inferred:
        work.append(type_work(low, kind, DECLARED))
    work.append((_element, (node, name, not inferred)))
    if body is not None:
        work.append(statement(low, body))
    low.push(*work, (close, node))


def _element(low: Writer, work: tuple[Node, Node, bool]) -> None:
    node, name, given = work
    kind = low.values.pop() if given else -1
    source = low.values.pop()
    low.values.append(low.emit(Op.ITER, source, -1, -1, *name.byte_range))
    typed.declare(low, (name, node, kind, True))


def _try(low: Writer, node: Node) -> None:
    work: Work = [(typed.branch, (Branch.TRY, node)), (typed.arm, (Arm.BODY, node))]
    for child in kids(node):
        if child.type == "resource_specification":
            work += [(_resource, each) for each in kids(child)]
        elif child.type == "catch_clause":
            work += [(typed.arm, (Arm.HANDLER, child)), (_catch, child)]
        elif child.type == "finally_clause":
            work += [(typed.arm, (Arm.FINALLY, child)), *(statement(low, b) for b in kids(child))]
        else:
            work.append(statement(low, child))
    low.push(*work, (close, node))


def _resource(low: Writer, node: Node) -> None:
    kind, name = node.child_by_field_name("type"), node.child_by_field_name("name")
    value = node.child_by_field_name("value")
    if name is None or value is None:
        for child in kids(node)[-1:]:
            low.push((low.handlers[child.kind_id], child), (_entered, (child, None, False)))
        return
    given = kind is not None and text_of(low, kind) != b"var"
    work: Work = [(low.handlers[value.kind_id], value)]
    if kind is not None and given:
        work.append(type_work(low, kind, DECLARED))
    low.push(*work, (_entered, (node, name, given)))


def _entered(low: Writer, work: tuple[Node, Node | None, bool]) -> None:
    node, name, given = work
    kind = low.values.pop() if given else -1
    value = low.emit(Op.ENTER, low.values.pop(), -1, -1, *node.byte_range)
    if name is not None:
        low.values.append(value)
        typed.declare(low, (name, node, kind, True))


def _catch(low: Writer, node: Node) -> None:
    found = kids(node)
    caught = next((child for child in found if child.type == "catch_formal_parameter"), None)
    work: Work = []
    if caught is not None:
        name = caught.child_by_field_name("name")
        types = [
            each for child in kids(caught) if child.type == "catch_type" for each in kids(child)
        ]
        work += [type_work(low, each, DECLARED) for each in types]
        work.append((_caught, (caught, name, len(types))))
    work += [statement(low, child) for child in found if child.type == "block"]
    low.push(*work)


def _caught(low: Writer, work: tuple[Node, Node | None, int]) -> None:
    node, name, count = work
    found = low.values[len(low.values) - count :]
    del low.values[len(low.values) - count :]
    if name is None or not found:
        return
    value = low.emit(Op.NARROW, -1, found[0], -1, *node.byte_range)
    for other in found[1:]:
        more = low.emit(Op.NARROW, -1, other, -1, *node.byte_range)
        value = low.emit(Op.EITHER, value, more, -1, *node.byte_range)
    low.values.append(value)
    typed.declare(low, (name, node, found[0] if len(found) == 1 else -1, True))


def _labeled(low: Writer, node: Node) -> None:
    label, *found = kids(node)
    low.push(*(statement(low, child) for child in found), (labelled, label))


def _assert(low: Writer, node: Node) -> None:
    found = kids(node)
    work: Work = [(low.handlers[child.kind_id], child) for child in found[:1]]
    work += [(_asserted, node)] if found else []
    low.push(*work, *(part for child in found[1:] for part in typed.dropped(low, child)))


def _asserted(low: Writer, node: Node) -> None:
    low.emit(Op.ASSERT, low.values.pop(), -1, -1, *node.byte_range)


def _explicit(low: Writer, node: Node) -> None:
    """`this(...)` and `super(...)`."""
    called = node.child_by_field_name("constructor")
    passed = node.child_by_field_name("arguments")
    if called is None or passed is None:
        typed.parts(low, node)
        return
    arguments = kids(passed)
    outer = node.child_by_field_name("object")
    low.push(
        *(typed.dropped(low, outer) if outer is not None else ()),
        (typed.load, called),
        *((low.handlers[child.kind_id], child) for child in arguments),
        (typed.call_end, (node, len(arguments))),
        (drop, None),
    )


# ------------------------------------------------------------------------------ definitions


def _flags(low: Writer, node: Node) -> int:
    found = [child for child in node.children[:1] if child.type == "modifiers"]
    words = {each.type for child in found for each in child.children}
    return (STATIC if "static" in words else 0) | (PRIVATE if "private" in words else 0)


def _type_parameters(low: Writer, node: Node) -> list[Parameter]:
    listed = node.child_by_field_name("type_parameters")
    found: list[Parameter] = []
    for child in kids(listed) if listed is not None else ():
        inside = [each for each in kids(child) if each.type not in ANNOTATIONS]
        if not inside:
            continue
        name, start = text_of(low, inside[0]), inside[0].start_byte
        bounds = [each for bound in inside[1:] for each in kids(bound)]
        kinds: list[Node | None] = [*bounds] or [None]
        found += [Parameter(Param.TYPE, name, start, bound) for bound in kinds]
    return found


def _decorations(low: Writer, node: Node, parameters: list[Parameter]) -> Work:
    """Work that evaluates the annotations of one parameter, which is said to have them."""
    name = node.child_by_field_name("name")
    start = -1 if name is None else name.start_byte
    mine = next((each for each in parameters if each.start == start), None)
    if mine is None or mine.decorators is None:
        return _mentions(low, node)
    work: Work = []
    for each in _annotations(low, node):
        work += [(low.handlers[each.kind_id], each), (_decorating, mine.decorators)]
    return work


def _decorating(low: Writer, decorators: list[int]) -> None:
    decorators.append(low.values.pop())


def _method(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    listed = node.child_by_field_name("parameters")
    returns, body = node.child_by_field_name("type"), node.child_by_field_name("body")
    if name is None:
        typed.parts(low, node)
        return
    parameters = _type_parameters(low, node)
    work: Work = []
    if listed is not None:
        found = parameters_of(low, listed)
        work = [part for each in kids(listed) for part in _decorations(low, each, found)]
        parameters += found
    constructor = node.type in _CONSTRUCTORS
    if node.type == "compact_constructor_declaration":
        parameters += _components(low, node)
        parameters = [each._replace(type=each.type) for each in parameters]
    annotations = _annotations(low, node)
    work += [(low.handlers[each.kind_id], each) for each in annotations]
    work += typed.visit_parameters(low, parameters, DECLARED)
    if returns is not None:
        depth = dimensions(node)
        work += [type_work(low, returns, DECLARED), *typed.arrays(returns, depth)]
    raw = text_of(low, name)
    made = Definition(
        node,
        ScopeKind.FUNCTION,
        raw,
        name.start_byte,
        _flags(low, node) | (CONSTRUCTOR if constructor else 0) | (ABSTRACT if body is None else 0),
        _block if body is not None else typed.nothing,
        body,
        parameters,
        typed=returns is not None,
        decorators=len(annotations),
        member=INIT if constructor else raw,
    )
    low.push(*work, (typed.defined, made))


_CONSTRUCTORS = frozenset({"constructor_declaration", "compact_constructor_declaration"})


def _components(low: Writer, node: Node) -> list[Parameter]:
    """The header of the record around a compact constructor."""
    outer = node.parent.parent if node.parent is not None else None
    if outer is None or outer.type != "record_declaration":
        return []
    listed = outer.child_by_field_name("parameters")
    return parameters_of(low, listed) if listed is not None else []


def _class(low: Writer, node: Node) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        typed.parts(low, node)
        return
    parameters = _type_parameters(low, node)
    listed = node.child_by_field_name("parameters")
    annotations = _annotations(low, node)
    work: Work = []
    if listed is not None:
        work = [part for each in kids(listed) for part in _mentions(low, each)]
        parameters += parameters_of(low, listed)
    bases = _bases(node)
    work += [(low.handlers[each.kind_id], each) for each in annotations]
    work += typed.visit_parameters(low, parameters, DECLARED)
    work += [type_work(low, each, QUALIFIER) for each, _ in bases]
    raw = text_of(low, name)
    made = Definition(
        node,
        ScopeKind.CLASS,
        raw,
        name.start_byte,
        _flags(low, node) | _CLASSES.get(node.type, 0),
        _body,
        body,
        parameters,
        bases=tuple(kind for _, kind in bases),
        decorators=len(annotations),
        member=raw,
    )
    low.push(*work, (typed.defined, made))


_CLASSES = {
    "interface_declaration": ABSTRACT | STATIC,
    "annotation_type_declaration": ABSTRACT | STATIC,
    "enum_declaration": STATIC,
    "record_declaration": STATIC | RECORD,
}


def _bases(node: Node) -> list[tuple[Node, int]]:
    found: list[tuple[Node, int]] = []
    interface = node.type == "interface_declaration"
    for child in kids(node):
        if child.type == "superclass":
            found += [(each, int(Port.POSITIONAL)) for each in kids(child)[:1]]
        elif child.type in {"super_interfaces", "extends_interfaces"}:
            kind = int(Port.POSITIONAL if interface else Port.INTERFACE)
            found += [(each, kind) for inside in kids(child) for each in kids(inside)]
    return found


def _body(low: Writer, node: Node | None) -> None:
    if node is not None:
        typed.parts(low, node)


def _enum_constant(low: Writer, node: Node) -> None:
    """A field of its own class, made by a call of it, of a class without a name with a body."""
    name, passed = node.child_by_field_name("name"), node.child_by_field_name("arguments")
    body = node.child_by_field_name("body")
    if name is None:
        typed.parts(low, node)
        return
    arguments = kids(passed) if passed is not None else []
    work = _mentions(low, node)
    work.append((_own_type, name))
    if body is not None:
        work.append((_constant_body, (node, name, body)))
    work += [(low.handlers[child.kind_id], child) for child in arguments]
    low.push(
        *work,
        (typed.new_end, (node, len(arguments))),
        (_own_type, name),
        (_constant_declared, (node, name)),
    )


def _own_type(low: Writer, name: Node) -> None:
    raw = low.scopes[low.scope][2]
    low.values.append(low.emit(Op.LOAD, raw, QUALIFIER, -1, *name.byte_range))


def _constant_body(low: Writer, work: tuple[Node, Node, Node]) -> None:
    node, _, body = work
    made = Definition(
        node,
        ScopeKind.CLASS,
        b"`<anonymous%d>`" % expressions.ordinal(low),
        body.start_byte,
        0,
        typed.parts,
        body,
        bases=(0,),
    )
    typed.defined(low, made)


def _constant_declared(low: Writer, work: tuple[Node, Node]) -> None:
    node, name = work
    kind = low.values.pop()
    typed.declare(low, (name, node, kind, True))


# ------------------------------------------------------------------------------ modules


def _package(low: Writer, node: Node) -> None:
    found = [child for child in kids(node) if child.type not in ANNOTATIONS]
    if found:
        name = low.name(_plain(low, found[-1]))
        low.emit(Op.PACKAGE, name, -1, -1, *found[-1].byte_range)


def _plain(low: Writer, node: Node) -> bytes:
    """A dotted name without space and comments in it."""
    text = text_of(low, node)
    if b"/" in text:
        return b".".join(text_of(low, each) for each in _identifiers(node))
    return b"".join(text.split())


def _identifiers(node: Node) -> list[Node]:
    found: list[Node] = []
    while node.type == "scoped_identifier" and len(kids(node)) == 2:
        node, last = kids(node)
        found.append(last)
    return [node, *reversed(found)]


def _import(low: Writer, node: Node) -> None:
    found = kids(node)
    names = [child for child in found if child.type in {"scoped_identifier", "identifier"}]
    if not names:
        return
    whole = _plain(low, names[0])
    if any(child.type == "asterisk" for child in found):
        low.emit(Op.IMPORT, low.name(whole), low.name(b"*"), -1, *names[0].byte_range)
        return
    module, _, member = whole.rpartition(b".")
    name = low.name(member)
    value = low.emit(Op.IMPORT, low.name(module), name, -1, *names[0].byte_range)
    low.emit(Op.STORE, name, value, -1, *names[0].byte_range)


STATEMENTS: dict[str, Handler] = {
    "program": typed.parts,
    "package_declaration": _package,
    "import_declaration": _import,
    "block": _block,
    "constructor_body": _block,
    "class_body": typed.parts,
    "interface_body": typed.parts,
    "enum_body": typed.parts,
    "annotation_type_body": typed.parts,
    "enum_body_declarations": typed.parts,
    "static_initializer": typed.parts,
    "field_declaration": _variables,
    "constant_declaration": _variables,
    "local_variable_declaration": _variables,
    "method_declaration": _method,
    "constructor_declaration": _method,
    "compact_constructor_declaration": _method,
    "annotation_type_element_declaration": _method,
    "class_declaration": _class,
    "interface_declaration": _class,
    "enum_declaration": _class,
    "record_declaration": _class,
    "annotation_type_declaration": _class,
    "enum_constant": _enum_constant,
    "explicit_constructor_invocation": _explicit,
    "expression_statement": _expression,
    "switch_expression": _switch,
    "if_statement": typed.if_else,
    "while_statement": _while,
    "do_statement": _do,
    "for_statement": _for,
    "enhanced_for_statement": _each,
    "try_statement": _try,
    "try_with_resources_statement": _try,
    "return_statement": typed.leave(Op.RETURN),
    "throw_statement": typed.leave(Op.RAISE),
    "yield_statement": expressions.yielded,
    "break_statement": typed.jump(Op.BREAK),
    "continue_statement": typed.jump(Op.CONTINUE),
    "labeled_statement": _labeled,
    "synchronized_statement": typed.parts,
    "assert_statement": _assert,
    "modifiers": typed.ignored,
    "line_comment": typed.ignored,
    "block_comment": typed.ignored,
    "asterisk": typed.ignored,
}

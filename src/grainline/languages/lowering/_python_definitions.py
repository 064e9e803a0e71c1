"""What makes scopes in Python (functions, classes, lambdas), and imports."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from grainline.languages.lowering._python_expressions import arguments
from grainline.languages.lowering._python_patterns import STORE, assign
from grainline.languages.lowering._python_statements import block
from grainline.languages.lowering.base import Handler, Writer, anything, drop, kids
from grainline.languages.lowering.common import Spec, take_ports
from grainline.model.ir import ASYNC, OP_WIDTH, Op, Param, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node


class Parameter(NamedTuple):
    """A parameter as written."""

    kind: Param
    name: Node
    default: Node | None
    annotation: Node | None


def _parameters(node: Node) -> list[Parameter]:
    """The parameters of a list; those before `/` and after `*` are known as such."""
    found: list[Parameter] = []
    kind = Param.PLAIN
    for child in kids(node):
        match child.type:
            case "identifier":
                found.append(Parameter(kind, child, None, None))
            case "positional_separator":
                found = [each._replace(kind=Param.POSITIONAL) for each in found]
            case "keyword_separator":
                kind = Param.KEYWORD
            case _:
                parameter = _parameter(child, kind)
                if parameter is not None:
                    found.append(parameter)
                    if parameter.kind is Param.STAR:
                        kind = Param.KEYWORD
    return found


def _parameter(node: Node, kind: Param) -> Parameter | None:
    parts = kids(node)
    if not parts:
        return None
    name = parts[0]
    annotation = next((part for part in parts[1:] if part.type == "type"), None)
    default = None
    if node.type in {"default_parameter", "typed_default_parameter"}:
        default = parts[-1] if len(parts) > 1 and parts[-1] is not annotation else None
    if node.type in _STARS:
        return Parameter(_STARS[node.type], name, None, None) if name.type == "identifier" else None
    if name.type in _STARS:
        inside = kids(name)
        return Parameter(_STARS[name.type], inside[0], None, annotation) if inside else None
    return Parameter(kind, name, default, annotation) if name.type == "identifier" else None


_STARS = {"list_splat_pattern": Param.STAR, "dictionary_splat_pattern": Param.DOUBLE_STAR}


def _visit_parameters(low: Writer, parameters: list[Parameter]) -> None:
    nodes: list[Node] = []
    for parameter in parameters:
        nodes += [part for part in (parameter.default, parameter.annotation) if part is not None]
    low.visit_all(nodes)


def _take_parameters(low: Writer, parameters: list[Parameter]) -> None:
    """Write the rows of parameters, whose defaults and annotations are the last values."""
    rows: list[tuple[int, ...]] = []
    for parameter in reversed(parameters):
        annotation = low.values.pop() if parameter.annotation is not None else -1
        default = low.values.pop() if parameter.default is not None else -1
        start, end = parameter.name.byte_range
        name = low.name(low.text[start:end])
        rows.append((parameter.kind, name, default, annotation, start))
    for row in reversed(rows):
        low.params += row


# ------------------------------------------------------------------------------ definitions


def _decorated(low: Writer, node: Node) -> None:
    found = kids(node)
    decorators = [kids(child)[0] for child in found if child.type == "decorator" and kids(child)]
    for child in found:
        if child.type == "function_definition":
            low.push((_function_decorated, (child, len(decorators))))
        elif child.type == "class_definition":
            low.push((_class_decorated, (child, len(decorators))))
    if found and found[-1].type in {"function_definition", "class_definition"}:
        low.visit_all(decorators)


def _function(low: Writer, node: Node) -> None:
    _function_decorated(low, (node, 0))


def _function_decorated(low: Writer, work: tuple[Node, int]) -> None:
    node, decorators = work
    parts = kids(node)
    name = next((part for part in parts if part.type == "identifier"), None)
    listed = next((part for part in parts if part.type == "parameters"), None)
    returns = next((part for part in parts if part.type == "type"), None)
    body = next((part for part in parts if part.type == "block"), None)
    if name is None:
        low.push(*[(drop, None)] * decorators)
        return
    parameters = _parameters(listed) if listed is not None else []
    low.todo.append(
        (_function_end, (node, decorators, name, parameters, body, returns is not None))
    )
    if returns is not None:
        low.visit(returns)
    _visit_parameters(low, parameters)


def _function_end(
    low: Writer, work: tuple[Node, int, Node, list[Parameter], Node | None, bool]
) -> None:
    node, decorators, name, parameters, body, annotated = work
    returns = low.values.pop() if annotated else -1
    _take_parameters(low, parameters)
    start, end = name.byte_range
    number = low.name(low.text[start:end])
    flags = ASYNC if node.children[0].type == "async" else 0
    scope = low.enter(ScopeKind.FUNCTION, number, node, start, flags, returns)
    if body is not None:
        low.later(scope, block, body, {})
    else:
        low.later(scope, _nothing, None, {})
    value = low.emit(Op.FUNCTION, scope, -1, -1, start, end)
    _bind(low, name, value, decorators)


def _nothing(low: Writer, _: None) -> None:
    del low


def _bind(low: Writer, name: Node, value: int, decorators: int) -> None:
    """Apply the decorators, the nearest first, and bind the name."""
    for _ in range(decorators):
        decorator = low.values.pop()
        at = decorator * OP_WIDTH
        value = low.emit(Op.DECORATE, decorator, value, -1, *low.ops[at + 4 : at + 6])
    start, end = name.byte_range
    low.emit(STORE, low.name(low.text[start:end]), value, -1, start, end)


def _class(low: Writer, node: Node) -> None:
    _class_decorated(low, (node, 0))


def _class_decorated(low: Writer, work: tuple[Node, int]) -> None:
    node, decorators = work
    parts = kids(node)
    name = next((part for part in parts if part.type == "identifier"), None)
    bases = next((part for part in parts if part.type == "argument_list"), None)
    body = next((part for part in parts if part.type == "block"), None)
    if name is None:
        low.push(*[(drop, None)] * decorators)
        return
    spec, nodes = arguments(low, bases) if bases is not None else ([], [])
    low.todo.append((_class_end, (node, decorators, name, spec, body)))
    low.visit_all(nodes)


def _class_end(low: Writer, work: tuple[Node, int, Node, Spec, Node | None]) -> None:
    node, decorators, name, spec, body = work
    first, count = take_ports(low, spec)
    start, end = name.byte_range
    scope = low.enter(ScopeKind.CLASS, low.name(low.text[start:end]), node, start, 0, -1)
    low.later(scope, block if body is not None else _nothing, body, {})
    value = low.emit(Op.CLASS, scope, first, count, start, end)
    _bind(low, name, value, decorators)


def _lambda(low: Writer, node: Node) -> None:
    parts = kids(node)
    if not parts:
        anything(low, node)
        return
    listed = parts[0] if parts[0].type == "lambda_parameters" else None
    parameters = _parameters(listed) if listed is not None else []
    low.todo.append((_lambda_end, (node, parameters, parts[-1])))
    _visit_parameters(low, parameters)


def _lambda_end(low: Writer, work: tuple[Node, list[Parameter], Node]) -> None:
    node, parameters, body = work
    _take_parameters(low, parameters)
    start, end = node.byte_range
    own = {low.text[each.name.start_byte : each.name.end_byte] for each in parameters}
    renamed = {name: other for name, other in low.renamed.items() if name not in own}
    scope = low.enter(ScopeKind.LAMBDA, low.lambda_name(), node, start, 0, -1)
    low.later(scope, _lambda_body, body, renamed)
    low.values.append(low.emit(Op.FUNCTION, scope, -1, -1, start, end))


def _lambda_body(low: Writer, node: Node) -> None:
    low.push((low.handlers[node.kind_id], node), (_lambda_return, node))


def _lambda_return(low: Writer, node: Node) -> None:
    low.emit(Op.RETURN, low.values.pop(), -1, -1, *node.byte_range)


def _type_alias(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2 or not kids(found[0]):
        return
    low.push((low.handlers[found[1].kind_id], found[1]), (_alias_end, kids(found[0])[0]))


def _alias_end(low: Writer, target: Node) -> None:
    assign(low, (target, low.values.pop()))


# ------------------------------------------------------------------------------ imports

_SPACE = re.compile(rb"\s|#[^\n]*|\\")


def _plain(low: Writer, node: Node) -> bytes:
    """A dotted name without the space that may stand in it."""
    return _SPACE.sub(b"", low.text[node.start_byte : node.end_byte])


def _import(low: Writer, node: Node) -> None:
    for child in kids(node):
        start, end = child.byte_range
        parts = kids(child)
        if child.type == "aliased_import" and len(parts) == 2:
            module = low.name(_plain(low, parts[0]))
            value = low.emit(Op.IMPORT, module, -1, 0, *parts[0].byte_range)
            assign(low, (parts[1], value))
        elif child.type == "dotted_name":
            whole = _plain(low, child)
            value = low.emit(Op.IMPORT, low.name(whole), -1, 1, start, end)
            bound = parts[0].byte_range if parts else (start, end)
            low.emit(STORE, low.name(whole.partition(b".")[0]), value, -1, *bound)


def _import_from(low: Writer, node: Node) -> None:
    found = kids(node)
    if not found:
        return
    module = low.name(_plain(low, found[0]))
    for child in found[1:]:
        parts = kids(child)
        if child.type == "wildcard_import":
            low.emit(Op.IMPORT, module, low.name(b"*"), 0, *child.byte_range)
        elif child.type == "aliased_import" and len(parts) == 2:
            member = low.name(_plain(low, parts[0]))
            value = low.emit(Op.IMPORT, module, member, 0, *parts[0].byte_range)
            assign(low, (parts[1], value))
        elif child.type == "dotted_name":
            member = low.name(_plain(low, child))
            value = low.emit(Op.IMPORT, module, member, 0, *child.byte_range)
            low.emit(STORE, member, value, -1, *child.byte_range)


STATEMENTS: dict[str, Handler] = {
    "decorated_definition": _decorated,
    "function_definition": _function,
    "class_definition": _class,
    "type_alias_statement": _type_alias,
    "import_statement": _import,
    "import_from_statement": _import_from,
}
EXPRESSIONS: dict[str, Handler] = {"lambda": _lambda}

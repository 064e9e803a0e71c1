"""Where a function begins: parameters, their types, the receiver of a method."""

from __future__ import annotations

from grainline.graph.annotations import type_node
from grainline.graph.builder import CALL, LOAD, Builder
from grainline.graph.parts import Class, Function, Parameter, Seed
from grainline.model.ir import GENERATOR, Make, Op, Param, Scope, ScopeKind


def enter(builder: Builder, number: int) -> None:
    """The parameters of a function are its first bindings."""
    scope = builder.scopes[number]
    if scope.kind == ScopeKind.CLASS:
        builder.part.classes.setdefault(number, Class([]))
    if scope.kind not in (ScopeKind.FUNCTION, ScopeKind.LAMBDA):
        return
    parent = builder.scopes[scope.parent]
    method = scope.kind == ScopeKind.FUNCTION and parent.kind == ScopeKind.CLASS
    owner = scope.parent if method else -1
    parameters: list[Parameter] = []
    for at in range(scope.params, scope.params_end):
        kind, name, default, annotation, _ = builder.params[at]
        node = builder.new()
        builder.plain[node] = at - scope.params
        builder.env[name] = node
        builder.variables.versions[number, name] = [node]
        parameters.append(
            Parameter(
                kind, builder.names[name], node, builder.nodes[default] if default >= 0 else -1
            )
        )
        if default >= 0:
            builder.copies.append((builder.nodes[default], node, 0))
        if annotation >= 0 and kind not in (Param.STAR, Param.DOUBLE_STAR):
            builder.copies.append((type_node(builder, annotation, scope.parent, number), node, 0))
        if kind in (Param.STAR, Param.DOUBLE_STAR):
            made = Make.TUPLE if kind == Param.STAR else Make.DICT
            builder.part.seeds.append((node, Seed.CONTAINER, node, made))
    generator = bool(scope.flags & GENERATOR)
    function = Function(parameters, builder.new(), builder.new(), (), generator, False, owner)
    builder.part.functions[number] = function
    if owner >= 0 and parameters and parameters[0].kind <= Param.PLAIN:
        word = builder.bindings.get(number, builder.names[scope.name])
        if word != "staticmethod":
            own = Seed.OWN_CLASS if word in _CLASS_METHODS else Seed.SELF
            builder.part.seeds.append((parameters[0].node, own, owner, None))
    if scope.returns >= 0:
        node = type_node(builder, scope.returns, scope.parent, number)
        builder.copies.append((node, function.returns, 0))
        same = _same_variable(builder, scope)
        if same >= 0:
            function.identity = (same,)


def _same_variable(builder: Builder, scope: Scope) -> int:
    """The parameter whose annotation is the very name that annotates the result.

    Of a type variable it says that the result is that argument; of a class it changes nothing.
    """
    result = builder.ops[scope.returns]
    if result[0] != LOAD:
        return -1
    found = -1
    for at in range(scope.params, scope.params_end):
        annotation = builder.params[at][3]
        if annotation >= 0 and builder.ops[annotation][:2] == result[:2]:
            if found >= 0:
                return -1
            found = at - scope.params
    if found >= 0 and not _is_type_variable(builder, result[1]):
        return -1
    return found


def _is_type_variable(builder: Builder, name: int) -> bool:
    """Whether the module binds `name` to `TypeVar(...)`."""
    for node in builder.variables.versions.get((0, name), ()):
        op = node - builder.base
        if 0 <= op < len(builder.ops) and builder.ops[op][0] == CALL:
            callee = builder.ops[builder.ops[op][1]]
            word = callee[1] if callee[0] == LOAD else callee[2]
            if callee[0] in (LOAD, Op.GETATTR) and builder.names[word] == "TypeVar":
                return True
    return False


_CLASS_METHODS = frozenset({"classmethod", "__new__", "__init_subclass__", "__class_getitem__"})

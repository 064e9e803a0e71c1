"""Where a function begins: parameters, their types, the receiver of a method."""

from __future__ import annotations

from grainline.graph.annotations import type_node
from grainline.graph.builder import CALL, LOAD, Builder
from grainline.graph.parts import Class, Function, Parameter, Seed, Use
from grainline.model.ir import ABSTRACT, GENERATOR, STATIC, Make, Op, Param, Scope, ScopeKind


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
    parameters, receiver = _parameters(builder, number, scope)
    generator = bool(scope.flags & GENERATOR)
    returns, yields = builder.new(), builder.new()
    function = Function(
        parameters, returns, yields, (), generator, False, owner, receiver, scope.flags
    )
    function.nameless = scope.kind == ScopeKind.LAMBDA and bool(scope.flags & ABSTRACT)
    builder.part.functions[number] = function
    _receive(builder, number, scope, function)
    if scope.returns >= 0 and _is_late(builder, scope.returns):
        function.fluent = receiver >= 0
    elif scope.returns >= 0:
        node = type_node(builder, scope.returns, scope.parent, number)
        builder.copies.append((node, function.returns, 0))
        function.declared = node
        same = _same_variable(builder, scope)
        if same >= 0:
            function.identity = (same,)


def _is_late(builder: Builder, op: int) -> bool:
    """Whether the type of a result is that of what the function is called on."""
    code, name, *_ = builder.ops[op]
    word = builder.rules.late_binding
    return bool(word) and code == LOAD and builder.names[name] == word


def _parameters(builder: Builder, number: int, scope: Scope) -> tuple[list[Parameter], int]:
    """The parameters that take arguments, and the node of the receiver or -1."""
    parameters: list[Parameter] = []
    receiver = -1
    for at in range(scope.params, scope.params_end):
        kind, name, default, annotation, _ = builder.params[at]
        node = builder.new()
        builder.env[name] = node
        builder.variables.versions[number, name] = [node]
        declared = -1
        if annotation >= 0:
            declared = type_node(builder, annotation, scope.parent, number)
        if kind == Param.RECEIVER:
            receiver = node
            if declared >= 0:
                builder.copies.append((declared, node, 0))
            continue
        if kind not in (Param.STAR, Param.DOUBLE_STAR):
            builder.plain[node] = len(parameters)
        value = builder.nodes[default] if default >= 0 else -1
        if kind in (Param.STAR, Param.DOUBLE_STAR):
            made = Make.TUPLE if kind == Param.STAR else Make.DICT
            builder.part.seeds.append((node, Seed.CONTAINER, node, made))
            if declared >= 0 and builder.rules.declared and builder.rules.rest_is_list:
                builder.uses.append((declared, Use.MERGE, None, node))
            else:
                if declared >= 0 and builder.rules.declared:
                    builder.part.elements.append((node, None, declared))
                declared = -1
        elif declared >= 0:
            builder.copies.append((declared, node, 0))
        parameters.append(Parameter(kind, builder.names[name], node, value, declared))
        if value >= 0:
            builder.assign(value, declared, node)
    return parameters, receiver


def _receive(builder: Builder, number: int, scope: Scope, function: Function) -> None:
    """What the receiver is before any call: an instance of the class, the class, the object."""
    seeds = builder.part.seeds
    if function.receiver >= 0:
        if function.owner >= 0:
            own = Seed.OWN_CLASS if scope.flags & STATIC else Seed.SELF
            seeds.append((function.receiver, own, function.owner, None))
        elif number in builder.objects:
            builder.copies.append((builder.objects[number], function.receiver, 0))
    elif builder.rules.first_is_receiver and function.owner >= 0:
        first = function.parameters[0] if function.parameters else None
        word = builder.bindings.get(number, builder.names[scope.name])
        idioms = builder.rules.idioms
        if first is not None and first.kind <= Param.PLAIN and word not in idioms.statics:
            own = Seed.OWN_CLASS if word in idioms.class_functions else Seed.SELF
            seeds.append((first.node, own, function.owner, None))


def _same_variable(builder: Builder, scope: Scope) -> int:
    """The parameter whose annotation is the very name that annotates the result.

    Of a type variable it says that the result is that argument; of a class it changes nothing.
    """
    result = builder.ops[scope.returns]
    if result[0] != LOAD:
        return -1
    found, number = -1, 0
    for at in range(scope.params, scope.params_end):
        kind, _, _, annotation, _ = builder.params[at]
        if kind == Param.RECEIVER:
            continue  # no argument is passed to it: it has no number
        if annotation >= 0 and builder.ops[annotation][:2] == result[:2]:
            if found >= 0:
                return -1
            found = number
        number += 1
    if found >= 0 and not _is_type_variable(builder, result[1]):
        return -1
    return found


def _is_type_variable(builder: Builder, name: int) -> bool:
    """Whether the module binds `name` to a type variable."""
    if builder.rules.idioms.variables == "#":
        return "#" in builder.names[name]
    for node in builder.variables.versions.get((0, name), ()):
        op = node - builder.base
        if 0 <= op < len(builder.ops) and builder.ops[op][0] == CALL:
            callee = builder.ops[builder.ops[op][1]]
            word = callee[1] if callee[0] == LOAD else callee[2]
            if (
                callee[0] in (LOAD, Op.GETATTR)
                and builder.names[word] == builder.rules.idioms.variables
            ):
                return True
    return False

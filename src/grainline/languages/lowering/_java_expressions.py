"""Expressions and types of Java: each handler leaves one value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering import _typed as typed
from grainline.languages.lowering._typed import Work, statement, text_of, type_work
from grainline.languages.lowering.base import Handler, Writer, close, drop, kids, opaque
from grainline.languages.lowering.common import inner, leave_at
from grainline.model.ir import (
    ASSIGNS,
    DECLARED,
    MENTIONED,
    QUALIFIER,
    REFERENCE,
    Arm,
    Branch,
    Const,
    Op,
    Param,
    ScopeKind,
)

if TYPE_CHECKING:
    from tree_sitter import Node

# ------------------------------------------------------------------------------ types


def _scoped(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    found = [child for child in kids(node) if child.type not in ANNOTATIONS]
    if len(found) != 2:
        typed.anything(low, node)
        return
    low.push(type_work(low, found[0], QUALIFIER), (typed.attribute_marked, (found[1], mark)))


def _generic(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    found = kids(node)
    if not found:
        typed.anything(low, node)
        return
    arguments = [part for child in found[1:] for part in kids(child)]
    inside = mark if mark == DECLARED else MENTIONED
    low.push(
        type_work(low, found[0], mark),
        *(type_work(low, part, inside) for part in arguments),
        (typed.generic_end, (node, len(arguments), mark)),
    )


def _array(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    element = node.child_by_field_name("element")
    if element is None:
        typed.anything(low, node)
        return
    low.push(type_work(low, element, mark), *typed.arrays(node, dimensions(node)))


def dimensions(node: Node) -> int:
    """How many `[]` stand behind a name or type."""
    found = node.child_by_field_name("dimensions")
    return 0 if found is None else sum(child.type == "[" for child in found.children)


def _wildcard(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    found = [child for child in kids(node) if child.type not in ANNOTATIONS]
    words = {child.type for child in node.children}
    if not found or found[-1].type == "super":
        low.constant(Const.OTHER, b"?", node)
    else:
        low.push(
            type_work(low, found[-1], mark),
            (_lower_bound if "super" in words else _upper_bound, node),
        )


_upper_bound = typed.wrapped(b"extends")
_lower_bound = typed.wrapped(b"super")


def _annotated(low: Writer, work: tuple[Node, int]) -> None:
    node, mark = work
    found = kids(node)
    low.push(
        *(
            part
            for child in found
            if child.type in ANNOTATIONS
            for part in ((low.handlers[child.kind_id], child), (drop, None))
        ),
        *(type_work(low, child, mark) for child in found if child.type not in ANNOTATIONS),
    )


ANNOTATIONS = frozenset({"annotation", "marker_annotation"})


def type_mentioned(low: Writer, node: Node) -> None:
    """A type where an expression stands."""
    typed.visit_type(low, node, MENTIONED)


def _type_of_pattern(low: Writer, work: tuple[Node, int]) -> None:
    """A name of a type that the grammar has as an identifier."""
    typed.named_type(low, work)


TYPES: dict[str, Handler] = {
    "type_identifier": typed.named_type,
    "identifier": _type_of_pattern,
    "scoped_type_identifier": _scoped,
    "scoped_identifier": _scoped,
    "generic_type": _generic,
    "array_type": _array,
    "integral_type": typed.primitive,
    "floating_point_type": typed.primitive,
    "boolean_type": typed.primitive,
    "void_type": typed.primitive,
    "wildcard": _wildcard,
    "annotated_type": _annotated,
}

# ------------------------------------------------------------------------------ names, calls


def _field_access(low: Writer, node: Node) -> None:
    owner, name = node.child_by_field_name("object"), node.child_by_field_name("field")
    if owner is None or name is None:
        typed.anything(low, node)
        return
    through = [child for child in node.children if child.type == "super" and child != owner]
    low.push(
        (low.handlers[owner.kind_id], owner),
        *((typed.attribute, child) for child in through[:1]),
        (typed.attribute, name),
    )


def _invocation(low: Writer, node: Node) -> None:
    owner, name = node.child_by_field_name("object"), node.child_by_field_name("name")
    passed = node.child_by_field_name("arguments")
    if name is None or passed is None:
        typed.anything(low, node)
        return
    arguments = kids(passed)
    given = node.child_by_field_name("type_arguments")
    work: Work = [part for child in _list(given) for part in (_mention(low, child), (drop, None))]
    if owner is None:
        work.append((typed.load, name))
    else:
        work.append((low.handlers[owner.kind_id], owner))
        through = [child for child in node.children if child.type == "super" and child != owner]
        work += [(typed.attribute, child) for child in through[:1]]
        work.append((typed.attribute, name))
    work += [(low.handlers[child.kind_id], child) for child in arguments]
    low.push(*work, (typed.call_end, (node, len(arguments))))


def _list(node: Node | None) -> list[Node]:
    return [] if node is None else kids(node)


def _mention(low: Writer, node: Node) -> tuple[Handler, object]:
    return type_work(low, node, MENTIONED)


def _creation(low: Writer, node: Node) -> None:
    made, passed = node.child_by_field_name("type"), node.child_by_field_name("arguments")
    if made is None or passed is None:
        typed.anything(low, node)
        return
    arguments = kids(passed)
    body = next((child for child in kids(node) if child.type == "class_body"), None)
    outer = node.named_children[0]
    work: Work
    if outer != made and outer.end_byte <= made.start_byte and outer.type not in _BEFORE:
        inside = kids(made)[0] if made.type == "generic_type" and kids(made) else made
        work = [
            (low.handlers[outer.kind_id], outer),
            (typed.attribute_marked, (inside, QUALIFIER)),
        ]
    else:
        work = [type_work(low, made, QUALIFIER)]
    if body is not None:
        work.append((_anonymous, (node, made, body)))
    work += [(low.handlers[child.kind_id], child) for child in arguments]
    low.push(*work, (typed.new_end, (node, len(arguments))))


_BEFORE = ANNOTATIONS | {"type_arguments"}


def _anonymous(low: Writer, work: tuple[Node, Node, Node]) -> None:
    """A class without a name, of the type that is the last value."""
    node, made, body = work
    name = b"`<anonymous%d>`" % ordinal(low)
    start = made.start_byte
    typed.defined(
        low,
        typed.Definition(node, ScopeKind.CLASS, name, start, 0, typed.parts, body, bases=(0,)),
    )


def ordinal(low: Writer) -> int:
    """The number of the next thing without a name in this scope."""
    number = low.lambdas[low.scope] = low.lambdas.get(low.scope, 0) + 1
    return number


def _array_creation(low: Writer, node: Node) -> None:
    made = node.child_by_field_name("type")
    if made is None:
        typed.anything(low, node)
        return
    work: Work = []
    depth = 0
    value = node.child_by_field_name("value")
    for child in kids(node):
        if child.type == "dimensions_expr":
            depth += 1
            work += [part for each in kids(child) for part in typed.dropped(low, each)]
        elif child.type == "dimensions":
            depth += sum(each.type == "[" for each in child.children)
    elements = kids(value) if value is not None else []
    work += [(low.handlers[child.kind_id], child) for child in elements]
    work += [(typed.make_list, (node, len(elements))), _mention(low, made)]
    low.push(*work, *typed.arrays(made, depth), (typed.narrow_end, node))


def _array_initializer(low: Writer, node: Node) -> None:
    found = kids(node)
    low.push(
        *((low.handlers[child.kind_id], child) for child in found),
        (typed.make_list, (node, len(found))),
    )


def _array_access(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        typed.anything(low, node)
        return
    low.todo.append((_item_end, node))
    low.visit_all(found)


def _item_end(low: Writer, node: Node) -> None:
    key, value = low.values.pop(), low.values.pop()
    low.values.append(low.emit(Op.GETITEM, value, key, -1, *node.byte_range))


# ------------------------------------------------------------------------------ functions


def _lambda(low: Writer, node: Node) -> None:
    listed, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    if listed is None or body is None:
        typed.anything(low, node)
        return
    if listed.type == "identifier":
        parameters = [_untyped(low, listed)]
    elif listed.type == "inferred_parameters":
        parameters = [_untyped(low, child) for child in kids(listed)]
    else:
        parameters = parameters_of(low, listed)
    name = b"%d" % ordinal(low)
    handler = low.statements[body.kind_id] if body.type == "block" else typed.body_value
    made = typed.Definition(
        node, ScopeKind.LAMBDA, name, node.start_byte, 0, handler, body, parameters
    )
    low.push(*typed.visit_parameters(low, parameters, DECLARED), (typed.defined, made))


def _untyped(low: Writer, node: Node) -> typed.Parameter:
    return typed.Parameter(Param.PLAIN, text_of(low, node), node.start_byte, None)


def parameters_of(low: Writer, node: Node) -> list[typed.Parameter]:
    """The parameters of a list, without the receiver `this`."""
    found: list[typed.Parameter] = []
    for child in kids(node):
        if child.type == "formal_parameter":
            kind = child.child_by_field_name("type")
            name = child.child_by_field_name("name")
            if name is not None and name.start_byte == name.end_byte:  # `(int a, b) ->` is broken
                name = None
            if name is not None and text_of(low, name) != b"this":
                given = None if kind is None or text_of(low, kind) == b"var" else kind
                found.append(
                    typed.Parameter(Param.PLAIN, text_of(low, name), name.start_byte, given, [])
                )
        elif child.type == "spread_parameter":
            names = [each for each in kids(child) if each.type == "variable_declarator"]
            types = [each for each in kids(child) if each.type in TYPES]
            if names and types:
                start = names[0].start_byte
                found.append(typed.Parameter(Param.STAR, text_of(low, names[0]), start, types[0]))
    return found


def _method_reference(low: Writer, node: Node) -> None:
    found = [child for child in node.children if child.type not in {"::", "type_arguments"}]
    found = [child for child in found if not child.is_extra]
    if len(found) == 1:  # the grammar has `Foo::new` with `new` as a token
        found = [child for child in node.children if child.type not in {"::", "type_arguments"}]
    if len(found) != 2:
        typed.anything(low, node)
        return
    owner, name = found
    work = (
        _mention(low, owner)
        if owner.type in TYPES and owner.type != "identifier"
        else (low.handlers[owner.kind_id], owner)
    )
    low.push(work, (typed.attribute_marked, (name, REFERENCE)))


# ------------------------------------------------------------------------------ operators


def _binary(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    word = node.child_by_field_name("operator")
    if left is None or right is None or word is None:
        typed.anything(low, node)
        return
    low.push(
        (low.handlers[left.kind_id], left),
        (low.handlers[right.kind_id], right),
        (typed.binary_end, (node, text_of(low, word))),
    )


def _unary(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 1:
        typed.anything(low, node)
        return
    word = text_of(low, node.children[0])
    low.push((low.handlers[found[0].kind_id], found[0]), (typed.unary_end, (node, word)))


def _update(low: Writer, node: Node) -> None:
    """`x++`: the variable gets what is one more; the value is a number either way."""
    found = kids(node)
    if len(found) != 1:
        typed.anything(low, node)
        return
    word = next(text_of(low, each)[:1] for each in node.children if not each.is_named)
    _changed(low, found[0], [(_one, node), (typed.binary_end, (node, word))])


def _one(low: Writer, node: Node) -> None:
    low.constant(Const.INT, b"1", node)


def _changed(low: Writer, left: Node, work: Work) -> None:
    """Assign what `work` makes of the value that is there (the last one)."""
    while left.type == "parenthesized_expression" and len(kids(left)) == 1:
        left = kids(left)[0]
    if left.type == "identifier":
        low.push((typed.load, left), *work, (_stored, left))
    elif left.type == "field_access" and len(found := _access(left)) == 2:
        owner, name = found
        low.push(
            (low.handlers[owner.kind_id], owner), (_again, 1), (typed.attribute, name),
            *work, (_attribute_set, name),
        )  # fmt: skip
    elif left.type == "array_access" and len(kids(left)) == 2:
        owner, key = kids(left)
        low.push(
            (low.handlers[owner.kind_id], owner), (low.handlers[key.kind_id], key), (_again, 2),
            (_item_end, left), *work, (_item_set, left),
        )  # fmt: skip
    else:
        low.push((low.handlers[left.kind_id], left), *work)


def _again(low: Writer, count: int) -> None:
    """The last values once more."""
    low.values += low.values[-count:]


def _ternary(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 3:
        typed.anything(low, node)
        return
    low.push(
        *((low.handlers[each.kind_id], each) for each in found),
        (typed.choice_end, node),
    )


def _cast(low: Writer, node: Node) -> None:
    kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    if kind is None or value is None:
        typed.anything(low, node)
        return
    low.push((low.handlers[value.kind_id], value), _mention(low, kind), (typed.narrow_end, node))


def _class_literal(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 1:
        typed.anything(low, node)
        return
    low.push(_mention(low, found[0]), (_class_object, node))


def _class_object(low: Writer, node: Node) -> None:
    name = low.name(b"class")
    low.values.append(low.emit(Op.GETATTR, low.values.pop(), name, -1, *node.byte_range))


def _assignment(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    word = node.child_by_field_name("operator")
    if left is None or right is None or word is None:
        typed.anything(low, node)
        return
    value = (low.handlers[right.kind_id], right)
    if text_of(low, word) != b"=":
        operator = text_of(low, word)[:-1]
        _changed(low, left, [value, (typed.binary_end, (node, operator))])
        return
    while left.type == "parenthesized_expression" and len(kids(left)) == 1:
        left = kids(left)[0]
    if left.type == "identifier":
        low.push(value, (_stored, left))
    elif left.type == "field_access" and len(found := _access(left)) == 2:
        low.push((low.handlers[found[0].kind_id], found[0]), value, (_attribute_set, found[1]))
    elif left.type == "array_access" and len(kids(left)) == 2:
        owner, key = kids(left)
        low.push(
            (low.handlers[owner.kind_id], owner),
            (low.handlers[key.kind_id], key),
            value,
            (_item_set, left),
        )
    else:
        low.push(*typed.dropped(low, left), value)


def _access(node: Node) -> list[Node]:
    owner, name = node.child_by_field_name("object"), node.child_by_field_name("field")
    return [part for part in (owner, name) if part is not None]


def _stored(low: Writer, name: Node) -> None:
    start, end = name.byte_range
    low.emit(Op.STORE, low.name(low.text[start:end]), low.values[-1], ASSIGNS, start, end)


def _attribute_set(low: Writer, name: Node) -> None:
    value, owner = low.values.pop(), low.values.pop()
    low.emit(Op.SETATTR, owner, low.name(text_of(low, name)), value, *name.byte_range)
    low.values.append(value)


def _item_set(low: Writer, node: Node) -> None:
    value, key, owner = low.values.pop(), low.values.pop(), low.values.pop()
    low.emit(Op.SETITEM, owner, key, value, *node.byte_range)
    low.values.append(value)


# ------------------------------------------------------------------------------ patterns


def _instance_of(low: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    pattern, name = node.child_by_field_name("pattern"), node.child_by_field_name("name")
    if left is None or (right is None and pattern is None):
        typed.anything(low, node)
        return
    work: Work = [(low.handlers[left.kind_id], left)]
    if pattern is not None:
        work.append((match, pattern))
    elif right is not None:
        work += [_mention(low, right), (_bind_instance, (node, name))]
    low.push(*work, (drop, None), (_truth, node))


def _truth(low: Writer, node: Node) -> None:
    low.constant(Const.BOOL, None, node)


def _bind_instance(low: Writer, work: tuple[Node, Node | None]) -> None:
    """The last value is of the type behind it; bind the name, keep the value."""
    node, name = work
    kind = low.values.pop()
    if name is not None:
        low.values.append(low.emit(Op.NARROW, low.values[-1], kind, -1, *node.byte_range))
        typed.declare(low, (name, node, kind, True))


def match(low: Writer, node: Node) -> None:
    """A pattern is matched against the last value, which stays."""
    found = kids(node)
    if node.type == "record_pattern_body":
        for number, child in reversed(list(enumerate(found))):
            low.push((_component, (child, number, len(found))), (match, child), (drop, None))
    elif node.type == "pattern" or node.type == "record_pattern_component":
        if node.type == "record_pattern_component" and len(found) == 2:
            _bound(low, node, found)
        else:
            low.push(*((match, child) for child in found))
    elif node.type == "type_pattern" and len(found) >= 2:
        _bound(low, node, found[-2:])
    elif node.type == "record_pattern" and len(found) == 2:
        low.push(
            (_subject, node), _mention(low, found[0]), (_bind_instance, (node, None)),
            (match, found[1]), (drop, None),
        )  # fmt: skip
    elif node.type == "modifiers":
        return
    elif node.type not in _NO_VALUES:
        low.push(*typed.dropped(low, node))


def _subject(low: Writer, _: Node) -> None:
    """Once more what a pattern is matched against."""
    low.values.append(low.values[-1])


def _component(low: Writer, work: tuple[Node, int, int]) -> None:
    node, number, count = work
    low.values.append(low.emit(Op.ELEMENT, low.values[-1], number, count, *node.byte_range))


_NO_VALUES = frozenset({"underscore_pattern", "default"})


def _bound(low: Writer, node: Node, found: list[Node]) -> None:
    kind, name = found
    if name.type != "identifier":
        low.push((match, name))
    elif kind.type == "type_identifier" and text_of(low, kind) == b"var":
        low.push((_subject, node), (typed.declare, (name, node, -1, True)))
    else:
        low.push((_subject, node), type_work(low, kind, DECLARED), (_bind_typed, (node, name)))


def _bind_typed(low: Writer, work: tuple[Node, Node]) -> None:
    node, name = work
    _bind_instance(low, (node, name))
    low.values.pop()


# ------------------------------------------------------------------------------ switch


def _switch(low: Writer, node: Node) -> None:
    """A switch as an expression: one of the values of its rules."""
    body = node.child_by_field_name("body")
    if body is None or low.text.find(b"yield", *body.byte_range) < 0:
        switch(low, node, keep=True)
        return
    low.blocks += 1
    given = b"yield#%d" % low.blocks
    start, end = node.byte_range
    nothing = low.emit(Op.CONST, Const.OTHER, -1, -1, start, end)
    low.emit(Op.STORE, low.name(given), nothing, -1, start, start)
    outside = low.renamed
    low.renamed = {**outside, _YIELD: given}
    low.push((_yielding, node), (_yielded, (node, given, outside)))


_YIELD = b"yield "
"""In the table of renamed variables: what `yield` sets, of the innermost switch that is an expression."""


def _yielding(low: Writer, node: Node) -> None:
    switch(low, node, keep=True)


def _yielded(low: Writer, work: tuple[Node, bytes, dict[bytes, bytes]]) -> None:
    """Whoever yields goes on here: the value is what the switch has, or what was yielded."""
    node, given, low.renamed = work
    start, end = node.byte_range
    low.emit(Op.LABEL, low.name(b"end of " + given), -1, -1, start, end)
    low.values.append(low.emit(Op.LOAD, low.name(given), -1, -1, start, end))
    typed.either_end(low, node)


def yielded(low: Writer, node: Node) -> None:
    """`yield` of a value leaves the switch around, whatever else stands in between."""
    found = kids(node)
    if len(found) != 1 or _YIELD not in low.renamed:
        typed.parts(low, node)
    else:
        low.push((low.handlers[found[0].kind_id], found[0]), (_yield_end, node))


def _yield_end(low: Writer, node: Node) -> None:
    given = low.renamed[_YIELD]
    low.emit(Op.STORE, low.name(given), low.values.pop(), -1, *node.byte_range)
    low.emit(Op.JUMP, low.name(b"end of " + given), -1, -1, *node.byte_range)


def switch(low: Writer, node: Node, *, keep: bool) -> None:
    """A switch; with `keep` its value is left. What is compared is compared before the ways part."""
    subject, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    if subject is None or body is None:
        (typed.anything if keep else typed.parts)(low, node)
        return
    tests: list[int] = []
    groups = kids(body)
    listed = [[label for label in kids(group) if label.type == "switch_label"] for group in groups]
    defaults = [n for n, labels in enumerate(listed) if any(_is_default(low, x) for x in labels)]
    last = bool(defaults) and defaults[-1] == len(groups) - 1
    work: Work = [(low.handlers[subject.kind_id], subject)]
    work += [(_compared, (group, tests)) for group in groups]
    if defaults and not last:
        work.append((_otherwise, (node, tests, defaults[-1])))
    work.append((typed.branch, (Branch.MATCH, node)))
    kept = 0
    for number, group in enumerate(groups):
        kind = Arm.ELSE if last and number == defaults[-1] else Arm.THEN
        work.append((_arm, (group, kind, tests, number)))
        work += [(_label, label) for label in listed[number]]
        for child in kids(group):
            if child.type == "switch_label":
                continue
            value = kids(child)
            if keep and child.type == "expression_statement" and len(value) == 1:
                work += [(low.handlers[value[0].kind_id], value[0]), (_swap, None)]
                kept += 1
            else:
                work.append(statement(low, child))
        if group.type == "switch_rule":
            work.append((_leave_rule, group))
    if defaults and not last:
        work.append((typed.arm, (Arm.ELSE, node)))
    work += [(close, node), (drop, None)]
    if keep:
        work += [(typed.either_end, node)] * (kept - 1) if kept else [(opaque, node)]
    low.push(*work)


def _leave_rule(low: Writer, node: Node) -> None:
    leave_at(low, Op.BREAK, node, None)


def _is_default(low: Writer, label: Node) -> bool:
    return b"default" in text_of(low, label)


def _compared(low: Writer, work: tuple[Node, list[int]]) -> None:
    """Whether the last value is one of the constants of a group, as far as all of them are known."""
    group, tests = work
    labels = [child for child in kids(group) if child.type == "switch_label"]
    parts = [part for label in labels for part in kids(label)]
    default = any(_is_default(low, label) for label in labels)
    if default or not parts or any(part.type not in _LITERALS for part in parts):
        tests.append(-1)
    else:
        low.push((_any_of, (group, tests, parts)))


_LITERALS = frozenset(
    {"string_literal", "decimal_integer_literal", "character_literal", "hex_integer_literal"}
)


def _any_of(low: Writer, work: tuple[Node, list[int], list[Node]]) -> None:
    _, tests, parts = work
    tests.append(-1)
    for part in reversed(parts):
        low.push((low.handlers[part.kind_id], part), (_test_end, (part, tests, low.values[-1])))


def _test_end(low: Writer, work: tuple[Node, list[int], int]) -> None:
    part, tests, subject = work
    word = low.name(b"==")
    test = low.emit(Op.OPERATE, subject, low.values.pop(), word, *part.byte_range)
    if tests[-1] >= 0:
        test = low.emit(Op.OPERATE, tests[-1], test, low.name(b"||"), *part.byte_range)
    tests[-1] = test


def _otherwise(low: Writer, work: tuple[Node, list[int], int]) -> None:
    """What a default between other groups is compared with: it is none of them."""
    node, tests, number = work
    others = [test for at, test in enumerate(tests) if at != number]
    if not others or min(others) < 0:
        return
    test = others[0]
    for other in others[1:]:
        test = low.emit(Op.OPERATE, test, other, low.name(b"||"), *node.byte_range)
    tests[number] = low.emit(Op.OPERATE, test, -1, low.name(b"!"), *node.byte_range)


def _arm(low: Writer, work: tuple[Node, Arm, list[int], int]) -> None:
    group, kind, tests, number = work
    test = tests[number] if kind is Arm.THEN else -1
    low.emit(Op.ARM, kind, test, -1, *group.byte_range)


def _swap(low: Writer, _: None) -> None:
    """Keep what is matched on top of what is kept."""
    low.values[-1], low.values[-2] = low.values[-2], low.values[-1]


def _label(low: Writer, node: Node) -> None:
    """Names of enum constants are constants; anything else is a pattern."""
    low.push(*((_label_part, child) for child in kids(node)))


def _label_part(low: Writer, node: Node) -> None:
    if node.type == "guard":
        low.push(*(part for child in kids(node) for part in typed.dropped(low, child)))
    elif node.type == "pattern":
        match(low, node)
    elif node.type not in {"identifier", "null_literal"} and node.type not in _LITERALS:
        low.push(*typed.dropped(low, node))


# ------------------------------------------------------------------------------ annotations


def _annotation(low: Writer, node: Node) -> None:
    """Leaves the type; the arguments are evaluated before it."""
    name, given = node.child_by_field_name("name"), node.child_by_field_name("arguments")
    if name is None:
        typed.anything(low, node)
        return
    work: Work = []
    for child in _list(given):
        found = kids(child)
        if child.type == "element_value_pair" and len(found) == 2:
            child = found[1]
        work += typed.dropped(low, child)
    low.push(*work, _mention(low, name))


EXPRESSIONS: dict[str, Handler] = {
    "identifier": typed.load,
    "this": typed.load,
    "super": typed.load,
    "field_access": _field_access,
    "scoped_identifier": type_mentioned,
    "method_invocation": _invocation,
    "object_creation_expression": _creation,
    "array_creation_expression": _array_creation,
    "array_initializer": _array_initializer,
    "element_value_array_initializer": _array_initializer,
    "array_access": _array_access,
    "lambda_expression": _lambda,
    "method_reference": _method_reference,
    "binary_expression": _binary,
    "unary_expression": _unary,
    "update_expression": _update,
    "ternary_expression": _ternary,
    "cast_expression": _cast,
    "class_literal": _class_literal,
    "assignment_expression": _assignment,
    "instanceof_expression": _instance_of,
    "parenthesized_expression": inner,
    "switch_expression": _switch,
    "annotation": _annotation,
    "marker_annotation": _annotation,
    "string_literal": typed.constant(Const.STR),
    "true": typed.constant(Const.BOOL),
    "false": typed.constant(Const.BOOL),
    "null_literal": typed.constant(Const.NONE),
    "character_literal": typed.constant(Const.OTHER),
    "decimal_floating_point_literal": typed.constant(Const.OTHER),
    "hex_floating_point_literal": typed.constant(Const.OTHER),
    **dict.fromkeys(
        (
            "decimal_integer_literal",
            "hex_integer_literal",
            "octal_integer_literal",
            "binary_integer_literal",
        ),
        typed.constant(Const.INT),
    ),
    **dict.fromkeys(
        ("type_identifier", "generic_type", "scoped_type_identifier", "array_type"),
        type_mentioned,
    ),
}

"""What binds names in Python: targets of assignments, loops, `with`, and the patterns of `match`."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from grainline.languages.lowering._python_expressions import key_of
from grainline.languages.lowering.base import Handler, Writer, anything, close, evaluate, kids
from grainline.model.ir import Make, Op, Port

if TYPE_CHECKING:
    from tree_sitter import Node

STORE, ELEMENT, MAKE = int(Op.STORE), int(Op.ELEMENT), int(Op.MAKE)


def assign(low: Writer, work: tuple[Node, int]) -> None:
    """Bind a target to a register."""
    target, value = work
    kind = target.type
    if kind == "identifier":
        number, start, end = low.variable(target)
        low.emit(STORE, number, value, -1, start, end)
    elif kind == "attribute":
        _assign_parts(low, target, value, _set_attribute)
    elif kind == "subscript":
        _assign_parts(low, target, value, _set_item)
    elif kind in _SEQUENCES:
        _unpack(low, target, value)
    elif kind in _WRAPPERS:
        for child in kids(target)[:1]:
            assign(low, (child, value)) if child.type == "identifier" else low.push(
                (assign, (child, value))
            )


_SEQUENCES = {"pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"}
_WRAPPERS = {"parenthesized_expression", "as_pattern_target", "list_splat_pattern", "list_splat"}


def _assign_parts(low: Writer, target: Node, value: int, end: Handler) -> None:
    found = kids(target)
    parts = found[:1] if target.type == "attribute" else found
    low.todo.append((end, (target, value, found)))
    low.visit_all(parts)


def _set_attribute(low: Writer, work: tuple[Node, int, list[Node]]) -> None:
    _, value, found = work
    start, end = found[-1].byte_range
    name = low.name(low.text[start:end])
    low.emit(Op.SETATTR, low.values.pop(), name, value, start, end)


def _set_item(low: Writer, work: tuple[Node, int, list[Node]]) -> None:
    target, value, found = work
    key = key_of(low, target, len(found) - 1)
    start, end = target.byte_range
    low.emit(Op.SETITEM, low.values.pop(), key, value, start, end)


def _unpack(low: Writer, target: Node, value: int) -> None:
    found = kids(target)
    star = next((at for at, child in enumerate(found) if "splat" in child.type), len(found))
    work: list[tuple[Handler, tuple[Node, int]]] = []
    for at, child in enumerate(found):
        start, end = child.byte_range
        if at == star:
            part = low.emit(Op.REST, value, at, len(found) - 1 - at, start, end)
        else:
            place = at if at < star else at - len(found)
            part = low.emit(ELEMENT, value, place, len(found), start, end)
        work.append((assign, (child, part)))
    low.push(*work)


def assign_fresh(low: Writer, work: tuple[Node, int]) -> None:
    """Bind the target of a comprehension, whose names are variables of its own."""
    target, _ = work
    open_ = [target]
    while open_:
        node = open_.pop()
        if node.type == "identifier":
            raw = low.text[node.start_byte : node.end_byte]
            low.blocks += 1
            low.renamed[raw] = b"%s#%d" % (raw, low.blocks)
        elif node.type in _SEQUENCES or node.type in _WRAPPERS:
            open_ += node.named_children
    assign(low, work)


def _comprehension(kind: Make) -> Handler:
    def comprehension(low: Writer, node: Node) -> None:
        found = kids(node)
        body, clauses = found[0], found[1:]
        pair = kids(body) if kind is Make.DICT and body.type == "pair" else [body]
        outside = low.renamed
        low.renamed = dict(outside)
        loops = sum(clause.type == "for_in_clause" for clause in clauses)
        low.todo.append((_comprehension_end, (node, kind, len(pair), loops, outside)))
        low.visit_all(pair)
        low.push(*((_CLAUSES.get(clause.type, evaluate), clause) for clause in clauses))

    return comprehension


def _comprehension_end(low: Writer, work: tuple[Node, Make, int, int, dict[bytes, bytes]]) -> None:
    node, kind, width, loops, low.renamed = work
    start, end = node.byte_range
    value = low.values.pop()
    port = (int(Port.EACH), -1, value)
    if width == 2:
        low.values.pop()
    first, count = low.write_ports([port])
    made = low.emit(MAKE, kind, first, count, start, end)
    for _ in range(loops):
        close(low, node)
    low.values.append(made)


def _for_in(low: Writer, node: Node) -> None:
    """`for x in y` of a comprehension; the region is closed by the comprehension."""
    found = kids(node)
    if len(found) < 2:
        low.push((begin_each, (node, node, assign_fresh)))
        anything(low, node)
        return
    low.push((begin_each, (node, found[0], assign_fresh)))
    low.visit(found[1])


def begin_each(low: Writer, work: tuple[Node, Node, Handler]) -> None:
    """Open a loop over the last value and bind its elements."""
    node, target, bind = work
    values = low.values.pop()
    low.open(Op.LOOP, -1, -1, node)
    start, end = target.byte_range
    asynchronous = int(bool(node.child_count) and node.children[0].type == "async")
    bind(low, (target, low.emit(Op.ITER, values, asynchronous, -1, start, end)))


def _if(low: Writer, node: Node) -> None:
    low.push(*((evaluate, child) for child in kids(node)[:1]))


_CLAUSES: dict[str, Handler] = {"for_in_clause": _for_in, "if_clause": _if}


def _named(low: Writer, node: Node) -> None:
    found = kids(node)
    if len(found) != 2:
        anything(low, node)
        return
    low.push((_named_end, found[0]))
    low.visit(found[1])


def _named_end(low: Writer, target: Node) -> None:
    """A walrus binds in the scope around comprehensions."""
    inside, low.renamed = low.renamed, {}
    assign(low, (target, low.values[-1]))
    low.renamed = inside


# ------------------------------------------------------------------------------ match


def match_pattern(low: Writer, work: tuple[Node, int]) -> None:
    """Bind what a pattern of `match` binds when it is matched with a register."""
    node, value = work
    kind = node.type
    found = kids(node)
    if kind == "dotted_name" and len(found) == 1:
        start, end = found[0].byte_range
        if low.text[start:end] != b"_":
            low.emit(STORE, low.name(low.text[start:end]), value, -1, start, end)
    elif kind in {"case_pattern", "union_pattern", "splat_pattern"}:
        low.push(*((match_pattern, (child, value)) for child in found))
    elif kind == "identifier":
        start, end = node.byte_range
        low.emit(STORE, low.name(low.text[start:end]), value, -1, start, end)
    elif kind == "as_pattern" and len(found) == 2:
        low.push((match_pattern, (found[0], value)), (_match_as, (found[1], found[0], value)))
    elif kind in {"list_pattern", "tuple_pattern"}:
        if kind == "tuple_pattern" and not any(each.type == "," for each in node.children):
            low.push(*((match_pattern, (child, value)) for child in found))
        else:
            _match_sequence(low, found, value)
    elif kind == "dict_pattern":
        low.push(*((_match_key, (key, held, value)) for key, held in _pairs(found)))
    elif kind == "class_pattern" and found:
        low.push((dotted, found[0]), (_match_class, (node, found[1:], value)))


def _match_as(low: Writer, work: tuple[Node, Node, int]) -> None:
    """`case A() as x`: the name is of the class that the pattern names."""
    name, pattern, value = work
    within = kids(pattern)[:1] if pattern.type == "case_pattern" else [pattern]
    if within and within[0].type == "class_pattern":
        low.push((dotted, kids(within[0])[0]), (_match_narrow, (name, value)))
    else:
        match_pattern(low, (name, value))


def _match_narrow(low: Writer, work: tuple[Node, int]) -> None:
    node, value = work
    start, end = node.byte_range
    match_pattern(low, (node, low.emit(Op.NARROW, value, low.values.pop(), -1, start, end)))


def _match_sequence(low: Writer, found: list[Node], value: int) -> None:
    work: list[tuple[Handler, tuple[Node, int]]] = []
    for at, child in enumerate(found):
        start, end = child.byte_range
        work.append((match_pattern, (child, low.emit(ELEMENT, value, at, len(found), start, end))))
    low.push(*work)


def _pairs(found: list[Node]) -> list[tuple[Node, Node]]:
    return [
        (key, held)
        for key, held in pairwise(found)
        if held.type == "case_pattern" and key.type != "case_pattern"
    ]


def _match_key(low: Writer, work: tuple[Node, Node, int]) -> None:
    key, held, value = work
    low.push((low.handlers[key.kind_id], key), (_match_item, (held, value)))


def _match_item(low: Writer, work: tuple[Node, int]) -> None:
    held, value = work
    start, end = held.byte_range
    part = low.emit(Op.GETITEM, value, low.values.pop(), -1, start, end)
    match_pattern(low, (held, part))


def _match_class(low: Writer, work: tuple[Node, list[Node], int]) -> None:
    node, patterns, value = work
    start, end = node.byte_range
    narrowed = low.emit(Op.NARROW, value, low.values.pop(), -1, start, end)
    for at, pattern in reversed([*enumerate(patterns)]):
        inside = kids(pattern)
        if inside and inside[0].type == "keyword_pattern":
            pair = kids(inside[0])
            if len(pair) == 2:
                low.push((_match_attribute, (pair[0], pair[1], narrowed)))
        else:
            start, end = pattern.byte_range
            part = low.emit(ELEMENT, narrowed, at, len(patterns), start, end)
            low.push((match_pattern, (pattern, part)))


def _match_attribute(low: Writer, work: tuple[Node, Node, int]) -> None:
    name, pattern, value = work
    start, end = name.byte_range
    part = low.emit(Op.GETATTR, value, low.name(low.text[start:end]), -1, start, end)
    match_pattern(low, (pattern, part))


def dotted(low: Writer, node: Node) -> None:
    """A dotted name as a value."""
    value = -1
    for child in kids(node) if node.type == "dotted_name" else [node]:
        start, end = child.byte_range
        name = low.name(low.text[start:end])
        if value < 0:
            value = low.emit(Op.LOAD, name, -1, -1, start, end)
        else:
            value = low.emit(Op.GETATTR, value, name, -1, start, end)
    if value < 0:
        anything(low, node)
    else:
        low.values.append(value)


EXPRESSIONS: dict[str, Handler] = {
    "named_expression": _named,
    "dotted_name": dotted,
    "list_comprehension": _comprehension(Make.LIST),
    "set_comprehension": _comprehension(Make.SET),
    "dictionary_comprehension": _comprehension(Make.DICT),
    "generator_expression": _comprehension(Make.GENERATOR),
}
STATEMENTS: dict[str, Handler] = {"if_clause": _if}

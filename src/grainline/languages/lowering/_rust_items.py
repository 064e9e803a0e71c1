"""Items of Rust: modules, imports, types, traits, implementations, constants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grainline.languages.lowering._rust_base import (
    Leaf,
    Space,
    field,
    leaves,
    load,
    names_of,
    rust,
)
from grainline.languages.lowering._rust_functions import (
    Head,
    function,
    head,
    type_parameters,
    visit_head,
)
from grainline.languages.lowering._rust_paths import bare, module, parts
from grainline.languages.lowering.base import Handler, Writer, kids
from grainline.languages.lowering.blocks import (
    GETATTR,
    STORE,
    Work,
    close_block,
    open_block,
)
from grainline.languages.lowering.names import Names
from grainline.model.ir import ABSTRACT, OP_WIDTH, Op, Port, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node


def items(low: Writer, node: Node) -> None:
    """The items of a file or module; what is none (in broken code) is evaluated."""
    statements = low.statements
    low.todo += [(statements[child.kind_id], child) for child in reversed(node.named_children)]


def file(low: Writer, node: Node) -> None:
    """A file: its items are known before the first is lowered."""
    state = rust(low)
    state.space.names.update(names_of(low, node.named_children))
    state.globs = b"::*" in low.text or b"*}" in low.text or b"*," in low.text
    items(low, node)


def store(low: Writer, name: Node, value: int) -> None:
    """Bind the name of an item: of the module, or of the block that has it already."""
    start, end = name.byte_range
    raw = low.text[start:end]
    low.emit(STORE, low.name(rust(low).locals.find(raw)), value, -1, start, end)


# ------------------------------------------------------------------------------ modules


def _module(low: Writer, node: Node) -> None:
    """A module of its own file is imported, an inline one is a class."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        return
    start, end = name.byte_range
    raw = low.text[start:end]
    state = rust(low)
    if body is None:
        path = b"::".join((b"self", *state.space.chain, raw))
        store(low, name, low.emit(Op.IMPORT, low.name(path), -1, 0, start, end))
        return
    scope = low.enter(ScopeKind.CLASS, low.name(raw), node, start, 0, -1)
    space = Space(state.space, (*state.space.chain, raw), scope)
    space.names.update(names_of(low, body.named_children))
    low.later(scope, _module_body, (body, space, state.locals.inside()), {})
    first, count = low.write_ports([])
    store(low, name, low.emit(Op.CLASS, scope, first, count, start, end))


def _module_body(low: Writer, work: tuple[Node, Space, Names]) -> None:
    body, space, names = work
    state = rust(low)
    state.space, state.locals = space, names
    for child in body.named_children:
        if child.type == "use_declaration":
            paths = [leaf.path for leaf in leaves(low, child)]
            space.open = space.open or [b"super", b"*"] in paths
    items(low, body)


def _use(low: Writer, node: Node) -> None:
    for leaf in leaves(low, node):
        _leaf(low, leaf)


def _leaf(low: Writer, leaf: Leaf) -> None:
    path, start, end = leaf.path, leaf.start, leaf.end
    space = rust(low).space
    above = 0
    while path[above : above + 1] == [b"super"] and space.above is not None:
        space = space.above
        above += 1
    inline = bool(space.chain) and path[above : above + 1] == [b"self"]
    local = above > 0 or inline or (len(path) > 1 and path[0] in rust(low).space.names)
    if path[-1] == b"*":
        if not local or path[0] in rust(low).space.names:
            whole = b"::".join(path[:-1]) or b"self"
            low.emit(Op.IMPORT, low.name(whole), low.name(b"*"), 0, start, end)
        return
    if local:
        if path[0] in (b"self", b"super"):
            module(low, path, start, end)
        else:
            load(low, path[0], start, end)
            for word in path[1:]:
                value = low.emit(GETATTR, low.values.pop(), low.name(word), -1, start, end)
                low.values.append(value)
        value = low.values.pop()
    elif len(path) == 1:
        value = low.emit(Op.IMPORT, low.name(path[0]), -1, 0, start, end)
    else:
        whole = b"::".join(path[:-1])
        value = low.emit(Op.IMPORT, low.name(whole), low.name(path[-1]), 0, start, end)
    if leaf.name is not None:
        number = low.name(rust(low).locals.find(leaf.name))
        low.emit(STORE, number, value, -1, start, end)


def _crate(low: Writer, node: Node) -> None:
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if name is None:
        return
    start, end = name.byte_range
    value = low.emit(Op.IMPORT, low.name(low.text[start:end]), -1, 0, start, end)
    store(low, alias or name, value)


# ------------------------------------------------------------------------------ functions


def _function(low: Writer, node: Node) -> None:
    known = head(node, attached=False)
    words = [each for each in _attributes(node) if _is_known(low, each)]
    low.push(*((_loaded, each) for each in words), (_begun, (known, len(words))))


def _begun(low: Writer, work: tuple[Head, int]) -> None:
    known, count = work
    first = len(low.values) - count
    decorators = low.values[first:]
    del low.values[first:]
    _begin_function(low, known, (_stored, (known, decorators)))


def _attributes(node: Node) -> list[Node]:
    """The paths of the attributes before an item, the first one first."""
    found: list[Node] = []
    before = node.prev_named_sibling
    while before is not None and before.type in _BETWEEN:
        inside = kids(before)[0] if before.type == "attribute_item" and kids(before) else None
        if inside is not None and kids(inside):
            found.append(kids(inside)[0])
        before = before.prev_named_sibling
    return found[::-1]


_BETWEEN = frozenset({"attribute_item", "line_comment", "block_comment"})


def _is_known(low: Writer, path: Node) -> bool:
    """Whether an attribute is something that the file brings in."""
    if path.type != "identifier":
        return False
    raw = rust(low).raw(path)
    return bool(rust(low).locals.known(raw)) or raw in rust(low).space.names


def _loaded(low: Writer, path: Node) -> None:
    load(low, rust(low).raw(path), *path.byte_range)


def _begin_function(low: Writer, known: Head, end: tuple[Handler, object]) -> None:
    low.push(
        (open_block, None),
        (type_parameters, known.node),
        (_visit, known),
        end,
        (close_block, None),
    )


def _visit(low: Writer, known: Head) -> None:
    visit_head(low, known)


def _stored(low: Writer, work: tuple[Head, list[int]]) -> None:
    known, decorators = work
    value = function(low, known, ScopeKind.FUNCTION)
    for decorator in decorators:
        at = decorator * OP_WIDTH
        low.emit(Op.DECORATE, decorator, value, -1, *low.ops[at + 4 : at + 6])
    if known.name is not None:
        store(low, known.name, value)


# ------------------------------------------------------------------------------ types


def _type(low: Writer, node: Node) -> None:
    """A structure, union or enumeration."""
    name = node.child_by_field_name("name")
    if name is not None:
        low.push(
            (open_block, None),
            (type_parameters, node),
            (_type_end, (node, name)),
            (close_block, None),
        )


def _type_end(low: Writer, work: tuple[Node, Node]) -> None:
    node, name = work
    store(low, name, _class(low, node, name, [], 0))


def _class(low: Writer, node: Node, name: Node, bases: list[int], flags: int) -> int:
    start, end = name.byte_range
    scope = low.enter(ScopeKind.CLASS, low.name(low.text[start:end]), node, start, flags, -1)
    state = rust(low)
    body = node.child_by_field_name("body")
    low.later(scope, _members, (body, state.locals.inside(), state.space, name), {})
    first, count = low.write_ports([(int(Port.POSITIONAL), -1, base) for base in bases])
    return low.emit(Op.CLASS, scope, first, count, start, end)


def _members(low: Writer, work: tuple[Node | None, Names, Space, Node]) -> None:
    body, names, space, owner = work
    state = rust(low)
    state.locals, state.space = names, space
    if body is None:
        return
    if body.type == "declaration_list":  # of a trait
        items(low, body)
    elif body.type == "enum_variant_list":
        found = [child for child in kids(body) if child.type == "enum_variant"]
        low.push(*((_variant, (child, owner)) for child in found))
    elif body.type == "field_declaration_list":
        low.push(*((_field, child) for child in kids(body) if child.type == "field_declaration"))
    else:
        found = [child for child in parts(body) if child.type != "attribute_item"]
        work_: Work = []
        for at, child in enumerate(found):
            work_ += [
                (low.handlers[child.kind_id], child),
                (_field_end, (child, field(b"%d" % at))),
            ]
        low.push(*work_)


def _field(low: Writer, node: Node) -> None:
    name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is not None and kind is not None:
        raw = field(rust(low).raw(name))
        low.push((low.handlers[kind.kind_id], kind), (_field_end, (name, raw)))


def _field_end(low: Writer, work: tuple[Node, bytes]) -> None:
    node, raw = work
    low.emit(Op.ANNOTATE, low.name(raw), low.values.pop(), -1, *node.byte_range)


def _variant(low: Writer, work: tuple[Node, Node]) -> None:
    """A variant is a class below its enumeration."""
    node, owner = work
    name = node.child_by_field_name("name")
    if name is None:
        return
    load(low, rust(low).raw(owner), *owner.byte_range)
    value = _class(low, node, name, [low.values.pop()], 0)
    start, end = name.byte_range
    low.emit(STORE, low.name(low.text[start:end]), value, -1, start, end)


def _alias(low: Writer, node: Node) -> None:
    name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is not None and kind is not None:
        low.push(
            (open_block, None),
            (type_parameters, node),
            (low.handlers[kind.kind_id], kind),
            (close_block, None),
            (_alias_end, name),
        )


def _alias_end(low: Writer, name: Node) -> None:
    store(low, name, low.values.pop())


def _constant(low: Writer, node: Node) -> None:
    name, kind, value = (node.child_by_field_name(each) for each in ("name", "type", "value"))
    if name is None:
        return
    given = [each for each in (kind, value) if each is not None]
    low.push(
        *((low.handlers[each.kind_id], each) for each in given),
        (_constant_end, (name, kind is not None, value is not None)),
    )


def _constant_end(low: Writer, work: tuple[Node, bool, bool]) -> None:
    name, typed, given = work
    value = low.values.pop() if given else -1
    kind = low.values.pop() if typed else -1
    start, end = name.byte_range
    if kind >= 0:
        number = low.name(rust(low).locals.find(low.text[start:end]))
        low.emit(Op.ANNOTATE, number, kind, -1, start, end)
    if value >= 0:
        store(low, name, value)


# ------------------------------------------------------------------------------ traits


def _trait(low: Writer, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        return
    listed = node.child_by_field_name("bounds")
    bounds = [bare(each) for each in parts(listed)] if listed is not None else []
    low.push(
        (open_block, None),
        (type_parameters, node),
        (_trait_self, name),
        *((low.handlers[each.kind_id], each) for each in bounds),
        (_trait_end, (node, name, len(bounds))),
        (close_block, None),
    )


def _trait_self(low: Writer, name: Node) -> None:
    del name
    rust(low).fresh(b"Self")


def _trait_end(low: Writer, work: tuple[Node, Node, int]) -> None:
    node, name, count = work
    first = len(low.values) - count
    bases = low.values[first:]
    del low.values[first:]
    own = low.name(rust(low).locals.find(b"Self"))
    value = _class(low, node, name, bases, ABSTRACT)
    low.emit(STORE, own, value, -1, *name.byte_range)
    store(low, name, value)


def _implementation(low: Writer, node: Node) -> None:
    """Members are attached to the type; the trait is one of its bases."""
    kind, trait, body = (node.child_by_field_name(each) for each in ("type", "trait", "body"))
    if kind is None:
        return
    kind = bare(kind)
    steps: Work = [
        (open_block, None),
        (type_parameters, node),
        (low.handlers[kind.kind_id], kind),
        (_own, kind),
    ]
    if trait is not None:
        trait = bare(trait)
        steps += [(low.handlers[trait.kind_id], trait), (_implements, trait)]
    for child in kids(body) if body is not None else ():
        if child.type in _MEMBERS:
            steps.append((_MEMBERS[child.type], child))
    low.push(*steps, (close_block, None))


def _own(low: Writer, node: Node) -> None:
    """`Self` is the type, without its arguments."""
    value = low.values.pop()
    low.emit(STORE, rust(low).fresh(b"Self"), value, -1, *node.byte_range)


def _implements(low: Writer, node: Node) -> None:
    trait = low.values.pop()
    _attach(low, b"", trait, node)


def _attach(low: Writer, name: bytes, value: int, node: Node) -> None:
    start, end = node.byte_range
    load(low, b"Self", start, end)
    low.emit(Op.ATTACH, low.values.pop(), low.name(name), value, start, end)


def _method(low: Writer, node: Node) -> None:
    known = head(node, attached=True)
    _begin_function(low, known, (_attached, known))


def _attached(low: Writer, known: Head) -> None:
    value = function(low, known, ScopeKind.FUNCTION)
    if known.name is not None:
        _attach(low, rust(low).raw(known.name), value, known.name)


def _member_type(low: Writer, node: Node) -> None:
    name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is not None and kind is not None:
        low.push((low.handlers[kind.kind_id], kind), (_member_end, name))


def _member_end(low: Writer, name: Node) -> None:
    _attach(low, rust(low).raw(name), low.values.pop(), name)


def _member_constant(low: Writer, node: Node) -> None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is not None and value is not None:
        low.push((low.handlers[value.kind_id], value), (_member_end, name))


_MEMBERS: dict[str, Handler] = {
    "function_item": _method,
    "type_item": _member_type,
    "const_item": _member_constant,
}


def _foreign(low: Writer, node: Node) -> None:
    low.push(*((items, child) for child in kids(node) if child.type == "declaration_list"))


def _ignored(low: Writer, node: Node) -> None:
    del low, node


STATEMENTS: dict[str, Handler] = {
    "source_file": file,
    "declaration_list": items,
    "mod_item": _module,
    "use_declaration": _use,
    "extern_crate_declaration": _crate,
    "function_item": _function,
    "function_signature_item": _function,
    "struct_item": _type,
    "union_item": _type,
    "enum_item": _type,
    "type_item": _alias,
    "const_item": _constant,
    "static_item": _constant,
    "trait_item": _trait,
    "impl_item": _implementation,
    "foreign_mod_item": _foreign,
    **dict.fromkeys(
        ["macro_definition", "attribute_item", "inner_attribute_item", "associated_type",
         "line_comment", "block_comment", "shebang"],
        _ignored,
    ),
}  # fmt: skip

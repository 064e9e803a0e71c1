"""The machine of lowering Rust: inline modules are classes, names in them are paths of the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, cast

from grainline.languages.lowering.base import Tables, Writer, kids
from grainline.languages.lowering.blocks import GETATTR, LOAD, BlockWriter
from grainline.model.ir import Const, Op

if TYPE_CHECKING:
    from tree_sitter import Language, Node


class Space:
    """The file or an inline module: the names that its items bind, and how the file reaches it."""

    __slots__ = ("above", "chain", "names", "open", "scope")

    def __init__(self, above: Space | None, chain: tuple[bytes, ...], scope: int) -> None:
        self.above = above
        self.chain = chain
        self.scope = scope
        self.names: set[bytes] = set()
        self.open = False
        """Whether it takes all names of the one above (`use super::*`)."""


class Around(NamedTuple):
    """A loop, or a block with a label, around what is lowered.

    `variable` takes the value that it is left with, -1 where that is forgotten; `jump` is the
    label behind a block, -1 for a loop.
    """

    label: bytes | None
    variable: int
    jump: int


def label_of(low: Writer, node: Node) -> bytes | None:
    """The label that stands in a loop, a block or a `break`."""
    found = next((each for each in node.named_children if each.type == "label"), None)
    return None if found is None else low.text[found.start_byte : found.end_byte]


class RustWriter(BlockWriter):
    """The state of lowering one file of Rust.

    `homes`: variables that belong to an inline module, which functions in it reach by a path.
    `globs`: whether a name may come from a glob, so that it need not be a crate. `language` is
    what parses the inside of macros, `nesting` how many of them stand around.
    """

    __slots__ = ("around", "globs", "homes", "language", "nesting", "space")

    def __init__(self, text: bytes, tables: Tables, language: Language | None = None) -> None:
        super().__init__(text, tables)
        self.language = language
        self.nesting = 0
        self.space = Space(None, (), 0)
        self.homes: dict[bytes, Space] = {}
        self.globs = False
        self.around: list[Around] = []

    def left_by(self, node: Node) -> Around:
        """The loop or block that a `break` leaves."""
        label = label_of(self, node)
        found = (each for each in reversed(self.around)
                 if (each.jump < 0 if label is None else each.label == label))  # fmt: skip
        return next(found, Around(None, -1, -1))

    def fresh(self, raw: bytes) -> int:
        """The number of a new variable that is called `raw` from here on."""
        number = super().fresh(raw)
        if self.space.above is not None and self.space.scope == self.scope:
            self.homes[self.locals.find(raw)] = self.space
        return number


def rust(low: Writer) -> RustWriter:
    """The machine as what it is."""
    return cast("RustWriter", low)


def load(low: Writer, raw: bytes, start: int, end: int, *, first: bool = False) -> None:
    """Push what a name means here; `first`: a path follows, so it may be a crate."""
    state = rust(low)
    known = state.locals.known(raw)
    if known:
        home = state.homes.get(known)
        if home is None:
            low.values.append(low.emit(LOAD, low.name(known), -1, -1, start, end))
        else:
            chain(low, (*home.chain, known), start, end)
        return
    space: Space | None = state.space
    while space is not None:
        if raw in space.names:
            chain(low, (*space.chain, raw), start, end)
            return
        space = space.above if space.open else None
    _unbound(low, raw, start, end, first=first)


def _unbound(low: Writer, raw: bytes, start: int, end: int, *, first: bool) -> None:
    """A crate, what a glob brings, or what the language has."""
    root = rust(low).space
    while root.above is not None:
        root = root.above
    if raw == b"None":
        low.values.append(low.emit(Op.CONST, Const.NONE, -1, -1, start, end))
        return
    crate = low.emit(Op.IMPORT, low.name(raw), -1, 0, start, end) if first else -1
    if first and not rust(low).globs:
        low.values.append(crate)
        return
    hidden = raw + b"#0" if raw in root.names else raw
    name = low.emit(LOAD, low.name(hidden), -1, -1, start, end)
    if first:
        name = low.emit(Op.EITHER, name, crate, -1, start, end)
    low.values.append(name)


def chain(low: Writer, words: tuple[bytes, ...], start: int, end: int) -> None:
    """Push a path from the scope of the file."""
    value = low.emit(LOAD, low.name(words[0]), -1, -1, start, end)
    for word in words[1:]:
        value = low.emit(GETATTR, value, low.name(word), -1, start, end)
    low.values.append(value)


def field(raw: bytes) -> bytes:
    """The name of a field: methods may have the same one."""
    return raw + b"#f"


# ------------------------------------------------------------------------------ what items bind

ITEMS = frozenset(
    {"function_item", "struct_item", "enum_item", "union_item", "trait_item", "type_item",
     "const_item", "static_item", "mod_item", "function_signature_item"}
)  # fmt: skip


def names_of(low: Writer, nodes: list[Node]) -> Iterator[bytes]:
    """The names that the items among `nodes` bind."""
    for node in nodes:
        if node.type in ITEMS:
            name = node.child_by_field_name("name")
            if name is not None:
                yield rust(low).raw(name)
        elif node.type == "use_declaration":
            for leaf in leaves(low, node):
                if leaf.name is not None:
                    yield leaf.name
        elif node.type == "extern_crate_declaration":
            name = node.child_by_field_name("alias") or node.child_by_field_name("name")
            if name is not None:
                yield rust(low).raw(name)
        elif node.type == "foreign_mod_item":
            yield from names_of(low, [part for each in kids(node) for part in kids(each)])


class Leaf:
    """One thing that a `use` brings: its path, the name it gets (None: a glob, or `_`), its place."""

    __slots__ = ("end", "name", "path", "start")

    def __init__(self, path: list[bytes], name: bytes | None, node: Node) -> None:
        self.path = path
        self.name = name
        self.start, self.end = node.byte_range


MAX_PATH = 64
"""Words of a path that are looked at."""


def words(low: Writer, node: Node) -> list[bytes]:
    """The words of a path."""
    found: list[bytes] = []
    at: Node | None = node
    while at is not None and len(found) < MAX_PATH:
        if at.type not in ("scoped_identifier", "scoped_type_identifier"):
            found.append(rust(low).raw(at))
            break
        name = at.child_by_field_name("name")
        if name is not None:
            found.append(rust(low).raw(name))
        at = at.child_by_field_name("path")
    return found[::-1]


def leaves(low: Writer, declaration: Node) -> list[Leaf]:
    """The leaves of a tree of `use`."""
    argument = declaration.child_by_field_name("argument")
    found: list[Leaf] = []
    open_: list[tuple[list[bytes], Node]] = [([], argument)] if argument is not None else []
    while open_:
        prefix, node = open_.pop()
        kind = node.type
        if kind == "use_list":
            open_ += [(prefix, child) for child in reversed(kids(node))]
        elif kind == "scoped_use_list":
            path, listed = node.child_by_field_name("path"), node.child_by_field_name("list")
            before = [*prefix, *(words(low, path) if path is not None else [])][:MAX_PATH]
            if listed is not None:
                open_.append((before, listed))
        elif kind == "use_as_clause":
            path, alias = node.child_by_field_name("path"), node.child_by_field_name("alias")
            if path is not None and alias is not None:
                raw = rust(low).raw(alias)
                whole = _selfless([*prefix, *words(low, path)])
                found.append(Leaf(whole, None if raw == b"_" else raw, path))
        elif kind == "use_wildcard":
            whole = [*prefix, *(words(low, kids(node)[0]) if kids(node) else [])]
            found.append(Leaf([*whole, b"*"], None, node))
        else:
            whole = _selfless([*prefix, *words(low, node)])
            if whole:
                found.append(Leaf(whole, whole[-1], node))
    return found


def _selfless(path: list[bytes]) -> list[bytes]:
    return path[:-1] if len(path) > 1 and path[-1] == b"self" else path

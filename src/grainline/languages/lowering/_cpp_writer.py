"""The machine of lowering C++: blocks, the namespace, and the parameters of templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from grainline.languages.lowering.base import Tables, Writer, kids
from grainline.languages.lowering.blocks import BlockWriter
from grainline.model.ir import Param, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node


class CppWriter(BlockWriter):
    """The state of lowering one file.

    `namespace` is the present one; `templates` holds the lists of parameters of the templates
    that what comes next is. `depth` counts blocks that stand outside of functions, as behind macros
    of tests: what they declare is theirs.
    """

    __slots__ = ("depth", "namespace", "templates")

    def __init__(self, text: bytes, tables: Tables) -> None:
        super().__init__(text, tables)
        self.namespace = b""
        self.depth = 0
        self.templates: list[Node] = []


def state(low: Writer) -> CppWriter:
    """The machine as what it is: these handlers run on no other."""
    return cast("CppWriter", low)


def take_templates(low: Writer) -> list[Node]:
    """The lists of parameters of the templates that this is; they are used up."""
    found = state(low).templates
    state(low).templates = []
    return found


def write_templates(low: Writer, lists: list[Node]) -> None:
    """A row for each parameter of templates, also for values: both hide names."""
    for listed in lists:
        for each in kids(listed):
            name = _template_name(each)
            if name is not None:
                number = low.name(state(low).raw(name))
                low.params += (Param.TYPE, number, -1, -1, each.start_byte)


def _template_name(node: Node) -> Node | None:
    at: Node | None = node
    for _ in range(8):
        if at is None or at.type in ("type_identifier", "identifier"):
            return at
        named = at.child_by_field_name("name") or at.child_by_field_name("declarator")
        if named is None:
            found = [child for child in kids(at) if child.type in _PLACES]
            named = found[-1] if found else None
        at = named
    return None


_PLACES = frozenset({
    "type_identifier", "identifier", "type_parameter_declaration", "variadic_declarator",
    "variadic_type_parameter_declaration", "optional_type_parameter_declaration",
    "reference_declarator", "pointer_declarator",
})  # fmt: skip


def scope_kind(low: Writer) -> int:
    """What the present scope is."""
    return low.scopes[low.scope][0]


def in_function(low: Writer) -> bool:
    """Whether the present scope is the body of a function."""
    return state(low).depth > 0 or scope_kind(low) in (ScopeKind.FUNCTION, ScopeKind.LAMBDA)


def in_class(low: Writer) -> bool:
    """Whether the present scope is a class."""
    return scope_kind(low) == ScopeKind.CLASS

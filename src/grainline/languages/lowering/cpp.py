"""C++: from the tree of tree-sitter-cpp to `FileIr`.

An `#include` is a star import, as in C; `using namespace` an EXPORT of `*`. Functions and classes
of a namespace are those of the module, behind the PACKAGE that says which: its parts are joined by
`::`, one without a name is `(anonymous)`, an inline one begins with `(inline)`. Broken code is left out: what
it seems to call may be something else.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from grainline.languages.lowering import _cpp_statements as statements
from grainline.languages.lowering._c_declarations import parts
from grainline.languages.lowering._cpp_writer import CppWriter
from grainline.languages.lowering.base import Tables, Writer, anything, opaque, tables
from grainline.model.ir import BROKEN, FileIr

if TYPE_CHECKING:
    from tree_sitter import Language, Node


def lower(root: Node, text: bytes, language: Language) -> FileIr:
    """The IR of `text`, whose tree is `root`. Never fails on source."""
    return CppWriter(text, _handlers(language)).run(root, _module)


def _module(low: Writer, root: Node) -> None:
    """A file in which a brace is lost may say of anything that it stands where it does not."""
    if root.has_error and _is_torn(root):
        low.scopes[0][-1] |= BROKEN
    parts(low, root)


def _is_torn(root: Node) -> bool:
    open_ = [root]
    while open_:
        for child in open_.pop().children:
            if child.is_missing and child.type == "}":
                return True
            if child.type == "ERROR" and (
                child.end_byte - child.start_byte > MAX_LOST
                or any(each.type in ("{", "}", "namespace") for each in child.children)
            ):
                return True
            if child.has_error and child.type in _AROUND:
                open_.append(child)
    return False


MAX_LOST = 400
"""Bytes of broken code between declarations that a file may have and still be believed."""
_AROUND = frozenset({
    "namespace_definition", "declaration_list", "linkage_specification", "preproc_if",
    "preproc_ifdef", "preproc_else", "preproc_elif", "template_declaration", "class_specifier",
    "struct_specifier", "field_declaration_list", "function_definition", "compound_statement",
})  # fmt: skip


@cache
def _handlers(language: Language) -> Tables:
    values, rest, kinds = tables(language, statements.EXPRESSIONS, statements.STATEMENTS, anything)
    values[-1] = opaque  # an error
    rest[-1] = _ignored
    return values, rest, kinds


def _ignored(low: Writer, node: Node) -> None:
    del low, node

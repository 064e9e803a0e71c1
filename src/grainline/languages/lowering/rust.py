"""Rust: from the tree of tree-sitter-rust to `FileIr`.

An inline module is a class whose items are its members; a module of its own file is imported. A
structure is a class with annotated fields (numbered ones are called `0`, `1`), an enumeration one
with its variants as classes below it, a trait an ABSTRACT one. Members of an `impl` are attached
to the type; ATTACH of the name "" attaches the trait as a base. Type parameters are variables
that hold their bounds.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from grainline.languages.lowering import _rust_control as control
from grainline.languages.lowering import _rust_expressions as expressions
from grainline.languages.lowering import _rust_functions as functions
from grainline.languages.lowering import _rust_items as items
from grainline.languages.lowering import _rust_paths as paths
from grainline.languages.lowering._rust_base import RustWriter
from grainline.languages.lowering.base import Tables, anything, tables
from grainline.model.ir import FileIr

if TYPE_CHECKING:
    from tree_sitter import Language, Node


def lower(root: Node, text: bytes, language: Language) -> FileIr:
    """The IR of `text`, whose tree is `root`. Never fails on source."""
    return RustWriter(text, _handlers(language), language).run(root, items.file)


@cache
def _handlers(language: Language) -> Tables:
    values = {
        kind: handler
        for room in (paths, expressions, control, functions)
        for kind, handler in room.EXPRESSIONS.items()
    }
    rest = {kind: handler for room in (control, items) for kind, handler in room.STATEMENTS.items()}
    return tables(language, values, rest, anything)

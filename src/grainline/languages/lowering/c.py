"""C: from the tree of tree-sitter-c to `FileIr`.

An `#include` is a star import. A prototype is an ABSTRACT function, a function with the flag
STATIC is seen by its file alone, a macro with parameters is a function without a body.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from grainline.languages.lowering import _c_declarations as declarations
from grainline.languages.lowering import _c_expressions as expressions
from grainline.languages.lowering import _c_types as types
from grainline.languages.lowering.base import Tables, anything, tables
from grainline.languages.lowering.blocks import BlockWriter
from grainline.model.ir import FileIr

if TYPE_CHECKING:
    from tree_sitter import Language, Node


def lower(root: Node, text: bytes, language: Language) -> FileIr:
    """The IR of `text`, whose tree is `root`. Never fails on source."""
    return BlockWriter(text, _handlers(language)).run(root, declarations.parts)


@cache
def _handlers(language: Language) -> Tables:
    values = {
        kind: handler for room in (types, expressions) for kind, handler in room.EXPRESSIONS.items()
    }
    return tables(language, values, declarations.STATEMENTS, anything)

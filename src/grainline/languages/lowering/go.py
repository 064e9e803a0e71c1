"""Go: from the tree of tree-sitter-go to `FileIr`.

A method is a function of the module with a receiver, attached to its type. A structure is a class whose annotated names are its
fields and whose bases are what it embeds; an interface is an ABSTRACT class, its methods are
ABSTRACT functions with a receiver that has no name. A type that is made of another one is a class with the
keyword `underlying`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from grainline.languages.lowering import _go_control as control
from grainline.languages.lowering import _go_definitions as definitions
from grainline.languages.lowering import _go_expressions as expressions
from grainline.languages.lowering import _go_literals as literals
from grainline.languages.lowering import _go_statements as statements
from grainline.languages.lowering import _go_types as types
from grainline.languages.lowering.base import Tables, anything, tables
from grainline.languages.lowering.blocks import BlockWriter
from grainline.model.ir import FileIr

if TYPE_CHECKING:
    from tree_sitter import Language, Node


def lower(root: Node, text: bytes, language: Language) -> FileIr:
    """The IR of `text`, whose tree is `root`. Never fails on source."""
    return BlockWriter(text, _handlers(language)).run(root, statements.parts)


@cache
def _handlers(language: Language) -> Tables:
    values = {
        kind: handler
        for room in (expressions, types, literals, definitions)
        for kind, handler in room.EXPRESSIONS.items()
    }
    rest = {
        kind: handler
        for room in (statements, control, definitions)
        for kind, handler in room.STATEMENTS.items()
    }
    return tables(language, values, rest, anything)

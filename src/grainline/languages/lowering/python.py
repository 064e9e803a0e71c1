"""Python: from the tree of tree-sitter-python to `FileIr`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from grainline.languages.lowering import _python_blocks as blocks
from grainline.languages.lowering import _python_constants as constants
from grainline.languages.lowering import _python_definitions as definitions
from grainline.languages.lowering import _python_expressions as expressions
from grainline.languages.lowering import _python_operators as operators
from grainline.languages.lowering import _python_patterns as patterns
from grainline.languages.lowering import _python_statements as statements
from grainline.languages.lowering.base import Tables, Writer, anything, tables
from grainline.model.ir import FileIr

if TYPE_CHECKING:
    from tree_sitter import Language, Node


def lower(root: Node, text: bytes, language: Language) -> FileIr:
    """The IR of `text`, whose tree is `root`. Never fails on source; linear in the nodes."""
    return Writer(text, _handlers(language)).run(root, statements.block)


@cache
def _handlers(language: Language) -> Tables:
    rooms = (expressions, operators, constants, patterns, statements, definitions)
    values = {kind: handler for room in rooms for kind, handler in room.EXPRESSIONS.items()}
    rest = {
        kind: handler
        for room in (patterns, statements, blocks, definitions)
        for kind, handler in room.STATEMENTS.items()
    }
    return tables(language, values, rest, anything)

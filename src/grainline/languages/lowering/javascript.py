"""JavaScript, TypeScript and TSX: from the trees of their grammars to `FileIr`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from grainline.languages.lowering import _javascript_expressions as expressions
from grainline.languages.lowering import _javascript_functions as functions
from grainline.languages.lowering import _javascript_modules as modules
from grainline.languages.lowering import _javascript_statements as statements
from grainline.languages.lowering import _javascript_types as types
from grainline.languages.lowering.base import Tables, Writer, anything, tables
from grainline.model.ir import FileIr

if TYPE_CHECKING:
    from tree_sitter import Language, Node


def lower(root: Node, text: bytes, language: Language) -> FileIr:
    """The IR of `text`, whose tree is `root`. Never fails on source; linear in the nodes."""
    return Writer(text, _handlers(language)).run(root, modules.module)


@cache
def _handlers(language: Language) -> Tables:
    values = {**types.EXPRESSIONS, **expressions.EXPRESSIONS, **functions.EXPRESSIONS}
    rest = {**statements.STATEMENTS, **functions.STATEMENTS, **modules.STATEMENTS}
    return tables(language, values, rest, anything)

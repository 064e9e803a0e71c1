"""Java: from the tree of tree-sitter-java to `FileIr`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from grainline.languages.lowering import _java_expressions as expressions
from grainline.languages.lowering import _java_statements as statements
from grainline.languages.lowering import _typed as typed
from grainline.languages.lowering.base import Tables, Writer, tables
from grainline.model.ir import FileIr

if TYPE_CHECKING:
    from tree_sitter import Language, Node


def lower(root: Node, text: bytes, language: Language) -> FileIr:
    """The IR of `text`, whose tree is `root`. Never fails on source; linear in the nodes."""
    return Writer(text, _handlers(language)).run(root, typed.parts)


@cache
def _handlers(language: Language) -> Tables:
    return tables(
        language,
        expressions.EXPRESSIONS,
        statements.STATEMENTS,
        typed.anything,
        expressions.TYPES,
        typed.unknown_type,
    )

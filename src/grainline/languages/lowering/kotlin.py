"""Kotlin: from the tree of tree-sitter-kotlin to `FileIr`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from grainline.languages.lowering import _kotlin_control as control
from grainline.languages.lowering import _kotlin_definitions as definitions
from grainline.languages.lowering import _kotlin_expressions as expressions
from grainline.languages.lowering import _kotlin_types as types
from grainline.languages.lowering import _typed as typed
from grainline.languages.lowering.base import Tables, Writer, tables
from grainline.model.ir import FileIr

if TYPE_CHECKING:
    from tree_sitter import Language, Node


def lower(root: Node, text: bytes, language: Language) -> FileIr:
    """The IR of `text`, whose tree is `root`. Never fails on source; linear in the nodes."""
    return Writer(text, _handlers(language)).run(root, definitions.DEFINITIONS["source_file"])


@cache
def _handlers(language: Language) -> Tables:
    return tables(
        language,
        {**expressions.EXPRESSIONS, **control.EXPRESSIONS, **definitions.EXPRESSIONS},
        {**control.STATEMENTS, **definitions.DEFINITIONS},
        typed.anything,
        types.TYPES,
        typed.unknown_type,
    )

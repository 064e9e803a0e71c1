"""C#: from the tree of tree-sitter-c-sharp to `FileIr`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from grainline.languages.lowering import _csharp_definitions as definitions
from grainline.languages.lowering import _csharp_expressions as expressions
from grainline.languages.lowering import _csharp_statements as statements
from grainline.languages.lowering import _csharp_types as types
from grainline.languages.lowering import _typed as typed
from grainline.languages.lowering.base import Tables, Writer, tables
from grainline.model.ir import FileIr

if TYPE_CHECKING:
    from tree_sitter import Language, Node


def lower(root: Node, text: bytes, language: Language) -> FileIr:
    """The IR of `text`, whose tree is `root`. Never fails on source; linear in the nodes."""
    return Writer(text, _handlers(language)).run(root, definitions.DEFINITIONS["compilation_unit"])


@cache
def _handlers(language: Language) -> Tables:
    made = tables(
        language,
        expressions.EXPRESSIONS,
        {**statements.STATEMENTS, **definitions.DEFINITIONS},
        typed.anything,
        types.TYPES,
        typed.unknown_type,
    )
    for word in ("this", "base"):  # no named nodes
        kind = language.id_for_node_kind(word, False)
        if kind is not None:
            made[0][kind] = expressions.EXPRESSIONS[word]
    return made

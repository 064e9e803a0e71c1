"""Ruby: from the tree of tree-sitter-ruby to `FileIr`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from grainline.languages.lowering import _ruby_calls as calls
from grainline.languages.lowering import _ruby_definitions as definitions
from grainline.languages.lowering import _ruby_expressions as expressions
from grainline.languages.lowering import _ruby_statements as statements
from grainline.languages.lowering._ruby_names import RubyWriter
from grainline.languages.lowering.base import Tables, anything, tables
from grainline.model.ir import FileIr

if TYPE_CHECKING:
    from tree_sitter import Language, Node


def lower(root: Node, text: bytes, language: Language) -> FileIr:
    """The IR of `text`, whose tree is `root`. Never fails on source; linear in the nodes."""
    return RubyWriter(text, _handlers(language)).run(root, definitions.module)


@cache
def _handlers(language: Language) -> Tables:
    values = {**expressions.EXPRESSIONS, **statements.EXPRESSIONS, **calls.EXPRESSIONS,
              **definitions.EXPRESSIONS}  # fmt: skip
    return tables(language, values, {}, anything)

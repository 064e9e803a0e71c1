"""JavaScript, with JSX."""

from __future__ import annotations

from grainline.languages import _javascript as shared
from grainline.languages.base import BOUND_KINDS, Grammar, LanguageSpec

_FIELD = """
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @field
(field_definition property: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression)]) @method
"""
_EXTRA = """
(class_heritage [(identifier) @ref.inherit
  (member_expression property: (property_identifier) @ref.inherit)])
"""

LANGUAGE = LanguageSpec(
    name="javascript",
    suffixes=(".js", ".mjs", ".cjs", ".jsx", ".es6"),
    file_names=("Jakefile",),
    interpreters=("node", "nodejs", "bun", "javascript"),
    grammar=Grammar("tree_sitter_javascript"),
    query=shared.query(member=_FIELD, extra=_EXTRA),
    definition_nodes=(
        "function_declaration",
        "generator_function_declaration",
        "class_declaration",
        "method_definition",
    ),
    refine=shared.refine,
    read_imports=shared.read_imports,
    rebinds=BOUND_KINDS,
    import_marker=shared.IMPORT_MARKER,
    receiver_separators=shared.RECEIVER_SEPARATORS,
    lower=shared.lower,
    ignored_receivers=shared.IGNORED_RECEIVERS,
)

"""YAML: the keys of the upper levels; anchors are never expanded."""

from __future__ import annotations

from grainline.languages.base import Grammar, LanguageSpec, as_captured

_PAIR = """(block_node (block_mapping (block_mapping_pair key: (flow_node
  [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @name)) @key))"""


def _under(pattern: str) -> str:
    return f"(block_node (block_mapping (block_mapping_pair value: {pattern})))"


_QUERY = f"""
(document {_PAIR})
(document {_under(_PAIR)})
(document {_under(_under(_PAIR))})
(comment) @comment
[(double_quote_scalar) (single_quote_scalar) (block_scalar)] @string
"""

LANGUAGE = LanguageSpec(
    name="yaml",
    suffixes=(".yaml", ".yml"),
    file_names=(".clang-format", ".clang-tidy", ".clangd", ".yamllint"),
    grammar=Grammar("tree_sitter_yaml"),
    query=_QUERY,
    refine=as_captured,
)

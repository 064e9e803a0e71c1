"""TOML: tables and their keys."""

from __future__ import annotations

from grainline.languages.base import Grammar, LanguageSpec, as_captured

_QUERY = """
(table . (_) @name) @table
(table_array_element . (_) @name) @table
(document (pair . (_) @name) @key)
(table (pair . (_) @name) @key)
(table_array_element (pair . (_) @name) @key)
(comment) @comment
(string) @string
"""

LANGUAGE = LanguageSpec(
    name="toml",
    suffixes=(".toml",),
    file_names=("Cargo.lock", "poetry.lock", "uv.lock", "Pipfile", "Gopkg.lock"),
    grammar=Grammar("tree_sitter_toml"),
    query=_QUERY,
    refine=as_captured,
)

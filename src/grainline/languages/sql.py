"""SQL: tables with columns, views, functions, types, triggers."""

from __future__ import annotations

from grainline.languages.base import Grammar, LanguageSpec, as_captured

_NAMED = "(object_reference name: (identifier) @name)"

_QUERY = f"""
(create_table . (_)* . {_NAMED}) @table
(create_view . (_)* . {_NAMED} . (_)* . (keyword_as)) @table
(create_materialized_view . (_)* . {_NAMED} . (_)* . (keyword_as)) @table
(create_function . (_)* . {_NAMED} . (function_arguments)) @function
(create_trigger . (_)* . (keyword_trigger) . {_NAMED}) @rule
(create_type . (_)* . (keyword_type) . {_NAMED}) @type
(create_table (column_definitions (column_definition name: (identifier) @name) @field))
(column_definitions) @body
(create_query) @body
(function_body) @body
(statement) @outer.single

[(comment) (marginalia)] @comment
(literal) @string

(relation (object_reference name: (identifier) @ref.type))
(insert (object_reference name: (identifier) @ref.type))
(invocation (object_reference name: (identifier) @ref.call))
"""

LANGUAGE = LanguageSpec(
    name="sql",
    suffixes=(".sql", ".ddl", ".pgsql", ".psql", ".plsql"),
    grammar=Grammar("tree_sitter_sql"),
    query=_QUERY,
    definition_nodes=("create_table", "create_function", "create_view"),
    refine=as_captured,
)

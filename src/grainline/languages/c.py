"""C."""

from __future__ import annotations

from grainline.languages import _c as shared
from grainline.languages.base import Grammar, LanguageSpec

_PLACES = (
    "translation_unit",
    "declaration_list",
    "preproc_ifdef",
    "preproc_if",
    "preproc_else",
    "preproc_elif",
)
_VARIABLE = (
    f"(declaration declarator: {shared.declarator('(identifier)', initialised=True)}) @variable"
)
_POINTER = shared.FUNCTION_POINTER.format(name="(identifier)")
_POINTER_VARIABLE = f"""(declaration declarator: [{_POINTER}
  (init_declarator declarator: {_POINTER})]) @variable"""
_DECLARED = f"(declaration declarator: {shared.function('(identifier) @name')}) @function"

_QUERY = f"""
(function_definition declarator: {shared.function("(identifier) @name")} body: (_) @body) @function
{shared.anywhere(_VARIABLE, _PLACES)}
{shared.anywhere(_POINTER_VARIABLE, _PLACES)}
{shared.anywhere(_DECLARED, _PLACES)}
{shared.QUERY}
"""

LANGUAGE = LanguageSpec(
    name="c",
    suffixes=(".c", ".h"),
    interpreters=("tcc",),
    grammar=Grammar("tree_sitter_c"),
    query=_QUERY,
    definition_nodes=("function_definition", "preproc_function_def"),
    read_imports=shared.read_imports,
    rebinds=shared.TYPE_REBINDS,
)

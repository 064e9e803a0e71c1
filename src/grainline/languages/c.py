"""C."""

from __future__ import annotations

from grainline.languages import _c as shared
from grainline.languages.base import Grammar, LanguageSpec
from grainline.languages.lowering.c import lower

_QUERY = f"""
(function_declarator declarator: (identifier) @name)
{shared.anywhere("(declaration) @variable", shared.PLACES)}
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
    lower=lower,
    rebinds=shared.TYPE_REBINDS,
)

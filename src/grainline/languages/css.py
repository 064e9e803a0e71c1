"""CSS: rules, keyframes, custom properties."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grainline.languages.base import Grammar, LanguageSpec, Owner
from grainline.model.symbol import Import, SymbolKind

_QUERY = """
(rule_set (selectors) @name (block) @body) @rule
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @rule
(at_rule (at_keyword) @name (block) @body) @rule
(declaration (property_name) @name) @variable
[(comment) (js_comment)] @comment
(string_value) @string
(import_statement) @import
"""

_IMPORT = re.compile(rb"@import\s+(?:url\(\s*)?[\"']?([^\"')\s;]+)", re.IGNORECASE)


def _refine(kind: SymbolKind, name: str, owner: Owner, head: bytes) -> SymbolKind | None:
    del owner, head
    return None if kind is SymbolKind.VARIABLE and not name.startswith("--") else kind


def _read_imports(text: bytes, start: int) -> Iterator[Import]:
    found = _IMPORT.match(text)
    if found is not None:
        yield Import(start, start + len(text), found[1].decode("utf-8", "replace"), "", "")


LANGUAGE = LanguageSpec(
    name="css",
    suffixes=(".css",),
    grammar=Grammar("tree_sitter_css"),
    query=_QUERY,
    refine=_refine,
    read_imports=_read_imports,
)

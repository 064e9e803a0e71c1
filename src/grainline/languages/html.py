"""HTML and the single-file components built on it: elements with an id, headings."""

from __future__ import annotations

import re

from grainline.languages.base import Grammar, LanguageSpec, Owner
from grainline.languages.xml import tag_depth
from grainline.model.symbol import SymbolKind

_ATTRIBUTE = """(attribute [(attribute_value) @name
  (quoted_attribute_value (attribute_value) @name)])"""

_QUERY = f"""
(element [(start_tag {_ATTRIBUTE}) (self_closing_tag {_ATTRIBUTE})]) @element
(element (start_tag) . (text) @name) @heading
(comment) @comment
"""

_HEADING = re.compile(rb"<h[1-6]\b", re.IGNORECASE)
_ID = re.compile(rb"\sid\s*=\s*[\"']?$", re.IGNORECASE)


def _refine(kind: SymbolKind, name: str, owner: Owner, head: bytes) -> SymbolKind | None:
    del name, owner
    if _ID.search(head):
        return SymbolKind.ELEMENT
    return SymbolKind.HEADING if kind is SymbolKind.HEADING and _HEADING.match(head) else None


LANGUAGE = LanguageSpec(
    name="html",
    suffixes=(".html", ".htm", ".xhtml", ".vue", ".svelte"),
    grammar=Grammar("tree_sitter_html"),
    query=_QUERY,
    refine=_refine,
    name_before=_ID,
    nesting=tag_depth,
)

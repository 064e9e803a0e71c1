"""Markdown: headings, nested by their level."""

from __future__ import annotations

from grainline.languages.base import Grammar, LanguageSpec, as_captured

_QUERY = """
(atx_heading heading_content: (inline) @name) @heading
(setext_heading heading_content: (paragraph (inline) @name)) @heading
(html_block) @comment
"""


def _level(heading: bytes) -> int:
    """1 to 6, from `## Title` or from the line under a title."""
    text = heading.strip()
    marks = len(text) - len(text.lstrip(b"#"))
    if 1 <= marks <= 6:
        return marks
    return 1 if text.endswith(b"=") else 2


def _quotes(text: bytes) -> int:
    """Block quotes inside block quotes: the longest run of `>` at the start of a line."""
    deepest = 0
    for line in text.split(b"\n"):
        if line[:1] in b" >" and line.count(b">", 0, 4096) > deepest:
            head = line.lstrip(b" ")
            deepest = max(deepest, len(head) - len(head.lstrip(b"> ")))
    return deepest


LANGUAGE = LanguageSpec(
    name="markdown",
    suffixes=(".md", ".markdown", ".mdown", ".mkd", ".mdx", ".mdc"),
    grammar=Grammar("tree_sitter_markdown"),
    query=_QUERY,
    refine=as_captured,
    heading_level=_level,
    nesting=_quotes,
)

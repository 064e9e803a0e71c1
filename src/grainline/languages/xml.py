"""XML: named elements, and the elements of the first two levels. Entities are never resolved."""

from __future__ import annotations

import re

import numpy as np

from grainline.languages.base import Grammar, LanguageSpec, as_captured

_TAG = "[(STag . (Name) @name) (EmptyElemTag . (Name) @name)]"
_ATTRIBUTE = "(Attribute (AttValue) @name)"

_QUERY = f"""
(document root: (element {_TAG}) @element)
(document root: (element (content (element {_TAG}) @element)))
(element [(STag {_ATTRIBUTE}) (EmptyElemTag {_ATTRIBUTE})]) @element
(Comment) @comment
(CDSect) @string
"""


def tag_depth(text: bytes) -> int:
    """The deepest nesting of tags, or somewhat more; whatever stands between them is ignored."""
    data = np.frombuffer(text, np.uint8)
    if len(data) < 2:
        return 0
    step = np.zeros(len(data), np.int32)
    opens = np.flatnonzero(data[:-1] == ord("<"))
    after = data[opens + 1]
    step[opens[after == ord("/")]] = -1
    step[opens[(after | 0x20 >= ord("a")) & (after | 0x20 <= ord("z")) | (after > 127)]] = 1
    closes = np.flatnonzero((data[:-1] == ord("/")) & (data[1:] == ord(">")))
    step[closes] -= 1
    level = np.cumsum(step)
    return int((level - np.minimum.accumulate(level)).max()) + 1


LANGUAGE = LanguageSpec(
    name="xml",
    suffixes=(
        *(".xml", ".xsd", ".xsl", ".xslt", ".svg", ".plist", ".pom", ".wsdl", ".rss", ".atom"),
        *(".xaml", ".fxml", ".storyboard", ".xib", ".resx", ".xlf", ".nuspec", ".config"),
        *(".csproj", ".vbproj", ".fsproj", ".vcxproj", ".props", ".targets", ".proj", ".axml"),
    ),
    grammar=Grammar("tree_sitter_xml", "language_xml"),
    query=_QUERY,
    refine=as_captured,
    name_before=re.compile(rb"[\s\"'](?:\w+:)?(?:id|name|key)\s*=\s*[\"']?$"),
    nesting=tag_depth,
)

"""Which language a file is in: by name, suffix, then by how its content begins."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from grainline.languages.base import LANGUAGES

HEAD = 4096
"""Bytes of content that decide at most."""

_SHEBANG = re.compile(rb"(?:\xef\xbb\xbf)?#![ \t]*(?:\S*/)?(\S+)([^\n]*)")
_ENV_WORDS = re.compile(rb"(?:-\S+|\w+=\S*)\s+|(\S+)")
_VERSION = re.compile(r"[\d.]+$")
_MODELINE = re.compile(
    rb"-\*-[ \t]*(?:mode:[ \t]*)?([\w+#-]+)[ \t]*(?:;[^\n]*)?-\*-", re.IGNORECASE
)
_CPP_HEADER = re.compile(
    rb"^[ \t]*(?:(?:class|namespace|template|using)\b[^;\n]*[{<;\w]|(?:public|private|protected)[ \t]*:"
    rb"|#[ \t]*include[ \t]*<(?:string|vector|memory|map|iostream|cstdint|cstddef|utility|functional)>)"
    rb"|\bstd::|\bconstexpr\b|\bextern[ \t]+\"C\+\+\"",
    re.MULTILINE,
)
_MARKUP = re.compile(rb"\s*<(?:\?xml|!DOCTYPE|TS\b)", re.IGNORECASE)
_PHP = re.compile(rb"<\?(?:php|=)", re.IGNORECASE)
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\b")
_HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html)\b", re.IGNORECASE)


def detect(path: bytes, head: bytes) -> str:
    """The language of the file at `path` that begins with `head`; "" is plain text.

    A shebang that names a known interpreter wins over the suffix; a suffix that is not known, or
    none, leaves the decision to the content.
    """
    head = head[:HEAD]
    tables = _tables()
    whole = path.rsplit(b"/", 1)[-1].decode("utf-8", "replace")
    base = whole.rstrip(". ") or whole  # endings that some systems cannot store say nothing
    spoken = _interpreter(head, tables)
    named = tables.names.get(base) or _by_suffix(base, tables.suffixes)
    if named is None:
        return spoken or _by_content(base, head, tables)
    if spoken and spoken != named and spoken not in _FAMILIES.get(named, ()):
        return spoken
    return _refined(named, base, head)


_FAMILIES: Mapping[str, frozenset[str]] = {
    "typescript": frozenset({"javascript"}),
    "tsx": frozenset({"javascript", "typescript"}),
}
"""Interpreters that also run the language: `#!/usr/bin/env node` does not unmake TypeScript."""


class _Tables(NamedTuple):
    names: Mapping[str, str]
    suffixes: Mapping[str, str]
    interpreters: Mapping[str, str]


@cache
def _tables() -> _Tables:
    names: dict[str, str] = {}
    suffixes: dict[str, str] = {}
    interpreters: dict[str, str] = {}
    for spec in LANGUAGES:
        names.update(dict.fromkeys(spec.file_names, spec.name))
        suffixes.update(dict.fromkeys(spec.suffixes, spec.name))
        interpreters.update(dict.fromkeys(spec.interpreters, spec.name))
    return _Tables(names, suffixes, interpreters)


def _by_suffix(base: str, suffixes: Mapping[str, str]) -> str | None:
    """The longest known suffix, as written (`.C` is C++), else in small letters.

    A dot file such as `.py` has none.
    """
    for name in (base, base.lower()):
        at = name.find(".", 1)
        while at > 0:
            found = suffixes.get(name[at:])
            if found is not None:
                return found
            at = name.find(".", at + 1)
    return None


def _interpreter(head: bytes, tables: _Tables) -> str:
    if b"#!" not in head[:5]:
        return ""
    found = _SHEBANG.match(head)
    if found is None:
        return ""
    program = found[1]
    if program == b"env":
        words = (word[1] for word in _ENV_WORDS.finditer(found[2].strip()))
        program = next((word for word in words if word), b"")
    name = program.rsplit(b"/", 1)[-1].decode("utf-8", "replace")
    return tables.interpreters.get(name) or tables.interpreters.get(_VERSION.sub("", name), "")


def _by_content(base: str, head: bytes, tables: _Tables) -> str:
    if _PHP.match(head):
        return "php"
    if "." in base[1:]:
        return ""
    if _HTML.match(head):
        return "html"
    if _XML.match(head):
        return "xml"
    mode = _MODELINE.search(head.split(b"\n", 1)[0])
    if mode is not None:
        word = mode[1].decode("ascii", "replace").lower()
        return tables.interpreters.get(word) or tables.suffixes.get(f".{word}", "")
    return ""


def _refined(named: str, base: str, head: bytes) -> str:
    """Suffixes that two languages share are decided by the content."""
    if named == "c" and base.endswith(".h") and _CPP_HEADER.search(head):
        return "cpp"
    if named == "typescript" and base.endswith(".ts") and _MARKUP.match(head):
        return "xml"
    return named

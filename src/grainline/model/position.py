"""Positions: half-open byte spans inside, 1-based inclusive lines only in a `Citation`."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import NamedTuple


class Span(NamedTuple):
    """Half-open byte range `[start, end)` of the masked view of a blob."""

    start: int
    end: int


class LineSpan(NamedTuple):
    """Lines from 1, both ends included, counted by LF as git does."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """`path:12-18@commit`, or `path:12-18@worktree:<blob12>` for a file that no commit holds.

    `version` is a full commit id (hex) or `worktree:` and the first 12 hex digits of the masked
    blob id. A path that would be ambiguous or unsafe to print is quoted as git quotes it.
    """

    path: bytes
    lines: LineSpan
    version: str

    def __str__(self) -> str:
        return f"{quote_path(self.path)}:{self.lines.start}-{self.lines.end}@{self.version}"


_CITATION = re.compile(
    r"(?P<path>.+):(?P<a>[0-9]{1,12})(?:-(?P<b>[0-9]{1,12}))?"
    r"@(?P<version>worktree:[0-9a-f]{12}|[0-9a-f]{4,64})",
    re.DOTALL,
)


def parse_citation(text: str) -> Citation | None:
    """The citation that `text` spells, or None; inverse of `str` (the version may be shortened)."""
    found = _CITATION.fullmatch(text)
    if found is None:
        return None
    path = unquote_path(found["path"])
    start = int(found["a"])
    end = int(found["b"] or found["a"])
    if path is None or start < 1 or end < start:
        return None
    return Citation(path=path, lines=LineSpan(start, end), version=found["version"])


_SHORT = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_LONG = {letter: code for code, letter in _SHORT.items()}
# Cc control, Cf format (bidi, zero width, tags), Co/Cn unassigned, Zl/Zp line separators, Cs surrogates
_UNSAFE = frozenset({"Cc", "Cf", "Co", "Cn", "Zl", "Zp", "Cs"})


def quote_path(path: bytes) -> str:
    """`path` for people, safe on a terminal and in Markdown-free text; reversible.

    Plain UTF-8 paths come back as they are. Others are quoted as git does with `core.quotePath`:
    in double quotes with C escapes and octal bytes.
    """
    text = path.decode("utf-8", "surrogateescape")
    if text.isprintable() and '"' not in text and "\\" not in text and text:
        return text
    out = ['"']
    for char in text:
        code = ord(char)
        if code in _SHORT:
            out.append("\\" + _SHORT[code])
        elif char == " " or unicodedata.category(char) not in _UNSAFE:
            out.append(char)
        else:
            out.extend(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))
    out.append('"')
    return "".join(out)


_ESCAPE = re.compile(r'\\([abtnvfr"\\]|[0-3][0-7]{2})')


def unquote_path(text: str) -> bytes | None:
    """The path that `text` names: inverse of `quote_path`; None when the quoting is broken."""
    if not text.startswith('"'):
        return text.encode("utf-8", "surrogateescape")
    if len(text) < 2 or not text.endswith('"'):
        return None
    body = text[1:-1]
    if re.sub(_ESCAPE, "", body).count("\\") or '"' in re.sub(_ESCAPE, "", body):
        return None
    out = bytearray()
    at = 0
    for found in _ESCAPE.finditer(body):
        out += body[at : found.start()].encode("utf-8", "surrogateescape")
        word = found[1]
        out.append(_LONG[word] if word in _LONG else int(word, 8))
        at = found.end()
    out += body[at:].encode("utf-8", "surrogateescape")
    return bytes(out)

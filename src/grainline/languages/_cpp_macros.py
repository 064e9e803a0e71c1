"""Macros that the grammar of C++ stumbles over: they are blanks to the parser.

`class EXPORT A : public B {` reads like a function, `int x GUARDED_BY(m);` like a broken
declaration, a macro alone on its line swallows what follows. What is blanked is only what stands
where no name can stand, or where a name is no help; the text itself keeps it.
"""

from __future__ import annotations

import re

_WORD = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]*"
_CALL = rb"(?:\((?:[^()\n]|\([^()\n]*\))*\))?"

_HEAD = re.compile(
    rb"\b(?:class|struct|union)[ \t]+((?:(?:\[\[[^\[\]]*\]\]|[A-Z][A-Z0-9_]{2,}"
    + _CALL
    + rb")[ \t\n]+)+)"
    rb"(?=[A-Za-z_]\w*(?:::\w+)*(?:<[^<>{};]*>)?\s*(?:final\s*)?(?:\{|:[^:]))"
)
"""Between the keyword and the name of a class."""

_FORWARD = re.compile(rb"\bclass[ \t]+(" + _WORD + rb"[ \t]+)(?=[A-Za-z_]\w*;)")

_ANNOTATION = re.compile(
    rb"(?<=[\w)\]])\s+((?:ABSL_)?(?:(?:PT_)?GUARDED_BY|(?:PT_)?GUARDED_VAR|ACQUIRED_(?:AFTER|BEFORE)"
    rb"|(?:EXCLUSIVE|SHARED)_LOCKS_REQUIRED|(?:EXCLUSIVE|SHARED)_(?:TRY)?LOCK_FUNCTION|LOCKS_EXCLUDED"
    rb"|LOCK_RETURNED|UNLOCK_FUNCTION|ASSERT_(?:EXCLUSIVE|SHARED)_LOCK|NO_THREAD_SAFETY_ANALYSIS)"
    + _CALL
    + rb")(?=\s*(?:[;={,]|ABSL_|[A-Z]+_))"
)
"""Annotations of Clang's analysis of thread safety, by the names of its documentation."""

_LEADING = re.compile(
    rb"^[ \t]*(?:(?:static|inline|constexpr|extern|virtual|explicit|template[ \t]*<[^<>\n]*>)[ \t]+)*"
    rb"((?:" + _WORD + _CALL + rb"[ \t]+)+)"
    rb"(?=template\b|(?:[a-z]\w*|[A-Z]\w*[a-z]\w*)[\w:<>,*& \t]*[ \t*&>]~?\w+\()",
    re.MULTILINE,
)
"""In front of the type of a function."""

_ALONE = re.compile(rb"^[ \t]*(" + _WORD + _CALL + rb")[ \t]*(?://[^\n]*)?\r?$", re.MULTILINE)
"""On a line of its own."""

_BEFORE = re.compile(rb"(?:[;}{]|\*/|^)\s*$")
_COMMENTS = re.compile(rb"(?m)//[^\n]*$")
_BEHIND = re.compile(rb"\s*(?:[},=|&+.?)\]<>-]|$)")


def without_macros(text: bytes) -> bytes:
    """The text with blanks in place of such macros, as long as it is."""
    places = [
        match.span(1)
        for pattern in (_HEAD, _FORWARD, _ANNOTATION, _LEADING)
        for match in pattern.finditer(text)
    ]
    places += [match.span(1) for match in _ALONE.finditer(text) if _is_alone(text, match)]
    if not places:
        return text
    found = bytearray(text)
    for start, end in places:
        found[start:end] = re.sub(rb"[^\r\n]", b" ", text[start:end])
    return bytes(found)


MAX_BACK = 400
"""Bytes in front of a line that are looked at."""


def _is_alone(text: bytes, match: re.Match[bytes]) -> bool:
    """Whether the lines around end and begin something: it is no part of an expression."""
    start, end = match.span()
    back = text[max(0, start - MAX_BACK) : start]
    lines = back.split(b"\n")[:-1]
    if lines and lines[-1].rstrip().endswith(b"\\"):
        return False
    while lines and (not lines[-1].strip() or lines[-1].lstrip()[:2] == b"//"):
        lines.pop()
    last = lines[-1] if lines else b""
    if last.lstrip()[:1] != b"#" and not _BEFORE.search(_COMMENTS.sub(b"", last)):
        return False
    behind = text[end : end + MAX_BACK]
    return not _BEHIND.match(behind)

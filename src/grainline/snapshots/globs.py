"""Patterns of `.gitignore` and `.gitattributes`, in time linear in the path.

A repository brings patterns of its own, so no pattern may be slow: each component becomes a regular
expression without backtracking between its stars, `**` is matched by one scan.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

_Part: TypeAlias = re.Pattern[bytes] | None  # None stands for `**`

_TOKEN = re.compile(rb"\\(.)|\[([!^]?)(\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]|(\*+)|(\?)|(.)", re.DOTALL)
_CLASSES = {
    b"alnum": b"0-9A-Za-z",
    b"alpha": b"A-Za-z",
    b"blank": b" \\t",
    b"digit": b"0-9",
    b"lower": b"a-z",
    b"punct": b"!-/:-@\\[-`{-~",
    b"space": b"\\s",
    b"upper": b"A-Z",
    b"xdigit": b"0-9A-Fa-f",
}
_OPEN = re.compile(rb"\[")


def _no_class(token: re.Match[bytes]) -> bytes:
    """What is left to look for an open bracket in: plain characters only."""
    return token[6] or b""


_NOTHING = re.compile(rb"(?!)")
_ANYTHING = re.compile(rb".*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Glob:
    """A compiled pattern. `suffix` is set when it is just `*<suffix>`, the commonest form."""

    text: str
    parts: tuple[_Part, ...]
    suffix: bytes | None

    @property
    def is_void(self) -> bool:
        """Whether it fits no path, for one of its sets can hold no character."""
        return _NOTHING in self.parts

    def matches(self, path: bytes) -> bool:
        """Whether the whole path fits."""
        if self.suffix is not None:
            return path.endswith(self.suffix)
        return _fits(self.parts, path.split(b"/"))


def compile_glob(pattern: bytes, *, below: bool) -> Glob | None:
    """A pattern as a line of `.gitignore` holds it; None when it can match nothing.

    Args:
        pattern: a leading or inner `/` ties it to the root; otherwise it fits at any depth.
        below: everything inside a matching folder fits too (ignore rules); without it a pattern
            fits its own path only and a trailing `/` fits nothing (attributes).
    """
    text = pattern.decode("utf-8", "backslashreplace")
    folder = pattern.endswith(b"/")
    body = pattern.rstrip(b"/") if folder else pattern
    if not body.strip(b"/") or (folder and not below):
        return None
    if b"//" in pattern or _OPEN.search(_TOKEN.sub(_no_class, body)):
        return None  # no path has an empty component; git matches nothing to an open `[`
    tied = b"/" in body
    words = body.lstrip(b"/").split(b"/")
    parts = [None if re.fullmatch(rb"\*{2,}", word) else _component(word) for word in words]
    if parts[-1] is None:  # `a/**` is what is inside `a`
        parts.append(_ANYTHING)
    if not tied:
        parts.insert(0, None)
    if below:
        parts += [None, _ANYTHING] if folder else [None]
    plain = not below and not tied and body[:1] == b"*" and not re.search(rb"[][*?\\]", body[1:])
    return Glob(text, tuple(parts), body[1:] if plain else None)


def _fits(parts: Sequence[_Part], names: Sequence[bytes]) -> bool:
    """Wildcard match over components: on a misfit only the last `**` takes one more."""
    at = star = mark = 0
    seen = False
    index = 0
    while index < len(names):
        part = parts[at] if at < len(parts) else _NOTHING
        if part is None:
            seen, star, mark = True, at, index
            at += 1
        elif part.fullmatch(names[index]):
            at += 1
            index += 1
        elif seen:
            mark += 1
            at, index = star + 1, mark
        else:
            return False
    return all(part is None for part in parts[at:])


def _component(word: bytes) -> re.Pattern[bytes]:
    """One component: after each star the first place where the rest up to the next star fits."""
    pieces = [b""]
    for escaped, negated, members, stars, one, char in _TOKEN.findall(word):
        if stars:
            pieces.append(b"")
        elif members:
            pieces[-1] += _set(negated, members)
        else:
            pieces[-1] += b"." if one else re.escape(escaped or char)
    first, *rest = pieces
    regex = first + b"".join(b"(?>.*?%s)" % piece for piece in rest[:-1])
    if rest:
        regex += b".*" + rest[-1]
    return _compiled(regex)


def _set(negated: bytes, members: bytes) -> bytes:
    inner = re.sub(rb"\[:(\w+):\]", lambda m: b"\0" + m[1] + b"\0", members)
    inner = re.sub(rb"\\(.)", lambda m: re.escape(m[1]), inner)
    inner = re.sub(rb"(?<!\\)([\[\]&|~^])", rb"\\\1", inner)
    inner = inner.replace(b"--", b"-\\-")
    inner = re.sub(rb"\0(\w+)\0", lambda m: _CLASSES.get(m[1], b""), inner)
    return b"[" + (b"^" if negated else b"") + inner + b"]"


def _compiled(regex: bytes) -> re.Pattern[bytes]:
    try:
        return re.compile(regex, re.DOTALL)
    except re.error:  # a range turned round: git's pattern fits nothing then
        return _NOTHING

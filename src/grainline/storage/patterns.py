"""Filters by path as patterns: what a glob and the name of a module mean, and what neither can be."""

from __future__ import annotations

import re
from fnmatch import translate

from grainline.errors import BadInput

ESCAPES = "surrogateescape"
"""How paths are decoded for a pattern, so that a `?` is a character and not a byte."""

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]|.", re.DOTALL)
_STARS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_NEVER = "(?!)"


def glob_pattern(pattern: str) -> re.Pattern[str]:
    """A path glob: `*` stays inside a folder, `**` does not; a bare folder or name matches too.

    A name without a slash is looked for in every folder. A set of characters is also the name that
    it spells: folders of routes are called `[id]`.

    Raises:
        BadInput: it is empty, leads out of a repository, or has a set that is not closed or empty.
    """
    raw = pattern.removeprefix("./").strip("/")
    if not raw:
        raise _bad(pattern, "it is empty", "'**' means every path")
    if not {".", ".."}.isdisjoint(raw.split("/")):
        raise _bad(pattern, "no path holds '.' or '..'", "paths are relative to their repository")
    anywhere = not ("/" in raw or "**" in raw or pattern.startswith(("/", "./")))
    inside = "".join(_part(pattern, part) for part in _TOKEN.findall(raw))
    return re.compile(("(?:.*/)?" if anywhere else "") + inside + r"(?:/.*)?\Z", re.DOTALL)


def module_pattern(module: str) -> re.Pattern[str]:
    """A dotted module: its folders anywhere in the path, the last one a folder or a file.

    Raises:
        BadInput: it holds no name.
    """
    words = [word for word in re.split(r"\.|::|/", module) if word.strip()]
    if not words:
        what = f"{module!r} names no module"
        raise BadInput("bad_module", what, hint="modules look like shop.pay or src/pay")
    inside = "/".join(map(re.escape, words))
    return re.compile(rf"(?:.*/)?{inside}(?:[./].*)?\Z", re.DOTALL)


def _part(pattern: str, part: str) -> str:
    if part in _STARS:
        return _STARS[part]
    if part == "[":
        raise _bad(pattern, "its '[' is not closed", "the character '[' is written [[]")
    if part[0] != "[":
        return re.escape(part)
    members = translate(part).removeprefix("(?s:").removesuffix(r")\Z")
    if members == _NEVER:
        raise _bad(pattern, f"{part} is no character", "ranges go up: [a-z]")
    return f"(?:{members}|{re.escape(part)})"


def _bad(pattern: str, what: str, hint: str) -> BadInput:
    return BadInput("bad_glob", f"{pattern!r} is no pattern of paths: {what}", hint=hint)

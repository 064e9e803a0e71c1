"""What a path says about the language of its content, as a short string that is part of a blob key.

A hint stands for all paths that `languages.detect` cannot tell apart, so that one blob under many
names is analysed once: `*.py` for a suffix, `Makefile` for a whole name, `*` for a name without
suffix that says nothing, `*.?` for one with.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from grainline.languages.detect import detect

PLAIN, UNKNOWN_SUFFIX = "*", "*.?"
NAMES = 1 << 16  # distinct file names remembered


def hint_of(path: bytes) -> str:
    """The hint of a path: `language_of(hint_of(path), head) == detect(path, head)`."""
    name = path[path.rfind(b"/") + 1 :]
    return _hint_of_name(name.rstrip(b". ") or name)  # as `detect` reads it


def language_of(hint: str, head: bytes) -> str:
    """The language of content that begins with `head`, under a name with this hint."""
    name = f"x{hint[1:]}" if hint.startswith("*") else hint
    return detect(name.encode(), head)


@lru_cache(maxsize=NAMES)
def _hint_of_name(name: bytes) -> str:
    named = detect(name, b"")
    for suffix in _suffixes(name.lower()):
        if named and detect(b"x" + suffix, b"") == named:
            return "*" + suffix.decode("utf-8", "replace")
    if named:
        return name.decode("utf-8", "replace")  # as `detect` reads it: it knows this very name
    return UNKNOWN_SUFFIX if b"." in name[1:] else PLAIN


def _suffixes(name: bytes) -> Iterator[bytes]:
    """The suffixes of a name, the shortest first."""
    at = name.rfind(b".")
    while at > 0:
        yield name[at:]
        at = name.rfind(b".", 0, at)

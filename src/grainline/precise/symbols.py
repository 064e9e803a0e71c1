"""The strings by which SCIP names symbols: read and written (grammar in sourcegraph/scip)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class Package(NamedTuple):
    """Who a symbol belongs to; "" stands for what is not said."""

    manager: str
    name: str
    version: str


class ScipSymbol(NamedTuple):
    """A global symbol.

    `name` and `suffix` are those of its last descriptor: `/` namespace, `#` type, `.` term,
    `().` method, `[]` type parameter, `()` parameter, `:` meta, `!` macro.
    """

    scheme: str
    package: Package
    descriptors: str
    name: str
    suffix: str


LOCAL: Final = "local "
"""How symbols of one document begin."""

_WORD: Final = r"((?:[^ ]|  )*+) "
_HEAD: Final = re.compile(_WORD * 4)
_LAST: Final = re.compile(
    r"(?:`((?:[^`]|``)*+)`|([\w+$-]++))"
    r"(?:([/#:!])|(\()[\w+$-]*+\)\.|(\.))"
    r"|\[(?:`((?:[^`]|``)*+)`|([\w+$-]++))(\])"
    r"|\((?:`((?:[^`]|``)*+)`|([\w+$-]++))(\))"
)
_SUFFIX: Final = {"(": "().", "]": "[]", ")": "()"}


def parse(text: str) -> ScipSymbol | None:
    """The global symbol that `text` names; None for a local or broken one."""
    head = _HEAD.match(text)
    if head is None or text.startswith(LOCAL):
        return None
    scheme, manager, name, version = (_plain(word) for word in head.groups())
    at = head.end()
    found = None
    while at < len(text):
        found = _LAST.match(text, at)
        if found is None:
            return None
        at = found.end()
    if found is None or not scheme:
        return None
    parts = [part for part in found.groups() if part is not None]
    last = parts[0].replace("``", "`")
    return ScipSymbol(
        scheme,
        Package(manager, name, version),
        text[head.end() :],
        last,
        _SUFFIX.get(parts[1], parts[1]),
    )


def _plain(word: str) -> str:
    word = word.replace("  ", " ")
    return "" if word == "." else word


def spell(scheme: str, package: Package, descriptors: str) -> str:
    """The string of a symbol, from descriptors that are written already."""
    words = (scheme, *package)
    return " ".join(word.replace(" ", "  ") or "." for word in words) + " " + descriptors


_SIMPLE: Final = re.compile(r"[A-Za-z0-9_+$-]+")


def name_of(name: str) -> str:
    """A name as descriptors spell it: escaped where it is not simple."""
    return name if _SIMPLE.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def namespaces(path: bytes) -> str:
    """The descriptors of a file: a namespace for each folder and one for the file itself."""
    parts = path.decode("utf-8", "replace").split("/")
    return "".join(name_of(part) + "/" for part in parts)

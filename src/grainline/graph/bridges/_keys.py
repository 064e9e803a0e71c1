"""Keys that configuration files define: environment variables, and dotted names of properties."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from grainline.graph.bridges.base import File
from grainline.model.position import Span
from grainline.model.snapshot import FlagName
from grainline.model.symbol import SymbolKind

_ELSEWHERE: Final = frozenset((FlagName.TEST, FlagName.VENDORED))
_NOT_SETTINGS: Final = re.compile(
    r"(?:package|composer|tsconfig.*|deno|bower|.*lock.*)\.(?:json|yaml|yml)"
    r"|Cargo\.toml|pyproject\.toml|.*\.lock|Pipfile"
)
_DOTENV: Final = re.compile(rb"^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=", re.MULTILINE)
_ENV: Final = re.compile(
    rb"^[ \t]*ENV[ \t]+((?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE | re.IGNORECASE
)
_SET: Final = re.compile(rb"(?:^|(?<=\s))([A-Za-z_]\w*)=(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|\S*)")
_PROPERTY: Final = re.compile(rb"^[ \t]*([A-Za-z_][\w.\-]*)[ \t]*[=:]", re.MULTILINE)
_LINE: Final = re.compile(
    rb"^([ ]*)(- +)?([\"']?)([A-Za-z_][\w.\-/]*)\3(:(?=\s|$)|=)[ \t]*([^\r\n]*)", re.MULTILINE
)
_SECTIONS: Final = frozenset(("env", "environment"))


class Key(NamedTuple):
    """A key and where it stands; `variable`: of the environment, else a property."""

    name: str
    variable: bool
    span: Span


def keys(file: File) -> Iterator[Key]:
    """The keys that a file defines; none for a file of tests, a manifest or a lock."""
    name = file.name
    if not file.flags.isdisjoint(_ELSEWHERE) or _NOT_SETTINGS.fullmatch(name) or file.unit:
        return
    if name == ".env" or name.startswith(".env.") or name.endswith(".env"):
        yield from _matches(_DOTENV, file.text, variable=True)
    elif re.match(r"(?:Docker|Container)file(?:\.|$)", name) or name.endswith(".Dockerfile"):
        yield from _images(file.text)
    elif name.endswith(".properties"):
        yield from _matches(_PROPERTY, file.text, variable=False)
    elif file.language == "yaml":
        yield from _yaml(file.text)
    elif file.language in ("toml", "json"):
        yield from _outlined(file)


def _matches(pattern: re.Pattern[bytes], text: bytes, *, variable: bool) -> Iterator[Key]:
    for found in pattern.finditer(text):
        yield Key(found[1].decode(), variable, Span(*found.span(1)))


def _images(text: bytes) -> Iterator[Key]:
    """`ENV A=1 B=2`, and `ENV A 1`."""
    for line in _ENV.finditer(text):
        sets = list(_SET.finditer(text, line.start(1), line.end(1)))
        for found in sets:
            yield Key(found[1].decode(), True, Span(*found.span(1)))
        old = re.compile(rb"([A-Za-z_]\w*)[ \t]").match(text, line.start(1))
        if not sets and old is not None:
            yield Key(old[1].decode(), True, Span(*old.span(1)))


def _yaml(text: bytes) -> Iterator[Key]:
    """Keys of block mappings by their indentation; what stands in block scalars is none."""
    above: list[tuple[int, str]] = []
    scalar = -1
    for found in _LINE.finditer(text):
        indent = len(found[1])
        if scalar >= 0 and indent > scalar:
            continue
        word = found[4].decode()
        value, item = found[6], bool(found[2])
        while above and above[-1][0] >= indent + (len(found[2]) if item else 0):
            above.pop()
        span = Span(*found.span(4))
        if above and above[-1][1] in _SECTIONS:
            if item and word == "name" and found[5] == b":":
                yield from _named(value, found.start(6))
            else:
                yield Key(word, True, span)
        if found[5] == b"=":
            continue
        scalar = indent if value[:1] in (b"|", b">") else -1
        if not item:
            yield Key(".".join((*(name for _, name in above), word)), False, span)
            above.append((indent, word))


def _named(value: bytes, start: int) -> Iterator[Key]:
    found = re.match(rb"[\"']?([A-Za-z_]\w*)", value)
    if found is not None:
        yield Key(found[1].decode(), True, Span(start + found.start(1), start + found.end(1)))


def _outlined(file: File) -> Iterator[Key]:
    outline = file.outline
    dotted: list[str] = []
    for row in outline:
        above = f"{dotted[row.parent]}." if row.parent >= 0 else ""
        dotted.append(above + row.name.strip("\"'"))
        if row.kind is SymbolKind.KEY:
            yield Key(dotted[-1], False, Span(row.name_start, row.name_end))

"""From documents to the symbols they name: what is written as code and means one definition.

Words of plain language never do: a name must be marked as code, and look like no word (`a_b`, `aB`,
`a.b`, `a::b`, `a()`), or be marked as a function or class (roles of reStructuredText).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from grainline.graph.bridges.base import Bridge, File, Found, Ground
from grainline.model.edge import EdgeType, Method, Symbol, Tier
from grainline.model.position import Span
from grainline.model.snapshot import FlagName
from grainline.model.symbol import Definition, SymbolKind

_ELSEWHERE: Final = frozenset(
    (FlagName.TEST, FlagName.DOCS, FlagName.EXAMPLE, FlagName.VENDORED, FlagName.GENERATED)
)
"""Flags of files that no document means."""

_SUFFIXES: Final = (".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc")
_DATA: Final = frozenset(
    (SymbolKind.HEADING, SymbolKind.KEY, SymbolKind.ELEMENT, SymbolKind.RULE, SymbolKind.TABLE)
)
_TYPES: Final = frozenset(
    (
        SymbolKind.CLASS, SymbolKind.STRUCT, SymbolKind.INTERFACE, SymbolKind.TRAIT,
        SymbolKind.ENUM, SymbolKind.UNION, SymbolKind.TYPE,
    )
)  # fmt: skip
_CALLED: Final = frozenset((SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTRUCTOR))
_ROLES: Final = {
    "class": _TYPES, "exc": _TYPES, "func": _CALLED, "meth": _CALLED, "struct": _TYPES,
    "type": _TYPES, "attr": frozenset(SymbolKind) - _DATA - _TYPES,
}  # fmt: skip
"""Roles that say what is named, with the kinds of it."""

MIN_NAME: Final = 4
"""Characters of a name that stands alone."""

MAX_SPAN: Final = 200
_PATH: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*")
_JOINT: Final = re.compile(r"\.|::|#|->")
_CAMEL: Final = re.compile(r"[a-z\d][A-Z]|[A-Z]{2,}[a-z]")
_CODE: Final = re.compile(rb"(?<![`\\])(`{1,3})(?!`)([^`\n]{1,%d})\1(?!`)" % MAX_SPAN)
_ROLE: Final = re.compile(rb":(?:\w+:)?(\w+):`([^`\n]{1,%d})`" % MAX_SPAN)
_FENCE: Final = re.compile(rb"^[ \t>]*(```+|~~~+)[^`\n]*\n", re.MULTILINE)
_PARTS: Final = re.compile(r"`((?:[^`]|``)+)`|([^#().`/!:\[\]]+)")
_NUMBER: Final = re.compile(r"\(\+\d+\)")
_SUFFIX: Final = re.compile(r"\.[A-Za-z0-9]+$")


class _Mention(NamedTuple):
    """A name as a document says it: its parts, where, whether called, kinds that it may be."""

    parts: tuple[str, ...]
    span: Span
    kinds: frozenset[SymbolKind]


def _find(ground: Ground) -> Iterator[Found]:
    known: dict[tuple[tuple[str, ...], frozenset[SymbolKind]], list[tuple[Symbol, Tier]]] = {}
    for file in ground.files:
        if not _is_document(file):
            continue
        for mention in _mentions(file):
            key = (mention.parts, mention.kinds)
            if key not in known:
                known[key] = _meant(ground, mention)
            for symbol, tier in known[key]:
                src = file.around(mention.span)
                yield Found(src, symbol, mention.span, tier, len(known[key]))


def _is_document(file: File) -> bool:
    name = file.name.lower()
    if file.unit is not None or FlagName.VENDORED in file.flags:
        return False
    return name.startswith("readme") or (
        name.endswith(_SUFFIXES) and (FlagName.DOCS in file.flags or file.language == "markdown")
    )


# ------------------------------------------------------------------------------ what is said


def _mentions(file: File) -> Iterator[_Mention]:
    """Names in code spans and roles, fenced blocks left out."""
    roles = file.name.lower().endswith((".rst", ".txt"))
    text = file.text
    at = 0
    for start, end in (*_fences(text), (len(text), len(text))):
        if roles:
            for found in _ROLE.finditer(text, at, start):
                kinds = _ROLES.get(found[1].decode("ascii", "replace"))
                if kinds is not None:
                    yield from _role(found[2], found.start(2), kinds)
        for found in _CODE.finditer(text, at, start):
            if not (roles and text[found.start() - 1 : found.start()] == b":"):
                yield from _span(found[2], found.start(2))
        at = end


def _fences(text: bytes) -> Iterator[tuple[int, int]]:
    at = 0
    while (opened := _FENCE.search(text, at)) is not None:
        mark = opened[1]
        close = re.compile(rb"^[ \t>]*%s%s*[ \t]*$" % (mark, mark[:1]), re.MULTILINE)
        closed = close.search(text, opened.end())
        at = len(text) if closed is None else closed.end()
        yield opened.start(), at


def _span(code: bytes, start: int) -> Iterator[_Mention]:
    said = code.decode("utf-8", "replace")
    name = said.strip()
    start += len(said) - len(said.lstrip())
    called = name.endswith(")") and "(" in name
    name = name.partition("(")[0] if called else name
    if not _PATH.fullmatch(name):
        return
    parts = tuple(_JOINT.split(name))
    plain = len(parts) == 1 and not called and "_" not in name.strip("_")
    if (plain and _CAMEL.search(name) is None) or (len(parts) == 1 and len(name) < MIN_NAME):
        return
    kinds = _CALLED | _TYPES if called else frozenset(SymbolKind) - _DATA
    yield _Mention(parts, Span(start, start + len(name.encode())), kinds)


def _role(code: bytes, start: int, kinds: frozenset[SymbolKind]) -> Iterator[_Mention]:
    """`~a.b`, `.b`, `b()`, `title <a.b>`; `!a` asks for no link."""
    opened = code.rfind(b"<")
    if opened >= 0 and code.endswith(b">"):
        start, code = start + opened + 1, code[opened + 1 : -1]
    name = code.lstrip(b"~.")
    start += len(code) - len(name)
    said = name.removesuffix(b"()").decode("utf-8", "replace")
    if _PATH.fullmatch(said):
        parts = tuple(_JOINT.split(said))
        yield _Mention(parts, Span(start, start + len(said.encode())), kinds)


# ------------------------------------------------------------------------------ what it means


def _meant(ground: Ground, mention: _Mention) -> list[tuple[Symbol, Tier]]:
    """The one definition, or the overloads of one function; else nothing.

    It is resolved when two words or more before it are the end of the path of its module.
    """
    found: list[tuple[Symbol, Tier, SymbolKind]] = []
    for path, definition in ground.named(mention.parts[-1]):
        if definition.kind in _DATA or ground.flagged(path, _ELSEWHERE):
            continue
        fit = _fit(mention.parts, path, definition)
        if fit is not None:
            found.append((Symbol(path, definition.descriptor), fit, definition.kind))
    homes = {(symbol.path, _plain(symbol.descriptor)) for symbol, _, _ in found}
    if len(homes) != 1 or any(kind not in mention.kinds for _, _, kind in found):
        return []
    if len(found) > 1:
        return [(symbol, Tier.AMBIGUOUS) for symbol, _, _ in found]
    return [(symbol, tier) for symbol, tier, _ in found]


def _plain(descriptor: str) -> str:
    """The descriptor that all overloads have."""
    return _NUMBER.sub("()", descriptor)


def _fit(parts: Sequence[str], path: bytes, definition: Definition) -> Tier | None:
    """How well what is said names a definition; None: it names something else."""
    own = [a or b for a, b in _PARTS.findall(_plain(definition.descriptor))]
    own = [re.sub(r"\+\d+$", "", part) for part in own]
    if own[-1:] != [parts[-1]]:
        return None
    module = _module(path)
    if len(parts) <= len(own):
        return Tier.NAMED if own[-len(parts) :] == list(parts) else None
    outer = list(parts[: -len(own)])
    if list(parts[-len(own) :]) != own:
        return None
    if len(outer) > 1 and module[-len(outer) :] == outer:
        return Tier.RESOLVED
    rest = iter(module)
    return Tier.NAMED if all(part in rest for part in outer) else None


def _module(path: bytes) -> list[str]:
    """The words of the path of a module, folders first."""
    text = _SUFFIX.sub("", path.decode("utf-8", "surrogateescape"))
    text = re.sub(r"/(?:__init__|index|mod|lib)$", "", text)
    return text.split("/")


BRIDGE = Bridge(type=EdgeType.DOCUMENTS, method=Method.MENTION, find=_find)

"""Headers: the names, scope and signature that stand above a chunk."""

from __future__ import annotations

from collections.abc import Sequence

from grainline.model.chunk import EMPTY_HEADER, Header
from grainline.model.symbol import Definition

MAX_NAMES = 12
MAX_NAME = 200
"""Characters; a longer name (a heading, a quoted key) is cut."""
MAX_SCOPE = 400
MAX_SIGNATURE = 400
"""Bytes of source; a signature is for matching and display, the whole one is in the text."""


class Headers:
    """The headers of one file; scopes and signatures are computed once per definition."""

    def __init__(self, text: bytes, definitions: Sequence[Definition]) -> None:
        self._text = text
        self._definitions = definitions
        self._scopes: dict[int, str] = {-1: ""}
        self._signatures: dict[int, str] = {}

    def of(self, symbol: int, names: str) -> Header:
        """Header of a chunk that is (a part of) `symbol` and holds the symbols called `names`."""
        parent = self._definitions[symbol].parent
        scope = self._scopes.get(parent)
        if scope is None:
            scope = self.scope(parent)
        signature = self._signatures.get(symbol)
        if signature is None:
            signature = self._signatures[symbol] = self._signature(symbol)
        return Header(names, scope, signature)

    def within(self, parent: int) -> Header:
        """Header of a chunk that is no symbol but stands inside `parent`."""
        return Header("", self.scope(parent), "") if parent >= 0 else EMPTY_HEADER

    def scope(self, symbol: int) -> str:
        """Dotted names from the outermost definition down to `symbol`; the innermost are kept."""
        chain: list[int] = []
        while symbol not in self._scopes:
            chain.append(symbol)
            symbol = self._definitions[symbol].parent
        scope = self._scopes[symbol]
        for inner in reversed(chain):
            name = clean(self._definitions[inner].name)
            scope = f"{scope}.{name}"[-MAX_SCOPE:] if scope else name
            self._scopes[inner] = scope
        return scope

    def _signature(self, symbol: int) -> str:
        definition = self._definitions[symbol]
        start = definition.signature_start
        end = min(definition.signature_end, start + MAX_SIGNATURE)
        return " ".join(self._text[start:end].decode("utf-8", "ignore").split())


def clean(name: str) -> str:
    """`name` on one line, with single blanks, of bounded length."""
    if name.isidentifier() and len(name) <= MAX_NAME:
        return name
    return " ".join(name[:MAX_NAME].split())

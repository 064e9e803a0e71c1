"""Filters of rows: by the file and the kind of the symbol that a row is about."""

from __future__ import annotations

from grainline.model.edge import Symbol
from grainline.model.search import Filters
from grainline.model.symbol import SymbolKind
from grainline.retrieval.relations.book import File
from grainline.storage.base import Corpus


class Kept:
    """Which symbols pass the filters."""

    def __init__(self, corpus: Corpus, filters: Filters) -> None:
        self._entries = corpus.select_entries(filters)
        self._kinds = frozenset(filters.kinds)
        self._leaves = not (filters.paths or filters.modules or filters.kinds)

    def takes(self, file: File, symbol: Symbol | None) -> bool:
        """Whether a symbol of `file` passes; a leaf (None) is nowhere, and as its caller otherwise."""
        if symbol is None and not self._leaves:
            return False
        if self._entries is not None and not self._entries[file.entry]:
            return False
        return not self._kinds or symbol is None or self._kind(file, symbol) in self._kinds

    def _kind(self, file: File, symbol: Symbol) -> str:
        found = file.definitions.get(symbol.descriptor)
        if found is not None:
            return str(found.kind)
        return str(SymbolKind.FUNCTION if symbol.descriptor else SymbolKind.MODULE)

"""Tiers `named` and `ambiguous`: calls of unknown targets, and the definitions called alike.

Nothing of it is stored: a name says what could be, never what is. A call that is known to lead
elsewhere is no candidate, no candidate is of another language, and production never calls tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from grainline.graph.table import EdgeTable
from grainline.model.access import View
from grainline.model.edge import Symbol, Tier, Unresolved, Why
from grainline.model.symbol import SymbolKind
from grainline.retrieval.relations.book import Book, last_name, view_of

OPEN = frozenset({Why.DYNAMIC, Why.INJECTION})
"""Reasons that leave open whether a symbol of the scope is called."""

OUTSIDE = frozenset({Why.EXTERNAL, Why.NATIVE})
"""Reasons that say that something outside of the scope is called."""

_CALLABLE = frozenset(
    {
        SymbolKind.FUNCTION,
        SymbolKind.METHOD,
        SymbolKind.CONSTRUCTOR,
        SymbolKind.MACRO,
        SymbolKind.CLASS,
        SymbolKind.STRUCT,
    }
)


class Weak(NamedTuple):
    """A call that may have a target: `tier` is `NAMED` when it is the only one called so."""

    call: int
    caller: Symbol
    target: Symbol
    tier: Tier
    candidates: int


class Names:
    """Weak edges of one view."""

    def __init__(self, book: Book, view: View, table: EdgeTable) -> None:
        self._book = book
        self._view = view
        self._table = table
        self._defined: dict[str, tuple[tuple[Symbol, str, bool], ...]] = {}

    def into(self, symbol: Symbol) -> Iterator[Weak]:
        """Calls that may mean `symbol`."""
        name = last_name(symbol.descriptor)
        for number in self._table.unresolved_called(name).tolist() if name else ():
            call = self._table.unresolved_call(number)
            yield from (each for each in self._of(number, call) if each.target == symbol)

    def out_of(self, number: int) -> Iterator[Weak]:
        """What the unresolved calls in a symbol may mean."""
        for call in self._table.unresolved_of(number):
            yield from self._of(call, self._table.unresolved_call(call))

    def _of(self, number: int, call: Unresolved) -> Iterator[Weak]:
        if call.why not in OPEN:
            return
        caller = self._book.file(self._view, call.src.path)
        found = [
            symbol
            for symbol, language, test in self._named(call.name.rpartition(".")[2])
            if language == caller.language and (caller.test or not test)
        ]
        tier = Tier.NAMED if len(found) == 1 else Tier.AMBIGUOUS
        for symbol in found:
            yield Weak(number, call.src, symbol, tier, len(found))

    def _named(self, name: str) -> tuple[tuple[Symbol, str, bool], ...]:
        """(symbol, language, whether in test code) of the callables of the view called `name`."""
        known = self._defined.get(name)
        if known is None:
            known = self._defined[name] = tuple(self._look(name)) if name else ()
        return known

    def _look(self, name: str) -> Iterator[tuple[Symbol, str, bool]]:
        corpus = self._book.corpus
        for hit in corpus.symbols_named(name):
            definition = hit.definition
            if definition.name != name or definition.kind not in _CALLABLE:
                continue
            if view_of(corpus, hit.entry) != self._view:
                continue
            file = self._book.file(self._view, corpus.path(hit.entry))
            yield Symbol(file.path, definition.descriptor), file.language, file.test

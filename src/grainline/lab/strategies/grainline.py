"""The engine as it is, with the chunker of the name."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager

from grainline.engine import Engine
from grainline.indexing.pipeline import IndexOptions
from grainline.lab.judging import Ranked
from grainline.lab.mirror import Checkout
from grainline.languages.base import CALLABLE_KINDS
from grainline.model.access import Scope
from grainline.model.chunk import ChunkKind
from grainline.model.search import Hit, SearchOptions

BLIND_CHUNKERS = frozenset({"cast", "fixed", "lines", "window", "file"})
"""Chunkers that cut without looking at symbols: their chunks never say what they are part of."""

_CALLABLE = frozenset(str(kind) for kind in CALLABLE_KINDS)


class Grainline:
    """A fresh home for each checkout; default settings apart from the chunker."""

    def __init__(self, chunker: str = "grain") -> None:
        self.name = "grainline" if chunker == "grain" else f"grainline+{chunker}"
        self._chunker = chunker

    @contextmanager
    def prepare(self, checkout: Checkout) -> Generator[EngineSearcher]:
        """Index the checkout in a temporary home."""
        refs = (checkout.ref,) if checkout.ref else ()
        with tempfile.TemporaryDirectory(prefix="grainline-lab-") as home:
            engine = Engine.open(home)
            try:
                engine.index(
                    str(checkout.folder), refs=refs, options=IndexOptions(chunker=self._chunker)
                )
                knows_symbols = self._chunker not in BLIND_CHUNKERS
                yield EngineSearcher(engine, engine.scope(refs=refs), knows_symbols)
            finally:
                engine.close()


class EngineSearcher:
    """Searches one scope."""

    def __init__(self, engine: Engine, scope: Scope, knows_symbols: bool) -> None:
        self._engine = engine
        self._scope = scope
        self._knows_symbols = knows_symbols

    def search(self, text: str, k: int) -> list[Ranked]:
        """The first page of `k` results."""
        options = SearchOptions(k=k)
        found = self._engine.search(text, scope=self._scope, options=options)
        return [Ranked(hit.place.path, hit.place.lines, self._unit(hit)) for hit in found.hits]

    def _unit(self, hit: Hit) -> str | None:
        if not self._knows_symbols:
            return ""
        symbol = hit.chunk_symbol  # units do not depend on how a question is worded
        is_function = symbol is not None and symbol.kind in _CALLABLE
        return (
            symbol.descriptor if symbol and is_function and hit.kind is ChunkKind.SYMBOL else None
        )


STRATEGY = Grainline()

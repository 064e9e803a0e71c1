"""The engine's ranking as it is, with the chunker of the name; packed in the order of the ranking.

What the engine itself makes of it stands in `hierarchical`.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from grainline.lab.ground import Ground
from grainline.lab.homes import Home
from grainline.lab.strategies._engine_options import RANKING, ranking_of
from grainline.lab.strategies._packing import pack
from grainline.lab.values import Context, IndexCost, Piece, Query, Settings, Value
from grainline.languages.base import CALLABLE_KINDS
from grainline.model.chunk import ChunkKind
from grainline.model.search import Hit, SearchOptions
from grainline.retrieval.options import RankOptions

BLIND_CHUNKERS = frozenset({"cast", "fixed", "lines", "window", "file"})
"""Chunkers that cut without looking at symbols: their chunks never say what they are part of."""

_CALLABLE = frozenset(str(kind) for kind in CALLABLE_KINDS)


class Grainline:
    """A home of its own for each checkout; default settings apart from the chunker."""

    version = 1
    options: Mapping[str, Value] = RANKING
    sees_gold = False

    def __init__(self, chunker: str = "grain") -> None:
        self.name = "grainline" if chunker == "grain" else f"grainline+{chunker}"
        self._chunker = chunker

    @contextmanager
    def index(self, ground: Ground, settings: Settings) -> Generator[EngineIndex]:
        """Index the checkout."""
        knows_symbols = self._chunker not in BLIND_CHUNKERS
        ranking = ranking_of(settings)
        yield EngineIndex(ground, ground.home(self._chunker), knows_symbols, ranking)


class EngineIndex:
    """Searches one home."""

    def __init__(
        self, ground: Ground, home: Home, knows_symbols: bool, ranking: RankOptions
    ) -> None:
        self._numbers = ranking
        self._ground = ground
        self._home = home
        self._knows_symbols = knows_symbols

    def retrieve(self, query: Query, k: int) -> list[Piece]:
        """The first page of `k` results."""
        scope = self._home.scope(query.ref, query.principal)
        options = SearchOptions(k=k)
        found = self._home.engine.search(
            query.text, scope=scope, options=options, ranking=self._numbers
        )
        return [self._piece(hit, query) for hit in found.hits]

    def _piece(self, hit: Hit, query: Query) -> Piece:
        why = ", ".join(f"{name} {score:.2f}" for name, score in hit.channels) or "all alike"
        place = hit.place
        return Piece(
            place.path,
            place.span,
            place.lines,
            hit.score,
            why,
            self._unit(hit),
            version=version_of(self._ground, place.snapshot.commit, query),
        )

    def _unit(self, hit: Hit) -> str | None:
        if not self._knows_symbols:
            return ""
        symbol = hit.chunk_symbol  # units do not depend on how a question is worded
        is_function = symbol is not None and symbol.kind in _CALLABLE
        return (
            symbol.descriptor if symbol and is_function and hit.kind is ChunkKind.SYMBOL else None
        )

    def assemble(self, query: Query, ranking: Sequence[Piece], budget: int) -> Context:
        """In the order of the ranking."""
        return pack(self._ground.files(query.ref), ranking, budget)

    def refresh(self) -> None:
        """What was saved, through the engine."""
        self._ground.refresh()

    def cost(self) -> IndexCost:
        """The whole folder of the home."""
        return home_cost(self._home)


def version_of(ground: Ground, commit: str, query: Query) -> str:
    """The ref that a result comes from, as the checkout names it; "" where there is only one."""
    refs = ground.checkout.refs
    if not refs:
        return ""
    if query.ref and (query.ref == commit or ground.commit_of(query.ref) == commit):
        return query.ref
    return next((ref for ref in refs if ground.commit_of(ref) == commit), commit)


def home_cost(home: Home) -> IndexCost:
    """What indexing cost: chunks are not counted by the engine for those who ask."""
    size = sum(path.stat().st_size for path in home.folder.rglob("*") if path.is_file())
    return IndexCost(seconds=home.seconds, bytes=size)


STRATEGY = Grainline()

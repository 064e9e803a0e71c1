"""`Composed`: a strategy put together from a chunker, a text, a retriever, an expansion, a packing.

A plain strategy is then one line, and a new idea is one function in a file of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from grainline.chunking.base import ChunkOptions
from grainline.lab.ground import Chunked, Ground
from grainline.lab.kept import Kept, cpu
from grainline.lab.retrievers.base import RETRIEVERS, Corpus, Document, Ranker
from grainline.lab.strategies._packing import pack, whole_lines
from grainline.lab.strategies._texts import Compose, plain
from grainline.lab.values import Context, IndexCost, Piece, Query, Settings, Value
from grainline.languages.base import CALLABLE_KINDS
from grainline.model.position import LineSpan
from grainline.text.budget import estimate_tokens

BLIND = frozenset({"cast", "fixed", "lines", "window", "file"})
"""Chunkers that cut without looking at symbols: their chunks never say what they are part of."""

Expand = Callable[[Ground, Query, Sequence[Piece], Settings], Sequence[Piece]]
"""The ranking with what comes along from it (`seed` False), best first."""

Assemble = Callable[[Ground, Query, Sequence[Piece], int, Settings], Context]
"""A context inside a budget."""

COMMON: Mapping[str, Value] = {
    "overlap": 0,  # lines around a chunk that it has in common with its neighbours
    "size": 0,  # most tokens of a chunk; 0: the chunker's own
    "path": True,  # whether the text that is ranked has the path,
    "header": True,  # names and signature of what the chunk stands in,
    "imports": True,  # lines that import,
    "comments": True,  # comments and documentation
    "tests": False,  # whether test code is ranked at all
    "seed_share": 0.6,  # of the budget that goes to what was found, before what came along
}


def no_expansion(
    ground: Ground, query: Query, ranking: Sequence[Piece], settings: Settings
) -> Sequence[Piece]:
    """The ranking as it is."""
    del ground, query, settings
    return ranking


def in_order(
    ground: Ground, query: Query, ranking: Sequence[Piece], budget: int, settings: Settings
) -> Context:
    """Whole pieces in the order of the ranking, a share of the budget held for neighbours."""
    share = settings.number("seed_share")
    return pack(ground.files(query.ref), ranking, budget, seed_share=share)


@dataclass(frozen=True, kw_only=True)
class Composed:
    """A strategy as its parts. `extra` are options beyond `COMMON`, or other defaults of these."""

    name: str
    chunker: str
    version: int = 1
    text: Compose = plain
    expand: Expand = no_expansion
    assemble: Assemble = in_order
    extra: Mapping[str, Value] = field(default_factory=dict[str, Value])
    sees_gold: bool = False

    @property
    def options(self) -> Mapping[str, Value]:
        """Every parameter with its default."""
        return {**COMMON, **self.extra}

    @contextmanager
    def index(self, ground: Ground, settings: Settings) -> Generator[ComposedIndex]:
        """Cut and fit; a view is prepared when a question names it first."""
        yield ComposedIndex(self, ground, settings)


class ComposedIndex:
    """The chunks of one checkout and a ranker for each view that was asked about."""

    def __init__(self, strategy: Composed, ground: Ground, settings: Settings) -> None:
        self._strategy = strategy
        self._ground = ground
        self._settings = settings
        self._views: dict[str | None, tuple[Sequence[Chunked], Ranker]] = {}
        self._cost = IndexCost()
        self._view(None)

    def retrieve(self, query: Query, k: int) -> Sequence[Piece]:
        """Chunks by score, with what the expansion adds."""
        chunks, ranker = self._view(query.ref)
        found = [
            self._piece(chunks[number], score, query) for number, score in ranker.rank(query, k)
        ]
        return self._strategy.expand(self._ground, query, found, self._settings)[:k]

    def _piece(self, found: Chunked, score: float, query: Query) -> Piece:
        lines = whole_lines(found.file, found.span)
        version = query.ref or "" if self._ground.checkout.refs else ""
        why = f"{self._settings.retriever} {score:.2f}"
        unit = self._unit(found)
        return Piece(found.file.path, found.span, lines, score, why, unit, version)

    def _unit(self, found: Chunked) -> str | None:
        if self._strategy.chunker in BLIND:
            return ""
        symbol = found.chunk.symbol
        if symbol < 0:
            return None
        definition = found.facts.definitions[symbol]
        return definition.descriptor if definition.kind in CALLABLE_KINDS else None

    def assemble(self, query: Query, ranking: Sequence[Piece], budget: int) -> Context:
        """As the strategy puts pieces together."""
        return self._strategy.assemble(self._ground, query, ranking, budget, self._settings)

    def cost(self) -> IndexCost:
        """Of all views that were asked about."""
        return self._cost

    def _view(self, ref: str | None) -> tuple[Sequence[Chunked], Ranker]:
        ref = ref if ref in self._ground.checkout.refs else None
        if ref not in self._views:
            start = cpu()
            settings, strategy = self._settings, self._strategy
            cut = ChunkOptions(cap=settings.count("size") or None)
            tests = settings.flag("tests")
            lines = settings.count("overlap")
            found = self._ground.chunks(strategy.chunker, cut, ref=ref, tests=tests)
            chunks = tuple(_widened(each, lines) if lines else each for each in found)
            texts = [strategy.text(self._ground, chunk, settings) for chunk in chunks]
            documents = [
                Document(chunk.file.path, chunk.span, text)
                for chunk, text in zip(chunks, texts, strict=True)
            ]
            corpus = Corpus(documents, self._ground, strategy.chunker, ref, settings.seed)
            self._views[ref] = chunks, RETRIEVERS.get(settings.retriever).fit(corpus)
            seconds = cpu() - start
            self._count(texts, seconds)
        return self._views[ref]

    def _count(self, texts: Sequence[str], seconds: float) -> None:
        before = self._cost
        self._cost = IndexCost(
            seconds=before.seconds + seconds,
            chunks=before.chunks + len(texts),
            bytes=before.bytes + sum(map(len, texts)),
            embedded=before.embedded + sum(map(_tokens, texts)),
        )


def _widened(found: Chunked, lines: int) -> Chunked:
    """A chunk with some lines before and after it, inside the file."""
    own = found.file.lines(found.span)
    span = found.file.span(LineSpan(own.start - lines, own.end + lines))
    return found._replace(chunk=found.chunk._replace(start=span.start, end=span.end))


_TOKENS: Kept[int] = Kept(64 << 20)


def _tokens(text: str) -> int:
    return _TOKENS.get(text, len(text), lambda: estimate_tokens(text))

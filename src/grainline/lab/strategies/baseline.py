"""Functions ranked by a fixed BM25: the yardstick that never follows the engine.

Test code is left out. A document is a function, or a gap between two functions; to its text come
its path and its qualified name, but no doc comment before it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from grainline.lab.ground import Ground, SourceText
from grainline.lab.kept import cpu
from grainline.lab.retrievers.base import Corpus, Document
from grainline.lab.retrievers.bm25 import LuceneBm25
from grainline.lab.strategies._packing import pack
from grainline.lab.values import Context, IndexCost, Piece, Query, Settings, Value
from grainline.languages.base import CALLABLE_KINDS
from grainline.model.position import Span
from grainline.model.symbol import Definition


class Part(NamedTuple):
    """One function, or a gap between functions (`unit` None)."""

    file: SourceText
    span: Span
    unit: str | None
    text: str


class Baseline:
    """See the module."""

    name = "baseline"
    version = 1
    options: Mapping[str, Value] = {}
    sees_gold = False

    @contextmanager
    def index(self, ground: Ground, settings: Settings) -> Generator[BaselineIndex]:
        """Index in memory."""
        del settings
        yield BaselineIndex(ground)


class BaselineIndex:
    """BM25 over the parts of one checkout."""

    def __init__(self, ground: Ground) -> None:
        start = cpu()
        self._ground = ground
        self._parts = tuple(parts(ground))
        documents = [Document(part.file.path, part.span, part.text) for part in self._parts]
        self._ranker = LuceneBm25().fit(Corpus(documents, ground, "function", None, 0))
        self._seconds = cpu() - start

    def retrieve(self, query: Query, k: int) -> list[Piece]:
        """The best documents; ties by position in the checkout."""
        found: list[Piece] = []
        for number, score in self._ranker.rank(query, k):
            part = self._parts[number]
            lines = part.file.lines(part.span)
            piece = Piece(part.file.path, part.span, lines, score, "bm25", part.unit)
            found.append(piece)
        return found

    def assemble(self, query: Query, ranking: Sequence[Piece], budget: int) -> Context:
        """In the order of the ranking."""
        return pack(self._ground.files(query.ref), ranking, budget)

    def cost(self) -> IndexCost:
        """Text only."""
        return IndexCost(
            seconds=self._seconds,
            chunks=len(self._parts),
            bytes=sum(len(part.text) for part in self._parts),
        )


def parts(ground: Ground) -> Iterator[Part]:
    """The documents of all files that are code or text and no tests, in path and file order."""
    for file in ground.files().values():
        if not file.is_test:
            yield from _split(file)


def _split(file: SourceText) -> Iterator[Part]:
    shown = file.path.decode("utf-8", "replace")
    at = 0
    for function in outermost(file.facts.definitions):
        yield from _gap(file, at, function.start)
        span = Span(function.start, function.end)
        text = f"{shown} {function.descriptor} {file.decode(span)}"
        yield Part(file, span, function.descriptor, text)
        at = function.end
    yield from _gap(file, at, len(file.text))


def _gap(file: SourceText, start: int, end: int) -> Iterator[Part]:
    if file.text[start:end].strip():
        span = Span(start, end)
        shown = file.path.decode("utf-8", "replace")
        yield Part(file, span, None, f"{shown} {file.decode(span)}")


def outermost(definitions: Sequence[Definition]) -> list[Definition]:
    """Functions and methods that stand in no other function."""
    inside = [False] * len(definitions)
    found: list[Definition] = []
    for index, definition in enumerate(definitions):
        parent = definition.parent
        inside[index] = parent >= 0 and (
            inside[parent] or definitions[parent].kind in CALLABLE_KINDS
        )
        if definition.kind in CALLABLE_KINDS and not inside[index]:
            found.append(definition)
    return found


STRATEGY = Baseline()

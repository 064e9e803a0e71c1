"""The bound: retrieves the gold and nothing else, so what is lost behind it is not retrieval's fault.

Exactly what the question is judged by: the stations of a chain first, in their order, then gold
functions, then gold lines that lie in none of them, then what is left of gold files.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager

from grainline.lab.ground import Ground
from grainline.lab.questions import Place, Question
from grainline.lab.strategies._packing import pack
from grainline.lab.values import Context, IndexCost, Piece, Query, Settings, Value
from grainline.model.position import LineSpan


class Oracle:
    """See the module."""

    name = "oracle"
    version = 1
    options: Mapping[str, Value] = {}
    sees_gold = True

    @contextmanager
    def index(self, ground: Ground, settings: Settings) -> Generator[OracleIndex]:
        """Nothing to prepare."""
        del settings
        yield OracleIndex(ground)


class OracleIndex:
    """Looks gold up."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    def retrieve(self, query: Query, k: int) -> list[Piece]:
        """The gold places, each once."""
        assert query.gold is not None, "declared by `sees_gold`"
        files = self._ground.files(query.ref)
        version = query.ref or "" if self._ground.checkout.refs else ""
        found: list[Piece] = []
        for place in gold_places(query.gold, {path: len(f.starts) for path, f in files.items()}):
            span = files[place.path].span(place.lines)
            score = float(-len(found))
            unit = place.name or ""
            found.append(Piece(place.path, span, place.lines, score, "gold", unit, version))
        return found[:k]

    def assemble(self, query: Query, ranking: Sequence[Piece], budget: int) -> Context:
        """All gold that fits."""
        return pack(self._ground.files(query.ref), ranking, budget)

    def cost(self) -> IndexCost:
        """None."""
        return IndexCost()


def gold_places(question: Question, sizes: Mapping[bytes, int]) -> Iterator[Place]:
    """Gold of files that are there; `sizes` are their numbers of lines."""
    shown: list[Place] = []
    stations = [hop.place for hop in question.chain]
    for place in (*stations, *question.functions, *question.lines):
        if place.path in sizes and not any(_holds(other, place) for other in shown):
            shown.append(place)
            yield place
    for path in question.files:
        if path in sizes and not any(place.path == path for place in shown):
            yield Place(path, LineSpan(1, max(1, sizes[path])))


def _holds(other: Place, place: Place) -> bool:
    return (
        other.path == place.path
        and other.lines.start <= place.lines.start
        and place.lines.end <= other.lines.end
    )


STRATEGY = Oracle()

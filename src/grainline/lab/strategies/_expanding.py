"""What comes along from what was found: neighbours of the first seeds, each with a share of its score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from grainline.lab.ground import Ground, SourceText
from grainline.lab.links import Related, definition_of, functions_in
from grainline.lab.strategies._packing import whole_lines
from grainline.lab.values import Piece, Query, Settings, Value
from grainline.model.edge import Symbol
from grainline.model.position import Span

EXPANSION: Mapping[str, Value] = {
    "seeds": 5,  # pieces of a ranking whose neighbours are looked at
    "neighbours": 6,  # of one function, at one hop
    "hops": 1,
    "decay": 0.8,  # of a seed's score, for what is one hop away: `lab run decay`
}

Relate = Callable[[Symbol], Iterable[Related]]
"""What stands near a function, the most telling first."""


def expanded(
    ground: Ground,
    query: Query,
    ranking: Sequence[Piece],
    settings: Settings,
    relate: Relate,
) -> list[Piece]:
    """The ranking with the functions near its first pieces, all by score.

    A neighbour has the score of the best seed that leads to it, less `decay` for each hop; one that
    was found itself moves up to that when it stands lower.
    """
    files = ground.files(query.ref)
    best: dict[tuple[bytes, Span], Piece] = {(each.path, each.span): each for each in ranking}
    for seed in ranking[: settings.count("seeds")]:
        reached = {
            Symbol(seed.path, each.descriptor) for each in functions_in(files[seed.path], seed.span)
        }
        frontier = [(symbol, "") for symbol in sorted(reached)]
        score = seed.score
        for _ in range(settings.count("hops")):
            score -= (1 - settings.number("decay")) * abs(score)
            following: list[tuple[Symbol, str]] = []
            for symbol, _ in frontier:
                found = [each for each in relate(symbol) if each.symbol not in reached]
                for each in found[: settings.count("neighbours")]:
                    reached.add(each.symbol)
                    following.append(each)
            for symbol, relation in following:
                _offer(best, files, symbol, relation, seed, score)
            frontier = following
    return sorted(best.values(), key=lambda each: -each.score)


def _offer(
    best: dict[tuple[bytes, Span], Piece],
    files: Mapping[bytes, SourceText],
    symbol: Symbol,
    relation: str,
    seed: Piece,
    score: float,
) -> None:
    piece = piece_of(files, symbol, score, f"{relation} ({score:.2f})", seed.version)
    if piece is None:
        return
    for key, known in best.items():
        if known.path == piece.path and _holds(known.span, piece.span):
            if known.score < score:
                best[key] = known._replace(score=score, why=f"{known.why}; {piece.why}")
            return
    best[piece.path, piece.span] = piece


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def piece_of(
    files: Mapping[bytes, SourceText], symbol: Symbol, score: float, why: str, version: str
) -> Piece | None:
    """A definition as a piece that came along; None for what is not there or no definition."""
    file = files.get(symbol.path)
    definition = definition_of(file, symbol.descriptor) if file and symbol.descriptor else None
    if file is None or definition is None:
        return None
    span = Span(definition.start, definition.end)
    lines = whole_lines(file, span)
    unit = definition.descriptor
    return Piece(symbol.path, span, lines, score, why, unit, version, seed=False)

"""Three views of a function, fused: its text, what it depends on, and where it stands.

In the manner of retrieval that looks at text, dependencies and hierarchy apart (AIRCoder) and adds
up their ranks: reciprocal rank fusion, Cormack et al., SIGIR 2009, with a weight for each view.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from grainline.lab.ground import Ground
from grainline.lab.links import Links, functions_in
from grainline.lab.strategies._composed import Composed
from grainline.lab.strategies._expanding import piece_of
from grainline.lab.strategies.function_calls import TYPES
from grainline.lab.values import Piece, Query, Settings, Value
from grainline.languages.base import CALLABLE_KINDS
from grainline.model.edge import Symbol
from grainline.model.position import Span

OPTIONS: Mapping[str, Value] = {
    "text_weight": 1.0,
    "dependency_weight": 0.3,
    "hierarchy_weight": 0.15,
    "seeds": 5,  # of the text view, from which the other two start
    "constant": 60.0,  # of the fusion: how flat ranks are
}

Key = tuple[bytes, Span]


def fused(
    ground: Ground, query: Query, ranking: Sequence[Piece], settings: Settings
) -> list[Piece]:
    """By the sum of what the views give; ties in the order of path and span."""
    seeds = ranking[: settings.count("seeds")]
    views = {
        "text": list(ranking),
        "dependency": list(_dependencies(ground, query, seeds)),
        "hierarchy": list(_neighbourhood(ground, query, seeds)),
    }
    scores: defaultdict[Key, float] = defaultdict(float)
    told: defaultdict[Key, list[str]] = defaultdict(list)
    pieces: dict[Key, Piece] = {}
    for name, view in views.items():
        once: dict[Key, Piece] = {}
        for piece in view:
            once.setdefault((piece.path, piece.span), piece)
        for rank, (key, piece) in enumerate(once.items(), 1):
            weight = settings.number(f"{name}_weight")
            scores[key] += weight / (settings.number("constant") + rank)
            told[key].append(f"{name} {rank}")
            pieces.setdefault(key, piece)
    order = sorted(pieces, key=lambda key: (-scores[key], key))
    return [
        pieces[key]._replace(score=scores[key], why=", ".join(told[key]))
        for key in order
        if scores[key] > 0
    ]


def _dependencies(ground: Ground, query: Query, seeds: Sequence[Piece]) -> Iterator[Piece]:
    """What the seeds call and what calls them."""
    links, files = Links.of(ground, TYPES, query.ref), ground.files(query.ref)
    for seed in seeds:
        for function in functions_in(files[seed.path], seed.span):
            for other in links.both(Symbol(seed.path, function.descriptor)):
                piece = piece_of(files, other.symbol, 0.0, other.relation, seed.version)
                if piece is not None:
                    yield piece


def _neighbourhood(ground: Ground, query: Query, seeds: Sequence[Piece]) -> Iterator[Piece]:
    """Functions with the same parent as a seed, nearest first."""
    files = ground.files(query.ref)
    for seed in seeds:
        file = files[seed.path]
        functions = [each for each in file.facts.definitions if each.kind in CALLABLE_KINDS]
        for own in functions_in(file, seed.span):
            siblings = [each for each in functions if each.parent == own.parent and each != own]
            for each in sorted(siblings, key=lambda each: (abs(each.start - own.start), each)):
                symbol = Symbol(seed.path, each.descriptor)
                piece = piece_of(files, symbol, 0.0, "same parent", seed.version)
                if piece is not None:
                    yield piece


STRATEGY = Composed(name="three_view", chunker="function", expand=fused, extra=OPTIONS)

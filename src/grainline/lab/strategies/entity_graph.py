"""Dataflow-guided retrieval: from the names at hand along their types and uses, then by text.

In the manner of DraCo (Cheng et al., ACL 2024): a graph of modules, classes, functions and variables
with edges of dependence is entered at the names that the asker wrote and walked outwards. Names
are those of the question that look like code; for a hole, those above it in its file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from grainline.lab.ground import Ground
from grainline.lab.links import Links
from grainline.lab.strategies._composed import Composed
from grainline.lab.strategies._expanding import piece_of
from grainline.lab.values import Piece, Query, Settings, Value
from grainline.model.edge import EdgeType, Symbol

DEPENDENCE = (
    EdgeType.CALLS,
    EdgeType.INSTANTIATES,
    EdgeType.INHERITS,
    EdgeType.HAS_TYPE,
    EdgeType.READS,
    EdgeType.WRITES,
)
OPTIONS: Mapping[str, Value] = {
    "names": 12,  # of the question that are looked up; the last ones of a hole
    "same": 4,  # definitions of one name, above which it says nothing
    "hops": 1,  # along dependence
    "decay": 0.5,  # of the weight of a name, for each hop
}
_NAME = re.compile(r"[^\W\d]\w*")
_CODE = re.compile(r"_|[a-z0-9][A-Z]|\d")


def guided(
    ground: Ground, query: Query, ranking: Sequence[Piece], settings: Settings
) -> list[Piece]:
    """What the names lead to above what only the text finds; both in one scale."""
    weights = _reached(ground, query, settings)
    top = max((abs(each.score) for each in ranking), default=1.0) or 1.0
    found = list(ranking)
    files = ground.files(query.ref)
    version = query.ref or "" if ground.checkout.refs else ""
    for symbol, (weight, why) in weights.items():
        piece = piece_of(files, symbol, weight * top, why, version)
        if piece is not None:
            _add(found, piece)
    return sorted(found, key=lambda each: (-each.score, each.path, each.span))


def _add(found: list[Piece], piece: Piece) -> None:
    """To the piece that holds it, if there is one: a chunk may begin with a comment."""
    for number, known in enumerate(found):
        inside = known.span.start <= piece.span.start and piece.span.end <= known.span.end
        if known.path == piece.path and inside:
            score = known.score + piece.score
            found[number] = known._replace(score=score, why=f"{known.why}; {piece.why}")
            return
    found.append(piece)


def _reached(
    ground: Ground, query: Query, settings: Settings
) -> Mapping[Symbol, tuple[float, str]]:
    """Weight and way of what the names lead to; the shortest way counts."""
    links = Links.of(ground, DEPENDENCE, query.ref)
    defined = ground.once(("names", query.ref), lambda: _definitions(ground, query.ref))
    found: dict[Symbol, tuple[float, str]] = {}
    frontier: list[Symbol] = []
    for name in _names(query, settings):
        here = defined.get(name, ())
        if 0 < len(here) <= settings.count("same"):
            for symbol in here:
                found.setdefault(symbol, (1.0 / len(here), f"named {name}"))
                frontier.append(symbol)
    for _ in range(settings.count("hops")):
        following: list[Symbol] = []
        for symbol in frontier:
            weight = found[symbol][0] * settings.number("decay")
            for other in links.out(symbol):
                if other.symbol not in found:
                    found[other.symbol] = weight, other.relation
                    following.append(other.symbol)
        frontier = following
    return found


def _definitions(ground: Ground, ref: str | None) -> Mapping[str, Sequence[Symbol]]:
    found: defaultdict[str, list[Symbol]] = defaultdict(list)
    for file in ground.files(ref).values():
        if not file.is_test:
            for each in file.facts.definitions:
                found[each.name].append(Symbol(file.path, each.descriptor))
    return found


def _names(query: Query, settings: Settings) -> Iterator[str]:
    """Of words only those that look like code; of code above a hole the nearest, all of them."""
    words = list(dict.fromkeys(reversed(_NAME.findall(query.text))))
    if query.at is None:
        words = [word for word in reversed(words) if _CODE.search(word) or f"`{word}" in query.text]
    yield from words[: settings.count("names")]


STRATEGY = Composed(name="entity_graph", chunker="function", expand=guided, extra=OPTIONS)

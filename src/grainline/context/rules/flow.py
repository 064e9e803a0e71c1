"""Level 3: where data of the anchor comes from and goes to: the other functions of its ways."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from grainline.context.edges import Place
from grainline.context.expansion import Anchor, Ask, Neighbour, Share
from grainline.context.rules.common import head, is_small, merge, whole
from grainline.context.ways import Way
from grainline.model.edge import EdgeType, Method
from grainline.model.evidence import EvidenceRole, Step
from grainline.model.flow import FlowStep, Role
from grainline.model.position import Span, quote_path
from grainline.model.relations import Verdict
from grainline.retrieval.relations.book import view_of

MOST_HOPS: Final = 3
"""Hops to the anchor that a piece names."""

_ROLES: Final = (
    (Role.SINK, EvidenceRole.SINK, 1.0),
    (Role.SOURCE, EvidenceRole.SOURCE, 1.0),
    (Role.SANITIZER, EvidenceRole.SANITIZER, 0.95),
    (Role.GUARD, EvidenceRole.SANITIZER, 0.95),
)
"""What a function is called whose steps have several roles, and its weight: the first that fits."""

_PROPAGATOR: Final = (EvidenceRole.PROPAGATOR, 0.85)
_ASSUMED: Final = 0.6
"""Of the weight of a way that is known, for one that leans on an assumption."""

_LATER: Final = 0.85
"""Of the weight of a way, for the one behind it."""


class _Piece(NamedTuple):
    """Steps that follow each other in one function."""

    place: Place
    steps: tuple[FlowStep, ...]
    passed: bool


class Flow:
    """Follows data from its source through the anchor to its sink."""

    name = "flow"
    level = 3
    share = Share.DIRECT

    def expand(self, ask: Ask, anchor: Anchor) -> Iterable[Neighbour]:
        """One neighbour per function, by the best way that passes it; sources and sinks first."""
        found: dict[Place, Neighbour] = {}
        for rank, way in enumerate(ask.ways.through(anchor)):
            for each in _neighbours(ask, anchor, way, _LATER**rank):
                found.setdefault(Place(each.entry, each.symbol), each)
        ordered = sorted(found.values(), key=lambda each: -each.weight)
        ask.left_out[self.name, anchor] = max(0, len(ordered) - ask.max_neighbours)
        return ordered[: ask.max_neighbours]


def _neighbours(ask: Ask, anchor: Anchor, way: Way, worth: float) -> Iterator[Neighbour]:
    pieces = _pieces(ask, anchor, way)
    mine = [number for number, piece in enumerate(pieces) if piece.passed]
    sure = 1.0 if way.way.verdict is Verdict.PATH else _ASSUMED
    why = _why(ask, anchor, way)
    for number, piece in enumerate(pieces):
        if piece.passed or piece.place.entry < 0:
            continue
        near = min(mine, key=lambda each: (abs(each - number), each))
        hops = [_hop(ask, pieces, each) for each in _between(number, near)][:MOST_HOPS]
        role, weight = _role(piece.steps)
        spans, brief = _shown(ask, piece)
        yield Neighbour(
            entry=piece.place.entry,
            spans=spans,
            brief=brief,
            symbol=piece.place.row,
            role=role,
            step=hops[0],
            beyond=tuple(hops[1:]),
            why=why,
            weight=weight * sure * worth,
            by_edge=True,
            aimed=ask.ways.keen,
        )


def _pieces(ask: Ask, anchor: Anchor, way: Way) -> list[_Piece]:
    corpus = ask.reader.corpus
    view = view_of(corpus, anchor.entry)
    found: list[_Piece] = []
    numbered = enumerate(way.way.steps)
    for symbol, group in groupby(numbered, key=lambda pair: pair[1].symbol):
        run = list(group)
        entry = ask.edges.entry(view, symbol.path)
        place = Place(-1, -1) if entry < 0 else ask.edges.place(entry, symbol)
        passed = any(number in way.passed for number, _ in run)
        found.append(_Piece(place, tuple(step for _, step in run), passed))
    return found


def _between(number: int, near: int) -> Iterable[int]:
    """The hops (each by the piece it starts from) from a piece to the anchor."""
    return range(number, near) if number < near else range(number - 1, near - 1, -1)


def _hop(ask: Ask, pieces: Sequence[_Piece], number: int) -> Step:
    """From one piece to the next: where data leaves the first."""
    one, other = pieces[number], pieces[number + 1]
    last = one.steps[-1]
    file = ask.reader.file(one.place.entry)
    return Step(
        type=EdgeType.DATA_FLOWS_TO.upper(),
        src=ask.edges.name(one.place),
        dst=ask.edges.name(other.place),
        tier=other.steps[0].tier.name.lower(),
        methods=(str(Method.FLOW),),
        candidates=1,
        repository=ask.reader.corpus.repository(one.place.entry).name,
        path=last.path,
        line=file.line_at(last.span.start),
    )


def _role(steps: Sequence[FlowStep]) -> tuple[EvidenceRole, float]:
    roles = {step.role for step in steps}
    return next(((said, weight) for role, said, weight in _ROLES if role in roles), _PROPAGATOR)


def _shown(ask: Ask, piece: _Piece) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """(spans, brief): the function when it is short, and its head with the lines on the way."""
    file = ask.reader.file(piece.place.entry)
    lines = [file.widen(step.span) for step in piece.steps]
    if piece.place.row < 0:
        return merge(lines), ()
    found = file.outline[piece.place.row]
    brief = merge([*head(file, found), *lines])
    return ((whole(file, found),), brief) if is_small(file, found) else (brief, ())


def _why(ask: Ask, anchor: Anchor, way: Way) -> str:
    steps = way.way.steps
    first, last = (_at(ask, anchor, step) for step in (steps[0], steps[-1]))
    if way.way.verdict is Verdict.PATH:
        return f"data flows from {first} to {last}"
    leans = way.way.reasons[0]
    name = f" {leans.name}" if leans.name else ""
    return f"data may flow from {first} to {last}; assumed: {leans.cut}{name}"


def _at(ask: Ask, anchor: Anchor, step: FlowStep) -> str:
    entry = ask.edges.entry(view_of(ask.reader.corpus, anchor.entry), step.path)
    line = ask.reader.file(entry).line_at(step.span.start) if entry >= 0 else 0
    note = f" ({step.note})" if step.note else ""
    return f"{quote_path(step.path)}:{line}{note}"


RULE = Flow()

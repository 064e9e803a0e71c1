"""F: functions, and the others on the ways of data through them; then what shares state or type.

Ways are those of the engine's scan of the checkout, from a source to a sink that models know,
stopped ones included: what cleans data on its way explains as much as what lets it pass. Where the
symbol graph itself says what hands data to what, those edges come next.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from grainline.lab.ground import Ground
from grainline.lab.links import Links, Related, functions_in
from grainline.lab.strategies._composed import Composed
from grainline.lab.strategies._expanding import EXPANSION, expanded
from grainline.lab.values import Piece, Query, Settings
from grainline.model.edge import EdgeType, Symbol
from grainline.model.flow import FlowResult, PlacedStep
from grainline.model.position import LineSpan

DATA = (EdgeType.DATA_FLOWS_TO,)
STATE = (EdgeType.READS, EdgeType.WRITES)
STRUCTURE = (EdgeType.OVERRIDES, EdgeType.IMPLEMENTS, EdgeType.INHERITS, EdgeType.HAS_TYPE)

Ways = dict[Symbol, dict[Related, None]]


def along_data(
    ground: Ground, query: Query, ranking: Sequence[Piece], settings: Settings
) -> list[Piece]:
    """Ways first, then shared state, then structure."""
    ref = query.ref
    ways = ground.once(("ways", ref), lambda: _ways(ground, ref))
    data, state, structure = (Links.of(ground, each, ref) for each in (DATA, STATE, STRUCTURE))

    def relate(symbol: Symbol) -> Iterator[Related]:
        yield from ways.get(symbol, ())
        yield from data.both(symbol)
        yield from state.siblings(symbol)
        yield from structure.both(symbol)

    return expanded(ground, query, ranking, settings, relate)


def _ways(ground: Ground, ref: str | None) -> Ways:
    """For each function on a way the others on it, in the order of the way."""
    found: defaultdict[Symbol, dict[Related, None]] = defaultdict(dict)
    for steps in _found(ground, ref):
        way = [(symbol, step) for step in steps if (symbol := _function(ground, ref, step))]
        for symbol in dict.fromkeys(symbol for symbol, _ in way):
            for other, step in way:
                if other != symbol:
                    found[symbol][Related(other, f"{step.role} of a way of data")] = None
    return dict(found)


def _found(ground: Ground, ref: str | None) -> Iterator[Sequence[PlacedStep]]:
    for finding in _scanned(ground, ref).findings:
        yield (*finding.steps, *finding.stops)
        for other in finding.alternates:
            yield (*other.steps, *other.stops)


def _scanned(ground: Ground, ref: str | None) -> FlowResult:
    home = ground.home()
    return home.engine.scan(scope=home.scope(ref))


def _function(ground: Ground, ref: str | None, step: PlacedStep) -> Symbol | None:
    file = ground.files(ref).get(step.path)
    if file is None:
        return None
    inside = functions_in(file, file.span(LineSpan(step.line, step.line)))
    return Symbol(step.path, inside[0].descriptor) if inside else None


STRATEGY = Composed(name="function_flow", chunker="function", expand=along_data, extra=EXPANSION)

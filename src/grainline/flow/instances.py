"""Fields of instances that callers have who are not there: one method sets, another one reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from grainline.flow.state import State
from grainline.flow.summaries import Summary
from grainline.flow.values import NOTHING, Path, Port, Source, Trail
from grainline.flow.variables import meets
from grainline.model.flow import Boundary, Cut

if TYPE_CHECKING:
    from grainline.flow.program import Place
    from grainline.flow.solver import Solver

RECEIVER = -1


class _Part(NamedTuple):
    """What is set in, or read from, the instance of a class; `kind` is that of the sink it gets to."""

    klass: Place
    path: Path
    source: Source | None = None
    trail: Trail | None = None
    kind: int = -1


def through_instances(solver: Solver) -> Iterator[Boundary]:
    """Places where data of a source that is asked about is put into a field that gets to a sink.

    Nobody is seen to call both methods: whether they are called on one instance is not known.
    """
    asked = solver.asked
    if asked is None:
        return
    put: list[_Part] = []
    taken: list[_Part] = []
    roots = solver.roots()
    for (place, _), summary in solver.summaries.items():
        klass = solver.program.class_of(place) if place in roots else None
        if klass is not None:
            put += _put(klass, summary)
            taken += _taken(klass, summary)
    for one in put:
        for other in taken:
            assert one.source is not None
            assert one.trail is not None
            if (
                meets(one.path, other.path)
                and _related(solver, one.klass, other.klass)
                and asked.counts(solver, one.source, other.kind)
            ):
                code = solver.program.codes[one.trail.unit]
                name = next((key[1] for key in one.path if isinstance(key, tuple)), one.path[0])
                yield Boundary(
                    code.path,
                    code.span(one.trail.op),
                    Cut.INJECTION,
                    f"field {name} of an instance",
                )


def _put(klass: Place, summary: Summary) -> Iterator[_Part]:
    state = State(heap=dict(summary.heap))
    for thing in summary.heap.values():
        symbol = thing.symbol
        if not isinstance(symbol, Port) or symbol.place != RECEIVER:
            continue
        for key in thing.written:
            content = thing.rest if key == "*" else thing.fields.get(key, NOTHING)
            for origin, taint in state.deep(content).items():
                if isinstance(origin, Source) and taint.trail is not None:
                    yield _Part(klass, (*symbol.path, key), origin, taint.trail)


def _taken(klass: Place, summary: Summary) -> Iterator[_Part]:
    for hit in summary.hits:
        origin = hit.origin
        if isinstance(origin, Port) and origin.place == RECEIVER and origin.path:
            yield _Part(klass, origin.path, kind=hit.kind)


def _related(solver: Solver, one: Place, other: Place) -> bool:
    program = solver.program
    return one in program.lineage(other) or other in program.lineage(one)

"""What a function does to its caller: the value it gives, the effects it has, the sinks it reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from grainline.flow.state import State, Thing
from grainline.flow.values import NOTHING, Function, Object, Origin, Taint, Trail, Value, ordered


class Hit(NamedTuple):
    """Data of an origin reaches a sink: operation `op` of `unit`, row and kind of the sink."""

    origin: Origin
    unit: int
    op: int
    row: str
    kind: int
    stopped: bool
    """A guard or sanitizer on the way makes it harmless."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One function, for arguments of one shape.

    Attributes:
        result: what it returns, in terms of its ports.
        heap: the objects that the result and the effects consist of.
        hits: sinks that are reached from a source inside or from a port -> how.
        valid: origins that were tested wherever the function returns.
        stores: variables of scopes around that it sets.
        raises: what it raises.
        dead: whether it never returns.
        cuts: (unit, operation, word) of boundaries inside and in what it calls.
    """

    result: Value = NOTHING
    heap: Mapping[Object, Thing] = field(default_factory=dict[Object, Thing])
    hits: Mapping[Hit, Taint] = field(default_factory=dict[Hit, Taint])
    valid: Mapping[Origin, tuple[int, Trail]] = field(
        default_factory=dict[Origin, tuple[int, Trail]]
    )
    stores: Mapping[tuple[int, int, str], Value] = field(
        default_factory=dict[tuple[int, int, str], Value]
    )
    raises: Value = NOTHING
    dead: bool = False
    outs: Mapping[int, Value] = field(default_factory=dict[int, Value])
    """What parameters hold in the end that give it to the variable of the caller."""

    def digest(self) -> object:
        """What must stay for a fixpoint: equal digests mean equal effects, whatever the trails."""
        hits = frozenset((hit, taint.clean) for hit, taint in self.hits.items())
        fields = frozenset(
            (ref, key, frozenset(value.taints), value.refs)
            for ref, thing in self.heap.items()
            for key, value in (*thing.fields.items(), ("*", thing.rest))
        )
        stores = frozenset((key, frozenset(value.taints)) for key, value in self.stores.items())
        outs = tuple((index, frozenset(value.taints)) for index, value in self.outs.items())
        result = frozenset(self.result.taints), self.result.refs, outs
        return hits, fields, stores, result, self.dead


BOTTOM = Summary(dead=True)
"""Of a function that is being looked at: as if it never returned, until that is known better."""


def reachable(state: State, roots: list[Value]) -> dict[Object, Thing]:
    """The objects that values lead to, and what callers handed in and the function changed."""
    return _followed(state, roots, lambda thing: (*thing.fields.values(), thing.rest))


def changed(state: State, roots: list[Value]) -> dict[Object, Thing]:
    """The same for a caller: of what it handed in, it has the fields that were only read itself."""
    found = _followed(state, roots, _set)
    return {
        ref: thing._replace(fields={k: v for k, v in thing.fields.items() if k in thing.written})
        if thing.symbol is not None and len(thing.written) < len(thing.fields)
        else thing
        for ref, thing in found.items()
    }


def _set(thing: Thing) -> list[Value]:
    """What an object is made of; of something handed in, what was set."""
    if thing.symbol is None:
        return [*thing.fields.values(), thing.rest]
    found = [value for key, value in thing.fields.items() if key in thing.written]  # in their order
    return [*found, thing.rest] if "*" in thing.written else found


def _followed(
    state: State, roots: list[Value], inside: Callable[[Thing], Iterable[Value]]
) -> dict[Object, Thing]:
    found: dict[Object, Thing] = {}
    waiting = [ref for value in roots for ref in _objects(value)]
    waiting += [ref for ref, thing in state.heap.items() if thing.symbol and thing.written]
    while waiting:
        ref = waiting.pop()
        thing = state.heap.get(ref)
        if ref in found or thing is None:
            continue
        found[ref] = thing
        for value in inside(thing):
            if value.refs:
                waiting += _objects(value)
    return found


def _objects(value: Value) -> list[Object]:
    found: list[Object] = []
    for ref in ordered(value.refs):
        if isinstance(ref, Object):
            found.append(ref)
        elif isinstance(ref, Function):
            found += [each for each in (ref.receiver, ref.variables) if each is not None]
    return found

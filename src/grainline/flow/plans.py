"""What a summary consists of, arranged once for all calls that it is applied at; values that are made late.

A call maps every value of a summary, and most of the data in what it gives back or sets is never
looked at. So the data of a mapped value is made when somebody asks for it (`Later`): what the origins of the
callee are to the caller is settled at the call, before the caller goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from grainline.flow.values import (
    NO_TAINTS,
    Fact,
    Function,
    Late,
    Object,
    Origin,
    Port,
    Ref,
    Source,
    Taint,
    Trail,
    Value,
    better,
    ordered,
)
from grainline.model.flow import Role

if TYPE_CHECKING:
    from grainline.flow.state import Thing
    from grainline.flow.summaries import Hit, Summary
    from grainline.flow.values import Key
    from grainline.model.edge import Tier

_CALL: Final = Role.CALL
_RETURN: Final = Role.RETURN

Wanted = tuple[Origin, bool]
"""An origin of a callee; whether its contents come along with an object."""

Mine = list[tuple[Origin, Taint]]
"""What an origin of a callee is to the caller, with how it came there."""


class Part(NamedTuple):
    """One value of a summary.

    Attributes:
        refs: what it points at, in order.
        wanted: the origins of its data, in order, shared by values of the same origins.
        taints: of each of them.
        plain: whether it is the same to every caller.
    """

    refs: tuple[Ref, ...]
    wanted: tuple[Wanted, ...]
    taints: tuple[Taint, ...]
    plain: bool


class Effect(NamedTuple):
    """Something handed in that is changed: which keys of it, in order."""

    ref: Object
    thing: Thing
    keys: tuple[Key, ...]
    takes_arguments: bool
    """Whether something of the caller was put into it."""


class Plan:
    """A summary, as calls go through it."""

    def __init__(self, summary: Summary) -> None:
        self.summary = summary
        self._parts: dict[int, Part] = {}
        self._same: dict[tuple[Wanted, ...], tuple[Wanted, ...]] = {}
        self.hits: list[tuple[Hit, Taint]] = [
            row for row in summary.hits.items() if not isinstance(row[0].origin, Source)
        ]
        self.effects: list[Effect] = [
            Effect(ref, thing, tuple(sorted(thing.written, key=repr)), _takes_arguments(thing))
            for ref, thing in summary.heap.items()
            if thing.symbol is not None and thing.written
        ]

    def part(self, value: Value) -> Part:
        """One of the values of the summary, which keeps them: their numbers stay theirs."""
        found = self._parts.get(id(value))
        if found is None:
            found = self._parts[id(value)] = self._arranged(value)
        return found

    def _arranged(self, value: Value) -> Part:
        refs = tuple(ordered(value.refs))
        heap = self.summary.heap
        aliased = {
            thing.symbol for ref in refs
            if isinstance(ref, Object) and (thing := heap.get(ref)) is not None
        }  # fmt: skip
        wanted = tuple([(origin, origin in aliased) for origin in value.taints])
        plain = not wanted and not value.facts and not any(map(_is_bound, refs))
        return Part(
            refs, self._same.setdefault(wanted, wanted), tuple(value.taints.values()), plain
        )


def _is_bound(ref: Ref) -> bool:
    """Whether a reference is another one to another caller."""
    if isinstance(ref, Function):
        return ref.receiver is not None or ref.variables is not None
    return isinstance(ref, Object)


def _takes_arguments(thing: Thing) -> bool:
    contents = [thing.rest if key == "*" else thing.fields.get(key) for key in thing.written]
    return any(each.refs or any(isinstance(origin, Port) for origin in each.taints)
               for each in contents if each is not None)  # fmt: skip


_NONE: Final[Mapping[Wanted, Mine]] = {}


class Place(NamedTuple):
    """Where a summary is applied."""

    unit: int
    op: int
    tier: Tier


class Later(Late):
    """A value of a callee as its caller has it."""

    __slots__ = ("_mine", "_part", "_place")

    def __init__(
        self,
        place: Place,
        mine: Mapping[Wanted, Mine],
        part: Part,
        refs: frozenset[Ref],
        const: object,
        facts: tuple[Fact, ...],
    ) -> None:
        self._place = place
        self._mine = mine
        self._part: Part | None = part
        self.waits = 1
        self.refs = refs
        self.const = const
        self.facts = facts

    def made(self) -> Mapping[Origin, Taint]:
        """The taints, as the origins were at the call."""
        assert self._part is not None
        found = mapped(self._place, self._mine, self._part)
        self._mine, self._part = _NONE, None
        return found

    def comes_from(self, origins: Mapping[Origin, object]) -> bool:
        """Whether any of its data is of one of these origins; nothing is made for that."""
        if self._part is None:
            return super().comes_from(origins)
        mine = self._mine
        return any(each in origins for wanted in self._part.wanted for each, _ in mine[wanted])


def mapped(place: Place, mine: Mapping[Wanted, Mine], part: Part) -> Mapping[Origin, Taint]:
    """Taints of the callee as the caller has them."""
    found: dict[Origin, Taint] = {}
    for wanted, taint in zip(part.wanted, part.taints, strict=True):
        origin = wanted[0]
        for each, before in mine[wanted]:
            known = found.get(each)
            if known is None:
                found[each] = through(place, origin, before, taint)
            elif not adds_nothing(known, before, taint):
                found[each] = better(known, through(place, origin, before, taint))
    return found or NO_TAINTS


def adds_nothing(known: Taint, before: Taint, inside: Taint) -> bool:
    """Whether `better` would take what is known: it is as harmful, as sure and no longer."""
    if known.clean != before.clean | inside.clean or known.assumed:
        return False
    assert known.trail is not None
    length = 1
    if before.trail is not None:
        length += before.trail.length
    if inside.trail is not None:
        length += inside.trail.length
    return known.trail.length <= length


def through(place: Place, origin: Origin, before: Taint, inside: Taint) -> Taint:
    """A taint of the callee behind what led there in the caller."""
    unit, op, tier = place
    role = _RETURN if isinstance(origin, Source) else _CALL
    trail = Trail(unit, op, role, "", before.trail, inside.trail, tier)
    assumed = before.assumed
    if inside.assumed and inside.assumed is not assumed:
        assumed += tuple([each for each in inside.assumed if each not in assumed])
    return Taint(before.clean | inside.clean, trail, assumed)

"""What a register may hold: constants, things that are pointed at, and taints with their trails.

A taint is keyed by its *origin*, so that several sources that meet in one value stay apart (GitNexus
and Pysa key by the source for the same reason). An origin is a source in this run, or symbolic: a
parameter or a variable of a scope around, with the path of fields and constant keys that is read
from it. Symbolic origins are what summaries are made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from grainline.model.edge import Tier
from grainline.model.flow import Cut, Role

Key: TypeAlias = "str | int | tuple[str, str]"
"""Of a field: a constant key of a container, or `(".", name)` of an attribute."""

Path: TypeAlias = tuple[Key, ...]

MAX_PATH: Final = 3
"""Keys of a symbolic path; what is deeper counts as the whole of what stands there."""


MAX_ORIGINS: Final = 12
"""Sources, and ports, of one value that are told apart. Of more, only the things that ports are parts
of; of still more, the first: that can hide a path through a function with dozens of them in one
value, never make one."""


class Source(NamedTuple):
    """Data that comes in at an operation, by a row of a model."""

    unit: int
    op: int
    row: int
    path: Path = ()
    """The part of it, where parts are told apart."""

    def rank(self) -> tuple[int, int, int, str]:
        """Where it stands among others: keys of several types have no order."""
        return self.unit, self.op, self.row, repr(self.path)


class Port(NamedTuple):
    """Data that a caller hands in: parameter `place` (-1: the receiver) at `path`."""

    place: int
    path: Path


class Free(NamedTuple):
    """A variable `name` of `scope`, at `path`."""

    unit: int
    scope: int
    name: str
    path: Path


Origin: TypeAlias = "Source | Port | Free"

_UNKNOWN_KEY: Final = Cut.KEY.value

CALLER: Final = Port(-10, ())
"""That somebody calls: what operations need a check of."""

DOUBT: Final = Port(-11, ())
"""As an origin that was tested: a call on the way whose name is like that of a check."""

SELECTED: Final = "the thing that was found"
"""At the end of the path of an origin: not the data, but what was looked up by it."""


OUTER: Final[Key] = (".", "%outer")
"""Of an instance of an inner class: the one that it was made in."""

GIVEN_RECEIVER: Final = "%receiver"
"""Beside what a function literal is called on, which has no receiver else."""


class Trail:
    """How a taint came here: a list that grows at its end; `inner` is what happened in a callee."""

    __slots__ = ("before", "inner", "length", "note", "op", "role", "tier", "unit")

    def __init__(
        self,
        unit: int,
        op: int,
        role: Role,
        note: str = "",
        before: Trail | None = None,
        inner: Trail | None = None,
        tier: Tier = Tier.RESOLVED,
    ) -> None:
        self.unit = unit
        self.op = op
        self.role = role
        self.note = note
        self.before = before
        self.inner = inner
        self.tier = tier
        length = 1 + (before.length if before else 0)
        self.length: int = length + (inner.length if inner else 0)

    def steps(self) -> Iterator[Trail]:
        """All steps in order, those of callees where they were called."""
        return self._walk(back=False)

    def steps_back(self) -> Iterator[Trail]:
        """The same, the last one first."""
        return self._walk(back=True)

    def _walk(self, *, back: bool) -> Iterator[Trail]:
        stack: list[tuple[Trail | None, bool]] = [(self, False)]
        while stack:
            trail, seen = stack.pop()
            if trail is None:
                continue
            if seen:
                yield trail
                continue
            before, mine, inner = (trail.before, False), (trail, True), (trail.inner, False)
            order = (before, mine, inner) if trail.role is Role.CALL else (before, inner, mine)
            stack += order if back else reversed(order)


PART: Final = " (a part)"
"""At the end of the note of a step that gives a part of a text."""

HOST: Final = " (the host)"
"""At the end of the note of a step that gives the host of an address."""

MAX_PARTS: Final = 24
"""Steps of a way that are looked at for a part."""


def taken(trail: Trail | None) -> str:
    """What data is of what came in: `PART`, `HOST`, or "" for the whole; also of what a callee took."""
    found = ""
    for step in backwards(trail, MAX_PARTS):
        if step.note.endswith(PART):
            return PART
        if step.note.endswith(HOST):
            found = HOST
    return found


def backwards(trail: Trail | None, most: int) -> Iterator[Trail]:
    """The last steps of a way, the latest first."""
    waiting = [trail]
    while waiting and most:
        step = waiting.pop()
        if step is not None:
            most -= 1
            yield step
            waiting += (step.before, step.inner)


ALIKE: Final = " (alike)"
"""At the end of the note of a step that gives something from which it is known what the whole is like."""

_OF: Final = " of "
"""Between a part and what it is a part of, in one key."""

_PIECES: Final = {PART: "%part ", HOST: "%host ", ALIKE: "%like "}
"""How keys begin, at the end of the path of an origin, that are what was taken from it, and where."""
_ANY_PIECE: Final = tuple(_PIECES.values())


def piece(origin: Origin, what: str, unit: int, op: int, kinds: int = 0) -> Origin:
    """Data that an operation takes from other data: a test of it says nothing of the rest.

    `kinds`: those for which a test of what is alike is one of the whole. Of a variable that may be
    looked for elsewhere it stays the whole, and the note of its step says what it is.
    """
    key = f"{_PIECES[what]}{unit}:{op}"
    return deepened(origin, f"{key}:{kinds}" if what == ALIKE else key)


def member_of(origin: Origin, member: Key) -> Origin:
    """A member of data: data of its own, as far as members are told apart."""
    if isinstance(origin, Source) and len(origin.path) < MAX_PATH:
        return origin._replace(path=(*origin.path, member))
    return deepened(origin, f"{_PIECES[PART]}[{member}]")


def keys_of(origin: Origin) -> Origin:
    """What the elements of data are called: data of its own."""
    return deepened(origin, f"{_PIECES[PART]}keys")


def beside_of(taints: Mapping[Origin, Taint]) -> Mapping[Origin, Taint]:
    """What is handed over beside an element: a test of one says nothing of the other."""
    return {deepened(each, f"{_PIECES[PART]}beside"): taint for each, taint in taints.items()}


def is_piece(key: Key, what: str = "") -> bool:
    """Whether a key of a path is something that was taken from data."""
    return isinstance(key, str) and key.startswith(_PIECES[what] if what else _ANY_PIECE)


def likeness(key: Key) -> int:
    """Kinds for which a test of something that was taken is one of what it was taken from."""
    return int(str(key).rpartition(":")[2]) if is_piece(key, ALIKE) else 0


def is_taken_at(origin: Origin, unit: int, op: int) -> bool:
    """Whether data was taken from other data by an operation, or is in such data."""
    at = f"{unit}:{op}"
    return any(
        is_piece(key) and part.split(" ", 1)[1].startswith((f"{at}:", at))
        for key in origin.path
        for part in str(key).split(_OF)
    )


def deepened(origin: Origin, key: Key) -> Origin:
    """The same piece of other data; in the place of another part of it where there is no room."""
    path = origin.path
    if isinstance(origin, Free) or key in path:
        return origin
    if len(path) >= MAX_PATH and is_piece(path[-1], PART):
        if is_piece(key, PART):
            key = _inner(str(path[-1]), str(key))
        path = path[:-1]  # a part of a part is one of the whole
    path = (*path[: MAX_PATH + 1], key)
    return Port(origin.place, path) if isinstance(origin, Port) else origin._replace(path=path)


def _inner(part: str, key: str) -> str:
    """A part of a part as one of the whole: apart from those of other parts, as long as few are named.

    Both may be parts of parts themselves: of all, the innermost `MAX_PATH` are named.
    """
    around = part.split(_OF)
    if key in around:
        return part
    return _OF.join(tuple(dict.fromkeys((*key.split(_OF), *around)))[:MAX_PATH])


class Taint(NamedTuple):
    """One taint: kinds of sink that it cannot hurt any more (bits), how it came, what is assumed."""

    clean: int
    trail: Trail | None
    assumed: tuple[tuple[int, int, str], ...] = ()
    """(unit, operation, word of `Cut`) of places where the flow is not known but assumed."""


class Fact(NamedTuple):
    """Where the value is true (`truth`), data of `origin` is harmless for `kinds`."""

    truth: bool
    origin: Origin
    kinds: int
    trail: Trail
    found: bool = False
    """Of a value that is nothing where it is not true: what was looked for."""


class Object(NamedTuple):
    """A container or instance: the key it is allocated under."""

    key: tuple[Any, ...]


class Function(NamedTuple):
    """A function, bound to `receiver` where it was read from one.

    `variables` holds those of the function around it, when that has returned.
    """

    unit: int
    scope: int
    receiver: Object | None = None
    variables: Object | None = None


class Class(NamedTuple):
    """A class."""

    unit: int
    scope: int


class Instance(NamedTuple):
    """In the shape of arguments: some instance of a class, `exact`: of none below it."""

    unit: int
    scope: int
    exact: bool = False


class Holding(NamedTuple):
    """In the shape of arguments: a container that holds a function."""

    function: Function


Ref: TypeAlias = "Object | Function | Class | Instance | str"
"""What a value points at; a string is the dotted name of something outside (`os.system`)."""


_said = lru_cache(maxsize=1 << 16, typed=True)(repr)
"""What orders references: their text, the same in every process; those of two types are never mixed up."""


def ordered(refs: frozenset[Ref]) -> Sequence[Ref]:
    """References in an order that no hash seed decides: whatever is bounded keeps the same ones."""
    return tuple(refs) if len(refs) < 2 else sorted(refs, key=_said)


class Named(NamedTuple):
    """A constant that is known by its name only (`FILTER_VALIDATE_INT`)."""

    name: str

    def __str__(self) -> str:
        return self.name


class Unknown:
    """The constant that is not known."""

    __slots__ = ()


UNKNOWN: Final = Unknown()


class Listed(frozenset[Free]):
    """The constant that is an element of a list of known things, it is not known which: the variables of such lists."""

    __slots__ = ()


class OneOf(frozenset[object]):
    """One of a few constants."""

    __slots__ = ()


MAX_CHOICES: Final = 4
"""Constants that one value may be; of more, none is known."""


def either(one: object, other: object) -> object:
    """The constant that is one of two."""
    if type(one) is type(other) and one == other:
        return one
    if one is UNKNOWN or other is UNKNOWN:
        return UNKNOWN
    if isinstance(one, Listed) or isinstance(other, Listed):
        return Listed(each for const in (one, other) if isinstance(const, Listed) for each in const)
    found = OneOf((*choices(one), *choices(other)))
    return found if len(found) <= MAX_CHOICES else UNKNOWN


def choices(const: object) -> tuple[object, ...]:
    """The constants that a value may be; () where they are not known."""
    if isinstance(const, OneOf):
        return tuple(sorted(const, key=repr))
    if isinstance(const, (Unknown, Listed, slice)):
        return ()
    return (const,)


NO_TAINTS: Final[Mapping[Origin, Taint]] = {}
NO_REFS: Final[frozenset[Ref]] = frozenset()


class Value:
    """An immutable abstract value."""

    __slots__ = ("const", "facts", "refs", "taints")

    waits = 0
    """How deep what its taints are made of is nested, 0 where they are there."""

    def __init__(
        self,
        taints: Mapping[Origin, Taint] = NO_TAINTS,
        refs: frozenset[Ref] = NO_REFS,
        const: object = UNKNOWN,
        facts: tuple[Fact, ...] = (),
    ) -> None:
        self.taints = taints
        self.refs = refs
        self.const = const
        self.facts = facts

    def comes_from(self, origins: Mapping[Origin, object]) -> bool:
        """Whether any of its data is of one of these origins."""
        taints = self.taints
        return bool(taints) and not origins.keys().isdisjoint(taints)

    def names(self) -> list[str]:
        """Dotted names of what it may be outside, in order."""
        found = [ref for ref in self.refs if isinstance(ref, str)]
        if len(found) > 1:
            found.sort()
        return found


NOTHING: Final = Value()


def constant(value: object) -> Value:
    """A value that is known."""
    return Value(const=value)


def pointing(*refs: Ref) -> Value:
    """A value that points at something."""
    return Value(refs=frozenset(refs))


def harmless(value: Value, kinds: int) -> Value:
    """A value whose data cannot hurt some kinds of sink."""
    if not value.taints:
        return value
    taints = {
        origin: taint._replace(clean=taint.clean | kinds) for origin, taint in value.taints.items()
    }
    return Value(taints, value.refs, value.const, value.facts)


def put_under(value: Value, unit: int, op: int) -> Value:
    """A value that `op` puts under a key that is not known: a constant key may not find it."""
    if not value.taints:
        return value
    place = (unit, op, _UNKNOWN_KEY)
    taints = {
        origin: taint
        if place in taint.assumed
        else Taint(taint.clean, taint.trail, (*taint.assumed, place))
        for origin, taint in value.taints.items()
    }
    return Value(taints, value.refs, value.const, value.facts)


def under_none(taints: Mapping[Origin, Taint]) -> Mapping[Origin, Taint]:
    """Taints without those of what was put under a key that is not known."""
    if not _has_assumed(taints):
        return taints
    found = {
        origin: taint
        for origin, taint in taints.items()
        if all(place[2] != _UNKNOWN_KEY for place in taint.assumed)
    }
    return taints if len(found) == len(taints) else found


def _has_assumed(taints: Mapping[Origin, Taint]) -> bool:
    return any(taint.assumed for taint in taints.values())


def under_any(taints: Mapping[Origin, Taint]) -> Mapping[Origin, Taint]:
    """Taints of what is read under any key: which one it was put under does not matter."""
    if not _has_assumed(taints):
        return taints
    found: dict[Origin, Taint] = {}
    for origin, taint in taints.items():
        kept = tuple([place for place in taint.assumed if place[2] != _UNKNOWN_KEY])
        same = len(kept) == len(taint.assumed)
        found[origin] = taint if same else Taint(taint.clean, taint.trail, kept)
    return found


def better(one: Taint, other: Taint) -> Taint:
    """The taint that stands for both: harmless where both are, along the surest, shortest way."""
    if one is other:
        return one
    mine, theirs = one.clean, other.clean
    if mine == theirs:
        return one if _is_no_worse(one, other) else other
    clean = mine & theirs
    if clean == mine:
        return one
    if clean == theirs:
        return other
    first = one if _is_no_worse(one, other) else other
    return Taint(clean, first.trail, first.assumed)


def _is_no_worse(one: Taint, other: Taint) -> bool:
    mine, theirs = one.assumed, other.assumed
    if mine is not theirs and len(mine) != len(theirs):
        return len(mine) < len(theirs)
    trail, other_trail = one.trail, other.trail
    if trail is None:
        return True
    return other_trail is not None and trail.length <= other_trail.length


MAX_POINTED: Final = 10
"""Things that one value may point at; where more are read from, that is a cut."""


class Late(Value):
    """A value whose taints are made when somebody asks for them: of most, nobody does."""

    __slots__ = ("waits",)

    def __getattr__(self, name: str) -> Mapping[Origin, Taint]:
        """Asked for an attribute that is not there yet."""
        if name != "taints" or not self.waits:
            raise AttributeError(name)
        found = self.taints = self.made()
        self.waits = 0
        return found

    def made(self) -> Mapping[Origin, Taint]:
        """The taints; what they are made of is not needed any more."""
        raise NotImplementedError


MAX_WAITS: Final = 16
"""Values inside of each other that are made late; of more the taints are made at once."""


class _Either(Late):
    """What either of two values may be."""

    __slots__ = ("_both",)

    def __init__(self, one: Value, other: Value, refs: frozenset[Ref]) -> None:
        self._both: tuple[Value, ...] = (one, other)
        self.waits = 1 + max(one.waits, other.waits)
        self.refs = refs
        self.const = either(one.const, other.const)
        self.facts = one.facts if one.facts == other.facts else ()

    def made(self) -> Mapping[Origin, Taint]:
        """The taints of both."""
        one, other = self._both
        self._both = ()
        return merge((one.taints, other.taints))

    def comes_from(self, origins: Mapping[Origin, object]) -> bool:
        """Whether any of its data may be of one of these origins."""
        if not self.waits:
            return super().comes_from(origins)
        return any(each.comes_from(origins) for each in self._both)


def merge(maps: Iterable[Mapping[Origin, Taint]]) -> Mapping[Origin, Taint]:
    """Several taints as one set: the first itself, where the others add nothing."""
    first: Mapping[Origin, Taint] = NO_TAINTS
    merged: dict[Origin, Taint] | None = None
    for each in maps:
        if each is first or not each:
            continue
        if not first:
            first = each
            continue
        here = first if merged is None else merged
        for origin, taint in each.items():
            known = here.get(origin)
            if known is taint:
                continue
            if known is None:
                best = taint
            elif known.clean == taint.clean and known.assumed is taint.assumed:
                mine, theirs = known.trail, taint.trail  # as `better` has it
                if mine is None or (theirs is not None and mine.length <= theirs.length):
                    continue
                best = taint
            else:
                best = better(known, taint)
            if best is not known:
                if merged is None:
                    here = merged = dict(first)
                merged[origin] = best
    if merged is None:
        return first
    return merged if len(merged) <= MAX_ORIGINS else bounded(_coarse(merged))


def _coarse(taints: Mapping[Origin, Taint]) -> Mapping[Origin, Taint]:
    """Taints of many parts of few things, as those of the things."""
    found = taints
    deepest = max((len(each.path) for each in taints if not isinstance(each, Source)), default=0)
    for length in range(min(MAX_PATH, deepest) - 1, -1, -1):
        shorter: dict[Origin, Taint] = {}
        for origin, taint in found.items():
            short = _short(origin, length)
            known = shorter.get(short)
            shorter[short] = taint if known is None else better(known, taint)
        found = shorter
        if len(found) <= MAX_ORIGINS:
            break
    return found


def _short(origin: Origin, length: int) -> Origin:
    if isinstance(origin, Source) or len(origin.path) <= length:
        return origin
    if isinstance(origin, Port):
        return Port(origin.place, origin.path[:length])
    return Free(origin.unit, origin.scope, origin.name, origin.path[:length])


def bounded(taints: Mapping[Origin, Taint]) -> Mapping[Origin, Taint]:
    """The first of too many origins: sources before ports, shallow before deep ones."""
    sources = [origin for origin in taints if isinstance(origin, Source)]
    ports = [origin for origin in taints if not isinstance(origin, Source)]
    if len(ports) <= MAX_ORIGINS and len(sources) <= MAX_ORIGINS and not (ports and sources):
        return taints
    if len(ports) > MAX_ORIGINS:
        ports = sorted(ports, key=_rank)[:MAX_ORIGINS]
    if len(sources) > MAX_ORIGINS:
        sources = sorted(sources, key=Source.rank)[:MAX_ORIGINS]
    return {origin: taints[origin] for origin in (*sources, *ports)}


def _rank(origin: Port | Free) -> tuple[int, bool, str]:
    return len(origin.path), isinstance(origin, Free), repr(origin)


def join(one: Value, other: Value) -> Value:
    """What either may be: the first itself, where the other adds nothing."""
    if one is other:
        return one
    if 0 < max(one.waits, other.waits) < MAX_WAITS:
        return _Either(one, other, _refs(one.refs, other.refs))
    if not other.taints:
        taints = one.taints
    elif not one.taints or one.taints is other.taints:
        taints = other.taints
    else:
        taints = merge((one.taints, other.taints))
    facts = one.facts if one.facts == other.facts else ()
    refs = one.refs if one.refs is other.refs else _refs(one.refs, other.refs)
    const = either(one.const, other.const)
    if taints is one.taints and refs is one.refs and const is one.const and facts is one.facts:
        return one
    return Value(taints, refs, const, facts)


def joined(values: Iterable[Value]) -> Value:
    """What any of them may be."""
    several = list(values)
    if not several:
        return NOTHING
    if len(several) < 3:
        return several[0] if len(several) == 1 else join(*several)
    first = several[0]
    refs, const, facts = first.refs, first.const, first.facts
    for value in several:
        if value.refs is not refs:
            refs = _refs(refs, value.refs)
        const = either(const, value.const)
        facts = facts if facts == value.facts else ()
    return Value(merge(value.taints for value in several), refs, const, facts)


def _refs(one: frozenset[Ref], other: frozenset[Ref]) -> frozenset[Ref]:
    """Both, or as many of the second as there is room for, the nearest first."""
    if not one:
        return other
    if len(one) >= MAX_POINTED or other <= one:
        return one
    both = one | other
    if len(both) <= MAX_POINTED:
        return both
    more = sorted(other - one, key=_distance)
    return one | frozenset(more[: MAX_POINTED - len(one)])


def _distance(ref: Ref) -> tuple[int, str]:
    return len(ref.key) if isinstance(ref, Object) else 0, repr(ref)


def same(one: Value, other: Value) -> bool:
    """Whether nothing that matters has changed between two values; trails do not matter."""
    if one is other:
        return True
    if one.refs != other.refs or one.taints.keys() != other.taints.keys():
        return False
    if type(one.const) is not type(other.const) or one.const != other.const:
        return False
    return all(taint.clean == other.taints[origin].clean for origin, taint in one.taints.items())

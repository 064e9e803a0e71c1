"""The state at one point of one function: variables, objects, and what tests have validated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from grainline.flow.rows import MAY
from grainline.flow.texts import meant
from grainline.flow.values import (
    CALLER,
    MAX_PATH,
    NO_TAINTS,
    NOTHING,
    Free,
    Key,
    Object,
    Origin,
    Path,
    Port,
    Taint,
    Trail,
    Value,
    join,
    joined,
    merge,
    ordered,
    same,
    under_any,
    under_none,
)

MAX_FIELDS: Final = 64
"""Fields of one object that are told apart; the others are one."""


MAX_HEAP: Final = 48
"""Objects of a state; in a larger one parts of parts of what a caller hands in are one."""


class Thing(NamedTuple):
    """An object: fields by key, and `rest`, what stands under keys that are not known.

    Attributes:
        klass: (unit, scope) of its class where that is in the code; `exact`: of none below it.
        symbol: of something a caller handed in: fields that nobody set come from there.
        length: number of elements while it is known: then items are keys 0, 1, ...
        written: keys that were set, of something that a caller handed in; "*" is the rest.
    """

    fields: Mapping[Key, Value]
    rest: Value = NOTHING
    klass: tuple[int, int] | None = None
    symbol: Origin | None = None
    length: int | None = None
    exact: bool = False
    written: frozenset[Key] = frozenset()


EMPTY: Final = Thing({})


def _with(thing: Thing, fields: Mapping[Key, Value], written: frozenset[Key]) -> Thing:
    """The same object with other fields; `replace` costs three times as much."""
    _, rest, klass, symbol, length, exact, _ = thing
    return Thing(fields, rest, klass, symbol, length, exact, written)


class State:
    """Variables by name, objects by key, and validated origins. Copied where control parts."""

    __slots__ = ("env", "heap", "shared", "valid")

    def __init__(
        self,
        env: dict[int, Value] | None = None,
        heap: dict[Object, Thing] | None = None,
        valid: dict[Origin, tuple[int, Trail]] | None = None,
        shared: dict[tuple[int, int, str], Value] | None = None,
    ) -> None:
        self.env = env if env is not None else {}
        self.heap = heap if heap is not None else {}
        self.valid = valid if valid is not None else {}
        self.shared = shared if shared is not None else {}
        """Variables of other scopes that were set here."""

    def copy(self) -> State:
        """The same, to be changed apart."""
        return State(dict(self.env), dict(self.heap), dict(self.valid), dict(self.shared))

    # -------------------------------------------------------------- fields

    def read(self, value: Value, key: Key | None) -> Value:
        """What stands in `value` under `key`; None: under any."""
        taints = value.taints
        if not value.refs:
            return Value(taints) if taints else NOTHING
        found: list[Value] = []
        for ref in ordered(value.refs):
            if isinstance(ref, Object):
                found.append(self.field_of(ref, key))
                symbol = self.heap.get(ref, EMPTY).symbol
                if symbol is not None and symbol in taints:  # the field is a symbol of its own
                    if len(taints) == 1:
                        taints = NO_TAINTS
                    else:
                        taints = {each: one for each, one in taints.items() if each != symbol}
        if taints:
            found.append(Value(taints))
        return joined(found)

    def field_of(self, ref: Object, key: Key | None) -> Value:
        """What stands in one object under `key`; None: under any."""
        thing = self.heap.get(ref, EMPTY)
        if key is None:
            rest = thing.rest
            if thing.fields:
                items = [each for name, each in thing.fields.items() if not isinstance(name, tuple)]
                whole = items and rest is NOTHING and thing.length is not None
                rest = joined(items if whole else [*items, rest])
            rest = _with_taints(rest, under_any(rest.taints))
            return join(rest, self._symbolic(ref, thing, "*")) if thing.symbol else rest
        known = thing.fields.get(key)
        if known is not None:
            return known
        rest = thing.rest
        if rest.taints and not isinstance(key, str):
            if isinstance(key, tuple):
                taints = under_none(rest.taints)
                rest = rest if taints is rest.taints else Value(taints)
            else:
                rest = _with_taints(rest, under_any(rest.taints))
        if thing.symbol is None:
            return rest
        found = join(self._symbolic(ref, thing, key), rest)
        self.heap[ref] = _with(thing, {**thing.fields, key: found}, thing.written)
        return found

    def _symbolic(self, ref: Object, thing: Thing, key: Key) -> Value:
        """The field of something that a caller handed in."""
        symbol = thing.symbol
        assert isinstance(symbol, (Port, Free))
        path: Path = symbol.path
        # a list or a tree goes on like this, and many objects are no story that can be told
        if len(path) >= MAX_PATH or key in path or (path and len(self.heap) > MAX_HEAP):
            return Value({symbol: Taint(0, None)}, frozenset((ref,)))
        inner: Origin
        if isinstance(symbol, Port):
            inner = Port(symbol.place, (*path, key))
        else:
            inner = Free(symbol.unit, symbol.scope, symbol.name, (*path, key))
        made = Object((*ref.key, key))
        if made not in self.heap:
            self.heap[made] = Thing({}, symbol=inner)
        return Value({inner: Taint(0, None)}, frozenset((made,)))

    def write_any(self, value: Value, content: Value) -> None:
        """Set one of the elements of a container, it is not known which: in the place of any."""
        self.write(value, None, content)
        for ref in ordered(value.refs):
            thing = self.heap.get(ref) if isinstance(ref, Object) else None
            if thing is not None and thing.fields:
                assert isinstance(ref, Object)
                fields = {
                    key: held if isinstance(key, tuple) else join(held, content)
                    for key, held in thing.fields.items()
                }
                self.heap[ref] = _with(thing, fields, thing.written)

    def write(self, value: Value, key: Key | None, content: Value) -> None:
        """Set a field of everything that `value` may be: for sure where it is one thing."""
        targets = [ref for ref in ordered(value.refs) if isinstance(ref, Object)]
        for ref in targets:
            self._set(ref, key, content, sure=len(targets) == 1)

    def _set(self, ref: Object, key: Key | None, content: Value, *, sure: bool) -> None:
        thing = self.heap.get(ref, EMPTY)
        if key is not None and key not in thing.fields and len(thing.fields) >= MAX_FIELDS:
            key = None
        if key is None:
            rest = join(thing.rest, content)
            self.heap[ref] = thing._replace(rest=rest, written=thing.written | {"*"})
            return
        if not sure:
            content = join(self.field_of(ref, key), content)
            thing = self.heap.get(ref, EMPTY)
        fields = {**thing.fields, key: content}
        written = thing.written
        if key not in written:
            written |= {key}
        self.heap[ref] = _with(thing, fields, written)

    def held(self, value: Value) -> Mapping[Origin, Taint]:
        """Taints of a value and of all that it holds: elements, and fields of instances."""
        return self.deep(value, fields=True)

    def deep(self, value: Value, depth: int = 3, *, fields: bool = False) -> Mapping[Origin, Taint]:
        """Taints of a value and of all elements of the containers it holds, and of `fields` of instances."""
        if not value.refs:
            return value.taints
        found = [value.taints]
        seen: set[Object] = set()
        layer = [value]
        heap = self.heap
        for _ in range(depth):
            inner: list[Value] = []
            for each in layer:
                for ref in ordered(each.refs):
                    if isinstance(ref, Object) and ref not in seen:
                        seen.add(ref)
                        thing = heap.get(ref)
                        if thing is None:
                            continue
                        if thing.rest is not NOTHING:
                            inner.append(thing.rest)
                        if thing.fields:
                            inner += [
                                v
                                for k, v in thing.fields.items()
                                if fields or not isinstance(k, tuple)
                            ]
            if not inner:
                break
            found += [each.taints for each in inner if each.taints]
            layer = inner
        return under_any(merge(found)) if len(found) > 1 else value.taints

    # -------------------------------------------------------------- tests

    def harmless(self, origin: Origin, taint: Taint) -> int:
        """Kinds of sink that the data cannot hurt here."""
        return harmless_after(self.valid, origin, taint)

    def validate(self, origin: Origin, kinds: int, trail: Trail) -> None:
        """A test has shown that data of an origin is harmless for some kinds."""
        known = self.valid.get(origin)
        self.valid[origin] = (kinds | known[0], known[1]) if known else (kinds, trail)


def harmless_after(valid: Mapping[Origin, tuple[int, Trail]], origin: Origin, taint: Taint) -> int:
    """Kinds of sink that data cannot hurt after tests of it, and of what it is a part of."""
    clean = taint.clean
    if not valid:
        return meant(clean)
    may = valid.get(CALLER)
    if may is not None:
        clean |= may[0] & MAY
    known = valid.get(origin)
    if known:
        clean |= known[0]
    path = origin.path
    if path:
        head = origin[:-1]
        for end in range(len(path) - 1, -1, -1):
            known = valid.get((*head, path[:end]))  # type: ignore[call-overload]  # origins are tuples
            if known:
                clean |= known[0]
    return meant(clean)


def _with_taints(value: Value, taints: Mapping[Origin, Taint]) -> Value:
    return value if taints is value.taints else Value(taints, value.refs, value.const, value.facts)


def meet(states: Iterable[State | None]) -> State | None:
    """The state where several ways meet; None of ways that nobody goes."""
    alive = [state for state in states if state is not None]
    if not alive:
        return None
    first = alive[0]
    for other in alive[1:]:
        first = _meet(first, other)
    return first


def _meet(one: State, other: State) -> State:
    one, other = _settled_tests(one, other), _settled_tests(other, one)
    env: dict[int, Value] = dict(one.env)
    for name, value in other.env.items():
        known = env.get(name)
        env[name] = value if known is None else join(known, value)
    heap = dict(one.heap)
    for ref, thing in list(other.heap.items()):  # reading fields may add symbols
        known_thing = heap.get(ref)
        if known_thing is None:
            heap[ref] = thing
        elif known_thing is not thing:
            heap[ref] = _both(ref, known_thing, thing, one, other)
    for state in (one, other):
        for ref, thing in state.heap.items():
            heap.setdefault(ref, thing)
    valid = {
        origin: (kinds & other.valid[origin][0], trail)
        for origin, (kinds, trail) in one.valid.items()
        if origin in other.valid
    }
    shared: dict[tuple[int, int, str], Value] = {}
    for variable in {**one.shared, **other.shared}:
        shared[variable] = join(*(_shared(each, variable) for each in (one, other)))
    return State(env, heap, valid, shared)


def _shared(state: State, variable: tuple[int, int, str]) -> Value:
    """A variable of another scope, as it was before where it is not set."""
    known = state.shared.get(variable)
    return known if known is not None else Value({Free(*variable, ()): Taint(0, None)})


def _settled_tests(state: State, other: State) -> State:
    """The state with what only its own tests have shown said of its values themselves."""
    mine = {
        origin: kinds
        for origin, (kinds, _) in state.valid.items()
        if kinds & ~other.valid.get(origin, (0,))[0]
    }
    if not mine:
        return state
    env = {name: cleaned(value, mine) for name, value in state.env.items()}
    heap = {ref: _cleaned(thing, mine) for ref, thing in state.heap.items()}
    return State(env, heap, state.valid, state.shared)


def _cleaned(thing: Thing, kinds: Mapping[Origin, int]) -> Thing:
    """The object itself where none of its data is meant."""
    fields: dict[Key, Value] | None = None
    for key, value in thing.fields.items():
        found = cleaned(value, kinds)
        if found is not value:
            fields = dict(thing.fields) if fields is None else fields
            fields[key] = found
    rest = cleaned(thing.rest, kinds)
    if fields is None and rest is thing.rest:
        return thing
    return thing._replace(fields=thing.fields if fields is None else fields, rest=rest)


def cleaned(value: Value, kinds: Mapping[Origin, int]) -> Value:
    """A value whose data is harmless for these kinds, too."""
    if not value.comes_from(kinds):
        return value
    taints: dict[Origin, Taint] = {}
    for origin, taint in value.taints.items():
        more = kinds.get(origin)
        taints[origin] = (
            taint if more is None else Taint(taint.clean | more, taint.trail, taint.assumed)
        )
    return Value(taints, value.refs, value.const, value.facts)


def _both(ref: Object, one: Thing, other: Thing, first: State, second: State) -> Thing:
    """What an object may be after either of two ways; the first itself where nothing is added."""
    fields: dict[Key, Value] = {}
    kept = len(one.fields)
    for key in (
        one.fields if one.fields.keys() == other.fields.keys() else {**one.fields, **other.fields}
    ):
        mine, theirs = one.fields.get(key), other.fields.get(key)
        found = mine
        if found is None or mine is not theirs:
            found = first.field_of(ref, key) if mine is None else mine
            found = join(found, second.field_of(ref, key) if theirs is None else theirs)
        fields[key] = found
        kept -= found is mine
    rest = join(one.rest, other.rest)
    klass = one.klass if one.klass == other.klass else None
    length = one.length if one.length == other.length else None
    exact = one.exact and other.exact
    written = one.written if other.written <= one.written else one.written | other.written
    if (
        not kept and len(fields) == len(one.fields) and rest is one.rest and klass is one.klass
        and length is one.length and exact is one.exact and written is one.written
    ):  # fmt: skip
        return one
    return Thing(fields, rest, klass, one.symbol, length, exact, written)


def settled(one: State, other: State) -> bool:
    """Whether a further round of a loop would bring nothing new."""
    if one.env.keys() != other.env.keys() or one.heap.keys() != other.heap.keys():
        return False
    if one.valid.keys() != other.valid.keys():
        return False
    if not all(same(value, other.env[name]) for name, value in one.env.items()):
        return False
    if one.shared.keys() != other.shared.keys():
        return False
    if not all(same(value, other.shared[name]) for name, value in one.shared.items()):
        return False
    return all(_alike(thing, other.heap[ref]) for ref, thing in one.heap.items())


def _alike(one: Thing, other: Thing) -> bool:
    if one is other:
        return True
    if one.fields.keys() != other.fields.keys() or one.length != other.length:
        return False
    return same(one.rest, other.rest) and all(
        same(value, other.fields[key]) for key, value in one.fields.items()
    )


def port(index: int) -> tuple[Value, Object, Thing]:
    """What a caller hands in as parameter `index`: the value, and the object behind it."""
    ref = Object(("port", index))
    origin = Port(index, ())
    value = Value({origin: Taint(0, None)}, frozenset((ref,)))
    return value, ref, Thing({}, symbol=origin)

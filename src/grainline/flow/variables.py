"""Variables that more than one scope sees: which scope has them, and what they may hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from grainline.flow.program import Place, Program
from grainline.flow.state import State, Thing
from grainline.flow.values import (
    MAX_PATH,
    NO_REFS,
    NOTHING,
    UNKNOWN,
    Free,
    Key,
    Object,
    Origin,
    Path,
    Ref,
    Source,
    Taint,
    Value,
    join,
    ordered,
)
from grainline.model.ir import ASSIGNS, Op, ScopeKind

MAX_REFS: Final = 16
"""Things that a field may point at; what is found later is left out."""

MAX_PARTS: Final = 64
"""Parts of what one variable holds that are told apart; what is put into others may be in any."""

Variable = tuple[int, int, str]


class _Names(NamedTuple):
    """Of one scope: names it binds, names it reads, names that are those of a scope around."""

    bound: frozenset[str]
    read: frozenset[str]
    around: frozenset[str]


class Variables:
    """Variables of all scopes. `kept` is what those that others see may hold, whenever."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._names: dict[Place, _Names] = {}
        self._numbers: dict[int, dict[str, int]] = {}
        self._beside: dict[tuple[str, str], dict[str, list[int]]] = {}
        self._captured: dict[Place, frozenset[str]] = {}
        self._stores: dict[Variable, int] = {}
        self.kept: dict[Variable, Value] = {}
        self._put: dict[Variable, dict[Path, Value]] = {}
        """Data that was put into what a variable holds, wherever that was done."""
        self._fields: dict[tuple[int, int, str], frozenset[Ref]] = {}
        self.klass: dict[Variable, Place | None] = {}
        self.things: dict[Place, Mapping[Object, Thing]] = {}
        """Of a scope: the objects that its variables lead to when it ends."""
        self._outer: dict[Place, tuple[tuple[int, str], ...]] = {}
        self._inside: dict[Place, frozenset[str]] = {}

    def number(self, unit: int, name: str) -> int:
        """The number of a name in a file, -1 where it does not stand there."""
        numbers = self._numbers.get(unit)
        if numbers is None:
            names = self._program.codes[unit].names
            numbers = self._numbers[unit] = {text: at for at, text in enumerate(names)}
        return numbers.get(name, -1)

    def binds(self, unit: int, scope: int, name: str) -> bool:
        """Whether a scope has a variable."""
        return name in self._of(unit, scope).bound

    def beside(self, language: str, unit: int, name: str) -> Sequence[int]:
        """Files in the folder of one whose modules have a variable, in order."""
        key = (language, self._program.folder(unit))
        found = self._beside.get(key)
        if found is None:
            found = self._beside[key] = {}
            for each in self._program.beside[key]:
                for bound in self._of(each, 0).bound:
                    found.setdefault(bound, []).append(each)
        return found.get(name, ())

    def reads(self, unit: int, scope: int, name: str) -> bool:
        """Whether a scope reads a name that it does not bind."""
        names = self._of(unit, scope)
        return name in names.read and name not in names.bound

    def is_own(self, unit: int, scope: int, name: str) -> bool:
        """Whether a store in a scope sets a variable of that scope."""
        return name not in self._of(unit, scope).around

    def captured(self, unit: int, scope: int, name: str) -> bool:
        """Whether inner scopes read a variable."""
        place = (unit, scope)
        found = self._captured.get(place)
        if found is None:
            rows = self._program.codes[unit].scopes
            inner = [number for number, row in enumerate(rows) if row.parent == scope]
            below: set[str] = set()
            for number in inner:
                names = self._of(unit, number)
                below |= names.read | self._captured_by(unit, number)
            found = self._captured[place] = frozenset(below)
        return name in found

    def _captured_by(self, unit: int, scope: int) -> frozenset[str]:
        self.captured(unit, scope, "")
        return self._captured[unit, scope]

    def outer(self, unit: int, scope: int) -> tuple[tuple[int, str], ...]:
        """(scope, name) of the variables of functions around that a function, or one in it, reads."""
        place = (unit, scope)
        found = self._outer.get(place)
        if found is None:
            self._captured_by(unit, scope)
            rows = self._program.codes[unit].scopes
            names = self._of(unit, scope).read | self._captured[place]
            seen: list[tuple[int, str]] = []
            for name in sorted(names - self._of(unit, scope).bound):
                at = rows[scope].parent
                while at > 0 and not (
                    rows[at].kind != ScopeKind.CLASS and self.binds(unit, at, name)
                ):
                    at = rows[at].parent
                if at > 0:
                    seen.append((at, name))
            found = self._outer[place] = tuple(seen)
        return found

    def set_inside(self, unit: int, scope: int, name: str) -> bool:
        """Whether inner scopes set a variable."""
        place = (unit, scope)
        found = self._inside.get(place)
        if found is None:
            rows = self._program.codes[unit].scopes
            below: set[str] = set()
            for number, row in enumerate(rows):
                if row.parent == scope:
                    below |= self._of(unit, number).around
                    self.set_inside(unit, number, "")
                    below |= self._inside[unit, number]
            found = self._inside[place] = frozenset(below)
        return name in found

    def has_field(self, klass: Place, name: str) -> bool:
        """Whether a class, or one above it in the code, declares a field."""
        return any(name in self._of(*place).bound for place in self._program.lineage(klass))

    def static(self, program: Program, klass: Place, name: str) -> Place | None:
        """The class that has a field itself, not its instances: `klass` or one above it."""
        owner = self.owner(program, klass, name)
        if owner is None or name not in self._of(*owner).around:
            return None
        return owner

    def owner(self, program: Program, klass: Place, name: str) -> Place | None:
        """The class, `klass` or one above it, whose body binds a name."""
        bound = (place for place in program.lineage(klass) if name in self._of(*place).bound)
        return next(bound, None)

    def fields(self, klass: Place) -> list[str]:
        """The fields that a class declares with a type, in order."""
        code = self._program.codes[klass[0]]
        row = code.scopes[klass[1]]
        return [code.names[code.ops[op][1]] for op in range(row.first, row.last)
                if code.ops[op][0] == Op.ANNOTATE and code.ops[op][3] < 0]  # fmt: skip

    def keep(self, variable: Variable, value: Value) -> None:
        """A variable may hold this, too."""
        known = self.kept.get(variable)
        if known is None:
            self.kept[variable] = value
        elif known is not value:
            found = join(known, value)
            if self._once(variable) and value.const is not UNKNOWN:
                found = Value(found.taints, found.refs, value.const)
            self.kept[variable] = found

    def keep_inside(self, state: State) -> None:
        """What a function has put into things that variables around hold is there for others."""
        for thing in list(state.heap.values()):
            symbol = thing.symbol
            if isinstance(symbol, Free):
                for key in sorted(thing.written, key=repr):
                    content = thing.rest if key == "*" else thing.fields.get(key, NOTHING)
                    self._keep_part(state, symbol[:3], (*symbol.path, key), content, set())
        for variable, value in state.shared.items():
            self.keep_content(state, variable, value)

    def keep_content(self, state: State, variable: Variable, value: Value) -> None:
        """What stands in the things that a variable holds is there for others."""
        if value.refs:
            self._keep_part(state, variable, (), Value(refs=value.refs), set())

    def _keep_part(
        self, state: State, variable: Variable, path: Path, value: Value, seen: set[Object]
    ) -> None:
        deepest = len(path) >= MAX_PATH
        taints: dict[Origin, Taint] = {
            origin: Taint(state.harmless(origin, taint), taint.trail, taint.assumed)
            for origin, taint in (state.deep(value) if deepest else value.taints).items()
            if isinstance(origin, (Source, Free)) and taint.trail is not None
        }
        if taints:
            parts = self._put.setdefault(variable, {})
            if path not in parts and len(parts) >= MAX_PARTS:
                path = ()
            parts[path] = join(parts.get(path, NOTHING), Value(taints))
        for ref in () if deepest else ordered(value.refs):
            thing = state.heap.get(ref) if isinstance(ref, Object) else None
            if thing is None or thing.symbol is not None or ref in seen:
                continue
            assert isinstance(ref, Object)
            seen.add(ref)
            for key, content in (*thing.fields.items(), ("*", thing.rest)):
                self._keep_part(state, variable, (*path, key), content, seen)

    def keep_field(self, klass: Place, name: str, value: Value) -> None:
        """What is not data of a field of some instance: things outside, functions, classes."""
        refs: set[Ref] = {ref for ref in value.refs if not isinstance(ref, Object)}
        if refs:
            key = (*klass, name)
            known = self._fields.get(key, NO_REFS)
            if len(known) < MAX_REFS:
                self._fields[key] = known | refs

    def field(self, klass: Place, name: str) -> frozenset[Ref]:
        """What the field of any instance may point at."""
        found = NO_REFS
        for place in self._program.lineage(klass):
            found |= self._fields.get((*place, name), NO_REFS)
        return found

    def value(self, variable: Variable) -> Value:
        """What a variable may hold."""
        return self.kept.get(variable, NOTHING)

    def taints(self, origin: Free) -> dict[Source, Taint]:
        """What comes from sources into a variable, through other variables, too."""
        found: dict[Source, Taint] = {}
        seen: set[Free] = set()
        waiting: list[tuple[Free, Taint]] = [(origin, Taint(0, None))]
        while waiting:
            free, after = waiting.pop(0)
            if free in seen:
                continue
            seen.add(free)
            for each, taint in self._parts(free):
                whole = taint._replace(clean=taint.clean | after.clean)
                if isinstance(each, Source):
                    found.setdefault(each, whole)
                elif isinstance(each, Free):
                    waiting.append((each, whole))
        return found

    def _parts(self, free: Free) -> Iterator[tuple[Origin, Taint]]:
        """What a variable holds, and what was put into the part of it that is meant."""
        for end in range(len(free.path) + 1):
            variable = (free.unit, free.scope, spelled(free.name, free.path[:end]))
            yield from self.value(variable).taints.items()
        for path, value in self._put.get(free[:3], {}).items():
            if meets(path, free.path):
                yield from value.taints.items()

    def _once(self, variable: Variable) -> bool:
        return self._stores.get(variable, 0) == 1

    def _of(self, unit: int, scope: int) -> _Names:
        place = (unit, scope)
        found = self._names.get(place)
        if found is None:
            found = self._names[place] = self._look(unit, scope)
        return found

    def _look(self, unit: int, scope: int) -> _Names:
        code = self._program.codes[unit]
        row = code.scopes[scope]
        names = code.names
        bound: set[str] = {
            names[code.params[number][1]] for number in range(row.params, row.params_end)
        }
        read: set[str] = set()
        around: set[str] = set()
        assigned: set[str] = set()
        for op in range(row.first, row.last):
            code_, a, _, c = code.ops[op][:4]
            if code_ == Op.STORE:
                text = names[a]
                (assigned if c == ASSIGNS else bound).add(text)
                self._stores[unit, scope, text] = self._stores.get((unit, scope, text), 0) + 1
            elif code_ == Op.LOAD:
                read.add(names[a])
            elif code_ == Op.GLOBAL or code_ == Op.NONLOCAL:
                around.add(names[a])
            elif code_ == Op.ANNOTATE and c < 0:
                bound.add(names[a])
        if row.kind == ScopeKind.MODULE:
            bound |= {
                names[each[1]]
                for inner in code.scopes
                if inner.kind != ScopeKind.CLASS
                for each in code.ops[inner.first : inner.last]
                if each[0] == Op.GLOBAL
            }
        for text in assigned - bound:
            (around if self._above(unit, row.parent, text) else bound).add(text)
        if row.kind == ScopeKind.CLASS:
            return _Names(frozenset(bound), frozenset(read), frozenset(around))
        return _Names(frozenset(bound - around), frozenset(read), frozenset(around))

    def _above(self, unit: int, scope: int, name: str) -> bool:
        code = self._program.codes[unit]
        while scope >= 0:
            row = code.scopes[scope]
            if row.kind == ScopeKind.CLASS and self.has_field((unit, scope), name):
                return True
            if row.kind != ScopeKind.CLASS and self.binds(unit, scope, name):
                return True
            scope = row.parent
        return False


def spelled(name: str, path: Path) -> str:
    """How a part of a variable is called: no variable is called so."""
    return name + "".join(f"[{key}]" if key == "*" else f".{key}" for key in path)


def meets(put: Path, read: Path) -> bool:
    """Whether what was put at one path is in what is read at another, or the other way round.

    Elements are in their container; a thing is not its fields.
    """
    return all(map(_same_key, put, read)) and not any(
        isinstance(key, tuple) for key in put[len(read) :]
    )


def _same_key(one: Key, other: Key) -> bool:
    if one == other:
        return True
    return (one == "*" and not isinstance(other, tuple)) or (
        other == "*" and not isinstance(one, tuple)
    )

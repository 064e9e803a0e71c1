"""`Program`: a visible set of files with their edges, as the analysis asks for them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from grainline.flow.conditions import Conditions
from grainline.flow.shortcuts import Side, sides_of
from grainline.graph.results import Graph
from grainline.graph.units import Unit
from grainline.model.edge import EdgeType, Symbol, Tier, Why
from grainline.model.ir import (
    ABSTRACT,
    ASSIGNS,
    COMPANION,
    CONSTRUCTOR,
    PARTIAL,
    SETTER,
    STATIC,
    Op,
    Scope,
    ScopeKind,
)
from grainline.model.position import Span

Place = tuple[int, int]
"""(unit, scope)."""


class Target(NamedTuple):
    """A function that a call may reach."""

    unit: int
    scope: int
    tier: Tier


class Arm(NamedTuple):
    """One arm of a branch: its operation, and the operations `[first, last)` of its body."""

    op: int
    first: int
    last: int


class Code:
    """One file: its IR as lists, and what the edges say of its operations."""

    __slots__ = (
        "_callees",
        "_declared",
        "_handed",
        "_sides",
        "arms",
        "language",
        "names",
        "ops",
        "params",
        "path",
        "ports",
        "scopes",
    )

    def __init__(self, unit: Unit) -> None:
        ir = unit.ir
        self.path = unit.path
        self.language = unit.language
        self.names = ir.names
        self.scopes: list[Scope] = ir.scope_rows()
        self.ops: list[list[int]] = ir.ops.tolist()
        self.ports: list[list[int]] = ir.ports.tolist()
        self.params: list[list[int]] = ir.params.tolist()
        self.arms: dict[int, list[Arm]] = {}
        self._callees: frozenset[int] | None = None
        self._declared: dict[tuple[int, int], int] | None = None
        self._handed: frozenset[int] | None = None
        self._sides: dict[int, Side] | None = None
        self._find_arms()

    def sides(self) -> dict[int, Side]:
        """The side of an operator around each operation that it may leave out."""
        if self._sides is None:
            self._sides = sides_of(self.ops, self.names, self.scopes, self.language)
        return self._sides

    def callees(self) -> frozenset[int]:
        """Operations whose values are called."""
        if self._callees is None:
            self._callees = frozenset(row[1] for row in self.ops if row[0] in (Op.CALL, Op.NEW))
        return self._callees

    def handed(self) -> frozenset[int]:
        """Operations whose values are arguments, or elements of displays."""
        if self._handed is None:
            self._handed = frozenset(row[2] for row in self.ports)
        return self._handed

    def declared(self, scope: int, name: int) -> int:
        """The operation that is the declared type of a variable or parameter, -1 without one."""
        if self._declared is None:
            self._declared = {}
            for number, row in enumerate(self.scopes):
                for _, each, _, kind, _ in self.params[row.params : row.params_end]:
                    self._declared[number, each] = kind
                for code, a, b, c, *_ in self.ops[row.first : row.last]:
                    if code == Op.ANNOTATE and c < 0:
                        self._declared[number, a] = b
        return self._declared.get((scope, name), -1)

    def _find_arms(self) -> None:
        open_: list[tuple[int, list[int]]] = []
        for number, row in enumerate(self.ops):
            code = row[0]
            if code == Op.BRANCH or code == Op.LOOP:
                open_.append((number, []))
            elif code == Op.ARM:
                open_[-1][1].append(number)
            elif code == Op.END:
                branch, starts = open_.pop()
                ends = [*starts[1:], number]
                self.arms[branch] = [
                    Arm(start, start + 1, end) for start, end in zip(starts, ends, strict=False)
                ]

    def site(self, op: int) -> Span:
        """The name that is called where there is one, else the whole (as edges have it)."""
        code, a, _, _, start, end = self.ops[op]
        if code in (Op.CALL, Op.NEW) and self.ops[a][0] in (Op.LOAD, Op.GETATTR):
            start, end = self.ops[a][4:6]
        return Span(start, end)

    def span(self, op: int) -> Span:
        """The bytes of an operation."""
        return Span(*self.ops[op][4:6])


def _class_named(code: Code, op: int) -> int:
    """The class of the file that an operation names, through other names of it; -1: none."""
    module = code.scopes[0]
    for _ in range(4):
        kind, name = code.ops[op][:2]
        if kind == Op.CLASS:
            return name
        if kind != Op.LOAD:
            return -1
        stored = (row[2] for row in code.ops[module.first : module.last]
                  if row[0] == Op.STORE and row[1] == name)  # fmt: skip
        op = next(stored, -1)
        if op < 0:
            return -1
    return -1


class Packages(NamedTuple):
    """The package of a file, those that a `*` brings, those that something is imported from."""

    own: str
    stars: tuple[str, ...]
    others: tuple[str, ...]


def _packages(code: Code) -> Packages:
    own = ""
    stars: list[str] = []
    others: list[str] = []
    module = code.scopes[0]
    for op, a, b, _, _, _ in code.ops[module.first : module.last]:
        if op == Op.PACKAGE:
            own = code.names[a]
        elif op == Op.IMPORT and b >= 0:
            (stars if code.names[b] == "*" else others).append(code.names[a])
    return Packages(own, tuple(dict.fromkeys(stars)), tuple(dict.fromkeys(others)))


_CALLED: Final = (EdgeType.CALLS, EdgeType.INSTANTIATES)


_REFERENCES: Final = frozenset(('"ref"', '"out"', "ref"))
"""Marks of parameters that are variables of whoever calls."""


_NAMING: Final = frozenset((Op.GETATTR, Op.SETATTR, Op.CONST))
"""Operations whose third number is the name of a field, or of one that is given to others."""


class Program:
    """Files in the order of their paths, with numbers; see `Code` for what one says."""

    def __init__(
        self, units: Iterable[Unit], graph: Graph, part: frozenset[Symbol] | None = None
    ) -> None:
        self._part = part
        self.units = sorted(units, key=lambda unit: unit.path)
        self.codes = [Code(unit) for unit in self.units]
        self.symbols: list[list[Symbol]] = [unit.symbols for unit in self.units]
        self.numbers = {unit.path: number for number, unit in enumerate(self.units)}
        self._places: dict[Symbol, Place] = {}
        for number, symbols in enumerate(self.symbols):
            for scope, symbol in enumerate(symbols):
                self._places.setdefault(symbol, (number, scope))
        self.calls: dict[tuple[int, Span], list[Target]] = {}
        self.made: dict[tuple[int, Span], list[Target]] = {}
        self.imports: dict[tuple[int, Span], list[Place]] = {}
        self.bases: dict[Place, list[Place]] = {}
        self.overrides: dict[Place, list[Place]] = {}
        self.outside: dict[tuple[int, Span], tuple[str, Why]] = {}
        self.beyond: dict[tuple[int, Span], str] = {}
        """Where edges lead into files that are not looked at, and those files."""
        self.routed: list[Place] = []
        """Functions that a file which is no code gives a framework as handlers."""
        self._take(graph)

    def _take(self, graph: Graph) -> None:
        for edge in graph.edges:
            source, target = self._places.get(edge.src), self._places.get(edge.dst)
            routes = edge.type is EdgeType.ROUTES_TO and edge.src.path not in self.numbers
            if routes and target is not None and edge.tier <= Tier.FLOWED:
                self.routed.append(target)
            if source is None or edge.tier > Tier.FLOWED:
                continue
            site = (source[0], edge.site)
            if target is None:
                if edge.dst.path not in self.numbers:
                    self.beyond[site] = edge.dst.path.decode("utf-8", "surrogateescape")
                continue
            if edge.type is EdgeType.CALLS:
                self.calls.setdefault(site, []).append(Target(*target, edge.tier))
            elif edge.type is EdgeType.INSTANTIATES:
                self.made.setdefault(site, []).append(Target(*target, edge.tier))
            elif edge.type is EdgeType.IMPORTS:
                self.imports.setdefault(site, []).append(target)
            elif edge.type in (EdgeType.INHERITS, EdgeType.IMPLEMENTS):
                self.bases.setdefault(source, []).append(target)
            elif edge.type is EdgeType.OVERRIDES:
                self.overrides.setdefault(target, []).append(source)
        for leaf in graph.unresolved:
            number = self.numbers.get(leaf.src.path)
            if number is not None:
                self.outside[number, leaf.site] = (leaf.name, leaf.why)

    @property
    def is_part(self) -> bool:
        """Whether there are more files and functions than are looked at."""
        return self._part is not None

    @cached_property
    def wanted(self) -> frozenset[Place] | None:
        """The functions that are looked at whoever calls them, None: all.

        They are those that were named, what is defined inside of one, and what makes instances of
        the classes that they belong to.
        """
        if self._part is None:
            return None
        named = {self._places[symbol] for symbol in self._part if symbol in self._places}
        classes = {self.class_of(place) for place in named} | named
        found = set(named)
        for number, code in enumerate(self.codes):
            for scope, row in enumerate(code.scopes):
                place, above = (number, scope), (number, row.parent)
                around = code.scopes[row.parent].kind if row.parent >= 0 else row.kind
                inside = above in found and around not in (ScopeKind.MODULE, ScopeKind.CLASS)
                makes = above in classes and bool(row.flags & CONSTRUCTOR)
                if row.kind == ScopeKind.MODULE or inside or makes:
                    found.add(place)
        return frozenset(found)

    # ------------------------------------------------------------------ classes

    def scope(self, place: Place) -> Scope:
        """The scope at a place."""
        return self.codes[place[0]].scopes[place[1]]

    @cached_property
    def conditions(self) -> Conditions:
        """Tests that ways pass."""
        return Conditions(self)

    @cached_property
    def named(self) -> dict[tuple[str, str], Place]:
        """(language, qualified name) -> class, of languages that say the package of a file."""
        found: dict[tuple[str, str], Place] = {}
        for number, code in enumerate(self.codes):
            if code.language == "ruby":
                for op, a, b, *_ in code.ops:
                    if op == Op.EXPORT and code.ops[b][0] == Op.CLASS:
                        name = code.names[a].replace("|", "::")
                        found.setdefault((code.language, name), (number, code.ops[b][1]))
                continue
            package = next((code.names[row[1]] for row in code.ops if row[0] == Op.PACKAGE), None)
            if package is None:
                continue
            if code.language == "go":
                package = self.folder(number)
            if code.language == "php":  # definitions have their whole names
                for op, a, b, *_ in code.ops:
                    if op == Op.STORE and code.ops[b][0] == Op.CLASS:
                        found.setdefault((code.language, code.names[a]), (number, code.ops[b][1]))
                continue
            names: dict[int, str] = {0: package}
            for scope, row in enumerate(code.scopes):
                if row.kind == ScopeKind.CLASS and row.parent in names:
                    above = names[row.parent]
                    name = f"{above}.{code.names[row.name]}" if above else code.names[row.name]
                    names[scope] = name
                    found.setdefault((code.language, name), (number, scope))
        return found

    @cached_property
    def exported(self) -> dict[tuple[str, str], list[int]]:
        """(language, name) -> files that give something under that name."""
        found: dict[tuple[str, str], list[int]] = {}
        for number, code in enumerate(self.codes):
            for name in dict.fromkeys(
                code.names[row[1]] for row in code.ops if row[0] == Op.EXPORT
            ):
                found.setdefault((code.language, name), []).append(number)
        return found

    @cached_property
    def libraries(self) -> list[tuple[str, ...]]:
        """Of each file the modules that it names."""
        return [tuple(dict.fromkeys(code.names[row[1]] for row in code.ops if row[0] == Op.IMPORT))
                for code in self.codes]  # fmt: skip

    @cached_property
    def readers(self) -> frozenset[str]:
        """Names of members that give a field, as bodies of classes say (`attr_reader`)."""
        found: set[str] = set()
        for code in self.codes:
            for op, a, b, *_ in code.ops if code.language == "ruby" else ():
                value = code.ops[b] if op == Op.STORE and b >= 0 else None
                text = value[2] if value and value[0] == Op.CONST else -1
                if text >= 0 and code.names[text] == f"@{code.names[a]}":
                    found.add(code.names[a])
        return frozenset(found)

    @cached_property
    def companions(self) -> dict[Place, list[int]]:
        """Class -> the objects in it that answer for its members."""
        found: dict[Place, list[int]] = {}
        for number, code in enumerate(self.codes):
            for scope, row in enumerate(code.scopes):
                if row.kind == ScopeKind.CLASS and row.flags & COMPANION:
                    found.setdefault((number, row.parent), []).append(scope)
        return found

    @cached_property
    def callees(self) -> list[frozenset[int]]:
        """Of each file the operations that are called."""
        return [frozenset(row[1] for row in code.ops if row[0] in (Op.CALL, Op.NEW))
                for code in self.codes]  # fmt: skip

    @cached_property
    def packages(self) -> list[Packages]:
        """Of each file the packages that it names."""
        return [_packages(code) for code in self.codes]

    @cached_property
    def of_package(self) -> dict[tuple[str, str], list[int]]:
        """(language, package) -> its files."""
        found: dict[tuple[str, str], list[int]] = {}
        for number, code in enumerate(self.codes):
            found.setdefault((code.language, self.packages[number].own), []).append(number)
        return found

    @cached_property
    def changed(self) -> frozenset[str]:
        """Names of fields that are set anywhere but where a class declares them."""
        found: set[str] = set()
        for code in self.codes:
            for op, a, b, c, _, _ in code.ops:
                if op == Op.SETATTR:
                    found.add(code.names[b])
                elif op == Op.STORE and c == ASSIGNS:
                    found.add(code.names[a])
        return frozenset(found | self._handed)

    @property
    def _handed(self) -> set[str]:
        """Names of fields that are arguments, where functions may set what they are handed."""
        setting = {code.language for code in self.codes if not _REFERENCES.isdisjoint(code.names)}
        found: set[str] = set()
        for code in self.codes if setting else ():
            if code.language in setting:
                found |= {code.names[code.ops[item][2]] for _, _, item in code.ports
                          if code.ops[item][0] == Op.GETATTR}  # fmt: skip
        return found

    def folder(self, unit: int) -> str:
        """The folder of a file."""
        return self.codes[unit].path.decode("utf-8", "surrogateescape").rpartition("/")[0]

    @cached_property
    def beside(self) -> dict[tuple[str, str], list[int]]:
        """(language, folder) -> files there."""
        found: dict[tuple[str, str], list[int]] = {}
        for number, code in enumerate(self.codes):
            found.setdefault((code.language, self.folder(number)), []).append(number)
        return found

    @cached_property
    def attached(self) -> dict[Place, Place]:
        """Function that is defined outside of its type -> the type, where that is in its folder."""
        found: dict[Place, Place] = {}
        classes = self._classes
        for number, code in enumerate(self.codes):
            for op, a, _, c, _, _ in code.ops:
                if op != Op.ATTACH or code.ops[c][0] != Op.FUNCTION:
                    continue
                if code.language == "rust":
                    scope = _class_named(code, a)
                    if scope >= 0:
                        found[number, code.ops[c][1]] = (number, scope)
                    continue
                if code.language == "cpp":
                    scope = code.ops[c][1]
                    klass = self._declaring(classes, number, scope)
                    if klass is not None:
                        found[number, scope] = klass
                    continue
                named = code.ops[a]
                while named[0] == Op.GETITEM:
                    named = code.ops[named[1]]
                if named[0] == Op.LOAD:
                    folder = self.folder(number)
                    name = code.names[named[1]]
                    klass = self.named.get((code.language, f"{folder}.{name}" if folder else name))
                    if klass is not None:
                        found[number, code.ops[c][1]] = klass
        return found

    @cached_property
    def _classes(self) -> dict[str, list[Place]]:
        """Classes of C++ by their descriptors."""
        found: dict[str, list[Place]] = {}
        for number, code in enumerate(self.codes):
            for scope, row in enumerate(code.scopes if code.language == "cpp" else ()):
                if row.kind == ScopeKind.CLASS:
                    word = self.symbols[number][scope].descriptor
                    found.setdefault(word, []).append((number, scope))
        return found

    def _declaring(self, classes: dict[str, list[Place]], number: int, scope: int) -> Place | None:
        """The one class that declares a function which is defined outside of it, not as static."""
        head, hash_, _ = self.symbols[number][scope].descriptor.rpartition("#")
        found = classes.get(head + hash_, ())
        if len(found) != 1:
            return None
        unit, klass = found[0]
        name = self.codes[number].names[self.codes[number].scopes[scope].name]
        code = self.codes[unit]
        mine = [row for row in code.scopes if row.parent == klass and code.names[row.name] == name]
        return None if mine and all(row.flags & STATIC for row in mine) else found[0]

    def overloads(self, place: Place) -> list[Place]:
        """All functions of one class that have the name of one of them."""
        code = self.codes[place[0]]
        row = code.scopes[place[1]]
        return [(place[0], scope) for scope, each in enumerate(code.scopes)
                if each.parent == row.parent and each.name == row.name and each.kind == row.kind]  # fmt: skip

    def of_class(self, klass: Place, places: set[Place]) -> set[Place]:
        """The functions among some that an instance of a class has: of the nearest class above."""
        for place in self.lineage(klass):
            found = {each for each in places if self.class_of(each) == place}
            if found:
                return found
        return set()

    @cached_property
    def _members(self) -> dict[Place, dict[str, Place]]:
        found: dict[Place, dict[str, Place]] = {}
        for number, code in enumerate(self.codes):
            for scope, row in enumerate(code.scopes):
                if row.parent < 0 or row.kind != ScopeKind.FUNCTION:
                    continue
                if code.scopes[row.parent].kind == ScopeKind.CLASS:
                    members = found.setdefault((number, row.parent), {})
                    name = code.names[row.name]
                    members.setdefault(f"{name}=" if row.flags & SETTER else name, (number, scope))
        for place, klass in self.attached.items():
            row = self.scope(place)
            members = found.setdefault(klass, {})
            members.setdefault(self.codes[place[0]].names[row.name], place)
        return found

    @cached_property
    def _parts(self) -> dict[Place, list[Place]]:
        """Class that is written in parts -> its parts, by their whole names."""
        found: dict[tuple[str, str], list[Place]] = {}
        for number, code in enumerate(self.codes):
            for scope, row in enumerate(code.scopes):
                if row.kind == ScopeKind.CLASS and row.flags & PARTIAL:
                    word = self.symbols[number][scope].descriptor
                    found.setdefault((code.language, word), []).append((number, scope))
        return {place: several for several in found.values() if len(several) > 1
                for place in several}  # fmt: skip

    def whole(self, klass: Place) -> Place:
        """The first of the parts that a class is written in."""
        return min(self._parts.get(klass, (klass,)))

    def sharing(self, klass: Place, name: str) -> Place:
        """The class whose variable `@x` or `@@x` is meant: the furthest above in whose code it stands.

        Modules share only `@@x`. Each class has a `@x` of its own, but what sets it may stand above.
        """
        standing = self._standing.get(name, ())
        found = [each for each in self.lineage(klass) if each in standing
                 and (name.startswith("@@") or not self.scope(each).flags & ABSTRACT)]  # fmt: skip
        return min(found, key=lambda each: (sum(1 for _ in self.lineage(each)), each),
                   default=self.whole(klass))  # fmt: skip

    @cached_property
    def _standing(self) -> dict[str, set[Place]]:
        """Name that begins with `@` -> the classes in whose code it stands."""
        found: dict[str, set[Place]] = {}
        for number, code in enumerate(self.codes):
            names = {at for at, name in enumerate(code.names) if name.startswith("@")}
            for scope, row in enumerate(code.scopes) if names else ():
                klass = self.around((number, scope))
                for op, _, name, *_ in code.ops[row.first : row.last] if klass else ():
                    if name in names and op in _NAMING and klass is not None:
                        found.setdefault(code.names[name], set()).add(klass)
        return found

    def around(self, place: Place) -> Place | None:
        """The innermost class that code stands in."""
        unit, scope = place
        rows = self.codes[unit].scopes
        while scope > 0 and rows[scope].kind != ScopeKind.CLASS:
            scope = rows[scope].parent
        return (unit, scope) if scope > 0 else None

    def lineage(self, klass: Place) -> Iterator[Place]:
        """A class and those above it, the nearest first, each once."""
        seen: set[Place] = set()
        waiting = [klass]
        while waiting:
            place = waiting.pop(0)
            if place not in seen:
                seen.add(place)
                yield place
                waiting[:0] = self._parts.get(place, ())
                waiting += self.bases.get(place, ())

    def member(self, klass: Place, name: str) -> Place | None:
        """The function that `name` is on an instance of a class, through its bases in order."""
        for place in self.lineage(klass):
            found = self._members.get(place, {}).get(name)
            if found is not None:
                return found
        return None

    def class_of(self, place: Place) -> Place | None:
        """The class whose member a function is."""
        parent = self.scope(place).parent
        if parent >= 0 and self.codes[place[0]].scopes[parent].kind == ScopeKind.CLASS:
            return place[0], parent
        return self.attached.get(place)

    def is_method(self, place: Place) -> bool:
        """Whether a function is called on an instance."""
        row = self.scope(place)
        return self.class_of(place) is not None and not row.flags & STATIC

    def overriders(self, place: Place) -> list[Place]:
        """All functions that run in the place of one, in whatever subclass."""
        found: list[Place] = []
        waiting = list(self.overrides.get(place, ()))
        while waiting:
            each = waiting.pop()
            if each not in found:
                found.append(each)
                waiting += self.overrides.get(each, ())
        return sorted(found)

    # ------------------------------------------------------------------ order

    @cached_property
    def order(self) -> Sequence[Sequence[Place]]:
        """All scopes in circles of calls, callees before callers (Tarjan 1972)."""
        called: dict[Place, list[Place]] = {}
        for (number, site), targets in self.calls.items():
            source = self._scope_at(number, site)
            called.setdefault((number, source), []).extend((t.unit, t.scope) for t in targets)
        for (number, site), modules in self.imports.items():
            source = self._scope_at(number, site)
            called.setdefault((number, source), []).extend((unit, 0) for unit, _ in modules)
        places = [(n, s) for n, code in enumerate(self.codes) for s in range(len(code.scopes))]
        return _bottom_up(places, called)

    def _scope_at(self, number: int, site: Span) -> int:
        """The innermost function around a site, 0 for the module: scopes nest as their bytes do."""
        scopes = self.codes[number].scopes
        starts, at = self._starts[number]
        before = bisect_right(starts, site.start) - 1
        scope = at[before] if before >= 0 else 0
        while scope > 0:
            row = scopes[scope]
            if row.kind != ScopeKind.CLASS and row.start <= site.start and site.end <= row.end:
                return scope
            scope = row.parent
        return 0

    @cached_property
    def _starts(self) -> list[tuple[list[int], list[int]]]:
        """Of each file: where its scopes start, rising, and which they are, the wider ones first."""
        found: list[tuple[list[int], list[int]]] = []
        for code in self.codes:
            rows = sorted((row.start, -row.end, at) for at, row in enumerate(code.scopes))
            found.append(([row[0] for row in rows], [row[2] for row in rows]))
        return found


def _bottom_up(places: Sequence[Place], called: dict[Place, list[Place]]) -> list[list[Place]]:
    done: list[list[Place]] = []
    index: dict[Place, int] = {}
    low: dict[Place, int] = {}
    path: list[Place] = []
    on_path: set[Place] = set()
    for root in places:
        if root in index:
            continue
        work: list[tuple[Place, int]] = [(root, 0)]
        while work:
            place, at = work.pop()
            if at == 0:
                index[place] = low[place] = len(index)
                path.append(place)
                on_path.add(place)
            targets = called.get(place, [])
            for number in range(at, len(targets)):
                target = targets[number]
                if target not in index:
                    work += [(place, number + 1), (target, 0)]
                    break
                if target in on_path:
                    low[place] = min(low[place], index[target])
            else:
                if low[place] == index[place]:
                    done.append([])
                    while True:
                        member = path.pop()
                        on_path.discard(member)
                        done[-1].append(member)
                        if member == place:
                            break
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[place])
    return done

"""What stands around handlers: decorators, middleware, filters, bases and fields of their classes.

A framework runs these before it calls a handler. Whether they check is known by a row, by a name
that is like that of a check, or by what they do themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from grainline.flow.handlers import bases
from grainline.flow.rows import MAY, OWNERSHIP, PERMISSION
from grainline.flow.state import EMPTY
from grainline.flow.values import Class, Function, Object, Trail, Value, ordered
from grainline.model.flow import Role
from grainline.model.ir import Op, ScopeKind
from grainline.model.ir import Port as PortKind

if TYPE_CHECKING:
    from grainline.flow.machine import Run
    from grainline.flow.outside import Site
    from grainline.flow.program import Code, Place
    from grainline.flow.rows import Models
    from grainline.flow.solver import Solver

ONWARD: Final = "(onward)"
"""As the row of a sink: what runs before a handler hands on to it."""

_NO_PLACES: Final[frozenset[Place]] = frozenset()

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def likeness(models: Models, name: str) -> int:
    """Kinds that a check of such a name may be for; 0: it is not like that of a check."""
    last = name.rpartition(".")[2]
    found = 0
    for word in _WORDS.findall(last):
        row = models.checks.get(f"~{word.lower()}")
        found |= row.kinds if row is not None else 0
    return found


def spelled_at(code: Code, op: int) -> str:
    """The dotted name that stands at an operation, of what is called there where one is."""
    if op < 0:
        return ""
    row = code.ops[op]
    while row[0] in (Op.CALL, Op.NEW):
        row = code.ops[row[1]]
    words: list[str] = []
    while row[0] == Op.GETATTR:
        words.append(code.names[row[2]])
        row = code.ops[row[1]]
    if row[0] == Op.LOAD:
        words.append(code.names[row[1]])
    return ".".join(reversed(words))


class _Around(NamedTuple):
    """Something that stands around a function: what it does is known when all was looked at."""

    run: Run
    op: int
    value: Value


class Surroundings:
    """What is known of it in one analysis."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._guarded: dict[Place, list[_Around]] = {}
        self.checked: set[Place] = set()
        """Functions that make a check themselves; `owned`: one of whose a thing is."""
        self.owned: set[Place] = set()
        self._filters: dict[Place, None] = {}
        """Functions that run before every handler, in the order in which they were found."""
        self._within: dict[Place, Sequence[Place]] = {}
        self.everywhere: dict[str, Trail] = {}
        """Language -> a check before all handlers."""

    # ------------------------------------------------------------------ what is found

    def decorated(self, run: Run, op: int, decorator: Value, what: Value) -> None:
        """A function or class with a decorator that checks."""
        filters = [f"filter {name.removesuffix('()')}" for name in decorator.names()]
        filters += [f"filter *.{name.rpartition('.')[2]}" for name in filters]
        if any(name.removesuffix("()") in run.models.checks for name in filters):
            self._filter(what)
        around = _Around(run, run.ops[op][1], decorator)
        for ref in ordered(what.refs):
            if isinstance(ref, (Function, Class)):
                self._guarded.setdefault((ref.unit, ref.scope), []).append(around)

    def registered(self, site: Site, functions: Sequence[Function], *, last: bool) -> None:
        """What is handed over beside a handler may check: where that is `last`, what stands before."""
        for argument in site.arguments[:-1] if last else site.arguments:
            if argument.op < 0:
                continue
            for ref in functions:
                if ref not in argument.value.refs:
                    self._guarded.setdefault((ref.unit, ref.scope), []).extend(
                        _Around(site.run, op, value)
                        for op, value in self._options(site, argument.op, argument.value)
                    )

    @staticmethod
    def _options(site: Site, op: int, value: Value) -> Iterator[tuple[int, Value]]:
        """What is handed over beside a handler: itself, elements of a list, options that rows name."""
        yield op, value
        run = site.run
        for ref in ordered(value.refs):
            thing = run.thing(ref) if isinstance(ref, Object) else EMPTY
            inside = [each for key, each in thing.fields.items()
                      if isinstance(key, int) or f"{key}=" in run.models.checks]  # fmt: skip
            for each in inside:
                yield -1, each
                for inner in ordered(each.refs):
                    if isinstance(inner, Object):
                        yield from ((-1, item) for item in run.thing(inner).fields.values())

    def filtered(self, site: Site) -> None:
        """What is called before every handler."""
        for argument in site.arguments:
            if self._is_router(site.run, argument.value):
                continue
            if self._named(site.run, argument.op, argument.value):
                trail = Trail(site.run.unit, argument.op, Role.GUARD,
                              spelled_at(site.run.code, argument.op))  # fmt: skip
                self.everywhere.setdefault(site.run.code.language, trail)
            self._filter(argument.value)

    def _filter(self, value: Value) -> None:
        """Functions that run before every handler."""
        for ref in ordered(value.refs):
            if isinstance(ref, Function):
                self._filters.setdefault((ref.unit, ref.scope))

    def _is_router(self, run: Run, value: Value) -> bool:
        """Whether a value is what handlers are registered with, and checks nothing itself."""
        names = value.names()
        return bool(names) and any(row.rpartition(".")[0] in names for row in run.models.entries)

    def _kinds_of(self, run: Run, op: int, value: Value) -> int:
        """Kinds that something around a function checks: by its row, name or what it does."""
        named = self._named(run, op, value)
        if named:
            return named
        for ref in ordered(value.refs):
            demanded = self._demands((ref.unit, ref.scope)) if isinstance(ref, Function) else 0
            if demanded:
                return demanded
        return 0

    def _named(self, run: Run, op: int, value: Value) -> int:
        """Kinds that something checks by its row, or as far as its name says."""
        checks = run.models.checks
        spelled = spelled_at(run.code, op)
        names = [name.removesuffix("()") for name in value.names()]
        for name in (*names, f"*.{spelled.rpartition('.')[2]}"):
            row = checks.get(f"@{name}")
            if row is not None:
                return row.kinds
        if self._dependencies(run, op):
            return PERMISSION
        return likeness(run.models, spelled)

    def _dependencies(self, run: Run, op: int) -> bool:
        """Whether a call that registers names something like a check among its options."""
        row = run.ops[op]
        if row[0] != Op.CALL:
            return False
        for kind, key, value in run.code.ports[row[2] : row[2] + row[3]]:
            if kind == PortKind.KEYWORD and f"{run.names[key]}=" in run.models.checks:
                start, end = run.code.span(value)
                words = [
                    run.names[each[1 if each[0] == Op.LOAD else 2]]
                    for each in run.ops[run.row.first : op]
                    if each[0] in (Op.LOAD, Op.GETATTR) and start <= each[4] <= end
                ]
                return any(
                    f"parameter {word.removeprefix('get_')}" in run.models.checks
                    or likeness(run.models, word)
                    for word in words
                )  # fmt: skip
        return False

    def _demands(self, place: Place) -> int:
        """Kinds for which a function that runs before a handler goes on to it only after a check.

        Where it is not seen to go on, whatever it looks at may be one.
        """
        onward = [taint.clean for summary in self._solver.modelled.entered(place)
                  for hit, taint in summary.hits.items() if hit.row == ONWARD]  # fmt: skip
        if not onward:
            return PERMISSION | OWNERSHIP if self._reaches(place, self.checked) else 0
        kinds = MAY
        for clean in onward:
            kinds &= clean
        return kinds | OWNERSHIP if kinds and self._reaches(place, self.owned) else kinds

    def _reaches(self, place: Place, places: set[Place]) -> bool:
        """Whether a function, or one in it, is one of these, or calls one."""
        if not places:
            return False
        followed = self._solver.followed
        seen = {place, *self._inside(place)}
        waiting = list(seen)
        while waiting:
            each = waiting.pop()
            if each in places:
                return True
            more = followed.get(each, _NO_PLACES) - seen
            seen |= more
            waiting += more
        return False

    def _inside(self, place: Place) -> Sequence[Place]:
        """The functions in a function."""
        found = self._within.get(place)
        if found is None:
            inside = {place[1]}
            for scope, row in enumerate(self._solver.program.codes[place[0]].scopes):
                if row.parent in inside:
                    inside.add(scope)
            found = self._within[place] = [(place[0], scope) for scope in inside]
        return found

    # ------------------------------------------------------------------ what is asked

    def before(self, run: Run, place: Place) -> Iterator[tuple[int, Trail]]:
        """Kinds that are checked before a handler is called, and where."""
        yield from self._around(place)
        language = run.code.language
        if language in self.everywhere:
            yield PERMISSION | OWNERSHIP, self.everywhere[language]
        for each in (*self._filters, *self._of_bases):
            demanded = self._demands(each) if each != place else 0
            if demanded:
                yield demanded, Trail(each[0], self._solver.modelled.definition(each),
                                        Role.GUARD, "before every handler")  # fmt: skip
                break
        yield from self._of_class(place)
        yield from self._of_parameters(place)
        yield from self._taken_in(place)

    @cached_property
    def _of_bases(self) -> list[Place]:
        """Functions of classes that a framework runs before every handler, by what is above them."""
        found: list[Place] = []
        for unit, code in enumerate(self._solver.program.codes):
            checks = self._solver.models_of(code.language).checks
            if not any(name.startswith("filter class ") for name in checks):
                continue
            classes = {scope for scope, row in enumerate(code.scopes) if row.kind == ScopeKind.CLASS
                       and any(f"filter class {base}" in checks
                               for base in bases(self._solver, (unit, scope)))}  # fmt: skip
            found += [(unit, scope) for scope, row in enumerate(code.scopes)
                      if row.parent in classes and row.kind == ScopeKind.FUNCTION]  # fmt: skip
        return found

    def _around(self, place: Place) -> Iterator[tuple[int, Trail]]:
        for run, op, value in self._guarded.get(place, ()):
            kinds = self._kinds_of(run, op, value)
            if kinds:
                yield kinds, Trail(run.unit, op, Role.GUARD, spelled_at(run.code, op))

    def _of_class(self, place: Place) -> Iterator[tuple[int, Trail]]:
        """What bases and fields of its class say of a method."""
        program = self._solver.program
        waiting = [each for each in (program.class_of(place),) if each is not None]
        seen: set[Place] = set()
        while waiting:
            klass = waiting.pop()
            if klass in seen:
                continue
            seen.add(klass)
            waiting += program.bases.get(klass, ())
            yield from self._around(klass)
            code = program.codes[klass[0]]
            checks = self._solver.models_of(code.language).checks
            row = code.scopes[klass[1]]
            at = self._solver.modelled.definition(klass)
            for base in self._solver.calls.bases.get(klass, ()):
                found = checks.get(f"class {base.rpartition('.')[2]}")
                if found is not None:
                    yield found.kinds, Trail(klass[0], at, Role.GUARD, base)
            for op in range(row.first, row.last):
                if code.ops[op][0] == Op.STORE:
                    found = checks.get(f"field {code.names[code.ops[op][1]]}")
                    if found is not None:
                        yield found.kinds, Trail(klass[0], op, Role.GUARD, found.name)

    def _of_parameters(self, place: Place) -> Iterator[tuple[int, Trail]]:
        """Parameters that a framework fills with who calls."""
        code = self._solver.program.codes[place[0]]
        checks = self._solver.models_of(code.language).checks
        for index, _, name, annotation in self._solver.calls.parameters(place):
            words = (name, *(f"@{spelled_at(code, op).rpartition('.')[2]}"
                             for op in self._solver.calls.annotating(place[0], annotation)))  # fmt: skip
            row = next(
                (checks[key] for word in words if (key := f"parameter {word}") in checks), None
            )
            if row is not None and index >= 0:
                at = self._solver.modelled.definition(place)
                yield row.kinds, Trail(place[0], at, Role.GUARD, f"parameter {name}")

    def _taken_in(self, place: Place) -> Iterator[tuple[int, Trail]]:
        """What a script takes in where it begins, that checks or is called like a check."""
        unit, scope = place
        code = self._solver.program.codes[unit]
        models = self._solver.models_of(code.language)
        row = code.scopes[scope]
        for op in range(row.first, row.last) if scope == 0 else ():
            if code.ops[op][0] != Op.IMPORT:
                continue
            name = code.names[code.ops[op][1]]
            targets = self._solver.program.imports.get((unit, code.span(op)), ())
            like = likeness(models, name.rpartition("/")[2].partition(".")[0])
            if like or any(self._reaches(each, self.checked) for each in targets):
                yield like or PERMISSION, Trail(unit, op, Role.GUARD, name)

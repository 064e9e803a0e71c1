"""Who may: authorization checks, operations that need one, and objects that a request selects.

That somebody calls is an origin of its own (`CALLER`): every function hands it on, an operation is
a sink for it, and a check is a guard of it. So dominance, summaries, what a result says and what an
exception ends are those of all other flows; a framework that calls a handler is its source.

Data that looks something up gives that thing another origin: its own with `SELECTED` at the end of
the path. A comparison of such a thing with what is no constant shows whose it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from grainline.flow.rows import (
    KINDS,
    MAY,
    OWNERSHIP,
    PERMISSION,
    CheckRow,
    OperationRow,
    SinkRow,
)
from grainline.flow.summaries import Hit
from grainline.flow.values import (
    CALLER,
    DOUBT,
    MAX_PATH,
    NO_TAINTS,
    SELECTED,
    UNKNOWN,
    Class,
    Fact,
    Function,
    Origin,
    Port,
    Source,
    Taint,
    Trail,
    Value,
)
from grainline.model.edge import Tier
from grainline.model.flow import Cut, Role
from grainline.model.ir import Op
from grainline.model.ir import Port as PortKind

if TYPE_CHECKING:
    from grainline.flow.machine import Run
    from grainline.flow.outside import Site
    from grainline.flow.program import Place
    from grainline.flow.rows import Models
    from grainline.flow.solver import Solver
    from grainline.flow.state import State

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_EQUAL: Final = frozenset(("==", "===", "is", "eq", "in"))
_DIFFERENT: Final = frozenset(("!=", "!==", "is not", "<>", "ne", "not in"))


def selected(taints: Iterable[tuple[Origin, Taint]]) -> dict[Origin, Taint]:
    """Data that looked something up, as the thing that was found."""
    return {_selected(origin): taint for origin, taint in taints}


def _selected(origin: Origin) -> Origin:
    if is_selected(origin):
        return origin
    return origin._replace(path=(*origin.path[: MAX_PATH - 1], SELECTED))


def is_selected(origin: Origin) -> bool:
    """Whether an origin is a thing that was looked up."""
    return bool(origin.path) and origin.path[-1] == SELECTED


class _Around(NamedTuple):
    """Something that stands around a function: what it does is known when all was looked at."""

    run: Run
    op: int
    value: Value


class Permission:
    """What is known of checks in one analysis."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._guarded: dict[Place, list[_Around]] = {}
        self._checked: set[Place] = set()
        self._filters: list[Place] = []
        self._everywhere: dict[str, Trail] = {}
        self.settled: dict[Hit, bool] = {}
        """Sinks that handlers reach -> whether all of those are checked before."""

    # ------------------------------------------------------------------ what is read and called

    def read(self, run: Run, op: int, value: Value, names: Iterable[str]) -> Value:
        """A value that was read under these names: who calls, or whether that may be."""
        for name in names:
            row = run.models.checks.get(name)
            if row is not None and row.does in ("identity", "test"):
                return self._told(run, op, row, value)
        return value

    def member(self, run: Run, op: int, holder: Value, name: str, value: Value) -> Value:
        """A member of what says who calls: what role that one has."""
        row = run.models.checks.get(f"*.{name}")
        if row is None or row.does != "role" or not self.says_who(run, holder):
            return value
        return self._told(run, op, row, value)

    def _told(self, run: Run, op: int, row: CheckRow, value: Value) -> Value:
        self._checked.add((run.unit, run.scope))
        trail = Trail(run.unit, op, Role.GUARD, row.name.removeprefix("*."))
        if row.does == "identity":
            number = self._solver.row_number(run.code.language, row.name)
            origin = Source(run.unit, op, number)
            return Value(
                {**value.taints, origin: Taint(-1, trail)}, value.refs, value.const, value.facts
            )
        fact = Fact(row.truth, CALLER, row.kinds, trail)
        return Value(value.taints, value.refs, value.const, (*value.facts, fact))

    def called(self, site: Site, candidates: Sequence[tuple[str, Tier]], value: Value) -> Value:
        """A call of something outside, and what it gives."""
        run, checks = site.run, site.run.models.checks
        assert run.state is not None
        for name, _ in candidates:
            if f"filter {name}" in checks:
                self._filtered(site)
            row = checks.get(f"{name}()")
            if row is None or not site.holds(row.when, row.unless):
                continue
            if row.does == "demand":
                self._checked.add((run.unit, run.scope))
                trail = Trail(run.unit, site.op, Role.GUARD, row.name.removeprefix("*."))
                run.state.validate(CALLER, row.kinds, trail)
            elif row.does == "everywhere":
                trail = Trail(run.unit, site.op, Role.GUARD, row.name)
                self._everywhere.setdefault(run.code.language, trail)
            else:
                value = self._told(run, site.op, row, value)
            return value
        self._doubted(site, candidates)
        value = self._chosen(site, candidates, value)
        return self._asked(site, value)

    def _doubted(self, site: Site, candidates: Sequence[tuple[str, Tier]]) -> None:
        """What is called may be a check, as far as its name says."""
        run = site.run
        assert run.state is not None
        if candidates and self._is_like(run.models, candidates[0][0]):
            name = candidates[0][0].removeprefix("*.")
            self._solver.cut(run.unit, site.op, Cut.DISPATCH, name)
            trail = Trail(run.unit, site.op, Role.GUARD, name)
            run.state.validate(DOUBT, PERMISSION | OWNERSHIP, trail)

    @staticmethod
    def _is_like(models: Models, name: str) -> bool:
        """Whether a name is like that of a check."""
        last = name.rpartition(".")[2]
        return any(f"~{word.lower()}" in models.checks for word in _WORDS.findall(last))

    def _chosen(self, site: Site, candidates: Sequence[tuple[str, Tier]], value: Value) -> Value:
        """What is looked up by data; by who calls it is that one's own."""
        run = site.run
        assert run.state is not None
        if not any(name in run.models.selections for name, _ in candidates):
            return value
        given = [argument.value for argument in site.arguments]
        if site.receiver is not None:
            given.append(site.receiver)
        deep = [run.state.deep(each) for each in given]
        who = {origin: taint for taints in deep for origin, taint in taints.items()
               if self._is_who(origin)}  # fmt: skip
        note = candidates[0][0].rpartition(".")[2]
        found = who or selected((origin, taint) for taints in deep
                                for origin, taint in taints.items())  # fmt: skip
        longer = run.longer(found, site.op, Role.PROPAGATOR, f"looked up by {note}")
        clean = -1 if who else ~OWNERSHIP
        taints = {origin: taint._replace(clean=clean) for origin, taint in longer.items()}
        kept: Mapping[Origin, Taint] = NO_TAINTS if who else value.taints
        return Value({**kept, **taints}, value.refs, value.const, value.facts)

    def _asked(self, site: Site, value: Value) -> Value:
        """A call with a thing and who calls: its result says whether that one may."""
        run = site.run
        assert run.state is not None
        given = [argument.value for argument in site.arguments]
        if site.receiver is not None:
            given.append(site.receiver)
        things = [origin for each in given for origin in each.taints if is_selected(origin)]
        if not things or not any(self.says_who(run, each) for each in given):
            return value
        trail = Trail(run.unit, site.op, Role.GUARD, "whose it is")
        facts = tuple(Fact(True, origin, OWNERSHIP, trail) for origin in things)
        return Value(value.taints, value.refs, value.const, (*value.facts, *facts))

    # ------------------------------------------------------------------ who calls

    def _is_who(self, origin: Origin) -> bool:
        if not isinstance(origin, Source):
            return False
        language, name = self._solver.row_names[origin.row]
        row = self._solver.models_of(language).checks.get(name)
        return row is not None and row.does in ("identity", "parameter")

    def says_who(self, run: Run, value: Value) -> bool:
        """Whether a value says who calls."""
        return bool(value.taints) and any(map(self._is_who, value.taints))

    def facts(self, run: Run, value: Value) -> tuple[Fact, ...]:
        """What the truth of a value shows."""
        for origin, taint in value.taints.items():
            if self._is_who(origin):
                trail = Trail(run.unit, taint.trail.op if taint.trail else 0, Role.GUARD,
                              "who calls", taint.trail)  # fmt: skip
                self._checked.add((run.unit, run.scope))
                return (*value.facts, Fact(True, CALLER, PERMISSION, trail))
        return value.facts

    def tested(self, run: Run, op: int, word: str, left: Value, right: Value) -> tuple[Fact, ...]:
        """What a comparison shows of who calls, and of whose a thing is."""
        if not left.taints and not right.taints:
            return ()
        found: list[Fact] = []
        who = [each for each in (left, right) if self.says_who(run, each)]
        for each in who:
            before = next(t.trail for o, t in each.taints.items() if self._is_who(o))
            trail = Trail(run.unit, op, Role.GUARD, "who calls", before)
            self._checked.add((run.unit, run.scope))
            found += [Fact(truth, CALLER, PERMISSION, trail) for truth in (True, False)]
        if word not in _EQUAL and word not in _DIFFERENT:
            return tuple(found)
        trail = Trail(run.unit, op, Role.GUARD, "whose it is")
        for one, other in ((left, right), (right, left)):
            if other.const is not UNKNOWN:
                continue
            found += [Fact(word in _EQUAL, origin, OWNERSHIP, trail) for origin in one.taints
                      if is_selected(origin) or self.says_who(run, other)
                      or (isinstance(origin, Port) and origin.path)]  # fmt: skip
        return tuple(found)

    # ------------------------------------------------------------------ operations

    def operate(self, site: Site, candidates: Sequence[tuple[str, Tier]]) -> None:
        """A call that needs a check."""
        for name, tier in candidates:
            rows = site.run.models.operations.get(f"{name}()", ())
            held = [row for row in rows if site.holds(row.when, row.unless)]
            for row in held:
                things = [value for where in row.objects for value in site.at(where)]
                self._operation(site.run, site.op, row, things, tier)
            if held:
                return

    def stored(self, run: Run, op: int, holder: Value, name: str) -> None:
        """A field is set that needs a check."""
        names = [f"{each}.{name}" for each in holder.names()]
        for each in (*names, f"*.{name}"):
            rows = run.models.operations.get(each, ())
            tier = Tier.NAMED if each.startswith("*") else Tier.RESOLVED
            for row in rows:
                self._operation(run, op, row, [holder], tier)
            if rows:
                return

    def _operation(
        self, run: Run, op: int, row: OperationRow, things: list[Value], tier: Tier
    ) -> None:
        assert run.state is not None
        who = any(map(self._is_who, (o for each in things for o in run.state.deep(each))))
        if who:
            return  # done to what is the caller's own
        if "permission" in row.kinds:
            clean = run.state.harmless(CALLER, Taint(0, None))
            trail = Trail(run.unit, op, Role.SINK, row.what, self._seen(run.state), tier=tier)
            self._solver.hit_sink(run, op, row.name, "permission", CALLER,
                                  Taint(clean, trail, doubts(run.state)))  # fmt: skip
        if "ownership" not in row.kinds:
            return
        for value in things:
            taints = run.state.deep(value)
            if row.selects:
                taints = selected(taints.items())
            for origin, taint in taints.items():
                if isinstance(origin, Source) and not is_selected(origin):
                    continue
                clean = run.state.harmless(origin, taint._replace(clean=taint.clean & ~OWNERSHIP))
                trail = Trail(run.unit, op, Role.SINK, row.what,
                              self._seen(run.state, taint.trail), tier=tier)  # fmt: skip
                more = tuple(d for d in doubts(run.state) if d not in taint.assumed)
                self._solver.hit_sink(run, op, row.name, "ownership", origin,
                                      Taint(clean, trail, taint.assumed + more))  # fmt: skip

    @staticmethod
    def _seen(state: State, before: Trail | None = None) -> Trail | None:
        """The way so far, with the check that was made on it."""
        known = state.valid.get(CALLER)
        if known is None:
            return before
        trail = known[1]
        return Trail(trail.unit, trail.op, Role.GUARD, trail.note, before, trail.before)

    # ------------------------------------------------------------------ what frameworks call

    def decorated(self, run: Run, op: int, decorator: Value, what: Value) -> None:
        """A function or class with a decorator that checks."""
        filters = [f"filter {name.removesuffix('()')}" for name in decorator.names()]
        filters += [f"filter *.{name.rpartition('.')[2]}" for name in filters]
        if any(name.removesuffix("()") in run.models.checks for name in filters):
            self._filters += [(ref.unit, ref.scope) for ref in what.refs
                              if isinstance(ref, Function)]  # fmt: skip
        around = _Around(run, run.ops[op][1], decorator)
        for ref in what.refs:
            if isinstance(ref, (Function, Class)):
                self._guarded.setdefault((ref.unit, ref.scope), []).append(around)

    def registered(self, site: Site, functions: Sequence[Function]) -> None:
        """Several functions are handed over together: those before the last may check."""
        for argument in site.arguments[:-1]:
            if argument.op < 0:
                continue
            for ref in functions:
                around = _Around(site.run, argument.op, argument.value)
                if ref not in argument.value.refs:
                    self._guarded.setdefault((ref.unit, ref.scope), []).append(around)

    def _filtered(self, site: Site) -> None:
        """What is called before every handler."""
        for argument in site.arguments:
            if self._kinds_of(site.run, argument.op, argument.value):
                trail = Trail(site.run.unit, argument.op, Role.GUARD,
                              self._spelled(site.run, argument.op))  # fmt: skip
                self._everywhere.setdefault(site.run.code.language, trail)
            self._filters += [(ref.unit, ref.scope) for ref in argument.value.refs
                              if isinstance(ref, Function)]  # fmt: skip

    def _kinds_of(self, run: Run, op: int, value: Value) -> int:
        """Kinds that something around a function checks: by its row, name or what it does."""
        checks = run.models.checks
        spelled = self._spelled(run, op)
        names = [name.removesuffix("()") for name in value.names()]
        for name in (*names, f"*.{spelled.rpartition('.')[2]}"):
            row = checks.get(f"@{name}")
            if row is not None:
                return row.kinds
        if self._dependencies(run, op):
            return PERMISSION
        if spelled and self._is_like(run.models, spelled):
            return PERMISSION
        for ref in value.refs:
            if isinstance(ref, Function) and self._checks((ref.unit, ref.scope)):
                return PERMISSION | OWNERSHIP
        return 0

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
                    or self._is_like(run.models, word)
                    for word in words
                )  # fmt: skip
        return False

    @staticmethod
    def _spelled(run: Run, op: int) -> str:
        """The dotted name that stands at an operation, of what is called there where one is."""
        if op < 0:
            return ""
        row = run.ops[op]
        while row[0] in (Op.CALL, Op.NEW):
            row = run.ops[row[1]]
        words: list[str] = []
        while row[0] == Op.GETATTR:
            words.append(run.names[row[2]])
            row = run.ops[row[1]]
        if row[0] == Op.LOAD:
            words.append(run.names[row[1]])
        return ".".join(reversed(words))

    def _checks(self, place: Place) -> bool:
        """Whether a function, or one in it, makes a check, in itself or in what it calls."""
        rows = self._solver.program.codes[place[0]].scopes
        inside = {place}
        for scope, row in enumerate(rows):
            if (place[0], row.parent) in inside:
                inside.add((place[0], scope))
        callees: dict[Place, set[Place]] = {}
        for callee, callers in self._solver.applied.items():
            for caller in callers:
                callees.setdefault(caller, set()).add(callee)
        waiting, seen = list(inside), set(inside)
        while waiting:
            each = waiting.pop()
            if each in self._checked:
                return True
            more = callees.get(each, set()) - seen
            seen |= more
            waiting += more
        return False

    def enter(self, run: Run, place: Place, op: int, name: str) -> Value:
        """That somebody calls a handler, after what is checked before it."""
        assert run.state is not None
        for kinds, trail in self._before(run, place):
            run.state.validate(CALLER, kinds, trail)
        number = self._solver.row_number(run.code.language, name)
        origin = Source(place[0], op, number, ("caller",))
        return Value({origin: Taint(0, Trail(place[0], op, Role.SOURCE, f"route: {name}"))})

    def settle(self, run: Run, hits: Iterable[Hit]) -> None:
        """What a handler does with data that it reads itself, after what is checked before it."""
        assert run.state is not None
        known = run.state.valid.get(CALLER)
        for hit in hits:
            if isinstance(hit.origin, Source) and hit.kind < len(KINDS):
                bit = 1 << hit.kind
                covered = known is not None and bool(bit & known[0] & MAY)
                self.settled[hit] = covered and self.settled.get(hit, True)

    def _before(self, run: Run, place: Place) -> Iterator[tuple[int, Trail]]:
        yield from self._around(place)
        language = run.code.language
        if language in self._everywhere:
            yield PERMISSION | OWNERSHIP, self._everywhere[language]
        for each in self._filters:
            if each != place and self._checks(each):
                yield PERMISSION, Trail(each[0], self._solver.modelled.definition(each),
                                        Role.GUARD, "before every handler")  # fmt: skip
                break
        yield from self._of_class(place)
        yield from self._of_parameters(place)

    def _around(self, place: Place) -> Iterator[tuple[int, Trail]]:
        for run, op, value in self._guarded.get(place, ()):
            kinds = self._kinds_of(run, op, value)
            if kinds:
                yield kinds, Trail(run.unit, op, Role.GUARD, self._spelled(run, op))

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
        for index, _, name, _ in self._solver.calls.parameters(place):
            row = checks.get(f"parameter {name}")
            if row is not None and index >= 0:
                at = self._solver.modelled.definition(place)
                yield row.kinds, Trail(place[0], at, Role.GUARD, f"parameter {name}")

    def parameter(self, run: Run, name: str, value: Value) -> Value:
        """A parameter whose name says that it is who calls."""
        row = run.models.checks.get(f"parameter {name}")
        if row is None:
            return value
        op = self._solver.modelled.definition((run.unit, run.scope))
        return self._told(run, op, replace(row, does="identity"), value)


def doubts(state: State) -> tuple[tuple[int, int, str], ...]:
    """Places of calls that may be checks."""
    known = state.valid.get(DOUBT)
    return () if known is None else ((known[1].unit, known[1].op, Cut.DISPATCH.value),)


def sink_row(row: OperationRow, kind: str) -> SinkRow:
    """An operation as the sink that it is for a kind."""
    assert kind in KINDS
    cwe = row.cwe if kind == "permission" else 639
    return SinkRow(name=row.name, kind=kind, ports=(), severity=row.severity, cwe=cwe)

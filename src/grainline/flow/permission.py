"""Who may: authorization checks, operations that need one, and objects that a request selects.

That somebody calls is an origin of its own (`CALLER`): every function hands it on, an operation is
a sink for it, and a check is a guard of it. So dominance, summaries, what a result says and what an
exception ends are those of all other flows; a framework that calls a handler is its source.

Data that looks something up gives that thing another origin: its own with `SELECTED` at the end of
the path. A comparison of such a thing with what is no constant shows whose it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

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
from grainline.flow.surroundings import ONWARD, Surroundings, likeness
from grainline.flow.values import (
    CALLER,
    DOUBT,
    MAX_PATH,
    NO_TAINTS,
    SELECTED,
    UNKNOWN,
    Fact,
    Origin,
    Port,
    Source,
    Taint,
    Trail,
    Value,
)
from grainline.model.edge import Tier
from grainline.model.flow import Cut, Role

if TYPE_CHECKING:
    from grainline.flow.machine import Run
    from grainline.flow.outside import Site
    from grainline.flow.program import Place
    from grainline.flow.solver import Solver
    from grainline.flow.state import State

_EQUAL: Final = frozenset(("==", "===", "is", "eq", "in"))
_MEMBER: Final = frozenset(("in", "not in"))
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


class Permission:
    """What is known of checks in one analysis."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self.around = Surroundings(solver)
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
        self.around.checked.add((run.unit, run.scope))
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
                self.around.filtered(site)
            row = checks.get(f"{name}()")
            if row is None or not site.holds(row.when, row.unless):
                continue
            if row.does == "demand" or row.raises:
                self.around.checked.add((run.unit, run.scope))
                trail = Trail(run.unit, site.op, Role.GUARD, row.name.removeprefix("*."))
                run.state.validate(CALLER, row.kinds, trail)
            if row.does == "demand":
                return value
            if row.does == "onward":
                self._onward(site)
            elif row.does == "equal":
                return self._equal(site, value)
            elif row.does == "known":
                return self._known(site, row, value)
            elif row.does == "everywhere":
                trail = Trail(run.unit, site.op, Role.GUARD, row.name)
                self.around.everywhere.setdefault(run.code.language, trail)
            else:
                value = self._told(run, site.op, row, value)
            return value
        self._doubted(site, candidates)
        value = self._chosen(site, candidates, value)
        return self._asked(site, value)

    def _known(self, site: Site, row: CheckRow, value: Value) -> Value:
        """A call that says whether there is somebody who calls."""
        given = [argument.value for argument in site.arguments]
        given += [] if site.receiver is None else [site.receiver]
        if not any(self.says_who(site.run, each) for each in given):
            return value
        trail = Trail(site.run.unit, site.op, Role.GUARD, "who calls")
        self.around.checked.add((site.run.unit, site.run.scope))
        fact = Fact(row.truth, CALLER, PERMISSION, trail)
        return Value(value.taints, value.refs, value.const, (*value.facts, fact))

    def _equal(self, site: Site, value: Value) -> Value:
        """A call that compares two things."""
        given = [argument.value for argument in site.arguments]
        given = given if site.receiver is None else [site.receiver, *given]
        if len(given) < 2:
            return value
        facts = self.tested(site.run, site.op, "==", given[0], given[1])
        return Value(value.taints, value.refs, value.const, (*value.facts, *facts))

    def _onward(self, site: Site) -> None:
        """What runs before a handler hands on to it: for everybody, or after a check."""
        run = site.run
        assert run.state is not None
        clean = run.state.harmless(CALLER, Taint(0, None))
        trail = Trail(run.unit, site.op, Role.SINK, ONWARD)
        taint = Taint(clean, trail, doubts(run.state))
        self._solver.hit_sink(run, site.op, ONWARD, "permission", CALLER, taint)

    def _doubted(self, site: Site, candidates: Sequence[tuple[str, Tier]]) -> None:
        """What is called may be a check, as far as its name says."""
        run = site.run
        assert run.state is not None
        if candidates and likeness(run.models, candidates[0][0]):
            name = candidates[0][0].removeprefix("*.")
            self._solver.cut(run.unit, site.op, Cut.DISPATCH, name)
            trail = Trail(run.unit, site.op, Role.GUARD, name)
            run.state.validate(DOUBT, PERMISSION | OWNERSHIP, trail)

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
        self.around.owned.add((run.unit, run.scope))
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
                self.around.checked.add((run.unit, run.scope))
                return (*value.facts, Fact(True, CALLER, PERMISSION, trail))
        return value.facts

    @staticmethod
    def _compared(word: str, value: Value, other: Value) -> Iterator[Fact]:
        """What `f() == 1` shows, or `error != none`, of what a check gave: none is no error."""
        if other.const is UNKNOWN or word not in _EQUAL | _DIFFERENT:
            return
        for fact in value.facts:
            if fact.origin == CALLER:
                alike = other.const is None or fact.truth is bool(other.const)
                yield fact._replace(truth=(word in _EQUAL) is alike)

    def succeeded(self, run: Run, op: int, whole: Value) -> Value:
        """The last result of what says who calls: whether it could be said, or the error."""
        if not self.says_who(run, whole):
            return Value(facts=tuple(fact for fact in whole.facts if fact.origin == CALLER))
        trail = Trail(run.unit, op, Role.GUARD, "who calls")
        return Value(facts=(Fact(True, CALLER, PERMISSION, trail),))

    def tested(self, run: Run, op: int, word: str, left: Value, right: Value) -> tuple[Fact, ...]:
        """What a comparison shows of who calls, and of whose a thing is."""
        found = [*self._compared(word, left, right), *self._compared(word, right, left)]
        if not left.taints and not right.taints:
            return tuple(found)
        who = [each for each in (left, right) if self.says_who(run, each)]
        for each in who:
            other = right if each is left else left
            truths: tuple[bool, ...] = (True, False)
            if other.const is not UNKNOWN and word in (_EQUAL | _DIFFERENT) - _MEMBER:
                truths = ((word in _EQUAL) is bool(other.const),)  # nobody, or somebody
            before = next(t.trail for o, t in each.taints.items() if self._is_who(o))
            trail = Trail(run.unit, op, Role.GUARD, "who calls", before)
            self.around.checked.add((run.unit, run.scope))
            found += [Fact(truth, CALLER, PERMISSION, trail) for truth in truths]
        if word not in _EQUAL and word not in _DIFFERENT:
            return tuple(found)
        trail = Trail(run.unit, op, Role.GUARD, "whose it is")
        for one, other in ((left, right), (right, left)):
            if other.const is not UNKNOWN:
                continue
            found += [Fact(word in _EQUAL, origin, OWNERSHIP, trail) for origin in one.taints
                      if is_selected(origin) or self.says_who(run, other)
                      or (isinstance(origin, Port) and origin.path)]  # fmt: skip
        if any(fact.kinds & OWNERSHIP for fact in found):
            self.around.owned.add((run.unit, run.scope))
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

    def enter(self, run: Run, place: Place, op: int, name: str) -> Value:
        """That somebody calls a handler, after what is checked before it."""
        assert run.state is not None
        for kinds, trail in self.around.before(run, place):
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

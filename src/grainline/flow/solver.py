"""The solver: a summary for every function and shape of arguments, callees first.

A function is looked at for arguments of which nothing is known, and again for each *shape* that a
call gives it: constants, functions, classes and things from outside, so that a callback or a
constant switch is followed where it matters. Data stays symbolic in all of them. Circles of calls
go to a fixpoint; every bound that cuts is recorded (the summaries are those of Pysa and of GitNexus,
keyed by source).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from grainline.flow.asked import Asked
from grainline.flow.calls import Calls
from grainline.flow.lists import Lists
from grainline.flow.machine import Run
from grainline.flow.numbers import ENFORCED, is_number
from grainline.flow.outside import Outside
from grainline.flow.permission import Permission
from grainline.flow.plans import Plan
from grainline.flow.program import Place, Program
from grainline.flow.rows import KINDS, TEXT, Models
from grainline.flow.semantics import Semantics
from grainline.flow.state import State, Thing, port
from grainline.flow.summaries import BOTTOM, Hit, Summary
from grainline.flow.values import (
    GIVEN_RECEIVER,
    MAX_PATH,
    NOTHING,
    UNKNOWN,
    Class,
    Free,
    Holding,
    Instance,
    Key,
    Object,
    Origin,
    Ref,
    Source,
    Taint,
    Value,
    better,
    harmless,
    join,
    ordered,
    pointing,
)
from grainline.flow.variables import Variable, Variables
from grainline.model.flow import Cut
from grainline.model.ir import CONSTRUCTOR, ScopeKind

MAX_DEPTH: Final = 24
"""Calls inside of each other that are followed before their callees have a summary."""

MAX_SHAPES: Final = 16
"""Shapes of arguments of one function; further ones count as unknown."""

MAX_CONSTANTS: Final = 6
"""The same of shapes that are constants alone."""

MAX_CIRCLE: Final = 4
"""Times that a circle of calls is gone around."""

MAX_WORK: Final = 60_000
"""Work on one function (`machine.MAX_WORK`), of all shapes and rounds; when it is done, the function
is not looked at again for further shapes."""

TOLD: Final = 64
"""Functions after which it is told how far the search is."""

WORK: Final = 100_000
WORK_OF_OPERATION: Final = 16
"""Work of a whole analysis: so much, and so much more for every operation of its files. When a third of
it is done, no function is looked at for a shape or a second time, and fewer targets of a call are
followed; when all is done, functions that were not looked at are cut."""

MAX_HITS: Final = 64
"""Pairs of origin and sink that one summary tells apart."""

Shape = tuple[tuple["int | tuple[int, str]", object, frozenset[object]], ...]
"""(parameter, constant, things) of each parameter of which something is known, and the same of
variables (scope, name) of functions around."""


Asking = tuple[Place, Shape]
"""A run: a function, for a shape of arguments."""

CUT_SHORT: Final = -1
"""The version of a summary that was not made: whoever was told so may find more later."""


class _Seen(NamedTuple):
    """The object of a variable, with all that it leads to, made of what the variable was then."""

    kept: Value
    things: Mapping[Object, Thing] | None
    thing: Thing
    parts: Mapping[Object, Thing]


class Solver:
    """One analysis of a program. `solve` runs it; `hits` are what reached a sink from a source."""

    def __init__(
        self,
        program: Program,
        models: Mapping[str, Models],
        semantics: Mapping[str, Semantics],
        asked: Asked | None = None,
        work: int | None = None,
        filled: frozenset[Variable] = frozenset(),
    ) -> None:
        self.program = program
        self.asked = asked
        self.models = models
        self.semantics = semantics
        self.variables = Variables(program)
        self.lists = Lists(self.variables, filled)
        self.ways: dict[tuple[str, ...], int] = {}
        """Ways to put a path together that were tested, by their numbers."""
        self.calls = Calls(self)
        self.modelled = Outside(self)
        self.permission = Permission(self)
        self.applied: dict[Place, set[Place]] = {}
        """Function -> functions whose calls of it were followed."""
        self.followed: dict[Place, set[Place]] = {}
        """Function -> functions into which its calls were followed: the same the other way round."""
        self._beginnings: dict[str, frozenset[str]] = {}
        self.summaries: dict[tuple[Place, Shape], Summary] = {}
        self.shapes: dict[Place, int] = {}
        self.constants: dict[Place, int] = {}
        self._running: dict[tuple[Place, Shape], bool] = {}
        self.found: dict[Hit, Taint] = {}
        self.cuts: dict[tuple[int, int, str], str] = {}
        self._row_numbers: dict[tuple[str, str], int] = {}
        self.row_names: list[tuple[str, str]] = []
        self._cut_by: dict[tuple[int, int, str], set[tuple[Place, Shape] | None]] = {}
        """Cut -> the runs that met it; None: none."""
        self._uses: dict[tuple[Place, Shape] | None, set[tuple[Place, Shape]]] = {}
        """Run -> the summaries that it asked for."""
        self._versions: dict[Asking, int] = {}
        """Summary -> how often it began to do more than those who had asked for it were told."""
        self._read: dict[Asking, dict[Asking, int]] = {}
        """Run -> the summaries that it asked for last, and their versions then."""
        self._forgotten: dict[Asking, Summary] = {}
        """Summaries for shapes that are not true any more, until they are made again."""
        self._stack: list[tuple[Place, Shape] | None] = [None]
        self._spent: dict[Place, int] = {}
        self.spent = 0
        operations = sum(len(code.ops) for code in program.codes)
        self.work = WORK + WORK_OF_OPERATION * operations if work is None else work
        self._depth = 0
        self._seen_before: dict[Object, _Seen] = {}
        """What variables elsewhere lead to, as it was when they were read last."""
        self._open: dict[Place, int] = {}
        self._plans: dict[int, Plan] = {}

    # ------------------------------------------------------------------ the whole

    def solve(self, tell: Callable[[int, int], None] | None = None) -> None:
        """Look at every function, then at what frameworks call; `tell` how many, and of how many."""
        order = self.program.order
        places = [place for circle in order for place in circle]
        for place in places:
            if self.program.scope(place).kind == ScopeKind.MODULE:
                self.summary(place, ())
        for place in places:
            if self._constructs(place) and self.is_wanted(place):
                self.summary(place, ())
        done = 0
        for circle in order:
            done += len(circle)
            if tell is not None and done // TOLD != (done - len(circle)) // TOLD:
                tell(done, len(places))
            for place in circle:
                if self.program.scope(place).kind != ScopeKind.CLASS and self.is_wanted(place):
                    self.summary(place, ())
            if len(circle) > 1:
                self._settle(circle)
        self._uses.pop(None, None)  # that `solve` asks for all of them says nothing
        self.modelled.enter()

    def close(self) -> None:
        """Let go of all that is known: what helps the solver leads back to it, and nobody looks for cycles."""
        vars(self).clear()

    def is_wanted(self, place: Place) -> bool:
        """Whether a function is looked at when nobody calls it."""
        wanted = self.program.wanted
        return wanted is None or place in wanted

    def _settle(self, circle: Sequence[Place]) -> None:
        """Look at functions of a circle of calls again, while others do more than they were told."""
        functions = [each for each in circle if ((each, ()) in self.summaries)]
        inside = frozenset(functions)
        for _ in range(MAX_CIRCLE):
            again = False
            for place in functions:
                stale = self._stale((place, ()), inside)
                if not stale:
                    continue
                if self._is_done(place):
                    self._cut_circle(place)
                    continue
                again = True
                for key in stale:
                    if key[1] and key in self.summaries:
                        self._forgotten[key] = self.summaries.pop(key)
                before = self.summaries[place, ()]
                self.summaries[place, ()] = found = self._run(place, ())
                self._compare((place, ()), before, found)
            if not again:
                return
        self._cut_circle(circle[0])

    def _stale(self, key: Asking, inside: frozenset[Place]) -> set[Asking]:
        """A run, and those for shapes that it asked for, that would find more now."""
        users: dict[Asking, list[Asking]] = {}
        stale: list[Asking] = []
        waiting = [key]
        seen = {key}
        while waiting:
            each = waiting.pop()
            for used, version in self._read.get(each, {}).items():
                if self._versions.get(used, 0) != version:
                    stale.append(each)
                if used[1] and used[0] in inside:
                    users.setdefault(used, []).append(each)
                    if used not in seen:
                        seen.add(used)
                        waiting.append(used)
        found: set[Asking] = set()
        while stale:
            each = stale.pop()
            if each not in found:
                found.add(each)
                stale += users.get(each, ())
        return found

    def _compare(self, key: Asking, before: Summary, found: Summary) -> bool:
        """Whether a summary does anything but what those were told who asked for it."""
        if found is before or found.digest() == before.digest():
            return False
        self._versions[key] = self._versions.get(key, 0) + 1
        return True

    def _cut_circle(self, place: Place) -> None:
        row = self.program.scope(place)
        self.cut(place[0], max(row.first, 0), Cut.DEPTH, "circle of calls")

    def roots(self) -> frozenset[Place]:
        """Functions that no other one is seen to call, or a framework does, too.

        What variables around hold there is not known from the place of a call.
        """
        places = sorted({place for place, _ in self.summaries})
        found = set(self.modelled.entered_places())
        seen: set[Place] = set()
        for called in (False, True):  # circles that nobody enters come last
            for place in places:
                if place in seen or (not called and self.applied.get(place)):
                    continue
                found.add(place)
                waiting = [place]
                while waiting:
                    each = waiting.pop()
                    if each not in seen:
                        seen.add(each)
                        waiting += self.followed.get(each, ())
        return frozenset(found)

    def _constructs(self, place: Place) -> bool:
        """Whether a function makes instances: what it sets is known before others read it."""
        row = self.program.scope(place)
        code = self.program.codes[place[0]]
        if row.flags & CONSTRUCTOR:
            return True
        words = self.semantics[code.language].constructors
        return row.kind == ScopeKind.FUNCTION and code.names[row.name] in words

    def models_of(self, language: str) -> Models:
        """The rows of a language."""
        return self.models.get(language) or _NO_MODELS

    def plan(self, summary: Summary) -> Plan:
        """A summary as calls go through it."""
        found = self._plans.get(id(summary))  # plans keep their summaries, so numbers stay theirs
        if found is None:
            found = self._plans[id(summary)] = Plan(summary)
        return found

    def summary(self, place: Place, shape: Shape) -> Summary:
        """What a function does, for a shape of arguments."""
        if shape and self._open.get(place):
            shape = ()  # a circle is gone around with nothing known
        key = (place, shape)
        asking = self._stack[-1]
        self._uses.setdefault(asking, set()).add(key)
        known = self.summaries.get(key)
        if known is None or key in self._running:
            known = self._made(key, known)
        if asking is not None:
            version = CUT_SHORT if known is _CUT else self._versions.get(key, 0)
            self._read[asking][key] = version
        return known

    def _made(self, key: Asking, known: Summary | None) -> Summary:
        place, shape = key
        if key in self._running:
            self._running[key] = True  # the result is used before it is final
            return known or BOTTOM
        if shape:
            if self._is_done(place):
                return self.summary(place, ())
            plain = not any(refs for _, _, refs in shape)
            counted = self.constants if plain else self.shapes
            if key not in self._forgotten:
                if counted.get(place, 0) >= (MAX_CONSTANTS if plain else MAX_SHAPES):
                    return self.summary(place, ())
                counted[place] = counted.get(place, 0) + 1
        if self.spent > self.work:
            self.cut(
                place[0], max(self.program.scope(place).first, 0), Cut.DEPTH, "work of the analysis"
            )
            return _CUT
        if self._depth >= MAX_DEPTH:
            self.cut(place[0], max(self.program.scope(place).first, 0), Cut.DEPTH, "calls")
            return _CUT
        self._depth += 1
        self._open[place] = self._open.get(place, 0) + 1
        try:
            return self._fixpoint(key)
        finally:
            self._open[place] -= 1
            self._depth -= 1

    def _is_done(self, place: Place) -> bool:
        """Whether so much work was done that a function is not looked at again."""
        return self.is_short() or self._spent.get(place, 0) > MAX_WORK

    def is_short(self) -> bool:
        """Whether so much work was done that only what must be is looked at."""
        return self.spent > self.work // 3

    def _fixpoint(self, key: tuple[Place, Shape]) -> Summary:
        before = self._forgotten.pop(key, None)
        told = BOTTOM
        for _ in range(MAX_CIRCLE):
            self._running[key] = False
            found = self._run(*key)
            self.summaries[key] = found
            if not self._running[key] or not self._compare(key, told, found):
                break
            if self._is_done(key[0]):
                self._cut_circle(key[0])
                break
            told = found
        else:
            self._cut_circle(key[0])
        del self._running[key]
        if before is not None:
            self._compare(key, before, self.summaries[key])
        return self.summaries[key]

    def _run(self, place: Place, shape: Shape) -> Summary:
        self._stack.append((place, shape))
        self._read[place, shape] = {}
        found = self._run_over(place, shape)
        self._stack.pop()
        return found

    def _run_over(self, place: Place, shape: Shape) -> Summary:
        unit, scope = place
        code = self.program.codes[unit]
        row = code.scopes[scope]
        state = State()
        known = {index: (const, refs) for index, const, refs in shape}
        receiver = self._receiver(place, state, known)
        run = Run(self, unit, scope, state, receiver)
        run.held = {index: refs for index, _, refs in shape if isinstance(index, tuple)}
        if receiver is not None:
            for word in run.semantics.receivers:
                self.keep(unit, scope, word, receiver)
                self.variables.klass[unit, scope, word] = self._class_of(state)
        for index, _, name, annotation in self.calls.parameters(place):
            number = self.name_number(unit, name)
            if index < 0:
                state.env[number] = receiver or NOTHING
                continue
            value = self._parameter(run, index, known.get(index), annotation)
            if run.code.language in ENFORCED and is_number(run.code, annotation):
                value = harmless(value, TEXT)
                if run.semantics.wrappers:  # no data is read out of what holds only a number
                    things = frozenset(ref for ref in value.refs if not isinstance(ref, str))
                    value = Value(value.taints, things, value.const)
            value = self.permission.parameter(run, name, value)
            if self.asked is not None:
                value = self.asked.parameter(run, name, value)
            state.env[number] = value
            if run.constructs and receiver is not None:
                run.set_member(receiver, name, value)
            if self.captured(unit, scope, name) and not run.constructs:
                self.keep(unit, scope, name, value)
        del row
        found = run.finish()
        self._spent[place] = self._spent.get(place, 0) + run.spent
        self.spent += run.spent
        return found

    @staticmethod
    def _class_of(state: State) -> Place | None:
        thing = state.heap.get(Object(("port", -1)))
        return None if thing is None else thing.klass

    def _receiver(
        self,
        place: Place,
        state: State,
        known: Mapping[int | tuple[int, str], tuple[object, frozenset[object]]],
    ) -> Value | None:
        given = known.get(-1, (UNKNOWN, frozenset[object]()))[1]
        literal = GIVEN_RECEIVER in given
        if not literal and not self.calls.has_receiver(place):
            return None
        value, ref, thing = port(-1)
        klass = None if literal else self.program.class_of(place)
        if self.program.scope(place).kind == ScopeKind.CLASS:
            klass = place
        if literal:
            names = (each for each in given if isinstance(each, str) and each != GIVEN_RECEIVER)
            value = Value(value.taints, value.refs | frozenset(names))
        if klass is not None and klass != place and self.calls.is_of_class(place):
            return pointing(Class(*klass))
        refs = given
        exact = False
        for each in ordered(refs):  # type: ignore[arg-type]
            if isinstance(each, Instance):
                klass, exact = (each.unit, each.scope), each.exact
        exact = exact and sum(isinstance(each, Instance) for each in refs) == 1
        state.heap[ref] = thing if klass is None else _typed(thing, klass, exact=exact)
        return value

    def _parameter(
        self, run: Run, index: int, known: tuple[object, frozenset[object]] | None, annotation: int
    ) -> Value:
        assert run.state is not None
        value, ref, thing = port(index)
        refs: set[object] = set(value.refs)
        held: set[Ref] = set()
        const: object = UNKNOWN
        klass: Place | None = None
        exact = False
        if known is not None:
            const = known[0]
            exact = sum(isinstance(each, Instance) for each in known[1]) == 1
            things: list[object] = [*ordered(known[1])]  # type: ignore[arg-type]
            for each in things:
                if isinstance(each, Instance):
                    klass = (each.unit, each.scope)
                    exact = exact and each.exact
                elif isinstance(each, Holding):
                    held.add(each.function)
                else:
                    refs.add(each)
        if annotation >= 0:
            declared = self.calls.annotated(run, annotation)
            refs |= {ref for ref in declared.refs if not isinstance(ref, Instance)}
            for each in ordered(declared.refs):
                if isinstance(each, Instance) and klass is None:
                    klass = (each.unit, each.scope)
        if held:
            thing = thing._replace(rest=Value(refs=frozenset(held)))
        run.state.heap[ref] = thing if klass is None else _typed(thing, klass, exact=exact)
        value = Value(value.taints, frozenset(refs), const)  # type: ignore[arg-type]
        return self.modelled.parameter(run, index, value)

    # ------------------------------------------------------------------ what runs ask

    def cut(self, unit: int, op: int, why: Cut, name: str) -> None:
        """Note a place where the search stops or goes on by assumption."""
        last = len(self.program.codes[unit].ops) - 1
        if last < 0:
            return  # in a file without operations there is nothing to look at
        key = (unit, min(op, last), why.value)  # scopes at the end of a file may be empty
        self.cuts.setdefault(key, name)
        self._cut_by.setdefault(key, set()).add(self._stack[-1])

    def boundaries(self) -> Mapping[tuple[int, int, str], str]:
        """Cuts in what counts: the same call may be followed where more is known of arguments."""
        used: set[tuple[Place, Shape] | None] = {None}
        waiting: list[tuple[Place, Shape]] = [(place, ()) for place in self.roots()]
        waiting += self._uses.get(None, ())
        while waiting:
            each = waiting.pop()
            if each not in used:
                used.add(each)
                waiting += self._uses.get(each, ())
        return {key: name for key, name in self.cuts.items()
                if not self._cut_by[key].isdisjoint(used)}  # fmt: skip

    def hit(self, run: Run, hit: Hit, taint: Taint) -> None:
        """Data of an origin reaches a sink."""
        known = run.hits.get(hit)
        if known is None and len(run.hits) >= MAX_HITS:
            self.cut(hit.unit, hit.op, Cut.FAN_OUT, "sinks of one function")
        else:
            run.hits[hit] = taint if known is None else better(known, taint)
        if isinstance(hit.origin, Source):
            known = self.found.get(hit)
            self.found[hit] = taint if known is None else better(known, taint)

    def hit_sink(
        self, run: Run, op: int, row: str, kind: str, origin: Origin, taint: Taint
    ) -> None:
        """Data of an origin reaches what a row is about, harmless or not."""
        number = KINDS.index(kind)
        stopped = bool(taint.clean >> number & 1)
        self.hit(run, Hit(origin, run.unit, op, row, number, stopped), taint)

    def row_number(self, language: str, row: str) -> int:
        """The number of a source's row."""
        key = (language, row)
        number = self._row_numbers.get(key)
        if number is None:
            number = self._row_numbers[key] = len(self.row_names)
            self.row_names.append(key)
        return number

    def is_limit(self, source: Source) -> bool:
        """Whether a source is the end of the range of a type."""
        language, name = self.row_names[source.row]
        row = self.models_of(language).reads.get(name)
        return row is not None and row.limit

    def name_number(self, unit: int, name: str) -> int:
        """The number of a name in a file, -1 where it does not stand there."""
        return self.variables.number(unit, name)

    def keep(self, unit: int, scope: int, name: str, value: Value) -> None:
        """What a variable of a scope may hold, wherever it is read from inside of another."""
        self.variables.keep((unit, scope, name), value)

    def binds(self, unit: int, scope: int, name: str) -> bool:
        """Whether a scope has a variable."""
        return self.variables.binds(unit, scope, name)

    def is_own(self, unit: int, scope: int, name: str) -> bool:
        """Whether a store in a scope sets a variable of that scope."""
        return self.variables.is_own(unit, scope, name)

    def captured(self, unit: int, scope: int, name: str) -> bool:
        """Whether inner functions read a variable."""
        return self.variables.captured(unit, scope, name)

    def semantics_at(self, place: Place) -> Semantics:
        """What operations mean in a scope."""
        return self.semantics[self.program.codes[place[0]].language]

    def set_inside(self, unit: int, scope: int, name: str) -> bool:
        """Whether inner functions set a variable."""
        return self.variables.set_inside(unit, scope, name)

    def has_field(self, klass: Place, name: str) -> bool:
        """Whether a class declares a field."""
        return self.variables.has_field(klass, name)

    def variable(self, run: Run, scope: int, name: str) -> Value:
        """A variable of a scope around `run`."""
        return self.variable_of(run, run.unit, scope, name)

    def variable_of(self, run: Run, unit: int, scope: int, name: str) -> Value:
        """A variable of any scope: what it is known to hold, and its data as a symbol."""
        assert run.state is not None
        known = run.state.shared.get((unit, scope, name))
        if known is not None:
            return known
        kept = self.variables.kept.get((unit, scope, name), NOTHING)
        origin = Free(unit, scope, name, ())
        ref = Object(("free", unit, scope, name))
        refs: set[object] = {each for each in kept.refs if not isinstance(each, Object)}
        held = run.held.get((scope, name)) if unit == run.unit else None
        if held is not None:
            refs = set(held)
        klass = self.variables.klass.get((unit, scope, name))
        if self._may_hold_data((unit, scope), kept):
            if ref not in run.state.heap:
                thing = self._see(run.state.heap, ref, origin, kept)
                run.state.heap[ref] = thing._replace(klass=klass or thing.klass)
            refs.add(ref)
            return Value({origin: Taint(0, None)}, frozenset(refs), kept.const)  # type: ignore[arg-type]
        return Value(refs=frozenset(refs), const=kept.const)  # type: ignore[arg-type]

    def class_variable(self, run: Run, variable: Variable, name: str) -> Value:
        """A variable of a class that is called `name`: a constant where it was set here, or nobody sets it anew."""
        assert run.state is not None
        value = self.variable_of(run, *variable)
        if variable in run.state.shared or name not in self.program.changed:
            return value
        return Value(value.taints, value.refs, UNKNOWN, value.facts)

    def _see(self, heap: dict[Object, Thing], ref: Object, origin: Free, kept: Value) -> Thing:
        """The object of a variable elsewhere, and in the heap those that it leads to."""
        things = self.variables.things.get((origin.unit, origin.scope))
        known = self._seen_before.get(ref)
        if known is None or known.kept is not kept or known.things is not things:
            parts: dict[Object, Thing] = {}
            thing = self._seen(parts, ref, origin, kept)
            known = self._seen_before[ref] = _Seen(kept, things, thing, parts)
        for made, part in known.parts.items():
            heap.setdefault(made, part)
        return known.thing

    def _seen(self, parts: dict[Object, Thing], ref: Object, origin: Free, kept: Value) -> Thing:
        """The object of a variable elsewhere: its data a symbol, its functions known."""
        things = self.variables.things.get((origin.unit, origin.scope))
        if things is None or len(origin.path) >= MAX_PATH:
            return Thing({}, symbol=origin)
        fields: dict[Key, Value] = {}
        known = [things[each] for each in sorted(kept.refs, key=repr)
                 if isinstance(each, Object) and each in things]  # fmt: skip
        for thing in known:
            for key, value in thing.fields.items():
                member = self._member(parts, ref, origin, key, value)
                if member is not None:
                    fields[key] = join(fields[key], member) if key in fields else member
        klass = known[0].klass if len(known) == 1 else None
        return Thing(fields, symbol=origin, klass=klass)

    def _member(
        self, parts: dict[Object, Thing], ref: Object, origin: Free, key: Key, value: Value
    ) -> Value | None:
        """A field of such an object, where more is known of it than that it may hold data."""
        refs: set[Ref] = {each for each in value.refs if not isinstance(each, Object)}
        if refs and len(refs) == len(value.refs) and not value.taints:
            return Value(refs=frozenset(refs))
        if not value.refs:
            return None
        inner = origin._replace(path=(*origin.path, key))
        made = Object((*ref.key, key))
        if made not in parts:
            parts[made] = self._seen(parts, made, inner, value)
        return Value({inner: Taint(0, None)}, frozenset((*refs, made)), value.const)

    def _may_hold_data(self, place: Place, kept: Value) -> bool:
        """Whether a variable must be a symbol: the module around was looked at before."""
        if self.program.scope(place).kind != ScopeKind.MODULE or kept.taints:
            return True
        return kept is NOTHING or any(isinstance(each, Object) for each in kept.refs)

    def outside(self, run: Run, op: int, name: str) -> Value:
        """A name that nothing in the file binds."""
        del op
        names = run.semantics.outside(run, name)
        known = self.program.named
        places = [known[run.code.language, each] for each in names
                  if (run.code.language, each) in known]  # fmt: skip
        if places:
            return pointing(*(Class(*each) for each in places))
        if run.semantics.folders:
            for unit in self.variables.beside(run.code.language, run.unit, name):
                if unit != run.unit:
                    return self.variable_of(run, unit, 0, name)
        return pointing(*(self.canonical(run, each) for each in names))

    def begins(self, language: str, name: str) -> bool:
        """Whether a row is about a name or something below it."""
        found = self._beginnings.get(language)
        if found is None:
            models = self.models_of(language)
            tables = (models.sources, models.reads, models.sinks, models.stores, models.steps,
                      models.guards, models.entries, models.patterns, models.types, models.checks,
                      models.operations, models.selections, models.addresses)  # fmt: skip
            found = self._beginnings[language] = frozenset(
                name[:end]
                for table in tables
                for name in table
                for end, letter in enumerate(f"{name}.")
                if letter in ".("
            )
        return name in found

    def canonical(self, run: Run, name: str) -> str:
        """The name that models know a thing by."""
        return self.modelled.canonical(run, name)

    def attribute(self, run: Run, op: int, ref: object, name: str) -> Value:
        """What the member `name` of a thing is."""
        return self.calls.attribute(run, op, ref, name)

    def imported(self, run: Run, op: int, module: str, member: str | None, flag: int) -> Value:
        """What an import binds."""
        return self.calls.imported(run, op, module, member, flag)

    def call(self, run: Run, op: int, row: list[int]) -> Value:
        """The result of a call, after all that it does."""
        return self.calls.call(run, op, row)

    def decorated(self, run: Run, op: int, decorator: Value, what: Value) -> Value:
        """What a decorator makes of a function or class."""
        self.permission.around.decorated(run, op, decorator, what)
        return self.modelled.decorated(run, op, decorator, what)

    def stored(self, run: Run, op: int, holder: Value, name: str, content: Value) -> None:
        """An attribute is set: some are sinks."""
        self.permission.stored(run, op, holder, name)
        self.modelled.stored(run, op, holder, name, content)

    def set_item(self, run: Run, op: int, holder: Value, key: Value, content: Value) -> None:
        """An item is set: some containers are sinks."""
        self.modelled.set_item(run, op, holder, key, content)

    def run_class(self, run: Run, scope: int) -> None:
        """The body of a class is gone through where it stands."""
        row = run.code.scopes[scope]
        state = run.state
        if state is None:
            return
        inner = Run(self, run.unit, scope, State({}, state.heap, state.valid), None)
        inner.hits = run.hits
        inner.run(row.first, row.last)
        run.spent += inner.spent
        for name, value in inner.state.env.items() if inner.state else ():
            self.keep(run.unit, scope, run.names[name], value)
            self.variables.keep_field((run.unit, scope), run.names[name], value)
        for name, value in inner.types.items():
            self.variables.keep_field((run.unit, scope), run.names[name], value)


def _typed(thing: Thing, klass: Place, *, exact: bool) -> Thing:
    return thing._replace(klass=klass, exact=exact)


_NO_MODELS = Models()
_CUT: Final = Summary()
"""Of a function that was not looked at, because a bound cut that."""

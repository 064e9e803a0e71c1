"""One run over one function: control flow of structured regions, operation by operation.

The run is an abstract interpretation in the order of evaluation: branches are joined, loops go to
a fixpoint, constants fold and dead arms are skipped, tests validate what they dominate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, Final

from grainline.flow import constants, credentials, hosts, lists, moves, own
from grainline.flow.lists import NAMES
from grainline.flow.numbers import ENFORCED, is_number
from grainline.flow.rows import ALL_KINDS, TEXT, SourceRow
from grainline.flow.sames import Sames
from grainline.flow.state import EMPTY, State, Thing, cleaned, meet, settled
from grainline.flow.summaries import Hit, Summary, changed, reachable
from grainline.flow.texts import middle
from grainline.flow.values import (
    GIVEN_RECEIVER,
    MAX_ORIGINS,
    NOTHING,
    OUTER,
    SELECTED,
    UNKNOWN,
    Class,
    Fact,
    Free,
    Function,
    Key,
    Object,
    Origin,
    Source,
    Taint,
    Trail,
    Value,
    choices,
    constant,
    harmless,
    join,
    joined,
    member_of,
    merge,
    ordered,
    pointing,
    put_under,
)
from grainline.flow.variables import spelled
from grainline.model.flow import BROKEN_SOURCE, Cut, Role
from grainline.model.ir import BREAKS as BREAKS_ONLY
from grainline.model.ir import (
    DECLARED,
    FAR,
    REFERENCE,
    SETS,
    STATIC,
    Arm,
    Branch,
    Const,
    Make,
    Op,
    Port,
    ScopeKind,
)

if TYPE_CHECKING:
    from grainline.flow.program import Arm as ArmOf
    from grainline.flow.program import Code
    from grainline.flow.shortcuts import Side
    from grainline.flow.solver import Solver

MAX_ROUNDS: Final = 5
"""Of a loop; sets of origins are finite and small, so more are never seen."""

MAX_WORK: Final = 40_000
"""Work of one run over a function: operations, those of loops as often as they are gone around, what
summaries of callees consist of, what states consist of where control meets. Never a time."""

MAX_THINGS: Final = 96
"""Objects that a function is said to make or change; more are a cut."""

MAX_REGIONS: Final = 90
"""Branches and loops inside of each other; what is deeper is not looked at, and that is said."""

BREAKS: Final = frozenset(
    ("java", "javascript", "typescript", "tsx", "c", "cpp", "csharp", "php", "go")
)
"""Languages whose `break` leaves a `switch`."""

NO_OPS: Final[frozenset[int]] = frozenset()

FALLS: Final = frozenset(("java", "javascript", "typescript", "tsx", "c", "cpp", "csharp", "php"))
"""Languages in which an arm of a `switch` without a `break` goes on into the next one."""


class Run:
    """A run over one scope. `finish` gives its summary."""

    def __init__(
        self, solver: Solver, unit: int, scope: int, state: State, receiver: Value | None
    ) -> None:
        self.solver = solver
        self.program = solver.program
        self.unit = unit
        self.scope = scope
        self.code: Code = solver.program.codes[unit]
        self.row = self.code.scopes[scope]
        self.ops = self.code.ops
        self.names = self.code.names
        self.semantics = solver.semantics[self.code.language]
        self.models = solver.models_of(self.code.language)
        self.state: State | None = state
        self.receiver = receiver
        self.constructs = self.row.kind == ScopeKind.CLASS and receiver is not None
        """Whether the body of a class runs for one instance."""
        self.implied: dict[int, Value] = {}
        """Bare name that is a member -> what it is a member of."""
        self.regs: dict[int, Value] = {}
        self.hits: dict[Hit, Taint] = {}
        self.given: dict[int, int] = {}
        self.heads: dict[int, State] = {}
        """Loop -> the state that it began with last: one inside of another begins there again."""
        self.results: list[tuple[Value, State]] = []
        self.jumps: dict[int, list[State]] = {}
        """Label -> the states of jumps to it that it was not reached with."""
        self.backwards: dict[int, list[State]] = {}
        """Operation of a label -> the states of jumps back to it."""
        self.breaks: list[list[State]] = []
        self.continues: list[list[State]] = []
        self.raised: list[list[State]] = []
        self.thrown: list[list[Value]] = [[]]
        self.left: list[State] = []
        """Where something is raised that nothing here catches."""
        self.caught = NOTHING
        self.types: dict[int, Value] = {}
        self.exports: list[Value] = []
        self.depth = 0
        self.loops = 0
        """Loops around what is looked at."""
        self.spent = 0
        self.given_up = False
        self.ended: set[int] = set()
        """Operators whose first side leaves."""
        self.held: dict[tuple[int, str], frozenset[object]] = {}
        """What variables of functions around are known to point at in this run."""
        self.firsts: dict[tuple[object, ...], int] = {}
        """Source that is read, and how -> the first operation that does: they are one source."""
        self.torn: dict[
            tuple[int, int], tuple[dict[int, Value], dict[Origin, tuple[int, Trail]]]
        ] = {}
        """Torn text -> variables and what was shown of origins when it was come by last."""
        self.sames = Sames()
        asked = solver.asked
        self.watched = NO_OPS if asked is None else asked.watched(unit)

    # ------------------------------------------------------------------ the whole

    def finish(self) -> Summary:
        """Run to the end."""
        self.run(self.row.first, self.row.last)
        if self.backwards:
            self._again()
        ends = [state for _, state in self.results]
        if self.state is not None:
            ends.append(self.state)
            self.results.append((NOTHING, self.state))
        last = self.meet(ends)
        for state in (*([] if last is None else [last]), *self.left, *self.heads.values()):
            self.solver.variables.keep_inside(state)
        raises = joined(self.thrown[0])
        thrown = self.meet(self.left) if raises.refs else None
        things = {} if thrown is None else reachable(thrown, [raises])
        if last is None:
            return Summary(hits=self.hits, raises=raises, dead=True, heap=self._few(things))
        for label in self.jumps:
            self.solver.cut(self.unit, self.row.first, Cut.DEPTH, f"jump to {self.names[label]}")
        result = joined(value for value, _ in self.results)
        self._escape(last)
        result = self._closed(last, result)
        outs = self._outs(last)
        kept = [result, raises, *last.shared.values(), *outs.values()]
        heap = self._few({**things, **changed(last, kept)})
        facts = self._facts_of_results()
        result = Value(result.taints, result.refs, result.const, facts)
        return Summary(
            result=result,
            heap=heap,
            hits=self.hits,
            valid=last.valid,
            stores=last.shared,
            raises=raises,
            outs=outs,
        )

    def _few(self, heap: dict[Object, Thing]) -> dict[Object, Thing]:
        """Objects of a summary, as many as are told apart."""
        if len(heap) <= MAX_THINGS:
            return heap
        self.solver.cut(self.unit, max(self.row.first, 0), Cut.DEPTH, "objects")
        return dict(list(heap.items())[:MAX_THINGS])

    def _outs(self, last: State) -> dict[int, Value]:
        """What parameters hold in the end that are variables of the caller."""
        if not self.semantics.outs:
            return {}
        calls = self.solver.calls
        found: dict[int, Value] = {}
        for index, _, name, _ in calls.parameters((self.unit, self.scope)):
            if not self.semantics.outs.isdisjoint(calls.marks((self.unit, self.scope), index)):
                number = self.solver.name_number(self.unit, name)
                found[index] = last.env.get(number, NOTHING)
        return found

    def _closed(self, last: State, result: Value) -> Value:
        """Functions that are given back take the variables along that they read from here."""
        refs = {self._with_variables(last, ref) if isinstance(ref, Function) else ref
                for ref in ordered(result.refs)}  # fmt: skip
        return Value(result.taints, frozenset(refs), result.const, result.facts)

    def _with_variables(self, last: State, ref: Function) -> Function:
        if ref.unit != self.unit or ref.variables is not None:
            return ref
        if self.row.kind == ScopeKind.MODULE or self.code.scopes[ref.scope].parent != self.scope:
            return ref
        made = Object((self.unit, "variables", ref.scope))
        fields: dict[Key, Value] = {
            (".", self.names[name]): value
            for name, value in last.env.items()
            if self.solver.captured(self.unit, self.scope, self.names[name])
        }
        last.heap[made] = Thing(fields)
        return ref._replace(variables=made)

    def _escape(self, last: State) -> None:
        """Variables that inner functions see keep what they may hold."""
        module = self.row.kind == ScopeKind.MODULE
        seen = list(self.exports)
        for name, value in last.env.items():
            if not module and not self.constructs:
                self.solver.keep(self.unit, self.scope, self.names[name], value)
            if module or self.solver.captured(self.unit, self.scope, self.names[name]):
                seen.append(value)
                variable = (self.unit, self.scope, self.names[name])
                self.solver.variables.keep_content(last, variable, value)
        self.solver.variables.things[self.unit, self.scope] = reachable(last, seen)

    def _facts_of_results(self) -> tuple[Fact, ...]:
        """What a true (or false) result says of the arguments: it must hold at every return."""
        found: list[Fact] = []
        for truth in (True, False):
            known: dict[Origin, tuple[int, Trail]] | None = None
            for value, state in self.results:
                if self.semantics.truth(value.const) is (not truth):
                    continue
                here = dict(state.valid)
                for fact in self.told(value):
                    if fact.truth is truth:
                        kinds = here.get(fact.origin, (0, fact.trail))[0] | fact.kinds
                        here[fact.origin] = (kinds, fact.trail)
                known = here if known is None else {
                    origin: (kinds & here[origin][0], trail)
                    for origin, (kinds, trail) in known.items() if origin in here
                }  # fmt: skip
            found += [Fact(truth, origin, kinds, trail)
                      for origin, (kinds, trail) in (known or {}).items() if kinds]  # fmt: skip
        return tuple(found)

    def run(self, first: int, last: int) -> None:
        """Operations `[first, last)`, until nobody can be there any more."""
        op = first
        ops = self.ops
        watched = self.watched
        at, before = first, self.state
        while op < last:
            if self.state is None:
                op = self._passed_by(at, before, last) or self._resumed(op, last)
                if op < 0:
                    return
            at, before = op, self.state
            self.spent += 1
            if self.spent > MAX_WORK:
                self._give_up(op)
                return
            code = ops[op][0]
            if code == Op.BRANCH:
                if before is not None and op in self.code.sides():
                    before = before.copy()
                self._nested(op, self._branch)
                op = ops[op][1]
            elif code == Op.LOOP:
                self.loops += 1
                self._nested(op, self._loop)
                self.loops -= 1
                op = ops[op][1]
            else:
                handler = HANDLERS[code]
                if op in watched:
                    self._watch(op, handler)
                elif handler is not None:
                    handler(self, op, ops[op])
            op += 1

    def _passed_by(self, op: int, before: State | None, last: int) -> int:
        """Where it goes on when `op` left inside a side of an operator that may be left out; else 0."""
        sides = self.code.sides()
        side = sides.get(op)
        while side is not None and side.op < last and before is not None:
            self.state = self._without(side, before)
            if self.state is not None:
                return side.last + 1
            side = sides.get(side.op)
        return 0

    def _without(self, side: Side, before: State) -> State | None:
        """The state where a side that leaves is not run; None where it always is."""
        test = self.value(side.test)
        if side.truth is not None and self.semantics.truth(test.const) is side.truth:
            return None
        if side.second and side.op in self.ended:
            return None
        if not side.second:
            self.ended.add(side.op)
        state = before.copy()
        if side.truth is not None:
            self.learn(state, test, truth=not side.truth)
        return state

    def _resumed(self, op: int, last: int) -> int:
        """The next label in a block that something jumps to, -1 where there is none."""
        if not self.jumps:
            return -1
        while op < last:
            code, a = self.ops[op][:2]
            if code == Op.LABEL and a in self.jumps:
                return op
            op = a + 1 if code == Op.BRANCH or code == Op.LOOP else op + 1
        return -1

    def _jump(self, op: int, row: list[int]) -> None:
        """Go on at a label; one inside of a region that is left is not gone back to, and that is said."""
        assert self.state is not None
        if [Op.LABEL, row[1]] not in (each[:2] for each in self.ops[op : self.row.last]):
            at = self._outermost(row[1])
            if at < 0:
                self.solver.cut(self.unit, op, Cut.DEPTH, "jump back")
            else:
                self.backwards.setdefault(at, []).append(self.state)
        else:
            self.jumps.setdefault(row[1], []).append(self.state)
        self.state = None

    def _outermost(self, name: int) -> int:
        """The operation of a label that stands in no region, -1 where it does."""
        op = self.row.first
        while op < self.row.last:
            code, a = self.ops[op][:2]
            if code == Op.LABEL and a == name:
                return op
            op = a + 1 if code == Op.BRANCH or code == Op.LOOP else op + 1
        return -1

    def _again(self) -> None:
        """What follows labels that are jumped back to, until that brings nothing new."""
        begun: dict[int, State] = {}
        for _ in range(MAX_ROUNDS):
            waiting, self.backwards = self.backwards, {}
            for at, states in sorted(waiting.items()):
                known = begun.get(at)
                state = self.meet((known, *states))
                if state is None or (known is not None and settled(state, known)):
                    continue
                begun[at] = state
                before, self.state = self.state, state.copy()
                self.run(at, self.row.last)
                self.state = self.meet((before, self.state))
        if self.backwards:
            self.solver.cut(self.unit, self.row.first, Cut.DEPTH, "jump back")

    def _label(self, op: int, row: list[int]) -> None:
        self.state = self.meet((self.state, *self.jumps.pop(row[1], ())))

    def _give_up(self, op: int) -> None:
        """The rest is not looked at: it may return here, and what it would do is not known."""
        if not self.given_up:
            self.given_up = True
            self.solver.cut(self.unit, op, Cut.DEPTH, "work of one function")
            assert self.state is not None
            self.results.append((NOTHING, self.state))
        self.state = None

    def meet(self, states: Iterable[State | None]) -> State | None:
        """The state where several ways meet."""
        alive = [state for state in states if state is not None]
        if len(alive) > 1:
            self.spent += sum(len(state.env) + len(state.heap) for state in alive)
        return meet(alive)

    def _watch(self, op: int, handler: Handler | None) -> None:
        """Do an operation that a question is about."""
        assert self.solver.asked is not None
        if handler is not None:
            self.solver.asked.around(self, op, handler)

    def _nested(self, op: int, run: Callable[[int], None]) -> None:
        if self.depth >= MAX_REGIONS:
            self.solver.cut(self.unit, op, Cut.DEPTH, "nesting")
            return
        self.depth += 1
        run(op)
        self.depth -= 1

    # ------------------------------------------------------------------ control

    def _branch(self, op: int) -> None:
        kind = self.ops[op][2]
        arms = self.code.arms.get(op, [])
        if kind == Branch.TRY:
            self._try(arms)
        elif kind == Branch.WITH:
            for arm in arms:
                self.run(arm.first, arm.last)
        else:
            self._choice(arms, switch=kind == Branch.MATCH)

    def _choice(self, arms: list[ArmOf], *, switch: bool) -> None:
        breaks = switch and self.code.language in BREAKS
        falls = switch and self.code.language in FALLS
        if breaks:
            self.breaks.append([])
        pending: State | None = self.state
        ends: list[State | None] = []
        through: State | None = None
        for number, arm in enumerate(arms):
            kind, condition = self.ops[arm.op][1], self.ops[arm.op][2]
            last = number == len(arms) - 1
            if kind == Arm.AFTER:  # what is asked before the arms behind it
                self.state = pending
                self.run(arm.first, arm.last)
                pending = self.state
                continue
            start = None
            if pending is not None:
                start, pending = self._enter(pending, kind, condition)
            self.state = self.meet((start, through)) if falls else start
            through = None
            self.run(arm.first, arm.last)
            if self.semantics.arms and start is not None and self.state is not None:
                self._settle_arm(arm)
            if falls and not last:
                through = self.state
            else:
                ends.append(self.state)
        ends.append(pending)
        if breaks:
            ends += self.breaks.pop()
        self.state = self.meet(ends)

    def _settle_arm(self, arm: ArmOf) -> None:
        """What tests have shown of the value of an arm stays true of it behind the branch."""
        assert self.state is not None
        mine = {origin: kinds for origin, (kinds, _) in self.state.valid.items()}
        for op in range(arm.first, arm.last) if mine else ():
            if op in self.regs:
                self.regs[op] = cleaned(self.regs[op], mine)

    def _enter(
        self, pending: State, kind: int, condition: int
    ) -> tuple[State | None, State | None]:
        """The states in an arm, and where it is passed by."""
        if kind == Arm.ELSE:
            return pending, None
        test = self.regs.get(condition, NOTHING) if condition >= 0 else NOTHING
        truth = self.semantics.truth(test.const)
        if truth is False:
            return None, pending
        inside = pending.copy()
        self.learn(inside, test, truth=True)
        if truth is True:
            return inside, None
        self.learn(pending, test, truth=False)
        return inside, pending

    def learn(self, state: State, test: Value, *, truth: bool) -> None:
        """Note what a test shows that came out like this."""
        for fact in self.told(test):
            if fact.truth is truth:
                state.validate(fact.origin, fact.kinds, fact.trail)

    def told(self, test: Value) -> tuple[Fact, ...]:
        """What the truth of a value shows."""
        return self.solver.permission.facts(self, test) if test.taints else test.facts

    def _try(self, arms: list[ArmOf]) -> None:
        before = self.state
        assert before is not None
        start = before.copy()
        self.raised.append([])
        self.thrown.append([])
        after: list[State | None] = []
        final: ArmOf | None = None
        caught = False
        inside: State | None = None
        thrown: State | None = start
        values: list[Value] = []
        for arm in arms:
            kind = self.ops[arm.op][1]
            if kind == Arm.BODY:
                self.run(arm.first, arm.last)
                inside = self.state
                thrown = self.meet((start, inside, *self.raised.pop()))
                values = self.thrown.pop()
                if not any(self.ops[each.op][1] == Arm.HANDLER for each in arms):
                    self.thrown[-1] += values
            elif kind == Arm.AFTER:
                self.state = inside
                self.run(arm.first, arm.last)
                inside = self.state
            elif kind == Arm.HANDLER:
                caught = True
                self.caught = joined(values)
                self.state = thrown.copy() if thrown is not None else None
                self.run(arm.first, arm.last)
                after.append(self.state)
            else:
                final = arm
        self.state = self.meet((inside, *after))
        if final is None:
            return
        alive = self.state is not None
        if not alive or not caught:
            self.state = self.meet((self.state, start))
        self.run(final.first, final.last)
        if not alive:
            self.state = None

    def _loop(self, op: int) -> None:
        end, endless = self.ops[op][1], self.ops[op][3] == BREAKS_ONLY
        assert self.state is not None
        before = self.heads.get(op)
        head = self.state if before is None else self.meet((self.state, before))
        assert head is not None
        out: list[State] = []
        for _ in range(MAX_ROUNDS):
            self.breaks.append([])
            self.continues.append([])
            self.state = head.copy()
            self.run(op + 1, end)
            out = self.breaks.pop()
            again = self.meet((head, self.state, *self._gone_on(op, end)))
            assert again is not None
            if settled(again, head):
                break
            head = again
        else:
            self.solver.cut(self.unit, op, Cut.DEPTH, "rounds of a loop")
        self.heads[op] = head
        self.state = self.meet(out if endless else (head, *out))

    def _gone_on(self, first: int, last: int) -> list[State]:
        """The states that went on with a loop.

        They did not pass what counts its rounds: where nobody did, no variable that is set in the
        loop is known to be a constant.
        """
        states = self.continues.pop()
        if self.state is None and states:
            names = {row[1] for row in self.ops[first:last] if row[0] == Op.STORE}
            for state in states:
                for name in names & state.env.keys():
                    value = state.env[name]
                    state.env[name] = Value(value.taints, value.refs, UNKNOWN, value.facts)
        return states

    def _break(self, op: int, row: list[int]) -> None:
        self._leave(self.breaks if row[2] == FAR else self.breaks[-1:])

    def _continue(self, op: int, row: list[int]) -> None:
        self._leave(self.continues if row[2] == FAR else self.continues[-1:])

    def _leave(self, around: list[list[State]]) -> None:
        """Go on where one of these is left, or begins again."""
        for number, each in enumerate(around):
            assert self.state is not None
            each.append(self.state.copy() if number else self.state)
        self.state = None

    def _return(self, op: int, row: list[int]) -> None:
        assert self.state is not None
        value = self.regs.get(row[1], NOTHING) if row[1] >= 0 else NOTHING
        value = self.step(value, op, Role.PROPAGATOR, "returned")
        self._result(op, value)
        self.state = None

    def _result(self, op: int, value: Value) -> None:
        """What is given back there: in a later round of a loop it is no less than in an earlier one."""
        assert self.state is not None
        shown = {origin: kinds for origin, (kinds, _) in self.state.valid.items()}
        found = (cleaned(value, shown) if shown else value, self.state.copy())
        at = self.given.setdefault(op, len(self.results))
        if at == len(self.results):
            self.results.append(found)
        else:
            self.results[at] = found

    def _raise(self, op: int, row: list[int]) -> None:
        if self.raised and self.state is not None:
            self.raised[-1].append(self.state)
        if row[1] >= 0:
            self._throw(op, self.value(row[1]))
        self.state = None

    def throw(self, op: int, value: Value) -> None:
        """A value is raised here, by what is called."""
        if self.raised and self.state is not None:
            self.raised[-1].append(self.state.copy())
        self._throw(op, value)

    def _throw(self, op: int, value: Value) -> None:
        self.thrown[-1].append(self.step(value, op, Role.PROPAGATOR, "raised"))
        if len(self.thrown) == 1 and self.state is not None:
            self.left.append(self.state)

    def _assert(self, op: int, row: list[int]) -> None:
        assert self.state is not None
        if self.semantics.asserts:
            self.learn(self.state, self.regs.get(row[1], NOTHING), truth=True)

    # ------------------------------------------------------------------ values

    def value(self, op: int) -> Value:
        """What a register holds."""
        return self.regs.get(op, NOTHING) if op >= 0 else NOTHING

    def step(self, value: Value, op: int, role: Role, note: str = "") -> Value:
        """The value after one more step of its way."""
        if not value.taints:
            return value
        return Value(
            self.longer(value.taints, op, role, note), value.refs, value.const, value.facts
        )

    def longer(
        self, taints: Mapping[Origin, Taint], op: int, role: Role, note: str = ""
    ) -> dict[Origin, Taint]:
        """Taints, each with one more step."""
        if len(taints) >= MAX_ORIGINS:
            self.solver.cut(self.unit, op, Cut.FAN_OUT, "data of many origins")
        return {
            origin: Taint(taint.clean, Trail(self.unit, op, role, note, taint.trail), taint.assumed)
            for origin, taint in taints.items()
        }

    def _const(self, op: int, row: list[int]) -> None:
        kind, text = row[1], row[2]
        self.regs[op] = self.semantics.constant(
            Const(kind), self.names[text] if text >= 0 else None
        )

    def _load(self, op: int, row: list[int]) -> None:
        assert self.state is not None
        value = self.state.env.get(row[1])
        if value is None:
            value = self._free(op, self.names[row[1]])
        self.regs[op] = self.reading(op, value)

    def named(self, op: int, name: str) -> Value:
        """What a bare name means here."""
        assert self.state is not None
        value = self.state.env.get(self.solver.name_number(self.unit, name))
        return self._free(op, name) if value is None else value

    def _free(self, op: int, name: str) -> Value:
        """A variable of a scope around, a field of the receiver, or something outside."""
        if name in self.semantics.receivers:
            return self.receiver or self.around(name)
        code = self.code
        scope = self.row.parent
        within = self.semantics.bodies
        outer = 0
        while scope >= 0:
            row = code.scopes[scope]
            if within and (row.kind == ScopeKind.CLASS or not scope):
                within = False
                given = self._of_literal(op, name)
                if given is not None:
                    return given
            if row.kind == ScopeKind.CLASS:
                if self._is_field(scope, name):
                    return self._implied(op, scope, name, outer)
                outer += 1
            elif self.solver.binds(self.unit, scope, name):
                return self.solver.variable(self, scope, name)
            scope = row.parent
        owner = self._owner(name)
        if owner is not None and self.receiver is not None:
            return self.member(op, self.receiver, name)
        known = self.semantics.unbound(self, op, name)
        return self.solver.outside(self, op, name) if known is None else known

    def _of_literal(self, op: int, name: str) -> Value | None:
        """A member of what a function literal around is called on, by its bare name."""
        scope = self.scope
        while scope > 0 and self.code.scopes[scope].kind == ScopeKind.LAMBDA:
            for word in sorted(self.semantics.receivers):
                kept = (self.unit, scope, word) in self.solver.variables.kept
                holder = self.receiver if scope == self.scope else None
                if holder is None and kept and scope != self.scope:
                    holder = self.solver.variable(self, scope, word)
                if holder is not None and self.semantics.has_member(self, holder, name):
                    self.implied[op] = holder
                    return self.member(op, holder, name)
                break
            scope = self.code.scopes[scope].parent
        return None

    def _implied(self, op: int, scope: int, name: str, outer: int) -> Value:
        """A member of the receiver, of one of the instances around it, or of the class itself, by its bare name."""
        owner = self.solver.variables.static(self.program, (self.unit, scope), name)
        if owner is not None:
            return self.solver.variable_of(self, *owner, name)
        receiver = self.receiver
        for word in self.semantics.receivers if receiver is None else ():
            receiver = self.around(word)
        if receiver is None:
            return NOTHING
        return self.member(op, self.around_it(receiver, outer), name)

    def around_it(self, receiver: Value, outer: int) -> Value:
        """The instance in which one of an inner class was made, so many classes further out."""
        assert self.state is not None
        for _ in range(outer):
            found = self.state.read(Value(refs=receiver.refs), OUTER)
            if not found.refs:
                break
            receiver = found
        return receiver

    def _is_field(self, scope: int, name: str) -> bool:
        """Whether a bare name is a field of the receiver."""
        return self.semantics.implicit and self.solver.has_field((self.unit, scope), name)

    def around(self, name: str) -> Value:
        """The receiver of the function around this one."""
        scope = self.row.parent
        while scope >= 0:
            if (self.unit, scope, name) in self.solver.variables.kept:
                return self.solver.variable(self, scope, name)
            scope = self.code.scopes[scope].parent
        return NOTHING

    def _store(self, op: int, row: list[int]) -> None:
        value = self.value(row[2])
        value = self.step(value, op, Role.PROPAGATOR)
        kept = self.semantics.stored(self, op, value)
        if kept is not None:
            self.bind(op, row[1], self.typed(row[1], kept))

    def bind(self, op: int, name: int, value: Value) -> None:
        """Set a variable, of this scope or of one around."""
        assert self.state is not None
        text = self.names[name]
        own = self.solver.is_own(self.unit, self.scope, text)
        if not own and self._store_around(text, value):
            return
        if value.const is not UNKNOWN and self.solver.set_inside(self.unit, self.scope, text):
            value = Value(value.taints, value.refs, UNKNOWN, value.facts)
        self.state.env[name] = value
        self.sames.bound(self, name)
        if self.constructs and self.receiver is not None and not self._is_definition(value):
            self.set_member(self.receiver, text, value)
            return  # each instance has its own
        if self.row.kind == ScopeKind.MODULE or self.solver.captured(self.unit, self.scope, text):
            self.solver.keep(self.unit, self.scope, text, value)

    @staticmethod
    def _is_definition(value: Value) -> bool:
        """Whether a value is a function or class, which all instances share."""
        return bool(value.refs) and all(isinstance(ref, (Function, Class)) for ref in value.refs)

    def _owner(self, name: str) -> tuple[int, int] | None:
        """The class that has a field, of a function that is defined outside of it."""
        if not self.semantics.cells:
            return None
        owner = self.program.class_of((self.unit, self.scope))
        return owner if owner is not None and self.solver.has_field(owner, name) else None

    def _store_around(self, text: str, value: Value) -> bool:
        if self._owner(text) is not None and self.receiver is not None:
            self.set_member(self.receiver, text, value)
            return True
        scope = self.row.parent
        while scope >= 0:
            row = self.code.scopes[scope]
            if row.kind == ScopeKind.CLASS:
                if self._is_field(scope, text):
                    self._store_member(scope, text, value)
                    return True
            elif self.solver.binds(self.unit, scope, text):
                self.set_shared((self.unit, scope, text), value)
                return True
            scope = row.parent
        return False

    def _store_member(self, scope: int, text: str, value: Value) -> None:
        owner = self.solver.variables.static(self.program, (self.unit, scope), text)
        if owner is not None:
            self.set_shared((*owner, text), value)
            return
        receiver = self.receiver
        for word in self.semantics.receivers if receiver is None else ():
            receiver = self.around(word)
        if receiver is not None:
            self.set_member(receiver, text, value)

    def set_shared(self, variable: tuple[int, int, str], value: Value) -> None:
        """Set a variable of a scope around, or of a class."""
        assert self.state is not None
        self.state.shared[variable] = value
        self.solver.keep(*variable, value)

    def put(self, holder: Value, key: Key | None, content: Value) -> None:
        """Set something in a thing: where that is a variable of a scope around, others see it."""
        assert self.state is not None
        self.state.write(holder, key, content)
        if not self.semantics.cells:
            return
        for ref in ordered(holder.refs):
            symbol = self.thing(ref).symbol if isinstance(ref, Object) else None
            if isinstance(symbol, Free):
                path = symbol.path if key is None else (*symbol.path, key)
                name = spelled(symbol.name, path)
                self.solver.keep(symbol.unit, symbol.scope, name, Value(content.taints))

    def _place_of(self, holder: Value, *, made: bool) -> Value:
        """A value with the places of variables outside that it is: what is set in them is read from them again."""
        assert self.state is not None
        if holder.taints or any(not isinstance(ref, str) for ref in holder.refs):
            return holder
        names = [name for name in holder.names() if name[0] not in "?%" and "(" not in name]
        places = [Object(("outside", name)) for name in names]
        found = [ref for ref in places if made or ref in self.state.heap]
        return Value(refs=holder.refs.union(found)) if found else holder

    def set_member(self, holder: Value, name: str, content: Value) -> None:
        """Set a field of an instance."""
        holder = self._place_of(holder, made=bool(content.taints))
        self.put(holder, self.semantics.key(name), content)
        for ref in ordered(holder.refs):
            if isinstance(ref, Object) and content.refs:
                klass = self.thing(ref).klass
                if klass is not None:
                    self.solver.variables.keep_field(klass, name, content)

    def typed(self, name: int, value: Value) -> Value:
        """A value of a variable whose type is declared."""
        declared = self.types.get(name)
        if declared is None:
            return value
        return Value(value.taints, value.refs | declared.refs, value.const, value.facts)

    def _annotate(self, op: int, row: list[int]) -> None:
        if row[3] < 0 and row[2] >= 0:
            self.types[row[1]] = self.instance(self.value(row[2]))
            if self.semantics.zeros and self.row.kind != ScopeKind.CLASS:
                self._zero(op, row)

    def assign(self, op: int, name: int, value: Value) -> None:
        """Set a variable where it is: here, or in a scope around."""
        text = self.names[name]
        here = self.state is not None and name in self.state.env
        if here or not self._store_around(text, value):
            self.bind(op, name, value)

    def _zero(self, op: int, row: list[int]) -> None:
        """A variable of a declared type holds a value from the start."""
        assert self.state is not None
        ref = Object((self.unit, op))
        classes = [each for each in self.value(row[2]).refs if isinstance(each, Class)]
        klass = (classes[0].unit, classes[0].scope) if len(classes) == 1 else None
        self.state.heap[ref] = Thing({}, klass=klass, exact=klass is not None)
        refs = self.types[row[1]].refs | {ref}
        self.bind(op, row[1], Value(refs=refs))

    def instance(self, kind: Value) -> Value:
        """An instance of what a type expression means, as far as it stands outside."""
        return pointing(*(self.solver.canonical(self, f"{name}()") for name in kind.names()))

    def reading(self, op: int, value: Value) -> Value:
        """A value that was read: a source where a row says so."""
        names = value.names() if value.refs else ()
        for ref in names:
            row = self.models.reads.get(ref)
            if row is None:
                continue
            if row.limit:  # a number, not a thing with members
                value = Value(value.taints, value.refs - {ref}, UNKNOWN)
            if not self._has_source(value, row.name):
                value = self.sourced(op, value, row.name, row.what)
                break
        if names and self.models.checks:
            return self.solver.permission.read(self, op, value, value.names())
        return value

    def _has_source(self, value: Value, row: str) -> bool:
        """Whether a value was read from a source before, and is only handed on."""
        number = self.solver.row_number(self.code.language, row)
        return any(isinstance(origin, Source) and origin.row == number for origin in value.taints)

    def field(self, op: int, value: Value, key: Key | None) -> Value:
        """A field as a callee reads it, also one that a row of a model is about."""
        assert self.state is not None
        found = self.state.read(value, key)
        member = self.semantics.member_name(key)
        names = [self.solver.canonical(self, f"{name}{member}") for name in value.names()]
        if not names:
            return self.part(value, key, found)
        read = Value(found.taints, found.refs | frozenset(names), found.const)
        return self.reading(op, self.part(value, key, read))

    def part(self, holder: Value, member: Key | None, found: Value) -> Value:
        """A member of data from outside: data of its own, apart from other members."""
        if not found.taints or not self.semantics.is_part(member):
            return found
        assert member is not None
        mine = self._unnamed(holder, member, found.taints)
        if not mine:
            return found
        taints: dict[Origin, Taint] = {}
        for origin, taint in found.taints.items():
            if origin in mine and SELECTED not in origin.path:
                origin = member_of(origin, member)
            taints[origin] = taint
        return Value(taints, found.refs, found.const, found.facts)

    def _unnamed(self, holder: Value, member: Key, found: Mapping[Origin, Taint]) -> set[Origin]:
        """Data of a member that is not told apart from others: of the whole, or put there under any key.

        What a caller handed in has origins of its own for its members, as deep as these go.
        """
        mine = set(holder.taints.keys() & found.keys())
        for ref in holder.refs:
            thing = self.thing(ref) if isinstance(ref, Object) else EMPTY
            if thing.symbol is not None:
                mine.discard(thing.symbol)
            if member not in thing.fields and (thing.rest.waits or thing.rest.taints):
                mine |= thing.rest.taints.keys() & found.keys()
        return mine

    def again(self, op: int, holder: Value, key: object, found: Value) -> Value:
        """What is read by a constant from a source that gives the same each time: data of its own."""
        if not isinstance(key, (str, int)) or not holder.taints or self.semantics.parts:
            return found
        taints: dict[Origin, Taint] = {}
        for origin, taint in found.taints.items():
            row = self._asked(holder, origin)
            if row is not None:
                assert isinstance(origin, Source)
                first = self.firsts.setdefault((row.name, key), origin.op)
                origin = Source(self.unit, first, origin.row, (key,))
            taints[origin] = taint
        return Value(taints, found.refs, found.const, found.facts)

    def _asked(self, holder: Value, origin: Origin) -> SourceRow | None:
        """The row of a source that gives the same each time, where a value is that itself."""
        trail = holder.taints[origin].trail if origin in holder.taints else None
        if not isinstance(origin, Source) or origin.path or trail is None or trail.before:
            return None
        name = self.solver.row_names[origin.row][1]
        row = self.models.reads.get(name) or self.models.sources.get(name)
        return row if row is not None and row.steady and origin.unit == self.unit else None

    def asked_again(self, row: SourceRow, op: int, receiver: Value, values: list[Value]) -> int:
        """The first call of a source that gives the same each time, with the same constants."""
        known = [value.const for value in values]
        if not row.steady or not known or not all(isinstance(each, (str, int)) for each in known):
            return op
        about = (frozenset(receiver.refs), frozenset(receiver.taints))
        return self.firsts.setdefault((row.name, *known, *about), op)

    def _is_changed(self, holder: Value) -> None:
        """A thing was written to: what was read from it is not there any more."""
        self.sames.changed(self, holder)
        if self.firsts and any(isinstance(origin, Source) for origin in holder.taints):
            self.firsts.clear()

    def sourced(self, op: int, value: Value, row: str, what: str, at: int = -1) -> Value:
        """A value that comes from outside, at an operation, or as it came `at` another one."""
        key = row
        if self.semantics.wrappers and self.ops[op][0] == Op.LOAD:  # each variable is its own
            key = f"{row} {self.ops[op][1]}"
        if at < 0:
            at = self.firsts.setdefault((key,), op) if self.semantics.parts else op
        origin = Source(self.unit, at, self.solver.row_number(self.code.language, row))
        if self.semantics.parts and origin in value.taints:
            return value
        if self.state is not None and at == op:
            self.state.valid.pop(origin, None)  # other data than in the round before
        found = self.models.reads.get(row) or self.models.sources.get(row)
        clean = 0 if found is None else ALL_KINDS & ~found.kinds
        taint = Taint(clean, Trail(self.unit, op, Role.SOURCE, what))
        known: Mapping[Origin, Taint] = value.taints
        refs = value.refs
        if self.semantics.parts:  # what a caller hands in is this source
            known = {each: one for each, one in known.items() if isinstance(each, Source)}
            refs = frozenset(ref for ref in refs if isinstance(ref, str))
        return Value({**known, origin: taint}, refs, UNKNOWN, value.facts)

    def _getattr(self, op: int, row: list[int]) -> None:
        assert self.state is not None
        self.regs[op] = self.member(op, self.value(row[1]), self.names[row[2]])

    def member(self, op: int, holder: Value, name: str) -> Value:
        """What `holder.name` is."""
        assert self.state is not None
        if self.semantics.typed:
            fixed = self._fixed(holder, name)
            if fixed is not UNKNOWN:
                return constant(fixed)
        around = self._place_of(holder, made=False)
        found = self.state.read(around, self.semantics.key(name))
        members = joined(self.solver.attribute(self, op, ref, name) for ref in ordered(holder.refs))
        value = members if not found.taints and not found.refs else found
        if value is found and holder.refs:
            value = join(found, members)
            value = Value(value.taints, value.refs, found.const)
        if not any(isinstance(ref, (str, Function, Class)) for ref in value.refs):
            value = Value(value.taints, value.refs | {f"?.{name}"}, value.const)
        value = self.semantics.member(self, op, holder, name, value)
        kept = self.solver.calls.of_base(self, holder, name)
        value = value if kept is NOTHING else join(value, kept)
        if value.taints and self.code.language in ENFORCED and self._is_number(holder, name):
            value = harmless(value, TEXT)
        value = self.solver.calls.got(self, op, holder, value)
        if holder.taints and self.models.checks:
            value = self.solver.permission.member(self, op, holder, name, value)
        value = credentials.of_member(self, op, name, value)
        known = hosts.of_member(self, op, holder, value) if self.models.addresses else None
        if known is not None:
            return self.reading(op, known)
        for each in value.names() if value.taints and self.models.parts else ():
            row = self.models.parts.get(each)
            if row is not None:
                taints = hosts.parted(self, op, value.taints, row.alike, moves=row.moves)
                return self.reading(op, Value(taints, value.refs, value.const, value.facts))
        return self.reading(op, self.part(holder, self.semantics.key(name), value))

    def _is_number(self, holder: Value, name: str) -> bool:
        """Whether a field is declared as one that holds no texts."""
        for ref in holder.refs:
            klass = self.thing(ref).klass if isinstance(ref, Object) else None
            klass = (ref.unit, ref.scope) if isinstance(ref, Class) else klass
            if klass is not None:
                code = self.program.codes[klass[0]]
                number = self.solver.name_number(klass[0], name)
                if is_number(code, code.declared(klass[1], number)):
                    return True
        return False

    def _fixed(self, holder: Value, name: str) -> object:
        """The constant that a field has in every instance: its class gives it, and nobody else."""
        if name in self.program.changed or len(holder.refs) != 1:
            return UNKNOWN
        for ref in ordered(holder.refs):
            klass = self.thing(ref).klass if isinstance(ref, Object) else None
            owner = klass and self.solver.variables.owner(self.program, klass, name)
            if owner:
                return self.solver.variables.value((*owner, name)).const
        return UNKNOWN

    def _getitem(self, op: int, row: list[int]) -> None:
        assert self.state is not None
        holder = self.value(row[1])
        if DECLARED <= row[3] <= REFERENCE:  # a type, or function, with arguments
            self.regs[op] = holder
            return
        mine = self.own(op, holder, "item", [self.value(row[2])])
        if mine is not None:
            self.regs[op] = mine
            return
        meant = self.semantics.taken_out(self, op, holder, self.value(row[2]))
        if meant is not None:
            self.regs[op] = meant
            return
        holder = own.opened(self, op, holder, "an item")
        key = constants.key(self.value(row[2]).const)
        if isinstance(key, str) and self.semantics.key(key) == key:
            self.regs[op] = self.member(op, holder, key)
            return
        folded = constants.item(holder.const, self.value(row[2]).const)
        found = self.state.read(self._place_of(holder, made=False), key)
        names = [self.solver.canonical(self, f"{name}[]") for name in holder.names()]
        if key is None and self.semantics.wrappers:
            names = holder.names()
        if isinstance(key, str):
            names += self._keyed(holder, key)
        facts = found.facts or self.looked_up(op, holder, self.value(row[2]))
        value = Value(found.taints, found.refs | frozenset(names), found.const, facts)
        if folded is not UNKNOWN:
            value = Value(value.taints, value.refs, folded)
        value = credentials.of_key(self, op, holder, self.value(row[2]).const, value)
        known = hosts.of_member(self, op, holder, value) if self.models.addresses else None
        if known is not None:
            self.regs[op] = self.reading(op, known)
            return
        if key is None:  # a slice, or it is not known which one
            value = hosts.part(self, op, value, middle(self.value(row[2]).const))
        value = self.part(holder, key, self.again(op, holder, key, value))
        self.regs[op] = self.reading(op, value)

    def _keyed(self, holder: Value, key: str) -> Iterator[str]:
        """What rows call an item: by its key, else by how that begins, up to `_`."""
        for name in holder.names():
            for word in (key, f"{key.partition('_')[0]}_*"):
                known = f"{name}[{word}]"
                if known in self.models.reads or known in self.models.addresses:
                    yield known
                    break

    def looked_up(self, op: int, holder: Value, key: Value) -> tuple[Fact, ...]:
        """What something found under data shows: it is one of the keys, where these are fixed."""
        assert self.state is not None
        if not key.taints or not self.solver.modelled.is_fixed(self, holder):
            return ()
        return hosts.facts(self, op, key, ALL_KINDS, "looked up", found=True)

    def _setattr(self, op: int, row: list[int]) -> None:
        assert self.state is not None
        holder, content = self.value(row[1]), self.value(row[3])
        content = self.step(content, op, Role.PROPAGATOR)
        name = self.names[row[2]]
        if self.solver.asked is not None:
            self.solver.asked.put(self, op, holder, content)
        self.solver.calls.set(self, op, holder, name, content)
        self.set_member(holder, name, content)
        for ref in ordered(holder.refs):
            if isinstance(ref, Class):
                owner = self.solver.variables.owner(self.program, (ref.unit, ref.scope), name)
                if owner is not None:
                    self.set_shared((*owner, name), content)
        self.solver.stored(self, op, holder, name, content)
        self.semantics.assigned(self, op, holder, name, content)

    def _grown(self, op: int, at: int) -> Value:
        """What an operation gives, to put something into: where nothing stands yet, something does from here on."""
        assert self.state is not None
        value = self.value(at)
        if value.taints or value.refs or not self.semantics.grows:
            return value
        code, a, b = self.ops[at][:3]
        ref = Object((self.unit, op, "made", at))
        made = pointing(ref)
        if code == Op.GETITEM:
            self.state.heap[ref] = Thing({})
            self.state.write(self._grown(op, a), constants.key(self.value(b).const), made)
        elif code == Op.LOAD:
            self.state.heap[ref] = Thing({}, length=0)
            self.assign(op, a, made)
        else:
            return value
        return made

    def _setitem(self, op: int, row: list[int]) -> None:
        assert self.state is not None
        holder, content = self._grown(op, row[1]), self.value(row[3])
        content = self.step(content, op, Role.PROPAGATOR)
        if self.solver.asked is not None:
            self.solver.asked.put(self, op, holder, content)
        if self.own(op, holder, "put", [self.value(row[2]), content]) is not None:
            return
        if self.semantics.put(self, op, holder, self.value(row[2]), content):
            return
        self._is_changed(holder)
        holder = self._place_of(holder, made=bool(content.taints))
        if self.ops[row[2]][0] == Op.CONST and self.ops[row[2]][2] < 0:  # one more element
            self.state.write(holder, None, content)
        else:
            self.write(op, holder, self.value(row[2]), content)
        self.solver.set_item(self, op, holder, self.value(row[2]), content)

    def write(self, op: int, holder: Value, key: Value, content: Value) -> None:
        """Put something into a container under a key: the one it is, or one of those it may be."""
        assert self.state is not None
        known = [constants.key(each) for each in choices(key.const)]
        if len(known) == 1:
            self.state.write(holder, known[0], content)
        elif known and all(each is not None for each in known):
            for each in known:
                self.state.write(holder, each, join(content, self.state.read(holder, each)))
        else:
            if key.taints:
                self.put(holder, NAMES, Value(key.taints))
            if not any(isinstance(origin, Source) for origin in key.taints):
                content = put_under(content, self.unit, op)
            self.state.write_any(holder, content)

    def _operate(self, op: int, row: list[int]) -> None:
        left, right = self.value(row[1]), self.value(row[2])
        word = self.names[row[3]] if row[3] >= 0 else ""
        self.regs[op] = self.semantics.operate(self, op, word, left, right if row[2] >= 0 else None)

    def _either(self, op: int, row: list[int]) -> None:
        one, other = self.value(row[1]), self.value(row[2])
        test = self.value(row[3]) if row[3] >= 0 else NOTHING
        truth = self.semantics.truth(test.const)
        if truth is not None:
            self.regs[op] = one if truth else other
            return
        facts = self.semantics.either(self, test, one, other, row)
        test = Value(test.taints, test.refs, test.const, self.told(test))
        one = self.where(one, test, truth=True)
        if row[3] == row[2] and row[3] >= 0:
            other = Value(refs=other.refs)  # it is not true: an empty text at most
        else:
            other = self.where(other, test, truth=False)
        value = join(one, other)
        self.regs[op] = Value(value.taints, value.refs, value.const, facts)

    @staticmethod
    def where(value: Value, test: Value, *, truth: bool) -> Value:
        """A value where a test came out like this."""
        known = {fact.origin: fact.kinds for fact in test.facts if fact.truth is truth}
        if not known or not value.taints:
            return value
        taints = {origin: taint._replace(clean=taint.clean | known.get(origin, 0))
                  for origin, taint in value.taints.items()}  # fmt: skip
        return Value(taints, value.refs, value.const, value.facts)

    def _make(self, op: int, row: list[int]) -> None:
        kind = row[1]
        ports = self.code.ports[row[2] : row[2] + row[3]]
        if kind == Make.TEXT:
            self.regs[op] = self._text(op, ports)
            return
        assert self.state is not None
        fields: dict[Key, Value] = {}
        rest = NOTHING
        length: int | None = 0
        ref = Object((self.unit, op))
        for port, key, item in ports:
            value = self.step(self.value(item), op, Role.PROPAGATOR)
            if port == Port.ITEM:
                name = constants.key(self.value(key).const)
                if name is None:
                    rest = join(rest, value)
                else:
                    fields[name] = value
            elif port == Port.POSITIONAL and length is not None and kind != Make.SET:
                fields[length] = value
                length += 1
            elif port == Port.DOUBLE_STAR and (known := self._merged(value)) is not None:
                fields.update(known)
            elif port in (Port.STAR, Port.DOUBLE_STAR):
                rest = join(rest, self.state.read(value, None))
                length = None
            else:
                rest = join(rest, value)
                length = None
        if kind not in (Make.LIST, Make.TUPLE):
            length = None
        self.state.heap[ref] = Thing(fields, rest, length=length)
        self.regs[op] = Value(refs=frozenset((ref,)), const=constants.display(kind, fields, rest))

    def _merged(self, value: Value) -> Mapping[Key, Value] | None:
        """The fields of what is spread, where that is one thing that is wholly known."""
        objects = [ref for ref in ordered(value.refs) if isinstance(ref, Object)]
        if len(objects) != 1 or value.taints:
            return None
        thing = self.thing(objects[0])
        plain = thing.symbol is None and not thing.rest.taints and not thing.rest.refs
        return thing.fields if plain else None

    def _text(self, op: int, ports: list[list[int]]) -> Value:
        assert self.state is not None
        values = [self.as_text(op, self.value(item)) for _, _, item in ports]
        if self.is_over():
            return NOTHING
        taints = merge(self.state.deep(value) for value in values)
        if taints:
            taints = self.longer(taints, op, Role.PROPAGATOR, "text")
        return self.semantics.text(values, Value(taints))

    def _function(self, op: int, row: list[int]) -> None:
        self.regs[op] = pointing(Function(self.unit, row[1]))
        if self.constructs and self.receiver is not None:
            scope = self.code.scopes[row[1]]
            plain = scope.kind == ScopeKind.LAMBDA and scope.params == scope.params_end
            if plain and scope.flags & STATIC:  # code of the body with variables of its own
                given = Value(self.receiver.taints, self.receiver.refs | {GIVEN_RECEIVER})
                self.solver.calls.invoke(self, op, Function(self.unit, row[1]), given, [])

    def _class(self, op: int, row: list[int]) -> None:
        self.regs[op] = pointing(Class(self.unit, row[1]))
        ports = self.code.ports[row[2] : row[2] + row[3]]
        bases = [name for kind, _, item in ports if kind in (Port.POSITIONAL, Port.INTERFACE)
                 for name in self.value(item).names()]  # fmt: skip
        if bases:
            self.solver.calls.bases[self.unit, row[1]] = tuple(dict.fromkeys(bases))
        self.solver.run_class(self, row[1])

    def _decorate(self, op: int, row: list[int]) -> None:
        self.regs[op] = self.solver.decorated(self, op, self.value(row[1]), self.value(row[2]))

    def own(self, op: int, holder: Value, word: str, values: list[Value]) -> Value | None:
        """What instances give by a method of their own for what the language does with them; None: they have none."""
        name = self.semantics.own.get(word)
        if name is None or not holder.refs:
            return None
        results: list[Value] = []
        for ref in ordered(holder.refs):
            klass = self.thing(ref).klass if isinstance(ref, Object) else None
            found = None if klass is None else self._member(klass, name)
            if found is None or not isinstance(ref, Object) or found == (self.unit, self.scope):
                continue
            if self.program.scope(found).flags & STATIC:  # an operator gets both of its sides
                given = [Value(holder.taints, frozenset((ref,))), *values]
                results.append(self.solver.calls.invoke(self, op, Function(*found), None, given))
            else:
                bound = Function(*found, ref)
                results.append(self.solver.calls.invoke(self, op, bound, None, values))
            if self.state is None:
                return NOTHING
        return joined(results) if results else None

    def _member(self, klass: tuple[int, int], names: str) -> tuple[int, int] | None:
        """The first of several methods that a class has."""
        found = (self.program.member(klass, name) for name in names.split("|"))
        return next((each for each in found if each is not None), None)

    def is_over(self) -> bool:
        """Whether nobody comes here any more."""
        return self.state is None

    def as_text(self, op: int, value: Value) -> Value:
        """A value as it is put into a text."""
        known = self.own(op, value, "text", []) if value.refs else None
        if known is None and value.refs:
            known = self.semantics.spelled(self, op, value)
        return value if known is None else join(value, Value(known.taints))

    def _iterate(self, op: int, row: list[int]) -> None:
        whole = own.iterated(self, op, self.value(row[1]))
        if self.is_over():
            return
        found = lists.element(self, whole, self._inner(op, whole, None))
        self.regs[op] = Value(
            hosts.parted(self, op, found.taints, moves=True), found.refs, found.const, found.facts
        )

    def _inner(self, op: int, value: Value, key: Key | None) -> Value:
        """An element: what stands inside, else a part of what is itself tainted."""
        assert self.state is not None
        found = self.state.read(value, key)
        names = [self.solver.canonical(self, f"{name}[]") for name in value.names()]
        found = Value(found.taints, found.refs | frozenset(names), found.const)
        return self.step(found, op, Role.PROPAGATOR)

    def _element(self, op: int, row: list[int]) -> None:
        value = self.value(row[1])
        key: Key | None = row[2]
        if value.refs and row[2] < 0:
            known = self.items(value)
            key = None if known is None or len(known) < -row[2] else len(known) + row[2]
        self.regs[op] = self.semantics.element(self, op, value, row[2], self._inner(op, value, key))

    def items(self, value: Value) -> list[Value] | None:
        """The elements of the one list that a value is, in order; None where they are not known."""
        objects = [ref for ref in value.refs if isinstance(ref, Object)]
        if len(objects) != 1 or value.taints:
            return None
        thing = self.thing(objects[0])
        if thing.length is None or thing.rest.taints or thing.rest.refs:
            return None
        return [thing.fields.get(at, NOTHING) for at in range(thing.length)]

    def _rest(self, op: int, row: list[int]) -> None:
        assert self.state is not None
        ref = Object((self.unit, op))
        known = self.items(self.value(row[1]))
        if known is not None:
            items = known[row[2] : len(known) - row[3]]
            self.state.heap[ref] = Thing(dict(enumerate(items)), length=len(items))
            self.regs[op] = Value(refs=frozenset((ref,)))
            return
        whole = self.value(row[1])
        self.state.heap[ref] = Thing({}, hosts.part(self, op, self.state.read(whole, None)))
        taints = hosts.part(self, op, Value(whole.taints)).taints
        self.regs[op] = Value(taints, frozenset((ref,)))

    def _slice(self, op: int, row: list[int]) -> None:
        parts = [self.value(part).const if part >= 0 else None for part in row[1:4]]
        known = all(part is not UNKNOWN for part in parts)
        self.regs[op] = constant(constants.slice_of(parts)) if known else NOTHING

    def _await(self, op: int, row: list[int]) -> None:
        value = self.value(row[1])
        self.regs[op] = self.own(op, value, "await", []) or value

    def _enter_with(self, op: int, row: list[int]) -> None:
        whole = self.value(row[1])
        self.regs[op] = self.own(op, whole, "enter", []) or whole

    def _yield(self, op: int, row: list[int]) -> None:
        assert self.state is not None
        value = self.value(row[1])
        if not row[2]:
            ref = Object((self.unit, op))
            self.state.heap[ref] = Thing({}, self.step(value, op, Role.PROPAGATOR, "yielded"))
            value = pointing(ref)
        self.results.append((value, self.state.copy()))
        self.regs[op] = NOTHING

    def _narrow(self, op: int, row: list[int]) -> None:
        value = self.value(row[1]) if row[1] >= 0 else self.caught
        kind = self.instance(self.value(row[2]))
        self.regs[op] = Value(value.taints, value.refs | kind.refs, value.const)

    def _import(self, op: int, row: list[int]) -> None:
        member = self.names[row[2]] if row[2] >= 0 else None
        value = self.solver.imported(self, op, self.names[row[1]], member, row[3])
        self.regs[op] = self.reading(op, value)

    def _call(self, op: int, row: list[int]) -> None:
        found = self.solver.call(self, op, row)
        self.regs[op] = found if self.state is None else moves.after(self, op, row, found)

    def _delete(self, op: int, row: list[int]) -> None:
        assert self.state is not None
        self.state.env.pop(row[1], None)

    def _lose(self, op: int, row: list[int]) -> None:
        """Any of the variables that a torn text names may hold the data of any other afterwards.

        What the parser made of the text sets and tests nothing: neither may stand there.
        """
        if not row[2]:
            return
        if row[3] >= 0:
            self._computed(op, row[1], sets=row[3] == SETS)
            return
        assert self.state is not None
        env = self.state.env
        mine = self._named(self.ops[op : op + row[2]])
        read = [env[name] for name in mine if name in env]
        held, valid = self.torn.get((row[4], row[5]), (env, self.state.valid))
        tested = {origin for origin in merge(map(self.state.deep, read))
                  if self.state.valid.get(origin) != valid.get(origin)}  # fmt: skip
        for origin in tested:
            self.state.valid.pop(origin, None)
        value = self.solver.modelled.assumed(self, op, read, Cut.PARSE, BROKEN_SOURCE)
        for name in mine if value.taints else ():
            now = env.get(name, NOTHING)
            if now is not held.get(name, NOTHING) or not tested.isdisjoint(now.taints):
                now = Value({}, now.refs)
            env[name] = join(now, value)
        self.torn[row[4], row[5]] = env.copy(), self.state.valid.copy()

    def _computed(self, op: int, name: int, *, sets: bool) -> None:
        """A variable of a computed name is set to what `name` holds, or `name` to what it may hold."""
        assert self.state is not None
        env = self.state.env
        read = [env.get(name, NOTHING)] if sets else [env[each] for each in env if each != name]
        value = self.solver.modelled.assumed(self, op, read, Cut.REFLECTION, "computed name")
        if not sets:
            env[name] = value
            return
        loaded = [
            each[1] for each in self.ops[self.row.first : self.row.last] if each[0] == Op.LOAD
        ]
        for each in dict.fromkeys((*env, *loaded)) if value.taints else ():
            if each != name and self.semantics.is_variable(self.names[each]):
                self.bind(op, each, join(env.get(each, NOTHING), value))

    def _named(self, rows: list[list[int]]) -> list[int]:
        """The variables of this function that a torn text names, whatever block they are of."""
        assert self.state is not None
        env, names = self.state.env, self.names
        if rows[0][1] < 0:
            return list(env)
        words = {names[row[1]] for row in rows}
        return [*dict.fromkeys((*(row[1] for row in rows),
                                *(name for name in env if names[name].partition("#")[0] in words)))]  # fmt: skip

    def _export(self, op: int, row: list[int]) -> None:
        name = self.semantics.exported(self.names[row[1]])[0]
        value = self.value(row[2])
        self.exports.append(value)
        self.solver.keep(self.unit, 0, name, value)

    def thing(self, ref: Object) -> Thing:
        """The object behind a key."""
        assert self.state is not None
        return self.state.heap.get(ref, EMPTY)

    def free(self, scope: int, name: str) -> Origin:
        """The origin of a variable of a scope around."""
        return Free(self.unit, scope, name, ())

    of_codes: ClassVar[dict[Op, Callable[[Run, int, list[int]], None]]] = {
        Op.CONST: _const,
        Op.LOAD: _load,
        Op.GETATTR: _getattr,
        Op.GETITEM: _getitem,
        Op.CALL: _call,
        Op.NEW: _call,
        Op.MAKE: _make,
        Op.FUNCTION: _function,
        Op.CLASS: _class,
        Op.DECORATE: _decorate,
        Op.OPERATE: _operate,
        Op.EITHER: _either,
        Op.ITER: _iterate,
        Op.ENTER: _enter_with,
        Op.AWAIT: _await,
        Op.YIELD: _yield,
        Op.ELEMENT: _element,
        Op.REST: _rest,
        Op.NARROW: _narrow,
        Op.SLICE: _slice,
        Op.IMPORT: _import,
        Op.STORE: _store,
        Op.SETATTR: _setattr,
        Op.SETITEM: _setitem,
        Op.DELETE: _delete,
        Op.ANNOTATE: _annotate,
        Op.RETURN: _return,
        Op.RAISE: _raise,
        Op.ASSERT: _assert,
        Op.BREAK: _break,
        Op.EXPORT: _export,
        Op.CONTINUE: _continue,
        Op.JUMP: _jump,
        Op.LABEL: _label,
        Op.LOST: _lose,
    }
    """What is done for an operation, by its code."""


Handler = Callable[[Run, int, list[int]], None]


HANDLERS: Final[list[Handler | None]] = [Run.of_codes.get(op) for op in Op]

"""What is acquired must be released once, and not be used afterwards: along every path.

One run over a function keeps a set of states apart: which variable holds which resource, what became
of each, and what tests of plain variables came out like. A resource that is given back, stored or
handed to something unknown is given away: nothing is said of its end. Functions are looked at
callees first, so that what they release, use, keep and give fresh counts where they are called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar, Final, NamedTuple

from grainline.flow.locks import FREE, LOCKING, Held, Lock, forget, lock_of, of_lock, says
from grainline.flow.program import Arm as ArmOf
from grainline.flow.program import Code, Place, Program
from grainline.flow.rows import Models, ResourceRow
from grainline.model.ir import (
    ABSTRACT,
    ASSIGNS,
    BROKEN,
    FAR,
    Arm,
    Branch,
    Const,
    Op,
    Param,
    Port,
    ScopeKind,
)
from grainline.model.ir import BREAKS as ENDLESS
from grainline.model.ircheck import VALUE_OPERANDS

MAX_STATES: Final = 48
"""States of one function at one place; where there are more nothing is said of the function."""

MAX_OPS: Final = 6000
"""Operations of a function that is looked at."""

FAULTS: Final = ("use after release", "double release", "mismatched release", "leak")
"""Kinds of findings."""

_NO_ROWS: Final[Mapping[str, ResourceRow]] = {}

LIVE, RELEASED, GONE = range(3)

OBJECTS: Final = frozenset(("new", "delete", "delete[]", "placement", "*", "->", "=", "+", "-"))
"""Operators of C++ that something is made, ended or looked into with."""

NATIVE: Final = frozenset(("c", "cpp"))
"""Languages whose pointers are no things of their own."""

Value = tuple[Any, ...]
"""What a register holds: `("thing", site)`, `("null",)`, `("variable", name)`, tests; () unknown."""

_UNKNOWN: Final[Value] = ()
_NULL: Final[Value] = ("null",)


class Effects(NamedTuple):
    """What a function does to what it gets, by parameter, and what it gives."""

    releases: Mapping[int, int] = {}
    """Parameter -> the operation that releases it, on every path."""
    uses: frozenset[int] = frozenset()
    keeps: frozenset[int] = frozenset()
    fresh: ResourceRow | None = None
    ends: bool = False
    locks: frozenset[Lock] = frozenset()
    """Locks that it, or what it calls, takes or gives back."""


class Fault(NamedTuple):
    """Something that is wrong: operations of one file, in order, with what happens there."""

    kind: str
    unit: int
    row: ResourceRow
    steps: tuple[tuple[int, int, str], ...]
    """(unit, operation, note)."""
    unsure: bool = False
    """Whether the last step is something that nobody knows."""


class _Thing(NamedTuple):
    status: int
    row: ResourceRow | None
    steps: tuple[tuple[int, int, str], ...]
    checked: bool


class _State:
    __slots__ = ("env", "facts", "locks", "regs", "things")

    def __init__(
        self,
        env: dict[int, Value],
        things: dict[int, _Thing],
        regs: dict[int, Value],
        facts: dict[int, bool],
        locks: dict[Lock, Held] | None = None,
    ) -> None:
        self.env = env
        self.things = things
        self.regs = regs
        self.facts = facts
        self.locks = locks if locks is not None else {}

    def copy(self) -> _State:
        return _State(
            dict(self.env), dict(self.things), dict(self.regs), dict(self.facts), dict(self.locks)
        )

    def key(self) -> object:
        things = frozenset((site, t.status, t.checked) for site, t in self.things.items())
        env = frozenset((name, value) for name, value in self.env.items() if value)
        locks = frozenset((lock, held.times) for lock, held in self.locks.items())
        return things, env, frozenset(self.facts.items()), locks


class _StatesError(Exception):
    """More states than are kept apart."""


def faults(program: Program, models: Mapping[str, Models]) -> Iterator[Fault]:
    """All that is wrong with lifetimes in a program."""
    known: dict[Place, Effects] = {}
    for place in (each for circle in program.order for each in circle):
        code = program.codes[place[0]]
        known_rows = models.get(code.language)
        rows = _NO_ROWS if known_rows is None else known_rows.resources
        row = code.scopes[place[1]]
        if not rows or row.kind != ScopeKind.FUNCTION or row.flags & ABSTRACT:
            continue
        if row.last - row.first > MAX_OPS or row.flags & BROKEN:
            continue
        run = _Run(program, place, rows, known)
        try:
            known[place] = run.finish()
        except _StatesError:
            continue
        yield from run.faults.values()


class _Run:
    def __init__(
        self,
        program: Program,
        place: Place,
        rows: Mapping[str, ResourceRow],
        known: Mapping[Place, Effects],
    ) -> None:
        self.program = program
        self.unit, self.scope = place
        self.code: Code = program.codes[self.unit]
        self.row = self.code.scopes[self.scope]
        self.ops = self.code.ops
        self.names = self.code.names
        self.rows = rows
        self.known = known
        self.faults: dict[tuple[str, int], Fault] = {}
        self.states: list[_State] = []
        self.ends: list[tuple[_State, int]] = []
        self.breaks: list[list[_State]] = []
        self.continues: list[list[_State]] = []
        self.jumps: dict[int, list[_State]] = {}
        self.passed: set[int] = set()
        self.ended: set[int] = set()
        """Operators whose first side leaves."""
        self.uses: set[int] = set()
        self.lost: set[int] = set()
        """Sites of which a path is not followed to its end."""
        rows_ = [each for each in self.code.params[self.row.params : self.row.params_end]
                 if each[0] not in (Param.RECEIVER, Param.TYPE)]  # fmt: skip
        self.params = {each[1]: number for number, each in enumerate(rows_)}
        self.native = self.code.language in NATIVE
        self.placed = False
        """Whether what is made next stands in a place that is there."""
        self.unlocked: set[Lock] = set()
        """Locks that the function gives back somewhere."""
        self.touched: set[Lock] = set()
        self.kept_locks: dict[tuple[Lock, int], Fault] = {}
        self.managed = 0
        self.raised: list[list[_State]] = []
        self.shared = self._shared()
        self.methods = frozenset(name for row in rows.values() for name in row.ends)
        """What ends things that are asked to; where there are none, a member is looked up in them."""

    def _shared(self) -> frozenset[int]:
        """Names that are variables of other functions, too."""
        inside = {self.scope}
        found = {row[1] for row in self.ops[self.row.first : self.row.last]
                 if row[0] in (Op.GLOBAL, Op.NONLOCAL)}  # fmt: skip
        for code, a, b, c, *_ in self.ops[self.row.first : self.row.last]:
            address = code == Op.OPERATE and b < 0 and self.names[c] == "&"
            if address and self.ops[a][0] == Op.LOAD:
                found.add(self.ops[a][1])
        found |= self._assigned()
        for scope, row in enumerate(self.code.scopes):
            if row.parent in inside:
                inside.add(scope)
                found |= {each[1] for each in self.ops[row.first : row.last] if each[0] == Op.LOAD}
        return frozenset(found)

    def _assigned(self) -> set[int]:
        """Names that are set and not declared: those of fields."""
        set_: set[int] = set()
        own = set(self.params)
        for code, a, _, c, *_ in self.ops[self.row.first : self.row.last]:
            if code == Op.STORE:
                (set_ if c == ASSIGNS else own).add(a)
            elif code == Op.ANNOTATE and c < 0:
                own.add(a)
        return set_ - own

    # ------------------------------------------------------------------ the whole

    def finish(self) -> Effects:
        """Run to the end; what the function does to its caller."""
        start = _State({}, {}, {}, {})
        for name, number in self.params.items():
            start.env[name] = ("thing", ~number)
            start.things[~number] = _Thing(LIVE, None, (), False)
        self.states = [start]
        self.run(self.row.first, self.row.last)
        for state in self.states:
            self.ends.append((state, -1))
            self._leaks(state, -1)
        for (lock, _), fault in self.kept_locks.items():
            if lock in self.unlocked:
                self.faults.setdefault((fault.kind, fault.steps[0][1]), fault)
        return self._effects()

    def _effects(self) -> Effects:
        releases: dict[int, int] = {}
        keeps: set[int] = set()
        fresh: set[ResourceRow | None] = set()
        for number in self.params.values():
            site = ~number
            found = [state.things[site] for state, _ in self.ends if site in state.things]
            here = [thing for thing in found if thing.status != GONE or thing.row is None]
            done = [thing for thing in here if thing.status == RELEASED]
            if found and len(done) == len([t for t in found if not _is_null(t)]) and done:
                releases[number] = done[0].steps[0][1]
            elif done or any(t.status == GONE and not _is_null(t) for t in found):
                keeps.add(number)
        for state, op in self.ends:
            value = state.regs.get(self.ops[op][1], _UNKNOWN) if op >= 0 else _UNKNOWN
            if op >= 0 and self.ops[op][0] == Op.RETURN and value[:1] == ("thing",):
                thing = state.things.get(value[1])
                fresh.add(thing.row if thing is not None and thing.status == GONE else None)
            elif value != _NULL:
                fresh.add(None)
        made = next(iter(fresh)) if len(fresh) == 1 else None
        for name, number in self.params.items():
            if self._is_reference(name):  # the variable of the caller may be another one then
                releases.pop(number, None)
                keeps.add(number)
        return Effects(releases, frozenset(self.uses - keeps), frozenset(keeps), made,
                       not self.ends, frozenset(self.touched))  # fmt: skip

    def run(self, first: int, last: int) -> None:
        """Operations `[first, last)`; also where nobody is, for a label may stand there."""
        op = first
        while op < last:
            code = self.ops[op][0]
            before, at = self.states, op
            if code == Op.BRANCH:
                self._branch(op)
                op = self.ops[op][1]
            elif code == Op.LOOP:
                self._loop(op)
                op = self.ops[op][1]
            else:
                handler = self.handlers.get(code)
                if handler is not None:
                    handler(self, op, self.ops[op])
            op += 1
            if before and not self.states:
                op = self._passed_by(at, before, last) or op

    def _passed_by(self, op: int, before: list[_State], last: int) -> int:
        """Where it goes on when `op` left inside a side of an operator that may be left out; else 0."""
        sides = self.code.sides()
        side = sides.get(op)
        while side is not None and side.op < last:
            if not (side.second and side.op in self.ended):
                if not side.second:
                    self.ended.add(side.op)
                states = [each.copy() for each in before]
                if side.truth is not None:
                    states = self._where(states, side.test, truth=not side.truth)
                if states:
                    self._keep(states)
                    return side.last + 1
            side = sides.get(side.op)
        return 0

    def _keep(self, states: list[_State]) -> None:
        unique: dict[object, _State] = {}
        for state in states:
            unique.setdefault(state.key(), state)
        if len(unique) > MAX_STATES:
            raise _StatesError
        self.states = list(unique.values())

    # ------------------------------------------------------------------ control

    def _branch(self, op: int) -> None:
        kind = self.ops[op][2]
        arms = self.code.arms.get(op, [])
        if kind == Branch.TRY:
            self._try(arms)
            return
        switch = kind == Branch.MATCH
        if switch:
            self.breaks.append([])
        pending = self.states
        ends: list[_State] = []
        through: list[_State] = []
        for arm in arms:
            what, condition = self.ops[arm.op][1], self.ops[arm.op][2]
            whole = what in (Arm.ELSE, Arm.BODY)
            inside = [each.copy() for each in pending]
            if condition >= 0:
                inside = self._where(inside, condition, truth=True)
                pending = self._where([each.copy() for each in pending], condition, truth=False)
            elif whole:
                pending = []
            self._keep(inside + through)
            through = []
            self.run(arm.first, arm.last)
            if switch:
                through = self.states
            else:
                ends += self.states
        self._keep(ends + through + pending + (self.breaks.pop() if switch else []))

    def _where(self, states: list[_State], condition: int, *, truth: bool) -> list[_State]:
        return [found for state in states
                for found in self._learn(state, state.regs.get(condition, _UNKNOWN), truth)]  # fmt: skip

    def _learn(self, state: _State, test: Value, truth: bool) -> list[_State]:
        """The states that remain where a test comes out like this."""
        if not test:
            return [state]
        word = test[0]
        if word == "null":
            return [] if truth else [state]
        if word == "number":
            return [state] if truth else []
        if word == "not":
            return self._learn(state, test[1], not truth)
        if word == "thing":
            return self._present(state, test[1], truth)
        if word in ("got", "not got"):
            got = truth is (word == "got")
            if not got:
                state.locks.pop(test[1], None)
            for name, value in state.env.items():
                if of_lock(value) == test[1]:
                    state.env[name] = _UNKNOWN
                    state.facts[name] = says(value, got=got)
            return [state]
        if word == "unsure":
            state.locks.pop(test[1], None)
            return [state]
        if word == "variable":
            known = state.facts.get(test[1])
            if known is not None:
                return [state] if known is truth else []
            state.facts[test[1]] = truth
            return [state]
        if word not in ("and", "or"):
            return [state]
        one, other = test[1], test[2]
        both = (word == "and") is truth
        if both:
            return [found for each in self._learn(state, one, truth)
                    for found in self._learn(each, other, truth)]  # fmt: skip
        first = self._learn(state.copy(), one, truth)
        rest = [found for each in self._learn(state, one, not truth)
                for found in self._learn(each, other, truth)]  # fmt: skip
        return first + rest

    def _present(self, state: _State, site: int, truth: bool) -> list[_State]:
        """A test whether a resource is there at all."""
        thing = state.things.get(site)
        if thing is None:
            return [state]
        if truth:
            if _is_null(thing):
                return []
            state.things[site] = thing._replace(checked=True)
            return [state]
        if thing.checked and thing.status == LIVE:
            return []
        if thing.status == LIVE:
            state.things[site] = thing._replace(status=GONE, row=None, steps=((-1, -1, "null"),))
            for name, value in state.env.items():
                if value == ("thing", site):
                    state.env[name] = _NULL
        return [state]

    def _loop(self, op: int) -> None:
        end, endless = self.ops[op][1], self.ops[op][3] == ENDLESS
        head = self.states
        out: list[_State] = [] if endless else [each.copy() for each in head]
        for _ in range(2):
            self.breaks.append([])
            self.continues.append([])
            self.states = [each.copy() for each in head]
            self.run(op + 1, end)
            out += self.breaks.pop()
            again = self.states + self.continues.pop()
            self._keep(again)
            head = self.states
            if not endless:
                out += [each.copy() for each in head]
        self._keep(out)

    def _try(self, arms: list[ArmOf]) -> None:
        """Handlers start where the body does or ends; what comes last runs on every way out."""
        before = [each.copy() for each in self.states]
        final = [arm for arm in arms if self.ops[arm.op][1] == Arm.FINALLY]
        outer, self.ends = self.ends, []
        held = self.managed
        caught = any(self.ops[arm.op][1] == Arm.HANDLER for arm in arms)
        self.managed += bool(final)
        inside: list[_State] = []
        after: list[_State] = []
        for arm in arms:
            kind = self.ops[arm.op][1]
            if kind == Arm.HANDLER:
                self._keep([each.copy() for each in before])
                self.run(arm.first, arm.last)
                after += self.states
            elif kind != Arm.FINALLY:
                self.states = self.states if kind == Arm.BODY else inside
                if caught:
                    self.raised.append([])
                self.run(arm.first, arm.last)
                if caught:
                    before += self.raised.pop()
                inside = self.states
        self.managed = held
        left, self.ends = self.ends, outer
        for state, op in left if final else ():
            self.states = [state]
            self.run(final[0].first, final[0].last)
            for each in self.states:
                self._leave(each, op)
        if not final:
            self.ends += left
        self._keep(inside + after)
        if final:
            self.run(final[0].first, final[0].last)

    def _break(self, op: int, row: list[int]) -> None:
        self._go_on(self.breaks if row[2] == FAR else self.breaks[-1:])

    def _continue(self, op: int, row: list[int]) -> None:
        self._go_on(self.continues if row[2] == FAR else self.continues[-1:])

    def _go_on(self, around: list[list[_State]]) -> None:
        """Where one of these is left, or begins again."""
        for number, each in enumerate(around):
            each += [state.copy() for state in self.states] if number else self.states
        self.states = []

    def _jump(self, op: int, row: list[int]) -> None:
        if row[1] not in self.passed:
            self.jumps.setdefault(row[1], []).extend(self.states)
        self.states = []

    def _label(self, op: int, row: list[int]) -> None:
        self.passed.add(row[1])
        self._keep(self.states + self.jumps.pop(row[1], []))

    def _return(self, op: int, row: list[int]) -> None:
        for state in self.states:
            self._escape(state, state.regs.get(row[1], _UNKNOWN), op)
            self._leave(state, op)
        self.states = []

    def _raise(self, op: int, row: list[int]) -> None:
        if not self.raised:
            self._return(op, row)
            return
        for state in self.states:
            self._escape(state, state.regs.get(row[1], _UNKNOWN), op)
        self.raised[-1] += self.states
        self.states = []

    def _leave(self, state: _State, op: int) -> None:
        self.ends.append((state, op))
        if not self.managed:
            self._leaks(state, op)

    def _assert(self, op: int, row: list[int]) -> None:
        self._keep(self._where(self.states, row[1], truth=True))

    # ------------------------------------------------------------------ values

    def _const(self, op: int, row: list[int]) -> None:
        zero = row[1] == Const.INT and row[2] >= 0 and self.names[row[2]] in ("0", "0L", "0x0")
        for state in self.states:
            if row[1] == Const.NONE or zero:
                state.regs[op] = _NULL
            elif row[1] == Const.INT and row[2] >= 0:
                state.regs[op] = ("number", self.names[row[2]])

    def _load(self, op: int, row: list[int]) -> None:
        if self.native and op not in self._read and not self._is_local(row[1]):
            for state in self.states:  # a macro as a statement may end whatever is there
                for held in list(state.env.values()):
                    self._escape(state, held, op)
            return
        known = self._is_local(row[1]) or self.names[row[1]] != "NULL"
        for state in self.states:
            value = state.env.get(row[1])
            if value is None:
                value = ("variable", row[1]) if known and self._is_local(row[1]) else _UNKNOWN
                if self.names[row[1]] == "NULL":
                    value = _NULL
            state.regs[op] = value or (("variable", row[1]) if self._is_local(row[1]) else ())

    @cached_property
    def _read(self) -> frozenset[int]:
        """Registers that something reads."""
        found: set[int] = set()
        for row in self.ops[self.row.first : self.row.last]:
            found |= {row[at + 1] for at in range(3) if VALUE_OPERANDS[at][row[0]]}
            if row[0] in (Op.CALL, Op.NEW, Op.MAKE):
                found |= {item for _, _, item in self.code.ports[row[2] : row[2] + row[3]]}
        return frozenset(found)

    def _is_reference(self, name: int) -> bool:
        """Whether a variable is another name of one."""
        at = self.code.declared(self.scope, name) if self.code.language == "cpp" else -1
        row = self.ops[at] if at >= 0 else [Op.CONST]
        return row[0] == Op.OPERATE and self.names[row[3]] in ("&", "&&")

    def _is_local(self, name: int) -> bool:
        if self.native:
            own = name in self.params or "#" in self.names[name]
            return own and name not in self.shared and not self._is_reference(name)
        return name not in self.shared

    def _getattr(self, op: int, row: list[int]) -> None:
        for state in self.states:
            value = state.regs.get(row[1], _UNKNOWN)
            if not self.methods:
                self._use(state, value, op, f"reads {self.names[row[2]]}")
            if value[:1] == ("thing",) and not self.methods:
                state.regs[op] = ("part", value[1])

    def _getitem(self, op: int, row: list[int]) -> None:
        """An element of what a pointer points at."""
        for state in self.states if self.native else ():
            value = state.regs.get(row[1], _UNKNOWN)
            self._use(state, value, op, "looks into it")
            if value[:1] == ("thing",):
                state.regs[op] = ("part", value[1])

    def _object(self, op: int, row: list[int], word: str) -> None:
        """What operators of C++ do to objects and to pointers at them."""
        if word == "placement":
            self.placed = True
            return
        if word == "new":
            made = self.ops[row[1]][0] == Op.NEW
            known = self.rows.get("new" if made else "new[]")
            for state in self.states if known is not None and not self.placed else ():
                assert known is not None
                self._acquire(state, op, known, ((self.unit, op, known.name),))
            if made and not self._is_alone(row[1]):
                self.lost.add(op)
            self.placed = False
            return
        for state in self.states:
            left = state.regs.get(row[1], _UNKNOWN)
            if word in ("delete", "delete[]"):
                known = self.rows.get(word)
                if known is not None:
                    self._release(state, left, op, known, word)
            elif word in ("*", "->"):
                self._use(state, left, op, "looks into it")
                if left[:1] == ("thing",):
                    state.regs[op] = ("part", left[1])
            elif word == "=" and self.ops[row[1]][0] in (Op.GETITEM, Op.OPERATE, Op.CALL):
                self._escape(state, state.regs.get(row[2], _UNKNOWN), op)
            elif word in ("+", "-") and left[:1] == ("thing",):
                state.regs[op] = left

    def _is_alone(self, made: int) -> bool:
        """Whether what is made gets nothing that may keep it."""
        first, count = self.ops[made][2:4]
        return all(
            self.ops[item][0] == Op.CONST for _, _, item in self.code.ports[first : first + count]
        )

    def _operate(self, op: int, row: list[int]) -> None:
        word = self.names[row[3]]
        if self.code.language == "cpp" and word in OBJECTS and (row[2] >= 0) is (word in "=+-"):
            self._object(op, row, word)
            return
        for state in self.states:
            left = state.regs.get(row[1], _UNKNOWN)
            right = state.regs.get(row[2], _UNKNOWN) if row[2] >= 0 else _UNKNOWN
            if word in ("*", "[]", "*=") and (row[2] < 0 or word != "*"):
                self._use(state, left, op, "looks into it")
                if word == "*=":
                    self._escape(state, right, op)
                elif left[:1] == ("thing",):
                    state.regs[row[1]] = ("part", left[1])  # what goes on is what is in it
            elif word == "&" and row[2] < 0:
                self._escape(state, ("thing", *left[1:]) if left[:1] == ("part",) else left, op)
                loaded = self.ops[row[1]]
                if loaded[0] == Op.LOAD:
                    state.env.pop(loaded[1], None)
                    state.facts.pop(loaded[1], None)
            else:
                state.regs[op] = self._test(word, left, right)
                if word in ("==", "!=") and not state.regs[op]:
                    self._escape(state, left, op)  # it may be something else's, too
                    self._escape(state, right, op)

    @staticmethod
    def _test(word: str, left: Value, right: Value) -> Value:
        """What a comparison, or a word between tests, says."""
        if word in ("!", "not"):
            return ("not", left) if left else _UNKNOWN
        if word in ("&&", "and", "||", "or"):
            return ("and" if word in ("&&", "and") else "or", left, right)
        for one, other in ((left, right), (right, left)):
            plain = one[:1] in (("thing",), ("variable",)) or of_lock(one) is not None
            if plain and other == _NULL and word in ("==", "is"):
                return ("not", one)
            if plain and other == _NULL and word in ("!=", "is not"):
                return one
        lock = of_lock(left) or of_lock(right)
        if lock is not None:
            return ("unsure", lock)
        if left[:1] == ("thing",) and right == _NULL:
            # a number below zero says that there is none
            if word in ("<", "<=", "=="):
                return ("not", left)
            if word in (">", ">=", "!="):
                return left
        return _UNKNOWN

    def _same(self, op: int, row: list[int]) -> None:
        for state in self.states:
            state.regs[op] = state.regs.get(row[1], _UNKNOWN)

    def _either(self, op: int, row: list[int]) -> None:
        for state in self.states:
            one, other = state.regs.get(row[1], _UNKNOWN), state.regs.get(row[2], _UNKNOWN)
            before = self.ops[op - 1]
            part = before[0] == Op.OPERATE and self.names[before[3]] == "*="
            if one == other or part:
                state.regs[op] = one
                continue
            self._escape(state, one, op)
            self._escape(state, other, op)

    def _store(self, op: int, row: list[int]) -> None:
        made = self.ops[row[2]]
        if made[0] == Op.EITHER and self.ops[made[1]][:2] == [Op.LOAD, row[1]]:
            return  # something in it is set
        for state in self.states:
            value = state.regs.get(row[2], _UNKNOWN)
            state.facts.pop(row[1], None)
            forget(state.locks, self.names[row[1]])
            if not self._is_local(row[1]):
                self._escape(state, value, op)
                continue
            if value[:1] in (("thing",), ("null",)) or of_lock(value) is not None:
                state.env[row[1]] = value
            else:
                state.env[row[1]] = _UNKNOWN

    def _set(self, op: int, row: list[int]) -> None:
        for state in self.states:
            self._use(state, state.regs.get(row[1], _UNKNOWN), op, "sets a part of it")
            self._escape(state, state.regs.get(row[3], _UNKNOWN), op)

    def _make(self, op: int, row: list[int]) -> None:
        for state in self.states:
            for _, _, item in self.code.ports[row[2] : row[2] + row[3]]:
                self._escape(state, state.regs.get(item, _UNKNOWN), op)

    def _given(self, op: int, row: list[int]) -> None:
        for state in self.states:
            self._escape(state, state.regs.get(row[1], _UNKNOWN), op)

    # ------------------------------------------------------------------ calls

    def _call(self, op: int, row: list[int]) -> None:
        ports = self.code.ports[row[2] : row[2] + row[3]]
        plain = [item for kind, _, item in ports if kind == Port.POSITIONAL]
        name = self._callee(row[1])
        target = self._target(op)
        resource = self.rows.get(name)
        lock = None if target is not None else self._lock_row(row[1], name)
        if lock is not None:
            self._lock(op, row[1], lock, plain)
            return
        self._disturb(target, ports)
        if target is not None and (self.known.get(target) is not None or resource is None):
            shifted = self.code.language == "python" and self.program.is_method(target)
            effects = None if shifted else self.known.get(target)
            self._local(op, effects, [item for _, _, item in ports], plain)
            return
        if resource is None and self.ops[row[1]][0] == Op.GETATTR:
            resource = self._method(op, row[1], ports)
        if name == "assert" and plain:
            self._keep(self._where(self.states, plain[0], truth=True))
        elif resource is None:
            for state in self.states:
                for _, _, item in ports:
                    self._escape(state, state.regs.get(item, _UNKNOWN), op)
        elif resource.does == "ends":
            self.states = []
        else:
            self._known(op, resource, [item for _, _, item in ports], plain)

    def _lock_row(self, callee: int, name: str) -> ResourceRow | None:
        """The row of a function, or of a method of anything, that takes a lock or gives it back."""
        found = self.rows.get(name)
        if found is None and self.ops[callee][0] == Op.GETATTR:
            found = self.rows.get(f"*.{self.names[self.ops[callee][2]]}")
        return found if found is not None and found.does in LOCKING else None

    def _lock(self, op: int, callee: int, row: ResourceRow, plain: list[int]) -> None:
        method = row.name.startswith("*.")
        at = self.ops[callee][1] if method else plain[row.port] if len(plain) > row.port else -1
        lock = lock_of(self.code, at)
        if lock is None:
            return
        self.touched.add(lock)
        for state in self.states:
            held = state.locks.get(lock, FREE)
            if row.does == "lock":
                step = (self.unit, op, row.name.removeprefix("*."))
                state.locks[lock] = Held(held.times + 1, (step,), row)
                if row.fails:
                    word = "got" if row.gives == 1 else "not got"
                    state.regs[op] = (word, lock)
                continue
            self.unlocked.add(lock)
            if held is FREE:
                continue
            step = (self.unit, op, f"released by {row.name.removeprefix('*.')}")
            if held.times:
                state.locks[lock] = Held(held.times - 1, (*held.steps, step), held.row)
                continue
            steps = (
                *held.steps,
                (self.unit, op, f"released again by {row.name.removeprefix('*.')}"),
            )
            self._fault("double release", row, op, steps)

    def _disturb(self, target: Place | None, ports: list[list[int]]) -> None:
        """What is called may take locks that it gets or that it knows, and give them back."""
        known = self.known.get(target) if target is not None else None
        locks: set[Lock] = set(known.locks) if known is not None else set()
        locks |= {lock for _, _, item in ports if (lock := lock_of(self.code, item)) is not None}
        self.touched |= known.locks if known is not None else frozenset()
        for state in self.states if locks else ():
            for lock in locks & state.locks.keys():
                del state.locks[lock]

    def _callee(self, op: int) -> str:
        words: list[str] = []
        row = self.ops[op]
        while row[0] == Op.GETATTR:
            words.append(self.names[row[2]])
            row = self.ops[row[1]]
        if row[0] != Op.LOAD:
            return ""
        words.append(self.names[row[1]].partition("#")[0])
        return ".".join(reversed(words))

    def _target(self, op: int) -> Place | None:
        site = (self.unit, self.code.site(op))
        found = [(t.unit, t.scope) for t in self.program.calls.get(site, ())]
        real = [each for each in found if not self.program.scope(each).flags & ABSTRACT]
        return real[0] if len(real) == 1 else None

    def _method(self, op: int, callee: int, ports: list[list[int]]) -> ResourceRow | None:
        """A method of what is held: what ends it, or a use."""
        name = self.names[self.ops[callee][2]]
        holder = self.ops[callee][1]
        found: ResourceRow | None = None
        for state in self.states:
            value = state.regs.get(holder, _UNKNOWN)
            thing = self._thing(state, value)
            if thing is None:
                continue
            if thing.row is None:
                self._asked(state, value[1], thing, op, name)
                continue
            if name in thing.row.ends:
                self._release(state, value, op, thing.row, name)
            else:
                self._use(state, value, op, f"calls {name}")
                state.regs[op] = ("part", value[1])
            found = ResourceRow(name=name, does="borrow")
        return found

    def _asked(self, state: _State, site: int, thing: _Thing, op: int, name: str) -> None:
        """A method of what a caller handed in: its kind is known there."""
        if thing.status != LIVE:
            return
        if name in self.methods:
            step = (self.unit, op, f"released by {name}")
            state.things[site] = thing._replace(status=RELEASED, steps=(step,), checked=True)
        else:
            self.uses.add(~site)

    def _known(self, op: int, row: ResourceRow, given: list[int], plain: list[int]) -> None:
        for state in self.states:
            values = [state.regs.get(item, _UNKNOWN) for item in given]
            if row.does in ("release", "renew") and len(plain) > row.port:
                value = state.regs.get(plain[row.port], _UNKNOWN)
                self._release(state, value, op, row, row.name)
                thing = self._thing(state, value) if row.does == "renew" else None
                if thing is not None:  # where there is none to be had, the old one is still there
                    state.things[value[1]] = thing._replace(status=GONE)
            elif row.does == "borrow":
                for value in values:
                    self._use(state, value, op, f"handed to {row.name}")
                if 0 <= row.gives < len(values):
                    state.regs[op] = values[row.gives]
            if row.does in ("acquire", "renew"):
                for value in values if row.does == "acquire" else ():
                    self._escape(state, value, op)
                self._acquire(state, op, row, ((self.unit, op, row.name),))

    def _acquire(
        self, state: _State, op: int, row: ResourceRow, steps: tuple[tuple[int, int, str], ...]
    ) -> None:
        for name, value in list(state.env.items()):
            if value == ("thing", op):
                state.env[name] = _UNKNOWN  # that of the round before
        state.things[op] = _Thing(LIVE, row, steps, not row.fails)
        state.regs[op] = ("thing", op)

    def _local(self, op: int, effects: Effects | None, given: list[int], plain: list[int]) -> None:
        if effects is not None and effects.ends:
            self.states = []
            return
        for state in self.states:
            for number, item in enumerate(given):
                value = state.regs.get(item, _UNKNOWN)
                if effects is None or number in effects.keeps or item not in plain:
                    self._escape(state, value, op)
                    continue
                if number in effects.uses and number not in effects.releases:
                    self._use(state, value, op, "used in what is called")
                if number in effects.releases:
                    row = self._row_of(state, value)
                    self._release(state, value, op, row, "what is called")
            if effects is not None and effects.fresh is not None:
                self._acquire(state, op, effects.fresh, ((self.unit, op, "gives a fresh one"),))

    def _row_of(self, state: _State, value: Value) -> ResourceRow:
        thing = self._thing(state, value)
        if thing is not None and thing.row is not None:
            return thing.row
        return ResourceRow(name="what is called", does="release")

    # ------------------------------------------------------------------ what becomes of things

    @staticmethod
    def _thing(state: _State, value: Value) -> _Thing | None:
        if value[:1] != ("thing",):
            return None
        return state.things.get(value[1])

    def _use(self, state: _State, value: Value, op: int, note: str) -> None:
        thing = self._thing(state, value)
        if thing is None:
            return
        site: int = value[1]
        if thing.status == RELEASED and thing.row is not None:
            self._fault("use after release", thing.row, op, (*thing.steps, (self.unit, op, note)))
        elif thing.status == LIVE:
            state.things[site] = thing._replace(checked=True)
            if site < 0:
                self.uses.add(~site)

    def _release(self, state: _State, value: Value, op: int, row: ResourceRow, note: str) -> None:
        thing = self._thing(state, value)
        if thing is None:
            return
        site: int = value[1]
        odd = thing.row is not None and thing.row.by and row.does == "release"
        if thing.status == LIVE and thing.row is not None and odd and row.name not in thing.row.by:
            steps = (*thing.steps, (self.unit, op, f"released by {note}"))
            self._fault("mismatched release", thing.row, op, steps)
        step = (self.unit, op, f"released by {note}")
        if thing.status == RELEASED:
            if thing.row is not None and not thing.row.again:
                steps = (*thing.steps, (self.unit, op, f"released again by {note}"))
                self._fault("double release", thing.row, op, steps)
            return
        if _is_null(thing):
            return
        state.things[site] = thing._replace(
            status=RELEASED, row=thing.row or row, steps=(*thing.steps, step), checked=True
        )

    def _escape(self, state: _State, value: Value, op: int) -> None:
        """Somebody else may end it from here on; what it gave may hold it, too."""
        lock = of_lock(value)
        if lock is not None:  # they know whether it was taken
            state.locks.pop(lock, None)
            return
        if self.methods and value[:1] == ("part",):
            value = ("thing", value[1])
        thing = self._thing(state, value)
        if thing is None:
            return
        called = self.ops[op][0] in (Op.CALL, Op.NEW)
        if thing.status == RELEASED and called and self.native and thing.row is not None:
            steps = (*thing.steps, (self.unit, op, "handed to what is not known"))
            fault = Fault("use after release", self.unit, thing.row, steps, unsure=True)
            self.faults.setdefault(("use after release", op), fault)
        if thing.status == LIVE or (thing.status == RELEASED and called):
            state.things[value[1]] = thing._replace(status=GONE)

    def _leaks(self, state: _State, op: int) -> None:
        last = op if op >= 0 else max(self.row.last - 1, self.row.first)
        for lock, taken in state.locks.items():
            if taken.times and taken.row is not None:
                steps = (*taken.steps, (self.unit, last, "left without a release"))
                fault = Fault("leak", self.unit, taken.row, steps)
                self.kept_locks.setdefault((lock, taken.steps[0][1]), fault)
        if self.names[self.row.name] == "main":
            return
        held = {value[1] for value in state.env.values() if value[:1] == ("thing",)}
        for site, thing in state.things.items():
            if site < 0 or thing.status != LIVE or thing.row is None or site not in held:
                continue
            if not thing.checked or site in self.lost:  # there may be none, or others may hold it
                continue
            steps = (*thing.steps, (self.unit, last, "left without a release"))
            self._fault("leak", thing.row, site, steps)

    def _fault(
        self, kind: str, row: ResourceRow, op: int, steps: tuple[tuple[int, int, str], ...]
    ) -> None:
        self.faults.setdefault((kind, op), Fault(kind, self.unit, row, steps))

    handlers: ClassVar[Mapping[int, Callable[..., None]]] = {
        Op.CONST: _const,
        Op.LOAD: _load,
        Op.GETATTR: _getattr,
        Op.GETITEM: _getitem,
        Op.OPERATE: _operate,
        Op.NARROW: _same,
        Op.AWAIT: _same,
        Op.ENTER: _given,
        Op.EITHER: _either,
        Op.STORE: _store,
        Op.SETATTR: _set,
        Op.SETITEM: _set,
        Op.MAKE: _make,
        Op.YIELD: _given,
        Op.CALL: _call,
        Op.NEW: _call,
        Op.RETURN: _return,
        Op.RAISE: _raise,
        Op.BREAK: _break,
        Op.CONTINUE: _continue,
        Op.JUMP: _jump,
        Op.LABEL: _label,
        Op.ASSERT: _assert,
    }


def _is_null(thing: _Thing) -> bool:
    """Whether a test has shown that there is none."""
    return thing.steps == ((-1, -1, "null"),)

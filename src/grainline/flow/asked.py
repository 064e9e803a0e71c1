"""What somebody asks about in place of models: places whose values are sources, or sinks.

A sink that is asked about has a kind of its own behind those of rows, so nothing makes data
harmless for it: the question is whether data gets there. Where data of a source is lost sight of is
a hit of one more kind; so summaries carry it to whatever calls them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from grainline.flow.rows import KINDS
from grainline.flow.summaries import Hit
from grainline.flow.values import NOTHING, Class, Object, Origin, Source, Taint, Trail, Value
from grainline.model.flow import Cut, FlowQuestion, Region, Role
from grainline.model.ir import Op, Param

if TYPE_CHECKING:
    from grainline.flow.machine import Handler, Run
    from grainline.flow.program import Code, Program
    from grainline.flow.solver import Solver

ASKED: Final = len(KINDS)
"""The kind of a sink that was asked about."""

LOST: Final = len(KINDS) + 1
"""The kind of a place behind which data is not followed."""

ROW: Final = "asked"
"""The row of what was asked about."""

_NO_OPS: Final[frozenset[int]] = frozenset()
_STORED: Final = {Op.STORE: 2, Op.SETATTR: 3, Op.SETITEM: 3, Op.RETURN: 1, Op.YIELD: 1, Op.RAISE: 1}
"""Operations that set something -> the operand that is set."""


class _Ends(NamedTuple):
    """The operations and parameters of one file that a question means."""

    ops: frozenset[int]
    params: frozenset[tuple[int, str]]
    """(scope, name)."""


_NO_ENDS: Final = _Ends(_NO_OPS, frozenset())


class Asked:
    """A question over a program."""

    def __init__(self, program: Program, question: FlowQuestion) -> None:
        self.question = question
        self._sources = _ends(program, question.sources, _source_ops)
        self._sinks = _ends(program, question.sinks, _sink_ops)
        self._took: set[tuple[int, int]] = set()
        """Calls that gave one element of what they were called on, as they were made last."""

    def absent(self) -> tuple[str, ...]:
        """The ends at which nothing is evaluated."""
        ends = (("sources", self.question.sources, self._sources),
                ("sinks", self.question.sinks, self._sinks))  # fmt: skip
        return tuple(name for name, asked, found in ends
                     if asked and not any(map(any, found.values())))  # fmt: skip

    def watched(self, unit: int) -> frozenset[int]:
        """The operations of a file that something happens at."""
        return self._sources.get(unit, _NO_ENDS).ops | self._sinks.get(unit, _NO_ENDS).ops

    # ------------------------------------------------------------------ while a function is run

    def around(self, run: Run, op: int, handler: Handler) -> None:
        """Do a watched operation; data gets to a sink before it comes from a source."""
        assert run.state is not None
        row = run.ops[op]
        sink = op in self._sinks.get(run.unit, _NO_ENDS).ops
        whole: Mapping[Origin, Taint] = {}
        if sink:
            for value in _handed(run, row):
                text = run.semantics.handed(run, op, value) if row[0] == Op.CALL else value
                if run.is_over():
                    return
                self._reach(run, op, text)
            whole = run.state.deep(_called_on(run, row))
        self._took.discard((run.unit, op))
        handler(run, op, row)
        took = (run.unit, op) in self._took
        if not took:
            self._hit(run, op, whole)
        if run.is_over() or row[0] >= Op.STORE:
            return
        if sink and (took or row[0] not in (Op.CALL, Op.NEW)):
            self._reach(run, op, run.value(op))
        if op in self._sources.get(run.unit, _NO_ENDS).ops and not self._is_asked(run, op):
            run.regs[op] = run.sourced(op, run.value(op), ROW, "asked about")

    @staticmethod
    def _is_asked(run: Run, op: int) -> bool:
        """Whether a value comes from a source that was asked about already."""
        names = run.solver.row_names
        return any(isinstance(origin, Source) and names[origin.row][1] == ROW
                   for origin in run.value(op).taints)  # fmt: skip

    def parameter(self, run: Run, name: str, value: Value) -> Value:
        """A parameter as its function sees it."""
        place = (run.scope, name)
        op = run.solver.modelled.definition((run.unit, run.scope))
        if place in self._sinks.get(run.unit, _NO_ENDS).params:
            self._reach(run, op, value, f"parameter {name}")
        if place not in self._sources.get(run.unit, _NO_ENDS).params:
            return value
        return run.sourced(op, value, ROW, f"parameter {name}")

    def _reach(self, run: Run, op: int, value: Value, note: str = "asked about") -> None:
        assert run.state is not None
        self._hit(run, op, run.state.deep(value), note)

    def _hit(
        self, run: Run, op: int, taints: Mapping[Origin, Taint], note: str = "asked about"
    ) -> None:
        for origin, taint in taints.items():
            trail = Trail(run.unit, op, Role.SINK, note, taint.trail)
            hit = Hit(origin, run.unit, op, ROW, ASKED, False)
            run.solver.hit(run, hit, Taint(taint.clean, trail, taint.assumed))

    def lose(self, run: Run, op: int, value: Value, why: Cut) -> None:
        """Data goes where it is not followed."""
        assert run.state is not None
        for origin, taint in run.state.deep(value).items():
            trail = Trail(run.unit, op, Role.PROPAGATOR, "", taint.trail)
            hit = Hit(origin, run.unit, op, why.value, LOST, False)
            run.solver.hit(run, hit, Taint(taint.clean, trail, taint.assumed))

    def took(self, run: Run, op: int) -> None:
        """A call gives the element under a known key: it is about that, not about all of the thing."""
        self._took.add((run.unit, op))

    def put(self, run: Run, op: int, holder: Value, content: Value) -> None:
        """Data is put into a thing: what is in those outside is not followed."""
        if any(isinstance(ref, (Object, Class)) for ref in holder.refs):
            return
        name = next(iter(holder.names()), "something")
        run.solver.cut(run.unit, op, Cut.EXTERNAL, f"what is put into {name}")
        self.lose(run, op, content, Cut.EXTERNAL)

    # ------------------------------------------------------------------ what counts

    def counts(self, solver: Solver, source: Source, kind: int) -> bool:
        """Whether a hit is an answer, or says where the search ended (kind `LOST`)."""
        mine = solver.row_names[source.row][1] == ROW
        if bool(self.question.sources) is not mine:
            return False
        return kind == LOST or (kind == ASKED) is bool(self.question.sinks)


def _handed(run: Run, row: list[int]) -> Iterator[Value]:
    """What an operation gets: arguments of a call, else what is set."""
    if row[0] in (Op.CALL, Op.NEW):
        for _, _, item in run.code.ports[row[2] : row[2] + row[3]]:
            yield run.value(item)
    elif row[0] in _STORED:
        yield run.value(row[_STORED[Op(row[0])]])


def _called_on(run: Run, row: list[int]) -> Value:
    """What a method is called on."""
    if row[0] in (Op.CALL, Op.NEW) and run.ops[row[1]][0] == Op.GETATTR:
        return run.value(run.ops[row[1]][1])
    return NOTHING


# ---------------------------------------------------------------------------- places -> operations


Choice = Callable[["Code", list[int]], frozenset[int]]


def _ends(program: Program, regions: tuple[Region, ...], choose: Choice) -> dict[int, _Ends]:
    found: dict[int, _Ends] = {}
    for region in regions:
        unit = program.numbers.get(region.path)
        if unit is None:
            continue
        code = program.codes[unit]
        ops = choose(code, _inside(code, region))
        known = found.get(unit, _NO_ENDS)
        found[unit] = _Ends(known.ops | ops, known.params | _params_inside(code, region))
    return found


def _inside(code: Code, region: Region) -> list[int]:
    """Operations that begin in a region, or whose name stands there."""
    start, end = region.span
    return [op for op, row in enumerate(code.ops)
            if start <= row[4] < end or (row[0] in (Op.CALL, Op.NEW)
                                         and start <= code.site(op).start < end)]  # fmt: skip


def _params_inside(code: Code, region: Region) -> frozenset[tuple[int, str]]:
    start, end = region.span
    return frozenset(
        (scope, code.names[name])
        for scope, row in enumerate(code.scopes)
        for kind, name, _, _, at in code.params[row.params : row.params_end]
        if start <= at < end and kind not in (Param.RECEIVER, Param.TYPE)
    )


def _callees(code: Code, ops: list[int]) -> set[int]:
    """What names the functions that are called: it is not data."""
    found: set[int] = set()
    for op in ops:
        if code.ops[op][0] in (Op.CALL, Op.NEW, Op.DECORATE):
            at = code.ops[op][1]
            found.add(at)
            while code.ops[at][0] == Op.GETATTR:
                at = code.ops[at][1]
                found.add(at)
    return found


_PARTS: Final = frozenset((Op.GETATTR, Op.GETITEM, Op.SETATTR, Op.SETITEM))
"""Operations on a part of something: what they are about is that part."""

_NO_DATA: Final = frozenset((Op.FUNCTION, Op.CLASS, Op.IMPORT, Op.SLICE))


def _source_ops(code: Code, ops: list[int]) -> frozenset[int]:
    """What brings data in; constants only where there is nothing else."""
    names = _callees(code, ops)
    names.update(code.ops[op][1] for op in ops if code.ops[op][0] in _PARTS)
    values = [op for op in ops
              if code.ops[op][0] < Op.STORE and code.ops[op][0] not in _NO_DATA
              and op not in names]  # fmt: skip
    varying = [op for op in values if code.ops[op][0] != Op.CONST]
    return frozenset(varying or values)


def _sink_ops(code: Code, ops: list[int]) -> frozenset[int]:
    """What data gets to: calls, what is set, and values that no call there takes."""
    taken = _callees(code, ops)
    for op in ops:
        row = code.ops[op]
        if row[0] in (Op.CALL, Op.NEW):
            taken.update(item for _, _, item in code.ports[row[2] : row[2] + row[3]])
        elif row[0] in _STORED:
            taken.add(row[_STORED[Op(row[0])]])
        if row[0] in _PARTS:
            taken.add(row[1])
    return frozenset(
        op for op in ops
        if code.ops[op][0] in (Op.CALL, Op.NEW) or code.ops[op][0] in _STORED
        or (op not in taken and code.ops[op][0] < Op.STORE and code.ops[op][0] not in _NO_DATA
            and code.ops[op][0] != Op.CONST)
    )  # fmt: skip

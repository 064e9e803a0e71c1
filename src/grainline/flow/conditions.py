"""Conditions on data that a way passes: tests that decide whether a step is reached.

They come from the structure of the code alone and are found for ways that are told, never while the
solver works: a test of what a step uses that stands between that step and the one before it, and
without which nobody gets there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from grainline.flow.values import Trail
from grainline.model.flow import Role
from grainline.model.ir import Op

if TYPE_CHECKING:
    from grainline.flow.program import Arm, Code, Program

Reads: TypeAlias = frozenset[tuple[int, ...]]
"""Variables by the numbers of their names, with the first member that is read of each."""

OPERANDS: Final[dict[int, tuple[int, ...]]] = {
    Op.GETITEM: (1, 2), Op.OPERATE: (1, 2), Op.EITHER: (1, 2), Op.ITER: (1,), Op.ENTER: (1,),
    Op.AWAIT: (1,), Op.YIELD: (1,), Op.ELEMENT: (1,), Op.REST: (1,), Op.NARROW: (1,),
    Op.STORE: (2,), Op.SETATTR: (3,), Op.SETITEM: (3,), Op.RETURN: (1,), Op.RAISE: (1,),
}  # fmt: skip
"""Columns of operations that are operands; calls, displays and members have code of their own."""

_LEAVES: Final = frozenset((Op.RETURN, Op.RAISE, Op.BREAK, Op.CONTINUE))
_CALLS: Final = frozenset((Op.CALL, Op.NEW))


class _Test(NamedTuple):
    """Operations `[first, last)` are reached only after `op` was evaluated, one way or the other."""

    op: int
    first: int
    last: int
    reads: Reads


class Conditions:
    """Conditions of the functions of a program, each looked at once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._tests: dict[tuple[int, int], tuple[_Test, ...]] = {}

    def along(self, steps: Iterable[Trail]) -> Iterator[Trail]:
        """The steps of a way, and before each the conditions on its data that lead to it."""
        reached: dict[tuple[int, int], int] = {}
        for step in steps:
            here = (step.unit, self._scope(step))
            if reached and step.role is not Role.RETURN:
                for op in self._passed(here, reached.get(here, -1), step.op):
                    yield Trail(step.unit, op, Role.TEST, "tested")
            yield step
            reached[here] = max(reached.get(here, -1), step.op)

    def _passed(self, place: tuple[int, int], after: int, op: int) -> list[int]:
        code = self._program.codes[place[0]]
        tests = [each for each in self._of(place)
                 if after < each.op < op and each.first <= op < each.last]  # fmt: skip
        if not tests:
            return []
        used = _reads(code, op)
        return sorted({each.op for each in tests if _meet(each.reads, used)})

    def _scope(self, step: Trail) -> int:
        code = self._program.codes[step.unit]
        for number, row in enumerate(code.scopes):
            if row.first <= step.op < row.last:
                return number
        return 0

    def _of(self, place: tuple[int, int]) -> tuple[_Test, ...]:
        found = self._tests.get(place)
        if found is None:
            code = self._program.codes[place[0]]
            row = code.scopes[place[1]]
            found = tuple(_Test(op, first, last, _reads(code, op))
                          for op, first, last in _tests(code, row.first, row.last))  # fmt: skip
            self._tests[place] = found
        return found


def _tests(code: Code, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """(condition, first, last) of what is reached only through it, in operations `[start, end)`."""
    waiting = [(start, end)]
    while waiting:
        op, last = waiting.pop()
        while op < last:
            kind = code.ops[op][0]
            if kind == Op.LOOP:
                waiting.append((op + 1, code.ops[op][1]))
            elif kind == Op.BRANCH:
                arms = code.arms.get(op, [])
                waiting += [(arm.first, arm.last) for arm in arms]
                yield from _decided(code, arms, (code.ops[op][1] + 1, last))
            op = code.ops[op][1] + 1 if kind in (Op.LOOP, Op.BRANCH) else op + 1


def _decided(
    code: Code, arms: Sequence[Arm], rest: tuple[int, int]
) -> Iterator[tuple[int, int, int]]:
    """What the conditions of a branch decide: its arms, and what follows where one of them leaves."""
    asked: list[int] = []
    for arm in arms:
        condition = code.ops[arm.op][2]
        asked += [condition] if condition >= 0 else []
        for each in asked:
            yield each, arm.first, arm.last
            if arm.last > arm.first and code.ops[arm.last - 1][0] in _LEAVES:
                yield each, *rest


def _reads(code: Code, op: int) -> Reads:
    """Variables that the expression of an operation reads."""
    found: set[tuple[int, ...]] = set()
    waiting = [op]
    while waiting:
        at = waiting.pop()
        if at < 0:
            continue
        row = code.ops[at]
        if row[0] == Op.LOAD:
            found.add((row[1],))
        elif row[0] == Op.GETATTR:
            holder = code.ops[row[1]]
            if holder[0] == Op.LOAD:
                found.add((holder[1], row[2]))
            else:
                waiting.append(row[1])
        elif row[0] in _CALLS or row[0] == Op.MAKE:
            callee = code.ops[row[1]] if row[0] in _CALLS else row
            waiting += [callee[1]] if callee[0] == Op.GETATTR else []
            waiting += [value for _, _, value in code.ports[row[2] : row[2] + row[3]]]
        else:
            waiting += [row[column] for column in OPERANDS.get(row[0], ())]
    return frozenset(found)


def _meet(one: Reads, other: Reads) -> bool:
    """Whether two expressions read the same variable: as a whole, or the same member of it."""
    return any(
        mine[: len(theirs)] == theirs[: len(mine)] for mine in one for theirs in other
    )  # fmt: skip

"""Sides of operators that are not always run: of `a or b`, `a && b`, `a ?? b`, `a ? b : c`.

What leaves inside such a side (`a or exit()`, `a ?? throw b`) leaves by one way only: what stands
behind the operator goes on with the other. They come from the operands and the source alone.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from grainline.model.ir import Op, Scope

_OR: Final = frozenset(("||", "or"))
_AND: Final = frozenset(("&&", "and"))
_BY_TRUTH: Final = frozenset(("ruby",))
"""Languages where what has two values and no test is `a || b`; in others it asks for null."""


class Side(NamedTuple):
    """One side: its last operation, and the operation of the whole.

    It is run where `test` is `truth`; None: that is not known. `second`: of two sides, one of which
    is run.
    """

    op: int
    last: int
    test: int = -1
    truth: bool | None = None
    second: bool = False


def sides_of(
    ops: list[list[int]], names: tuple[str, ...], scopes: list[Scope], language: str
) -> dict[int, Side]:
    """The innermost side around each operation that stands in one."""
    found: dict[int, Side] = {}
    for scope in scopes:
        for op in range(scope.first, scope.last):
            code, a, b, c = ops[op][:4]
            if code == Op.EITHER:
                _either(ops, found, scope.first, op, by_truth=language in _BY_TRUTH)
            elif code == Op.OPERATE and 0 <= a < b and c >= 0:
                word = names[c]
                if word in _OR or word in _AND:
                    _add(ops, found, a, Side(op, b, a, word in _AND))
    return found


def _either(
    ops: list[list[int]], found: dict[int, Side], first: int, op: int, *, by_truth: bool
) -> None:
    a, b, test = ops[op][1:4]
    if test < 0 <= a < b:
        _add(ops, found, a, Side(op, b, a, truth=False) if by_truth else Side(op, b, second=True))
        if not by_truth:  # it may be a choice whose test is not said
            at = a
            while at >= first and at not in found and _within(ops, at, op):
                found[at] = Side(op, a)
                at -= 1
    elif a == test < b:
        _add(ops, found, a, Side(op, b, a, truth=False))
    elif b == test < a:
        _add(ops, found, b, Side(op, a, b, truth=True))
    elif test < a < b:
        _add(ops, found, test, Side(op, a, test, truth=True))
        _add(ops, found, a, Side(op, b, test, truth=False, second=True))


def _add(ops: list[list[int]], found: dict[int, Side], after: int, side: Side) -> None:
    for at in range(after + 1, side.last + 1):
        if _within(ops, at, side.op):
            found.setdefault(at, side)


def _within(ops: list[list[int]], op: int, whole: int) -> bool:
    return ops[whole][4] <= ops[op][4] and ops[op][5] <= ops[whole][5]

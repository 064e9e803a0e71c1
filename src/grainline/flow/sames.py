"""Expressions of a function that give the same data again: the same names, none of them set in between.

What an operation takes from data is data of its own (`values.piece`), named by that operation. A second
one that is written like the first, of the same variables, takes the same: then it has its name, and a
test of the one is one of the other (`if d[k] in KNOWN: run(d[k])`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from grainline.flow.values import Object, Value, is_taken_at, same
from grainline.model.ir import Op

if TYPE_CHECKING:
    from grainline.flow.machine import Run

MAX_DEPTH: Final = 6
"""Operations inside of each other of an expression that is compared."""

Spelled: TypeAlias = "tuple[int | Spelled, ...]"
"""An expression as it is written: codes of operations, numbers of names."""


class _First(NamedTuple):
    """The first operation that an expression stands at, its variables, what they held."""

    op: int
    names: frozenset[int]
    held: tuple[Value, ...]


class Sames:
    """Those of one run, which asks: they do not lead back to it, so it goes when nobody needs it."""

    __slots__ = ("_known", "_names")

    def __init__(self) -> None:
        self._known: dict[Spelled, _First] = {}
        self._names: set[int] = set()
        """Variables of all that is known."""

    def first(self, run: Run, op: int) -> int:
        """The operation that took the same before, `op` where none did."""
        names: set[int] = set()
        spelled = _spelled(run, op, names, MAX_DEPTH)
        if spelled is None or not names:
            return op
        held = tuple(run.value(at) for at in _operands(run, op))
        known = self._known.get(spelled)
        if known is not None and all(map(same, known.held, held)):
            return known.op
        self._known[spelled] = _First(op, frozenset(names), held)
        self._names |= names
        return op

    def bound(self, run: Run, name: int) -> None:
        """A variable is set: what was taken by it is not taken again."""
        if name in self._names:
            self._forget(run, [key for key, each in self._known.items() if name in each.names])

    def changed(self, run: Run, holder: Value) -> None:
        """Something is put into a thing: what was taken from it may be another one."""
        if self._known:
            self._forget(run, [key for key, each in self._known.items()
                          if any(_meet(holder, value) for value in each.held)])  # fmt: skip

    def _forget(self, run: Run, keys: list[Spelled]) -> None:
        for key in keys:
            op = self._known.pop(key).op
            valid = run.state.valid if run.state is not None else {}
            for origin in [each for each in valid if is_taken_at(each, run.unit, op)]:
                del valid[origin]


def _operands(run: Run, op: int) -> Iterator[int]:
    code, a, b, c = run.ops[op][:4]
    if code in (Op.CALL, Op.NEW):
        yield run.ops[a][1] if run.ops[a][0] == Op.GETATTR else a
        yield from (item for _, _, item in run.code.ports[b : b + c])
    else:
        yield a
        yield b


def _spelled(run: Run, op: int, names: set[int], depth: int) -> Spelled | None:
    """How an expression is written, None where what it gives may be another one each time."""
    if op < 0:
        return ()
    if not depth:
        return None
    code, a, b, c = run.ops[op][:4]
    inner: list[int] = []
    rest: tuple[int, ...] = ()
    if code == Op.LOAD:
        names.add(a)
        return (code, a)
    if code == Op.CONST:
        return (code, a, b) if b >= 0 else None
    if code == Op.GETATTR:
        inner, rest = [a], (b,)
    elif code == Op.GETITEM:
        inner = [a, b]
    elif code == Op.SLICE:
        inner = [a, b, c]
    elif code == Op.OPERATE:
        inner, rest = [a, b], (c,)
    elif code == Op.CALL and depth == MAX_DEPTH:
        ports = run.code.ports[b : b + c]
        inner, rest = [a, *(item for _, _, item in ports)], tuple(kind for kind, _, _ in ports)
    else:
        return None
    found: list[int | Spelled] = [code, *rest]
    for each in inner:
        part = _spelled(run, each, names, depth - 1)
        if part is None:
            return None
        found.append(part)
    return tuple(found)


def _meet(holder: Value, value: Value) -> bool:
    """Whether two values may be, or come from, one thing."""
    mine = {ref for ref in holder.refs if isinstance(ref, Object)}
    return not mine.isdisjoint(value.refs) or not holder.taints.keys().isdisjoint(value.taints)

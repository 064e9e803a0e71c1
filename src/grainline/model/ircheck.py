"""Whether the numbers of a `FileIr` refer to what is there: it may come from a hostile worker."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from grainline.model.ir import (
    MAX_FLAGS,
    Arm,
    Branch,
    Const,
    FileIr,
    Make,
    Op,
    Param,
    Port,
    ScopeKind,
)


class IrError(ValueError):
    """Bytes that are no IR of this version."""


_Operand: TypeAlias = "str | type[Const] | type[Make] | type[Branch] | type[Arm]"

# what an operand may be: (below which number, from which)
_NAME, _VALUE, _MAYBE, _SCOPE, _ANY, _END, _PORTS = "name", "value", "maybe", "scope", "any", "end", "ports"  # fmt: skip
_OPERANDS: dict[Op, tuple[_Operand, _Operand, _Operand]] = {
    Op.CONST: (Const, "optional", _ANY),
    Op.LOAD: (_NAME, _ANY, _ANY),
    Op.GETATTR: (_VALUE, _NAME, _ANY),
    Op.GETITEM: (_VALUE, _VALUE, _ANY),
    Op.CALL: (_VALUE, _PORTS, _PORTS),
    Op.MAKE: (Make, _PORTS, _PORTS),
    Op.FUNCTION: (_SCOPE, _ANY, _ANY),
    Op.CLASS: (_SCOPE, _PORTS, _PORTS),
    Op.DECORATE: (_VALUE, _VALUE, _ANY),
    Op.OPERATE: (_VALUE, _MAYBE, _NAME),
    Op.EITHER: (_VALUE, _VALUE, _MAYBE),
    Op.ITER: (_VALUE, _ANY, _ANY),
    Op.ENTER: (_VALUE, _ANY, _ANY),
    Op.AWAIT: (_VALUE, _ANY, _ANY),
    Op.YIELD: (_MAYBE, _ANY, _ANY),
    Op.ELEMENT: (_VALUE, _ANY, _ANY),
    Op.REST: (_VALUE, _ANY, _ANY),
    Op.NARROW: (_MAYBE, _VALUE, _ANY),
    Op.SLICE: (_MAYBE, _MAYBE, _MAYBE),
    Op.IMPORT: (_NAME, "optional", _ANY),
    Op.NEW: (_VALUE, _PORTS, _PORTS),
    Op.STORE: (_NAME, _VALUE, _ANY),
    Op.SETATTR: (_VALUE, _NAME, _VALUE),
    Op.SETITEM: (_VALUE, _VALUE, _VALUE),
    Op.DELETE: (_NAME, _ANY, _ANY),
    Op.ANNOTATE: (_NAME, _VALUE, _MAYBE),
    Op.GLOBAL: (_NAME, _ANY, _ANY),
    Op.NONLOCAL: (_NAME, _ANY, _ANY),
    Op.RETURN: (_MAYBE, _ANY, _ANY),
    Op.RAISE: (_MAYBE, _MAYBE, _ANY),
    Op.ASSERT: (_VALUE, _ANY, _ANY),
    Op.BRANCH: (_END, Branch, _ANY),
    Op.ARM: (Arm, _MAYBE, _ANY),
    Op.LOOP: (_END, _MAYBE, _ANY),
    Op.END: (_ANY, _ANY, _ANY),
    Op.ATTACH: (_VALUE, _NAME, _VALUE),
    Op.EXPORT: (_NAME, _VALUE, _ANY),
    Op.PACKAGE: (_NAME, _ANY, _ANY),
    Op.JUMP: (_NAME, _ANY, _ANY),
    Op.LABEL: (_NAME, _ANY, _ANY),
    Op.LOST: ("optional", _ANY, _ANY),
}
_LAST_VALUE = Op.NEW
_NONE = (_ANY, _ANY, _ANY)
_KINDS: list[_Operand] = sorted(
    {kind for kinds in _OPERANDS.values() for kind in kinds} | {_ANY}, key=str
)
_KIND_NUMBERS = tuple(
    np.array([_KINDS.index(_OPERANDS.get(code, _NONE)[column]) for code in Op])
    for column in range(3)
)
_HAS_PORTS = np.array([_PORTS in _OPERANDS.get(code, _NONE) for code in Op])
VALUE_OPERANDS = tuple(
    np.array([_OPERANDS.get(code, _NONE)[column] in (_VALUE, _MAYBE) for code in Op])
    for column in range(3)
)
"""For a, b and c: by code, whether the operand is the register of an earlier operation."""


def operands_of(code: int) -> tuple[object, object, object]:
    """What a, b and c of an operation are.

    "name", "optional" (a name or none), "value" or "maybe" (an operation or none), "end" (one behind),
    "scope", "ports" (first and number of them), else a number.
    """
    return _OPERANDS.get(Op(code), _NONE)


def check_ir(ir: FileIr, *, size: int) -> None:
    """Whether every number of `ir` refers to something that is there.

    Raises:
        IrError: one does not.
    """
    ops = ir.ops
    if len(ops) and (ops[:, 0].min() < 0 or ops[:, 0].max() > max(Op)):
        raise IrError("operation")
    _inside(ops[:, 4], 0, size + 1)
    _inside(ops[:, 5] - ops[:, 4], 0, size + 1)
    _inside(ops[:, 5], 0, size + 1)
    _operands(ir)
    rows = np.flatnonzero(_HAS_PORTS[ops[:, 0]])
    _inside(ops[rows, 2] + ops[rows, 3], 0, len(ir.ports) + 1)
    elements = ops[ops[:, 0] == Op.ELEMENT]
    if ((elements[:, 2] >= elements[:, 3]) | (elements[:, 2] < -elements[:, 3])).any():
        raise IrError("element")
    _scopes(ir, size)
    _definitions(ir)
    _regions(ir)
    _tables(ir, size)


def _operands(ir: FileIr) -> None:
    """Every operand is of its kind: all of a column at once, for most files are small."""
    ops = ir.ops
    codes = ops[:, 0]
    rows = np.arange(len(ops), dtype=np.int32)
    tops = np.array([_top(ir, kind) for kind in _KINDS], np.int64)
    for column, table in enumerate(_KIND_NUMBERS, 1):
        kinds = table[codes]
        values = ops[:, column]
        if ((values < _LOWS[kinds]) | (values >= tops[kinds])).any():
            raise IrError("range")
        registers = _IS_VALUE[kinds] & (values >= 0)
        used = values[registers]
        if (used >= rows[registers]).any() or (codes[used] > _LAST_VALUE).any():
            raise IrError("operand")
        ends = _IS_END[kinds]
        if (values[ends] <= rows[ends]).any():
            raise IrError("range")


def _top(ir: FileIr, kind: _Operand) -> int:
    """Below which number an operand of a kind is."""
    if isinstance(kind, type):
        return len(kind)
    rows = {
        _NAME: len(ir.names),
        "optional": len(ir.names),
        _SCOPE: len(ir.scopes),
        _PORTS: len(ir.ports) + 1,
        _ANY: 1 << 31,
    }
    return rows.get(kind, len(ir.ops))


_LOWEST: dict[_Operand, int] = {"optional": -1, _MAYBE: -1, _SCOPE: 1, _ANY: -(1 << 31)}
_LOWS = np.array([_LOWEST.get(kind, 0) for kind in _KINDS], np.int64)
_IS_VALUE = np.array([kind in (_VALUE, _MAYBE) for kind in _KINDS])
_IS_END = np.array([kind == _END for kind in _KINDS])


def _before(
    ir: FileIr,
    values: NDArray[np.int32],
    rows: NDArray[np.intp] | NDArray[np.int32],
    *,
    optional: bool,
) -> None:
    """Operands are earlier operations that have a value."""
    _inside(values, -1 if optional else 0, len(ir.ops))
    used = values >= 0
    if (values[used] >= rows[used]).any() or (ir.ops[values[used], 0] > _LAST_VALUE).any():
        raise IrError("operand")


def _inside(values: NDArray[np.int32], low: int, high: int) -> None:
    if len(values) and (values.min() < low or values.max() >= high):
        raise IrError("range")


def _scopes(ir: FileIr, size: int) -> None:
    scopes = ir.scopes
    if not len(scopes) or scopes[0, 1] != -1 or scopes[0, 0] != ScopeKind.MODULE:
        raise IrError("scopes")
    _inside(scopes[:, 0], 0, len(ScopeKind))
    numbers = np.arange(len(scopes), dtype=np.int32)
    if (scopes[1:, 1] < 0).any() or (scopes[:, 1] >= numbers).any():
        raise IrError("scopes")
    _inside(scopes[:, 2], 0, len(ir.names))
    for column in (3, 4, 5):
        _inside(scopes[:, column], 0, size + 1)
    if (scopes[:, 3] > scopes[:, 4]).any():
        raise IrError("scopes")
    for first, last, rows in ((6, 7, ir.ops), (8, 9, ir.params)):
        starts, ends = scopes[:, first], scopes[:, last]
        if (starts[:1] != 0).any() or (starts[1:] != ends[:-1]).any() or ends[-1] != len(rows):
            raise IrError("scopes")
        if (starts > ends).any():
            raise IrError("scopes")
    _inside(scopes[:, 11], 0, MAX_FLAGS)
    _before(ir, scopes[:, 10], scopes[:, 6], optional=True)


def _definitions(ir: FileIr) -> None:
    """A scope is defined at most once, where its parent is, by an operation of its kind."""
    at = np.flatnonzero((ir.ops[:, 0] == Op.FUNCTION) | (ir.ops[:, 0] == Op.CLASS))
    defined = ir.ops[at, 1]
    around = np.searchsorted(ir.scopes[:, 6], at, side="right") - 1
    of_class = ir.ops[at, 0] == Op.CLASS
    kinds = ir.scopes[defined, 0]
    if (
        np.bincount(defined, minlength=1).max() > 1
        or (ir.scopes[defined, 1] != around).any()
        or ((kinds == ScopeKind.CLASS) != of_class).any()
        or (kinds == ScopeKind.MODULE).any()
    ):
        raise IrError("definition")


def _regions(ir: FileIr) -> None:
    """Brackets nest, inside one scope, and name each other."""
    codes = ir.ops[:, 0]
    at = np.flatnonzero((codes >= Op.BRANCH) & (codes <= Op.END))
    rows: list[list[int]] = np.stack((at, codes[at], ir.ops[at, 1]), 1).tolist()
    ends = {row: other for row, code, other in rows if code in _OPENING}
    bounds = iter([*sorted({int(first) for first in ir.scopes[:, 6]} - {0}), len(codes) + 1])
    bound = next(bounds)
    open_: list[int] = []
    for row, code, other in rows:
        while row >= bound:
            if open_:
                raise IrError("regions")
            bound = next(bounds)
        if code == Op.END:
            if not open_ or open_[-1] != other or ends[other] != row:
                raise IrError("regions")
            open_.pop()
        elif code in _OPENING:
            open_.append(row)
        elif not open_ or codes[open_[-1]] != Op.BRANCH:
            raise IrError("regions")
    if open_:
        raise IrError("regions")


_OPENING = frozenset({int(Op.BRANCH), int(Op.LOOP)})


def _tables(ir: FileIr, size: int) -> None:
    ports, params = ir.ports, ir.params
    _inside(ports[:, 0], 0, len(Port))
    _inside(ports[:, 2], 0, len(ir.ops))
    keyword = ports[:, 0] == Port.KEYWORD
    item = ports[:, 0] == Port.ITEM
    _inside(ports[keyword, 1], 0, len(ir.names))
    _inside(ports[item, 1], 0, len(ir.ops))
    if (ports[~(keyword | item), 1] != -1).any():
        raise IrError("ports")
    calls = np.flatnonzero(np.isin(ir.ops[:, 0], (Op.CALL, Op.NEW, Op.MAKE, Op.CLASS)))
    counts = ir.ops[calls, 3]
    owners = np.repeat(calls, counts)
    starts = np.repeat(ir.ops[calls, 2], counts)
    nth = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = starts + nth
    if len(rows) > len(ports):
        raise IrError("ports")  # shared ports would let a small frame mean a large one
    codes, kinds = ir.ops[owners, 0], ports[rows, 0]
    items = (kinds == Port.ITEM) | (kinds == Port.EACH)
    if (items & (codes != Op.MAKE)).any() or (
        (kinds == Port.INTERFACE) & (codes != Op.CLASS)
    ).any():
        raise IrError("ports")
    _before(ir, ports[rows, 2], owners, optional=False)
    keyed = ports[rows, 0] == Port.ITEM
    _before(ir, ports[rows[keyed], 1], owners[keyed], optional=False)
    _inside(params[:, 0], 0, len(Param))
    _inside(params[:, 1], 0, len(ir.names))
    _inside(params[:, 4], 0, size + 1)
    firsts = np.repeat(ir.scopes[:, 8], ir.scopes[:, 9] - ir.scopes[:, 8])
    if ((params[:, 0] == Param.RECEIVER) & (np.arange(len(params)) != firsts)).any():
        raise IrError("receiver")
    owner = np.repeat(ir.scopes[:, 6], ir.scopes[:, 9] - ir.scopes[:, 8])
    for column in (2, 3):
        _before(ir, params[:, column], owner, optional=True)

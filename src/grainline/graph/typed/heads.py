"""What a file declares, for others to build on: all of its IR but the bodies of functions.

Two files with equal headings differ in bodies alone: numbers of operations, scopes and names, and
positions, are told as what they refer to.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from grainline.graph.units import Unit
from grainline.model.ir import FileIr, Op, Port, Scope, ScopeKind
from grainline.model.ircheck import operands_of

Heading: TypeAlias = "tuple[object, ...]"


class Tops(NamedTuple):
    """The package of a file and the names of its outermost classes."""

    package: str
    names: tuple[str, ...]


NOTHING: Final = Tops("", ())
"""Of a file that declares nothing that has a name."""


def tops_of(unit: Unit) -> Tops:
    """What others find a file by, as `Program` reads it."""
    ir = unit.ir
    package = ""
    names: dict[str, None] = {}
    rows: list[list[int]] = ir.ops[: int(ir.scopes[0, 7])].tolist()
    for at, (code, a, *_) in enumerate(rows):
        if code == Op.PACKAGE:
            package = ir.names[a]
        elif code == Op.CLASS and _is_stored(rows, at):
            names[ir.names[int(ir.scopes[a, 2])]] = None
    return Tops(package, tuple(names))


def _is_stored(rows: list[list[int]], op: int) -> bool:
    at = op + 1
    while at < len(rows) and rows[at][0] == Op.DECORATE and rows[at][2] == op:
        at += 1
    return at < len(rows) and rows[at][0] == Op.STORE and rows[at][2] == op


def heads_of(ir: FileIr) -> list[int]:
    """The scopes that bodies do not hold: modules, classes, and functions directly in them."""
    open_: set[int] = set()
    found: list[int] = []
    rows: list[list[int]] = ir.scopes[:, :2].tolist()
    for number, (kind, parent) in enumerate(rows):
        if parent < 0 or parent in open_:
            found.append(number)
            if kind in (ScopeKind.MODULE, ScopeKind.CLASS):
                open_.add(number)
    return found


def headings(ir: FileIr) -> list[Heading] | None:
    """What the file declares; None where a body takes part in that."""
    reader = _Reader(ir)
    try:
        return [row for number in reader.heads for row in reader.scope(number)]
    except KeyError:  # an operation of a body, or a scope in one
        return None


class _Reader:
    """The numbers of one file, told as what they mean."""

    def __init__(self, ir: FileIr) -> None:
        self._ir = ir
        self._scopes: list[Scope] = ir.scope_rows()
        self._ops: list[list[int]] = ir.ops.tolist()
        self._ports: list[list[int]] = ir.ports.tolist()
        self._params: list[list[int]] = ir.params.tolist()
        self.heads = heads_of(ir)
        self._numbers = {number: at for at, number in enumerate(self.heads)}
        self._open = [
            number
            for number in self.heads
            if self._scopes[number].kind in (ScopeKind.MODULE, ScopeKind.CLASS)
            and self._scopes[number].first < self._scopes[number].last
        ]
        self._firsts = [self._scopes[number].first for number in self._open]

    def scope(self, number: int) -> Iterator[Heading]:
        """A scope that declares: itself, its parameters, and the operations of all but a function."""
        row = self._scopes[number]
        parent = self._numbers[row.parent] if row.parent >= 0 else -1
        yield row.kind, parent, self._name(row.name), row.flags, self._place(row.returns)
        for kind, name, default, annotation, _ in self._params[row.params : row.params_end]:
            yield kind, self._name(name), self._place(default), self._place(annotation)
        if row.kind in (ScopeKind.MODULE, ScopeKind.CLASS):
            for op in range(row.first, row.last):
                yield self._operation(op)

    def _operation(self, op: int) -> Heading:
        code, a, b, c, _, _ = self._ops[op]
        kinds = operands_of(code)
        said = [self._operand(kind, each) for kind, each in zip(kinds, (a, b, c), strict=True)]
        if "ports" in kinds:
            said[1:] = [self._port(row) for row in self._ports[b : b + c]]
        return (code, *said)

    def _operand(self, kind: object, value: int) -> object:
        if kind in ("name", "optional"):
            return self._name(value)
        if kind in ("value", "maybe", "end"):
            return self._place(value)
        if kind == "scope":
            return self._numbers[value]
        return 0 if kind == "ports" else value

    def _port(self, row: list[int]) -> object:
        kind, key, value = row
        if kind == Port.ITEM:
            return kind, self._place(key), self._place(value)
        return kind, self._name(key), self._place(value)

    def _name(self, name: int) -> str:
        return self._ir.names[name] if name >= 0 else ""

    def _place(self, op: int) -> object:
        """Which operation of which scope; of a body none."""
        if op < 0:
            return -1
        at = bisect_right(self._firsts, op) - 1
        number = self._open[at] if at >= 0 else -1
        if number < 0 or op >= self._scopes[number].last:
            raise KeyError(op)
        return self._numbers[number], op - self._scopes[number].first

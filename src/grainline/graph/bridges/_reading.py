"""What rules ask of code: the calls of something external by its dotted name, and their arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from grainline.graph.bridges.base import Ground
from grainline.graph.table import EdgeTable
from grainline.graph.units import Unit
from grainline.model.edge import Edge, Symbol, Why
from grainline.model.ir import Const, Op, Port, ScopeKind
from grainline.model.position import Span

_QUOTES: Final = re.compile(r"[\"'`]+")


class Call(NamedTuple):
    """A call of something external: where it stands, by which name, its operation."""

    code: Code
    name: str
    op: int


class Code:
    """One file of code: its operations, read when they are asked for."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.names: Sequence[str] = unit.ir.names
        self._firsts = unit.ir.scopes[:, 6]

    @cached_property
    def ops(self) -> list[list[int]]:
        """Rows of the operations."""
        rows: list[list[int]] = self.unit.ir.ops.tolist()
        return rows

    @cached_property
    def ports(self) -> list[list[int]]:
        """Rows of the ports."""
        rows: list[list[int]] = self.unit.ir.ports.tolist()
        return rows

    @cached_property
    def symbols(self) -> list[Symbol]:
        """The symbol of every scope."""
        return self.unit.symbols

    @cached_property
    def _calls(self) -> dict[Span, int]:
        found: dict[Span, int] = {}
        for op, row in enumerate(self.ops):
            if row[0] in (Op.CALL, Op.NEW):
                found.setdefault(self.span(row[1]), op)
        return found

    def call_at(self, site: Span) -> int:
        """The call whose callee stands at `site`, -1 when there is none."""
        return self._calls.get(site, -1)

    def span(self, op: int) -> Span:
        """Where an operation stands."""
        return Span(self.ops[op][4], self.ops[op][5])

    def scope(self, op: int) -> Symbol:
        """The symbol in which an operation stands."""
        rows = self.unit.ir.scopes
        inside = np.flatnonzero((rows[:, 6] <= op) & (op < rows[:, 7]))
        return self.symbols[int(inside[-1]) if len(inside) else 0]

    def argument(self, call: int, number: int, keyword: str = "") -> int:
        """The operation that is passed as an argument, -1 for none; from the end when negative.

        What stands behind arguments of unknown number has no number.
        """
        _, _, first, count = self.ops[call][:4]
        given: list[int] = []
        for kind, key, value in self.ports[first : first + count]:
            if kind == Port.KEYWORD and keyword and self.names[key] == keyword:
                return value
            if kind in (Port.STAR, Port.EACH):
                break
            if kind == Port.POSITIONAL:
                given.append(value)
        return given[number] if -len(given) <= number < len(given) else -1

    def text(self, op: int) -> str | None:
        """The text of a constant string, None for anything else."""
        if op < 0 or self.ops[op][0] != Op.CONST or self.ops[op][1] != Const.STR:
            return None
        said = self.names[self.ops[op][2]] if self.ops[op][2] >= 0 else ""
        quote = _QUOTES.match(said)
        return said if quote is None else said.strip(quote[0][0])

    def written(self, op: int) -> Symbol | None:
        """The function that is written where it is passed, None for anything else."""
        if self.ops[op][0] != Op.FUNCTION:
            return None
        scope = self.ops[op][1]
        kinds = (ScopeKind.FUNCTION, ScopeKind.LAMBDA)
        return self.symbols[scope] if self.unit.ir.scopes[scope, 0] in kinds else None

    @cached_property
    def bound(self) -> frozenset[str]:
        """Names that the file binds, in whatever scope."""
        ops, params = self.unit.ir.ops, self.unit.ir.params
        rows: list[int] = [*ops[ops[:, 0] == Op.STORE, 1].tolist(), *params[:, 1].tolist()]
        return frozenset(self.names[row].partition("#")[0] for row in rows if row >= 0)

    @cached_property
    def imported(self) -> dict[str, tuple[str, int]]:
        """Name -> (dotted name, operation) of what an import alone binds."""
        ops, names = self.ops, self.names
        found: dict[str, tuple[str, int]] = {}
        params: list[int] = self.unit.ir.params[:, 1].tolist()
        stored = {names[row].partition("#")[0] for row in params if row >= 0}
        for row in ops:
            if row[0] != Op.STORE:
                continue
            name = names[row[1]].partition("#")[0]
            if name not in stored and ops[row[2]][0] == Op.IMPORT:
                _, module, member, *_ = ops[row[2]]
                dotted = names[module] + (f".{names[member]}" if member >= 0 else "")
                found[name] = (dotted, row[2])
            elif name in found:
                del found[name]
            stored.add(name)
        return found


def external_calls(
    ground: Ground, codes: dict[bytes, Code], name: re.Pattern[str]
) -> Iterator[Call]:
    """The calls of what is external and has a name that matches as a whole, in order."""
    table = ground.table
    wanted = [at for at, each in enumerate(table.names) if name.fullmatch(each)]
    for number in np.flatnonzero(np.isin(table.unresolved.name, wanted)).tolist():
        found = table.unresolved_call(number)
        code = code_of(ground, codes, found.src.path)
        op = -1 if code is None else code.call_at(found.site)
        if code is not None and op >= 0 and found.why in (Why.EXTERNAL, Why.NATIVE):
            yield Call(code, found.name, op)


def code_of(ground: Ground, codes: dict[bytes, Code], path: bytes) -> Code | None:
    """The operations of a file; None for one without."""
    if path not in codes:
        unit = ground.by_path[path].unit
        if unit is None:
            return None
        codes[path] = Code(unit)
    return codes[path]


def edges_at(table: EdgeTable, path: bytes, site: Span) -> Iterator[Edge]:
    """The edges that leave a file at one place."""
    rows = table.edges
    numbers = table.symbols_of(path)
    low, high = np.searchsorted(rows.src, [numbers.start, numbers.stop])
    here = (rows.start[low:high] == site.start) & (rows.end[low:high] == site.end)
    for number in (np.flatnonzero(here) + low).tolist():
        yield table.edge(number)

"""What the units declare: classes, functions, imports, by one look at the definitions of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from grainline.graph.typed.types import Kind, Type
from grainline.graph.units import Unit
from grainline.model.ir import ABSTRACT, STATIC, Op, Param, Port, Scope, ScopeKind

INIT: Final = "<init>"
LOAD, GETATTR, CALL, STORE = int(Op.LOAD), int(Op.GETATTR), int(Op.CALL), int(Op.STORE)


@dataclass(slots=True, eq=False)
class Function:
    """A function of a unit, or (unit -1) one that is known of something external.

    `parameters` are (kind, name, operation of the type or -1), types of variables `variables`
    likewise. `types` and `result` are filled when they are first asked for.
    """

    unit: int
    scope: int
    name: str
    owner: int  # number of a class, -1
    flags: int
    parameters: list[tuple[int, str, int]]
    variables: list[tuple[str, int]]
    returns: int
    receiver: int = -1  # operation of the type of an extension's receiver, -2 without
    types: tuple[Type, ...] | None = None
    result: Type = None
    starred: bool = False
    optional: frozenset[str] = frozenset()  # parameters that have a default

    @property
    def abstract(self) -> bool:
        """Whether it has no body."""
        return bool(self.flags & ABSTRACT)

    @property
    def static(self) -> bool:
        """Whether it has no receiver."""
        return bool(self.flags & STATIC)


@dataclass(slots=True, eq=False)
class Class:
    """A class of a unit.

    Attributes:
        variables: (name, operation of a bound or -1), a row for each bound.
        header: parameters of the header: of a record, of a primary constructor.
        fields: name -> (operation of the type or -1, operation of the value or -1).
        bases: operations of types with kinds of `Port`.
        supers: types of the bases, once they are known.
        order: itself and everything above, nearest first, in terms of its own variables.
        outside: names of classes above that are not there.
        optional: parameters of the header that have a default.
    """

    number: int
    unit: int
    scope: int
    name: str
    outer: int
    flags: int
    variables: list[tuple[str, int]]
    header: list[tuple[int, str, int]]
    bases: list[tuple[int, int]]
    fields: dict[str, tuple[int, int]] = field(default_factory=dict[str, "tuple[int, int]"])
    methods: dict[str, list[Function]] = field(default_factory=dict[str, "list[Function]"])
    nested: dict[str, int] = field(default_factory=dict[str, int])
    supers: list[Type] = field(default_factory=list[Type])
    order: list[tuple[Any, ...]] | None = None
    outside: list[str] = field(default_factory=list[str])
    optional: frozenset[str] = frozenset()

    @property
    def interface(self) -> bool:
        """Whether it only says what others have."""
        return bool(self.flags & ABSTRACT)


@dataclass(slots=True, eq=False)
class File:
    """One unit: rows of its IR as lists, and what it declares."""

    number: int
    unit: Unit
    path: str
    names: tuple[str, ...]
    ops: list[list[int]]
    ports: list[list[int]]
    params: list[list[int]]
    scopes: list[Scope]
    package: str = ""
    imports: dict[str, tuple[str, str]] = field(default_factory=dict[str, "tuple[str, str]"])
    stars: list[str] = field(default_factory=list[str])
    classes: dict[int, int] = field(default_factory=dict[int, int])
    functions: dict[int, Function] = field(default_factory=dict[int, Function])
    top: dict[str, int] = field(default_factory=dict[str, int])
    local: dict[int, dict[str, int]] = field(default_factory=dict[int, "dict[str, int]"])
    free: dict[str, list[Function]] = field(default_factory=dict[str, "list[Function]"])
    values: dict[str, tuple[int, int]] = field(default_factory=dict[str, "tuple[int, int]"])
    callees: frozenset[int] = frozenset()


class Program:
    """All files and classes of one resolution."""

    def __init__(self, units: list[Unit]) -> None:
        self.units = units
        self.classes: list[Class] = []
        self.files: Sequence[File] = [self.read(at, unit) for at, unit in enumerate(units)]

    def by_path(self) -> Mapping[str, File]:
        """The files by their paths."""
        return {file.path: file for file in self.files}

    def tops(self) -> Iterator[tuple[str, str, Iterable[str]]]:
        """Path, package and names of the outermost classes of every file."""
        return ((file.path, file.package, file.top) for file in self.files)

    def read(self, number: int, unit: Unit) -> File:
        """What a unit declares; its classes get the next numbers."""
        ir = unit.ir
        file = File(
            number,
            unit,
            unit.path.decode("utf-8", "surrogateescape"),
            ir.names,
            ir.ops.tolist(),
            ir.ports.tolist(),
            ir.params.tolist(),
            ir.scope_rows(),
        )
        codes = ir.ops[:, 0]
        file.callees = frozenset(ir.ops[codes == Op.CALL, 1].tolist())
        wanted = np.isin(codes, _DEFINING)
        outer = np.isin(ir.scopes[:, 0], (ScopeKind.MODULE, ScopeKind.CLASS))
        wanted |= np.isin(codes, (Op.STORE, Op.ANNOTATE)) & _inside(ir.scopes, outer, len(codes))
        at: list[int] = np.flatnonzero(wanted).tolist()
        owners: list[int] = (
            np.searchsorted(ir.scopes[:, 6], np.array(at, np.int64), side="right") - 1
        ).tolist()
        for op, scope in zip(at, owners, strict=True):
            self._definition(file, op, scope)
        return file

    def _definition(self, file: File, op: int, scope: int) -> None:
        code, a, b, c, _, _ = file.ops[op]
        if code == Op.CLASS:
            self._class(file, op, scope, a, b, c)
        elif code == Op.FUNCTION:
            self._function(file, scope, a)
        elif code == Op.PACKAGE:
            file.package = file.names[a]
        elif code == Op.IMPORT:
            if b >= 0 and file.names[b] == "*":
                file.stars.append(file.names[a])
        else:
            self._binding(file, op, scope)

    def _class(self, file: File, op: int, scope: int, a: int, first: int, count: int) -> None:
        row = file.scopes[a]
        bases = [(value, kind) for kind, _, value in file.ports[first : first + count]]
        variables, header = _rows(file, row)
        made = Class(
            number=len(self.classes),
            unit=file.number,
            scope=a,
            name=file.names[row.name],
            outer=file.classes.get(scope, -1),
            flags=row.flags,
            variables=variables,
            header=header,
            bases=bases,
            optional=_optional(file, row),
        )
        self.classes.append(made)
        file.classes[a] = made.number
        stored = _is_stored(file, op)
        if not stored:
            return
        if file.scopes[scope].kind == ScopeKind.MODULE:
            file.top.setdefault(made.name, made.number)
        elif made.outer >= 0:
            self.classes[made.outer].nested.setdefault(made.name, made.number)
        else:
            file.local.setdefault(scope, {})[made.name] = made.number

    def _function(self, file: File, scope: int, a: int) -> None:
        row = file.scopes[a]
        variables, parameters = _rows(file, row)
        receiver = -2
        if parameters and parameters[0][0] == Param.RECEIVER:
            receiver = parameters.pop(0)[2]
        owner = file.classes.get(scope, -1) if row.kind == ScopeKind.FUNCTION else -1
        made = Function(
            unit=file.number,
            scope=a,
            name=file.names[row.name],
            owner=owner,
            flags=row.flags,
            parameters=parameters,
            variables=variables,
            returns=row.returns,
            receiver=receiver,
            starred=any(kind == Param.STAR for kind, _, _ in parameters),
            optional=_optional(file, row),
        )
        file.functions[a] = made

    def _binding(self, file: File, op: int, scope: int) -> None:
        code, a, b, _, _, _ = file.ops[op]
        name = file.names[a]
        owner = file.classes.get(scope, -1)
        if code == Op.ANNOTATE:
            following = file.ops[op + 1] if op + 1 < len(file.ops) else [0, 0, 0]
            value = following[2] if following[0] == STORE and following[1] == a else -1
            fields = self.classes[owner].fields if owner >= 0 else file.values
            fields[name] = (b, value)
            return
        bound = file.ops[b]
        if bound[0] == Op.FUNCTION:
            methods = self.classes[owner].methods if owner >= 0 else file.free
            methods.setdefault(name, []).append(file.functions[bound[1]])
        elif bound[0] == Op.IMPORT and bound[2] >= 0:
            file.imports.setdefault(name, (file.names[bound[1]], file.names[bound[2]]))

    def of(self, kind: Kind) -> Class:
        """The class of a type `("c", ...)`."""
        number: int = kind[1]
        return self.classes[number]

    def around(self, file: File, scope: int) -> int:
        """The number of the innermost class around a scope (or of it), -1."""
        while scope >= 0:
            number = file.classes.get(scope)
            if number is not None:
                return number
            scope = file.scopes[scope].parent
        return -1


_DEFINING = (int(Op.CLASS), int(Op.FUNCTION), int(Op.PACKAGE), int(Op.IMPORT))


def _is_stored(file: File, op: int) -> bool:
    """Whether a definition is bound to a name, behind its decorators."""
    at = op + 1
    while at < len(file.ops) and file.ops[at][0] == Op.DECORATE and file.ops[at][2] == op:
        at += 1
    return at < len(file.ops) and file.ops[at][0] == STORE and file.ops[at][2] == op


def _inside(scopes: Any, wanted: Any, count: int) -> Any:
    """Which operations stand in one of the wanted scopes."""
    marks = np.zeros(count, np.bool_)
    for first, last in scopes[wanted][:, 6:8].tolist():
        marks[first:last] = True
    return marks


def _rows(file: File, row: Scope) -> tuple[list[tuple[str, int]], list[tuple[int, str, int]]]:
    """Type variables and parameters of a scope."""
    variables: list[tuple[str, int]] = []
    parameters: list[tuple[int, str, int]] = []
    for kind, name, _, annotation, _ in file.params[row.params : row.params_end]:
        if kind == Param.TYPE:
            variables.append((file.names[name], annotation))
        else:
            parameters.append((kind, file.names[name], annotation))
    return variables, parameters


def _optional(file: File, row: Scope) -> frozenset[str]:
    """Names of the parameters that have a default."""
    rows = file.params[row.params : row.params_end]
    return frozenset(file.names[name] for _, name, default, _, _ in rows if default >= 0)


EXTENDS: Final = int(Port.POSITIONAL)

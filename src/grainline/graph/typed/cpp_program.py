"""What units of C++ and C declare: classes, functions and names of namespaces.

A namespace is the tuple of its parts. What stands in one without a name, or is static, is `local`:
no other file means it, though one that includes it has its own. An inline one is that around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from grainline.graph.units import Unit
from grainline.model.ir import (
    ABSTRACT,
    ARGUMENTS,
    BROKEN,
    CONSTRUCTOR,
    STATIC,
    Const,
    Op,
    Param,
    Scope,
    ScopeKind,
)

Space: TypeAlias = "tuple[str, ...]"
Type: TypeAlias = "tuple[Any, ...] | None"
"""A type or what else an expression may be:

    ("c", class, arguments)   a class of the units, by its number
    ("x", name, arguments)    one that is not there, by its name
    ("v", owner, name)        a parameter of a template
    ("*", type)               a pointer or array
    ("k", type)               one that does not change
    ("p", name)               a type of the language
    ("t", type)               the type itself, where its name stands for a value
    ("n", namespace)          a namespace
    ("f", functions, given)   functions of one name, with the arguments of a template that are given
    ("l", unit, scope)        a lambda

None is a type of which nothing is known.
"""

INIT: Final = "<init>"
"""What constructors are called, so that the name of a class means the class."""

FRIEND: Final = 2
MACRO: Final = 3
ALIAS: Final = 4
FORWARD: Final = 5
"""Of a STORE, as the lowering writes it."""


@dataclass(slots=True, eq=False)
class Function:
    """A function, as declared or defined at one place.

    `owner` is the number of its class, -1 without, -2 when it has one that is not known.
    `parameters` are (kind, name, operation of the type), `defaults` how many may be left out.
    """

    unit: int
    scope: int
    name: str
    space: Space
    flags: int
    parameters: list[tuple[int, str, int]]
    variables: tuple[str, ...]
    returns: int
    defaults: int
    owner: int = -1
    local: bool = False
    receives: bool = False
    macro: bool = False
    types: tuple[Type, ...] | None = None
    result: Type = None

    @property
    def abstract(self) -> bool:
        """Whether it has no body."""
        return bool(self.flags & ABSTRACT)

    @property
    def constructor(self) -> bool:
        """Whether it makes an instance of its class."""
        return bool(self.flags & CONSTRUCTOR)

    @property
    def starred(self) -> bool:
        """Whether it takes any number of arguments."""
        return bool(self.flags & ARGUMENTS) or any(
            kind == Param.STAR for kind, _, _ in self.parameters
        )


class Entity(NamedTuple):
    """What a name of a namespace or class means at one place.

    `kind` is class, function, alias, variable, forward (a class that is declared), macro; `value` a
    number, a function, or operations; `space` and `owner` say where it stands.
    """

    kind: str
    unit: int
    value: Any
    local: bool = False
    space: Space = ()
    owner: int = -1


@dataclass(slots=True, eq=False)
class Class:
    """A class, structure, union or enumeration; `special`: there are specializations of it."""

    number: int
    unit: int
    scope: int
    name: str
    outer: int
    space: Space
    flags: int
    variables: tuple[str, ...]
    bases: list[int]
    members: dict[str, list[Entity]] = field(default_factory=dict[str, "list[Entity]"])
    supers: list[Type] | None = None
    special: bool = False
    inside: int = 0  # the scope of the function around, 0 without


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
    plain: bool  # C
    broken: bool  # things may stand where they do not
    classes: dict[int, int] = field(default_factory=dict[int, int])
    functions: dict[int, Function] = field(default_factory=dict[int, Function])
    spaces: dict[int, Space] = field(default_factory=dict[int, "Space"])
    directives: list[tuple[Space, int]] = field(default_factory=list[tuple["Space", int]])
    attached: list[tuple[Space, bool, int]] = field(default_factory=list[tuple["Space", bool, int]])
    includes: list[str] = field(default_factory=list[str])
    callees: frozenset[int] = frozenset()


class Program:
    """All files, classes and names of one resolution."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self.classes: list[Class] = []
        self.names: dict[tuple[Space, str], list[Entity]] = {}
        self.spaces: dict[Space, set[int]] = {}
        self.inline: dict[Space, set[int]] = {}
        """Namespaces, and those that are inline, with the files that have them."""
        self.files = [self._file(number, unit) for number, unit in enumerate(units)]

    def of(self, kind: Type) -> Class:
        """The class of a type `("c", ...)`."""
        assert kind is not None
        number: int = kind[1]
        return self.classes[number]

    def _file(self, number: int, unit: Unit) -> File:
        ir = unit.ir
        file = File(
            number, unit, unit.path.decode("utf-8", "surrogateescape"), ir.names,
            ir.ops.tolist(), ir.ports.tolist(), ir.params.tolist(), ir.scope_rows(),
            unit.language == "c", bool(ir.scopes[0, 11] & BROKEN),
        )  # fmt: skip
        file.callees = _callees(file, ir.ops[ir.ops[:, 0] == Op.CALL, 1].tolist())
        wanted = np.isin(ir.ops[:, 0], _DEFINING)
        firsts = ir.scopes[:, 6]
        owners: list[int] = (
            np.searchsorted(firsts, np.flatnonzero(wanted), side="right") - 1
        ).tolist()
        space: Space = ()
        local = False
        rows: list[int] = np.flatnonzero(wanted).tolist()
        for op, scope in zip(rows, owners, strict=True):
            if file.ops[op][0] == Op.PACKAGE:
                space, local = self._space(number, file.names[file.ops[op][1]])
            else:
                kind = file.scopes[scope].kind
                here = file.spaces.get(scope, space if scope == 0 else ())
                self._definition(file, op, scope, kind, here, local and scope == 0)
        return file

    def _space(self, number: int, path: str) -> tuple[Space, bool]:
        found: list[str] = []
        local = False
        for part in path.split("::") if path else ():
            if part == "(anonymous)":
                local = True
            elif part.startswith("(inline)"):
                inner = (*found, part.removeprefix("(inline)"))
                self.inline.setdefault(inner, set()).add(number)
            else:
                found.append(part)
        for size in range(len(found) + 1):
            self.spaces.setdefault(tuple(found[:size]), set()).add(number)
        return tuple(found), local

    def _definition(
        self, file: File, op: int, scope: int, kind: int, space: Space, local: bool
    ) -> None:
        code, a, b, c, _, _ = file.ops[op]
        if code == Op.CLASS:
            self._class(file, op, scope, space)
        elif code == Op.FUNCTION:
            self._function(file, scope, a, space, local=local)
        elif code == Op.IMPORT:
            file.includes.append(file.names[a])
        elif code == Op.EXPORT and kind == ScopeKind.MODULE:
            file.directives.append((space, b))
        elif code == Op.ATTACH and kind == ScopeKind.MODULE:
            file.attached.append((space, local, op))
        elif code in (Op.STORE, Op.ANNOTATE) and kind in (ScopeKind.MODULE, ScopeKind.CLASS):
            entity = self._entity(file, op, local)
            if entity is None:
                return
            name = file.names[a]
            if "#" in name:  # of a block outside of functions
                return
            owner = file.classes.get(scope, -1)
            entity = entity._replace(space=space, owner=owner)
            if owner >= 0 and c != FRIEND:
                self._member(owner, name, entity)
            else:
                self._name(space, name, entity)

    def _member(self, owner: int, name: str, entity: Entity) -> None:
        if entity.kind == "function" and entity.value.constructor:
            name = INIT
        known = self.classes[owner].members.setdefault(name, [])
        if entity.kind == "variable" and known and known[-1].kind == "variable":
            known[-1] = entity
        else:
            known.append(entity)
        if entity.kind == "function":
            entity.value.owner = owner

    def _name(self, space: Space, name: str, entity: Entity) -> None:
        if name.startswith("struct "):
            name = name[7:]
        elif name.endswith("<>"):
            name = name[:-2]
            entity = entity._replace(kind="special")
        self.names.setdefault((space, name), []).append(entity)

    def _entity(self, file: File, op: int, local: bool) -> Entity | None:
        code, a, b, c, _, _ = file.ops[op]
        if code == Op.ANNOTATE:
            following = file.ops[op + 1] if op + 1 < len(file.ops) else [0, 0, 0]
            value = following[2] if following[0] == Op.STORE and following[1] == a else -1
            return Entity("variable", file.number, (b, value), local)
        before = file.ops[op - 1] if op else [0, 0, 0]
        if before[0] == Op.ANNOTATE and before[1] == a:
            return None
        if c == MACRO:
            return Entity("macro", file.number, op)
        if c == FORWARD:
            return Entity("forward", file.number, op)
        bound = file.ops[b]
        if bound[0] == Op.FUNCTION and file.scopes[bound[1]].kind == ScopeKind.FUNCTION:
            made = file.functions[bound[1]]
            return Entity("function", file.number, made, made.local)
        if bound[0] == Op.CLASS and c != ALIAS:
            return Entity("class", file.number, file.classes[bound[1]], local)
        if bound[0] == Op.CONST and bound[2] < 0 and file.plain:
            return None
        return Entity("alias", file.number, b, local)

    def _class(self, file: File, op: int, scope: int, space: Space) -> None:
        _, a, first, count, _, _ = file.ops[op]
        row = file.scopes[a]
        outer = file.classes.get(scope, -1)
        around = file.scopes[scope].kind
        made = Class(
            len(self.classes), file.number, a, file.names[row.name], outer, space, row.flags,
            variables_of(file, row), [value for _, _, value in file.ports[first : first + count]],
        )  # fmt: skip
        if around in (ScopeKind.FUNCTION, ScopeKind.LAMBDA):
            made.inside = scope
        elif outer >= 0:
            made.inside = self.classes[outer].inside
        self.classes.append(made)
        file.classes[a] = made.number
        file.spaces[a] = space

    def _function(self, file: File, scope: int, a: int, space: Space, *, local: bool) -> None:
        row = file.scopes[a]
        file.spaces[a] = space
        rows = file.params[row.params : row.params_end]
        receives = bool(rows) and rows[0][0] == Param.RECEIVER
        found = [
            (kind, file.names[name], annotation)
            for kind, name, _, annotation, _ in rows
            if kind not in (Param.TYPE, Param.RECEIVER)
        ]
        in_class = file.scopes[scope].kind == ScopeKind.CLASS
        macro = row.returns < 0 and bool(row.flags & ARGUMENTS) and not row.flags & ABSTRACT
        made = Function(
            file.number, a, file.names[row.name], space, row.flags, found,
            variables_of(file, row), row.returns,
            sum(1 for row_ in rows if row_[2] >= 0),
            local=local or (bool(row.flags & STATIC) and not in_class),
            receives=receives, macro=macro and scope == 0,
        )  # fmt: skip
        file.functions[a] = made


_DEFINING: Final = tuple(
    map(
        int,
        (Op.CLASS, Op.FUNCTION, Op.PACKAGE, Op.IMPORT, Op.EXPORT, Op.ATTACH, Op.STORE, Op.ANNOTATE),
    )
)


def _callees(file: File, called: list[int]) -> frozenset[int]:
    """What is called, behind the arguments of templates."""
    found = set(called)
    for op in called:
        at = op
        while file.ops[at][0] == Op.GETITEM and file.ops[at][3] > 0:
            at = file.ops[at][1]
            found.add(at)
    return frozenset(found)


def variables_of(file: File, row: Scope) -> tuple[str, ...]:
    """Names of the parameters of the template that a scope is."""
    return tuple(
        file.names[name]
        for kind, name, _, _, _ in file.params[row.params : row.params_end]
        if kind == Param.TYPE
    )


def is_auto(file: File, op: int) -> bool:
    """Whether a type is left to the value."""
    row = file.ops[op]
    return row[0] == Op.CONST and row[1] == Const.OTHER and row[2] < 0

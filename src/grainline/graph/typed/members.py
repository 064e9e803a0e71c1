"""Fields and methods of types."""

from __future__ import annotations

from typing import Any, NamedTuple

from grainline.graph.typed.overloads import Candidate, Signatures
from grainline.graph.typed.program import INIT, Class, File
from grainline.graph.typed.types import Kind, Type, cut, substitute
from grainline.model.ir import PRIVATE, Op


class Found(NamedTuple):
    """What a search in a type and above it gave; `open`: something above is not known."""

    candidates: list[Candidate]
    open: bool


class Members:
    """Lookup of members."""

    def __init__(self, signatures: Signatures) -> None:
        self.signatures = signatures
        self.names = signatures.names
        self.program = self.names.program
        self._methods: dict[tuple[int, str], Found] = {}
        self._found: dict[tuple[Kind, str], Found] = {}
        self._fields: dict[tuple[Kind, str], tuple[Class, Type] | None] = {}
        self.inferred: dict[tuple[int, int], Type] = {}
        """(unit, operation of a value) -> its type, of fields without a declared one."""

    def field(self, kind: Type, name: str) -> tuple[Class, Type] | None:
        """The class that has a field, and the type of the field."""
        kind = self.names.erased(kind)
        if kind is None or kind[0] != "c":
            return None
        key = (kind, name)
        if key not in self._fields:
            self._fields[key] = self._field(kind, name)
        return self._fields[key]

    def _field(self, kind: Kind, name: str) -> tuple[Class, Type] | None:
        for each in self.names.supers(kind):
            if each[0] != "c":
                continue
            made = self.program.of(each)
            found = self.own_field(made, name)
            if found is not None:
                return made, cut(substitute(found[0], self.names.bindings(each)))
        return None

    def own_field(self, made: Class, name: str) -> tuple[Type] | None:
        """The type of a field that a class declares itself."""
        file = self.program.files[made.unit]
        row = made.fields.get(name)
        if row is not None:
            return (self.declared(file, row, made.scope),)
        for _, each, op in made.header:
            if each == name:
                parent = file.scopes[made.scope].parent
                return (self.names.type_of(file, op, parent, made.scope) if op >= 0 else None,)
        return None

    def declared(self, file: File, row: tuple[int, int], scope: int) -> Type:
        """The type of what is declared, or of its value where that decides."""
        annotation, value = row
        if file.ops[annotation][0] == Op.CONST and value >= 0:
            return self.inferred.get((file.number, value))
        return self.names.type_of(file, annotation, scope)

    def methods(self, kind: Type, name: str) -> Found:
        """All methods of a name that a type has."""
        kind = self.names.erased(kind)
        if kind is None:
            return Found([], True)
        known = self._found.get((kind, name))
        if known is None:
            known = self._found[kind, name] = self._methods_of(kind, name)
        return known

    def _methods_of(self, kind: Kind, name: str) -> Found:
        if kind[0] == "x":
            found = [Candidate(*each) for each in self.names.library.methods(kind, name)]
            return Found(found, not self.names.library.known(kind))
        if kind[0] != "c":
            return Found([], False)
        key = (kind[1], name)
        known = self._methods.get(key)
        if known is None:
            known = self._methods[key] = self._above(kind[1], name)
        bindings = self.names.bindings(kind)
        if not bindings:
            return known
        return Found(
            [
                Candidate(
                    each.function,
                    {**bindings, **{k: substitute(v, bindings) for k, v in each.bindings.items()}},
                )
                for each in known.candidates
            ],
            known.open,
        )

    def _above(self, number: int, name: str) -> Found:
        found: list[Candidate] = []
        seen: set[tuple[Any, ...]] = set()
        order = self.names.above(number)[:1] if name == INIT else self.names.above(number)
        for each in order:
            if each[0] != "c":
                more = [
                    Candidate(function, bindings)
                    for row in (self.names.library.rows.get(each[1]),)
                    if row is not None
                    for function in row.methods.get(name, ())
                    for bindings in (self.names.library.bindings(each),)
                ]
            else:
                bindings = self.names.bindings(each)
                functions = self.program.of(each).methods.get(name, ())
                near = self._outermost(each[1]) == self._outermost(number)
                more = [
                    Candidate(function, bindings)
                    for function in functions
                    if near or not function.flags & PRIVATE
                ]
            for one in more:
                types = self.signatures.types(one.function)
                shape = tuple(
                    _outline(self.names.erased(substitute(kind, one.bindings))) for kind in types
                )
                if shape not in seen:
                    seen.add(shape)
                    found.append(one)
        outside = [n for n in self.names.outside(number) if not self.names.library.has(n)]
        return Found(found, bool(outside))

    def _outermost(self, number: int) -> int:
        classes = self.program.classes
        while classes[number].outer >= 0:
            number = classes[number].outer
        return number

    def same(self, mine: list[Type], theirs: list[Type]) -> bool:
        """Whether two lists of parameters are the same but for arguments of types."""
        return len(mine) == len(theirs) and all(
            _outline(a) == _outline(b) for a, b in zip(mine, theirs, strict=True)
        )


def _outline(kind: Type) -> Any:
    """A type without arguments."""
    if kind is None or kind[0] == "p":
        return kind
    return (kind[0], _outline(kind[1]) if kind[0] == "a" and kind[1] else kind[1])

"""Fields and methods of types of C#."""

from __future__ import annotations

from typing import Any

from grainline.graph.typed.csharp_names import CsharpNames
from grainline.graph.typed.members import Found, Members
from grainline.graph.typed.overloads import Candidate
from grainline.graph.typed.program import INIT, Class, Function
from grainline.graph.typed.types import Type, substitute
from grainline.model.ir import PRIVATE, Param


class CsharpMembers(Members):
    """Lookup of members, in all parts of a class."""

    names: CsharpNames

    def own_field(self, made: Class, name: str) -> tuple[Type] | None:
        """The type of a field or property that a class declares itself."""
        found: tuple[Type] | None = None
        for part in self.names.parts.get(made.number, (made,)):
            row = part.fields.get(name)
            if row is not None:
                kind = self.declared(self.program.files[part.unit], row, part.scope)
                if found is not None and found[0] != kind:
                    return (None,)
                found = (kind,)
        if found is not None:
            return found
        for part in self.names.parts.get(made.number, (made,)):
            file = self.program.files[part.unit]
            for _, each, op in part.header:
                if each == name:
                    parent = file.scopes[part.scope].parent
                    kind = self.names.type_of(file, op, parent, part.scope) if op >= 0 else None
                    return (kind,)
        return None

    def _above(self, number: int, name: str) -> Found:
        found: list[Candidate] = []
        seen: set[tuple[Any, ...]] = set()
        order = self.names.above(number)[:1] if name == INIT else self.names.above(number)
        for each in order:
            mine: list[tuple[tuple[Any, ...], Candidate]] = []
            for one in self._of(each, name, number):
                types = self.signatures.types(one.function)
                erased = [self.names.erased(substitute(kind, one.bindings)) for kind in types]
                shape = (
                    len(dict.fromkeys(each for each, _ in one.function.variables)),
                    *(kind[:2] if kind is not None else None for kind in erased),
                )
                mine.append((shape, one))
            solid = {shape for shape, one in mine if not one.function.abstract}
            for shape, one in mine:
                declared = one.function.abstract and one.function.unit >= 0 and shape in solid
                if shape not in seen and not declared:
                    found.append(one)
            seen |= {shape for shape, _ in mine}
        return Found(found, bool(self.names.outside(number)))

    def _of(self, kind: tuple[Any, ...], name: str, number: int) -> list[Candidate]:
        if kind[0] != "c":
            row = self.names.library.rows.get(kind[1])
            functions = row.methods.get(name, ()) if row is not None else ()
            bindings = self.names.library.bindings(kind)
            return [Candidate(function, bindings) for function in functions]
        bindings = self.names.bindings(kind)
        near = self._outermost(kind[1]) == self._outermost(number)
        return [
            Candidate(function, bindings)
            for function in self.program.of(kind).methods.get(name, ())
            if near or not function.flags & PRIVATE
        ]

    def header(self, made: Class) -> Candidate | None:
        """The constructor that the header of a class is."""
        part = next((p for p in self.names.parts.get(made.number, (made,)) if p.header), None)
        if part is None:
            return None
        file = self.program.files[part.unit]
        parent = file.scopes[part.scope].parent
        types = [
            self.names.type_of(file, op, parent, part.scope) if op >= 0 else None
            for _, _, op in part.header
        ]
        starred = any(kind == Param.STAR for kind, _, _ in part.header)
        shown = tuple(
            ("a", kind) if row[0] == Param.STAR else kind
            for row, kind in zip(part.header, types, strict=True)
        )
        function = Function(
            unit=-1, scope=-1, name=INIT, owner=made.number, flags=0, parameters=part.header,
            variables=[], returns=-1, types=shown, starred=starred, optional=part.optional,
        )  # fmt: skip
        return Candidate(function, {})

"""What a call may mean."""

from __future__ import annotations

from typing import Final

from grainline.graph.typed.facts import RESOLVED
from grainline.graph.typed.frames import Frame, Target
from grainline.graph.typed.members import Found
from grainline.graph.typed.overloads import Candidate
from grainline.graph.typed.program import INIT, Class
from grainline.graph.typed.reading import Reader, is_type
from grainline.graph.typed.types import OBJECT, Type
from grainline.model.edge import EdgeType, Method, Why
from grainline.model.ir import Op


class Targets(Reader):
    """Functions that a call may reach."""

    def _call(self, frame: Frame, op: int, a: int) -> Target:
        file = frame.file
        code, x, y, _, _, _ = file.ops[a]
        if code == Op.LOAD:
            name = file.names[x]
            if name in {"this", "super"}:
                return self._delegated(frame, name)
            return self._unqualified(frame, name)
        if code == Op.GETATTR:
            owner = self.values[file.number][x]
            return self.method(frame, owner, file.names[y])
        return Target([])

    def _delegated(self, frame: Frame, name: str) -> Target:
        number = self.around(frame)
        if number < 0:
            return Target([])
        kind = self.names.own(number) if name == "this" else self._super(number)
        return self._constructors(kind)

    def _constructors(self, kind: Type) -> Target:
        if kind is None:
            return Target([], why=Why.DYNAMIC, method=Method.SCOPE)
        if kind[0] == "c":
            found = self.members.methods(kind, INIT)
            return Target(found.candidates, "", Why.NATIVE, Method.SCOPE)
        if kind[0] == "x":
            return Target([], kind[1], Why.EXTERNAL, Method.SCOPE)
        return Target([], why=Why.NATIVE, method=Method.SCOPE)

    def _unqualified(self, frame: Frame, name: str) -> Target:
        at: Frame | None = frame
        while at is not None:
            if at.number >= 0:
                found = self.members.methods(self.names.own(at.number), name)
                if found.candidates:
                    return self._found(found, name, Method.SCOPE)
                if found.open:
                    outside = self.names.outside(at.number)
                    return Target([], f"{outside[0]}.{name}", Why.EXTERNAL)
                if self._generated(self.program.classes[at.number], name):
                    return Target([], name, Why.NATIVE)
            at = at.parent
        return self._imported_function(frame, name)

    def _imported_function(self, frame: Frame, name: str) -> Target:
        file = frame.file
        outside = file.imports.get(name)
        if outside is not None:
            number = self.names.dotted(file, outside[0])
            if number < 0:
                known = self.names.library.methods(("x", outside[0], ()), name)
                given = [Candidate(*each) for each in known]
                return Target(given, f"{outside[0]}.{name}", Why.EXTERNAL)
            found = self.members.methods(self.names.raw(number), name)
            if found.candidates:
                return self._found(found, name, Method.SCOPE)
        external = ""
        for module in file.stars:
            number = self.names.dotted(file, module)
            if number >= 0:
                found = self.members.methods(self.names.raw(number), name)
                if found.candidates:
                    return self._found(found, name, Method.SCOPE)
            elif not self.names.packages.is_package(module):
                external = module
        if self.names.library.methods(OBJECT, name):
            return Target([], f"java.lang.Object.{name}", Why.EXTERNAL)
        if external:
            return Target([], f"{external}.{name}", Why.EXTERNAL)
        return Target([], name, Why.MISSING)

    def _found(self, found: Found, name: str, method: Method) -> Target:
        return Target(found.candidates, name if found.open else "", Why.EXTERNAL, method)

    def method(self, frame: Frame, owner: Type, name: str) -> Target:
        """What a call of a member means."""
        if owner is None:
            return Target([], name, Why.DYNAMIC)
        method = Method.TYPE
        if owner[0] == "s":
            owner = self._super(owner[1])
        elif owner[0] == "t":
            owner, method = owner[1], Method.SCOPE
            if owner is None:
                return Target([], name, Why.DYNAMIC)
        elif owner[0] == "k":
            return Target([], f"{owner[1]}.{name}", Why.EXTERNAL)
        owner = self.names.erased(owner)
        if owner is None or owner[0] in "fr":
            return Target([], name, Why.DYNAMIC)
        if owner[0] in "ap":
            return Target([], name, Why.NATIVE)
        found = self.members.methods(owner, name)
        if owner[0] == "x":
            return Target(found.candidates, f"{owner[1]}.{name}", Why.EXTERNAL, method)
        if found.candidates:
            return self._found(found, name, method)
        if found.open:
            return Target([], f"{self.names.outside(owner[1])[0]}.{name}", Why.EXTERNAL)
        if self.names.library.methods(OBJECT, name):
            return Target(
                [Candidate(*each) for each in self.names.library.methods(OBJECT, name)],
                f"java.lang.Object.{name}",
                Why.EXTERNAL,
            )
        made = self.program.of(owner)
        generated = self._generated(made, name)
        return Target([], name, Why.NATIVE if generated else Why.MISSING)

    def _generated(self, made: Class, name: str) -> bool:
        """Whether the language makes a method: of enums, of the header of a record."""
        return name in _OF_ENUMS or any(each == name for _, each, _ in made.header)

    def _new(self, frame: Frame, op: int, a: int) -> Target:
        kind = self._made(frame, a)
        if kind is not None and kind[0] == "c":
            target = self.place(kind[1])
            self.fact(EdgeType.INSTANTIATES, frame, op, target, Method.SCOPE, RESOLVED)
        return self._constructors(kind)

    def _made(self, frame: Frame, a: int) -> Type:
        """The type whose constructor `new` calls."""
        file = frame.file
        row = file.ops[a]
        if row[0] == Op.CLASS:
            made = self.program.classes[file.classes[row[1]]]
            supers = self.names.bases_of(made)
            return supers[0] if supers else OBJECT
        if row[0] == Op.GETATTR and not is_type(file, row[1]):
            outer = self.values[file.number][row[1]]
            outer = self.names.erased(outer)
            if outer is None or outer[0] not in "cx":
                return None
            return self.names.inside(file, outer, file.names[row[2]])
        return self.names.type_of(file, a, frame.scope)


_OF_ENUMS: Final = frozenset({"values", "valueOf", "name", "ordinal", "compareTo"})

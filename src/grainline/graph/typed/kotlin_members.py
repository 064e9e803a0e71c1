"""Members of types as Kotlin has them: properties, constructors in headers, what extends a type inside."""

from __future__ import annotations

from grainline.graph.typed.kotlin_names import KotlinNames
from grainline.graph.typed.members import Found, Members
from grainline.graph.typed.overloads import Candidate
from grainline.graph.typed.program import INIT, Class, Function
from grainline.graph.typed.types import Kind, Type
from grainline.model.ir import CONSTRUCTOR, Param

PLAIN = -2
"""The receiver of a function that has none of its own."""


class KotlinMembers(Members):
    """Lookup of members in classes of Kotlin and Java."""

    names: KotlinNames

    def forget(self) -> None:
        """What is kept about properties, whose types may have become known."""
        self._fields.clear()

    def own_field(self, made: Class, name: str) -> tuple[Type] | None:
        """The type of a field or property that a class declares itself."""
        if not self.names.of_kotlin(made.number):
            return super().own_field(made, name)
        file = self.program.files[made.unit]
        row = made.fields.get(name)
        if row is None:
            return None
        found = self.declared(file, row, made.scope)
        if found is None:
            getter = self.names.getters.get((made.unit, made.scope, name))
            if getter is not None:
                found = self.signatures.result(getter)
        return (found,)

    def getter(self, made: Class, name: str) -> Function | None:
        """What runs when a property that a class declares itself is read."""
        return self.names.getters.get((made.unit, made.scope, name))

    def _above(self, number: int, name: str) -> Found:
        found = super()._above(number, name)
        kept = [each for each in found.candidates if _is_plain(each.function)]
        return Found(kept, found.open)

    def constructors(self, number: int) -> list[Candidate]:
        """All constructors of a class; that of a header is no function of the units."""
        made = self.program.classes[number]
        found = list(self.methods(self.names.raw(number), INIT).candidates)
        if self.names.of_kotlin(number) and not made.flags & CONSTRUCTOR:
            found.append(Candidate(self._header(made), {}))
        return found

    def _header(self, made: Class) -> Function:
        file = self.program.files[made.unit]
        parent = file.scopes[made.scope].parent
        types: list[Type] = []
        for kind, _, op in made.header:
            each = self.names.type_of(file, op, parent, made.scope) if op >= 0 else None
            types.append(("a", each) if kind == Param.STAR else each)
        return Function(
            unit=-1, scope=-1, name=INIT, owner=made.number, flags=0, parameters=made.header,
            variables=[], returns=-1, receiver=PLAIN, types=tuple(types),
            starred=any(kind == Param.STAR for kind, _, _ in made.header), optional=made.optional,
        )  # fmt: skip

    def extensions(self, kind: Kind, name: str) -> list[Candidate]:
        """Members of a type that extend another one."""
        found: list[Candidate] = []
        for each in self.names.supers(kind) if kind[0] == "c" else ():
            if each[0] == "c":
                bindings = self.names.bindings(each)
                for function in self.program.of(each).methods.get(name, ()):
                    if function.receiver >= 0 and function.owner >= 0:
                        found.append(Candidate(function, bindings))
        return found

    def extension_properties(self, kind: Type, name: str) -> list[Function]:
        """Getters in a class of properties that extend another one."""
        found: list[Function] = []
        for each in self.names.supers(kind) if kind is not None and kind[0] == "c" else ():
            if each[0] == "c":
                found += self.names.inner_properties.get((each[1], name), ())
        return found

    def java_getter(self, kind: Type, name: str) -> Candidate | None:
        """The method of Java that reading `name` calls."""
        kind = self.names.erased(kind)
        if kind is None or kind[0] != "c" or not name:
            return None
        word = name[0].upper() + name[1:]
        for called in (f"get{word}", name if name.startswith("is") else ""):
            for each in self.methods(kind, called).candidates if called else ():
                function = each.function
                java = function.unit >= 0 and not self.names.of_kotlin(function.owner)
                if java and not function.parameters and not function.static:
                    return each
        return None


def _is_plain(function: Function) -> bool:
    return function.unit < 0 or (function.owner >= 0 and function.receiver == PLAIN)

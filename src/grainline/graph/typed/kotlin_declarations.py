"""Declarations of Kotlin, and how Java sees them."""

from __future__ import annotations

from grainline.graph.typed.facts import RESOLVED
from grainline.graph.typed.frames import Frame, Target
from grainline.graph.typed.kotlin_frames import KotlinFrame
from grainline.graph.typed.kotlin_names import is_kotlin
from grainline.graph.typed.kotlin_statements import KotlinStatements
from grainline.graph.typed.program import Class, Function
from grainline.graph.typed.types import Type
from grainline.model.edge import EdgeType, Method
from grainline.model.ir import (
    OVERRIDE,
    PRIVATE,
)


class KotlinDeclarations(KotlinStatements):
    """Bases, imports, what overrides what."""

    def _bases(self, frame: Frame, op: int, number: int) -> None:
        made = self.program.classes[number]
        if not self.names.of_kotlin(number):
            super()._bases(frame, op, number)
            return
        for kind, (base, _) in zip(made.supers, made.bases, strict=True):
            if kind is None or kind[0] != "c" or kind[1] == number:
                continue
            implements = self.program.of(kind).interface and not made.interface
            what = EdgeType.IMPLEMENTS if implements else EdgeType.INHERITS
            self.fact(what, frame, base, self.place(kind[1]), Method.SCOPE, RESOLVED, made.scope)

    def _super(self, number: int) -> Type:
        made = self.program.classes[number]
        if not self.names.of_kotlin(number):
            return super()._super(number)
        for kind, (_, port) in zip(made.supers, made.bases, strict=True):
            if kind is not None and kind[0] == "c" and not self.program.of(kind).interface:
                return kind
            if port == 0 and kind is not None and kind[0] != "c":
                return kind
        kinds = [kind for kind in made.supers if kind is not None]
        return kinds[0] if len(kinds) == 1 else super()._super(number)

    def _import(self, frame: KotlinFrame, op: int) -> None:
        file = frame.file
        _, a, b, _, _, _ = file.ops[op]
        module, name = file.names[a], file.names[b]
        kind = self.names.member_type(file, module, name)
        if kind is not None and kind[0] == "c":
            self.fact(EdgeType.IMPORTS, frame, op, self.place(kind[1]), Method.SCOPE, RESOLVED)
        for functions in self.names.functions(file, module, name):
            for each in functions:
                place = (each.unit, each.scope)
                self.fact(EdgeType.IMPORTS, frame, op, place, Method.SCOPE, RESOLVED)
            break
        outer = self.names.dotted(file, module)
        if outer >= 0:
            inside = self.members.methods(self.names.raw(outer), name).candidates
            for each_of in inside:
                if each_of.function.unit >= 0:
                    place = (each_of.function.unit, each_of.function.scope)
                    self.fact(EdgeType.IMPORTS, frame, op, place, Method.SCOPE, RESOLVED)

    def may_override(self, function: Function, other: Class) -> bool:
        """What overrides says so; Java needs no word."""
        file = self.program.files[function.unit]
        if not is_kotlin(file):
            return True
        del other
        return bool(function.flags & OVERRIDE) and not function.flags & PRIVATE

    def _constructors(self, kind: Type) -> Target:
        target = super()._constructors(kind)
        if kind is not None and kind[0] == "c" and self.names.of_kotlin(kind[1]):
            return target._replace(candidates=self.members.constructors(kind[1]))
        return target

    def method(self, frame: Frame, owner: Type, name: str) -> Target:
        """What a call of Java means: of a class of Kotlin, the object that stands for it too."""
        target = super().method(frame, owner, name)
        if target.candidates or owner is None or owner[0] != "t":
            return target
        kind = owner[1]
        if kind is None or kind[0] != "c" or kind[1] not in self.names.companions:
            return target
        companion = self.names.raw(self.names.companions[kind[1]])
        found = self.members.methods(companion, name)
        return self._found(found, name, Method.SCOPE) if found.candidates else target

    def _generated(self, made: Class, name: str) -> bool:
        """Whether the language makes a method: what reads and sets properties, parts of data."""
        if super()._generated(made, name):
            return True
        if not self.names.of_kotlin(made.number):
            return False
        if name == "copy" or name.startswith("component"):
            return True
        word = name.removeprefix("get").removeprefix("set")
        return word != name and word[:1].lower() + word[1:] in made.fields

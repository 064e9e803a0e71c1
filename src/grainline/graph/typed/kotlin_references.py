"""Functions of Kotlin as values: those without a name, and references."""

from __future__ import annotations

from typing import Any

from grainline.graph.typed.facts import RESOLVED, UNSURE
from grainline.graph.typed.frames import Frame
from grainline.graph.typed.kotlin_calls import KotlinCalls
from grainline.graph.typed.kotlin_frames import KotlinFrame
from grainline.graph.typed.kotlin_library import function_type
from grainline.graph.typed.kotlin_overloads import Given
from grainline.graph.typed.kotlin_search import constructs
from grainline.graph.typed.overloads import Candidate
from grainline.graph.typed.program import File
from grainline.graph.typed.references import Body
from grainline.graph.typed.types import Type, substitute
from grainline.model.edge import EdgeType, Method
from grainline.model.ir import (
    ARGUMENTS,
)


class KotlinReferences(KotlinCalls):
    """Functions as values."""

    _probing = False
    """Whether types are looked for that nobody writes: what is found then says nothing else."""

    def _scope(
        self,
        file: File,
        number: int,
        parent: Frame | None,
        given: Candidate | None,
        *,
        doubt: bool,
        label: str,
    ) -> Body:
        """Evaluate a scope; `doubt`: it may run on something of which nothing is known."""
        raise NotImplementedError

    def _settled_as(
        self, frame: KotlinFrame, op: int, kind: Type, *, doubt: bool, label: str = ""
    ) -> Body:
        """Evaluate a function without a name, or a reference, as a value of some type."""
        file = frame.file
        values = self.values[file.number]
        value = values[op]
        if value is None or value[0] not in "fr":
            return None
        shape = self.signatures.functional(self.names.erased(kind)) if kind is not None else None
        if value[0] == "r":
            values[op] = kind
            result = self._referred(frame, op, value, shape)
            return result
        self.flow.made(file.number, op, (file.number, value[1]))
        unknown = doubt and shape is None
        result = yield self._scope(file, value[1], frame, shape, doubt=unknown, label=label)
        values[op] = kind if shape is not None else self._type_of_function(file, value[1], result)
        return result

    def _type_of_function(self, file: File, scope: int, result: Type) -> Type:
        function = file.functions.get(scope)
        if function is None or file.scopes[scope].flags & ARGUMENTS or function.receiver >= 0:
            return None
        return function_type(list(self.signatures.types(function)), function.result or result)

    def _referred(
        self, frame: KotlinFrame, op: int, value: tuple[Any, ...], shape: Candidate | None
    ) -> Type:
        """The function that `::f` or `A::f` means for a target; its result."""
        owner, name = value[1], value[2]
        given: list[Type] | None = None
        if shape is not None:
            given = [
                self._erase(substitute(kind, shape.bindings))
                for kind in self.signatures.types(shape.function)
            ]
        found, sure = self._functions_of(frame, owner, name)
        if given is not None and len(found) > 1:
            found = self._that_take(found, owner, given)
        tier = RESOLVED if sure and len(found) == 1 else UNSURE
        if self._probing:
            tier = UNSURE
        for each in found:
            if each.function.unit >= 0:
                place = (each.function.unit, each.function.scope)
                self.fact(EdgeType.REFERENCES, frame, op, place, Method.SCOPE, tier)
                if tier == RESOLVED:
                    self.flow.made(frame.file.number, op, place)
            elif constructs(each.function) and each.function.owner >= 0:
                target = self.place(each.function.owner)
                self.fact(EdgeType.REFERENCES, frame, op, target, Method.SCOPE, tier)
        if len(found) != 1:
            return None
        if constructs(found[0].function):
            return self.names.raw(found[0].function.owner)
        return self._result_of(found[0].function, dict(found[0].bindings))

    def _that_take(self, found: list[Candidate], owner: Type, given: list[Type]) -> list[Candidate]:
        static = owner is not None and owner[0] == "t"
        for kinds in (given[1:], given) if static and given else (given,):
            none: list[int | None] = [None] * len(kinds)
            fits = self.signatures.fits(found, Given([], kinds, none, [""] * len(kinds)))
            if fits:
                return [fit.each for fit in fits]
        return found

    def _functions_of(
        self, frame: KotlinFrame, owner: Type, name: str
    ) -> tuple[list[Candidate], bool]:
        """All functions that a reference may mean, and whether nothing else can."""
        if owner is not None:
            kind = owner[1] if owner[0] == "t" else owner
            kind = self.names.erased(self._super(kind[1]) if kind and kind[0] == "s" else kind)
            if kind is None or kind[0] not in "cx":
                return [], False
            found = [e for e in self.members.methods(kind, name).candidates if e.function.unit >= 0]
            if self.members.field(kind, name) is not None:
                return [], False
            if not found and kind[0] == "c":
                inner = self.names.nested(self.program.of(kind), name)
                if inner >= 0:
                    return self._constructors_of(inner), True
            for more in self._extensions(frame, kind, name) if not found else ():
                if more:
                    return more, not self.names.open(kind) or kind[0] == "x"
            return found, True
        for level in self.levels(frame):
            if level.frame is not None:
                if name in level.frame.env:
                    return [], False
                inside = self._inside.get((level.frame.file.number, level.frame.scope), {})
                if name in inside:
                    return [Candidate(each, {}) for each in inside[name]], True
                continue
            kind = self.names.erased(level.receiver)
            if kind is None or kind[0] != "c":
                continue
            if self.members.field(kind, name) is not None:
                return [], False
            found = self.members.methods(kind, name).candidates
            if found:
                return [e for e in found if e.function.unit >= 0], not level.doubt
        return self._functions_of_package(frame, name)

    def _functions_of_package(self, frame: KotlinFrame, name: str) -> tuple[list[Candidate], bool]:
        file = frame.file
        lexical = self.names.lexical(file, frame.scope, name)
        if lexical is not None and lexical[0] == "c":
            return self._constructors_of(lexical[1]), True
        for level in self.names.modules_of(file, name):
            together: list[Candidate] = []
            for module, word in level:
                if self.names.value(file, module, word):
                    return [], False
                for functions in self.names.functions(file, module, word):
                    together += [Candidate(each, {}) for each in functions if each.receiver < 0]
                    break
                number = self.names.in_package(file, module, word)
                if number is not None and number >= 0:
                    together += self._constructors_of(number)
            if together:
                return together, not self._doubt(frame)
        return [], False


def is_value(kind: Type) -> bool:
    """Whether a value is a function whose target is not known yet."""
    return kind is not None and kind[0] in "fr"

"""Functions without a name, and references to functions: evaluated as what they stand for."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias

from grainline.graph.typed.facts import RESOLVED, UNSURE
from grainline.graph.typed.frames import Frame, Target
from grainline.graph.typed.inference import Inference
from grainline.graph.typed.overloads import Candidate
from grainline.graph.typed.program import INIT, File
from grainline.graph.typed.types import Type, cut, substitute
from grainline.model.edge import EdgeType, Method

Body: TypeAlias = "Generator[Any, Type, Type]"
"""Yields the bodies that it asks for, takes their results, returns its own."""


class References(Inference):
    """Functions as values."""

    def scope(self, file: File, number: int, parent: Frame | None, given: Candidate | None) -> Body:
        """Evaluate a scope; `given` is what a function without a name stands for."""
        raise NotImplementedError

    def _with_functions(
        self,
        frame: Frame,
        op: int,
        found: list[Candidate],
        target: Target,
        arguments: list[int],
    ) -> Body:
        """A call that passes functions: they are evaluated as what the callee takes."""
        values = self.values[frame.file.number]
        bound: dict[tuple[Any, str], Type] = {}
        each = found[0] if len(found) == 1 else None
        if each is not None:
            bound = dict(each.bindings)
            types = self.signatures.types(each.function)
            for at, argument in enumerate(arguments):
                if at < len(types):
                    self.unify(types[at], values[argument], bound)
        for at, argument in enumerate(arguments):
            kind = values[argument]
            if kind is None or kind[0] not in "fr":
                continue
            wanted: Type = None
            if each is not None:
                types = self.signatures.types(each.function)
                wanted = types[min(at, len(types) - 1)] if types else None
                starred = each.function.starred and at >= len(types) - 1
                if starred and wanted is not None and wanted[0] == "a":
                    wanted = wanted[1]
            target_type = cut(substitute(wanted, bound))
            result = yield self._settled(frame, argument, target_type)
            shape = self.signatures.functional(self.names.erased(wanted)) if wanted else None
            if shape is not None:
                inner = substitute(self.signatures.result(shape.function), shape.bindings)
                self.unify(inner, result, bound)
        return self._result(frame, op, found, target, arguments, bound)

    def _settled(self, frame: Frame, op: int, kind: Type) -> Body:
        """Evaluate a function without a name, or a reference, as a value of some type."""
        file = frame.file
        values = self.values[file.number]
        value = values[op]
        assert value is not None
        shape = self.signatures.functional(self.names.erased(kind)) if kind is not None else None
        values[op] = kind
        if value[0] == "r":
            return self._reference(frame, op, value, shape)
        self.flow.made(file.number, op, (file.number, value[1]))
        result = yield self.scope(file, value[1], frame, shape)
        return result

    def _reference(
        self, frame: Frame, op: int, value: tuple[Any, ...], shape: Candidate | None
    ) -> Type:
        """The function that `A::f` means for a target; its result."""
        owner, name = value[1], value[2]
        given: list[Type] | None = None
        if shape is not None:
            given = [
                self._erase(substitute(kind, shape.bindings))
                for kind in self.signatures.types(shape.function)
            ]
        if name == "new":
            return self._made_by_reference(frame, op, owner, given)
        target = self.method(frame, owner, name)
        found = target.candidates
        if given is not None:
            static = owner is not None and owner[0] == "t"
            best = self.signatures.choose(found, given, [None] * len(given))
            if static and given:
                best = [e for e in best if e.function.static or e.function.unit < 0]
                rest = given[1:]
                more = self.signatures.choose(found, rest, [None] * len(rest))
                best += [e for e in more if not e.function.static and e not in best]
            found = best or found
        tier = RESOLVED if len(found) == 1 else UNSURE
        for each in found:
            if each.function.unit >= 0:
                place = (each.function.unit, each.function.scope)
                self.fact(EdgeType.REFERENCES, frame, op, place, target.method, tier)
                if tier == RESOLVED:
                    self.flow.made(frame.file.number, op, place)
        return self._given(found[0], given or [], {}) if len(found) == 1 else None

    def _made_by_reference(
        self, frame: Frame, op: int, owner: Type, given: list[Type] | None
    ) -> Type:
        kind: Type = owner[1] if owner is not None and owner[0] == "t" else None
        if kind is None or kind[0] != "c":
            return kind
        self.fact(EdgeType.REFERENCES, frame, op, self.place(kind[1]), Method.SCOPE, RESOLVED)
        found = self.members.methods(kind, INIT).candidates
        if given is not None:
            found = self.signatures.choose(found, given, [None] * len(given))
        tier = RESOLVED if len(found) == 1 else UNSURE
        for each in found:
            place = (each.function.unit, each.function.scope)
            self.fact(EdgeType.REFERENCES, frame, op, place, Method.SCOPE, tier)
            if tier == RESOLVED:
                self.flow.made(frame.file.number, op, place)
        return kind

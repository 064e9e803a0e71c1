"""Which function a call means, and what it gives."""

from __future__ import annotations

from typing import Any

from grainline.graph.typed.facts import RESOLVED, UNSURE
from grainline.graph.typed.frames import Frame, Target
from grainline.graph.typed.operators import common
from grainline.graph.typed.overloads import Candidate
from grainline.graph.typed.program import INIT, File, Function
from grainline.graph.typed.targets import Targets
from grainline.graph.typed.types import NULL, STRING, Type, boxed, cut, substitute
from grainline.model.edge import EdgeType, Why
from grainline.model.ir import Op


class Inference(Targets):
    """Results of calls."""

    def _chosen(
        self, frame: Frame, op: int, target: Target, arguments: list[int]
    ) -> list[Candidate]:
        """The functions that a call means, and their edges; else a leaf."""
        values = self.values[frame.file.number]
        kinds = [values[at] for at in arguments]
        kinds = [None if kind is not None and kind[0] in "tks" else kind for kind in kinds]
        shapes = [self._shape(frame.file, kind) for kind in kinds]
        found = target.candidates
        best = self.signatures.choose(found, kinds, shapes) if found else []
        if found and not best and not (target.name and target.why is Why.EXTERNAL):
            fitting = [each for each in found if _counts(each.function, len(arguments))]
            best = fitting if len(fitting) == 1 else []
        inside = [each for each in best if each.function.unit >= 0]
        tier = RESOLVED if len(best) == 1 else UNSURE
        for each in inside:
            place = (each.function.unit, each.function.scope)
            self.fact(EdgeType.CALLS, frame, op, place, target.method, tier)
        made = frame.file.ops[op][0] == Op.NEW and target.why is Why.NATIVE
        if not inside and not made:
            name, why = target.name, target.why
            if best:
                why = Why.EXTERNAL
            self.leaves[frame.file.number, op] = (frame.scope, name, why)
        if len(best) == 1:
            self._moved(frame, op, best[0], arguments)
        return best

    def _moved(self, frame: Frame, op: int, each: Candidate, arguments: list[int]) -> None:
        """Functions that a call passes and gives; what a call of a function calls."""
        unit = frame.file.number
        function = each.function
        callee = frame.file.ops[frame.file.ops[op][1]]
        if function.abstract and callee[0] == Op.GETATTR:
            owner = self.values[unit][callee[1]]
            if self.carries(owner):
                self.flow.call(self.flow.of(unit, callee[1]), unit, frame.scope, op)
        if function.unit < 0:
            return
        for (_, name, _), argument in zip(function.parameters, arguments, strict=False):
            kind = self.values[unit][argument]
            if kind is not None and (kind[0] in "fr" or self.carries(kind)):
                place = ("v", function.unit, function.scope, name)
                self.flow.move(self.flow.of(unit, argument), place)
        if function.name != INIT and self.carries(self.signatures.result(function)):
            self.flow.where[unit, op] = ("r", function.unit, function.scope)

    def _shape(self, file: File, kind: Type) -> int | None:
        if kind is None or kind[0] not in "fr":
            return None
        if kind[0] == "r":
            return -1
        function = file.functions[kind[1]]
        return len(function.parameters)

    def _result(
        self,
        frame: Frame,
        op: int,
        found: list[Candidate],
        target: Target,
        arguments: list[int],
        bound: dict[tuple[Any, str], Type],
    ) -> Type:
        """The type of the result of a call."""
        file = frame.file
        values = self.values[file.number]
        code, a, _, _, _, _ = file.ops[op]
        if code == Op.NEW:
            return self._instance(frame, a, found, [values[at] for at in arguments])
        callee = file.ops[a]
        if not found:
            return self._generated_result(frame, callee)
        results = [self._given(each, [values[at] for at in arguments], bound) for each in found[:4]]
        first = results[0]
        if len(results) > 1 and any(each != first for each in results):
            return common(self.signatures, results)
        if first is None or target.why is not Why.EXTERNAL:
            return first
        if callee[0] == Op.GETATTR and file.names[callee[2]] == "getClass":
            return ("x", "java.lang.Class", (values[callee[1]],))
        return first

    def _generated_result(self, frame: Frame, callee: list[int]) -> Type:
        """What a method gives that the language makes."""
        file = frame.file
        if callee[0] not in (Op.GETATTR, Op.LOAD):
            return None
        name = file.names[callee[2] if callee[0] == Op.GETATTR else callee[1]]
        owner: Type = None
        if callee[0] == Op.GETATTR:
            owner = self.values[file.number][callee[1]]
        elif (number := self.around(frame)) >= 0:
            owner = self.names.own(number)
        if owner is not None and owner[0] == "t":
            owner = owner[1]
        if owner is None:
            return None
        if owner[0] == "a" and name == "clone":
            return owner
        if owner[0] != "c":
            return None
        if name == "values":
            return ("a", owner)
        if name == "valueOf":
            return owner
        if name in {"name", "toString"}:
            return STRING
        if name in {"ordinal", "compareTo"}:
            return ("p", "int")
        found = self.members.own_field(self.program.of(owner), name)
        return substitute(found[0], self.names.bindings(owner)) if found is not None else None

    def _instance(self, frame: Frame, a: int, found: list[Candidate], kinds: list[Type]) -> Type:
        file = frame.file
        row = file.ops[a]
        if row[0] == Op.CLASS:
            return ("c", file.classes[row[1]], ())
        kind = self._made(frame, a)
        if kind is None or kind[0] != "c" or kind[2] or len(found) != 1:
            return kind
        made = self.program.of(kind)
        names = list(dict.fromkeys(name for name, _ in made.variables))
        if not names:
            return kind
        bound: dict[tuple[Any, str], Type] = {}
        for argument, wanted in zip(kinds, self.signatures.types(found[0].function), strict=False):
            self.unify(wanted, argument, bound)
        return ("c", kind[1], tuple(bound.get((kind[1], name)) for name in names))

    def _given(
        self, each: Candidate, kinds: list[Type], bound: dict[tuple[Any, str], Type]
    ) -> Type:
        """The result of one function, with what its variables stand for."""
        function = each.function
        result = self.signatures.result(function)
        if result is None or result[0] == "p":
            return result
        bindings = {**each.bindings, **bound}
        types = self.signatures.types(function)
        for at, argument in enumerate(kinds):
            wanted = types[min(at, len(types) - 1)] if types else None
            if function.starred and at >= len(types) - 1 and wanted is not None:
                exact = at == len(types) - 1 == len(kinds) - 1 and argument and argument[0] == "a"
                wanted = wanted if exact or wanted[0] != "a" else wanted[1]
            self.unify(wanted, argument, bindings)
        self._default(function, bindings)
        return cut(self._erase(substitute(result, bindings)))

    def _default(self, function: Function, bindings: dict[tuple[Any, str], Type]) -> None:
        """What is not known of a variable is its bound."""
        if function.unit < 0:
            return
        key = (function.unit, function.scope)
        for name, _ in function.variables:
            if (key, name) not in bindings:
                bindings[key, name] = self.names.erased(("v", key, name))
        if function.owner >= 0:
            for name, _ in self.program.classes[function.owner].variables:
                if (function.owner, name) not in bindings:
                    bindings[function.owner, name] = self.names.erased(("v", function.owner, name))

    def unify(
        self, wanted: Type, given: Type, bound: dict[tuple[Any, str], Type], depth: int = 4
    ) -> None:
        """Learn what variables of `wanted` stand for from a value of the type `given`."""
        if wanted is None or given is None or given == NULL or given[0] in "frtks":
            return
        if wanted[0] == "v":
            key = (wanted[1], wanted[2])
            if bound.get(key) is None:
                bound[key] = boxed(given)
            return
        if not depth:
            return
        if wanted[0] == "a" and given[0] == "a":
            self.unify(wanted[1], given[1], bound, depth - 1)
        elif wanted[0] in "cx" and wanted[2]:
            for each in self.names.supers(self.names.erased(boxed(given))):
                if each[:2] == wanted[:2]:
                    for inner, argument in zip(wanted[2], each[2], strict=False):
                        self.unify(inner, argument, bound, depth - 1)
                    return

    def _erase(self, kind: Type) -> Type:
        """Variables of methods that are not there mean nothing."""
        if kind is not None and kind[0] == "v" and isinstance(kind[1], tuple) and kind[1][0] < 0:
            return None
        return kind


def _counts(function: Function, count: int) -> bool:
    """Whether a function takes so many arguments."""
    wanted = len(function.parameters)
    return wanted == count or (function.starred and wanted - 1 <= count)

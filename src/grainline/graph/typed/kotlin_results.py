"""Calls of Kotlin as they are evaluated: edges, functions that are passed, results."""

from __future__ import annotations

from typing import Any, Final

from grainline.graph.typed.kotlin_frames import KotlinFrame
from grainline.graph.typed.kotlin_overloads import TRAILING, Fit, Given
from grainline.graph.typed.kotlin_references import KotlinReferences, is_value
from grainline.graph.typed.kotlin_search import Meant, constructs
from grainline.graph.typed.program import File
from grainline.graph.typed.references import Body
from grainline.graph.typed.types import Type, cut, substitute
from grainline.model.edge import EdgeType, Why
from grainline.model.ir import (
    Op,
)


class KotlinResults(KotlinReferences):
    """The evaluation of calls."""

    def _called(self, frame: KotlinFrame, op: int, a: int) -> Body:
        """A call: its edges, the functions that it passes, what it gives."""
        meant, given = self.meant(frame, op, a)
        values = self.values[frame.file.number]
        self._said(frame, op, meant)
        fit = meant.fits[0] if len(meant.fits) == 1 else None
        bound: dict[tuple[Any, str], Type] = {}
        if fit is not None:
            bound = self._bound(fit, given)
        elif meant.shape is not None:
            bound = dict(meant.shape.bindings)
        label = self._callee_name(frame.file, a)
        for at, op_of in enumerate(given.ops):
            if not is_value(values[op_of]):
                continue
            wanted = self._wanted(meant, fit, given, at)
            doubt = self._may_be_called_on(meant, fit, given, at)
            own = cut(self._erase(substitute(wanted, bound)))
            result = yield from self._settled_as(frame, op_of, own, doubt=doubt, label=label)
            shape = self.signatures.functional(self.names.erased(wanted)) if wanted else None
            if shape is not None:
                inner = substitute(self.signatures.result(shape.function), shape.bindings)
                self.unify(inner, result, bound)
        self._flows(frame, op, meant, fit, given)
        return self._gives(frame, op, meant, given, bound)

    def _callee_name(self, file: File, a: int) -> str:
        while file.ops[a][0] == Op.GETITEM:
            a = file.ops[a][1]
        code, x, y, _, _, _ = file.ops[a]
        return file.names[x] if code == Op.LOAD else file.names[y] if code == Op.GETATTR else ""

    def _said(self, frame: KotlinFrame, op: int, meant: Meant) -> None:
        """Edges of a call, or why there are none."""
        if self._probing:
            return
        tier = self.tier(frame, meant)
        inside = [fit for fit in meant.fits if fit.each.function.unit >= 0]
        for fit in inside:
            place = (fit.each.function.unit, fit.each.function.scope)
            self.fact(EdgeType.CALLS, frame, op, place, meant.method, tier)
        self.instantiated(frame, op, meant)
        made = meant.kind is not None and meant.kind[0] == "c"
        header = any(constructs(fit.each.function) for fit in meant.fits)
        silent = meant.why is Why.NATIVE and (made or not meant.name)
        if not inside and not header and not silent:
            self.leaves[frame.file.number, op] = (frame.scope, meant.name, meant.why)

    def _wanted(self, meant: Meant, fit: Fit | None, given: Given, at: int) -> Type:
        """The type that a parameter has which an argument meets."""
        if fit is not None:
            types = self.signatures.types(fit.each.function)
            wanted = types[fit.order[at]]
            if fit.expanded and wanted is not None and wanted[0] == "a":
                wanted = wanted[1]
            return wanted
        if meant.fits:
            shapes = {
                str(kind[1])[:12] if kind is not None and kind[0] == "x" else ""
                for each in meant.fits
                for kind in (each.types[at],)
            }
            if len(shapes) == 1:
                first = meant.fits[0].types[at]
                return first if all(each.types[at] == first for each in meant.fits) else None
            return None
        if meant.shape is not None:
            if meant.kind is not None and meant.place < 0:
                return meant.kind  # `Interface { ... }`
            types = self.signatures.types(meant.shape.function)
            if given.words[at] == TRAILING:
                return types[-1] if types else None
            return types[at] if at < len(types) else None
        return None

    def _may_be_called_on(self, meant: Meant, fit: Fit | None, given: Given, at: int) -> bool:
        """Whether a function that is passed may run on something that is not known."""
        if meant.known:
            return False
        wanted = self.names.erased(self._wanted(meant, fit, given, at))
        if wanted is None:
            return True
        if wanted[0] == "x":
            return not str(wanted[1]).startswith(("kotlin.Function", "java."))
        return False

    def _flows(
        self, frame: KotlinFrame, op: int, meant: Meant, fit: Fit | None, given: Given
    ) -> None:
        """Functions that a call passes and gives."""
        unit = frame.file.number
        values = self.values[unit]
        if meant.shape is not None and meant.place >= 0:
            self.flow.call(self.flow.of(unit, meant.place), unit, frame.scope, op)
        elif meant.shape is not None:
            for at in given.ops:  # `Interface { ... }` is what is passed
                self.flow.move(self.flow.of(unit, at), ("o", unit, op))
        if fit is None or fit.each.function.unit < 0:
            self._flows_into_class(frame, meant, fit, given)
            return
        function = fit.each.function
        for number, at in zip(fit.order, given.ops, strict=True):
            if self.carries(values[at]) or is_value(values[at]):
                place = ("v", function.unit, function.scope, function.parameters[number][1])
                self.flow.move(self.flow.of(unit, at), place)
        callee = frame.file.ops[frame.file.ops[op][1]]
        if function.abstract and callee[0] == Op.GETATTR:
            owner = values[callee[1]]
            if self.carries(owner):
                self.flow.call(self.flow.of(unit, callee[1]), unit, frame.scope, op)
        if not constructs(function) and self.carries(self.signatures.result(function)):
            self.flow.where[unit, op] = ("r", function.unit, function.scope)

    def _flows_into_class(
        self, frame: KotlinFrame, meant: Meant, fit: Fit | None, given: Given
    ) -> None:
        """What the header of a class takes becomes its properties, and what its making sees."""
        if fit is None or not constructs(fit.each.function) or meant.kind is None:
            return
        unit = frame.file.number
        made = self.program.classes[fit.each.function.owner]
        for number, at in zip(fit.order, given.ops, strict=True):
            if self.carries(self.values[unit][at]):
                name = fit.each.function.parameters[number][1]
                source = self.flow.of(unit, at)
                self.flow.move(source, ("v", made.unit, made.scope, name))
                if name in made.fields:
                    self.flow.move(source, ("f", made.number, name))

    def _gives(
        self,
        frame: KotlinFrame,
        op: int,
        meant: Meant,
        given: Given,
        bound: dict[tuple[Any, str], Type],
    ) -> Type:
        """The type of the result of a call."""
        if meant.shape is not None and meant.place >= 0:
            result = self.signatures.result(meant.shape.function)
            return cut(self._erase(substitute(result, meant.shape.bindings)))
        if meant.fits and not all(constructs(fit.each.function) for fit in meant.fits):
            results: list[Type] = []
            for fit in meant.fits[:4]:
                mine = bound if len(meant.fits) == 1 else self._bound(fit, given)
                results.append(self._result_of(fit.each.function, mine))
            if len(meant.fits) > 1 and (
                len(meant.fits) > 4 or any(r != results[0] for r in results)
            ):
                return None
            return self._known_result(frame, op, given, results[0])
        if meant.kind is None:
            return meant.gives
        return self._instance_of(meant.kind, meant, given, bound)

    def _known_result(self, frame: KotlinFrame, op: int, given: Given, kind: Type) -> Type:
        """What functions of the library give that say it by a type argument."""
        name = self._callee_name(frame.file, frame.file.ops[op][1])
        if name == "filterIsInstance" and given.explicit and kind is not None:
            return (kind[0], kind[1], given.explicit[:1])
        if kind is not None and len(given.explicit) == 1 and name in _COLLECTIONS:
            return (kind[0], kind[1], given.explicit)
        return kind

    def _instance_of(
        self, kind: Type, meant: Meant, given: Given, bound: dict[tuple[Any, str], Type]
    ) -> Type:
        if kind is None or kind[0] != "c":
            return kind
        names = list(dict.fromkeys(name for name, _ in self.program.of(kind).variables))
        if not names:
            return kind
        if len(given.explicit) == len(names):
            return ("c", kind[1], given.explicit)
        del meant
        return ("c", kind[1], tuple(bound.get((kind[1], name)) for name in names))


_COLLECTIONS: Final = frozenset(
    {"listOf", "mutableListOf", "setOf", "mutableSetOf", "emptyList", "emptySet", "arrayListOf", "emptyArray",
     "hashSetOf", "linkedSetOf", "sequenceOf", "emptySequence", "mapOf", "mutableMapOf", "arrayOf"}
)  # fmt: skip

"""Functions of Kotlin that extend a type, of the units and of the library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from grainline.graph.typed.kotlin_frames import KotlinFrame
from grainline.graph.typed.kotlin_library import RECEIVER, is_function
from grainline.graph.typed.kotlin_names import is_kotlin
from grainline.graph.typed.kotlin_overloads import Fit, Given
from grainline.graph.typed.kotlin_reading import KotlinReader
from grainline.graph.typed.kotlin_search import Meant
from grainline.graph.typed.overloads import LOOSE, Candidate
from grainline.graph.typed.program import Function
from grainline.graph.typed.types import Kind, Type, boxed, substitute
from grainline.model.edge import Why


class KotlinExtensions(KotlinReader):
    """What extends a type, and is seen from where it is called."""

    def _extending_names(self) -> set[str]:
        """Names of functions of the units that extend something."""
        if not hasattr(self, "_extend"):
            self._extend = {
                function.name
                for file in self.program.files
                if is_kotlin(file)
                for function in file.functions.values()
                if function.receiver >= 0
            }
        return self._extend

    def _extensions(self, frame: KotlinFrame, kind: Kind, name: str) -> Iterator[list[Candidate]]:
        """What extends a type and is seen here, nearest first."""
        if name not in self._extending_names():
            return
        file = frame.file
        for at in frame.around():
            if at.number < 0:
                inside = self._inside.get((at.file.number, at.scope), {})
                yield self._extending(kind, (Candidate(e, {}) for e in inside.get(name, ())))
                if at.called and at.receiver is not None:
                    yield self._extending(kind, self._inner_extensions(at.receiver, name))
            else:
                yield self._extending(kind, self._inner_extensions(self.names.own(at.number), name))
                for companion in self.names.companion_chain(at.number):
                    own = self.names.own(companion)
                    yield self._extending(kind, self._inner_extensions(own, name))
        for level in self.names.modules_of(file, name):
            groups = [list(self.names.functions(file, module, word)) for module, word in level]
            for rank in range(max(map(len, groups), default=0)):
                together = [each for group in groups if rank < len(group) for each in group[rank]]
                yield self._extending(kind, (Candidate(each, {}) for each in together))
            for module, word in level:
                outer = self.names.dotted(file, module) if module != file.package else -1
                if outer >= 0:
                    inner = self.members.extensions(("c", outer, ()), word)
                    yield self._extending(kind, inner)

    def _inner_extensions(self, receiver: Type, name: str) -> list[Candidate]:
        kind = self.names.erased(receiver)
        return self.members.extensions(kind, name) if kind is not None else []

    def _extending(self, kind: Kind, found: Iterable[Candidate]) -> list[Candidate]:
        """Those that extend the type; of several, those of the nearest type."""
        fitting: list[tuple[Type, Candidate]] = []
        for each in found:
            function = each.function
            if function.receiver < 0:
                continue
            bound = self.extends(function, kind)
            if bound is not None:
                wanted = self.names.erased(substitute(self._extended(function), bound))
                bindings = {**each.bindings, **bound}
                fitting.append((wanted, Candidate(function, bindings)))
        if len(fitting) <= 1:
            return [each for _, each in fitting]
        return [
            each
            for wanted, each in fitting
            if not any(
                other != wanted
                and self.signatures.assignable(other, wanted) >= LOOSE
                and self.signatures.assignable(wanted, other) < LOOSE
                and len(one.function.parameters) == len(each.function.parameters)
                for other, one in fitting
            )
        ]

    def _extended(self, function: Function) -> Type:
        file = self.program.files[function.unit]
        parent = file.scopes[function.scope].parent
        return self.names.type_of(file, function.receiver, parent, function.scope)

    def library_fits(self, found: list[Candidate], given: Given) -> list[Fit]:
        """Functions of the library that take the arguments: those of Kotlin before those of Java."""
        fits = self.signatures.fits(found, given) if found else []
        fits = [fit for fit in fits if fit.each.function.unit < 0]
        if len(fits) > 1:
            ours = [fit for fit in fits if any(is_function(kind) for kind in fit.types)]
            fits = ours or fits
        results = [self.signatures.result(fit.each.function) for fit in fits]
        return fits[:1] if all(each == results[0] for each in results) else fits

    def _of_array(self, kind: Kind, name: str) -> list[Candidate]:
        """What an array has as everything that is made of elements."""
        if kind[0] != "a":
            return []
        found = self.names.library.methods(("x", "java.lang.Iterable", (boxed(kind[1]),)), name)
        return [Candidate(*each) for each in found]

    def _called_variable(self, frame: KotlinFrame, a: int, name: str) -> Meant | None:
        """`x.f()` where `f` is a variable whose value is called on something."""
        for level in self.levels(frame):
            if level.frame is not None:
                found = level.frame.env.get(name)
            else:
                field = self.members.field(level.receiver, name)
                found = field[1] if field is not None else None
            if found is not None and found[0] == "x" and str(found[1]).startswith(RECEIVER):
                self._variable(frame, a, name)
                shape = self.signatures.functional(found)
                return Meant([], True, name, Why.DYNAMIC, shape=shape, place=a)
        return None

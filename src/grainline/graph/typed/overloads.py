"""Which of several functions of one name a call means, by number and types of arguments."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from grainline.graph.typed.names import Names
from grainline.graph.typed.program import Function
from grainline.graph.typed.types import BOXES, OBJECT, UNBOXED, Bindings, Type, cut, substitute
from grainline.model.ir import ABSTRACT, STATIC, Param

NO: Final = 0
MAYBE: Final = 1
LOOSE: Final = 2  # a type of the language as a class, or the other way
YES: Final = 3

MAX_UNSURE: Final = 32
"""Functions that a call may mean; more are no answer."""

_WIDER: Final = {
    "byte": {"short", "int", "long", "float", "double"},
    "short": {"int", "long", "float", "double"},
    "char": {"int", "long", "float", "double"},
    "int": {"long", "float", "double"},
    "long": {"float", "double"},
    "float": {"double"},
}


class Candidate(NamedTuple):
    """A function as a member of some type: `bindings` say what its variables stand for."""

    function: Function
    bindings: Bindings


class Signatures:
    """Types of parameters and results, and how they fit."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._functional: dict[int, Candidate | None] = {}

    def types(self, function: Function) -> tuple[Type, ...]:
        """The types of the parameters; of a variable number, that of the array."""
        if function.types is None:
            file = self.names.program.files[function.unit]
            parent = file.scopes[function.scope].parent
            found: list[Type] = []
            for kind, _, op in function.parameters:
                each = self.names.type_of(file, op, parent, function.scope) if op >= 0 else None
                found.append(("a", each) if kind == Param.STAR else each)
            if function.returns >= 0:
                function.result = self.names.type_of(file, function.returns, parent, function.scope)
            function.types = tuple(found)
        return function.types

    def result(self, function: Function) -> Type:
        """The declared type of the result."""
        self.types(function)
        return function.result

    # -------------------------------------------------------------------------- choice

    def choose(
        self, found: list[Candidate], arguments: list[Type], shapes: list[int | None]
    ) -> list[Candidate]:
        """The functions that a call may mean: one when that is sure.

        `shapes` are the numbers of parameters of arguments that are functions, else None.
        """
        count = len(arguments)
        plain = [each for each in found if len(each.function.parameters) == count]
        best = self._applicable(plain, arguments, shapes, starred=False)
        if not best:
            starred = [
                each
                for each in found
                if each.function.starred and len(each.function.parameters) - 1 <= count
            ]
            best = self._applicable(starred, arguments, shapes, starred=True)
        return best

    def _applicable(
        self,
        found: list[Candidate],
        arguments: list[Type],
        shapes: list[int | None],
        *,
        starred: bool,
    ) -> list[Candidate]:
        if not found:
            return []
        rated: list[tuple[int, Candidate]] = []
        for each in found:
            types = self._expanded(each, len(arguments), starred=starred)
            rate = min(
                (
                    self._fits(argument, shape, kind)
                    for argument, shape, kind in zip(arguments, shapes, types, strict=True)
                ),
                default=YES,
            )
            if rate:
                rated.append((rate, each))
        if len(rated) <= 1:
            return [each for _, each in rated]
        sure = [each for rate, each in rated if rate == YES]
        if not sure:
            sure = [each for rate, each in rated if rate == LOOSE]
        unsure = [each for rate, each in rated if rate == MAYBE]
        if sure and not unsure:
            return self._specific(sure, len(arguments), starred=starred)
        if sure:
            best = self._specific(sure, len(arguments), starred=starred)
            # what is less specific than a sure one is not meant
            left = [
                each
                for each in unsure
                if not any(self._below(one, each, len(arguments), starred) for one in best)
            ]
            return [*best, *left] if len(left) <= MAX_UNSURE else []
        return unsure if len(unsure) <= MAX_UNSURE else []

    def _expanded(self, each: Candidate, count: int, *, starred: bool) -> list[Type]:
        types = list(self.types(each.function))
        if each.bindings:
            types = [substitute(kind, each.bindings) for kind in types]
        if starred:
            last = types.pop()
            element = last[1] if last is not None and last[0] == "a" else None
            types += [element] * (count - len(types))
        return types

    def _specific(self, found: list[Candidate], count: int, *, starred: bool) -> list[Candidate]:
        """Those that no other is more specific than."""
        if len(found) == 1:
            return found
        kept = [
            each
            for each in found
            if all(other is each or self._below(each, other, count, starred) for other in found)
        ]
        if len(kept) > 1:
            # the same parameters: one that is not abstract, else the nearest
            solid = [each for each in kept if not each.function.abstract]
            return (solid or kept)[:1]
        return kept or found

    def _below(self, each: Candidate, other: Candidate, count: int, starred: bool) -> bool:
        """Whether whatever fits `each` fits `other`."""
        mine = self._expanded(each, count, starred=starred)
        theirs = self._expanded(other, count, starred=starred)
        return all(
            self.assignable(a, b) == YES or a == b for a, b in zip(mine, theirs, strict=True)
        )

    # -------------------------------------------------------------------------- fit

    def _fits(self, argument: Type, shape: int | None, kind: Type) -> int:
        if shape is None:
            return self.assignable(argument, kind)
        if kind is None:
            return MAYBE
        kind = self.names.erased(kind)
        if kind is None:
            return MAYBE
        if kind[0] in {"p", "a"}:
            return NO
        known = self.functional(kind)
        if known is None:
            if kind[0] == "c":
                return MAYBE if self.names.outside(kind[1]) else NO
            return NO if self.names.library.known(kind) else MAYBE
        if shape < 0:
            return YES
        return YES if len(known.function.parameters) == shape else NO

    def assignable(self, argument: Type, kind: Type) -> int:
        """Whether a value of one type is one of another."""
        if kind is None or argument is None:
            return MAYBE
        if argument == kind:
            return YES
        if kind[0] == "v":
            bound = self.names.erased(kind)
            if bound == OBJECT:
                return LOOSE if argument[0] == "p" and argument[1] != "null" else YES
            kind = bound
            if kind is None:
                return MAYBE
        if argument[0] == "v":
            argument = self.names.erased(argument)
            if argument is None:
                return MAYBE
        if argument[0] == "p":
            return self._from_primitive(argument[1], kind)
        if kind[0] == "p":
            box = UNBOXED.get(argument[1]) if argument[0] == "x" else None
            if box is not None:
                wider = kind[1] in _WIDER.get(box[1], ())
                return LOOSE if box == kind or wider else NO
            return NO if argument[0] != "x" or self.names.library.known(argument) else MAYBE
        if kind == OBJECT:
            return YES
        if kind[0] == "a" or argument[0] == "a":
            if kind[0] == argument[0]:
                inner, outer = argument[1], kind[1]
                if inner is not None and inner[0] == "p":
                    return YES if inner == outer else NO
                return self.assignable(inner, outer) if _shallow(inner) else MAYBE
            return NO
        return self._above(argument, kind)

    def _from_primitive(self, name: str, kind: tuple[Any, ...]) -> int:
        if kind[0] == "p":
            if name == "null":
                return NO
            return YES if kind[1] == name or kind[1] in _WIDER.get(name, ()) else NO
        if name == "null":
            return YES
        if kind[0] != "x":
            return NO
        box = BOXES.get(name)
        if box is None:
            return MAYBE
        return LOOSE if any(each[1] == kind[1] for each in self.names.supers(box)) else NO

    def _above(self, argument: tuple[Any, ...], kind: tuple[Any, ...]) -> int:
        if argument[0] not in {"c", "x"} or kind[0] not in {"c", "x"}:
            return MAYBE if argument[0] in {"f", "r"} else NO
        if argument[:2] == kind[:2]:
            return YES
        if argument[0] == "x":
            if kind[0] == "c":
                return NO if argument[1].startswith(_PLATFORM) else MAYBE
            if kind[1] in _FINAL:
                return NO
            if not self.names.library.known(argument):
                return MAYBE
            if any(each[1] == kind[1] for each in self.names.supers(argument)):
                return YES
            final = argument[1] in _FINAL
            return NO if final or self.names.library.known(kind) else MAYBE
        if any(each[:2] == kind[:2] for each in self.names.above(argument[1])):
            return YES
        outside = [n for n in self.names.outside(argument[1]) if not self.names.library.has(n)]
        return MAYBE if outside else NO

    # -------------------------------------------------------------------------- functions

    def functional(self, kind: Type) -> Candidate | None:
        """The method of a type that a function can stand for."""
        if kind is None:
            return None
        if kind[0] == "x":
            found = self.names.library.function_of(kind)
            return Candidate(*found) if found is not None else None
        if kind[0] != "c":
            return None
        if kind[1] not in self._functional:
            self._functional[kind[1]] = self._single(kind[1])
        known = self._functional[kind[1]]
        if known is None or not kind[2]:
            return known
        outer = self.names.bindings(kind)
        inner = {key: cut(substitute(each, outer)) for key, each in known.bindings.items()}
        return Candidate(known.function, {**outer, **inner})

    def _single(self, number: int) -> Candidate | None:
        made = self.names.program.classes[number]
        if not made.interface:
            return None
        found: dict[str, Candidate] = {}
        solid: set[str] = set()
        for each in self.names.above(number):
            if each[0] == "c":
                bindings = self.names.bindings(each)
                for name, functions in self.names.program.of(each).methods.items():
                    for function in functions:
                        if function.flags & STATIC:
                            continue
                        if function.abstract and name not in _OF_OBJECT:
                            if name not in solid:
                                found.setdefault(name, Candidate(function, bindings))
                        else:
                            solid.add(name)
            else:
                known = self.names.library.rows.get(each[1])
                for name, functions in known.methods.items() if known is not None else ():
                    if functions[0].flags & ABSTRACT and name not in solid:
                        bindings = self.names.library.bindings(each)
                        found.setdefault(name, Candidate(functions[0], bindings))
        return next(iter(found.values())) if len(found) == 1 else None


_OF_OBJECT: Final = frozenset({"equals", "hashCode", "toString"})
_FINAL: Final = frozenset({"java.lang.String", "java.lang.Class", *UNBOXED})
_PLATFORM: Final = ("java.", "javax.", "kotlin.", "System.")


def _shallow(kind: Type) -> bool:
    """Arrays of arrays of arrays are not compared."""
    return kind is None or kind[0] != "a" or kind[1] is None or kind[1][0] != "a"

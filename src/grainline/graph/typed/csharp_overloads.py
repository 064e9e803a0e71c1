"""Which of several methods of C# a call means: optional, named and further arguments, generic ones."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from grainline.graph.typed.csharp_names import CsharpNames
from grainline.graph.typed.overloads import (
    LOOSE,
    MAX_UNSURE,
    MAYBE,
    NO,
    YES,
    Candidate,
    Signatures,
)
from grainline.graph.typed.program import Function
from grainline.graph.typed.types import NULL, OBJECT, STRING, Type, substitute
from grainline.model.ir import OVERRIDE, Param

_INTEGERS: Final = ("sbyte", "byte", "short", "ushort", "int", "uint", "long", "ulong")
_WIDER: Final = {
    "sbyte": {"short", "int", "long", "float", "double", "decimal", "nint"},
    "byte": {"short", "ushort", "int", "uint", "long", "ulong", "float", "double", "decimal"},
    "short": {"int", "long", "float", "double", "decimal", "nint"},
    "ushort": {"int", "uint", "long", "ulong", "float", "double", "decimal"},
    "char": {"ushort", "int", "uint", "long", "ulong", "float", "double", "decimal"},
    "int": {"long", "float", "double", "decimal", "nint"},
    "uint": {"long", "ulong", "float", "double", "decimal"},
    "long": {"float", "double", "decimal"},
    "ulong": {"float", "double", "decimal"},
    "float": {"double"},
}
_FUNCTIONS: Final = frozenset({"System.Delegate", "System.MulticastDelegate"})


class Fit(NamedTuple):
    """A function that takes the arguments: how sure, the types that they meet, ..."""

    rate: int
    types: list[Type]
    expanded: bool
    generic: bool
    missing: int
    place: int
    each: Candidate


class CsharpSignatures(Signatures):
    """Types of parameters and results, and how they fit."""

    names: CsharpNames

    def choose(
        self,
        found: list[Candidate],
        arguments: list[Type],
        shapes: list[int | None],
        words: tuple[str, ...] = (),
        explicit: int = 0,
    ) -> list[Candidate]:
        """The functions that a call may mean: one when that is sure.

        `words` are the names of arguments, "" of those without; `explicit` counts type arguments.
        """
        words = words or ("",) * len(arguments)
        fits: list[Fit] = []
        for place, each in enumerate(found):
            fit = self._fit(each, place, arguments, shapes, words, explicit)
            if fit is not None:
                fits.append(fit)
        if len(fits) <= 1:
            return [fit.each for fit in fits]
        sure = [fit for fit in fits if fit.rate >= LOOSE]
        unsure = [fit for fit in fits if fit.rate == MAYBE]
        best = self._best(sure) if sure else []
        left = [fit for fit in unsure if not any(self._better(one, fit) for one in best)]
        both = [*best, *left]
        return [fit.each for fit in both] if len(both) <= MAX_UNSURE else []

    def _best(self, fits: list[Fit]) -> list[Fit]:
        if len(fits) == 1:
            return fits
        kept = [fit for fit in fits if all(o is fit or self._better(fit, o) for o in fits)] or fits
        if len(kept) == 1:
            # what is declared nearer hides it, whatever it takes
            one = kept[0]
            nearer = [
                fit
                for fit in fits
                if fit.place < one.place
                and fit.each.function.owner != one.each.function.owner
                and not fit.each.function.flags & OVERRIDE
            ]
            return [*kept, *nearer]
        return kept

    def _better(self, one: Fit, other: Fit) -> bool:
        """Whether a call means `one` rather than `other`."""
        pairs = list(zip(one.types, other.types, strict=True))
        if all(a == b for a, b in pairs):
            mine = (one.expanded, one.generic, one.missing)
            return mine < (other.expanded, other.generic, other.missing)
        return all(a == b or self._narrower(a, b) for a, b in pairs)

    def _narrower(self, kind: Type, other: Type) -> bool:
        return self.assignable(kind, other) >= LOOSE and self.assignable(other, kind) == NO

    # -------------------------------------------------------------------------- fit

    def _fit(
        self,
        each: Candidate,
        place: int,
        arguments: list[Type],
        shapes: list[int | None],
        words: tuple[str, ...],
        explicit: int,
    ) -> Fit | None:
        function = each.function
        own = list(dict.fromkeys(name for name, _ in function.variables))
        if explicit and len(own) != explicit and function.unit >= 0:
            return None
        types = [substitute(kind, each.bindings) for kind in self.types(function)]
        if own and not explicit and function.unit >= 0:
            key = (function.unit, function.scope)
            open_ = [*types, *_receivers(each)]
            if not all(any(_mentions(kind, key, name) for kind in open_) for name in own):
                return None
        for expanded in (False, True) if function.starred else (False,):
            met = _meet(function, types, words, expanded=expanded)
            if met is None:
                continue
            wanted, missing = met
            wanted = self._inferred(function, wanted, arguments)
            rate = min(
                (
                    self._fits(argument, shape, kind)
                    for argument, shape, kind in zip(arguments, shapes, wanted, strict=True)
                ),
                default=YES,
            )
            if rate:
                return Fit(rate, wanted, expanded, bool(own), missing, place, each)
        return None

    def _inferred(
        self, function: Function, wanted: list[Type], arguments: list[Type]
    ) -> list[Type]:
        """Types with what the variables of the method stand for; None where that is not known."""
        if function.unit < 0:
            owner: Any = (-1, "()")
            names = dict.fromkeys(("R", "K", "V", "T"))
        elif function.variables:
            owner = (function.unit, function.scope)
            names = dict.fromkeys(name for name, _ in function.variables)
        else:
            return wanted
        bound: dict[tuple[Any, str], Type] = {}
        clash: set[tuple[Any, str]] = set()
        for kind, argument in zip(wanted, arguments, strict=True):
            mine: dict[tuple[Any, str], Type] = {}
            self.learn(kind, argument, mine)
            for key, found in mine.items():
                if bound.setdefault(key, found) != found:
                    clash.add(key)
        bindings = {
            (owner, name): None if (owner, name) in clash else bound.get((owner, name))
            for name in names
        }
        return [substitute(kind, bindings) for kind in wanted]

    def learn(
        self, wanted: Type, given: Type, bound: dict[tuple[Any, str], Type], depth: int = 4
    ) -> None:
        """What variables of `wanted` stand for when a value of the type `given` is passed."""
        if wanted is None or given is None or given == NULL or given[0] in "frtks":
            return
        if wanted[0] == "v":
            key = (wanted[1], wanted[2])
            if bound.get(key) is None:
                bound[key] = given
        elif not depth:
            return
        elif wanted[0] == "a" and given[0] == "a":
            self.learn(wanted[1], given[1], bound, depth - 1)
        elif wanted[0] == "x" and given[0] == "a" and len(wanted[2]) == 1:
            self.learn(wanted[2][0], given[1], bound, depth - 1)
        elif wanted[0] in "cx" and wanted[2]:
            for each in self.names.supers(self.names.erased(given)):
                if each[:2] == wanted[:2]:
                    for inner, argument in zip(wanted[2], each[2], strict=False):
                        self.learn(inner, argument, bound, depth - 1)
                    return

    def _fits(self, argument: Type, shape: int | None, kind: Type) -> int:
        if shape is None:
            return self.assignable(argument, kind)
        if kind is None:
            return MAYBE
        if kind[0] == "v":
            return MAYBE
        if kind[0] in "pa" or kind == STRING:
            return NO
        known = self.functional(kind)
        if known is None:
            if kind[0] == "c":
                return MAYBE if self.names.converts(kind) else NO
            return MAYBE
        return YES if shape < 0 or len(known.function.parameters) == shape else NO

    def assignable(self, argument: Type, kind: Type) -> int:
        """Whether a value of one type is one of another, without a cast."""
        if kind is None or argument is None:
            return MAYBE
        if argument == kind:
            return YES
        if kind[0] == "v":
            bound = self.names.erased(kind)
            if bound == OBJECT:
                return MAYBE if argument[0] == "v" else LOOSE
            kind = bound
        if argument[0] == "v":
            argument = self.names.erased(argument)
            if argument == OBJECT and kind != OBJECT:
                return NO if kind is not None and kind[0] == "p" else MAYBE
        if kind is None or argument is None:
            return MAYBE
        if argument == kind or (argument[:2] == kind[:2] and argument[0] == "x" and not kind[2]):
            return YES
        if self.names.converts(argument) or self.names.converts(kind):
            return self._converted(argument, kind)
        if kind == OBJECT:
            return LOOSE if argument[0] == "p" and argument != NULL else YES
        if argument[0] == "p":
            return self._of_language(argument[1], kind)
        if kind[0] == "p":
            return MAYBE if argument[0] == "x" and argument not in (OBJECT, STRING) else NO
        if kind[0] == "a":
            if argument[0] == "a":
                inner, outer = argument[1], kind[1]
                if inner is not None and inner[0] == "p":
                    return MAYBE if outer is None else NO
                return MAYBE if inner is None or inner[0] == "a" else self.assignable(inner, outer)
            return NO if argument[0] == "c" or argument in (OBJECT, STRING) else MAYBE
        if argument[0] == "a":
            return MAYBE if kind[0] == "x" and kind != STRING else NO
        return self._reference(argument, kind)

    def _converted(self, argument: tuple[Any, ...], kind: tuple[Any, ...]) -> int:
        if argument[0] == "c" and any(e[:2] == kind[:2] for e in self.names.above(argument[1])):
            return YES
        return MAYBE

    def _of_language(self, name: str, kind: tuple[Any, ...]) -> int:
        if name == "null":
            return NO if kind[0] == "p" else YES
        if kind[0] == "p":
            if kind[1] in _WIDER.get(name, ()):
                return YES
            # a constant may be given to what is smaller
            return MAYBE if name == "int" and kind[1] in _INTEGERS else NO
        if kind[0] == "x" and kind != STRING:
            return MAYBE
        if kind[0] == "c" and name == "int":
            return MAYBE  # zero is one of every enumeration
        return NO

    def _reference(self, argument: tuple[Any, ...], kind: tuple[Any, ...]) -> int:
        if argument[0] not in "cx" or kind[0] not in "cx":
            return MAYBE if argument[0] in "fr" else NO
        above = self.names.supers(argument)
        same = [each for each in above if each[:2] == kind[:2]]
        if same:
            exact = any(_alike(each[2], kind[2]) for each in same)
            return YES if exact else MAYBE
        if argument[0] == "c":
            return MAYBE if self.names.outside(argument[1]) else NO
        if argument in (OBJECT, STRING):
            return NO if kind[0] == "c" or argument == OBJECT or kind == STRING else MAYBE
        if kind[0] == "c":
            return NO if argument[1].startswith("System.") else MAYBE
        return NO if kind == STRING and argument[1].startswith("System.") else MAYBE

    # -------------------------------------------------------------------------- functions

    def functional(self, kind: Type) -> Candidate | None:
        """The method of a type that a function can stand for: of delegates alone."""
        if kind is None:
            return None
        if kind[0] == "c":
            if not self.names.is_delegate(kind):
                return None
            (function,) = self.names.program.of(kind).methods["Invoke"][:1]
            return Candidate(function, self.names.bindings(kind))
        if kind[0] == "x" and str(kind[1]).rpartition(".")[2] == "Expression`1" and kind[2]:
            kind = kind[2][0]
        return super().functional(kind) if kind is not None and kind[0] == "x" else None


def _alike(mine: tuple[Type, ...], theirs: tuple[Type, ...]) -> bool:
    if len(mine) != len(theirs):
        return not mine or not theirs
    return all(a == b for a, b in zip(mine, theirs, strict=True))


def _receivers(each: Candidate) -> list[Type]:
    """What an extension extends: its variables may be known by that alone."""
    return [("v", key[0], key[1]) for key in each.bindings]


def _mentions(kind: Type, owner: tuple[int, int], name: str) -> bool:
    open_ = [kind]
    while open_:
        at = open_.pop()
        if at is None:
            continue
        if at[0] == "v" and at[1] == owner and at[2] == name:
            return True
        if at[0] in "cx":
            open_ += at[2]
        elif at[0] == "a":
            open_.append(at[1])
    return False


def _meet(
    function: Function, types: list[Type], words: tuple[str, ...], *, expanded: bool
) -> tuple[list[Type], int] | None:
    """The types that arguments meet, and how many parameters take their defaults; None: it fails."""
    rows = function.parameters
    met: list[Type] = []
    taken: set[int] = set()
    last = len(rows) - 1
    for at, word in enumerate(words):
        if word:
            number = next((n for n, row in enumerate(rows) if row[1] == word), -1)
        else:
            number = min(at, last) if expanded else at
        if not 0 <= number <= last or (number in taken and not (expanded and number == last)):
            return None
        taken.add(number)
        kind = types[number]
        if expanded and number == last:
            kind = kind[1] if kind is not None and kind[0] == "a" else None
        met.append(kind)
    missing = 0
    for number, (kind_of, name, _) in enumerate(rows):
        if number in taken:
            continue
        if name not in function.optional and not (
            expanded and number == last and kind_of == Param.STAR
        ):
            return None
        missing += 1
    return met, missing

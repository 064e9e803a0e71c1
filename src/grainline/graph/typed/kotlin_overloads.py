"""Which of several functions of Kotlin a call means: named arguments, defaults, a function behind."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from grainline.graph.typed.kotlin_library import RECEIVER
from grainline.graph.typed.kotlin_names import KotlinNames
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
from grainline.graph.typed.types import OBJECT, STRING, Type, substitute
from grainline.model.ir import Param

TRAILING: Final = "{}"
"""The name of an argument behind the parentheses: the last parameter takes it."""
SPREAD: Final = "*"
"""The name of an argument whose elements are arguments."""


class Given(NamedTuple):
    """The arguments of a call: operations, types, numbers of parameters of functions, names."""

    ops: list[int]
    kinds: list[Type]
    shapes: list[int | None]
    words: list[str]
    explicit: tuple[Type, ...] = ()


class Fit(NamedTuple):
    """A function that takes the arguments; `order` are the parameters that they meet."""

    rate: int
    each: Candidate
    types: list[Type]
    order: list[int]
    missing: int
    expanded: bool


class KotlinSignatures(Signatures):
    """Types of parameters and results, and how they fit."""

    names: KotlinNames

    def fits(self, found: list[Candidate], given: Given) -> list[Fit]:
        """The functions that a call may mean, the best ones."""
        rated = [fit for each in found if (fit := self._fit(each, given)) is not None]
        if len(rated) <= 1:
            return rated
        sure = [fit for fit in rated if fit.rate >= LOOSE]
        unsure = [fit for fit in rated if fit.rate == MAYBE]
        best = self._best(sure)
        left = [fit for fit in unsure if not any(self._under(one, fit) for one in best)]
        both = [*best, *left]
        return both if len(both) <= MAX_UNSURE else []

    def _best(self, fits: list[Fit]) -> list[Fit]:
        if len(fits) <= 1:
            return fits
        kept = [fit for fit in fits if all(o is fit or self._under(fit, o) for o in fits)]
        if len(kept) > 1:
            plainest = min((fit.missing, fit.expanded) for fit in kept)
            kept = [fit for fit in kept if (fit.missing, fit.expanded) == plainest]
        if len(kept) > 1:
            narrow = [fit for fit in kept if not fit.each.function.variables]
            kept = narrow if len(narrow) == 1 else kept
        return kept or fits

    def _under(self, one: Fit, other: Fit) -> bool:
        """Whether whatever fits one fits the other."""
        return all(
            a == b or self.assignable(a, b) == YES
            for a, b in zip(one.types, other.types, strict=True)
        )

    def _fit(self, each: Candidate, given: Given) -> Fit | None:
        function = each.function
        own = list(dict.fromkeys(name for name, _ in function.variables))
        if given.explicit and function.unit >= 0 and own and len(own) != len(given.explicit):
            return None
        types = [substitute(kind, each.bindings) for kind in self.types(function)]
        for expanded in (False, True) if function.starred else (False,):
            order = _order(function, given, expanded=expanded)
            if order is None:
                continue
            met: list[Type] = []
            for number, word in zip(order, given.words, strict=True):
                kind = types[number]
                if expanded and number == _rest(function) and word != SPREAD:
                    kind = kind[1] if kind is not None and kind[0] == "a" else None
                met.append(kind)
            rate = min(
                (
                    MAYBE if word == SPREAD else self._suits(kind, shape, wanted)
                    for kind, shape, wanted, word in zip(
                        given.kinds, given.shapes, met, given.words, strict=True
                    )
                ),
                default=YES,
            )
            if rate:
                missing = len(function.parameters) - len(set(order))
                return Fit(rate, each, met, order, missing, expanded)
        return None

    def _suits(self, argument: Type, shape: int | None, kind: Type) -> int:
        if shape is None:
            return self._plainly(argument, kind)
        if kind is None or kind[0] == "v":
            return MAYBE
        if kind[0] in "pa" or kind == STRING:
            return NO
        if kind == OBJECT:
            return LOOSE
        known = self.functional(kind)
        if known is None:
            return NO if kind[0] == "c" and not self.names.open(kind) else MAYBE
        if shape < 0:
            # with no parameters written there is `it`, or none
            plain = len(known.function.parameters) - (known.function.receiver == 0)
            return YES if plain <= 1 or shape == _REFERRED else NO
        counts = len(known.function.parameters)
        taken = {counts, counts - 1} if str(kind[1]).startswith(RECEIVER) else {counts}
        return YES if shape in taken else NO

    def _plainly(self, argument: Type, kind: Type) -> int:
        """Numbers do not become wider ones, but what is written as a number may be any."""
        if argument is not None and kind is not None and argument[0] == kind[0] == "p":
            if argument == kind or argument[1] == "null":
                return YES if argument[1] != "null" else NO
            written = argument[1] == "int" and kind[1] in ("long", "short", "byte")
            return MAYBE if written else NO
        rate = self.assignable(argument, kind)
        if rate == NO and argument is not None and argument[0] in "xv" and kind is not None:
            # what is not there may be more than what is known of it
            unknown = argument[0] == "x" and not self.names.library.known(argument)
            return MAYBE if unknown and kind[0] in "xc" else NO
        return rate


_REFERRED: Final = -1
"""The shape of a reference to a function."""
IMPLICIT: Final = -2
"""That of a function without written parameters."""


def _rest(function: Function) -> int:
    """The parameter that takes any number, -1."""
    return next((n for n, row in enumerate(function.parameters) if row[0] == _STAR), -1)


_STAR: Final = int(Param.STAR)


def _order(function: Function, given: Given, *, expanded: bool) -> list[int] | None:
    """The parameters that the arguments meet; None: it fails."""
    rows = function.parameters
    count = len(rows)
    rest = _rest(function)
    library = function.unit < 0 and not any(name for _, name, _ in rows)
    if library and function.starred:
        rest = count - 1
    order: list[int] = []
    at = 0
    for word in given.words:
        if word == TRAILING:
            number = count - 1
        elif word and word != SPREAD:
            if library:
                return None
            number = next((n for n, row in enumerate(rows) if row[1] == word), -1)
            at = number + 1
        else:
            number = at
            if not (expanded and at == rest):
                at += 1
        if not 0 <= number < count:
            return None
        if number in order and not (expanded and number == rest):
            return None
        if word == SPREAD and number != rest:
            return None
        order.append(number)
    for number, (_, name, _) in enumerate(rows):
        if number in order or name in function.optional:
            continue
        if number == rest and expanded:
            continue
        return None
    return order


def said(function: Function, explicit: tuple[Type, ...]) -> dict[tuple[Any, str], Type]:
    """What type arguments that are written say of the variables of a function."""
    names = list(dict.fromkeys(name for name, _ in function.variables))
    if function.unit < 0 or len(names) != len(explicit):
        return {}
    key = (function.unit, function.scope)
    return {(key, name): kind for name, kind in zip(names, explicit, strict=True)}

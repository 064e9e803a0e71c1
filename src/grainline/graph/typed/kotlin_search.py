"""What a call of Kotlin means, and how it is looked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from grainline.graph.typed.kotlin_overloads import Fit, Given
from grainline.graph.typed.overloads import LOOSE, Candidate
from grainline.graph.typed.program import INIT, Function
from grainline.graph.typed.types import Type
from grainline.model.edge import Method, Why
from grainline.model.ir import CONSTRUCTOR


class Meant(NamedTuple):
    """What a call means.

    Attributes:
        fits: the functions that it may reach, of the units or not.
        sure: whether nothing else can be meant, given that there is one.
        name: what it is called where nothing of the units is meant; `why` not.
        kind: the type that is made by a constructor.
        shape: what is called when it is a value.
        place: the operation whose value is called, that functions flow to.
        gives: the type of the result where no function says it.
    """

    fits: list[Fit]
    sure: bool = True
    name: str = ""
    why: Why = Why.DYNAMIC
    method: Method = Method.TYPE
    kind: Type = None
    shape: Candidate | None = None
    place: int = -1
    gives: Type = None
    known: bool = False
    """Whether no function that is passed can be called on something."""


class Search:
    """The levels of a search: what fits for sure ends it, what may fit stays with what follows."""

    __slots__ = ("_fits", "doubt", "found", "given", "method")

    def __init__(self, fits: Callable[[list[Candidate], Given], list[Fit]], given: Given) -> None:
        self._fits = fits
        self.given = given
        self.found: list[Fit] = []
        self.doubt = False
        self.method = Method.SCOPE

    def ends(
        self,
        candidates: list[Candidate],
        *,
        doubt: bool = False,
        rival: bool = False,
        method: Method = Method.SCOPE,
    ) -> bool:
        """Take a level; whether it answers. `rival`: what is not there may be meant beside it."""
        best = self._fits(candidates, self.given) if candidates else []
        if not best:
            return False
        if not self.found:
            self.method = method
        known = {(fit.each.function.unit, fit.each.function.scope) for fit in self.found}
        self.found += [
            fit for fit in best
            if fit.each.function.unit < 0 or (fit.each.function.unit, fit.each.function.scope) not in known
        ]  # fmt: skip
        self.doubt = self.doubt or doubt or (rival and any(fit.rate < LOOSE for fit in best))
        return all(fit.rate >= LOOSE for fit in best)


def constructs(function: Function) -> bool:
    """Whether a function makes an instance of its class."""
    return bool(function.flags & CONSTRUCTOR) or function.name == INIT


def shown(kind: Type) -> str:
    """The name of something external."""
    return str(kind[1]) if kind is not None and kind[0] == "x" else ""

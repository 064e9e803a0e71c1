"""The seam of strategies: index a checkout once, then retrieve and assemble for each question.

All strategies of a comparison get the same checkout, questions, retriever, generator, top-k and
token budget (`Settings`). A strategy is one file with a `STRATEGY`; most are a `Composed` of a
chunker, a text, an expansion and a packing (`_composed.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Protocol, runtime_checkable

from grainline.chunking.base import CHUNKERS
from grainline.errors import BadInput
from grainline.lab.ground import Ground
from grainline.lab.values import Context, IndexCost, Piece, Query, Settings, Value
from grainline.registry import Registry


class Indexed(Protocol):
    """A prepared checkout."""

    def retrieve(self, query: Query, k: int) -> Sequence[Piece]:
        """At most `k` pieces, best first, in a total order."""
        ...

    def assemble(self, query: Query, ranking: Sequence[Piece], budget: int) -> Context:
        """What a reader is given, at most `budget` tokens (`estimate_tokens`) of it.

        `ranking` is the beginning of what `retrieve` gave.
        """
        ...

    def cost(self) -> IndexCost:
        """What preparing cost."""
        ...


@runtime_checkable
class Refreshing(Protocol):
    """A prepared checkout that takes in what was saved; others are prepared anew."""

    def refresh(self) -> None:
        """Questions are answered from what is on disk now."""
        ...


class Strategy(Protocol):
    """A way of finding and explaining code.

    Attributes:
        name: as results show it.
        version: changes when answers may change for a reason that is not in its source.
        options: its own parameters with their defaults; a setting of any other name is refused.
        sees_gold: told the gold, so that its answers are a bound and no result.
    """

    name: str
    version: int
    options: Mapping[str, Value]
    sees_gold: bool

    def index(self, ground: Ground, settings: Settings) -> AbstractContextManager[Indexed]:
        """Prepare a checkout; what only this strategy made for it goes away on exit."""
        ...


OFF = "off"
"""Code of the error of a strategy that lacks what it works with; a run of several leaves it out."""

ABSENT: Mapping[str, str] = {
    "wiki": "no wiki: grainline writes none, so nothing can be looked up in one first",
    "dense": "no embeddings: the engine ranks by words, names, literals and paths",
}
"""Designs that issue lists name and nothing here can do, and why."""

STRATEGIES: Registry[Strategy] = Registry(
    "grainline.lab.strategies", "STRATEGY", skip=frozenset({"base"})
)


def strategy_names() -> tuple[str, ...]:
    """Every strategy, then the engine once per chunker as `grainline+NAME`."""
    return (*STRATEGIES.names(), *(f"grainline+{name}" for name in CHUNKERS.names()))


def find_strategy(name: str) -> Strategy:
    """The strategy called `name`.

    Raises:
        BadInput: there is none; the message lists those there are.
    """
    if name in STRATEGIES.names():
        return STRATEGIES.get(name)
    if name in strategy_names():
        from grainline.lab.strategies.grainline import Grainline

        return Grainline(chunker=name.partition("+")[2])
    if name in ABSENT:
        raise BadInput(OFF, f"the strategy {name!r} is off: {ABSENT[name]}")
    raise BadInput(
        "unknown_strategy",
        f"no strategy is called {name!r}",
        hint="known: " + ", ".join(strategy_names()),
    )


def settle(strategy: Strategy, settings: Settings) -> Settings:
    """`settings` with every option of the strategy, those that are not given at their defaults.

    Raises:
        BadInput: an option that the strategy does not know, or of another type.
    """
    known = strategy.options
    for name, value in settings.options.items():
        if name not in known:
            raise BadInput(
                "unknown_option",
                f"the strategy {strategy.name!r} has no option {name!r}",
                hint="known: " + (", ".join(sorted(known)) or "none"),
            )
        if isinstance(value, bool) != isinstance(known[name], bool) or isinstance(
            value, str
        ) != isinstance(known[name], str):
            raise BadInput(
                "bad_option", f"{name} of {strategy.name!r} is {value!r}, not like {known[name]!r}"
            )
    return replace(settings, options={**known, **settings.options})

"""The seam of strategies: prepare a checkout once, then rank places for each question."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from grainline.chunking.base import CHUNKERS
from grainline.errors import BadInput
from grainline.lab.judging import Ranked
from grainline.lab.mirror import Checkout
from grainline.registry import Registry

DEPTH = 100  # results asked for: deep enough that RR and R@20 of functions never lack ranks


class Searcher(Protocol):
    """A prepared checkout."""

    def search(self, text: str, k: int) -> Sequence[Ranked]:
        """At most `k` results, best first, in a total order."""
        ...


class Strategy(Protocol):
    """A way of finding code."""

    name: str

    def prepare(self, checkout: Checkout) -> AbstractContextManager[Searcher]:
        """Index the checkout; what was made for it goes away on exit."""
        ...


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
    raise BadInput(
        "unknown_strategy",
        f"no strategy is called {name!r}",
        hint="known: " + ", ".join(strategy_names()),
    )

"""Lists of known things: which hold no data, as far as the function that asks can see, and for sure.

A test that data is in such a list shows that it is one of what is written there. What a variable of a
module holds may be put there by a function that is looked at later: then the analysis is made again,
with the variable as one that holds data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from grainline.flow.values import UNKNOWN, Fact, Free, Key, Listed, Object, Value, is_taken_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grainline.flow.machine import Run
    from grainline.flow.variables import Variable, Variables

NAMES: Final[Key] = (".", "%names")
"""Of a container: data that its elements are called by, as a field, so that it is no data in it."""


def is_known(run: Run, value: Value) -> bool:
    """Whether a value is an element of a list of known things, which is trusted to be one."""
    if not isinstance(value.const, Listed):
        return False
    return run.solver.lists.trust(value.const)


def element(run: Run, among: Value, found: Value) -> Value:
    """An element of a list: one of the known things, where that holds no others."""
    if found.const is not UNKNOWN or not any(isinstance(ref, Object) for ref in among.refs):
        return found
    around = run.solver.lists.around(run, among)
    if around is None:
        return found
    return Value(found.taints, found.refs, Listed(around), found.facts)


def of_any(run: Run, tested: Value, first: int, last: int) -> tuple[Fact, ...]:
    """What it shows of data that is the same in all rounds, that a test in `[first, last)` came out true in one."""
    return tuple(
        fact
        for fact in run.told(tested)
        if fact.truth and not isinstance(fact.origin, Free)
        and not any(is_taken_at(fact.origin, run.unit, op) for op in range(first, last))
    )  # fmt: skip


class Lists:
    """Those of one analysis. `known_filled`: variables whose lists are known to hold data."""

    def __init__(self, variables: Variables, known_filled: frozenset[Variable]) -> None:
        self._variables = variables
        self._filled = known_filled
        self._trusted: set[Free] = set()
        """What was taken to hold no data."""

    def holds_data(self, run: Run, value: Value) -> bool:
        """Whether a list may hold data, or call its elements by data."""
        around = self.around(run, value)
        return around is None or not self.trust(around)

    def trust(self, around: Iterable[Free]) -> bool:
        """Take what variables hold to be no data, unless that is known to be wrong."""
        if any(each[:3] in self._filled for each in around):
            return False
        self._trusted.update(around)
        return True

    def around(self, run: Run, value: Value) -> list[Free] | None:
        """The variables that say what a list holds; None where it holds data."""
        assert run.state is not None
        origins = set(run.state.deep(value))
        for ref in value.refs:
            names = run.thing(ref).fields.get(NAMES) if isinstance(ref, Object) else None
            origins.update(() if names is None else names.taints)
        around = [each for each in origins if isinstance(each, Free)]
        return around if len(around) == len(origins) else None

    def trusted(self) -> frozenset[Variable]:
        """Variables that were taken to hold no data."""
        return frozenset(each[:3] for each in self._trusted)

    def filled(self) -> frozenset[Variable]:
        """Variables that were taken to hold no data, and into which data was put."""
        return frozenset(
            each[:3]
            for each in self._trusted
            if self._variables.taints(each)
            or self._variables.taints(each._replace(path=(*each.path, NAMES)))
        )

"""Lists of known things: which hold no data, as far as the function that asks can see, and for sure.

A test that data is in such a list shows that it is one of what is written there. What a variable of a
module holds may be put there by a function that is looked at later: then the analysis is made again,
with the variable as one that holds data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from grainline.flow.values import Free, Key, Object, Value

if TYPE_CHECKING:
    from grainline.flow.machine import Run
    from grainline.flow.variables import Variable, Variables

NAMES: Final[Key] = (".", "%names")
"""Of a container: data that its elements are called by, as a field, so that it is no data in it."""


class Lists:
    """Those of one analysis. `known_filled`: variables whose lists are known to hold data."""

    def __init__(self, variables: Variables, known_filled: frozenset[Variable]) -> None:
        self._variables = variables
        self._filled = known_filled
        self._trusted: set[Free] = set()
        """What was taken to hold no data."""

    def holds_data(self, run: Run, value: Value) -> bool:
        """Whether a list may hold data, or call its elements by data."""
        assert run.state is not None
        origins = set(run.state.deep(value))
        for ref in value.refs:
            names = run.thing(ref).fields.get(NAMES) if isinstance(ref, Object) else None
            origins.update(() if names is None else names.taints)
        around = [each for each in origins if isinstance(each, Free)]
        if len(around) < len(origins) or any(each[:3] in self._filled for each in around):
            return True
        self._trusted.update(around)
        return False

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

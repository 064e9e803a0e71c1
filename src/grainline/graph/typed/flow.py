"""Functions as values: through variables, fields, parameters and results to where they are called."""

from __future__ import annotations

from typing import Any, TypeAlias

from grainline.graph.solver import Solver
from grainline.graph.typed.facts import FLOWED, Fact
from grainline.graph.values import Kind
from grainline.model.edge import EdgeType, Method

Place: TypeAlias = "tuple[Any, ...]"
"""What may hold a function.

    ("v", unit, scope, name)    a variable of a function, its parameters too
    ("f", class, name)          a field
    ("r", unit, scope)          the result of a function
    ("o", unit, op)             the value of an operation
"""

Said: TypeAlias = "tuple[Any, ...]"
"""`("made", op, target)`, `("move", source, target)` or `("call", place, scope, op)`."""


class Flow:
    """Where functions come from and go to."""

    def __init__(self, facts: dict[Fact, int]) -> None:
        self._facts = facts
        self._solver = Solver()
        self._solver.handlers = [self._called]
        self._nodes: dict[Place, int] = {}
        self.unit = -1
        """The unit whose bodies are read."""
        self.said: dict[int, list[Said]] = {}
        """Of each unit in which functions are values, what was said of them."""
        self.where: dict[tuple[int, int], Place] = {}
        """(unit, operation) -> the place whose value it reads."""

    def _say(self, said: Said) -> None:
        self.said.setdefault(self.unit, []).append(said)

    def _node(self, place: Place) -> int:
        node = self._nodes.get(place)
        if node is None:
            node = self._nodes[place] = self._solver.new()
        return node

    def of(self, unit: int, op: int) -> Place:
        """The place of the value of an operation."""
        return self.where.get((unit, op), ("o", unit, op))

    def made(self, unit: int, op: int, target: tuple[int, int]) -> None:
        """An operation makes, or refers to, a function."""
        self._say(("made", op, target))
        value = self._solver.values.of(Kind.FUNCTION, *target)
        self._solver.add(self._node(("o", unit, op)), value, 0)

    def move(self, source: Place, target: Place) -> None:
        """Whatever one place holds arrives at another."""
        self._say(("move", source, target))
        self._solver.copy(self._node(source), self._node(target), 1)

    def call(self, place: Place, unit: int, scope: int, op: int) -> None:
        """What a place holds is called."""
        self._say(("call", place, scope, op))
        self._solver.use(self._node(place), 0, (unit, scope, op), None)

    def _called(self, site: Any, _: Any, value: int, tier: int, node: int) -> None:
        del tier, node
        unit, scope, op = site
        target = self._solver.values.place(value)
        fact = Fact(EdgeType.CALLS, unit, scope, op, target, Method.FLOW)
        self._facts.setdefault(fact, FLOWED)

    def run(self) -> int:
        """Until nothing changes; how many values a bound kept away."""
        self._solver.run()
        self._solver.handlers = []  # they hold this
        return self._solver.cuts

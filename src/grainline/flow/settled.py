"""What origins of a callee are to its caller: settled at the call, of what is taken from others looked up late.

A part of data, or the host of it, is to the caller the same part of what that data is there; of most of
them nobody asks. So at the call it is noted how many they are, and which tests had been made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeGuard

from grainline.flow.hosts import put_together
from grainline.flow.plans import Mine, Wanted
from grainline.flow.state import harmless_after
from grainline.flow.values import CALLER, Origin, Port, Taint, Trail, deepened, is_piece

if TYPE_CHECKING:
    from grainline.flow.solver import Solver

Tests = Mapping[Origin, tuple[int, Trail]]
"""Origins that were tested (`State.valid`)."""

NO_TESTS: Final[Tests] = {}

FEW: Final = 8
"""Tests that are copied for what is looked up late; after more of them it is looked up at the call."""


class Settled(dict[Wanted, Mine]):
    """Origins of one call that were settled; asked for another one, it raises `KeyError`."""

    __slots__ = ("_late", "_solver")

    def __init__(self, solver: Solver) -> None:
        super().__init__()
        self._solver = solver
        self._late: dict[Wanted, tuple[int, Tests]] = {}

    def put_off(self, wanted: Wanted, count: int, tests: Tests) -> None:
        """Look up later what is taken from something that is settled: so many, after these tests."""
        self._late[wanted] = (count, tests)

    def count(self, wanted: Wanted) -> int | None:
        """How many origins of the caller it is; None where that is not settled."""
        found = self.get(wanted)
        if found is not None:
            return len(found)
        late = self._late.get(wanted)
        return None if late is None else late[0]

    def __missing__(self, wanted: Wanted) -> Mine:
        """What is taken from data, as it was at the call."""
        _, tests = self._late.pop(wanted)
        origin = wanted[0]
        assert isinstance(origin, Port)
        found = self[wanted] = taken(self._solver, origin, self[whole(origin)], tests)
        return found


def is_taken(origin: Origin) -> TypeGuard[Port]:
    """Whether an origin is what was taken from data that a caller hands in."""
    return (
        isinstance(origin, Port)
        and origin.place > CALLER.place
        and bool(origin.path)
        and is_piece(origin.path[-1])
    )


def whole(origin: Port) -> Wanted:
    """What it was taken from."""
    return Port(origin.place, origin.path[:-1]), False


def taken(solver: Solver, origin: Port, data: Mine, tests: Tests) -> Mine:
    """What is taken from data of the caller."""
    key = origin.path[-1]
    found: Mine = []
    for each, taint in data:
        mine = deepened(each, key)
        clean = put_together(solver, harmless_after(tests, mine, taint), taint.trail)
        same = taint.clean == clean
        found.append((mine, taint if same else Taint(clean, taint.trail, taint.assumed)))
    return found

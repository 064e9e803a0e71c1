"""What the evaluation of bodies knows: frames, what was found, values of operations."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from grainline.graph.typed.facts import Fact
from grainline.graph.typed.flow import Flow
from grainline.graph.typed.members import Members
from grainline.graph.typed.overloads import Candidate
from grainline.graph.typed.program import File, Program
from grainline.graph.typed.types import Type
from grainline.model.edge import EdgeType, Method, Why


class Frame:
    """What names mean in one scope: variables of a function, or members of a class."""

    __slots__ = ("env", "file", "number", "parent", "result", "results", "scope")

    def __init__(
        self, file: File, scope: int, parent: Frame | None, env: dict[str, Type], number: int = -1
    ) -> None:
        self.file = file
        self.scope = scope
        self.parent = parent
        self.env = env
        self.number = number
        self.result: Type = None
        self.results: list[Type] = []


class Target(NamedTuple):
    """What a call may mean: functions, or the name of something that is not there."""

    candidates: list[Candidate]
    name: str = ""
    why: Why = Why.DYNAMIC
    method: Method = Method.TYPE


_fact = partial(tuple.__new__, Fact)  # pyright: ignore[reportUnknownMemberType]


class Values(dict[int, "list[Type]"]):
    """For each file that is looked at, the type of every operation."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self._program = program

    def __missing__(self, number: int) -> list[Type]:
        made: list[Type] = [None] * len(self._program.files[number].ops)
        self[number] = made
        return made


class State:
    """What was found so far."""

    def __init__(self, members: Members) -> None:
        self.members = members
        self.names = members.names
        self.signatures = members.signatures
        self.program = members.program
        self.facts: dict[Fact, int] = {}
        self._carries: dict[tuple[str, Any], bool] = {}
        self.leaves: dict[tuple[int, int], tuple[int, str, Why]] = {}
        """(unit, operation) -> scope, name and reason of a call without a target."""
        self.values = Values(self.program)
        self.work: list[tuple[int, Frame | None, File]] = []
        self.flow = Flow(self.facts)

    def carries(self, kind: Type) -> bool:
        """Whether values of a type may be functions."""
        if kind is None or kind[0] not in "cx":
            return False
        key = (kind[0], kind[1])
        known = self._carries.get(key)
        if known is None:
            known = self._carries[key] = self.signatures.functional((*key, ())) is not None
        return known

    def place(self, number: int) -> tuple[int, int]:
        """Unit and scope of a class."""
        made = self.program.classes[number]
        return made.unit, made.scope

    def fact(
        self,
        what: EdgeType,
        frame: Frame,
        op: int,
        target: tuple[int, int],
        method: Method,
        tier: int,
        scope: int = -1,
    ) -> None:
        """An edge."""
        place = frame.scope if scope < 0 else scope
        fact = _fact((what, frame.file.number, place, op, target, method))
        if self.facts.get(fact, 3) > tier:
            self.facts[fact] = tier

    def around(self, frame: Frame) -> int:
        """The number of the class that a frame stands in, -1."""
        at: Frame | None = frame
        while at is not None:
            if at.number >= 0:
                return at.number
            at = at.parent
        return -1

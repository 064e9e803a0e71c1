"""What the evaluation of bodies knows: frames, what was found, values of operations."""

from __future__ import annotations

from typing import Final, NamedTuple

from grainline.graph.typed.members import Members
from grainline.graph.typed.overloads import Candidate
from grainline.graph.typed.program import File
from grainline.graph.typed.types import Type
from grainline.model.edge import EdgeType, Method, Why

RESOLVED: Final = 0
FLOWED: Final = 1
UNSURE: Final = 2


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


class Fact(NamedTuple):
    """An edge as found; the target is a scope of a unit."""

    type: EdgeType
    unit: int
    scope: int
    op: int
    target: tuple[int, int]
    method: Method


class State:
    """What was found so far."""

    def __init__(self, members: Members) -> None:
        self.members = members
        self.names = members.names
        self.signatures = members.signatures
        self.program = members.program
        self.facts: dict[Fact, int] = {}
        self.leaves: dict[tuple[int, int], tuple[int, str, Why]] = {}
        """(unit, operation) -> scope, name and reason of a call without a target."""
        self.values: list[list[Type]] = [[None] * len(file.ops) for file in self.program.files]
        self.work: list[tuple[int, Frame | None, File]] = []
        self.done: set[tuple[int, int]] = set()

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
        fact = Fact(
            what, frame.file.number, frame.scope if scope < 0 else scope, op, target, method
        )
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

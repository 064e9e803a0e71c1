"""What the evaluation of bodies of C++ knows: frames, what was found, values of operations."""

from __future__ import annotations

from grainline.graph.typed.cpp_names import Names, Place
from grainline.graph.typed.cpp_overloads import Signatures
from grainline.graph.typed.cpp_program import File, Function, Space, Type
from grainline.graph.typed.facts import FLOWED, RESOLVED, UNSURE, Fact
from grainline.graph.typed.flow import Flow
from grainline.model.edge import EdgeType, Method, Why


class Frame:
    """What names mean in one scope. `lost`: the class around is not known."""

    __slots__ = ("env", "file", "function", "lost", "parent", "place", "scope", "used")

    def __init__(
        self, file: File, scope: int, place: Place, parent: Frame | None, function: Function | None
    ) -> None:
        self.file = file
        self.scope = scope
        self.place = place
        self.parent = parent
        self.function = function
        self.env: dict[str, Type] = {}
        self.used: list[Space] = parent.used if parent is not None else []
        self.lost: bool = parent.lost if parent is not None else False

    def find(self, name: str) -> Frame | None:
        """The frame that has a variable."""
        at: Frame | None = self
        while at is not None:
            if name in at.env:
                return at
            at = at.parent
        return None

    def method(self) -> Function | None:
        """The function around that is a member of a class."""
        at: Frame | None = self
        while at is not None:
            if at.function is not None:
                return at.function
            at = at.parent
        return None


class State:
    """What was found so far."""

    def __init__(self, signatures: Signatures) -> None:
        self.signatures = signatures
        self.names: Names = signatures.names
        self.program = signatures.program
        self.facts: dict[Fact, int] = {}
        self.leaves: dict[tuple[int, int], tuple[int, str, Why]] = {}
        self.values: list[list[Type]] = [[None] * len(file.ops) for file in self.program.files]
        self.work: list[tuple[File, int, Frame]] = []
        self.flow = Flow(self.facts)

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
        if self.facts.get(fact, UNSURE + 1) > tier:
            self.facts[fact] = tier

    def leaf(self, frame: Frame, op: int, name: str, why: Why) -> None:
        """A call without a target."""
        self.leaves[frame.file.number, op] = (frame.scope, name, why)

    def called(
        self,
        frame: Frame,
        op: int,
        functions: tuple[Function, ...],
        method: Method,
        tier: int,
        what: EdgeType = EdgeType.CALLS,
    ) -> list[Function]:
        """Edges to what functions stand for; these."""
        found: list[tuple[int, Function]] = []
        for each in functions:
            linked, targets = self.signatures.linked(each)
            found += [(linked, target) for target in targets]
        if len(found) > 1 and tier == RESOLVED:
            tier = UNSURE
        for linked, target in found:
            torn = frame.file.broken or self.program.files[target.unit].broken
            level = max(tier, FLOWED if linked or torn else RESOLVED)
            self.fact(what, frame, op, (target.unit, target.scope), method, level)
        return [target for _, target in found]

"""What names mean in one scope of Kotlin: variables, receivers, what conditions say of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from grainline.graph.typed.frames import Frame
from grainline.graph.typed.program import File
from grainline.graph.typed.types import Type

Path: TypeAlias = "tuple[str, ...]"
"""A variable, and members of it by name."""


class Way:
    """One arm of a branch: what is known to hold in it, whether it leaves the code around."""

    __slots__ = ("leaves", "tests")

    def __init__(self, tests: list[tuple[int, bool]]) -> None:
        self.tests = tests
        self.leaves = False


class Region:
    """A branch or loop: what was known before it."""

    __slots__ = ("branch", "env", "narrow", "otherwise", "tests", "ways")

    def __init__(self, env: dict[str, Type], narrow: dict[Path, Type], branch: int) -> None:
        self.env = env
        self.narrow = narrow
        self.branch = branch
        self.tests: list[tuple[int, bool]] = []
        self.ways: list[Way] = []
        self.otherwise = False


class KotlinFrame(Frame):
    """A scope of Kotlin.

    Attributes:
        called: whether the code is called on something; `receiver` is its type.
        doubt: whether it may be called on something of which nothing is known.
        label: what `this@` says of it.
        narrow: what variables and members are known to be, beside what they are declared as.
        declared: the declared types of variables.
    """

    __slots__ = ("called", "declared", "doubt", "label", "narrow", "receiver", "regions")

    def __init__(
        self, file: File, scope: int, parent: Frame | None, env: dict[str, Type], number: int = -1
    ) -> None:
        super().__init__(file, scope, parent, env, number)
        self.called = False
        self.receiver: Type = None
        self.doubt = False
        self.label = ""
        self.narrow: dict[Path, Type] = {}
        self.declared: dict[str, Type] = {}
        self.regions: list[Region] = []

    def around(self) -> Iterator[KotlinFrame]:
        """This scope and those around it, nearest first."""
        at: Frame | None = self
        while isinstance(at, KotlinFrame):
            yield at
            at = at.parent

    def kept(self) -> KotlinFrame:
        """This scope as it is now, for what is evaluated later."""
        copies: list[KotlinFrame] = []
        for at in self.around():
            made = KotlinFrame(at.file, at.scope, at.parent, dict(at.env), at.number)
            made.called, made.receiver = at.called, at.receiver
            made.doubt, made.label = at.doubt, at.label
            made.narrow, made.result = dict(at.narrow), at.result
            copies.append(made)
            if at.number >= 0:
                break
        for inner, outer in itertools.pairwise(copies):
            inner.parent = outer
        return copies[0]

    def narrowed(self, path: Path) -> Type:
        """What conditions say that a variable or a member of it is; None: nothing."""
        for at in self.around():
            if path in at.narrow:
                return at.narrow[path]
            if at.number >= 0 or path[0] in at.env:
                return None
        return None

    def assigned(self, name: str) -> None:
        """What was known of a variable holds no longer."""
        for at in self.around():
            for kept in (at.narrow, *(region.narrow for region in at.regions)):
                for path in [path for path in kept if path[0] == name]:
                    del kept[path]
            if at.number >= 0 or name in at.env:
                return


class Level(NamedTuple):
    """One step of the search for a name: variables of a scope, or a receiver that nobody writes.

    `doubt`: something nearer may have the name, and nothing is known of it.
    """

    frame: KotlinFrame | None
    receiver: Type
    doubt: bool

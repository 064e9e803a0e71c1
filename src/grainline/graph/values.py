"""Abstract values: numbers that stand for functions, classes, instances, modules, containers."""

from __future__ import annotations

from typing import Final

from grainline.model.numbers import Numbers


class Kind(Numbers):
    """What a value is, and what its two parts mean."""

    FUNCTION = 0  # unit, scope
    CLASS = 1  # unit, scope
    INSTANCE = 2  # class
    BOUND = 3  # function, receiver
    MODULE = 4  # unit or -1, folder
    EXTERNAL = 5  # dotted name; `()` behind what was called
    CONTAINER = 6  # node where it is made, kind of `Make`
    KEY = 7  # constant
    PROPERTY = 8  # getter
    STATIC = 9  # function
    CLASS_METHOD = 10  # function
    SUPER = 11  # class, receiver
    METHOD = 12  # container, name
    GENERATOR = 13  # function
    PARTIAL = 14  # number of the call that made it
    SETTER = 15  # property


INTERNAL: Final = frozenset(Kind) - {Kind.EXTERNAL, Kind.KEY}
MAX_DOTTED: Final = 96
"""Characters of the name of something external."""

ANYTHING: Final = ""
"""The name of what is external and came by flow: it is a leaf, whatever it is."""
_DERIVED: Final = frozenset((".", "(", "["))


class Values:
    """The values of one resolution, numbered as they are met."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, object, object], int] = {}
        self.kinds: list[int] = []
        self.first: list[object] = []
        self.second: list[object] = []

    def of(self, kind: int, first: object, second: object = None) -> int:
        """The number of a value."""
        key = (kind, first, second)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.kinds)
            self.kinds.append(kind)
            self.first.append(first)
            self.second.append(second)
        return number

    def integer(self, value: int) -> int:
        """The first part, where it is a number."""
        part = self.first[value]
        assert isinstance(part, int)
        return part

    def place(self, value: int) -> tuple[int, int]:
        """Unit and scope of a function or class."""
        unit, scope = self.first[value], self.second[value]
        assert isinstance(unit, int)
        assert isinstance(scope, int)
        return unit, scope

    def text(self, value: int) -> str:
        """The first part, where it is a text."""
        part = self.first[value]
        assert isinstance(part, str)
        return part

    def outside(self, name: str) -> int:
        """Something external; its name is bounded. What is made of `ANYTHING` is `ANYTHING`."""
        if name[:1] in _DERIVED:
            name = ANYTHING
        return self.of(Kind.EXTERNAL, name if len(name) <= MAX_DOTTED else name[:MAX_DOTTED])

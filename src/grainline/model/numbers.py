"""`Numbers`: closed sets of numbers that are read millions of times.

Reading a member of an `IntEnum` costs 90 ns in Python 3.11, whose metaclass has a `__getattr__`; an
attribute of any other class 15. For type checkers a set is an `IntEnum`; at run time its members
are the numbers themselves. So they have neither `name` (`name_of`) nor `value`.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Numbers = IntEnum
else:

    class _Set(type):
        """As much of an enumeration as is needed: in order of definition."""

        def __init__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> None:
            super().__init__(name, bases, body)
            cls.names = {key: each for key, each in body.items() if type(each) is int}

        def __iter__(cls) -> Iterator[int]:
            return iter(cls.names.values())

        def __len__(cls) -> int:
            return len(cls.names)

        def __contains__(cls, number: object) -> bool:
            return number in cls.names.values()

        def __call__(cls, number: int) -> int:
            if number not in cls:
                raise ValueError(f"{number!r} is not a valid {cls.__name__}")
            return int(number)

    class Numbers(metaclass=_Set):
        """Base of such sets."""


def name_of(numbers: type[IntEnum], number: int) -> str:
    """The name of a number of a set."""
    names: dict[str, int] = getattr(numbers, "names")  # noqa: B009 - not there for type checkers
    return next(name for name, each in names.items() if each == number)

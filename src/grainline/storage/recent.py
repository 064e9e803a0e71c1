"""`Recent`: what was used last is kept, as much as some rows allow."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Values by key; those that were not used for longest are forgotten.

    Args:
        few: so many values are kept whatever they weigh.
        most: rows (or bytes) of all values, beyond which only `few` are kept; None: no bound.
        rows: of a value.
    """

    def __init__(self, few: int, most: int | None, rows: Callable[[V], int]) -> None:
        self._few, self._most, self._rows = few, most, rows
        self._values: OrderedDict[K, V] = OrderedDict()
        self._held = 0

    def get(self, key: K) -> V | None:
        """The value of a key, None where there is none (any more)."""
        found = self._values.get(key)
        if found is not None:
            self._values.move_to_end(key)
        return found

    def keep(self, key: K, value: V) -> V:
        """`value`, kept in place of what had this key."""
        self._drop(self._values.pop(key, None))
        self._values[key] = value
        self._held += self._rows(value)
        while self._most is not None and len(self._values) > self._few and self._held > self._most:
            self._drop(self._values.popitem(last=False)[1])
        return value

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[K]:
        """Keys, the last used first."""
        return reversed(self._values)

    @property
    def held(self) -> int:
        """Rows of all values."""
        return self._held

    def forget(self, key: K) -> None:
        """Forget the value of a key, if there is one."""
        self._drop(self._values.pop(key, None))

    def clear(self) -> None:
        """Forget everything."""
        self._values.clear()
        self._held = 0

    def _drop(self, value: V | None) -> None:
        self._held -= 0 if value is None else self._rows(value)

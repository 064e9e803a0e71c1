"""What follows from text alone, made once: facts, chunks, terms of the same bytes at any commit.

A strategy that finds something here is charged what it took to make it (`cpu`), so that the cost of
an index does not depend on who came first.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

_SAVED = [0.0]


def cpu() -> float:
    """CPU seconds of this process, and those that were saved by what was kept."""
    return time.process_time() + _SAVED[0]


class Kept(Generic[T]):
    """Values by what they are made of; the longest unused go when their weight is above `most`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._weight = 0
        self._values: OrderedDict[Hashable, tuple[T, float, int]] = OrderedDict()

    def get(self, key: Hashable, weight: int, make: Callable[[], T]) -> T:
        """The value of a key, made when it is not there."""
        found = self._values.get(key)
        if found is not None:
            self._values.move_to_end(key)
            _SAVED[0] += found[1]
            return found[0]
        start = cpu()
        value = make()
        self._values[key] = value, cpu() - start, weight
        self._weight += weight
        while self._weight > self._most and len(self._values) > 1:
            _, (_, _, gone) = self._values.popitem(last=False)
            self._weight -= gone
        return value

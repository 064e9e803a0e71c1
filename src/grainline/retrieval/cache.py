"""What is derived from one corpus and kept while it lives.

A corpus is one scope of one generation, so nothing that is cached here can reach another scope.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar, cast

from grainline.storage.base import Corpus

V = TypeVar("V")

_ABSENT = object()
"""What stands for no value: None may be one."""


class ByteLru(Generic[V]):
    """Least recently used values under a bound of bytes. A value above the bound is not kept."""

    def __init__(self, limit: int, size: Callable[[V], int]) -> None:
        self._limit = limit
        self._size = size
        self._held = 0
        self._values: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = Lock()

    @property
    def held(self) -> int:
        """Bytes held now."""
        return self._held

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """The value of `key`, made when it is not held."""
        with self._lock:
            found = self._values.get(key, _ABSENT)
            if found is not _ABSENT:
                self._values.move_to_end(key)
                return cast(V, found)
        value = make()
        with self._lock:
            self._put(key, value)
        return value

    def _put(self, key: Hashable, value: V) -> None:
        size = self._size(value)
        if key in self._values or size > self._limit:
            return
        self._values[key] = value
        self._held += size
        while self._held > self._limit:
            _, old = self._values.popitem(last=False)
            self._held -= self._size(old)


_DERIVED = "_derived"
"""Where a corpus keeps what was derived from it. Values may hold the corpus: a table outside of it,
weak in its keys, would then keep every corpus for ever."""


def derived(corpus: Corpus, key: Hashable, make: Callable[[], V]) -> V:
    """`make()`, once for each corpus and key; dropped together with the corpus."""
    values: dict[Hashable, object] = corpus.__dict__.setdefault(_DERIVED, {})
    found = values.get(key, _ABSENT)
    if found is _ABSENT:
        found = values.setdefault(key, make())
    return cast(V, found)

"""Patterns that are compiled when they are first used: a new process that asks once needs few."""

from __future__ import annotations

import re
from typing import Any, cast


class _Lazy:
    """Looks like a compiled pattern; its methods come from one at the first use of each."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        # `re` keeps what it compiled; from now on the method is found without coming here
        value = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, value)
        return value


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, later."""
    return cast(re.Pattern[str], _Lazy(source, flags))

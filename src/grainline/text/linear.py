"""Regexes in one pass over bytes, whatever the pattern and the bytes are (RE2)."""

from __future__ import annotations

import re
from typing import cast

import re2  # pyright: ignore[reportMissingTypeStubs]


def linear(pattern: str) -> re.Pattern[bytes]:
    """`pattern` for UTF-8 bytes: no look-around, no back-references, no catastrophe.

    It has the methods of `re.Pattern` that take no `flags`.
    """
    return cast("re.Pattern[bytes]", re2.compile(pattern.encode()))  # pyright: ignore[reportUnknownMemberType]

"""Formats of C: which arguments a constant format reads or writes as texts, and which as numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_PRINTED: Final = re.compile(
    r"%(?:%|[-+ #0']*(\*|\d+)?(?:\.(\*|\d*))?(?:hh|h|ll|l|q|j|z|t|L|I64)?([a-zA-Z]))"
)
_SCANNED: Final = re.compile(
    r"%(?:%|(\*)?\d*(?:hh|h|ll|l|q|j|z|t|L|m)?([a-zA-Z]|\[\^?\]?[^\]]*\]))"
)
_PLACED: Final = re.compile(r"%[0-9]+[$]")
"""Of an argument by its place: which one is not looked at."""
_TEXTS: Final = frozenset("sScC[")


def printed(text: str) -> tuple[bool, ...]:
    """Of each argument that `printf` takes, whether it is put in as a text."""
    if _PLACED.search(text):
        return (True,) * text.count("%")
    found: list[bool] = []
    for width, precision, word in _PRINTED.findall(text):
        found += [False] * ((width == "*") + (precision == "*"))
        if word:
            found.append(word in _TEXTS)
    return tuple(found)


_PLACES: Final = re.compile(r"%(?:%|[-+ #0]*\d*(?:\.\d+)?[a-zA-Z])|%\(\w+\)[a-z]|\{\{|\{[^{}]*\}")


def beginning(text: str, others: Sequence[object]) -> str:
    """What a text begins with that has places (`%s`, `{}`) for others: up to the first unknown one."""
    found = ""
    at = 0
    waiting = list(others)
    for place in _PLACES.finditer(text):
        found += text[at : place.start()]
        at = place.end()
        if place[0] in ("%%", "{{"):
            found += place[0][0]
            continue
        known = waiting.pop(0) if waiting else None
        if place[0] not in ("%s", "{}", "%v") or not isinstance(known, str):
            return found
        found += known
    return found + text[at:]


def scanned(text: str) -> tuple[bool, ...]:
    """Of each argument that `scanf` sets, whether it gets a text."""
    return tuple(
        word[0] in _TEXTS for skipped, word in _SCANNED.findall(text) if word and not skipped
    )

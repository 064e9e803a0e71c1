"""What a text may consist of where a regular expression let it pass, and whom that cannot hurt.

Only what is sure counts: a construct that is not known here admits everything. Characters beyond
ASCII are let pass by none of the classes that matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from grainline.flow.rows import bits

UNIVERSE: Final = frozenset(chr(number) for number in range(128))
DIGITS: Final = frozenset("0123456789")
WORD: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789")
SPACE: Final = frozenset(" \t\n\r\f\v")
_ESCAPES: Final[Mapping[str, frozenset[str]]] = {
    "d": DIGITS, "D": UNIVERSE - DIGITS, "w": WORD, "W": UNIVERSE - WORD, "s": SPACE,
    "S": UNIVERSE - SPACE, "n": frozenset("\n"), "r": frozenset("\r"), "t": frozenset("\t"),
    "0": frozenset("\0"), "b": frozenset(), "B": frozenset(), "A": frozenset(), "Z": frozenset(),
    "z": frozenset(),
}  # fmt: skip

_POSIX: Final[Mapping[str, frozenset[str]]] = {
    "alnum": WORD - {"_"}, "alpha": WORD - DIGITS - {"_"}, "digit": DIGITS, "word": WORD,
    "xdigit": DIGITS | frozenset("ABCDEFabcdef"), "space": SPACE, "blank": frozenset(" \t"),
    "lower": frozenset("abcdefghijklmnopqrstuvwxyz"),
    "upper": frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
}  # fmt: skip
"""Classes by their names in `[[:alpha:]]`."""

DANGEROUS: Final[Mapping[str, frozenset[str]]] = {
    "command": frozenset(" \t\n;&|$`<>()'\"\\*?~!{}[]#"),
    "sql": frozenset("'\"`\\;=() \t\n"),
    "code": frozenset("()'\"`;=[]{}+ \n"),
    "path": frozenset("/\\"),
    "xss": frozenset("<"),
    "ssrf": frozenset(".:/\\@"),
    "redirect": frozenset(":/\\"),
    "deserialization": frozenset("{[:<\""),
    "ldap": frozenset("()*\\&|=\0"),
    "xpath": frozenset("'\"[]()/=@ "),
    "xxe": frozenset("<&"),
    "log": frozenset("\r\n"),
    "template": frozenset("{}<>%$#"),
    "header": frozenset("\r\n"),
    "format string": frozenset("%"),
    "regex": frozenset("()[]{}*+?|"),
}  # fmt: skip
"""Kind of sink -> characters of which it takes at least one to hurt it."""


class Regex(NamedTuple):
    """A regular expression that is written out."""

    pattern: str
    flags: str


def harmless(admitted: frozenset[str]) -> int:
    """Kinds of sink that a text of these characters cannot hurt."""
    return bits(kind for kind, bad in DANGEROUS.items() if not bad & admitted)


@cache
def passed(pattern: str, *, several_lines: bool = False) -> int:
    """Kinds that a text cannot hurt which the expression matches as a whole (`^...$`)."""
    if several_lines or not pattern.startswith(("^", "\\A")):
        return 0
    if not pattern.endswith(("$", "\\z", "\\Z")) or pattern.endswith("\\$"):
        return 0
    admitted, split = _admitted(pattern)
    return 0 if admitted is None or split else harmless(admitted)


@cache
def whole(pattern: str) -> int:
    """The same of an expression that is matched against the whole text."""
    admitted, _ = _admitted(pattern)
    return 0 if admitted is None else harmless(admitted)


@cache
def without(pattern: str, replacement: str = "") -> int:
    """Kinds that a text cannot hurt in which the expression matches nothing (any more)."""
    gone = single(pattern)
    return harmless((UNIVERSE - gone) | frozenset(replacement)) if gone else 0


def single(pattern: str) -> frozenset[str]:
    """Characters that the expression matches each by itself."""
    gone: frozenset[str] = frozenset()
    at = 0
    while at < len(pattern):
        found, end = _one(pattern, at)
        if end < len(pattern) and pattern[end] == "+":
            end += 1
        alone = end == len(pattern) or pattern[end] == "|"
        if found is not None and alone:
            gone |= found
            at = end + 1
            continue
        if any(each in pattern for each in "[]()"):
            return gone
        following = pattern.find("|", at)
        if following < 0:
            return gone
        at = following + 1
    return gone


def _admitted(pattern: str) -> tuple[frozenset[str] | None, bool]:
    """Characters of texts that match (None: any); whether there are alternatives at the top."""
    admitted: frozenset[str] = frozenset()
    at = depth = 0
    split = False
    while at < len(pattern):
        char = pattern[at]
        if char in "^$":
            at += 1
        elif char == "(":
            depth += 1
            at += 1
            if pattern.startswith("?", at):
                at += 1
                while at < len(pattern) and pattern[at] in ":=!<":
                    at += 1
        elif char == ")":
            depth -= 1
            at += 1
        elif char == "|":
            split = split or depth == 0
            at += 1
        elif char in "*+?":
            at += 1
        elif char == "{" and "}" in pattern[at:]:
            at = pattern.index("}", at) + 1
        else:
            found, at = _one(pattern, at)
            if found is None:
                return None, split
            admitted |= found
    return admitted, split


def _one(pattern: str, at: int) -> tuple[frozenset[str] | None, int]:
    """Characters that the item at a place matches (None: not known), and where it ends."""
    char = pattern[at]
    if char == ".":
        return UNIVERSE, at + 1
    if char == "\\":
        return _escaped(pattern, at + 1)
    if char == "[":
        return _class(pattern, at + 1)
    if char in "(){}*+?|^$":
        return None, at + 1
    return frozenset(char), at + 1


def _escaped(pattern: str, at: int) -> tuple[frozenset[str] | None, int]:
    if at >= len(pattern):
        return None, at
    char = pattern[at]
    if char in _ESCAPES:
        return _ESCAPES[char], at + 1
    return (None if char.isalnum() else frozenset(char)), at + 1


def _class(pattern: str, at: int) -> tuple[frozenset[str] | None, int]:
    negated = pattern.startswith("^", at)
    at += negated
    members: frozenset[str] = frozenset()
    start = at
    while at < len(pattern) and (pattern[at] != "]" or (at == start and negated)):
        if pattern.startswith("[:", at) and ":]" in pattern[at:]:
            end = pattern.index(":]", at) + 2
            known = _POSIX.get(pattern[at + 2 : end - 2])
            if known is None:
                return None, end
            members, at = members | known, end
            continue
        found, end = (
            _escaped(pattern, at + 1) if pattern[at] == "\\" else (frozenset(pattern[at]), at + 1)
        )
        if found is None:
            return None, end
        if pattern.startswith("-", end) and end + 1 < len(pattern) and pattern[end + 1] != "]":
            last, after = (
                _escaped(pattern, end + 2)
                if pattern[end + 1] == "\\"
                else (frozenset(pattern[end + 1]), end + 2)
            )
            if last is None or len(last) != 1 or len(found) != 1:
                return None, after
            low, high = ord(next(iter(found))), ord(next(iter(last)))
            found, end = frozenset(chr(n) for n in range(low, min(high, 127) + 1)), after
        members |= found
        at = end
    return (UNIVERSE - members if negated else members), at + 1

"""Conditions of the preprocessor that stand inside of an expression or tear braces apart.

The grammar knows `#if` between statements and members. Elsewhere (in the list behind a constructor,
around half of an `if`) one of them can swallow a whole file. There the parser reads the first branch
alone, and no directive.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

_TOKENS = re.compile(
    rb"//[^\n]*|/\*.*?\*/|R\"([^(\s\"]{0,16})\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\""
    rb"|(?<![0-9a-zA-Z])'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)
_DIRECTIVE = re.compile(rb"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|else|endif|define|\w+)\b")
_LABEL = re.compile(
    rb"(?:\b(?:public|private|protected|default|case|signals|slots)\b[^?]*|^\s*\w+\s*):\s*$"
)
_ENUM = re.compile(rb"\benum\b[^;{}]*\{[^{};]*$")
_NEVER = re.compile(rb"[ \t]*#[ \t]*if[ \t]+0\s*$")


class _Group(NamedTuple):
    """Numbers of the lines of `#if`, of what begins other branches, and of `#endif`."""

    lines: tuple[int, ...]


def without_torn(text: bytes) -> bytes:
    """The text with blanks in place of such directives and of all branches but one."""
    if b"#" not in text:
        return text
    plain = _TOKENS.sub(_blank, text)
    lines = plain.split(b"\n")
    kinds = _directives(lines)
    blank: set[int] = set()
    for group in _groups(kinds):
        if _is_guard(kinds, group.lines):
            blank.update(group.lines)
        elif _is_torn(lines, kinds, group.lines):
            blank.update(_left_out(lines, group.lines))
    if not blank:
        return text
    found = text.split(b"\n")
    for number in blank:
        ending = b"\r" if found[number].endswith(b"\r") else b""
        found[number] = b" " * (len(found[number]) - len(ending)) + ending
    return b"\n".join(found)


def _blank(match: re.Match[bytes]) -> bytes:
    return re.sub(rb"[^\r\n]", b" ", match[0])


def _directives(lines: list[bytes]) -> dict[int, bytes]:
    """The directive of every line that is (a part of) one."""
    found: dict[int, bytes] = {}
    inside = False
    for number, line in enumerate(lines):
        match = _DIRECTIVE.match(line)
        if inside:
            found[number] = b"more"
        elif match is not None:
            found[number] = match[1]
        inside = number in found and line.rstrip().endswith(b"\\")
    return found


def _groups(kinds: dict[int, bytes]) -> list[_Group]:
    """Conditions that are closed, the inner ones first."""
    found: list[_Group] = []
    open_: list[list[int]] = []
    for number, kind in kinds.items():
        if kind in (b"if", b"ifdef", b"ifndef"):
            open_.append([number])
        elif kind in (b"elif", b"elifdef", b"else") and open_:
            open_[-1].append(number)
        elif kind == b"endif" and open_:
            found.append(_Group((*open_.pop(), number)))
    return found


def _is_guard(kinds: dict[int, bytes], group: tuple[int, ...]) -> bool:
    """Whether a condition is about all of a file: an error inside would swallow all of it."""
    found = [at for at, kind in kinds.items() if kind != b"more"]
    first = kinds[group[0]] == b"ifndef" and len(group) == 2
    return first and group[0] == found[0] and group[1] == found[-1]


def _is_torn(lines: list[bytes], kinds: dict[int, bytes], group: tuple[int, ...]) -> bool:
    """Whether a branch leaves something open, or the condition stands inside of something."""
    for begin, end in pairwise(group):
        rows = [
            line for at, line in enumerate(lines[begin + 1 : end], begin + 1) if at not in kinds
        ]
        branch = b"\n".join(rows)
        for left, right in ((b"{", b"}"), (b"(", b")")):
            if branch.count(left) != branch.count(right):
                return True
    return _is_inside(lines, kinds, group[0]) or _goes_on(lines, kinds, group)


def _goes_on(lines: list[bytes], kinds: dict[int, bytes], group: tuple[int, ...]) -> bool:
    """Whether what a branch begins (the head of a function) goes on behind the condition."""
    rows = [
        line.strip() for at, line in enumerate(lines[group[0] + 1 : group[1]], group[0] + 1)
        if at not in kinds and line.strip()
    ]  # fmt: skip
    if not rows or rows[-1][-1:] in b";{}":
        return False
    behind = next(
        (line.strip() for at, line in enumerate(lines[group[-1] + 1 :], group[-1] + 1)
         if at not in kinds and line.strip()), b"",
    )  # fmt: skip
    return behind[:1] in (b"{", b")", b",", b";", b"=", b".", b"?", b"|", b"-", b":") and (
        behind[:2] != b"::"
    )


MAX_BACK = 40
"""Lines in front of a condition that are looked at."""


def _is_inside(lines: list[bytes], kinds: dict[int, bytes], begin: int) -> bool:
    for at in range(begin - 1, max(-1, begin - MAX_BACK), -1):
        line = lines[at].strip()
        if at in kinds or not line:
            continue
        last = line[-1:]
        if last in b";{}\\" or (last == b":" and _LABEL.search(line)):
            return False
        if last == b",":
            around = b"\n".join(lines[max(0, at - MAX_BACK) : at + 1])
            return _ENUM.search(around) is None
        return last in b":(=+-*/%&|^?<>["
    return False


def _left_out(lines: list[bytes], group: tuple[int, ...]) -> list[int]:
    """Every line but those of the first branch, or of the second where the first is `#if 0`."""
    kept = 1 if _NEVER.match(lines[group[0]]) else 0
    found: list[int] = list(group)
    for branch, (begin, end) in enumerate(pairwise(group)):
        if branch != kept:
            found += range(begin + 1, end)
    for begin in group:  # a condition that goes on in the next line
        while begin + 1 < len(lines) and lines[begin].rstrip().endswith(b"\\"):
            begin += 1
            found.append(begin)
    return found

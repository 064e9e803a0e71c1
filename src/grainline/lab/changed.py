"""From a change of text to the lines and functions that it changed, as they were before."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from grainline.lab.labels import outline, qualified
from grainline.lab.questions import Place
from grainline.languages.base import CALLABLE_KINDS
from grainline.model.position import LineSpan
from grainline.model.symbol import Definition

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def changed_lines(before: bytes, after: bytes) -> tuple[LineSpan, ...]:
    """The lines of `before` that are other or gone in `after`; where some came, the line above."""
    old, new = before.split(b"\n"), after.split(b"\n")
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return tuple(
        _span(start + 1, end - start)
        for tag, start, end, _, _ in matcher.get_opcodes()
        if tag != "equal"
    )


def _span(first: int, count: int) -> LineSpan:
    """`count` lines from `first` on; of none the line above."""
    return LineSpan(first, first + count - 1) if count else LineSpan(*[max(1, first - 1)] * 2)


def patched_lines(patch: str) -> Mapping[str, tuple[LineSpan, ...]]:
    """The lines that a unified diff changes, by the path before it; new files are left out."""
    found: dict[str, list[LineSpan]] = {}
    path = ""
    lines = iter(patch.split("\n"))
    for line in lines:
        header = _HUNK.match(line)
        if header:
            found.setdefault(path, []).extend(_hunk(header, lines))
        elif line.startswith("--- "):
            named = line[4:].split("\t")[0].strip()
            path = "" if named == "/dev/null" else named.removeprefix("a/")
    return {path: tuple(spans) for path, spans in found.items() if path}


def _hunk(header: re.Match[str], lines: Iterator[str]) -> Iterator[LineSpan]:
    """The changed lines of one hunk; its header says how many lines there are to read."""
    first, old, new = (int(header[group] or 1) for group in (1, 2, 3))
    at = first + (old == 0)  # of an empty range git names the line above
    gone, came = 0, False
    while old > 0 or new > 0:
        sign = next(lines, " ")[:1]
        if sign == "\\":
            continue
        if sign in "-+" and sign:
            gone, came = gone + (sign == "-"), came or sign == "+"
        elif gone or came:
            yield _span(at - gone, gone)
            gone, came = 0, False
        at += sign != "+"
        old -= sign != "+"
        new -= sign != "-"
    if gone or came:
        yield _span(at - gone, gone)


def functions_at(path: bytes, data: bytes, lines: Iterable[LineSpan]) -> tuple[Place, ...]:
    """The outermost functions that lines touch, in file order."""
    wanted = tuple(lines)
    definitions = outline(path, data)
    found = (
        Place(path, lines_of(data, each), qualified(definitions, each))
        for each in outermost(definitions)
    )
    return tuple(
        place
        for place in found
        if any(at.start <= place.lines.end and place.lines.start <= at.end for at in wanted)
    )


def outermost(definitions: Sequence[Definition]) -> Iterator[Definition]:
    """Functions and methods that stand in no other function."""
    inside = [False] * len(definitions)
    for number, definition in enumerate(definitions):
        parent = definition.parent
        inside[number] = parent >= 0 and (
            inside[parent] or definitions[parent].kind in CALLABLE_KINDS
        )
        if definition.kind in CALLABLE_KINDS and not inside[number]:
            yield definition


def lines_of(data: bytes, definition: Definition) -> LineSpan:
    """The lines of a definition."""
    text = data[definition.start : definition.end].rstrip()
    first = data.count(b"\n", 0, definition.start) + 1
    return LineSpan(first, first + text.count(b"\n"))

"""Targets: what `--at`, `--target` and `--stdin` name, as places of the corpus."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from grainline.context.cite import Reader, SourceFile, innermost
from grainline.context.lookups import no_such_file
from grainline.errors import BadInput
from grainline.model.position import LineSpan, Span, quote_path, unquote_path
from grainline.retrieval.places import entries_named
from grainline.retrieval.symbols import resolve_symbol
from grainline.storage.base import Corpus
from grainline.text.plural import counted

MAX_TARGETS = 8  # places that one ambiguous name may bring
_AT = re.compile(r"(?P<path>.+?):(?P<a>[0-9]{1,9})(?:-(?P<b>[0-9]{1,9}))?", re.DOTALL)


class Target(NamedTuple):
    """A named place: bytes of an entry, and the definition that it is (in), or -1."""

    entry: int
    span: Span
    symbol: int
    why: str


def parse_at(text: str) -> tuple[bytes, LineSpan] | None:
    """`PATH:A` or `PATH:A-B` as (path, lines), or None.

    Raises:
        BadInput: B stands before A.
    """
    found = _AT.fullmatch(text)
    if found is None:
        return None
    path = unquote_path(found["path"])
    start, end = int(found["a"]), int(found["b"] or found["a"])
    if path is None or start < 1:
        return None
    if end < start:
        raise BadInput(
            "bad_position",
            f"the range {start}-{end} of lines is backwards",
            subject=quote_path(path),
            hint=f"write {quote_path(path)}:{end}-{start}",
            path=quote_path(path),
        )
    return path, LineSpan(start, end)


def at(reader: Reader, text: str) -> tuple[Target, ...]:
    """The lines that `--at` names, in every view of the scope that has the path.

    Raises:
        BadInput: not of the form, no such path, or no such line.
    """
    parsed = parse_at(text)
    if parsed is None:
        what = f"{text!r} is not PATH:LINE or PATH:A-B"
        raise BadInput("bad_position", what, hint="places look like src/app.py:12-18")
    path, lines = parsed
    out: list[Target] = []
    for entry in _entries(reader.corpus, path):
        file = reader.file(entry)
        if lines.start > file.n_lines:
            raise BadInput(
                "no_such_line",
                f"line {lines.start} is past the end",
                subject=quote_path(path),
                hint=f"it has {counted(file.n_lines, 'line')}",
                path=quote_path(path),
            )
        span = file.line_span(lines)
        shown = f"lines {lines.start}-{min(lines.end, file.n_lines)}, as asked for"
        out.append(Target(entry, span, innermost(file.outline, *_inner(file, span)), shown))
    return tuple(out[:MAX_TARGETS])


def _inner(file: SourceFile, span: Span) -> Span:
    """`span` without the blanks at its ends: indentation belongs to no definition."""
    raw = file.text[span.start : span.end]
    start = span.start + len(raw) - len(raw.lstrip())
    return Span(start, max(start, span.start + len(raw.rstrip())))


def _entries(corpus: Corpus, path: bytes) -> tuple[int, ...]:
    found = entries_named(corpus, path)
    if found:
        return found
    raise no_such_file(corpus, path)


def symbol(reader: Reader, name: str) -> tuple[Target, ...]:
    """Every definition that `name` means: qualified, partly qualified, bare, or `PATH:LINE`.

    Raises:
        BadInput: there is none; the nearest names are suggested.
    """
    hits = resolve_symbol(reader.corpus, name).hits
    out: list[Target] = []
    for hit in hits[:MAX_TARGETS]:
        span = reader.file(hit.entry).widen(Span(hit.definition.start, hit.definition.end))
        why = "the symbol asked for" if len(hits) == 1 else f"one of {len(hits)} with this name"
        out.append(Target(hit.entry, span, hit.row, why))
    return tuple(out)


def pasted(reader: Reader, text: str, entries: Sequence[int]) -> tuple[Target, ...]:
    """Where pasted code stands in one of `entries`, compared line by line without indentation."""
    wanted = [line.strip() for line in text.splitlines()]
    while wanted and not wanted[0]:
        wanted.pop(0)
    while wanted and not wanted[-1]:
        wanted.pop()
    if not any(len(line) >= 8 for line in wanted):
        return ()
    out: list[Target] = []
    for entry in dict.fromkeys(entries):
        file = reader.file(entry)
        lines = _find_lines(file, wanted)
        if lines is not None:
            span = file.line_span(lines)
            index = innermost(file.outline, *_inner(file, span))
            out.append(Target(entry, span, index, "the pasted text stands here"))
    return tuple(out[:MAX_TARGETS])


def _find_lines(file: SourceFile, wanted: Sequence[str]) -> LineSpan | None:
    have = [line.strip() for line in file.decode(Span(0, len(file.text))).split("\n")]
    for row in range(len(have) - len(wanted) + 1):
        if have[row] == wanted[0] and have[row : row + len(wanted)] == list(wanted):
            return LineSpan(row + 1, row + len(wanted))
    return None

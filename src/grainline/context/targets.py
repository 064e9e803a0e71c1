"""Targets: what `--at`, `--target` and `--stdin` name, as places of the corpus."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from grainline.context.cite import Reader, SourceFile, innermost, module_name
from grainline.context.suggest import close_names
from grainline.errors import BadInput
from grainline.model.position import LineSpan, Span, quote_path, unquote_path
from grainline.storage.base import Corpus, SymbolHit

MAX_TARGETS = 8  # places that one ambiguous name may bring
_AT = re.compile(r"(?P<path>.+?):(?P<a>[0-9]{1,9})(?:-(?P<b>[0-9]{1,9}))?", re.DOTALL)
_SEPARATORS = re.compile(r"::|[.#/\\]|->")
_TAIL = re.compile(r"\(.*\)?\.?$|[.#:]+$")


class Target(NamedTuple):
    """A named place: bytes of an entry, and the definition that it is (in), or -1."""

    entry: int
    span: Span
    symbol: int
    why: str


def parse_at(text: str) -> tuple[bytes, LineSpan] | None:
    """`PATH:A` or `PATH:A-B` as (path, lines), or None."""
    found = _AT.fullmatch(text)
    if found is None:
        return None
    path = unquote_path(found["path"])
    start, end = int(found["a"]), int(found["b"] or found["a"])
    if path is None or start < 1 or end < start:
        return None
    return path, LineSpan(start, end)


def at(reader: Reader, text: str) -> tuple[Target, ...]:
    """The lines that `--at` names, in every view of the scope that has the path.

    Raises:
        BadInput: not of the form, no such path, or no such line.
    """
    parsed = parse_at(text)
    if parsed is None:
        raise BadInput("bad_position", f"{text!r} is not PATH:LINE or PATH:A-B")
    path, lines = parsed
    out: list[Target] = []
    for entry in _entries(reader.corpus, path):
        file = reader.file(entry)
        if lines.start > file.n_lines:
            raise BadInput(
                "no_such_line",
                f"line {lines.start} is past the end",
                subject=quote_path(path),
                hint=f"it has {file.n_lines} lines",
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
    found = corpus.find_entries(path)
    if found:
        return found
    near = [
        corpus.entry(entry).path
        for entry in range(corpus.n_entries)
        if corpus.entry(entry).path.endswith(b"/" + path)
    ]
    hint = ", ".join(quote_path(other) for other in dict.fromkeys(near[:5]))
    raise BadInput(
        "unknown_path",
        f"no path of the scope is {quote_path(path)!r}",
        hint=f"did you mean {hint}" if hint else "paths are relative to the repository",
        path=quote_path(path),
    )


def symbol(reader: Reader, name: str) -> tuple[Target, ...]:
    """Every definition that `name` means: qualified, partly qualified, bare, or `PATH:LINE`.

    Raises:
        BadInput: there is none; the nearest names are suggested.
    """
    hits = find_symbols(reader, name)
    out: list[Target] = []
    for hit in hits[:MAX_TARGETS]:
        span = reader.file(hit.entry).widen(Span(hit.definition.start, hit.definition.end))
        why = "the symbol asked for" if len(hits) == 1 else f"one of {len(hits)} with this name"
        out.append(Target(hit.entry, span, hit.index, why))
    return tuple(out)


def find_symbols(reader: Reader, name: str) -> tuple[SymbolHit, ...]:
    """The definitions that `name` means, exact qualified names first, else every suffix match.

    Raises:
        BadInput: there is none; the nearest names are suggested.
    """
    parsed = parse_at(name)
    if parsed is not None and reader.corpus.find_entries(parsed[0]):
        return _at_line(reader, name)
    parts = split_name(name)
    hits = reader.corpus.symbols_named(parts[-1]) if parts else ()
    matched = [hit for hit in hits if _ends_with(_qualified(reader, hit), parts)]
    exact = [hit for hit in matched if len(_qualified(reader, hit)) == len(parts)]
    found = exact or matched
    if not found:
        names = close_names(reader.corpus.symbol_names(), parts[-1] if parts else name)
        hint = "did you mean " + ", ".join(names) if names else "search finds by words"
        raise BadInput("unknown_symbol", f"no symbol is called {name!r}", hint=hint)
    return tuple(found)


def _at_line(reader: Reader, name: str) -> tuple[SymbolHit, ...]:
    found: list[SymbolHit] = []
    for target in at(reader, name):
        if target.symbol >= 0:
            definition = reader.file(target.entry).outline[target.symbol]
            found.append(SymbolHit(target.entry, target.symbol, definition))
    if not found:
        raise BadInput("unknown_symbol", f"no symbol stands at {name!r}", hint="see outline")
    return tuple(found)


def split_name(name: str) -> list[str]:
    """The parts of a qualified name, however a language writes it (`a.b`, `A::b`, `A#b().`)."""
    bare = _TAIL.sub("", name.strip())
    return [part for part in _SEPARATORS.split(bare) if part]


def _qualified(reader: Reader, hit: SymbolHit) -> list[str]:
    file = reader.file(hit.entry)
    scopes: list[str] = []
    parent = hit.definition.parent
    while parent >= 0:
        scopes.append(file.outline[parent].name)
        parent = file.outline[parent].parent
    return [*split_name(module_name(file.path)), *scopes[::-1], hit.definition.name]


def _ends_with(names: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether the scopes before the name end as asked; the name itself is the lookup's affair."""
    head = list(parts[:-1])
    return not head or list(names[:-1])[-len(head) :] == head


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

"""Exact answers: a symbol's source, a file's outline, the text behind a citation."""

from __future__ import annotations

from difflib import get_close_matches

from grainline.context.cite import Reader
from grainline.errors import BadInput
from grainline.model.answers import (
    OutlineNode,
    OutlineResult,
    ReadResult,
    ShownSymbol,
    ShowResult,
)
from grainline.model.position import Citation, Span, parse_citation, quote_path, unquote_path
from grainline.model.search import CoverageRecord
from grainline.retrieval.hits import version_of
from grainline.retrieval.symbols import resolve_symbol
from grainline.storage.base import Corpus, SymbolHit
from grainline.text.plural import counted

MAX_SHOWN = 50
"""Definitions that one name shows; the rest is counted in the coverage."""


def show(reader: Reader, symbol: str) -> ShowResult:
    """The definitions that `symbol` names, whole.

    Raises:
        BadInput: nothing in scope is called so.
    """
    found = resolve_symbol(reader.corpus, symbol)
    shown = tuple(_shown(reader, hit) for hit in found.hits[:MAX_SHOWN])
    omitted = len(found.hits) - len(shown)
    coverage = CoverageRecord(snapshots=reader.corpus.snapshots, omitted=omitted)
    return ShowResult(symbols=shown, ambiguous=found.ambiguous, coverage=coverage)


def _shown(reader: Reader, hit: SymbolHit) -> ShownSymbol:
    definition = hit.definition
    start = definition.start
    if definition.doc_start < definition.doc_end:
        start = min(start, definition.doc_start)
    span = Span(start, definition.end)
    info = reader.symbol(hit.entry, hit.row)
    assert info is not None, "a hit is a row of its outline"
    text = reader.file(hit.entry).decode(span)
    return ShownSymbol(info=info, place=reader.place(hit.entry, span), text=text)


def outline(reader: Reader, path: str) -> tuple[int, OutlineResult]:
    """(entry, symbol tree) of a file, in the first view of the scope that has it.

    Raises:
        BadInput: no entry of the scope has this path.
    """
    raw = unquote_path(path) or b""
    entry = _entry(reader.corpus, raw)
    definitions = reader.file(entry).outline
    children: dict[int, list[int]] = {}
    for row, definition in enumerate(definitions):
        children.setdefault(definition.parent, []).append(row)

    # bottom-up, since a parent always stands before its children: no recursion over source
    nodes: dict[int, OutlineNode] = {}
    for row in range(len(definitions) - 1, -1, -1):
        info = reader.symbol(entry, row)
        assert info is not None, "every row has a definition"
        definition = definitions[row]
        nodes[row] = OutlineNode(
            info=info,
            place=reader.place(entry, Span(definition.start, definition.end)),
            children=tuple(nodes[child] for child in children.get(row, ())),
        )
    return entry, OutlineResult(
        path=raw,
        nodes=tuple(nodes[row] for row in children.get(-1, ())),
        coverage=CoverageRecord(snapshots=reader.corpus.snapshots),
    )


def _entry(corpus: Corpus, path: bytes) -> int:
    found = corpus.find_entries(path)
    if not found:
        raise no_such_file(corpus, path)
    return found[0]


def no_such_file(corpus: Corpus, path: bytes) -> BadInput:
    """The error about a path that no file in scope has: what it may have meant."""
    what, shown = "no such file in scope", quote_path(path)
    inside = sorted(_inside(corpus, path))
    if inside:
        what, more = "it is a folder", len(inside) - SHOWN_PATHS
        names = ", ".join(map(quote_path, inside[:SHOWN_PATHS]))
        hint = f"name a file: {names}" + (f" and {more} more" if more > 0 else "")
    elif close := _close_paths(corpus, path):
        hint = f"did you mean {', '.join(close)}?"
    else:
        hint = "see: grainline status --paths"
    return BadInput("unknown_path", what, subject=shown, path=shown, hint=hint)


def _inside(corpus: Corpus, folder: bytes) -> set[bytes]:
    """The paths in scope below a folder."""
    start = folder.rstrip(b"/") + b"/"
    paths = map(corpus.path, range(corpus.n_entries))
    return {path for path in paths if start != b"/" and path.startswith(start)}


SHOWN_PATHS = 3
"""Paths that an error names."""


def _close_paths(corpus: Corpus, path: bytes) -> list[str]:
    """Paths in scope that `path` may have meant: the same file name first, then alike ones."""
    paths = sorted({corpus.path(entry) for entry in range(corpus.n_entries)})
    name = path.rpartition(b"/")[2]
    same = [other for other in paths if other.rpartition(b"/")[2] == name]
    shown = {quote_path(other): None for other in same[:SHOWN_PATHS]}
    near = get_close_matches(
        quote_path(path), [quote_path(other) for other in paths], n=SHOWN_PATHS
    )
    return list({**shown, **dict.fromkeys(near)})[:SHOWN_PATHS]


def read(reader: Reader, text: str) -> tuple[int, ReadResult]:
    """(entry, text) behind a citation; the version may be shortened.

    Raises:
        BadInput: not a citation, or nothing in scope that it names.
    """
    citation = parse_citation(text)
    if citation is None:
        bare = parse_citation(f"{text}@worktree:{0:012}") is not None
        raise BadInput(
            "bad_citation",
            f"{text!r} is not a citation" + (": @COMMIT is missing" if bare else ""),
            hint="the form is PATH:12-18@COMMIT, the lower line first, COMMIT in hexadecimal (no branch, no HEAD); "
            "search prints citations with --json",
        )
    corpus = reader.corpus
    entries = [
        entry
        for entry in corpus.find_entries(citation.path)
        if _is_version(corpus, entry, citation)
    ]
    if not entries:
        raise BadInput(
            "unknown_citation",
            "nothing in scope stands there",
            subject=text,
            path=quote_path(citation.path),
            hint="see: grainline status; another commit must be indexed first",
        )
    file = reader.file(entries[0])
    if citation.lines.start > file.n_lines:
        raise BadInput(
            "no_such_line",
            f"line {citation.lines.start} is past the end",
            subject=quote_path(citation.path),
            path=quote_path(citation.path),
            hint=f"it has {counted(file.n_lines, 'line')}",
        )
    span = file.line_span(citation.lines)
    place = reader.place(entries[0], span)
    coverage = CoverageRecord(snapshots=corpus.snapshots, warnings=_cut(citation, file.n_lines))
    return entries[0], ReadResult(place=place, text=file.decode(span), coverage=coverage)


def _is_version(corpus: Corpus, entry: int, citation: Citation) -> bool:
    blob = corpus.entry(entry).blob or ""
    snapshot = corpus.snapshot(entry)
    names = {version_of(snapshot, corpus.entry(entry)), f"worktree:{blob[:12]}"}
    wanted = citation.version
    if wanted.startswith("worktree:"):
        return wanted in names
    return any(name.startswith(wanted) for name in names)


def _cut(citation: Citation, n_lines: int) -> tuple[str, ...]:
    if citation.lines.end <= n_lines:
        return ()
    return (f"the file ends at line {n_lines}",)

"""From a ranked document to a cited result."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.model.position import Citation, LineSpan, Span
from grainline.model.search import Hit, Place, SymbolInfo
from grainline.model.snapshot import BlobId, Entry, Snapshot
from grainline.model.symbol import Definition, Import, Role
from grainline.retrieval.cache import ByteLru, derived
from grainline.retrieval.focus import Asked, Focus
from grainline.retrieval.lines import lines_after, lines_of
from grainline.retrieval.modules import module_name, qualified_parts
from grainline.retrieval.places import entry_of
from grainline.storage.base import Corpus, Placement

MAX_ALSO_AT = 10
"""Other places listed for one result; each costs reading a file."""

MAX_NAMES = 50
"""Imports or calls listed for one result."""

KEPT_ENTRIES = 512
"""Entries whose imports are kept: most questions are answered from a part of the files."""


class Ranked(NamedTuple):
    """A document of a ranking. `score` in standard deviations; `channels` are its shares."""

    doc: int
    score: float
    channels: tuple[tuple[str, float], ...]


def build_hit(
    corpus: Corpus,
    ranked: Ranked,
    *,
    rank: int,
    entries: NDArray[np.bool_] | None = None,
    asked: Asked | None = None,
) -> Hit:
    """The result of a document, shown at its best place among `entries` (None: anywhere).

    Its symbol is the definition that `asked` means there, by default that of the chunk.
    """
    places = corpus.entries_of(ranked.doc, limit=None if entries is not None else 1 + MAX_ALSO_AT)
    inside = [each for each in places if entries is None or entries[each.entry]]
    best, *others = inside or places
    text = corpus.text(best.entry)
    entry = entry_of(corpus, best.entry)
    module = module_name(entry.path, entry.language)
    focus = asked.focus(best, text) if asked is not None else None
    own = symbol_info(corpus, best, module, text)
    meant = best if focus is None else best._replace(symbol=focus.row)
    place = place_of(corpus, best.entry, Span(best.start, best.end), text)
    return Hit(
        rank=rank,
        place=place,
        chunk_id=best.chunk_id,
        kind=best.kind,
        symbol=own if meant.symbol == best.symbol else symbol_info(corpus, meant, module, text),
        module=module,
        imports=_imports(corpus, best.entry),
        calls=_calls(corpus, best, focus),
        score=ranked.score,
        channels=ranked.channels,
        also_at=tuple(_citation_of(corpus, each) for each in others[:MAX_ALSO_AT]),
        text=decode(text[best.start : best.end], corpus.encoding(best.entry)),
        focus=_focus_lines(text, focus.span, place) if focus is not None else None,
        chunk_symbol=own,
    )


def _focus_lines(text: bytes, span: Span, place: Place) -> LineSpan:
    if span.start < place.span.start:
        return lines_of(text, span)
    return lines_after(text, span, place.span.start, place.lines.start)


def place_of(corpus: Corpus, entry: int, span: Span, text: bytes) -> Place:
    """The cited place of a span of an entry; `text` is the entry's masked view."""
    row = entry_of(corpus, entry)
    snapshot = corpus.snapshot(entry)
    lines = lines_of(text, span)
    return Place(
        repository=corpus.repository(entry).name,
        snapshot=snapshot,
        path=row.path,
        blob=row.blob or BlobId(""),
        language=row.language,
        span=span,
        lines=lines,
        citation=Citation(path=row.path, lines=lines, version=version_of(snapshot, row)),
        flags=row.flags,
    )


def version_of(snapshot: Snapshot, entry: Entry) -> str:
    """What a citation of the entry names: its commit, or the blob where no commit may hold it."""
    if snapshot.commit and not entry.dirty:
        return snapshot.commit
    return f"worktree:{(entry.blob or '')[:12]}"


def _citation_of(corpus: Corpus, place: Placement) -> Citation:
    entry = entry_of(corpus, place.entry)
    lines = lines_of(corpus.text(place.entry), Span(place.start, place.end))
    version = version_of(corpus.snapshot(place.entry), entry)
    return Citation(path=entry.path, lines=LineSpan(*lines), version=version)


def symbol_info(corpus: Corpus, place: Placement, module: str, text: bytes) -> SymbolInfo | None:
    """The symbol that a chunk is or is a part of, None for a chunk of no symbol."""
    if place.symbol < 0:
        return None
    outline = partial(corpus.definition, place.entry)
    return describe(corpus, place.entry, outline, place.symbol, module, text)


def describe(
    corpus: Corpus,
    entry: int,
    outline: Callable[[int], Definition],
    index: int,
    module: str,
    text: bytes,
) -> SymbolInfo:
    """The symbol at row `index` of an outline (row -> definition), as answers show it."""
    each = outline(index)
    codec = corpus.encoding(entry)
    parts, _ = qualified_parts(module, each.descriptor, each.name)
    above = outline(each.parent) if each.parent >= 0 else None
    parent = ".".join(qualified_parts(module, above.descriptor, above.name)[0]) if above else None
    return SymbolInfo(
        name=each.name,
        qualified_name=".".join(parts),
        kind=str(each.kind),
        signature=" ".join(decode(text[each.signature_start : each.signature_end], codec).split()),
        doc=decode(text[each.doc_start : each.doc_end], codec).strip(),
        descriptor=each.descriptor,
        parent=parent,
    )


def decode(data: bytes, codec: str) -> str:
    """A piece of a file as text; what does not decode is replaced."""
    try:
        return data.decode(codec or "utf-8", "replace")
    except LookupError:
        return data.decode("utf-8", "replace")


def _imports(corpus: Corpus, entry: int) -> tuple[str, ...]:
    """What an entry imports, at most `MAX_NAMES`; kept while it is among the last asked for."""
    kept: ByteLru[tuple[str, ...]] = derived(
        corpus, "imports", lambda: ByteLru[tuple[str, ...]](KEPT_ENTRIES, lambda _: 1)
    )
    return kept.get(entry, lambda: _import_names(corpus.imports(entry)))


def _import_names(imports: tuple[Import, ...]) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for each in imports:
        names[_import_name(each)] = None
        if len(names) == MAX_NAMES:
            break
    return tuple(names)


def _import_name(each: Import) -> str:
    if not each.name:
        return each.module
    if "/" in each.module:
        return f"{each.module}:{each.name}"
    joint = "" if each.module.endswith((".", "::")) or not each.module else "."
    return f"{each.module}{joint}{each.name}"


def _calls(corpus: Corpus, place: Placement, focus: Focus | None) -> tuple[str, ...]:
    """What the definition that is meant calls, when it lies in the chunk; else the chunk's calls."""
    span = Span(place.start, place.end)
    if focus is not None and focus.row >= 0:
        meant = corpus.definition(place.entry, focus.row)
        if span.start <= meant.start and meant.end <= span.end:
            span = Span(meant.start, meant.end)
    names = dict.fromkeys(row.name for row in corpus.references(place.entry, span, Role.CALL))
    return tuple(names)[:MAX_NAMES]

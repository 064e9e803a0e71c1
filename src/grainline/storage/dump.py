"""The canonical dump: equal for equal content and membership, whatever the way that led there."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from grainline.model.chunk import ChunkKind
from grainline.model.position import quote_path
from grainline.storage.content import Content
from grainline.storage.membership import NO_BLOB
from grainline.storage.numbering import ViewState

_KINDS = tuple(ChunkKind)


def dump_view(state: ViewState, content: Content) -> Iterator[str]:
    """Lines of one view: the view, then every path with its outcome, chunks, symbols and counts."""
    yield _line(
        view=state.view.ref,
        repository=state.repository.name,
        commit=state.snapshot.commit,
        fingerprint=state.fingerprint,
        generation=state.generation,
    )
    terms = _Terms(content)
    rows = range(len(state.membership)) if state.mask is None else np.flatnonzero(state.mask)
    for row in map(int, rows):
        entry = state.membership.entry(row, content)
        yield _line(
            path=quote_path(entry.path),
            mode=entry.mode,
            blob=entry.blob,
            language=entry.language,
            outcome=entry.outcome,
            reason=entry.reason,
            flags=[[flag.name, flag.rule] for flag in entry.flags],
            symbols=entry.symbols,
            dirty=entry.dirty,
        )
        number = int(state.membership.blobs[row])
        if number != NO_BLOB and entry.blob is not None:
            yield from _dump_blob(number, content, terms)


def _dump_blob(number: int, content: Content, terms: _Terms) -> Iterator[str]:
    segment, local = content.blob(number)
    start, end = segment.places(local)
    columns: list[list[int]] = [
        segment.columns[f"place_{name}"].part(start, end).tolist()
        for name in ("chunk", "start", "end", "kind", "symbol", "parent", "part", "parts", "tokens")
    ]
    places: list[tuple[int, ...]] = list(zip(*columns, strict=True))
    for place in places:
        chunk, low, high, kind = place[:4]
        holder, at = content.chunk(chunk)
        lengths: list[int] = holder.columns["chunk_length"].all()[at].tolist()
        yield _line(
            chunk=holder.chunk_id(at),
            span=[low, high],
            kind=_KINDS[kind],
            place=place[4:],
            lengths=lengths,
            counts=terms.of(holder.source, at),
        )
    facts = segment.facts(local)
    for definition in facts.definitions:
        yield _line(symbol=definition.descriptor, kind=definition.kind, span=list(definition[3:]))
    for found in facts.imports:
        yield _line(imports=list(found))
    text = segment.blob_text(local, content.chunk_text)
    for reference in facts.references(text, 0, len(text)):
        yield _line(reference=list(reference))
    yield _line(text=text.decode("utf-8", "backslashreplace"))


class _Terms:
    """Counts of a chunk by term: the postings of a segment turned around, once."""

    def __init__(self, content: Content) -> None:
        self._segments = {segment.source: segment for segment in content.segments}
        self._turned: dict[str, list[list[tuple[str, int, int]]]] = {}

    def of(self, source: str, chunk: int) -> list[tuple[str, int, int]]:
        """(term, field, count) rows of a chunk, by term."""
        if source not in self._turned:
            segment = self._segments[source]
            rows: list[list[tuple[str, int, int]]] = [[] for _ in range(segment.n_chunks)]
            for index, term in enumerate(segment.terms):
                chunks, packed = segment.rows_of(index)
                word = term.decode("utf-8", "backslashreplace")
                places: list[int] = chunks.tolist()
                values: list[int] = packed.astype(np.int64).tolist()
                for at, value in zip(places, values, strict=True):
                    rows[at].append((word, value >> 5, value & 31))
            self._turned[source] = rows
        return self._turned[source][chunk]


def _line(**values: object) -> str:
    return json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

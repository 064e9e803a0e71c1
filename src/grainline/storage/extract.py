"""A part of a store as a store of its own: the same views in memory without some of their paths.

Content is turned back into batches and written again from nothing, so that no posting, number or
text of what is left out reaches the new store by any way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from grainline.model.chunk import N_FIELDS
from grainline.model.snapshot import BlobId, Outcome
from grainline.model.symbol import Definition, Import, Role
from grainline.storage.base import BlobContent, BlobKey, ContentBatch, Fingerprint, MemberEntry
from grainline.storage.catalog import Change
from grainline.storage.codes import NO_REASON, OUTCOMES, REASONS
from grainline.storage.content import Content
from grainline.storage.membership import NO_BLOB, Membership
from grainline.storage.memory import MemoryCatalog
from grainline.storage.segments.segment import Segment
from grainline.storage.store import Opened, PartStore

BATCH = 200
"""Blobs that are turned back at a time."""

ROLES = tuple(Role)

Keep = Callable[[str, bytes], bool]
"""(label of a repository, path) -> whether the path stays."""


def extract(source: PartStore, keep: Keep, hint: Callable[[bytes], str]) -> PartStore:
    """The views of `source` in memory without the paths that `keep` refuses.

    A view without any path left is left out.

    Args:
        source: a store.
        keep: which paths stay.
        hint: the language hint of a path, as its blob's key holds it.
    """
    views = source.opened()
    catalog = MemoryCatalog()
    store = PartStore(catalog)
    for view in views:
        kept = [
            at
            for at, path in enumerate(view.membership.paths)
            if keep(view.row.repository.name, path)
        ]
        if kept:
            _write(store, view, kept, keep, hint)
    ages = {view.row.view: view.row.at for view in views}
    rows = [replace(row, at=ages[row.view]) for row in catalog.pin().members]
    catalog.flip(Change(members=tuple(rows)))
    return store


def _write(
    store: PartStore, view: Opened, kept: Sequence[int], keep: Keep, hint: Callable[[bytes], str]
) -> None:
    row, membership, content = view
    membership = membership.heeding(partial(keep, row.repository.name))
    entries = [_entry(membership, at, hint) for at in kept]
    blobs = {
        entry.key: int(membership.blobs[at])
        for at, entry in zip(kept, entries, strict=True)
        if entry.key is not None
    }
    tiling = all(segment.tiling for segment in content.segments)
    made = Fingerprint.parse(row.fingerprint, tiling=tiling)
    assert made is not None, "a store holds what `Fingerprint.text` gave it"
    with store.writer(made) as writer:
        known = writer.known(list(blobs))
        for batch in batches(content, [each for each in blobs.items() if each[0] not in known]):
            writer.add(batch)
        writer.commit(
            row.repository,
            row.view,
            row.snapshot,
            entries,
            missing=[path for path in membership.missing if keep(row.repository.name, path)],
            rules=row.rules,
            historic=row.historic,
        )


def _entry(membership: Membership, at: int, hint: Callable[[bytes], str]) -> MemberEntry:
    path = membership.paths[at]
    reason = int(membership.reasons[at])
    cells = membership.cells(at)
    stored = int(membership.blobs[at]) != NO_BLOB
    return MemberEntry(
        path=path,
        mode=cells.mode,
        size=cells.size,
        key=BlobKey(membership.raw_id(at), hint(path)) if stored else None,
        outcome=OUTCOMES[int(membership.outcomes[at])],
        reason=None if reason == NO_REASON else REASONS[reason],
        detail=cells.detail,
        flags=membership.flag_sets[int(membership.flag_rows[at])],
        signature=cells.signature,
        dirty=bool(membership.dirty[at]),
    )


# --------------------------------------------------------------------------- content


def batches(content: Content, blobs: Sequence[tuple[BlobKey, int]]) -> Iterator[ContentBatch]:
    """Stored blobs, (key, store-wide number), as the batches that would store them again."""
    postings: dict[str, _Postings] = {}
    for at in range(0, len(blobs), BATCH):
        yield _Batch(content, postings).read(blobs[at : at + BATCH])


class _Postings:
    """The rows of a segment by chunk."""

    def __init__(self, segment: Segment) -> None:
        ends = segment.columns["post_ends"].all().astype(np.int64)
        chunks = segment.columns["post_chunk"].all().astype(np.int64)
        order = np.argsort(chunks, kind="stable")
        self.segment = segment
        self._terms = np.repeat(np.arange(len(ends) - 1), np.diff(ends))[order]
        self._packed = segment.columns["post_count"].all()[order].astype(np.uint64)
        self._ends = np.searchsorted(chunks[order], np.arange(segment.n_chunks + 1))

    def of(self, chunk: int) -> list[tuple[bytes, int]]:
        """(term, field and count) of a chunk."""
        start, end = self._ends[chunk : chunk + 2].tolist()
        terms: list[int] = self._terms[start:end].tolist()
        packed: list[int] = self._packed[start:end].tolist()
        return [(self.segment.terms[term], row) for term, row in zip(terms, packed, strict=True)]


_CELLS = ("chunk", "start", "end", "kind", "symbol", "parent", "part", "parts", "tokens")


class _Batch:
    """One batch on its way out of a store."""

    def __init__(self, content: Content, postings: dict[str, _Postings]) -> None:
        self._content = content
        self._postings = postings
        self._places: list[tuple[int, ...]] = []
        self._keys: list[bytes] = []
        self._lengths: list[NDArray[np.uint16]] = []
        self._rows: list[tuple[bytes, int]] = []
        self._definitions: list[Definition] = []
        self._imports: list[Import] = []
        self._references: list[tuple[int, int, int]] = []

    def read(self, blobs: Sequence[tuple[BlobKey, int]]) -> ContentBatch:
        contents = tuple(self._blob(key, number) for key, number in blobs)
        _, starts, ends, kinds, symbols, parents, part, parts, tokens = (
            (np.array(column, np.int64) for column in zip(*self._places, strict=True))
            if self._places
            else (np.empty(0, np.int64) for _ in _CELLS)
        )
        vocabulary = sorted({term for term, _ in self._rows})
        number = {term: at for at, term in enumerate(vocabulary)}
        rows = np.array([number[term] << 40 | row for term, row in self._rows], np.uint64)
        rows.sort()
        references = np.array(self._references, np.int64).reshape(-1, 3)
        lengths = np.array(self._lengths, np.uint16).reshape(-1, N_FIELDS)
        return ContentBatch(
            blobs=contents,
            chunk_start=starts.astype(np.uint32),
            chunk_end=ends.astype(np.uint32),
            chunk_kind=kinds.astype(np.uint8),
            chunk_symbol=symbols.astype(np.int32),
            chunk_parent=parents.astype(np.int32),
            chunk_part=part.astype(np.uint16),
            chunk_parts=parts.astype(np.uint16),
            chunk_tokens=tokens.astype(np.uint32),
            chunk_keys=np.frombuffer(b"".join(self._keys), np.uint8).reshape(-1, 16),
            chunk_lengths=lengths,
            definitions=tuple(self._definitions),
            imports=tuple(self._imports),
            reference_start=references[:, 0].astype(np.uint32),
            reference_end=references[:, 1].astype(np.uint32),
            reference_role=references[:, 2].astype(np.uint8),
            vocabulary=tuple(vocabulary),
            rows=rows,
        )

    def _blob(self, key: BlobKey, number: int) -> BlobContent:
        segment, local = self._content.blob(number)
        meta, facts = segment.meta(local), segment.facts(local)
        text = self._content.blob_text(number)
        firsts = self._counts()
        self._add_places(segment, local)
        self._definitions += facts.definitions
        self._imports += facts.imports
        self._references += [
            (row.start, row.end, ROLES.index(Role(row.role)))
            for row in facts.references(text, 0, len(text))
        ]
        ranges = [(low, high) for low, high in zip(firsts, self._counts(), strict=True)]
        indexed = meta.outcome in (Outcome.INDEXED, Outcome.INDEXED_AS_TEXT)
        return BlobContent(
            key=key,
            masked=segment.masked(local) if indexed else BlobId(""),
            language=meta.language,
            outcome=meta.outcome,
            reason=meta.reason,
            detail=meta.detail,
            flags=meta.flags,
            encoding=meta.encoding,
            text=text,
            chunks=ranges[0],
            definitions=ranges[1],
            imports=ranges[2],
            references=ranges[3],
        )

    def _counts(self) -> tuple[int, int, int, int]:
        return (
            len(self._places),
            len(self._definitions),
            len(self._imports),
            len(self._references),
        )

    def _add_places(self, segment: Segment, local: int) -> None:
        start, end = segment.places(local)
        columns = [segment.columns[f"place_{name}"].part(start, end).tolist() for name in _CELLS]
        for place in zip(*columns, strict=True):
            holder, chunk = self._content.chunk(place[0])
            if holder.source not in self._postings:
                self._postings[holder.source] = _Postings(holder)
            base = len(self._places) << 8
            rows = self._postings[holder.source].of(chunk)
            self._rows += [(term, base | row) for term, row in rows]
            self._keys.append(bytes.fromhex(holder.chunk_id(chunk)))
            self._lengths.append(holder.columns["chunk_length"].all()[chunk])
            self._places.append(place)

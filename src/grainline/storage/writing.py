"""The writer of both stores: batches become parts, entries become a generation."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from grainline.model.access import View
from grainline.model.snapshot import BlobId, Outcome, RepositoryId, Snapshot
from grainline.storage.base import (
    BlobKey,
    ContentBatch,
    Fingerprint,
    MemberEntry,
    RepositoryRecord,
)
from grainline.storage.catalog import Catalog, MemberRow, PartKind, PartRow
from grainline.storage.content import Content
from grainline.storage.membership import (
    NO_BLOB,
    Membership,
    Row,
    pack_membership,
    view_digest,
)
from grainline.storage.paths import PathPart, build_paths
from grainline.storage.segments.build import SegmentBuilder
from grainline.storage.segments.columns import pack_columns
from grainline.storage.segments.segment import BlobMeta, ChunkIndex, Segment


class PartWriter:
    """`storage.base.Writer` over a catalog."""

    def __init__(self, catalog: Catalog, fingerprint: Fingerprint) -> None:
        self._catalog = catalog
        self._fingerprint = fingerprint.text()
        self._tiling = fingerprint.tiling
        self._builder: SegmentBuilder | None = None
        self._pending: set[BlobKey] = set()
        pinned = catalog.pin()
        self._parts = list(pinned.parts)
        self._members = {row.view: row for row in pinned.members}
        self._indexes = [
            ChunkIndex(self._segment(part))
            for part in self._parts
            if part.kind is PartKind.SEGMENT and part.fingerprint == self._fingerprint
        ]

    # ------------------------------------------------------------------ content

    def known(self, keys: Sequence[BlobKey]) -> frozenset[BlobKey]:
        """Those of `keys` whose content is stored (or waiting to be) for this fingerprint."""
        stored = self._catalog.find_blobs(self._fingerprint, keys)
        return frozenset(key for key in keys if key in stored or key in self._pending)

    def add(self, batch: ContentBatch) -> None:
        """Take a batch; a full segment is made durable on the way."""
        if self._builder is not None and not self._builder.fits(batch):
            self.flush()
        if self._builder is None:
            self._builder = self._new_builder()
        self._builder.add(batch)
        self._pending.update(blob.key for blob in batch.blobs)
        if self._builder.full:
            self.flush()

    def flush(self) -> None:
        """Make all added content durable, still invisible."""
        if self._builder is None or not self._builder.n_blobs:
            return
        built = self._builder.build()
        self._builder = None
        number = self._catalog.next_part()
        data = pack_columns(built.columns)
        part = PartRow(
            id=number,
            kind=PartKind.SEGMENT,
            fingerprint=self._fingerprint,
            repository=None,
            file=f"{number:08d}.segment",
            size=len(data),
            base=built.chunk_base,
            count=built.n_chunks,
            blob_base=built.blob_base,
            blobs=len(built.keys),
        )
        numbered = [(key, built.blob_base + at) for at, key in enumerate(built.keys)]
        self._catalog.add_part(part, data, numbered)
        self._parts.append(part)
        self._indexes.append(ChunkIndex(Segment(data, part.file)))
        self._pending.clear()

    def _new_builder(self) -> SegmentBuilder:
        segments = [part for part in self._parts if part.kind is PartKind.SEGMENT]
        return SegmentBuilder(
            chunk_base=max((part.base + part.count for part in segments), default=0),
            blob_base=max((part.blob_base + part.blobs for part in segments), default=0),
            tiling=self._tiling,
            known=self._known_chunks,
        )

    def _known_chunks(self, keys: NDArray[np.uint8]) -> NDArray[np.int64]:
        numbers = np.full(len(keys), -1, np.int64)
        for index in self._indexes:
            missing = np.flatnonzero(numbers < 0)
            if not len(missing):
                break
            numbers[missing] = index.find(keys[missing])
        return numbers

    # ------------------------------------------------------------------ membership

    def signatures(self, view: View) -> Mapping[bytes, tuple[tuple[int, ...], bytes]]:
        """Path -> (stat signature, raw id) of the view's last generation."""
        row = self._members.get(view)
        if row is None:
            return {}
        membership = Membership(self._catalog.membership(row.membership), row.membership)
        found: dict[bytes, tuple[tuple[int, ...], bytes]] = {}
        for number, path in enumerate(membership.paths):
            signature, raw_id = membership.signature(number), membership.raw_id(number)
            if signature and raw_id:
                found[path] = (signature, raw_id)
        return found

    def commit(
        self,
        repository: RepositoryRecord,
        view: View,
        snapshot: Snapshot,
        entries: Sequence[MemberEntry],
    ) -> str:
        """Flip a generation in which `view` holds exactly `entries`."""
        self.flush()
        rows = self._rows(repository, entries)
        data = pack_membership(rows)
        digest = hashlib.sha256(data).hexdigest()
        membership = Membership(data, digest)
        content = self._content()
        counts: Counter[Outcome] = Counter()
        digested: list[tuple[bytes, BlobId | None, BlobMeta | None, Row]] = []
        for row in rows:
            blob = meta = None
            if row.blob != NO_BLOB:
                segment, local = content.blob(row.blob)
                blob, meta = segment.masked(local), segment.meta(local)
            counts[meta.outcome if meta else row.outcome] += 1
            digested.append((row.path, blob, meta, row))
        assert sum(counts.values()) == len(membership), "every path has exactly one outcome"
        generation = view_digest(digested, self._fingerprint)
        self._members[view] = MemberRow(
            repository=repository,
            view=view,
            snapshot=snapshot,
            fingerprint=self._fingerprint,
            membership=digest,
            generation=generation,
            counts=dict(counts),
            at=int(time.time()),
        )
        self._flip({digest: data})
        return generation

    def remove(self, repository: RepositoryId) -> None:
        """Flip a generation without any view of `repository`; free parts nobody needs."""
        self._members = {
            view: row for view, row in self._members.items() if view.repository != repository
        }
        self._flip({})
        self._sweep()

    def _flip(self, memberships: Mapping[str, bytes]) -> None:
        rows = sorted(self._members.values(), key=lambda row: (row.repository.name, row.view.ref))
        self._catalog.flip(rows, memberships)

    def _rows(self, repository: RepositoryRecord, entries: Sequence[MemberEntry]) -> list[Row]:
        keys = list({entry.key for entry in entries if entry.key is not None})
        blobs = self._catalog.find_blobs(self._fingerprint, keys)
        numbers = self._number_paths(repository.id, [entry.path for entry in entries])
        return [
            Row(
                path=entry.path,
                path_number=numbers[entry.path],
                blob=NO_BLOB if entry.key is None else blobs[entry.key],
                mode=entry.mode,
                size=entry.size,
                outcome=entry.outcome,
                reason=entry.reason,
                detail=entry.detail,
                flags=entry.flags,
                raw_id=b"" if entry.key is None else entry.key.raw_id,
                signature=entry.signature,
            )
            for entry in entries
        ]

    def _number_paths(self, repository: RepositoryId, paths: Sequence[bytes]) -> dict[bytes, int]:
        numbers: dict[bytes, int] = {}
        following = 0
        for part in self._parts:
            if part.kind is PartKind.PATHS:
                following = max(following, part.base + part.count)
                if part.repository == repository:
                    held = PathPart(self._catalog.buffer(part), part.file)
                    numbers.update((path, part.base + at) for at, path in enumerate(held.paths))
        new = [path for path in paths if path not in numbers]
        if new:
            self._add_paths(repository, new, following)
            numbers.update((path, following + at) for at, path in enumerate(new))
        return numbers

    def _add_paths(self, repository: RepositoryId, paths: Sequence[bytes], base: int) -> None:
        number = self._catalog.next_part()
        data = pack_columns(build_paths(paths, base))
        part = PartRow(
            id=number,
            kind=PartKind.PATHS,
            fingerprint="",
            repository=repository,
            file=f"{number:08d}.paths",
            size=len(data),
            base=base,
            count=len(paths),
            blob_base=0,
            blobs=0,
        )
        self._catalog.add_part(part, data, ())
        self._parts.append(part)

    def _content(self) -> Content:
        return Content(
            [self._segment(part) for part in self._parts if part.kind is PartKind.SEGMENT]
        )

    def _segment(self, part: PartRow) -> Segment:
        return Segment(self._catalog.buffer(part), part.file)

    def _sweep(self) -> None:
        """Drop the parts that no view of the newest generation reaches."""
        content = self._content()
        needed = {row.repository.id for row in self._members.values()}
        blobs = np.unique(
            np.concatenate(
                [np.empty(0, np.int64)]
                + [
                    Membership(self._catalog.membership(row.membership), row.membership).blobs
                    for row in self._members.values()
                ]
            ).astype(np.int64)
        )
        blobs = blobs[blobs != NO_BLOB]
        used = {content.blob(int(blob))[0].source for blob in blobs}
        _, which, place = content.placements(blobs)
        chunks = np.unique(content.place_column("place_chunk", which, place))
        used |= {content.chunk(int(chunk))[0].source for chunk in chunks}
        dead = [
            part
            for part in self._parts
            if (part.kind is PartKind.SEGMENT and part.file not in used)
            or (part.kind is PartKind.PATHS and part.repository not in needed)
        ]
        self._catalog.drop_parts(dead)
        self._parts = [part for part in self._parts if part not in dead]

    # ------------------------------------------------------------------ life

    def __enter__(self) -> PartWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._catalog.release()

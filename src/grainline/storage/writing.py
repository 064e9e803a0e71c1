"""The writer of both stores: batches become parts, entries become a generation."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.model.access import WORKTREE, View
from grainline.model.snapshot import Outcome, Reason, RepositoryId, Snapshot
from grainline.storage import compaction
from grainline.storage.base import (
    Based,
    BlobKey,
    Committed,
    ContentBatch,
    Fingerprint,
    MemberEntry,
    RepositoryRecord,
)
from grainline.storage.catalog import (
    Catalog,
    Change,
    MemberRow,
    PartKind,
    PartRow,
    given,
    open_membership,
)
from grainline.storage.codes import OUTCOMES, REASONS
from grainline.storage.content import Content
from grainline.storage.membership import (
    NO_BLOB,
    SUM_BITS,
    Membership,
    Packed,
    Row,
    count_in_part,
    count_outcomes,
    count_reasons,
    generation_of,
    sealed,
)
from grainline.storage.paths import PathPart, build_paths
from grainline.storage.segments.build import SegmentBuilder
from grainline.storage.segments.columns import pack_columns
from grainline.storage.segments.merge import Merged
from grainline.storage.segments.plan import MAX_DEAD
from grainline.storage.segments.segment import ChunkIndex, Segment


class PartWriter:
    """`storage.base.Writer` over a catalog.

    `segments` and `paths` are parts that are open by now, by file; those it opens join them.
    """

    def __init__(
        self,
        catalog: Catalog,
        fingerprint: Fingerprint,
        segments: dict[str, Segment] | None = None,
        paths: dict[str, PathPart] | None = None,
    ) -> None:
        self._catalog = catalog
        self._fingerprint = fingerprint.text()
        self._tiling = fingerprint.tiling
        self._builder: SegmentBuilder | None = None
        self._pending: set[BlobKey] = set()
        self._opened: OrderedDict[str, Membership] = OrderedDict()
        self._segments = {} if segments is None else segments
        self._paths = {} if paths is None else paths
        pinned = catalog.pin()
        self._parts = list(pinned.parts)
        self._members = {row.view: row for row in pinned.members}
        self._indexes: dict[str, ChunkIndex] = {}
        self._commits = 0
        self._collected = 0  # commits when what is dead was freed last
        self._owed = 0  # commits that have left parts to be merged
        self._loose = False  # whether content was added that no commit names yet

    # ------------------------------------------------------------------ content

    def known(self, keys: Sequence[BlobKey]) -> frozenset[BlobKey]:
        """Those of `keys` whose content is stored (or waiting to be) for this fingerprint."""
        stored = self._catalog.find_blobs(self._fingerprint, keys)
        return frozenset(key for key in keys if key in stored or key in self._pending)

    def add(self, batch: ContentBatch) -> None:
        """Take a batch; a full segment is made durable on the way."""
        self._loose = True
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
        self._pending.clear()

    def _new_builder(self) -> SegmentBuilder:
        free = given(self._parts, self._catalog.given())
        return SegmentBuilder(
            chunk_base=free.chunks,
            blob_base=free.blobs,
            tiling=self._tiling,
            known=self._known_chunks,
        )

    def _known_chunks(self, keys: NDArray[np.uint8]) -> NDArray[np.int64]:
        numbers = np.full(len(keys), -1, np.int64)
        for part in self._parts:
            if part.kind is not PartKind.SEGMENT or part.fingerprint != self._fingerprint:
                continue
            index = self._index(part)
            missing = np.flatnonzero(numbers < 0)
            if not len(missing):
                break
            numbers[missing] = index.find(keys[missing])
        return numbers

    # ------------------------------------------------------------------ membership

    def signatures(self, view: View) -> Mapping[bytes, tuple[tuple[int, ...], bytes]]:
        """Path -> (stat signature, raw id) of the view's last generation."""
        row = self._members.get(view)
        return {} if row is None else self._membership(row).known()

    def based(self, repository: RepositoryId, view: View, rules: str) -> Based | None:
        """The view from which `view` is best updated: itself, else the newest other commit."""
        alike = [
            row
            for row in self._members.values()
            if row.view.repository == repository
            and row.fingerprint == self._fingerprint
            and row.rules == rules
            and (row.view.ref == WORKTREE) == (view.ref == WORKTREE)
        ]
        if not alike:
            return None
        row = max(alike, key=lambda row: (row.view == view, row.at, row.view.ref))
        membership = self._membership(row)
        _, reasons = membership.tally(self._content())
        again = np.flatnonzero(np.isin(reasons, RETRIED))
        retry = tuple(membership.paths[at] for at in again.tolist())
        return Based(view=row.view, snapshot=row.snapshot, retry=retry)

    def commit(
        self,
        repository: RepositoryRecord,
        view: View,
        snapshot: Snapshot,
        entries: Sequence[MemberEntry],
        *,
        missing: Sequence[bytes] = (),
        rules: str = "",
        historic: bool = False,
    ) -> Committed:
        """Flip a generation in which `view` holds exactly `entries`."""
        self.flush()
        membership = Membership.of(self._rows(repository, entries), missing)
        total = membership.sum(range(len(membership)), self._content())
        marks = _Marks(snapshot, rules, historic)
        return self._publish(repository, view, marks, membership, total)

    def amend(
        self,
        repository: RepositoryRecord,
        view: View,
        snapshot: Snapshot,
        base: View,
        changed: Sequence[MemberEntry],
        gone: Sequence[bytes],
        *,
        missing: Sequence[bytes] = (),
        rules: str = "",
        historic: bool = False,
    ) -> Committed:
        """Flip a generation in which `view` holds `base` minus `gone`, with `changed` in place."""
        self.flush()
        row = self._members[base]
        before = self._membership(row)
        paths = {*gone, *(entry.path for entry in changed)}
        found = (before.paths.find(path) for path in sorted(paths))
        removed = np.array([at for at in found if at >= 0], np.int64)
        added = Membership.of(self._rows(repository, changed), missing)
        content = self._content()
        total = row.sum - before.sum(removed.tolist(), content)
        total += added.sum(range(len(added)), content)
        membership = before.patched(removed, added)
        marks = _Marks(snapshot, rules, historic)
        return self._publish(repository, view, marks, membership, total % (1 << SUM_BITS))

    def state(self, view: View) -> tuple[Snapshot, Membership] | None:
        """The snapshot and the rows of a view."""
        row = self._members.get(view)
        return None if row is None else (row.snapshot, self._membership(row))

    def _publish(
        self,
        repository: RepositoryRecord,
        view: View,
        marks: _Marks,
        membership: Membership,
        total: int,
    ) -> Committed:
        content = self._content()
        outcomes, reasons = membership.tally(content)
        generation = generation_of(self._fingerprint, len(membership), total)
        counts = count_outcomes(outcomes)
        assert sum(counts.values()) == len(membership), "every path has exactly one outcome"
        name, base, stored = self._pack(repository.id, view, membership)
        snapshot = marks.snapshot
        if view.ref == WORKTREE:
            snapshot = sealed(snapshot, membership, generation)
        row = MemberRow(
            repository=repository,
            view=view,
            snapshot=snapshot,
            fingerprint=self._fingerprint,
            membership=name,
            base=base,
            sum=total,
            generation=generation,
            counts=counts,
            rules=marks.rules,
            historic=marks.historic,
            at=int(time.time()),
            in_part=count_in_part(reasons),
        )
        renamed = [
            replace(other, repository=repository)
            for other in self._members.values()
            if other.view.repository == repository.id
            and other.view != view
            and other.repository != repository
        ]
        self._catalog.flip(Change(members=(row, *renamed), memberships={name: stored}))
        self._members |= {each.view: each for each in (row, *renamed)}
        if marks.historic:
            self._catalog.touch(view)
        self._commits += 1
        self._owed += 1
        self._loose = False
        if self._catalog.packs or self._owed > MAX_OWED:
            self.tidy()
        failed = np.flatnonzero(outcomes == OUTCOMES.index(Outcome.FAILED))[:MAX_FAILURES]
        return Committed(
            generation=generation,
            snapshot=snapshot,
            counts=counts,
            reasons=count_reasons(outcomes, reasons),
            failures=tuple(membership.entry(at, content) for at in failed.tolist()),
        )

    def _pack(
        self, repository: RepositoryId, view: View, membership: Membership
    ) -> tuple[str, str | None, Packed | Membership]:
        """(name, name of the base, what is stored); packed, the smaller form."""
        if not self._catalog.packs:
            return f"live-{self._catalog.next_part()}", None, membership
        packed = self._smallest(repository, view, membership)
        return packed.digest, packed.base, packed

    def _smallest(self, repository: RepositoryId, view: View, membership: Membership) -> Packed:
        """Against the base that this view, or another one, differs from; else the whole."""
        mine = [row for row in self._members.values() if row.view.repository == repository]
        mine.sort(key=lambda row: (row.view != view, row.base is not None, -row.at, row.view.ref))
        names = dict.fromkeys(row.base or row.membership for row in mine)
        for name in [*names][:BASES_TRIED]:
            base = self._open_membership(name, f"{name[:12]}")
            if (packed := membership.pack_against(base, name)) is not None:
                return packed
        return membership.pack()

    def _membership(self, row: MemberRow) -> Membership:
        return self._open_membership(row.membership, f"{row.repository.name}@{row.view.ref}")

    def _open_membership(self, name: str, source: str) -> Membership:
        if name not in self._opened:
            self._opened[name] = open_membership(self._catalog, name, source)
            while len(self._opened) > OPENED:
                self._opened.popitem(last=False)
        return self._opened[name]

    def remove(self, repository: RepositoryId) -> None:
        """Flip a generation without any view of `repository`; free parts nobody needs."""
        self.drop([view for view in self._members if view.repository == repository])

    def drop(self, views: Sequence[View]) -> None:
        """Flip a generation without `views`; free parts nobody needs."""
        for view in views:
            del self._members[view]
        self._catalog.flip(Change(gone=tuple(views)))
        self.collect(max_dead=MAX_DEAD)

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
                dirty=entry.dirty,
            )
            for entry in entries
        ]

    def _number_paths(self, repository: RepositoryId, paths: Sequence[bytes]) -> dict[bytes, int]:
        numbers: dict[bytes, int] = {}
        following = given(self._parts, self._catalog.given()).paths
        for part in self._parts:
            if part.kind is PartKind.PATHS and part.repository == repository:
                numbers |= _numbers_in(self._path_part(part), paths)
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
        if part.file not in self._segments:
            self._segments[part.file] = Segment(self._catalog.buffer(part), part.file)
        return self._segments[part.file]

    def tidy(self, keys: Sequence[BlobKey] = ()) -> None:
        """Merge small parts and free what is dead, where commits have put it off."""
        if not self._owed or self._loose:
            return
        self._owed = 0
        if not self._catalog.packs and self._commits - self._collected >= TIDIED:
            self._collected = self._commits
            kept = self._catalog.find_blobs(self._fingerprint, keys).values()
            self.collect(max_dead=MAX_DEAD, kept=[*kept])
        else:
            self.merge()

    def merge(self) -> None:
        """Merge small neighbours among the parts, so that reading stays quick."""
        own = [part for part in self._parts if self._catalog.owns(part)]
        self._rewrite(compaction.merge_all(own, self._segment, self._path_part))

    def collect(self, *, max_dead: float = 0.0, kept: Sequence[int] = ()) -> None:
        """Free what no view of the newest generation reaches.

        Args:
            max_dead: share of dead bytes that a part may keep; 0 frees every dead byte.
            kept: numbers of blobs that stay even so.
        """
        own = [part for part in self._parts if self._catalog.owns(part)]
        numbers: dict[RepositoryId, NDArray[np.int64]] = {}
        for row in self._members.values():
            held = self._membership(row).numbers.astype(np.int64)
            earlier = numbers.get(row.repository.id, np.empty(0, np.int64))
            numbers[row.repository.id] = distinct(np.concatenate([earlier, held]))
        self._rewrite(
            compaction.collect(
                own,
                self._live_blobs(kept),
                numbers,
                self._segment,
                self._path_part,
                max_dead=max_dead,
            )
        )

    def _rewrite(self, rewrites: Iterable[compaction.Rewrite]) -> None:
        """Put new parts in the place of old ones, in one flip."""
        added: list[PartRow] = []
        dropped: list[PartRow] = []
        forgotten: list[int] = []
        for rewrite in rewrites:
            dropped += rewrite.old
            forgotten += rewrite.forgotten
            if rewrite.new is not None:
                added.append(self._write_merged(rewrite.old[0], rewrite.new))
        if not dropped:
            return
        self._catalog.flip(
            Change(added=tuple(added), dropped=tuple(dropped), forgotten=tuple(forgotten))
        )
        gone = {part.id for part in dropped}
        self._parts = [part for part in self._parts if part.id not in gone] + added
        for part in dropped:
            self._segments.pop(part.file, None)
            self._paths.pop(part.file, None)
            self._indexes.pop(part.file, None)

    def _write_merged(self, like: PartRow, merged: Merged) -> PartRow:
        number = self._catalog.next_part()
        data = pack_columns(merged.columns)
        part = replace(
            like,
            id=number,
            file=f"{number:08d}.{like.kind}",
            size=len(data),
            base=merged.base,
            count=merged.count,
            blob_base=merged.blob_base,
            blobs=merged.blobs,
        )
        self._catalog.write_part(part, data)
        return part

    def _path_part(self, part: PartRow) -> PathPart:
        if part.file not in self._paths:
            self._paths[part.file] = PathPart(self._catalog.buffer(part), part.file)
        return self._paths[part.file]

    def _index(self, part: PartRow) -> ChunkIndex:
        if part.file not in self._indexes:
            self._indexes[part.file] = ChunkIndex(self._segment(part))
        return self._indexes[part.file]

    def _live_blobs(self, kept: Sequence[int]) -> NDArray[np.int64]:
        """Numbers of the blobs that some view holds, and of `kept`, ascending."""
        held = [self._membership(row).blobs for row in self._members.values()]
        blobs = distinct(
            np.concatenate([np.array(kept, np.int64), *(b.astype(np.int64) for b in held)])
        )
        real: NDArray[np.int64] = blobs[blobs != NO_BLOB]
        return real

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


RETRIED = [
    REASONS.index(reason)
    for reason in (
        Reason.MISSING_OBJECT, Reason.CORRUPT_OBJECT, Reason.UNREADABLE,
        Reason.CHANGED_WHILE_READING, Reason.PARSER_TIMEOUT, Reason.PARSER_MEMORY,
    )
]  # fmt: skip
"""Reasons that may not hold the next time, although path and blob are the same."""

OPENED = 8  # memberships that a writer keeps open
BASES_TRIED = 3  # memberships that a new one is compared with before it is stored whole
MAX_FAILURES = 50  # failed paths that a commit names
TIDIED = 16  # commits of a catalog in memory between two times that free what is dead
MAX_OWED = 4  # commits of a catalog in memory that may leave their parts as they are
FEW_PATHS = 256
"""Up to so many paths are looked up one by one, more by reading all paths of a part."""


class _Marks(NamedTuple):
    """What a commit was told about a view."""

    snapshot: Snapshot
    rules: str
    historic: bool


def _numbers_in(part: PathPart, paths: Sequence[bytes]) -> dict[bytes, int]:
    if len(paths) > FEW_PATHS:
        return {path: part.base + at for at, path in enumerate(part.paths)}
    found = ((path, part.find(path)) for path in paths)
    return {path: part.base + at for path, at in found if at >= 0}


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The values in order, each once; not `np.unique`, which imports `numpy.ma` for 100 ms."""
    ordered = np.sort(values)
    first = np.ones(len(ordered), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    found: NDArray[np.int64] = ordered[first]
    return found

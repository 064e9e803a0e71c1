"""What both stores do alike: pin a generation, open its parts once, answer inside a scope."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from grainline.errors import BadInput, Damaged
from grainline.model.access import Scope, View
from grainline.model.snapshot import Entry, RepositoryId
from grainline.storage.base import Fingerprint, Lost, ViewStatus
from grainline.storage.catalog import Catalog, MemberRow, PartKind, PartRow, Pinned
from grainline.storage.content import Content
from grainline.storage.corpus import ScopedCorpus, ViewState
from grainline.storage.dump import dump_view
from grainline.storage.membership import Membership
from grainline.storage.paths import PathPart
from grainline.storage.segments.segment import Segment
from grainline.storage.writing import PartWriter

CACHED_SCOPES = 8
"""Corpora kept per store: the key holds the scope and every generation in it."""


class ReadCatalog(Catalog, Protocol):
    """A catalog that can also take the writer lock."""

    def lock(self) -> None:
        """Take the writer lock.

        Raises:
            Locked: another process has it.
        """
        ...

    def check(self) -> list[tuple[str, bool, str, str]]:
        """Integrity of the catalog itself."""
        ...

    def set_aside_if_damaged(self) -> str:
        """Put an unreadable catalog aside; a sentence about it, "" when there was no need."""
        ...


class PartStore:
    """`storage.base.Store` over a catalog."""

    def __init__(self, catalog: ReadCatalog) -> None:
        self._catalog = catalog
        self._segments: dict[str, Segment] = {}
        self._paths: dict[str, PathPart] = {}
        self._corpora: OrderedDict[object, ScopedCorpus] = OrderedDict()

    def views(self) -> tuple[ViewStatus, ...]:
        """Every view of the newest generation."""
        return tuple(
            ViewStatus(
                repository=row.repository,
                view=row.view,
                snapshot=row.snapshot,
                generation=row.generation,
                state="ready",
                counts=row.counts,
                fingerprint=row.fingerprint,
                indexed_at=row.at,
            )
            for row in self._catalog.pin().members
        )

    def corpus(self, scope: Scope) -> ScopedCorpus:
        """The scoped read of the newest generation."""
        pinned = self._catalog.pin()
        members = _members(pinned, scope)
        key = (scope, tuple((row.view, row.generation, row.snapshot) for row in members))
        if key in self._corpora:
            self._corpora.move_to_end(key)
            return self._corpora[key]
        corpus = ScopedCorpus(
            scope,
            [self._state(row) for row in members],
            self._content(pinned, members),
            self._path_parts(pinned, members),
        )
        self._corpora[key] = corpus
        if len(self._corpora) > CACHED_SCOPES:
            self._corpora.popitem(last=False)
        return corpus

    def outcomes(self, scope: Scope) -> Iterator[tuple[View, Entry]]:
        """Every path of the scope with its outcome."""
        pinned = self._catalog.pin()
        members = _members(pinned, scope)
        content = self._content(pinned, members)
        for row in members:
            membership = self._membership(row)
            for number in range(len(membership)):
                yield row.view, membership.entry(number, content)

    def writer(self, fingerprint: Fingerprint) -> PartWriter:
        """The writer.

        Raises:
            Locked: another process has it.
        """
        self._catalog.lock()
        return PartWriter(self._catalog, fingerprint)

    def dump(self, scope: Scope) -> Iterator[str]:
        """The canonical dump: lines that depend on content and membership only."""
        pinned = self._catalog.pin()
        members = _members(pinned, scope)
        content = self._content(pinned, members)
        for row in members:
            yield from dump_view(self._state(row), content)

    def check(self) -> tuple[tuple[str, bool, str, str], ...]:
        """(name, ok, detail, repair) of every integrity check."""
        checks = self._catalog.check()
        if not all(ok for _, ok, _, _ in checks):
            return tuple(checks)
        pinned = self._catalog.pin()
        for part in pinned.parts:
            checks.append(self._check_part(part))
        for row in pinned.members:
            name = f"membership {row.repository.name}@{row.view.ref}"
            try:
                count = len(self._membership(row))
            except Damaged as error:
                checks.append((name, False, error.message, "index the repository again"))
                continue
            total = sum(row.counts.values())
            checks.append((name, count == total, f"{count} paths, {total} counted", "index again"))
        return tuple(checks)

    def repair(self) -> tuple[Lost, ...]:
        """Drop what is damaged and the views that need it; the views that are lost."""
        aside = self._catalog.set_aside_if_damaged()
        self._catalog.lock()
        try:
            lost = self._drop_damaged()
        finally:
            self._catalog.release()
        self._segments.clear()
        self._paths.clear()
        self._corpora.clear()
        return (Lost("", "", "", aside),) if aside else lost

    def _drop_damaged(self) -> tuple[Lost, ...]:
        pinned = self._catalog.pin()
        broken = [part for part in pinned.parts if not self._check_part(part)[1]]
        owners = {part.repository for part in broken if part.kind is PartKind.PATHS}
        segments = [part for part in broken if part.kind is PartKind.SEGMENT]
        sound = Content(
            [
                Segment(self._catalog.buffer(part), part.file)
                for part in pinned.parts
                if part.kind is PartKind.SEGMENT and part not in segments
            ]
        )
        bad = _Needing(sound, segments)
        kept: list[MemberRow] = []
        lost: list[Lost] = []
        for row in pinned.members:
            if (
                row.repository.id in owners
                or not self._is_sound(row)
                or bad.includes(self._membership(row))
            ):
                what = "its content was damaged and is dropped"
                lost.append(Lost(row.repository.name, row.view.ref, row.repository.root, what))
            else:
                kept.append(row)
        if lost:
            self._catalog.flip(kept, {})
        gone = [part for part in pinned.parts if part in broken or part.repository in owners]
        self._catalog.drop_parts(gone, bad.blobs)
        return tuple(lost)

    def _is_sound(self, row: MemberRow) -> bool:
        try:
            return len(self._membership(row)) == sum(row.counts.values())
        except Damaged:
            return False

    def _check_part(self, part: PartRow) -> tuple[str, bool, str, str]:
        repair = "grainline doctor --repair"
        try:
            buffer = self._catalog.buffer(part)
            if part.kind is PartKind.SEGMENT:
                Segment(buffer, part.file).verify()
            else:
                PathPart(buffer, part.file).verify()
        except Damaged as error:
            return part.file, False, error.message, repair
        return part.file, True, f"{part.size} bytes", ""

    def _state(self, row: MemberRow) -> ViewState:
        return ViewState(
            repository=row.repository,
            view=row.view,
            snapshot=row.snapshot,
            fingerprint=row.fingerprint,
            generation=row.generation,
            membership=self._membership(row),
        )

    def _membership(self, row: MemberRow) -> Membership:
        source = f"{row.repository.name}@{row.view.ref}"
        return Membership(self._catalog.membership(row.membership), source)

    def _content(self, pinned: Pinned, members: tuple[MemberRow, ...]) -> Content:
        prints = {row.fingerprint for row in members}
        return Content(
            [
                self._segment(part)
                for part in pinned.parts
                if part.kind is PartKind.SEGMENT and part.fingerprint in prints
            ]
        )

    def _segment(self, part: PartRow) -> Segment:
        if part.file not in self._segments:
            self._segments[part.file] = Segment(self._catalog.buffer(part), part.file)
        return self._segments[part.file]

    def _path_parts(
        self, pinned: Pinned, members: tuple[MemberRow, ...]
    ) -> Mapping[RepositoryId, tuple[PathPart, ...]]:
        found: dict[RepositoryId, tuple[PathPart, ...]] = {row.repository.id: () for row in members}
        for part in pinned.parts:
            if part.repository is not None and part.repository in found:
                if part.file not in self._paths:
                    self._paths[part.file] = PathPart(self._catalog.buffer(part), part.file)
                found[part.repository] = (*found[part.repository], self._paths[part.file])
        return found


class _Needing:
    """What needs the content of damaged segments; `blobs` are the blobs of sound ones that do."""

    def __init__(self, sound: Content, segments: Sequence[PartRow]) -> None:
        self._segments = segments
        blobs = sound.blob_numbers()
        position, which, row = sound.placements(blobs)
        chunks = sound.place_column("place_chunk", which, row)
        hit = np.zeros(len(chunks), np.bool_)
        for part in segments:
            hit |= (chunks >= part.base) & (chunks < part.base + part.count)
        self.blobs = blobs[np.unique(position[hit])]

    def includes(self, membership: Membership) -> bool:
        """Whether a path of `membership` does."""
        blobs = membership.blobs.astype(np.int64)
        inside = np.isin(blobs, self.blobs)
        for part in self._segments:
            inside |= (blobs >= part.blob_base) & (blobs < part.blob_base + part.blobs)
        return bool(inside.any())


def _members(pinned: Pinned, scope: Scope) -> tuple[MemberRow, ...]:
    """The rows of the scope's views, in the order of the generation (name, ref)."""
    wanted = set(scope.views)
    rows = tuple(row for row in pinned.members if row.view in wanted)
    if len(rows) != len(wanted):
        raise BadInput(
            "not_indexed",
            "a ref in scope is not indexed (any more)",
            hint="run: grainline status",
        )
    return rows

"""What both stores do alike: pin a generation, open its parts once, answer inside a scope."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from grainline.errors import BadInput, Damaged
from grainline.model.access import WORKTREE, Policy, Scope, View
from grainline.model.snapshot import Entry, Outcome, RepositoryId, Snapshot
from grainline.storage.base import Derived, Fingerprint, Lost, RepositoryRecord, ViewStatus
from grainline.storage.catalog import (
    Catalog,
    Change,
    MemberRow,
    PartKind,
    PartRow,
    Pinned,
    open_membership,
)
from grainline.storage.content import Content
from grainline.storage.corpus import ScopedCorpus
from grainline.storage.dump import dump_view
from grainline.storage.masks import opened, readable
from grainline.storage.membership import (
    Membership,
    count_in_part,
    count_outcomes,
    generation_of,
    sealed,
)
from grainline.storage.numbering import ViewState
from grainline.storage.overlay import OverlayCatalog
from grainline.storage.paths import PathPart
from grainline.storage.recent import Recent
from grainline.storage.segments.segment import Segment

CACHED_VIEWS = 64
"""Opened memberships, and views as some classes see them, that are kept per store whatever their size."""

CACHED_ROWS = 500_000
"""Rows of memberships that are kept per store: of many small repositories all, at 70 bytes or so a row."""

TIDY_WAIT = 5.0
"""Seconds that freeing space waits for readers that are opening a generation."""

CACHED_SCOPES = 8
"""Scopes of which a store keeps the newest corpus."""


if TYPE_CHECKING:
    from grainline.storage.writing import PartWriter


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


class Opened(NamedTuple):
    """A view with its rows and the content of its fingerprint."""

    row: MemberRow
    membership: Membership
    content: Content


class _Seen(NamedTuple):
    """A view as some access classes see it; `mask` is None when they see all of it."""

    row: MemberRow
    membership: Membership
    mask: NDArray[np.bool_] | None
    generation: str
    snapshot: Snapshot
    counts: Mapping[Outcome, int]
    in_part: int


def _rows_of(seen: _Seen) -> int:
    return len(seen.membership)


class _Kept(NamedTuple):
    """The newest corpus of a scope, what it shows of its views, and the generation it is of."""

    state: object
    generation: int
    corpus: ScopedCorpus


class PartStore:
    """`storage.base.Store` over a catalog."""

    def __init__(self, catalog: ReadCatalog) -> None:
        self._catalog = catalog
        self._segments: dict[str, Segment] = {}
        self._paths: dict[str, PathPart] = {}
        self._memberships = Recent[str, Membership](CACHED_VIEWS, CACHED_ROWS, len)
        self._seen = Recent[object, _Seen](CACHED_VIEWS, CACHED_ROWS, _rows_of)
        self._corpora: OrderedDict[Scope, _Kept] = OrderedDict()

    @property
    def derived(self) -> Derived:
        """What was made from its content."""
        return self._catalog.derived

    def overlaid(self) -> PartStore:
        """A store whose writer keeps everything in memory, above the newest generation of this one."""
        store = PartStore(OverlayCatalog(self._catalog))
        store._segments, store._paths = self._segments, self._paths
        return store

    def is_current(self) -> bool:
        """False for an overlay that stands on a generation of the past."""
        return not isinstance(self._catalog, OverlayCatalog) or self._catalog.is_current()

    def views(
        self, classes: frozenset[int] | None = None, epoch: int = 0
    ) -> tuple[ViewStatus, ...]:
        """The views of the newest generation, as `classes` see them."""
        if classes is None:  # no part is read: nothing need be held
            rows = self._catalog.pin().members
            return tuple(
                _status(row, row.generation, row.snapshot, row.counts, row.in_part) for row in rows
            )
        with self._catalog.pinned() as pinned:
            _check_epoch(pinned, classes, epoch)
            assert pinned.policy is not None, "classes of the policy in force"
            known = opened(pinned.policy, classes, {row.repository.name for row in pinned.members})
            # a repository that is closed as a whole is not even read: its damage is not told either
            found = [
                self._see(pinned, row, classes)
                for row in pinned.members
                if row.repository.name in known
            ]
        return tuple(
            _status(each.row, each.generation, each.snapshot, each.counts, each.in_part)
            for each in found
            if each.mask is None or each.mask.any()
        )

    def policy(self) -> Policy | None:
        """The access policy in force."""
        return self._catalog.pin().policy

    def set_policy(self, policy: Policy | None) -> None:
        """Put a policy in force."""
        self._catalog.set_policy(policy)

    @contextmanager
    def held(self) -> Generator[None]:
        """Keep everything that the newest generation names until the context ends."""
        with self._catalog.pinned():
            yield

    def corpus(self, scope: Scope) -> ScopedCorpus:
        """The scoped read of the newest generation."""
        with self._catalog.pinned() as pinned:
            members = self._members(pinned, scope)
            state = tuple(map(_identity, members))
            kept = self._corpora.get(scope)
            if kept is not None and kept.state == state:
                self._corpora.move_to_end(scope)
                return kept.corpus
            self._forget_parts(pinned)
            for each in members:
                if each.row.historic:
                    self._catalog.touch(each.row.view)
            corpus = ScopedCorpus(
                scope,
                [_state(each) for each in members],
                self._content(pinned, members),
                self._path_parts(pinned, members),
                # an overlay changes inside one generation, and gives no number out twice
                kept.corpus if kept and kept.generation == pinned.generation else None,
            )
        self._corpora[scope] = _Kept(state, pinned.generation, corpus)
        self._corpora.move_to_end(scope)
        if len(self._corpora) > CACHED_SCOPES:
            self._corpora.popitem(last=False)
        return corpus

    def last_used(self, view: View) -> float:
        """When a historic view was last read."""
        return self._catalog.last_used(view)

    def size(self) -> int:
        """Bytes that the store takes."""
        return self._catalog.size()

    def compact(self) -> bool:
        """Give freed space back to the disk."""
        self._catalog.lock()
        try:
            freed = self._catalog.tidy(wait=TIDY_WAIT)
            self._catalog.compact()
        finally:
            self._catalog.release()
        return freed

    def outcomes(self, scope: Scope) -> Iterator[tuple[View, Entry]]:
        """Every path of the scope with its outcome."""
        with self._catalog.pinned() as pinned:
            members = self._members(pinned, scope)
            content = self._content(pinned, members)
        for each in members:
            for number in _rows(each):
                yield each.row.view, each.membership.entry(number, content)

    def paths(self) -> Iterator[tuple[RepositoryRecord, Sequence[bytes]]]:
        """The sorted paths of every view."""
        for each in self.opened():
            yield each.row.repository, each.membership.paths

    def writer(self, fingerprint: Fingerprint) -> PartWriter:
        """The writer.

        Raises:
            Locked: another process has it.
        """
        from grainline.storage.writing import PartWriter  # for readers, modules they need not load

        self._catalog.lock()
        if isinstance(self._catalog, OverlayCatalog):  # its files have names of their own
            return PartWriter(self._catalog, fingerprint, self._segments, self._paths)
        return PartWriter(self._catalog, fingerprint)

    def dump(self, scope: Scope) -> Iterator[str]:
        """The canonical dump: lines that depend on content and membership only."""
        with self._catalog.pinned() as pinned:
            members = self._members(pinned, scope)
            content = self._content(pinned, members)
        for each in members:
            yield from dump_view(_state(each), content)

    def opened(self) -> tuple[Opened, ...]:
        """Every view with all its rows and the content of its fingerprint: for `extract`."""
        with self._catalog.pinned() as pinned:
            return tuple(
                Opened(
                    row,
                    self._open_membership(row.membership, row.view.ref),
                    self._content_of(pinned, {row.fingerprint}),
                )
                for row in pinned.members
            )

    def check(self) -> tuple[tuple[str, bool, str, str], ...]:
        """(name, ok, detail, repair) of every integrity check."""
        checks = self._catalog.check()
        if not all(ok for _, ok, _, _ in checks):
            return tuple(checks)
        pinned = self._catalog.pin()
        for part in pinned.parts:
            checks.append(self._check_part(part))
        for name in self._catalog.derived.damaged():
            checks.append((name, False, "damaged", "index the repository again: it is made anew"))
        for row in pinned.members:
            name = f"membership {row.repository.name}@{row.view.ref}"
            try:
                count = len(self._open_membership(row.membership, name))
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
            self._drop_damaged_derived()
        finally:
            self._catalog.release()
        self._segments.clear()
        self._paths.clear()
        self._memberships.clear()
        self._seen.clear()
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
                or bad.includes(self._open_membership(row.membership, row.view.ref))
            ):
                what = "its content was damaged and is dropped"
                lost.append(Lost(row.repository.name, row.view.ref, row.repository.root, what))
            else:
                kept.append(row)
        if lost:
            dropped = {row.view for row in pinned.members} - {row.view for row in kept}
            self._catalog.flip(Change(gone=tuple(sorted(dropped))))
        gone = [part for part in pinned.parts if part in broken or part.repository in owners]
        self._catalog.drop_parts(gone, bad.blobs)
        return tuple(lost)

    def _drop_damaged_derived(self) -> None:
        derived = self._catalog.derived
        for name in derived.damaged():
            kind, _, key = name.partition("-")
            derived.keep(kind, derived.keys(kind) - {key})

    def _is_sound(self, row: MemberRow) -> bool:
        try:
            found = self._open_membership(row.membership, row.view.ref)
            return len(found) == sum(row.counts.values())
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

    # ------------------------------------------------------------------ seeing

    def _members(self, pinned: Pinned, scope: Scope) -> tuple[_Seen, ...]:
        """The scope's views as it sees them, in the order of the generation (name, ref)."""
        _check_epoch(pinned, scope.classes, scope.epoch)
        wanted = set(scope.views)
        rows = [row for row in pinned.members if row.view in wanted]
        found = [self._see(pinned, row, scope.classes) for row in rows]
        found = [
            each for each in found if scope.classes is None or each.mask is None or each.mask.any()
        ]
        if len(found) != len(wanted):
            raise BadInput(
                "not_indexed",
                "a ref in scope is not indexed (any more)",
                hint="run: grainline status",
            )
        return tuple(found)

    def _see(self, pinned: Pinned, row: MemberRow, classes: frozenset[int] | None) -> _Seen:
        epoch = 0 if pinned.policy is None or classes is None else pinned.policy.epoch
        key = (row.view, classes, epoch)
        found = self._seen.get(key)
        if found is None or found.row != row:
            found = self._seen.keep(key, self._look(pinned, row, classes))
        return found

    def _look(self, pinned: Pinned, row: MemberRow, classes: frozenset[int] | None) -> _Seen:
        membership = self._open_membership(row.membership, f"{row.repository.name}@{row.view.ref}")
        if classes is None or pinned.policy is None:
            return _Seen(
                row, membership, None, row.generation, row.snapshot, row.counts, row.in_part
            )
        name = row.repository.name
        files = membership.attribute_files
        said = readable(pinned.policy, classes, name, files).tolist()
        membership = membership.heeding(dict(zip(files, said, strict=True)).__getitem__)
        mask = readable(pinned.policy, classes, name, membership.paths)
        missing = membership.missing
        if missing:
            seen = readable(pinned.policy, classes, name, missing)
            missing = tuple(path for path, may in zip(missing, seen.tolist(), strict=True) if may)
        rows = np.flatnonzero(mask)
        part = membership.take(rows, missing)
        content = self._content_of(pinned, {row.fingerprint})
        total = part.sum(range(len(part)), content)
        generation = generation_of(row.fingerprint, len(part), total)
        snapshot = row.snapshot
        if row.view.ref == WORKTREE:
            snapshot = sealed(snapshot, part, generation)
        outcomes, reasons = part.tally(content)
        counts, in_part = count_outcomes(outcomes), count_in_part(reasons)
        return _Seen(row, membership, mask, generation, snapshot, counts, in_part)

    def _open_membership(self, name: str, source: str) -> Membership:
        found = self._memberships.get(name)
        if found is None:
            found = self._memberships.keep(name, open_membership(self._catalog, name, source))
        return found

    def _content(self, pinned: Pinned, members: Sequence[_Seen]) -> Content:
        return self._content_of(pinned, {each.row.fingerprint for each in members})

    def _content_of(self, pinned: Pinned, prints: Set[str]) -> Content:
        return Content(
            [
                self._segment(part)
                for part in pinned.parts
                if part.kind is PartKind.SEGMENT and part.fingerprint in prints
            ]
        )

    def _forget_parts(self, pinned: Pinned) -> None:
        """Let go of parts that are no longer named."""
        named = {part.file for part in pinned.parts}
        for held in (self._segments, self._paths):
            for file in [file for file in held if file not in named]:
                del held[file]

    def _segment(self, part: PartRow) -> Segment:
        if part.file not in self._segments:
            self._segments[part.file] = Segment(self._catalog.buffer(part), part.file)
        return self._segments[part.file]

    def _path_parts(
        self, pinned: Pinned, members: Sequence[_Seen]
    ) -> Mapping[RepositoryId, tuple[PathPart, ...]]:
        found: dict[RepositoryId, tuple[PathPart, ...]] = {
            each.row.repository.id: () for each in members
        }
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


def _check_epoch(pinned: Pinned, classes: frozenset[int] | None, epoch: int) -> None:
    """Access classes mean something under their own policy only."""
    if classes is not None and (pinned.policy is None or pinned.policy.epoch != epoch):
        raise BadInput(
            "policy_changed",
            "the access policy changed while the question was asked",
            hint="ask again",
        )


def _status(
    row: MemberRow,
    generation: str,
    snapshot: Snapshot,
    counts: Mapping[Outcome, int],
    in_part: int,
) -> ViewStatus:
    return ViewStatus(
        repository=row.repository,
        view=row.view,
        snapshot=snapshot,
        generation=generation,
        state="ready",
        counts=counts,
        fingerprint=row.fingerprint,
        indexed_at=row.at,
        historic=row.historic,
        rules=row.rules,
        in_part=in_part,
    )


def _state(each: _Seen) -> ViewState:
    return ViewState(
        repository=each.row.repository,
        view=each.row.view,
        snapshot=each.snapshot,
        fingerprint=each.row.fingerprint,
        generation=each.generation,
        membership=each.membership,
        mask=each.mask,
    )


def _identity(each: _Seen) -> tuple[object, ...]:
    """What a corpus shows of a view: two corpora that differ in it are not the same."""
    row = each.row
    return row.view, row.membership, row.repository, row.fingerprint, each.generation, each.snapshot


def _rows(each: _Seen) -> list[int]:
    mask = each.mask
    return list(range(len(each.membership))) if mask is None else np.flatnonzero(mask).tolist()

"""A work tree kept up to date in memory: what changed since the last index, a path at a time.

What is refreshed goes through the same plan, workers and writer as `index`, over a store that keeps
it in memory; so an answer after a refresh is the answer after `grainline index`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from grainline.errors import BadInput
from grainline.indexing.difference import difference
from grainline.indexing.frames import Analysed, Job
from grainline.indexing.hints import hint_of
from grainline.indexing.irs import LOWERING
from grainline.indexing.lower import Lowered
from grainline.indexing.pipeline import IndexOptions, Intake, Plan, analysts_for
from grainline.indexing.setup import setup_of
from grainline.indexing.workers import Analysts, Crew, Lent, Pool
from grainline.model.access import WORKTREE, View
from grainline.model.answers import RefreshReport
from grainline.model.snapshot import Outcome, Reason, Snapshot, SourceEntry
from grainline.snapshots.options import ReadOptions
from grainline.snapshots.repository import Repository, open_repository
from grainline.storage.base import (
    BlobKey,
    MemberEntry,
    MemberRows,
    RepositoryRecord,
    Store,
    ViewStatus,
    Writer,
)

WARM_HINTS = 12
"""Sorts of names whose languages a worker loads ahead: each takes 5 to 70 ms, once."""


class Live:
    """The work trees of a home that are followed, in a store above its newest generation.

    Args:
        base: the store of the home.
        options: how to analyse; chunker and its options come from each view.
        read: what to read of each repository; what decides about paths comes from each view.
    """

    def __init__(
        self,
        base: Store,
        options: IndexOptions,
        read: ReadOptions,
    ) -> None:
        self._base = base
        self._options = options
        self._read = read
        self.store = base.overlaid()
        self._writer: tuple[str, Writer] | None = None
        self._trees: dict[View, LiveTree] = {}
        self._repositories: dict[View, Repository] = {}
        self._analysts: dict[bytes, Analysts] = {}

    def refresh(self, status: ViewStatus, paths: Collection[bytes] | None) -> RefreshReport:
        """Bring one view up to date; after a new generation of the home, from the start.

        Raises:
            BadInput: the work tree is gone, or was indexed in another way than this version can.
            Refused: it cannot be read safely (any more).
        """
        with self._base.held():  # the writer opens parts of the home as it comes to need them
            if not self.store.is_current():
                self._forget_repositories()  # what is read may be decided by other rules now
                self.store = self._base.overlaid()
                self._writer = None
                self._trees = {}
            if status.view not in self._trees:
                self._trees[status.view] = self._follow(status)
            return self._trees[status.view].refresh(paths)

    def warm(self, view: View) -> None:
        """Start a worker for a followed tree, so that its first change does not wait for one."""
        with self._base.held():
            if view in self._trees and self.store.is_current():
                self._trees[view].warm()

    def rest(self) -> None:
        """Merge what refreshes have left, while nobody waits."""
        if self._writer is not None and self.store.is_current():
            with self._base.held():
                self._writer[1].tidy()

    def lowering(self) -> Crew[tuple[Lowered, ...]] | None:
        """What lowers blobs in the workers that analyse changes; None where there are none."""
        pools: list[Pool[Analysed]] = [
            each for each in self._analysts.values() if isinstance(each, Pool)
        ]
        return Lent(pools[0], LOWERING) if pools else None

    def checked_at(self) -> Mapping[View, float]:
        """When all of each view was last looked at, in seconds since 1970; those that were not are not in it."""
        if not self.store.is_current():
            return {}
        return {view: tree.checked_at for view, tree in self._trees.items() if tree.checked_at}

    def close(self) -> None:
        """End workers and git processes."""
        self._forget_repositories()
        for analysts in self._analysts.values():
            analysts.close()
        self._analysts, self._trees = {}, {}

    def _forget_repositories(self) -> None:
        for repository in self._repositories.values():
            repository.close()
        self._repositories = {}

    def _follow(self, status: ViewStatus) -> LiveTree:
        setup = setup_of(status.fingerprint)
        if setup is None:
            raise BadInput(
                "version_mismatch",
                f"the index was made with {status.fingerprint}; this version makes another one",
                subject=f"{status.repository.name}@{status.view.ref}",
                hint=f"run: grainline index {status.repository.root}",
            )
        if status.view not in self._repositories:
            read = replace(self._read.ruled(status.rules), allow_home=True)
            opened = open_repository(status.repository.root, read)
            self._repositories[status.view] = opened
        if self._writer is None or self._writer[0] != status.fingerprint:
            self._writer = (status.fingerprint, self.store.writer(setup.fingerprint()))
            self._trees = {}  # they hold the writer that was
        key = setup.encode()
        if key not in self._analysts:
            self._analysts[key] = analysts_for(setup, self._options)
        repository = self._repositories[status.view]
        return LiveTree(repository, status.repository, self._writer[1], self._analysts[key])


class LiveTree:
    """One work-tree view of a store that keeps it in memory.

    Args:
        repository: open, for as long as the tree is followed.
        record: as the catalog knows it.
        writer: made for the fingerprint of the view.
        analysts: what analyses changed files; not closed here.

    `checked_at` is the time of the last full look, in seconds since 1970; 0.0 before the first.
    """

    def __init__(
        self,
        repository: Repository,
        record: RepositoryRecord,
        writer: Writer,
        analysts: Analysts,
    ) -> None:
        self._repository = repository
        self._record = record
        self._writer = writer
        self._analysts = analysts
        self._view = View(repository=record.id, ref=WORKTREE)
        self._head: str | None = None
        self.checked_at = 0.0

    def warm(self) -> None:
        """Start a worker with the grammars of the most common files; it is ready some time later."""
        state = self._writer.state(self._view)
        hints = Counter(map(hint_of, state[1].paths if state else (b"x",)))
        jobs = [Job(BlobKey(b"", hint), b"x\n") for hint, _ in hints.most_common(WARM_HINTS)]
        self._analysts.submit(jobs)

    def refresh(self, paths: Collection[bytes] | None = None) -> RefreshReport:
        """Bring the view up to date.

        Args:
            paths: what may have changed since the last refresh; None looks at everything.

        Raises:
            BadInput: the work tree is gone, or is not indexed.
            Refused: it cannot be read safely (any more).
        """
        started, moment = time.perf_counter(), time.time()
        state = self._writer.state(self._view)
        if state is None:
            raise BadInput(
                "not_indexed", "this work tree is not indexed", subject=self._record.name
            )
        before, rows = state
        head = self._repository.head_target()
        seen, snapshot = None, before
        if paths is not None and self.checked_at and head == self._head:
            seen = self._repository.look(paths, rows.signatures(), rows.paths)
        if seen is None:
            self._head = head
            snapshot, entries = self._repository.snapshot(WORKTREE, rows.known())
            gone = sorted(set(rows.paths) - {entry.path for entry in entries})
            members = self._plan(
                rows.doubtful(entries) if snapshot.commit == before.commit else entries
            )
            self.checked_at = moment
        else:
            entries = tuple(entry for entry in seen.values() if entry is not None)
            members = self._plan(entries)
            gone = sorted(path for path, entry in seen.items() if entry is None)
        changed, failed = self._write(before, rows, snapshot, members, gone)
        return RefreshReport(
            repository=self._record.name,
            changed=changed,
            failed=failed,
            full=seen is None,
            seconds=time.perf_counter() - started,
        )

    def _plan(self, entries: Sequence[SourceEntry]) -> list[tuple[MemberEntry, SourceEntry]]:
        """Read and analyse what is new; what became of each entry, and how it was read."""
        plan = Plan(entries)
        plan.settle(self._writer.known(plan.keys()))
        intake = Intake(self._writer, self._analysts)
        while reads := plan.unsettled():
            for entry, content, detail in self._repository.read(reads):
                if isinstance(content, Reason):
                    plan.refuse(entry, content, detail)
                else:
                    intake.take(plan.key_of(entry), content)
        intake.dispatch(last=True)
        try:
            self._writer.tidy(plan.keys())  # a worker has its time to itself
            intake.finish()
        finally:
            intake.cancel()
        read = {entry.path: entry for entry in plan.entries()}
        return [(member, read[member.path]) for member in plan.members(intake.failed)]

    def _write(
        self,
        before: Snapshot,
        rows: MemberRows,
        snapshot: Snapshot,
        found: Sequence[tuple[MemberEntry, SourceEntry]],
        gone: Sequence[bytes],
    ) -> tuple[int, int]:
        """Write what differs from `rows`; (paths that changed, paths of them that failed)."""
        now = difference(self._repository, before, rows, snapshot.commit, found, gone)
        moved = before.commit != snapshot.commit or now.missing != rows.missing
        if now.written or now.removed or moved:
            self._writer.amend(
                self._record, self._view, snapshot, self._view, now.written, now.removed,
                missing=now.missing, rules=self._repository.rules,
            )  # fmt: skip
        changed = rows.unlike(now.written, stat=False)
        failed = sum(member.outcome is Outcome.FAILED for member in changed)
        return len(changed) + len(now.removed), failed

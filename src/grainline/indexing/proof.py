"""Proof: what an answer shows still stands in the repository, read again and masked again.

A git blob cannot change under its id, so it is read once per process; a mismatch there is our own
fault. A work-tree file is read for every answer. A repository that is gone leaves the stored text,
with a warning.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from grainline.errors import Damaged, GrainlineError
from grainline.model.access import WORKTREE
from grainline.model.position import quote_path
from grainline.model.snapshot import Reason
from grainline.storage.base import Corpus, RepositoryRecord

if TYPE_CHECKING:
    from grainline.snapshots import Repository


class Proof(StrEnum):
    """What re-reading a place found."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"


class Prover:
    """Re-reads places; keeps repositories open for the life of the process."""

    def __init__(self) -> None:
        self._open: dict[str, Repository | None] = {}
        self._proved: set[tuple[str, bytes]] = set()
        self._commits: dict[tuple[str, str, str], str] = {}

    def moved(self, record: RepositoryRecord, ref: str, commit: str) -> str | None:
        """Where a ref is now when that is not `commit`: a commit id, "" when it is gone, else None.

        None, too, when the repository cannot say.
        """
        repository = self._repository(record)
        if repository is None:
            return None
        target = repository.ref_target(ref)
        if target is None or target == commit:
            return "" if target is None else None
        key = (record.id, ref, target)
        if key not in self._commits:  # it may be a tag object
            try:
                self._commits[key] = repository.resolve(ref).commit
            except GrainlineError:
                self._commits[key] = commit
        now = self._commits[key]
        return None if now == commit else now

    def check(self, corpus: Corpus, entry: int) -> Proof:
        """Whether the stored text of `entry` is what the repository holds.

        Raises:
            Damaged: the masked git blob is not what was stored under its id.
        """
        return self.check_all(corpus, (entry,))[entry]

    def check_all(self, corpus: Corpus, entries: Sequence[int]) -> dict[int, Proof]:
        """As `check`, for several entries: blobs of one repository are read in one go."""
        found: dict[int, Proof] = {}
        blobs: dict[str, list[int]] = {}
        for entry in entries:
            record = corpus.repository(entry)
            repository = self._repository(record)
            if repository is None:
                found[entry] = Proof.GONE
            elif corpus.snapshot(entry).ref == WORKTREE:
                found[entry] = self._check_file(repository, corpus, entry)
            elif (record.id, corpus.raw_id(entry)) in self._proved:
                found[entry] = Proof.SAME
            else:
                blobs.setdefault(record.id, []).append(entry)
        for each in blobs.values():
            found.update(self._check_blobs(corpus, each))
        return found

    def close(self) -> None:
        """End every git process."""
        for repository in self._open.values():
            if repository is not None:
                repository.close()
        self._open.clear()

    def _check_file(self, repository: Repository, corpus: Corpus, entry: int) -> Proof:
        now, content, _ = repository.read_worktree(corpus.path(entry))
        same = not isinstance(content, Reason) and now.raw_id == corpus.raw_id(entry)
        return Proof.SAME if same else Proof.CHANGED

    def _check_blobs(self, corpus: Corpus, entries: Sequence[int]) -> dict[int, Proof]:
        """The proofs of entries of one repository that is there."""
        from grainline.snapshots import ReadOptions

        record = corpus.repository(entries[0])
        repository = self._repository(record)
        assert repository is not None
        raw_ids = {entry: corpus.raw_id(entry) for entry in entries}
        asked = list(dict.fromkeys(raw_ids.values()))
        blobs = dict(
            zip(asked, repository.read_blobs(asked, ReadOptions().max_file_bytes), strict=True)
        )
        return {
            entry: self._compare(corpus, entry, blobs[raw_id], (record.id, raw_id))
            for entry, raw_id in raw_ids.items()
        }

    def _compare(
        self, corpus: Corpus, entry: int, raw: bytes | Reason, key: tuple[str, bytes]
    ) -> Proof:
        if isinstance(raw, Reason):
            return Proof.GONE
        stored = corpus.text(entry)
        if raw != stored and not _is_masked(raw, stored):
            raise Damaged(
                "citation_mismatch",
                "the stored text is not what the repository holds",
                subject=quote_path(corpus.path(entry)),
                hint="run: grainline doctor --repair",
            )
        self._proved.add(key)
        return Proof.SAME

    def _repository(self, record: RepositoryRecord) -> Repository | None:
        if record.id not in self._open:
            from grainline.snapshots import ReadOptions, open_repository

            try:
                self._open[record.id] = open_repository(record.root, ReadOptions(allow_home=True))
            except GrainlineError:
                self._open[record.id] = None
        return self._open[record.id]


def _is_masked(raw: bytes, stored: bytes) -> bool:
    """Whether `stored` is what is kept of `raw`, which holds secrets then."""
    from grainline.indexing.views import masked_view

    return masked_view(raw) == stored

"""What a work tree holds now instead of the rows that a store has of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from grainline.model.snapshot import Mode, Snapshot, SourceEntry
from grainline.snapshots.repository import Repository
from grainline.storage.base import MemberEntry, MemberRows

_NOTHING: tuple[Mode | None, bytes | None] = (None, None)


class Difference(NamedTuple):
    """Rows to write, paths to take out, and paths that only the commit under the tree has."""

    written: list[MemberEntry]
    removed: list[bytes]
    missing: tuple[bytes, ...]


def difference(
    repository: Repository,
    before: Snapshot,
    rows: MemberRows,
    commit: str,
    found: Sequence[tuple[MemberEntry, SourceEntry]],
    gone: Iterable[bytes],
) -> Difference:
    """How a work tree over `commit` differs from `rows`, which were taken over `before`.

    Args:
        repository: of the work tree.
        before: the snapshot of the rows.
        rows: what the store has.
        commit: HEAD now.
        found: what was looked at, and how it was read: all of the tree, or with the commit of
            `before` some paths of it.
        gone: paths of `rows` that are there no more; others are left out.
    """
    removed = [path for path in gone if rows.find(path) >= 0]
    if before.commit != commit:
        other, missing = repository.deviations(commit, [entry for _, entry in found])
        members = [member._replace(dirty=member.path in other) for member, _ in found]
        return Difference(rows.unlike(members), removed, missing)
    fresh = {member.path for member in rows.unlike([member for member, _ in found], dirty=False)}
    entries = [entry for member, entry in found if member.path in fresh]
    if not entries and not removed:
        return Difference([], [], rows.missing)
    other, missing = _deviations(repository, rows, commit, entries, removed)
    written = [
        member._replace(dirty=member.path in other) for member, _ in found if member.path in fresh
    ]
    return Difference(written, removed, missing)


def _deviations(
    repository: Repository,
    rows: MemberRows,
    commit: str,
    entries: Iterable[SourceEntry],
    gone: Iterable[bytes],
) -> tuple[frozenset[bytes], tuple[bytes, ...]]:
    """As `Repository.deviations`, of some paths; the rest stands as in `rows`."""
    if not commit:
        return frozenset(), ()
    here = tuple(repository.identified(entries))
    listed = repository.committed_ids(commit)
    if listed is None:
        return frozenset(entry.path for entry in here), rows.missing
    files = {
        path: row
        for path in (*gone, *(each.path for each in here))
        if (row := listed.get(path)) is not None and row[0] is not Mode.SUBMODULE
    }
    other = {
        each.path
        for each in here
        if listed.get(each.path, _NOTHING)[0] is not Mode.SUBMODULE
        and files.get(each.path) != (each.mode, each.raw_id)
    }
    missing = {*rows.missing, *(path for path in gone if path in files)}
    return frozenset(other), tuple(sorted(missing - {entry.path for entry in here}))

"""Commits and their messages, newest first: what a repository says of its own past."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from typing import NamedTuple

from grainline.errors import Refused
from grainline.snapshots.git import Git
from grainline.snapshots.trees import MAX_COMMIT, read_checked

_PARENT = re.compile(rb"^parent ([0-9a-f]+)$", re.MULTILINE)
_COMMITTER = re.compile(rb"^committer .* (-?\d+) [+-]\d{4}$", re.MULTILINE)


class CommitRecord(NamedTuple):
    """One commit; `seconds` is when it was committed, since 1970."""

    id: str
    parents: tuple[str, ...]
    seconds: int
    message: str


def walk(git: Git, start: str, subject: str) -> Iterator[CommitRecord]:
    """A commit and its ancestors, the latest first; where a clone is shallow it ends.

    Raises:
        Refused: `missing_object` or `corrupt_object`, of the first commit.
    """
    first = _read(git, start, subject)
    queue = [(-first.seconds, first.id, first)]
    seen = {start}
    while queue:
        _, _, commit = heapq.heappop(queue)
        yield commit
        for parent in commit.parents:
            if parent not in seen:
                seen.add(parent)
                try:
                    found = _read(git, parent, subject)
                except Refused:
                    continue
                heapq.heappush(queue, (-found.seconds, found.id, found))


def _read(git: Git, commit: str, subject: str) -> CommitRecord:
    data = read_checked(git, commit, "commit", limit=MAX_COMMIT, subject=subject)
    head, _, message = data.partition(b"\n\n")
    when = _COMMITTER.search(head)
    return CommitRecord(
        id=commit,
        parents=tuple(each.decode() for each in _PARENT.findall(head)),
        seconds=int(when[1]) if when else 0,
        message=message.decode("utf-8", "replace"),
    )

"""The store in memory: the same parts as the folder store, in dictionaries; for tests and the lab."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace

from grainline.errors import Locked
from grainline.model.access import Policy, View
from grainline.storage.base import BlobKey
from grainline.storage.catalog import NONE_GIVEN, Change, Given, MemberRow, PartRow, Pinned
from grainline.storage.derived import MemoryDerived
from grainline.storage.membership import Membership, Packed
from grainline.storage.segments.columns import Buffer
from grainline.storage.store import PartStore


class MemoryCatalog:
    """A catalog that lives as long as the process."""

    packs = True

    def __init__(self) -> None:
        self._parts: list[PartRow] = []
        self._data: dict[str, bytes] = {}
        self._blobs: dict[tuple[str, BlobKey], int] = {}
        self._memberships: dict[str, Packed | Membership] = {}
        self._members: dict[View, MemberRow] = {}
        self._uses: dict[View, float] = {}
        self._generation = 0
        self._epoch = 0
        self._policy: Policy | None = None
        self._next = 1
        self._locked = False
        self.derived = MemoryDerived()

    def lock(self) -> None:
        """Take the writer lock.

        Raises:
            Locked: a writer of this store is open.
        """
        if self._locked:
            raise Locked("locked", f"process {os.getpid()} already writes this store")
        self._locked = True

    def release(self) -> None:
        """Give the writer lock back."""
        self._locked = False

    @contextmanager
    def pinned(self) -> Generator[Pinned]:
        """The newest generation; what a reader holds stays by itself."""
        yield self.pin()

    def pin(self) -> Pinned:
        """The newest generation."""
        rows = sorted(self._members.values(), key=lambda row: (row.repository.name, row.view.ref))
        return Pinned(
            generation=self._generation,
            members=tuple(rows),
            parts=tuple(self._parts),
            policy=self._policy,
        )

    def membership(self, digest: str) -> Packed | Membership:
        """Packed rows of a view."""
        return self._memberships[digest]

    def buffer(self, part: PartRow) -> Buffer:
        """The bytes of a part."""
        return self._data[part.file]

    def owns(self, part: PartRow) -> bool:
        """Every part is this catalog's own."""
        return True

    def find_blobs(self, fingerprint: str, keys: Sequence[BlobKey]) -> dict[BlobKey, int]:
        """Numbers of the stored blobs among `keys`."""
        found = ((key, self._blobs.get((fingerprint, key))) for key in keys)
        return {key: number for key, number in found if number is not None}

    def given(self) -> Given:
        """No more than the parts have."""
        return NONE_GIVEN

    def next_part(self) -> int:
        """An unused part id."""
        self._next += 1
        return self._next - 1

    def write_part(self, part: PartRow, data: bytes) -> None:
        """Keep the bytes of a part."""
        self._data[part.file] = data

    def add_part(self, part: PartRow, data: bytes, blobs: Sequence[tuple[BlobKey, int]]) -> None:
        """Keep a part."""
        self._parts.append(part)
        self._data[part.file] = data
        for key, number in blobs:
            self._blobs[part.fingerprint, key] = number

    def flip(self, change: Change) -> None:
        """Make the next generation."""
        self._generation += 1
        self._memberships.update(change.memberships or {})
        for view in change.gone:
            self._members.pop(view, None)
        self._members |= {row.view: row for row in change.members}
        self._forget({part.file for part in change.dropped})
        self._parts += change.added
        self._forget_blobs(set(change.forgotten))
        used = {row.membership for row in self._members.values()}
        used |= {row.base for row in self._members.values() if row.base is not None}
        self._memberships = {key: self._memberships[key] for key in sorted(used)}

    def tidy(self, *, wait: float = 0.0) -> bool:
        """Nothing of the past is kept."""
        return True

    def set_policy(self, policy: Policy | None) -> None:
        """Put a policy in force."""
        self._epoch += 1
        self._policy = None if policy is None else replace(policy, epoch=self._epoch)

    def drop_parts(self, parts: Sequence[PartRow], blobs: Iterable[int] = ()) -> None:
        """Forget damaged parts, and `blobs` of others."""
        self._forget({part.file for part in parts})
        gone = set(blobs)
        for part in parts:
            gone |= set(range(part.blob_base, part.blob_base + part.blobs))
        self._forget_blobs(gone)

    def _forget_blobs(self, gone: set[int]) -> None:
        if gone:
            self._blobs = {key: at for key, at in self._blobs.items() if at not in gone}

    def _forget(self, files: set[str]) -> None:
        self._parts = [part for part in self._parts if part.file not in files]
        for file in files:
            del self._data[file]

    def compact(self) -> None:
        """Nothing to give back."""

    def size(self) -> int:
        """Bytes of all parts."""
        return sum(map(len, self._data.values())) + self.derived.size()

    def touch(self, view: View) -> None:
        """Note the time."""
        self._uses[view] = time.time()

    def last_used(self, view: View) -> float:
        """When the view was last read."""
        return self._uses.get(view, 0.0)

    def check(self) -> list[tuple[str, bool, str, str]]:
        """Nothing can be damaged on disk."""
        return []

    def set_aside_if_damaged(self) -> str:
        """Nothing can be damaged on disk."""
        return ""


def open_memory() -> PartStore:
    """An empty store in memory."""
    return PartStore(MemoryCatalog())

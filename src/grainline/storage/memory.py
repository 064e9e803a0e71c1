"""The store in memory: the same parts as the folder store, in dictionaries; for tests and the lab."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from grainline.errors import Locked
from grainline.storage.base import BlobKey
from grainline.storage.catalog import MemberRow, PartRow, Pinned
from grainline.storage.segments.columns import Buffer
from grainline.storage.store import PartStore


class MemoryCatalog:
    """A catalog that lives as long as the process."""

    def __init__(self) -> None:
        self._parts: list[PartRow] = []
        self._data: dict[str, bytes] = {}
        self._blobs: dict[tuple[str, BlobKey], tuple[int, str]] = {}
        self._memberships: dict[str, bytes] = {}
        self._members: tuple[MemberRow, ...] = ()
        self._next = 1
        self._locked = False

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

    def pin(self) -> Pinned:
        """The newest generation."""
        return Pinned(members=self._members, parts=tuple(self._parts))

    def membership(self, digest: str) -> bytes:
        """Packed rows of a view."""
        return self._memberships[digest]

    def buffer(self, part: PartRow) -> Buffer:
        """The bytes of a part."""
        return self._data[part.file]

    def find_blobs(self, fingerprint: str, keys: Sequence[BlobKey]) -> dict[BlobKey, int]:
        """Numbers of the stored blobs among `keys`."""
        found = ((key, self._blobs.get((fingerprint, key))) for key in keys)
        return {key: row[0] for key, row in found if row is not None}

    def next_part(self) -> int:
        """An unused part id."""
        self._next += 1
        return self._next - 1

    def add_part(self, part: PartRow, data: bytes, blobs: Sequence[tuple[BlobKey, int]]) -> None:
        """Keep a part."""
        self._parts.append(part)
        self._data[part.file] = data
        for key, number in blobs:
            self._blobs[part.fingerprint, key] = (number, part.file)

    def flip(self, members: Sequence[MemberRow], memberships: Mapping[str, bytes]) -> None:
        """Make `members` the newest generation."""
        self._memberships.update(memberships)
        self._members = tuple(members)
        used = {row.membership for row in members}
        self._memberships = {key: self._memberships[key] for key in sorted(used)}

    def drop_parts(self, parts: Sequence[PartRow], blobs: Iterable[int] = ()) -> None:
        """Forget parts, and `blobs` of others."""
        files = {part.file for part in parts}
        self._parts = [part for part in self._parts if part.file not in files]
        for file in files:
            del self._data[file]
        gone = set(blobs)
        self._blobs = {
            key: row
            for key, row in self._blobs.items()
            if row[1] not in files and row[0] not in gone
        }

    def check(self) -> list[tuple[str, bool, str, str]]:
        """Nothing can be damaged on disk."""
        return []

    def set_aside_if_damaged(self) -> str:
        """Nothing can be damaged on disk."""
        return ""


def open_memory() -> PartStore:
    """An empty store in memory."""
    return PartStore(MemoryCatalog())

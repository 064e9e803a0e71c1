"""What the two stores keep apart from content: the seam below `Store`, private to this room."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from grainline.model.access import View
from grainline.model.snapshot import Outcome, RepositoryId, Snapshot
from grainline.storage.base import BlobKey, RepositoryRecord
from grainline.storage.segments.columns import Buffer


class PartKind(StrEnum):
    """What an immutable part holds."""

    SEGMENT = "segment"
    PATHS = "paths"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRow:
    """An immutable part as the manifest names it.

    `base` and `count` are the range of numbers it introduces (chunks of a segment, paths of a path
    part); `blob_base` and `blobs` those of a segment's blobs. `repository` owns a path part.
    """

    id: int
    kind: PartKind
    fingerprint: str
    repository: RepositoryId | None
    file: str
    size: int
    base: int
    count: int
    blob_base: int
    blobs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberRow:
    """One view of a generation; `membership` is the digest of its packed rows, `at` when it came."""

    repository: RepositoryRecord
    view: View
    snapshot: Snapshot
    fingerprint: str
    membership: str
    generation: str
    counts: Mapping[Outcome, int]
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """What one generation names, read in one transaction."""

    members: tuple[MemberRow, ...]
    parts: tuple[PartRow, ...]


class Catalog(Protocol):
    """Rows of one home. Only one writer calls the writing methods."""

    def pin(self) -> Pinned:
        """The newest generation."""
        ...

    def membership(self, digest: str) -> bytes:
        """Packed rows of a view."""
        ...

    def buffer(self, part: PartRow) -> Buffer:
        """The bytes of a part."""
        ...

    def find_blobs(self, fingerprint: str, keys: Sequence[BlobKey]) -> dict[BlobKey, int]:
        """Numbers of the stored blobs among `keys`."""
        ...

    def add_part(self, part: PartRow, data: bytes, blobs: Sequence[tuple[BlobKey, int]]) -> None:
        """Make a part durable and register it; `part.id` and `part.file` are set by `next_part`."""
        ...

    def next_part(self) -> int:
        """An unused part id."""
        ...

    def flip(self, members: Sequence[MemberRow], memberships: Mapping[str, bytes]) -> None:
        """Store what is new and make `members` the newest generation, in one transaction."""
        ...

    def drop_parts(self, parts: Sequence[PartRow], blobs: Iterable[int] = ()) -> None:
        """Forget parts that no view of the newest generation needs, and free their space.

        `blobs` of other parts are forgotten too: they are analysed again when they come back.
        """
        ...

    def release(self) -> None:
        """Give the writer lock back."""
        ...

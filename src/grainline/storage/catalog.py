"""What the two stores keep apart from content: the seam below `Store`, private to this room."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from grainline.model.access import Policy, View
from grainline.model.snapshot import Outcome, RepositoryId, Snapshot
from grainline.storage.base import BlobKey, Derived, RepositoryRecord
from grainline.storage.membership import Membership, Packed
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
    """One view of a generation.

    `membership` names its packed rows, `base` the membership that they differ from, if any. `sum`
    is the sum over its rows; `generation` follows from it. `rules` digests what decided which paths
    were read; `at` is the time of the last run that brought it up to date, `historic` whether it
    is kept only as long as it is asked for. `in_part` counts files of which not all could be parsed.
    """

    repository: RepositoryRecord
    view: View
    snapshot: Snapshot
    fingerprint: str
    membership: str
    base: str | None
    sum: int
    generation: str
    counts: Mapping[Outcome, int]
    rules: str
    historic: bool
    at: int
    in_part: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """What one generation names, read in one transaction, and the policy in force."""

    generation: int
    members: tuple[MemberRow, ...]
    parts: tuple[PartRow, ...]
    policy: Policy | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What the next generation has instead of the newest one.

    `members` replace the rows of their views; `gone` are views that end. `added` parts are durable
    but not registered yet and take the place of `dropped` ones; `forgotten` are numbers of blobs
    whose content goes with them.
    """

    members: tuple[MemberRow, ...] = ()
    gone: tuple[View, ...] = ()
    memberships: Mapping[str, Packed | Membership] | None = None
    added: tuple[PartRow, ...] = ()
    dropped: tuple[PartRow, ...] = ()
    forgotten: tuple[int, ...] = ()


class Given(NamedTuple):
    """The first number of chunks, of blobs and of paths behind all that are given out."""

    chunks: int
    blobs: int
    paths: int


NONE_GIVEN = Given(0, 0, 0)


def given(parts: Iterable[PartRow], before: Given = NONE_GIVEN) -> Given:
    """What `parts` have, and what was given out before."""
    chunks, blobs, paths = before
    for part in parts:
        if part.kind is PartKind.PATHS:
            paths = max(paths, part.base + part.count)
        else:
            chunks = max(chunks, part.base + part.count)
            blobs = max(blobs, part.blob_base + part.blobs)
    return Given(chunks, blobs, paths)


class Catalog(Protocol):
    """Rows of one home. Only one writer calls the writing methods.

    `packs` says whether memberships are kept packed, or as they are; `derived` are the values made
    from what the parts hold.
    """

    @property
    def packs(self) -> bool:
        """See above."""
        ...

    @property
    def derived(self) -> Derived:
        """See above."""
        ...

    def pinned(self) -> AbstractContextManager[Pinned]:
        """The newest generation; all that it names stays while the context is open."""
        ...

    def pin(self) -> Pinned:
        """The newest generation, for what needs no more than its rows."""
        ...

    def membership(self, digest: str) -> Packed | Membership:
        """Rows of a view."""
        ...

    def buffer(self, part: PartRow) -> Buffer:
        """The bytes of a part."""
        ...

    def owns(self, part: PartRow) -> bool:
        """Whether a part may be rewritten through this catalog."""
        ...

    def find_blobs(self, fingerprint: str, keys: Sequence[BlobKey]) -> dict[BlobKey, int]:
        """Numbers of the stored blobs among `keys`."""
        ...

    def next_part(self) -> int:
        """An unused part id."""
        ...

    def given(self) -> Given:
        """Numbers that stay given out although no part may have them; `NONE_GIVEN` for none."""
        ...

    def write_part(self, part: PartRow, data: bytes) -> None:
        """Make a part durable without registering it: a flip that names it in `added` does."""
        ...

    def add_part(self, part: PartRow, data: bytes, blobs: Sequence[tuple[BlobKey, int]]) -> None:
        """Make a part durable and register it; `part.id` and `part.file` are set by `next_part`."""
        ...

    def flip(self, change: Change) -> None:
        """Make the next generation, in one transaction."""
        ...

    def tidy(self, *, wait: float = 0.0) -> bool:
        """Free what only past generations name, unless a reader is opening one for `wait` seconds."""
        ...

    def set_policy(self, policy: Policy | None) -> None:
        """Put a policy in force; its epoch is one more than that of the last."""
        ...

    def drop_parts(self, parts: Sequence[PartRow], blobs: Iterable[int] = ()) -> None:
        """Forget damaged parts, and `blobs` of other parts: they are analysed again."""
        ...

    def compact(self) -> None:
        """Give the space of freed rows back to the disk."""
        ...

    def size(self) -> int:
        """Bytes that the home takes."""
        ...

    def touch(self, view: View) -> None:
        """Note that a historic view is read now, where that can be noted."""
        ...

    def last_used(self, view: View) -> float:
        """When a historic view was last read, in seconds since 1970; 0.0 unknown."""
        ...

    def release(self) -> None:
        """Give the writer lock back."""
        ...


def open_membership(catalog: Catalog, name: str, source: str) -> Membership:
    """A stored membership, with the one that it differs from."""
    stored = catalog.membership(name)
    if isinstance(stored, Membership):
        return stored
    base = None if stored.base is None else open_membership(catalog, stored.base, source)
    return Membership.unpack(stored, base, source)

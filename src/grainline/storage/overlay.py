"""An overlay: a catalog that keeps what is written in memory, above one generation of another one.

The write path runs over it as over a folder, so that an answer from the overlay is the answer that
committing would give. It lasts as long as its process, and ends when the generation under it does.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count

from grainline.model.access import Policy, View
from grainline.storage.base import BlobKey
from grainline.storage.catalog import Catalog, Change, Given, MemberRow, PartRow, Pinned, given
from grainline.storage.derived import RECENT, MemoryDerived
from grainline.storage.membership import Membership, Packed
from grainline.storage.segments.columns import Buffer

FIRST_PART = 1 << 40
"""Part ids of overlays start here: no folder counts so far."""

_IDS = count(FIRST_PART)  # of all overlays: opened parts are kept by name, beyond an overlay's end


class OverlayCatalog:
    """A catalog above the newest generation of `base`."""

    packs = False

    def __init__(self, base: Catalog) -> None:
        self._base = base
        self.derived = MemoryDerived(base.derived, RECENT)
        self._ground = base.pin()
        # A run that is stopped leaves parts in the same generation. Their numbers are given out here
        # a second time, so this overlay knows nothing of them.
        self._known = {part.id for part in self._ground.parts}
        self._given = given(self._ground.parts)
        self._limit = self._given.blobs
        self._members: dict[View, MemberRow] = {}
        self._gone: set[View] = set()
        self._parts: dict[int, PartRow] = {}
        self._dropped: set[int] = set()
        self._data: dict[str, bytes] = {}
        self._blobs: dict[tuple[str, BlobKey], int] = {}
        self._memberships: dict[str, Packed | Membership] = {}

    def is_current(self) -> bool:
        """Whether the generation underneath is still the newest one."""
        return self._base.pin().generation == self._ground.generation

    def lock(self) -> None:
        """Nothing to lock: nobody else sees this."""

    def release(self) -> None:
        """Nothing to give back."""

    # ------------------------------------------------------------------ reading

    @contextmanager
    def pinned(self) -> Generator[Pinned]:
        """The generation underneath with what the overlay has instead."""
        with self._base.pinned() as below:
            yield self._over(below)

    def pin(self) -> Pinned:
        """The generation underneath with what the overlay has instead."""
        return self._over(self._base.pin())

    def _over(self, below: Pinned) -> Pinned:
        """`below` itself once it is another generation: then this overlay stands on nothing."""
        if below.generation != self._ground.generation:
            return below
        rows = {row.view: row for row in below.members if row.view not in self._gone}
        rows |= self._members
        kept = [
            part for part in below.parts if part.id in self._known and part.id not in self._dropped
        ]
        return replace(
            below,
            members=tuple(
                sorted(rows.values(), key=lambda row: (row.repository.name, row.view.ref))
            ),
            parts=(*kept, *self._parts.values()),
        )

    def membership(self, digest: str) -> Packed | Membership:
        """Rows of a view."""
        found = self._memberships.get(digest)
        return self._base.membership(digest) if found is None else found

    def buffer(self, part: PartRow) -> Buffer:
        """The bytes of a part."""
        found = self._data.get(part.file)
        return self._base.buffer(part) if found is None else found

    def owns(self, part: PartRow) -> bool:
        """Whether the overlay holds it."""
        return part.id in self._parts

    def find_blobs(self, fingerprint: str, keys: Sequence[BlobKey]) -> dict[BlobKey, int]:
        """Numbers of the stored blobs among `keys`."""
        found = ((key, self._blobs.get((fingerprint, key))) for key in keys)
        mine = {key: number for key, number in found if number is not None}
        rest = [key for key in keys if key not in mine]
        below = self._base.find_blobs(fingerprint, rest) if rest else {}
        return mine | {key: number for key, number in below.items() if number < self._limit}

    # ------------------------------------------------------------------ writing

    def given(self) -> Given:
        """All numbers that a part here has had: in one generation a number means one thing."""
        return self._given

    def next_part(self) -> int:
        """An unused part id."""
        return next(_IDS)

    def write_part(self, part: PartRow, data: bytes) -> None:
        """Keep the bytes of a part."""
        self._data[part.file] = data

    def add_part(self, part: PartRow, data: bytes, blobs: Sequence[tuple[BlobKey, int]]) -> None:
        """Keep a part."""
        self._parts[part.id] = part
        self._given = given([part], self._given)
        self._data[part.file] = data
        for key, number in blobs:
            self._blobs[part.fingerprint, key] = number

    def flip(self, change: Change) -> None:
        """Take a change over."""
        self._memberships |= change.memberships or {}
        for view in change.gone:
            self._members.pop(view, None)
            self._gone.add(view)
        for row in change.members:
            self._members[row.view] = row
        for part in change.dropped:
            if self._parts.pop(part.id, None) is None:
                self._dropped.add(part.id)
            else:
                del self._data[part.file]
        self._parts |= {part.id: part for part in change.added}
        gone = set(change.forgotten)
        if gone:
            self._blobs = {key: at for key, at in self._blobs.items() if at not in gone}
        used = {name for row in self._members.values() for name in (row.membership, row.base)}
        self._memberships = {
            name: self._memberships[name] for name in self._memberships if name in used
        }

    def tidy(self, *, wait: float = 0.0) -> bool:
        """Nothing of the past is kept."""
        return True

    def set_policy(self, policy: Policy | None) -> None:
        """A policy belongs to the home itself."""
        self._base.set_policy(policy)

    def drop_parts(self, parts: Sequence[PartRow], blobs: Iterable[int] = ()) -> None:
        """Damage is mended in the home itself."""
        raise AssertionError("an overlay is thrown away, not repaired")

    def compact(self) -> None:
        """Nothing to give back."""

    def size(self) -> int:
        """Bytes of the overlay's own parts."""
        return sum(map(len, self._data.values()))

    def touch(self, view: View) -> None:
        """Noted in the home itself."""
        self._base.touch(view)

    def last_used(self, view: View) -> float:
        """As the home itself has it."""
        return self._base.last_used(view)

    def check(self) -> list[tuple[str, bool, str, str]]:
        """Nothing of an overlay is on disk."""
        return []

    def set_aside_if_damaged(self) -> str:
        """Nothing of an overlay is on disk."""
        return ""

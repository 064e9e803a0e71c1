"""What follows from stored content and is kept so that it need not be made again.

A value is found by kind and key; its key names all that it was made from, so it is never out of
date. Losing one costs time, never an answer: what is damaged reads as absent.

    home/derived/<kind>-<key>     a digest of the rest, then the value
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from grainline.storage.base import Derived
from grainline.storage.recent import Recent

DIGEST = 16
_NAME = re.compile(r"([a-z]+)-([0-9a-f]{32,64})")
RECENT = 8
"""Values of a process without a right to write that are kept in memory whatever their size."""

RECENT_BYTES = 16 << 20
"""Bytes of such values that are kept: of many small views all."""


class MemoryDerived:
    """Values in memory.

    Args:
        below: where what is not here is looked for.
        most: values that are kept whatever their size, the last used ones; None for all.
    """

    def __init__(self, below: Derived | None = None, most: int | None = None) -> None:
        self._below = below
        bound = None if most is None else RECENT_BYTES
        self._values = Recent[tuple[str, str], bytes](most or 0, bound, len)

    def get(self, kind: str, key: str) -> bytes | None:
        """The value, None when it is not there."""
        found = self._values.get((kind, key))
        if found is None:
            return self._below.get(kind, key) if self._below is not None else None
        return found

    def has(self, kind: str, key: str) -> bool:
        """Whether there is such a value."""
        below = self._below
        return (kind, key) in self._values or (below is not None and below.has(kind, key))

    def put(self, kind: str, key: str, value: bytes) -> None:
        """Keep a value."""
        self._values.keep((kind, key), value)

    def keys(self, kind: str) -> frozenset[str]:
        """Keys of all values of a kind."""
        mine = frozenset(key for own, key in self._values if own == kind)
        return mine if self._below is None else mine | self._below.keys(kind)

    def keep(self, kind: str, keys: Collection[str]) -> None:
        """Forget the values of a kind whose key is not in `keys`."""
        for own, key in list(self._values):
            if own == kind and key not in keys:
                self._values.forget((own, key))

    def size(self) -> int:
        """Bytes of all values."""
        return self._values.held

    def damaged(self) -> tuple[str, ...]:
        """Nothing can be damaged."""
        return ()


class FolderDerived:
    """Values in a folder, one file each. Forgetting is for the writer of the home.

    A value is there whole or not at all, and under a key there is ever one value: so readers may add.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, kind: str, key: str) -> bytes | None:
        """The value, None when it is not there or damaged."""
        try:
            data = self._path(kind, key).read_bytes()
        except FileNotFoundError:
            return None
        return data[DIGEST:] if _is_sound(data) else None

    def has(self, kind: str, key: str) -> bool:
        """Whether there is such a value, whole or not."""
        return self._path(kind, key).exists()

    def put(self, kind: str, key: str, value: bytes) -> None:
        """Keep a value: durable, and under its name only when whole."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        path = self._path(kind, key)
        temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        try:
            with temporary.open("wb") as file:
                temporary.chmod(0o600)
                file.write(_digest(value))
                file.write(value)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise

    def keys(self, kind: str) -> frozenset[str]:
        """Keys of all values of a kind."""
        found = (_NAME.fullmatch(name) for name in self._names())
        return frozenset(each[2] for each in found if each is not None and each[1] == kind)

    def keep(self, kind: str, keys: Collection[str]) -> None:
        """Remove the values of a kind whose key is not in `keys`, and what a killed run left."""
        for name in self._names():
            found = _NAME.fullmatch(name)
            if found is None or (found[1] == kind and found[2] not in keys):
                (self._folder / name).unlink(missing_ok=True)

    def size(self) -> int:
        """Bytes of all values."""
        return sum((self._folder / name).stat().st_size for name in self._names())

    def damaged(self) -> tuple[str, ...]:
        """Names of the files that do not hold what was written."""
        names = sorted(name for name in self._names() if _NAME.fullmatch(name))
        return tuple(n for n in names if not _is_sound((self._folder / n).read_bytes()))

    def _path(self, kind: str, key: str) -> Path:
        name = f"{kind}-{key}"
        assert _NAME.fullmatch(name), "kinds are words, keys are digests"
        return self._folder / name

    def _names(self) -> list[str]:
        try:
            return [found.name for found in self._folder.iterdir()]
        except FileNotFoundError:
            return []


def _digest(value: bytes | memoryview) -> bytes:
    return hashlib.blake2b(value, digest_size=DIGEST).digest()


def _is_sound(data: bytes) -> bool:
    return len(data) >= DIGEST and _digest(memoryview(data)[DIGEST:]) == data[:DIGEST]

"""The version of what the analysis says: kept answers of another one are not used."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable


@cache
def flow_version() -> str:
    """A digest of the code and the rows of this room, so that no change of either can be forgotten."""
    digest = hashlib.blake2b(digest_size=16)
    for name, data in sorted(_files(resources.files("grainline.flow"), "")):
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def _files(folder: Traversable, under: str) -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        name = f"{under}/{each.name}"
        if each.is_file():
            yield name, each.read_bytes()
        elif each.is_dir() and each.name != "__pycache__":
            yield from _files(each, name)

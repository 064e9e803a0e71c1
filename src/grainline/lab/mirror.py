"""Clones given by the user: where one is, what a commit holds, and a copy with hidden doc comments."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from grainline.errors import BadInput, GrainlineError
from grainline.lab.datasets.base import Place
from grainline.model.snapshot import SourceEntry
from grainline.snapshots.repository import Repository, open_repository


@dataclass(frozen=True, kw_only=True)
class Checkout:
    """One repository at one commit, as strategies see it.

    `hidden` are doc comments that must not be seen; with any, `folder` is a plain copy without
    them, else it is the clone itself and `ref` names the commit.
    """

    repository: str
    commit: str
    clone: Path
    scratch: Path
    hidden: tuple[Place, ...] = ()

    @property
    def ref(self) -> str | None:
        """The commit to read from `folder`, or None for a plain folder."""
        return None if self.hidden else self.commit

    @cached_property
    def folder(self) -> Path:
        """What to index: the clone, or the copy with the doc comments blanked."""
        return self._copied() if self.hidden else self.clone

    def files(self) -> Iterator[tuple[SourceEntry, bytes]]:
        """Every readable file with its content, doc comments blanked, in path order."""
        hidden = _by_path(self.hidden)
        with open_repository(str(self.clone)) as repository:
            _, entries = repository.snapshot(self.commit)
            for entry, data, _ in repository.read(entries):
                if isinstance(data, bytes):
                    yield entry, blank(data, hidden.get(entry.path, ()))

    def _copied(self) -> Path:
        target = self.scratch / "blanked" / self.repository.replace("/", "+") / self.commit
        for entry, data in self.files():
            path = target / os.fsdecode(entry.path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return target


def blank(data: bytes, places: Iterable[Place]) -> bytes:
    """`data` with the given lines emptied; line numbers stay as they are."""
    lines = data.split(b"\n")
    for place in places:
        for number in range(place.lines.start, place.lines.end + 1):
            lines[number - 1] = b"\r" if lines[number - 1].endswith(b"\r") else b""
    return b"\n".join(lines)


def find_clone(mirror: Path, repository: str) -> Path:
    """The clone of `owner/name` below `mirror`.

    Raises:
        BadInput: there is none; the message lists the places that were tried.
    """
    joined = repository.replace("/", "+")
    tried = [f"{joined}/repo", joined, f"{joined}.git", repository, f"{repository}.git"]
    for name in tried:
        if (mirror / name).is_dir():
            return mirror / name
    raise BadInput(
        "no_clone",
        f"no clone of {repository!r} in {str(mirror)!r}",
        hint="tried " + ", ".join(tried),
    )


def has_commit(repository: Repository, commit: str) -> bool:
    """Whether a clone holds a commit (a shallow one may not)."""
    try:
        repository.snapshot(commit)
    except GrainlineError:
        return False
    return True


def _by_path(places: Sequence[Place]) -> Mapping[bytes, Sequence[Place]]:
    found: defaultdict[bytes, list[Place]] = defaultdict(list)
    for place in places:
        found[place.path].append(place)
    return found

"""Code that is asked about: where a clone is, what a commit holds, a copy with hidden doc comments."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from grainline.errors import BadInput, GrainlineError
from grainline.lab.questions import Place
from grainline.model.access import WORKTREE, Policy
from grainline.model.snapshot import SourceEntry
from grainline.snapshots.repository import Repository, open_repository


@dataclass(frozen=True, kw_only=True)
class Checkout:
    """One repository as strategies see it: at one commit, at several refs, or as a folder is.

    Attributes:
        repository: what it is called.
        commit: what questions are about; "" for the files of a folder as they are.
        clone: a repository, or a plain folder.
        scratch: where copies may be made.
        hidden: doc comments that must not be seen; with any, `folder` is a plain copy without them.
        refs: when questions name versions: every ref that is searched.
        policy: who may read what; None: everybody everything.
        trusted: our own files, which need no worker processes around their parser.
    """

    repository: str
    commit: str
    clone: Path
    scratch: Path
    hidden: tuple[Place, ...] = ()
    refs: tuple[str, ...] = ()
    policy: Policy | None = None
    trusted: bool = False

    @property
    def ref(self) -> str | None:
        """The commit to read from `folder`, or None for a plain folder."""
        return None if self.hidden or not self.commit else self.commit

    @property
    def views(self) -> tuple[str, ...]:
        """What to index of `folder`; empty: the files as they are."""
        return self.refs or ((self.ref,) if self.ref else ())

    @property
    def scip(self) -> Path:
        """Where a SCIP index of the commit belongs."""
        return self.clone.parent / f"{self.commit or 'worktree'}.scip"

    @cached_property
    def folder(self) -> Path:
        """What to index: the clone, or the copy with the doc comments blanked."""
        return self._copied() if self.hidden else self.clone

    @cached_property
    def key(self) -> str:
        """Digest of all that strategies can see: equal keys mean equal content."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(repr((self.repository, self.hidden, self.refs, self.policy)).encode())
        if self.scip.is_file():
            digest.update(self.scip.read_bytes())
        for ref in self.views or ("",):
            digest.update(ref.encode() + b"\0")
            for path, content in self._ids(ref or None):
                digest.update(path + b"\0" + content)
        return digest.hexdigest()

    def files(self, ref: str | None = None) -> Iterator[tuple[SourceEntry, bytes]]:
        """Every readable file (of a ref) with its content, doc comments blanked, in path order."""
        hidden = _by_path(self.hidden)
        with open_repository(str(self.clone)) as repository:
            _, entries = repository.snapshot(ref or self.commit or WORKTREE)
            for entry, data, _ in repository.read(entries):
                if isinstance(data, bytes):
                    yield entry, blank(data, hidden.get(entry.path, ()))

    def _ids(self, ref: str | None) -> Iterator[tuple[bytes, bytes]]:
        """The path and a digest of the content of every file."""
        with open_repository(str(self.clone)) as repository:
            _, entries = repository.snapshot(ref or self.commit or WORKTREE)
            if all(entry.raw_id or entry.skip for entry in entries):
                yield from ((entry.path, entry.raw_id or b"") for entry in entries)
                return
            for entry, data, _ in repository.read(entries):
                if isinstance(data, bytes):
                    yield entry.path, hashlib.blake2b(data, digest_size=16).digest()

    def _copied(self) -> Path:
        name = f"{self.commit or 'folder'}"
        target = self.scratch / "blanked" / self.repository.replace("/", "+") / name
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

"""A git repository written by hand: loose objects, refs and an index, without starting git.

A test that makes thousands of commits cannot pay for a process each. git reads what is written
here like anything else (`test_git_accepts_what_is_written_by_hand`).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

FILE, EXECUTABLE, LINK, TREE = 0o100644, 0o100755, 0o120000, 0o040000
WHO = b"Test <test@example.invalid> 1700000000 +0000"
_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = %s\n"


class Item(NamedTuple):
    """What stands at a path: content, or the target of a link."""

    mode: int
    data: bytes


Files = Mapping[str, Item]


class HandMade:
    """A repository at `top`: with a work tree, or bare."""

    def __init__(self, top: Path, *, bare: bool = False) -> None:
        self.top = top
        self.git = top if bare else top / ".git"
        (self.git / "objects").mkdir(parents=True)
        for name in ("refs/heads", "refs/tags", "objects/info", "objects/pack"):
            (self.git / name).mkdir(parents=True)
        (self.git / "config").write_bytes(_CONFIG % (b"true" if bare else b"false"))
        self.point("main")
        self._folders: set[str] = set()

    # ------------------------------------------------------------------ objects

    def put(self, kind: bytes, data: bytes) -> bytes:
        """Store one object; its binary id."""
        whole = b"%s %d\0" % (kind, len(data)) + data
        found = hashlib.sha1(whole)
        name = found.hexdigest()
        folder = self.git / "objects" / name[:2]
        if name[:2] not in self._folders:
            folder.mkdir(exist_ok=True)
            self._folders.add(name[:2])
        path = folder / name[2:]
        if not path.exists():
            path.write_bytes(zlib.compress(whole, 1))
        return found.digest()

    def tree(self, files: Files) -> bytes:
        """Store the tree of `files` with all below it."""
        rows: dict[str, tuple[int, bytes]] = {}
        folders: dict[str, dict[str, Item]] = {}
        for path, item in files.items():
            name, slash, rest = path.partition("/")
            if slash:
                folders.setdefault(name, {})[rest] = item
            else:
                rows[name] = (item.mode, self.put(b"blob", item.data))
        for name, below in folders.items():
            rows[name] = (TREE, self.tree(below))
        order = sorted(rows, key=lambda name: name + "/" * (rows[name][0] == TREE))
        return self.put(
            b"tree",
            b"".join(b"%o %s\0%s" % (rows[n][0], os.fsencode(n), rows[n][1]) for n in order),
        )

    def commit(self, files: Files, parents: Iterable[str] = (), message: str = "x") -> str:
        """Store a commit of `files`; its id in hex."""
        lines = [b"tree %s" % self.tree(files).hex().encode()]
        lines += [b"parent %s" % parent.encode() for parent in parents]
        lines += [b"author " + WHO, b"committer " + WHO, b"", message.encode(), b""]
        return self.put(b"commit", b"\n".join(lines)).hex()

    # ------------------------------------------------------------------ names

    def point(self, branch: str) -> None:
        """Let HEAD name a branch."""
        (self.git / "HEAD").write_text(f"ref: refs/heads/{branch}\n")

    def move(self, ref: str, commit: str | None) -> None:
        """Create or move a full ref name; None deletes it."""
        path = self.git / ref
        if commit is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(commit + "\n")

    def stage(self, files: Files) -> None:
        """Write the index: exactly `files` are tracked."""
        body = [b"DIRC" + (2).to_bytes(4, "big") + len(files).to_bytes(4, "big")]
        for path in sorted(files, key=os.fsencode):
            item, name = files[path], os.fsencode(path)
            head = b"blob %d\0" % len(item.data)
            row = bytes(24) + item.mode.to_bytes(4, "big") + bytes(12)
            row += hashlib.sha1(head + item.data).digest()
            row += min(len(name), 0xFFF).to_bytes(2, "big") + name
            body.append(row + b"\0" * (8 - len(row) % 8))
        packed = b"".join(body)
        (self.git / "index").write_bytes(packed + hashlib.sha1(packed).digest())


def write(top: Path, path: str, item: Item) -> Path:
    """Put a file or link on disk in place of whatever stands there or on the way."""
    place = top
    *folders, name = path.split("/")
    for folder in folders:
        place = place / folder
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            place.unlink()
        place.mkdir(exist_ok=True)
    place = place / name
    erase(place)
    if item.mode == LINK:
        place.symlink_to(os.fsdecode(item.data))
    else:
        place.write_bytes(item.data)
        place.chmod(0o755 if item.mode == EXECUTABLE else 0o644)
    return place


def erase(place: Path) -> None:
    """Remove a file, link or folder if it is there."""
    if place.is_symlink() or place.is_file():
        place.unlink()
    elif place.is_dir():
        shutil.rmtree(place)


def clashing(files: Iterable[str], path: str) -> list[str]:
    """Those of `files` that cannot stand beside `path`: it, what is below it, what it is below."""
    return [
        other
        for other in files
        if other == path or other.startswith(path + "/") or path.startswith(other + "/")
    ]

"""A git repository made of values: loose objects and refs, the same ids on every machine.

No git runs and no configuration is read, so nothing of the machine gets into a commit.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Files: TypeAlias = Mapping[bytes, bytes]
"""Path (with `/`) -> content; every file is a plain one, mode 100644."""

WHO = b"Grainline <grainline@example.invalid>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One commit to write. `parents` are ids; `seconds` since 1970, in UTC."""

    files: Files
    message: str
    seconds: int
    parents: tuple[str, ...] = ()


class Objects:
    """The objects of one repository, by id, until they are written."""

    def __init__(self) -> None:
        self._found: dict[str, bytes] = {}

    def commit(self, commit: Commit) -> str:
        """The id of a commit whose objects are kept here from now on."""
        lines = [b"tree " + self._tree(commit.files).encode()]
        lines += [b"parent " + parent.encode() for parent in commit.parents]
        stamp = b"%s %d +0000" % (WHO, commit.seconds)
        lines += [b"author " + stamp, b"committer " + stamp, b"", commit.message.encode(), b""]
        return self._add(b"commit", b"\n".join(lines))

    def write(self, folder: Path, refs: Mapping[str, str], head: str) -> None:
        """Write a bare repository; `refs` are full names, `head` is what HEAD points at."""
        for id_, packed in self._found.items():
            path = folder / "objects" / id_[:2] / id_[2:]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(packed)
        for name, id_ in refs.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(id_ + "\n", encoding="ascii")
        (folder / "refs").mkdir(exist_ok=True)
        (folder / "HEAD").write_text(f"ref: {head}\n", encoding="ascii")
        config = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
        (folder / "config").write_text(config, encoding="ascii")

    def _tree(self, files: Files) -> str:
        blobs = {path: data for path, data in files.items() if b"/" not in path}
        folders: dict[bytes, dict[bytes, bytes]] = {}
        for path, data in files.items():
            top, slash, rest = path.partition(b"/")
            if slash:
                folders.setdefault(top, {})[rest] = data
        rows = [(name, b"100644", self._add(b"blob", data)) for name, data in blobs.items()]
        rows += [(name, b"40000", self._tree(inside)) for name, inside in folders.items()]
        rows.sort(key=lambda row: row[0] + b"/" * (row[1] == b"40000"))  # the order of git
        body = b"".join(b"%s %s\0%s" % (mode, name, bytes.fromhex(id_)) for name, mode, id_ in rows)
        return self._add(b"tree", body)

    def _add(self, kind: bytes, body: bytes) -> str:
        whole = b"%s %d\0%s" % (kind, len(body), body)
        id_ = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        self._found[id_] = zlib.compress(whole)
        return id_

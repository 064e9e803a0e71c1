"""Listing a commit: our own walk over tree objects, which trusts no name in them.

Trees are fetched level by level and each distinct tree once. What they unfold to is counted before
it is unfolded, so a tree bomb costs as much as its few objects.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from grainline.errors import Refused
from grainline.model.position import quote_path
from grainline.model.snapshot import Reason
from grainline.snapshots.git import ID_BYTES, Algorithm, Git, GitObject

MAX_TREE = 64 << 20  # bytes of one tree object
MAX_COMMIT = 16 << 20
MAX_PATH_TEXT = 1 << 29  # bytes of all paths of one snapshot together

FOLDER = 0o040000
_ENDLESS = 1 << 62  # sums stop here: a chain of doublings must not grow numbers without bound


class TreeEntry(NamedTuple):
    """One line of a tree; in `Listing` its `name` is the whole path."""

    name: bytes
    mode: int
    id: bytes


class _Size(NamedTuple):
    """What a tree unfolds to: paths and folders, and the bytes of their paths below it."""

    paths: int
    text: int


_ENTRY = {
    n: re.compile(rb"([0-7]{1,7}) ([^\0]+)\0(.{%d})" % n, re.DOTALL) for n in ID_BYTES.values()
}
# `.`, `..`, `.git` and what some file systems take for it, and anything with a slash.
_UNSAFE = re.compile(rb"\.\.?|.*/.*|(?:\.git|git~1)[ .]*(?::.*)?", re.IGNORECASE | re.DOTALL)
# What any path with an unsafe component holds somewhere; few others do.
_SUSPECT = re.compile(
    rb"//|^/|/$|\xe2[\x80\x81]|\xef\xbb|(?:^|/)(?:\.\.?(?:/|$)|\.git(?![a-z])|git~1)",
    re.IGNORECASE,
)
# code points that HFS+ leaves out when it compares names
_INVISIBLE = re.compile(rb"\xe2\x80[\x8c-\x8f\xaa-\xae]|\xe2\x81[\xaa-\xaf]|\xef\xbb\xbf")


def is_unsafe_name(name: bytes) -> bool:
    """Whether a path component could mean another place to some file system."""
    return not name or _UNSAFE.fullmatch(_INVISIBLE.sub(b"", name)) is not None


def is_unsafe_path(path: bytes) -> bool:
    """Whether a component of a path is an unsafe name."""
    if path and _SUSPECT.search(path) is None:
        return False
    return any(is_unsafe_name(name) for name in path.split(b"/"))


def object_id(kind: str, data: bytes, algorithm: Algorithm) -> bytes:
    """The binary id that git gives an object."""
    head = b"%s %d\0" % (kind.encode("ascii"), len(data))
    if algorithm == "sha1":
        digest = hashlib.sha1(head, usedforsecurity=False)
    else:
        digest = hashlib.sha256(head)
    digest.update(data)
    return digest.digest()


def read_checked(git: Git, name: str, kind: str, *, limit: int, subject: str) -> bytes:
    """An object whose loss is fatal: a commit or a root tree.

    Raises:
        Refused: `missing_object`, `corrupt_object`.
    """
    result = git.read_one(name, limit=limit)
    return _checked(result, bytes.fromhex(name), kind, git.dialect.algorithm, subject)


def tree_of(git: Git, commit: str, subject: str) -> bytes:
    """The binary id of a commit's tree."""
    data = read_checked(git, commit, "commit", limit=MAX_COMMIT, subject=subject)
    found = re.match(rb"tree ([0-9a-f]{40}(?:[0-9a-f]{24})?)\n", data)
    if found is None or len(found[1]) != 2 * ID_BYTES[git.dialect.algorithm]:
        raise Refused("corrupt_object", "the commit names no tree", subject=subject)
    return bytes.fromhex(found[1].decode("ascii"))


def list_tree(
    git: Git, root: bytes, prefix: bytes, *, max_files: int, subject: str
) -> list[TreeEntry]:
    """Every path below `prefix` (b"" for all), sorted, paths seen from the root of the repository.

    Raises:
        Refused: `too_many_files`; `missing_object` or `corrupt_object` for a tree that is absent,
            malformed, or holds names that no work tree may hold.
        KeyError: there is no such folder.
    """
    base = descend(git, root, prefix, subject)
    trees = _fetch(git, base, max_files, subject)
    _refuse_bomb(trees, base, max_files, subject)
    return _unfold(trees, base, prefix + b"/" if prefix else b"")


def descend(git: Git, root: bytes, prefix: bytes, subject: str) -> bytes:
    """The tree of the folder `prefix` below `root`; b"" is the root.

    Raises:
        Refused: a tree on the way is absent or damaged.
        KeyError: there is no such folder.
    """
    here = root
    for name in prefix.split(b"/") if prefix else ():
        data = read_checked(git, here.hex(), "tree", limit=MAX_TREE, subject=subject)
        found = [e for e in _parse(data, git.dialect.algorithm, subject) if e.name == name]
        if not found or found[0].mode != FOLDER:
            raise KeyError(prefix)
        here = found[0].id
    return here


def read_trees(git: Git, ids: Sequence[bytes], subject: str) -> dict[bytes, list[TreeEntry]]:
    """The entries of some trees, by id.

    Raises:
        Refused: one of them is absent or damaged.
    """
    names = [raw.hex() for raw in ids]
    algorithm = git.dialect.algorithm
    with git.reading() as reader:
        results = reader.contents(names, limit=MAX_TREE)
        return {
            raw: _parse(_checked(result, raw, "tree", algorithm, subject), algorithm, subject)
            for raw, result in zip(ids, results, strict=True)
        }


def _fetch(git: Git, root: bytes, max_files: int, subject: str) -> dict[bytes, list[TreeEntry]]:
    trees: dict[bytes, list[TreeEntry]] = {}
    level = [root]
    with git.reading() as reader:
        while level:
            if len(trees) + len(level) > max_files + 1:
                raise _too_many(max_files, subject)
            below: dict[bytes, None] = {}
            names = [raw.hex() for raw in level]
            for raw, result in zip(level, reader.contents(names, limit=MAX_TREE), strict=True):
                data = _checked(result, raw, "tree", git.dialect.algorithm, subject)
                trees[raw] = entries = _parse(data, git.dialect.algorithm, subject)
                below.update((e.id, None) for e in entries if e.mode == FOLDER)
            level = [raw for raw in below if raw not in trees]
    return trees


def _checked(
    result: GitObject | Reason, raw: bytes, kind: str, algorithm: Algorithm, subject: str
) -> bytes:
    if isinstance(result, Reason):
        if result is Reason.TOO_LARGE:
            raise Refused("too_many_files", f"{kind} {raw.hex()} is too large", subject=subject)
        what = "is not in this repository" if result is Reason.MISSING_OBJECT else "is damaged"
        raise Refused(
            result.value,
            f"{kind} {raw.hex()} {what}",
            subject=subject,
            hint="fetch it again, or index another ref",
        )
    if result.kind != kind or object_id(kind, result.data, algorithm) != raw:
        raise Refused("corrupt_object", f"object {raw.hex()} is not that {kind}", subject=subject)
    return result.data


def _parse(data: bytes, algorithm: Algorithm, subject: str) -> list[TreeEntry]:
    if not data:
        return []
    size = ID_BYTES[algorithm]
    rows: list[tuple[bytes, bytes, bytes]] = _ENTRY[size].findall(data)
    modes, names, ids = zip(*rows, strict=True) if rows else ((), (), ())
    text = b"/".join(names)
    if sum(map(len, modes)) + len(text) + 1 + (size + 1) * len(rows) != len(data):
        raise _corrupt("it is cut or has an entry without a name", subject)
    if text.count(b"/") >= len(rows) or _SUSPECT.search(text):
        for name in names:
            if is_unsafe_name(name):
                raise _corrupt(f"an entry is named {quote_path(name)}", subject)
    entries = list(map(TreeEntry, names, map(_octal, modes), ids))
    keys = [name + b"/" if mode == FOLDER else name for name, mode, _ in entries]
    if len(set(names)) != len(names) or keys != sorted(keys):
        raise _corrupt("its entries are out of order or double", subject)
    return entries


@lru_cache(maxsize=64)
def _octal(mode: bytes) -> int:
    return int(mode, 8)


def _refuse_bomb(
    trees: dict[bytes, list[TreeEntry]], root: bytes, max_files: int, subject: str
) -> None:
    total = _measure(trees, root)
    if total.paths > max_files or total.text > MAX_PATH_TEXT:
        raise _too_many(max_files, subject)


def _measure(trees: dict[bytes, list[TreeEntry]], root: bytes) -> _Size:
    """Post-order over the distinct trees; hashes make cycles impossible."""
    sizes: dict[bytes, _Size] = {}
    stack = [root]
    while stack:
        if stack[-1] in sizes:
            stack.pop()
            continue
        entries = trees[stack[-1]]
        unknown = [e.id for e in entries if e.mode == FOLDER and e.id not in sizes]
        if unknown:
            stack.extend(unknown)
            continue
        sizes[stack.pop()] = _sum(entries, sizes)
    return sizes[root]


def _sum(entries: Sequence[TreeEntry], sizes: dict[bytes, _Size]) -> _Size:
    count = len(entries)
    text = sum(len(entry.name) for entry in entries)
    for entry in entries:
        if entry.mode == FOLDER:
            inner = sizes[entry.id]
            count += inner.paths
            text += inner.text + inner.paths * (len(entry.name) + 1)
    return _Size(min(count, _ENDLESS), min(text, _ENDLESS))


def _unfold(trees: dict[bytes, list[TreeEntry]], root: bytes, prefix: bytes) -> list[TreeEntry]:
    found: list[TreeEntry] = []
    stack = [(prefix, root)]
    while stack:
        folder, raw = stack.pop()
        for name, mode, child in trees[raw]:
            if mode == FOLDER:
                stack.append((folder + name + b"/", child))
            else:
                found.append(TreeEntry(folder + name, mode, child))
    found.sort()
    return found


def _corrupt(what: str, subject: str) -> Refused:
    return Refused(
        "corrupt_object",
        f"a tree of this commit is malformed: {what}",
        subject=subject,
        hint="git fsck names it; index another ref",
    )


def _too_many(max_files: int, subject: str) -> Refused:
    return Refused(
        "too_many_files",
        f"it holds more than {max_files} files and folders",
        subject=subject,
        hint="index a folder inside it, or raise the limit",
    )

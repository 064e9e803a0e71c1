"""What changed between two commits, by the ids of their trees: equal trees are not looked into."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from grainline.errors import Refused
from grainline.snapshots.flags import is_attributes
from grainline.snapshots.git import Git
from grainline.snapshots.trees import FOLDER, TreeEntry, descend, read_trees, tree_of

MODULES = b".gitmodules"


class Compared(NamedTuple):
    """Entries of a commit that another one lacks or has otherwise, with those asked for besides.

    `entries` and `gone` (paths that only the other one has) are sorted. `attributes` are the
    attribute files of all folders on the way to `entries`.
    """

    entries: tuple[TreeEntry, ...]
    gone: tuple[bytes, ...]
    attributes: tuple[TreeEntry, ...]


class _Pair(NamedTuple):
    """A folder in both commits, None where it is none; `folder` ends with a slash or is b""."""

    folder: bytes
    before: bytes | None
    after: bytes | None


def compare_trees(
    git: Git,
    base: str,
    commit: str,
    *,
    prefix: bytes,
    also: frozenset[bytes],
    max_files: int,
    subject: str,
) -> Compared | None:
    """How `commit` differs from `base` below `prefix`.

    None when a full listing must decide: a tree is not to be had, there is too much of it, or an
    attribute file or `.gitmodules` changed, which say something about other paths.
    """
    try:
        before = descend(git, tree_of(git, base, subject), prefix, subject)
        after = descend(git, tree_of(git, commit, subject), prefix, subject)
        found = _compare(git, _Pair(prefix + b"/" if prefix else b"", before, after), also,
                         max_files, subject)  # fmt: skip
    except (Refused, KeyError):
        return None
    if found is None or any(map(_decides, (*(entry.name for entry in found.entries), *found.gone))):
        return None
    return found


def _decides(path: bytes) -> bool:
    """Whether a file says something about other paths."""
    return is_attributes(path) or path == MODULES


def _compare(
    git: Git, root: _Pair, also: frozenset[bytes], max_files: int, subject: str
) -> Compared | None:
    wanted = _folders(also)
    entries: dict[bytes, TreeEntry] = {}
    attributes: list[TreeEntry] = []
    gone: list[bytes] = []
    level, seen = [root], 0
    while level:
        seen += len(level)
        if seen > max_files:
            return None
        names = dict.fromkeys(raw for pair in level for raw in pair[1:] if raw is not None)
        trees = read_trees(git, list(names), subject)
        below: list[_Pair] = []
        for pair in level:
            olds = _rows(trees, pair.before)
            news = _rows(trees, pair.after)
            for name in sorted(olds.keys() | news.keys()):
                path, old, new = pair.folder + name, olds.get(name), news.get(name)
                if new is not None and is_attributes(path) and new.mode != FOLDER:
                    attributes.append(TreeEntry(path, new.mode, new.id))
                before = old.id if old is not None and old.mode == FOLDER else None
                after = new.id if new is not None and new.mode == FOLDER else None
                if before != after or (after is not None and path in wanted):
                    below.append(_Pair(path + b"/", before, after))
                if new is not None and after is None and (old != new or path in also):
                    entries[path] = TreeEntry(path, new.mode, new.id)
                if old is not None and before is None and (new is None or after is not None):
                    gone.append(path)
        level = below
        if len(entries) + len(gone) > max_files:
            return None
    return Compared(
        tuple(entries[path] for path in sorted(entries)), tuple(sorted(gone)), tuple(attributes)
    )


def _rows(trees: dict[bytes, list[TreeEntry]], raw: bytes | None) -> dict[bytes, TreeEntry]:
    return {} if raw is None else {entry.name: entry for entry in trees[raw]}


def _folders(paths: Iterable[bytes]) -> frozenset[bytes]:
    """Every folder on the way to `paths`."""
    return frozenset(folder for path in paths for folder in _above(path))


def _above(path: bytes) -> Iterator[bytes]:
    while b"/" in path:
        path = path.rpartition(b"/")[0]
        yield path

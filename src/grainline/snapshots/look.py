# ruff: noqa: PTH120
# Paths are bytes in this file, which pathlib does not hold.
"""A look at some paths of a work tree: what a full listing would say of them, without listing all.

git is asked about new paths only, in one call for all of them: a file that was listed before stays
listed until the index or an ignore file changes, and then only a full listing can tell.
"""

from __future__ import annotations

import os
import stat
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from grainline.model.snapshot import Mode, Reason, SourceEntry
from grainline.snapshots.flags import is_attributes
from grainline.snapshots.git import GitError

if TYPE_CHECKING:
    from grainline.snapshots.worktree import Known, Listing, WorkTree

Seen: TypeAlias = dict[bytes, SourceEntry | None]
"""path -> its entry; None where the work tree has none (any more)."""

MAX_ASKED = 500
"""New paths of one call of git; for more of them a full listing is no dearer."""

MAX_ASKED_BYTES = 64 << 10  # of arguments: the smallest limit of a system is 128 KiB
MAX_REMEMBERED = 10_000  # ignored files that are not asked about again
IGNORE = b".gitignore"


@dataclass(slots=True)
class _Candidates:
    """Candidates by what stands there now."""

    gone: list[bytes] = field(default_factory=list[bytes])
    folders: list[bytes] = field(default_factory=list[bytes])
    listed: list[bytes] = field(default_factory=list[bytes])
    new: dict[bytes, int] = field(default_factory=dict[bytes, int])


def look(
    tree: WorkTree, paths: Collection[bytes], known: Known, listed: Sequence[bytes]
) -> Seen | None:
    """What a full listing would say now of `paths` and of everything at or below them.

    Args:
        tree: prepared by any earlier listing, or not at all: then ignored folders are asked about.
        paths: candidates: files or folders that may have come, gone or changed.
        known: see `WorkTree.entries`.
        listed: every path that the last listing had, sorted.

    Returns:
        Paths that the tree has, and those of `listed` or `paths` that it has not; None when only a
        full listing can tell: an ignore or attribute file changed, a repository came or went inside.
    """
    tree.confirm({above for path in paths for above in _above(path)})
    inside = _inside(tree, paths)
    if inside is None:
        return None
    found = _sort(tree, inside, known)
    if found is None:
        return None
    seen: Seen = {}
    for path in (*found.gone, *found.folders, *found.new):
        seen[path] = None
        seen.update(dict.fromkeys(_below(listed, path)))
    for path in found.listed:
        seen[path] = tree.entry(path, known)
    if (found.folders or found.new) and not _ask(tree, found, known, seen):
        return None
    return seen


def _inside(tree: WorkTree, paths: Iterable[bytes]) -> list[bytes] | None:
    """The candidates that a listing may have; None when one of them bears on all others."""
    found: list[bytes] = []
    for path in sorted(set(paths)):
        names = path.split(b"/")
        if names[0] == b".git" or _is_below(path, tree.borders.ignored, own=False):
            continue
        if path == tree.prefix or b".git" in names or names[-1] == IGNORE or is_attributes(path):
            return None
        if path in tree.borders.nested or path in tree.borders.submodules:
            return None
        if tree.prefix and not path.startswith(tree.prefix + b"/"):
            continue
        within = _is_below(path, tree.borders.nested) or _is_below(path, tree.borders.submodules)
        if not within and not {b"", b".", b".."} & set(names):
            found.append(path)
    return found


def _sort(tree: WorkTree, paths: Sequence[bytes], known: Known) -> _Candidates | None:
    found = _Candidates()
    for path in paths:
        try:
            state = tree.state(path)
        except PermissionError:
            return None
        if state is None:
            found.gone.append(path)
        elif stat.S_ISDIR(state.st_mode):
            if path not in tree.borders.ignored:
                found.folders.append(path)
        elif path in known:
            found.listed.append(path)
        elif path not in tree.unlisted or _is_odd(state.st_mode):
            found.new[path] = state.st_mode
    return found


def _ask(tree: WorkTree, found: _Candidates, known: Known, seen: Seen) -> bool:
    """Let git sort out folders and new paths; False when it takes a full listing."""
    folders = set(found.folders)
    where = [
        path for path in (*found.folders, *found.new) if not _is_below(path, folders, own=False)
    ]
    if len(where) > MAX_ASKED or sum(map(len, where)) > MAX_ASKED_BYTES:
        return False
    if tree.folds_names:  # the tracked spelling of a name may be another one
        return False
    try:
        tree.prepare()
        listing = tree.listing(where, folders=bool(folders))
    except GitError:
        return False
    repositories = listing.nested | listing.submodules
    if any(_is_below(path, repositories) for path in where):
        return False
    tree.remember(listing)
    starts = [path for path in where if path in folders and _is_open(path, listing)]
    seen.update((entry.path, entry) for entry in tree.walk(listing, known, starts))
    seen.update(_new(tree, found.new, listing, known))
    return True


def _is_open(folder: bytes, listing: Listing) -> bool:
    """Whether anything below `folder` can be listed."""
    start = folder + b"/"
    return not _is_below(folder, listing.ignored) or any(
        path.startswith(start) for path in listing.files
    )


def _new(
    tree: WorkTree, new: dict[bytes, int], listing: Listing, known: Known
) -> Iterator[tuple[bytes, SourceEntry | None]]:
    odd: list[SourceEntry] = []
    for path, mode in new.items():
        if path in listing.files:
            yield path, tree.entry(path, known)
        elif _is_odd(mode):
            odd.append(
                SourceEntry(
                    path=path,
                    mode=Mode.SPECIAL,
                    raw_id=None,
                    size=-1,
                    skip=Reason.NOT_REGULAR_FILE,
                    detail="not a file",
                )
            )
        elif len(tree.unlisted) < MAX_REMEMBERED:
            tree.unlisted.add(path)
    yield from ((entry.path, entry) for entry in tree.outside_ignored(odd))


def _is_odd(mode: int) -> bool:
    return not (stat.S_ISREG(mode) or stat.S_ISLNK(mode))


def _is_below(path: bytes, folders: Collection[bytes], *, own: bool = True) -> bool:
    """Whether `path` is (with `own`) or lies below one of `folders`."""
    return bool(folders) and any(above in folders for above in _above(path) if own or above != path)


def _above(path: bytes) -> Iterator[bytes]:
    """A path and the folders above it."""
    while path:
        yield path
        path = os.path.dirname(path)


def _below(listed: Sequence[bytes], folder: bytes) -> Sequence[bytes]:
    """The paths below a folder: neighbours in order."""
    start = folder + b"/"
    inside = range(bisect_left(listed, start), bisect_left(listed, folder + b"0"))
    return [listed[at] for at in inside]

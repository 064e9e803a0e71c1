# ruff: noqa: PTH116, PTH118, PTH120, PTH123
# Paths are bytes in this file, which pathlib does not hold.
"""What bears on a whole work tree, beside the files in it: its folder, HEAD, the index, ignore files."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NamedTuple, TypeAlias

from grainline.snapshots.layout import Layout

Mark: TypeAlias = tuple[int, ...] | None
"""What tells two states of a file apart; None: it is not there."""

MAX_HEAD = 1024  # bytes of HEAD that are read


class Controls(NamedTuple):
    """The state of everything that bears on all of a tree.

    `place` changes when another folder or repository took its place, `rules` with the ignore files
    outside of it, `history` with HEAD, its branch and the index.
    """

    place: tuple[Mark, ...]
    rules: tuple[Mark, ...]
    history: tuple[object, ...]


def controls(layout: Layout, excludes: str | None) -> Controls:
    """The state now.

    Args:
        layout: of the tree.
        excludes: the user's own ignore file.
    """
    rules = [_mark(os.fsencode(excludes))] if excludes is not None else []
    above: bytes = layout.prefix
    while above:
        above = os.path.dirname(above)
        rules.append(_mark(os.path.join(layout.top, above, b".gitignore")))
    gitdir, common = layout.gitdir, layout.common
    if gitdir is None or common is None:
        return Controls((_place(layout.top),), tuple(rules), ())
    rules.append(_mark(os.path.join(common, b"info/exclude")))
    head = _head(gitdir)
    history = (
        head,
        _mark(os.path.join(gitdir, b"index")),
        _mark(os.path.join(common, b"packed-refs")),
        _mark(os.path.join(common, head.removeprefix(b"ref: "))) if head[:5] == b"ref: " else None,
    )
    return Controls((_place(layout.top), _place(gitdir)), tuple(rules), history)


def is_git_at_work(layout: Layout) -> bool:
    """Whether git is changing the work tree right now: it holds the lock of the index meanwhile."""
    gitdir = layout.gitdir
    return gitdir is not None and os.path.lexists(os.path.join(gitdir, b"index.lock"))


def _head(gitdir: bytes) -> bytes:
    with suppress(OSError), open(os.path.join(gitdir, b"HEAD"), "rb") as file:
        return file.read(MAX_HEAD).strip()
    return b""


def _mark(path: bytes) -> Mark:
    with suppress(OSError, ValueError):
        found = os.lstat(path)
        return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino
    return None


def _place(path: bytes) -> Mark:
    with suppress(OSError):
        found = os.stat(path)
        return found.st_dev, found.st_ino
    return None

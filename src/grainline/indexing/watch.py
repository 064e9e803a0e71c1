# ruff: noqa: PTH118, PTH120
# Paths are bytes or the strings of the notifier in this file, which pathlib would only slow down.
"""Which paths of some work trees may have changed, as the file system tells it.

On Linux each folder that is not ignored is watched by itself: a recursive watch follows symbolic links,
so that a repository could have all of the disk watched, and it watches what is ignored. Elsewhere one
recursive watch per tree costs nothing and follows no link.

**Invariants**: a new folder is watched before it is reported, so what comes into it is either seen by
the look that the report leads to, or reported. A notifier that is replaced is read on for a while: it has
what happened before its successor watched. What cannot be told in paths is reported as None: look at
everything. A tree that cannot be watched is named in `polled`.
"""

from __future__ import annotations

import os
import stat
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias

from grainline.errors import GrainlineError
from grainline.model.access import View
from grainline.snapshots.layout import Layout
from grainline.snapshots.look import IGNORE
from grainline.snapshots.options import ReadOptions
from grainline.snapshots.repository import Repository, open_repository

STEP_MS = 5
"""Quiet time after which changes are reported, and how long a change waits to be noticed.

A step costs about 35 µs of CPU, so trees that rest are looked at half as often."""

RESTING_STEP_MS = 10
RESTING = 60.0  # seconds without a change

CAP_MS = 60  # a tree that never rests is reported this often
IDLE_MS = 500  # a wait without changes; then commands of the owner are looked at
EXTRA_MS = 20  # the same while new folders have notifiers of their own
EXTRAS = 3  # notifiers of new folders; then one for all is made
SETTLED = 2.0  # seconds without a new folder after which one for all is made
LINGER = 1.0  # seconds that a replaced notifier is read on
MANY = 2000  # changed paths of one tree for which looking at everything is no dearer
TRIES = 20  # at making a notifier
SHARE = 0.5  # of the watches that the system gives this user
DEFAULT_WATCHES = 8192  # of old kernels
RECURSIVE = sys.platform != "linux"

ADDED = 1  # `watchfiles.Change`

Changed: TypeAlias = Callable[[View, Collection[bytes] | None], None]
"""Told of candidates in a tree; None for anything, nothing for its git folder. From the watcher's thread."""


class Notifier(Protocol):
    """`watchfiles._rust_notify.RustNotify`."""

    def watch(
        self, debounce_ms: int, step_ms: int, timeout_ms: int, stop_event: threading.Event | None
    ) -> set[tuple[int, str]] | str:
        """Changes, or a word that tells why there are none."""
        ...

    def close(self) -> None:
        """End."""
        ...


MakeNotifier: TypeAlias = Callable[[Sequence[str], bool], Notifier]


def rust_notifier(folders: Sequence[str], recursive: bool) -> Notifier:
    """The file system's own notifier.

    Raises:
        OSError: a folder is not there, or the system gives no more watches.
    """
    from watchfiles._rust_notify import RustNotify

    # The last argument would pass over every error, lack of watches too, not only over permissions.
    return RustNotify(list(folders), False, False, 300, recursive, False)


@dataclass(slots=True)
class _Tree:
    """A followed work tree."""

    view: View
    repository: Repository
    layout: Layout
    folders: set[str] = field(default_factory=set[str])

    @property
    def start(self) -> str:
        """Its folder on disk."""
        layout = self.layout
        return os.fsdecode(os.path.join(layout.top, layout.prefix) if layout.prefix else layout.top)

    def name(self, path: bytes) -> str:
        """A path of the tree as the notifier spells it."""
        return os.fsdecode(os.path.join(self.layout.top, path) if path else self.layout.top)


class Watcher:
    """Follows work trees on a thread of its own until closed.

    Args:
        changed: told what may have changed.
        read: what to read of each repository.
        make: makes notifiers.
    """

    def __init__(
        self,
        changed: Changed,
        read: ReadOptions | None = None,
        make: MakeNotifier = rust_notifier,
    ) -> None:
        self._changed = changed
        self._read = read or ReadOptions()
        self._make = make
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._wanted: dict[View, str] | None = None
        self._again: set[View] = set()
        self._trees: dict[View, _Tree] = {}
        self._owners: dict[str, _Tree] = {}
        self._main: Notifier | None = None
        self._extras: list[Notifier] = []
        self._replaced: list[Notifier] = []
        self._replaced_at = 0.0
        self._grown = 0.0
        self._busy = 0.0
        self._layouts: dict[View, Layout] = {}
        self.polled: dict[View, str] = {}
        self._thread = threading.Thread(target=self._run, name="grainline-watch", daemon=True)
        self._thread.start()

    # ------------------------------------------------------------------ asked by the owner

    def follow(self, roots: Mapping[View, str]) -> None:
        """Follow these work trees and no others; each is reported as a whole once it is watched."""
        with self._lock:
            self._wanted = dict(roots)

    def relist(self, view: View) -> None:
        """The folders of a tree may be others: ignore rules changed, or the tree was replaced."""
        with self._lock:
            self._again.add(view)

    def layout(self, view: View) -> Layout | None:
        """Where the parts of a tree lie, once it is watched or looked at now and then."""
        return self._layouts.get(view)

    @property
    def alive(self) -> bool:
        """Whether it follows anything: after a defect nothing is reported any more."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Stop."""
        self._stop.set()
        self._thread.join(5.0)

    # ------------------------------------------------------------------ the thread

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                self._take_orders()
                if self._main is None:
                    self._close_replaced()
                    self._stop.wait(IDLE_MS / 1000)
                else:
                    self._wait(self._main)
        finally:
            self._close_notifiers()
            for tree in self._trees.values():
                tree.repository.close()

    def _take_orders(self) -> None:
        with self._lock:
            wanted, self._wanted = self._wanted, None
            again, self._again = self._again, set()
        if wanted is not None:
            for view in [view for view in self._trees if view not in wanted]:
                self._trees.pop(view).repository.close()
            self.polled = {view: why for view, why in self.polled.items() if view in wanted}
            again |= {view for view in wanted if view not in self._trees}
            for view in again:
                if view in wanted:
                    self._open(view, wanted[view])
        for view in again & self._trees.keys():
            self._list(self._trees[view])
        merge = self._extras and time.monotonic() - self._grown > SETTLED
        if wanted is not None or again or merge or len(self._extras) > EXTRAS:
            self._rebuild()
        if wanted is not None or again:
            self._layouts = {view: tree.layout for view, tree in self._trees.items()}
        for view in again:
            self._changed(view, None)

    def _open(self, view: View, root: str) -> None:
        try:
            repository = open_repository(root, self._read)
        except GrainlineError as failure:
            self.polled[view] = failure.message
            return
        self._trees[view] = _Tree(view, repository, repository.layout)

    def _list(self, tree: _Tree) -> None:
        """The folders to watch, from the disk."""
        self.polled.pop(tree.view, None)
        try:
            below = [b""] if RECURSIVE else list(tree.repository.folders())
        except GrainlineError as failure:
            self.polled[tree.view] = failure.message
            below = []
        tree.folders = {tree.start} if RECURSIVE else self._names(tree, below)
        for folder in (tree.layout.gitdir, tree.layout.common):
            if folder is not None and below:
                tree.folders.add(os.fsdecode(folder))

    def _names(self, tree: _Tree, folders: Iterable[bytes]) -> set[str]:
        """Folders as the notifier takes them; a name that is not UTF-8 it takes not."""
        names = {tree.name(folder) for folder in folders}
        spelled = {name for name in names if _is_utf8(name)}
        if spelled != names:
            self.polled[tree.view] = "the name of a folder is not UTF-8"
        return spelled

    # ------------------------------------------------------------------ notifiers

    def _rebuild(self) -> None:
        """One notifier for everything; the earlier ones are read on for `LINGER` when it works."""
        earlier = [*self._extras, *([self._main] if self._main is not None else [])]
        before = self._told(self._replaced)  # two generations at most: watches are scarce
        self._close_replaced()
        budget = watches() if not RECURSIVE else sys.maxsize
        self._owners, folders = {}, list[str]()
        for tree in sorted(self._trees.values(), key=lambda each: len(each.folders)):
            tree.folders = {name for name in tree.folders if Path(name).is_dir()}
            if len(folders) + len(tree.folders) > budget:
                self._poll(
                    tree, f"it has {len(tree.folders)} folders; the limit of watches is near"
                )
                continue
            folders += sorted(tree.folders)
            self._owners |= dict.fromkeys(tree.folders, tree)
        self._main = self._try(folders)
        self._extras = []
        self._replaced, self._replaced_at = earlier, time.monotonic()
        if before:
            self._report(before)

    def _try(self, folders: Sequence[str]) -> Notifier | None:
        """A notifier for these folders, or for those trees of them that the system can watch."""
        for _ in range(TRIES):
            try:
                return self._make(folders, RECURSIVE) if folders else None
            except FileNotFoundError:  # gone meanwhile: its parent will say so
                folders = [name for name in folders if Path(name).is_dir()]
            except PermissionError:  # closed meanwhile: a look at everything says so
                folders = [name for name in folders if os.access(name, os.R_OK | os.X_OK)]
            except OSError as failure:
                why = str(failure).partition(" about ")[0]  # what follows is for programmers
                self._poll(max(self._trees.values(), key=lambda tree: len(tree.folders)), why)
                folders = [name for name in folders if name in self._owners]
        for tree in self._trees.values():
            self._poll(tree, "its folders come and go too fast")
        return None

    def _poll(self, tree: _Tree, why: str) -> None:
        self.polled[tree.view] = why
        tree.folders = set()
        self._owners = {name: each for name, each in self._owners.items() if each is not tree}

    def _close_replaced(self) -> None:
        for notifier in self._replaced:
            notifier.close()
        self._replaced = []

    def _close_notifiers(self) -> None:
        self._close_replaced()
        for notifier in (*self._extras, *([self._main] if self._main is not None else [])):
            notifier.close()
        self._main, self._extras = None, []

    # ------------------------------------------------------------------ changes

    def _wait(self, main: Notifier) -> None:
        idle = EXTRA_MS if self._extras or self._replaced else IDLE_MS
        resting = time.monotonic() - self._busy > RESTING
        found = self._changes(main, RESTING_STEP_MS if resting else STEP_MS, idle)
        found |= self._told([*self._extras, *self._replaced])
        if time.monotonic() - self._replaced_at > LINGER:
            self._close_replaced()
        if found:
            self._busy = time.monotonic()
            self._report(found)

    def _told(self, notifiers: Iterable[Notifier]) -> set[tuple[int, str]]:
        """What they have to tell by now."""
        found = set[tuple[int, str]]()
        for notifier in notifiers:
            found |= self._changes(notifier, 1, 1)
        return found

    def _changes(self, notifier: Notifier, step: int, timeout: int) -> set[tuple[int, str]]:
        from watchfiles._rust_notify import WatchfilesRustInternalError

        try:
            found = notifier.watch(CAP_MS, step, timeout, self._stop)
        except WatchfilesRustInternalError as failure:
            self._lost(str(failure))
            return set()
        return set() if isinstance(found, str) else found

    def _lost(self, why: str) -> None:
        """The notifier could not tell something: of a name it cannot spell, or for lack of watches."""
        if "limit" in why and self._trees:
            self._poll(max(self._trees.values(), key=lambda tree: len(tree.folders)), why)
        with self._lock:
            self._again |= {view for view in self._trees if view not in self.polled}
        for view in self._trees:
            self._changed(view, None)

    def _report(self, changes: set[tuple[int, str]]) -> None:
        candidates: dict[View, set[bytes] | None] = {}
        fresh: dict[View, set[bytes]] = {}
        for kind, name in changes:
            tree, path = self._place(name)
            if tree is None:
                continue
            mine = candidates.setdefault(tree.view, set())
            if path is None:  # of its git folder: the owner looks at what matters there
                continue
            if path == tree.layout.prefix:
                candidates[tree.view] = None
            elif mine is not None:
                mine.add(path)
            if path.rpartition(b"/")[2] == IGNORE:
                self.relist(tree.view)
            elif kind == ADDED and not RECURSIVE and _is_folder(name):
                fresh.setdefault(tree.view, set()).add(path)
        for view, folders in fresh.items():
            self._grow(self._trees[view], folders)
        for view, paths in candidates.items():
            self._changed(view, None if paths is None or len(paths) > MANY else frozenset(paths))

    def _place(self, name: str) -> tuple[_Tree | None, bytes | None]:
        """The tree that a changed file or folder is of, and its path; None in a git folder."""
        folder = os.path.dirname(name)
        tree = self._owners.get(folder) or self._owners.get(name)
        while tree is None and RECURSIVE and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
            tree = self._owners.get(folder)
        if tree is None:
            return None, None
        raw, top = os.fsencode(name), tree.layout.top
        for place in (tree.layout.gitdir, tree.layout.common):
            if place is not None and (raw == place or raw.startswith(place + b"/")):
                return tree, None
        if raw == top:
            return tree, tree.layout.prefix
        return tree, raw[len(top.rstrip(b"/")) + 1 :]

    def _grow(self, tree: _Tree, folders: set[bytes]) -> None:
        """Watch new folders; again, until none came while the watch was being set up."""
        watched: set[bytes] = set()
        for _ in range(5):
            try:
                below = set(tree.repository.folders(_topmost(folders))) - watched
            except GrainlineError:
                self.relist(tree.view)
                return
            names = self._names(tree, below)
            if not names:
                return
            try:
                self._extras.append(self._make(sorted(names), False))
            except OSError:  # gone already, or no watch is left: listing all tells
                self.relist(tree.view)
                return
            tree.folders |= names
            self._owners |= dict.fromkeys(names, tree)
            watched |= below
            self._grown = time.monotonic()
        self.relist(tree.view)


def watches() -> int:
    """How many folders may be watched at a time, leaving some for other programs of this user."""
    try:
        text = Path("/proc/sys/fs/inotify/max_user_watches").read_text(encoding="ascii")
        return int(int(text) * SHARE)
    except (OSError, ValueError):
        return int(DEFAULT_WATCHES * SHARE)


def _topmost(folders: Iterable[bytes]) -> list[bytes]:
    """Those of `folders` that are not below another of them."""
    kept: set[bytes] = set()
    for folder in sorted(folders):
        above = folder
        while above and above not in kept:
            above = os.path.dirname(above)
        if not above:
            kept.add(folder)
    return sorted(kept)


def _is_folder(name: str) -> bool:
    with suppress(OSError, ValueError):
        return stat.S_ISDIR(os.lstat(name).st_mode)
    return False


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True

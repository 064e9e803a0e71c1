# ruff: noqa: PTH107, PTH118, PTH120, PTH123, PTH208
# Paths are bytes in this file, which pathlib does not hold.
"""The work tree as it is on disk, or a plain folder.

git decides which paths belong (`ls-files -co --exclude-standard`, run on a private copy of the
index); everything else is done here: folders and files are opened one component at a time without
following links, only regular files are read, hashes are our own. Nothing is taken from the index but
paths, for what it says about content may be wrong, or meant for a filter.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from types import TracebackType
from typing import TypeAlias

from grainline.errors import BadInput, Refused, ResourceExhausted
from grainline.model.position import quote_path
from grainline.model.snapshot import Mode, Reason, SourceEntry
from grainline.snapshots.flags import MAX_ATTRIBUTES, Attributes, is_attributes
from grainline.snapshots.git import Git, GitError
from grainline.snapshots.layout import MAX_CONFIG, Layout, read_small
from grainline.snapshots.options import ReadOptions
from grainline.snapshots.trees import is_unsafe_path, object_id

Signature: TypeAlias = tuple[int, ...]
"""`(mtime_ns, ctime_ns, size, inode, device, mode)`; equal signatures mean equal content."""

Known: TypeAlias = Mapping[bytes, tuple[Signature, bytes]]
"""path -> (signature, raw id) of an earlier reading."""

MAX_INDEX = 1 << 31
RACY_NS = 2_000_000_000  # the coarsest clock of a file system still in use (FAT)
KEPT_OPEN = 100  # folder handles along one path; 256 files may be open on macOS
TRIES = 3  # readings of a file that changes meanwhile
LISTED_PATH = 120  # bytes of `ls-files` output allowed per path, beyond a first 64 MiB

_TOP = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Folders:
    """Handles of the folders below one root, opened component by component, links refused."""

    def __init__(self, top: bytes) -> None:
        self._path = top
        self._top = os.open(top, _TOP)
        self._names: list[bytes] = []
        self._fds: list[int] = []
        self._deep: tuple[list[bytes], int] | None = None

    def __enter__(self) -> Folders:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close_deep()
        self._shorten(0)
        os.close(self._top)

    def refresh(self) -> None:
        """Close every handle: a path may lead to another folder by now.

        Raises:
            OSError: the root is gone.
        """
        top = os.open(self._path, _TOP)
        self._close_deep()
        self._shorten(0)
        os.close(self._top)
        self._top = top

    def open(self, folder: bytes) -> int:
        """The handle of a folder (b"" is the root); ours to close, valid until the next call.

        Raises:
            OSError: it is not there, is not a folder, or a link stands on the way.
        """
        names = folder.split(b"/") if folder else []
        if self._deep is not None and names[: len(self._deep[0])] == self._deep[0]:
            return self._open_deep(*self._deep, names)
        self._close_deep()
        self._shorten(_common(self._names, names))
        here = self._fds[-1] if self._fds else self._top
        for name in names[len(self._names) : KEPT_OPEN]:
            here = _open(name, _FOLDER, here)
            self._fds.append(here)
            self._names.append(name)
        if len(names) > KEPT_OPEN:
            return self._open_deep(self._names, here, names)
        return here

    def _open_deep(self, base: list[bytes], here: int, names: list[bytes]) -> int:
        """Go on from an open folder, keeping only the last handle."""
        for name in names[len(base) :]:
            fd = _open(name, _FOLDER, here)
            self._close_deep()
            here = fd
            self._deep = ([], fd)
        if self._deep is not None:
            self._deep = (names, here)
        return here

    def _shorten(self, length: int) -> None:
        while len(self._fds) > length:
            os.close(self._fds.pop())
            self._names.pop()

    def _close_deep(self) -> None:
        if self._deep is not None:
            os.close(self._deep[1])
            self._deep = None


@dataclass(slots=True)
class Listing:
    """What git says belongs to the work tree."""

    files: set[bytes] = field(default_factory=set[bytes])
    tracked: set[bytes] = field(default_factory=set[bytes])
    submodules: set[bytes] = field(default_factory=set[bytes])
    nested: set[bytes] = field(default_factory=set[bytes])
    ignored: set[bytes] = field(default_factory=set[bytes])


class WorkTree:
    """Reader of one work tree.

    Args:
        layout: where it is.
        git: runs on the private `GIT_DIR`.
        options: limits and the user's ignore file.
    """

    def __init__(self, layout: Layout, git: Git, options: ReadOptions) -> None:
        self._layout = layout
        self._git = git
        self._options = options
        self._folders = Folders(layout.top)
        self._excludes: tuple[int, bytes, bytes | None] | None = None
        self._index_state: tuple[object, ...] | None = None
        self.borders = Listing()
        self.unlisted: set[bytes] = set()
        self._confirmed: set[bytes] = set()

    def close(self) -> None:
        """Close the handles."""
        self._folders.__exit__(None, None, None)

    # ----------------------------------------------------------------------- listing

    def entries(self, known: Known, head_tree: str | None) -> list[SourceEntry]:
        """Every path, sorted, without flags.

        Args:
            known: what an earlier reading knew; unchanged files keep their id unread.
            head_tree: the tree whose paths count as tracked when the index is damaged.

        Raises:
            Refused: `too_many_files`.
        """
        self.refresh()
        listing = self._full_listing(head_tree)
        found = {entry.path: entry for entry in self.walk(listing, known, (self._layout.prefix,))}
        if self.folds_names:
            for path in listing.tracked - listing.submodules - found.keys():
                if (entry := self.entry(path, known)) is not None:
                    found[path] = entry
        if len(found) > self._options.max_files:
            raise _too_many(self._options.max_files)
        return [found[path] for path in sorted(found)]

    def refresh(self) -> None:
        """See folders that took the place of others: handles of earlier readings are closed.

        Raises:
            BadInput: `not_found`, the work tree is gone.
        """
        try:
            self._folders.refresh()
        except OSError:
            raise BadInput(
                "not_found",
                "the work tree is gone",
                subject=quote_path(self._layout.top),
                hint="index it where it is now, or run: grainline rm NAME",
            ) from None

    def _full_listing(self, head_tree: str | None) -> Listing:
        where = (self._layout.prefix,) if self._layout.prefix else ()
        self.prepare()
        try:
            listing = self.listing(where)
        except GitError:
            self._replace_index(head_tree)
            listing = self.listing(where)
        self.borders = Listing()
        self.unlisted.clear()
        self._confirmed.clear()
        self.remember(listing)
        return listing

    def remember(self, listing: Listing) -> None:
        """Note where no path can be listed until an ignore file or the index changes."""
        self.borders.submodules |= listing.submodules
        self.borders.nested |= listing.nested
        self.borders.ignored |= listing.ignored - _ancestors(listing.tracked)

    def confirm(self, folders: Iterable[bytes]) -> None:
        """Drop those of `folders` from the borders that no rule matches.

        Versions of git differ in how they list a folder of ignored files only; a new file in it may
        be listed all the same.
        """
        doubtful = (self.borders.ignored & set(folders)) - self._confirmed
        if doubtful:
            ignored = self._matched(doubtful)
            self._confirmed |= ignored
            self.borders.ignored -= doubtful - ignored

    def listing(self, where: Sequence[bytes], *, folders: bool = True) -> Listing:
        """What git lists at and below some paths, once prepared; everything without them.

        Args:
            where: paths, taken literally.
            folders: whether to list the ignored folders too.

        Raises:
            GitError: git cannot read the index.
            Refused: `too_many_files`.
        """
        output = self._ls_files("-t", "-s", "-c", "-o", where=where)
        listing = Listing()
        for record in output.split(b"\0")[:-1]:
            _sort_in(listing, record)
        if len(listing.files) > self._options.max_files:
            raise _too_many(self._options.max_files)
        ignored = self._ls_files("-o", "-i", "--directory", where=where) if folders else b""
        listing.ignored.update(_ignored_folders(ignored.split(b"\0")))
        return listing

    def _ls_files(self, *what: str, where: Sequence[bytes]) -> bytes:
        return self._git.run(
            ("ls-files", *what, "--exclude-standard", "-z", "--", *where),
            cwd=self._layout.top,
            work_tree=self._layout.top,
            on_silence=self._refuse_pipes,
            max_bytes=(64 << 20) + self._options.max_files * LISTED_PATH,
        )

    def _refuse_pipes(self) -> None:
        """A pipe called `.gitignore` keeps git waiting for ever: find it and say so."""
        pending = [b""]
        left = 4 * self._options.max_files
        while pending and left > 0:
            folder = pending.pop()
            with suppress(OSError):
                for name, child in _children(self._folders.open(folder)):
                    left -= 1
                    path = folder + b"/" + name if folder else name
                    if child.is_dir(follow_symlinks=False):
                        pending.append(path)
                    elif name == b".gitignore" and not (child.is_symlink() or child.is_file()):
                        raise Refused(
                            "not_regular_file",
                            "a .gitignore that is not a file stops git",
                            subject=quote_path(self._layout.top),
                            path=quote_path(path),
                            hint=f"remove {quote_path(path)} and run again",
                        )

    def prepare(self) -> None:
        """Copy what listing depends on: index, `info/exclude`, the user's ignore file."""
        gitdir, home, made = self._layout.gitdir, os.fsencode(self._git.home), self._git.made
        if gitdir is not None:
            now = _index_state(gitdir)
            state = None if now is None else (made, now)
            if state is None or state != self._index_state:
                with suppress(OSError):
                    os.remove(home + b"/index")
                for name in _index_files(gitdir):
                    _copy(os.path.join(gitdir, name), os.path.join(home, name))
                self._index_state = state
        common = self._layout.common
        local = (
            read_small(os.path.join(common, b"info/exclude"), limit=MAX_CONFIG) if common else b""
        )
        user = self._options.global_excludes
        text = (
            None
            if user is None
            else read_small(os.path.realpath(os.fsencode(user)), limit=MAX_CONFIG) or b""
        )
        if self._excludes != (made, local or b"", text):
            self._excludes = (made, local or b"", text)
            self._git.use_excludes(local or b"", text)

    def _replace_index(self, head_tree: str | None) -> None:
        """Put the paths of HEAD in place of an index that git cannot read; none without HEAD."""
        self._index_state = None
        with suppress(OSError):
            os.remove(os.fsencode(self._git.home) + b"/index")
        if head_tree is not None:
            with suppress(GitError):
                self._git.run(("read-tree", head_tree), work_tree=self._layout.top)

    def walk(
        self, listing: Listing, known: Known, starts: Iterable[bytes]
    ) -> Iterator[SourceEntry]:
        """Look at every folder that is not ignored, and at every one that holds a listed path."""
        needed = _ancestors(listing.files)
        odd: list[SourceEntry] = []
        pending = list(starts)
        count = 0
        while pending:
            folder = pending.pop()
            start = folder + b"/" if folder else b""
            try:
                handle = self._folders.open(folder)
                children = _children(handle)
            except PermissionError:
                yield _skipped(
                    folder, Mode.SPECIAL, Reason.UNREADABLE, "the folder cannot be opened"
                )
                continue
            except OSError:
                continue  # gone, or no longer a folder
            for name, child in children:
                path = start + name
                if child.is_dir(follow_symlinks=False):
                    if path in listing.nested or path in listing.submodules:
                        yield _repository_at(path, listing)
                    elif path not in listing.ignored or path in needed:
                        pending.append(path)
                elif path in listing.files:
                    with suppress(FileNotFoundError):
                        yield _entry(
                            path, child.stat(follow_symlinks=False), handle, name, known, self
                        )
                elif not (child.is_symlink() or child.is_file(follow_symlinks=False)):
                    odd.append(_skipped(path, Mode.SPECIAL, Reason.NOT_REGULAR_FILE, "not a file"))
            count += len(children)
            if count > 4 * self._options.max_files:
                raise _too_many(self._options.max_files)
        yield from self.outside_ignored(odd)

    def folders(self, below: Sequence[bytes] = ()) -> Iterator[bytes]:
        """The folders that may hold listed paths: not ignored, no link, no repository inside.

        Args:
            below: only these and what is below them; without, all of the tree.
        """
        self.refresh()
        if below:
            self.prepare()
            listing = self.listing(below)
        else:
            listing = self._full_listing(None)
        needed = _ancestors(listing.files)
        borders = listing.nested | listing.submodules | (listing.ignored - needed)
        pending = [folder for folder in below or (self._layout.prefix,) if folder not in borders]
        while pending:
            folder = pending.pop()
            start = folder + b"/" if folder else b""
            with suppress(OSError):
                children = _children(self._folders.open(folder))
                yield folder
                found = (start + name for name, e in children if e.is_dir(follow_symlinks=False))
                pending.extend(path for path in found if path not in borders)

    def outside_ignored(self, odd: list[SourceEntry]) -> list[SourceEntry]:
        """Those of `odd` whose folders no ignore rule matches."""
        folders = {os.path.dirname(entry.path) for entry in odd} - {b""}
        ignored = self._matched(folders) if folders else set[bytes]()
        return [entry for entry in odd if os.path.dirname(entry.path) not in ignored]

    def _matched(self, paths: Iterable[bytes]) -> set[bytes]:
        """Those of `paths` that an ignore rule matches.

        `check-ignore` refuses literal pathspecs; behind `./` nothing is taken for magic.
        """
        output = self._git.run(
            ("check-ignore", "--no-index", "--stdin", "-z"),
            stdin=b"".join(b"./%s\0" % path for path in sorted(paths)),
            literal=False,
            cwd=self._layout.top,
            work_tree=self._layout.top,
            may_fail=True,  # exits with 1 when nothing is ignored
        )
        return {path.removeprefix(b"./") for path in output.split(b"\0")[:-1]}

    def ignored_by(self, path: bytes) -> str:
        """The ignore rule that keeps an untracked path out, as `file:line: pattern`; else ""."""
        self.prepare()
        output = self._git.run(
            ("check-ignore", "-v", "--stdin", "-z"),
            stdin=b"./%s\0" % path,
            literal=False,
            cwd=self._layout.top,
            work_tree=self._layout.top,
            may_fail=True,
        )
        fields = [part.decode("utf-8", "replace") for part in output.split(b"\0")]
        if len(fields) < 4 or fields[2].startswith("!"):
            return ""
        home = os.fspath(self._git.home)
        named = {f"{home}/info/exclude": ".git/info/exclude", f"{home}/excludes": "your excludes"}
        return f"{named.get(fields[0], fields[0])}:{fields[1]}: {fields[2]}"

    def entry(self, path: bytes, known: Known) -> SourceEntry | None:
        """What stands at a listed path, whatever the spelling of its name on disk; never a folder."""
        folder, _, name = path.rpartition(b"/")
        try:
            handle = self._folders.open(folder)
            found = os.stat(name, dir_fd=handle, follow_symlinks=False)
        except OSError:
            return None
        return (
            None if stat.S_ISDIR(found.st_mode) else _entry(path, found, handle, name, known, self)
        )

    def state(self, path: bytes) -> os.stat_result | None:
        """The stat of what stands at a path, None when nothing does or a link is on the way.

        Raises:
            PermissionError: a folder on the way may not be searched.
        """
        folder, _, name = path.rpartition(b"/")
        try:
            return os.stat(name, dir_fd=self._folders.open(folder), follow_symlinks=False)
        except PermissionError:
            raise
        except OSError:
            return None

    @property
    def prefix(self) -> bytes:
        """The folder that is read, below the top; b"" for all of it."""
        return self._layout.prefix

    @property
    def folds_names(self) -> bool:
        """Whether the file system takes several spellings for one name."""
        return self._layout.dialect.ignore_case or self._layout.dialect.precompose

    @property
    def max_file_bytes(self) -> int:
        """Larger files are never read."""
        return self._options.max_file_bytes

    def link_id(self, handle: int, name: bytes) -> bytes | None:
        """The blob id of a link: git stores its target."""
        with suppress(OSError):
            target = os.readlink(name, dir_fd=handle)
            return object_id("blob", target, self._layout.dialect.algorithm)
        return None

    def attributes(self, entries: Iterable[SourceEntry]) -> Attributes:
        """The linguist attributes of the work tree."""
        return Attributes(self._attribute_files(entries))

    def _attribute_files(self, entries: Iterable[SourceEntry]) -> Iterator[tuple[bytes, bytes]]:
        for entry in entries:
            if entry.skip is None and is_attributes(entry.path) and entry.size <= MAX_ATTRIBUTES:
                _, data, _ = self.read(entry)
                if isinstance(data, bytes):
                    yield entry.path, data

    # ----------------------------------------------------------------------- reading

    def read(self, entry: SourceEntry) -> tuple[SourceEntry, bytes | Reason, str]:
        """The content on disk now; the entry comes back with its id, size and signature.

        A signature that is too fresh to be trusted comes back marked, so that it never fits again.
        """
        try:
            return self._read(entry)
        except FileNotFoundError:
            return entry, Reason.CHANGED_WHILE_READING, "it is gone"
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO, errno.EMLINK):
                return entry, Reason.NOT_REGULAR_FILE, "a link or device has taken its place"
            return entry, Reason.UNREADABLE, error.strerror or "it cannot be opened"

    def _read(self, entry: SourceEntry) -> tuple[SourceEntry, bytes | Reason, str]:
        folder, _, name = entry.path.rpartition(b"/")
        for _ in range(TRIES):
            now = time.time_ns()
            fd = _open(name, _FILE, self._folders.open(folder))
            try:
                before = os.fstat(fd)
                if not stat.S_ISREG(before.st_mode):
                    return entry, Reason.NOT_REGULAR_FILE, "not a file"
                if before.st_size > self.max_file_bytes:
                    return entry, Reason.TOO_LARGE, f"{before.st_size} bytes"
                data = _content(fd, before.st_size)
                after = os.fstat(fd)
            finally:
                os.close(fd)
            if data is not None and signature_of(before) == signature_of(after):
                return self._read_entry(entry, data, after, now), data, ""
        return entry, Reason.CHANGED_WHILE_READING, f"it changed during {TRIES} readings"

    def _read_entry(
        self, entry: SourceEntry, data: bytes, found: os.stat_result, now: int
    ) -> SourceEntry:
        return entry._replace(
            raw_id=object_id("blob", data, self._layout.dialect.algorithm),
            size=len(data),
            mode=_mode(found.st_mode),
            signature=_trusted(signature_of(found), now),
        )


def signature_of(found: os.stat_result) -> Signature:
    """The stat signature of a file."""
    return (
        found.st_mtime_ns,
        found.st_ctime_ns,
        found.st_size,
        found.st_ino,
        found.st_dev,
        found.st_mode,
    )


def _trusted(signature: Signature, now: int) -> Signature:
    """The racy rule of git: a file touched in the tick of its reading may change again unseen."""
    if max(signature[:2]) + RACY_NS < now:
        return signature
    return (-1, *signature[1:])


def _entry(
    path: bytes, found: os.stat_result, handle: int, name: bytes, known: Known, tree: WorkTree
) -> SourceEntry:
    if stat.S_ISREG(found.st_mode):
        signature = signature_of(found)
        earlier = known.get(path)
        too_large = found.st_size > tree.max_file_bytes
        raw_id = earlier[1] if earlier and earlier[0] == signature else None
        mode, size = _mode(found.st_mode), found.st_size
        if too_large:
            skip = Reason.TOO_LARGE
            return SourceEntry(path, mode, raw_id, size, skip, f"{size} bytes", (), signature)
        return SourceEntry(path, mode, raw_id, size, None, "", (), signature)
    if stat.S_ISLNK(found.st_mode):
        entry = _skipped(path, Mode.SYMLINK, Reason.SYMLINK, "links are not followed")
        return entry._replace(raw_id=tree.link_id(handle, name), size=found.st_size)
    return _skipped(path, Mode.SPECIAL, Reason.NOT_REGULAR_FILE, "not a file")


def _mode(mode: int) -> Mode:
    return Mode.EXECUTABLE if mode & stat.S_IXUSR else Mode.FILE


def _skipped(path: bytes, mode: Mode, reason: Reason, detail: str) -> SourceEntry:
    return SourceEntry(path=path, mode=mode, raw_id=None, size=-1, skip=reason, detail=detail)


def _repository_at(path: bytes, listing: Listing) -> SourceEntry:
    if path in listing.submodules:
        return _skipped(path, Mode.SUBMODULE, Reason.SUBMODULE, "a submodule is its own repository")
    return _skipped(
        path,
        Mode.SUBMODULE,
        Reason.NESTED_REPOSITORY,
        "a repository inside this one; index it by itself",
    )


def _sort_in(listing: Listing, record: bytes) -> None:
    """File one record of `ls-files -t -s -c -o -z`: `? path`, or `H mode id stage TAB path`."""
    if record.startswith(b"? "):
        path = record[2:]
        if path.endswith(b"/"):
            listing.nested.add(path[:-1])
            return
    else:
        head, _, path = record.partition(b"\t")
        if is_unsafe_path(path):
            return  # an index may hold any name; no such path can be on disk below the root
        listing.tracked.add(path)
        if head[2:8] == b"160000":
            listing.submodules.add(path)
    listing.files.add(path)


def _ignored_folders(records: list[bytes]) -> Iterator[bytes]:
    """The folders among records of `ls-files -o -i --directory` that are ignored as a whole.

    One that holds ignored files only is there too; what is in it follows.
    """
    records.sort()
    for record, following in pairwise((*records, b"")):
        if record.endswith(b"/") and not following.startswith(record):
            yield record[:-1]


def _ancestors(paths: Iterable[bytes]) -> set[bytes]:
    found: set[bytes] = set()
    for path in paths:
        folder = path.rpartition(b"/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition(b"/")[0]
    return found


def _children(handle: int) -> list[tuple[bytes, os.DirEntry[str]]]:
    with os.scandir(handle) as entries:
        return [(os.fsencode(e.name), e) for e in entries if e.name != ".git"]


def _common(a: list[bytes], b: list[bytes]) -> int:
    length = min(len(a), len(b))
    return next((i for i in range(length) if a[i] != b[i]), length)


def _open(name: bytes, flags: int, folder: int) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):
            raise ResourceExhausted(
                "open_files", "too many files are open", hint="raise the limit (ulimit -n)"
            ) from error
        raise


def _content(fd: int, size: int) -> bytes | None:
    """`size` bytes to the end of the file; None when the file is longer or shorter by now."""
    parts: list[bytes] = []
    left = size
    while chunk := os.read(fd, left + 1):
        left -= len(chunk)
        parts.append(chunk)
        if left < 0:
            return None
    return b"".join(parts) if left == 0 else None


def _index_files(gitdir: bytes) -> list[bytes]:
    """The index, and the shared part of a split one."""
    with suppress(OSError):
        return [n for n in os.listdir(gitdir) if n == b"index" or n.startswith(b"sharedindex.")]
    return []


def _index_state(gitdir: bytes) -> tuple[object, ...] | None:
    """What stands for the content of the index files; None while they are too fresh to tell."""
    now = time.time_ns()
    with suppress(OSError):
        found = [(n, os.lstat(os.path.join(gitdir, n))) for n in sorted(_index_files(gitdir))]
        state = [(name, signature_of(each)) for name, each in found]
        if all(_trusted(signature, now) == signature for _, signature in state):
            return tuple(state)
    return None


def _copy(source: bytes, target: bytes) -> None:
    """Copy a regular file of bounded size; without it when it is not one."""
    with suppress(OSError):
        fd = os.open(source, _FILE)
        with os.fdopen(fd, "rb") as file:
            found = os.fstat(fd)
            if stat.S_ISREG(found.st_mode) and found.st_size <= MAX_INDEX:
                with open(target, "wb") as copy:
                    while chunk := file.read(1 << 20):
                        copy.write(chunk)


def _too_many(max_files: int) -> Refused:
    return Refused(
        "too_many_files",
        f"the folder holds more than {max_files} files",
        hint="index a folder inside it, ignore what is not source, or raise the limit",
    )

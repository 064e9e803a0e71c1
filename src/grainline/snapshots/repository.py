"""One repository: its snapshots and the content of their entries."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TypeAlias

from grainline.errors import BadInput, Refused
from grainline.model.access import WORKTREE
from grainline.model.position import quote_path
from grainline.model.snapshot import Mode, Reason, RepositoryId, Snapshot, SourceEntry
from grainline.snapshots.flags import MAX_ATTRIBUTES, Attributes, is_attributes, path_flags
from grainline.snapshots.git import Git, GitObject, ObjectInfo
from grainline.snapshots.globs import Glob, compile_glob
from grainline.snapshots.layout import (
    Layout,
    check_alternates,
    check_store,
    find_layout,
    plain_folder,
)
from grainline.snapshots.options import ReadOptions
from grainline.snapshots.refs import Refs
from grainline.snapshots.trees import TreeEntry, is_unsafe_path, list_tree, object_id, tree_of
from grainline.snapshots.worktree import Known, WorkTree

Read: TypeAlias = tuple[SourceEntry, bytes | Reason, str]
"""An entry with its id filled in, its content or the reason why there is none, and a detail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryInfo:
    """What identifies a repository; the fields of the catalog's record.

    `identity` holds the quoted paths of the git common directory, the work tree and the prefix.
    """

    id: RepositoryId
    name: str
    identity: str
    root: str
    prefix: bytes
    kind: str


def open_repository(path: str, options: ReadOptions | None = None) -> Repository:
    """The repository at `path`: a work tree or a folder in it, a bare repository, a plain folder.

    A folder that the repository around it ignores is no part of that: it is a plain folder.

    Raises:
        BadInput: `not_found`, `not_a_repository`.
        Refused: `outside_tree`, `unsafe_config`, `unsupported_extension`, `home_folder`,
            `many_repositories`.
    """
    options = options or ReadOptions()
    layout = find_layout(path, options)
    check_store(layout, options)
    repository = Repository(layout, options)
    if layout.kind != "bare" and layout.prefix and repository.ignored_by(layout.prefix):
        repository.close()
        return Repository(plain_folder(path), options)
    return repository


class Repository:
    """An open repository; a context manager. One thread at a time may use it."""

    def __init__(self, layout: Layout, options: ReadOptions) -> None:
        self.record = _info(layout)
        self._layout = layout
        self._options = options
        self._git = Git(layout.objects, layout.dialect, self._guard)
        self._tree: WorkTree | None = None
        self._include = _globs(options.include)
        self._exclude = _globs(options.exclude)
        self._chooses = bool(self._include or self._exclude)

    def __enter__(self) -> Repository:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End git and remove its temporary folder."""
        if self._tree is not None:
            self._tree.close()
            self._tree = None
        self._git.close()

    def default_refs(self) -> tuple[str, ...]:
        """What is indexed when no ref is named: the work tree where there is one, else HEAD."""
        return ("HEAD",) if self._layout.kind == "bare" else (WORKTREE,)

    def ref_names(self) -> list[str]:
        """Full names of all refs, sorted."""
        refs = self._refs()
        return refs.names() if refs is not None else []

    # ----------------------------------------------------------------------- snapshots

    def snapshot(
        self, ref: str, known: Known | None = None
    ) -> tuple[Snapshot, tuple[SourceEntry, ...]]:
        """A snapshot and its entries, sorted by path; paths are relative to the repository root.

        The version of a work tree with files whose id is not known yet is provisional; `seal` gives
        the final one once they were read.

        Args:
            ref: a ref name, a commit id, HEAD, or WORKTREE.
            known: path -> (signature, raw id) of an earlier reading of the work tree.

        Raises:
            BadInput: `unknown_ref`, `ambiguous_ref`, `not_a_commit`, `no_commit`, `not_found`.
            Refused: `missing_object`, `corrupt_object`, `too_many_files`, `outside_tree`.
        """
        if ref == WORKTREE:
            return self._work_tree_snapshot(known or {})
        refs = self._refs()
        if refs is None:
            raise BadInput(
                "unknown_ref",
                f"a plain folder has no {ref!r}",
                subject=self._subject(ref),
                hint="index it without --ref",
            )
        resolved = refs.resolve(ref)
        entries = self._committed(resolved.commit, self._subject(ref))
        snapshot = Snapshot(
            repository=self.record.id,
            ref=resolved.ref,
            commit=resolved.commit,
            version=resolved.commit,
            dirty=False,
        )
        return snapshot, entries

    def seal(self, snapshot: Snapshot, entries: Iterable[SourceEntry]) -> Snapshot:
        """The snapshot with the version and dirtiness that its fully read entries have.

        Both depend on paths, modes and content only, so reading again gives the same.
        """
        if snapshot.ref != WORKTREE:
            return snapshot
        entries = tuple(self._identified(entry) for entry in entries)
        return replace(
            snapshot,
            version=f"worktree:{_state(entries)}",
            dirty=bool(snapshot.commit) and self._is_dirty(snapshot.commit, entries),
        )

    def _work_tree_snapshot(self, known: Known) -> tuple[Snapshot, tuple[SourceEntry, ...]]:
        tree = self._work_tree()
        refs = self._refs()
        commit = refs.head() if refs is not None else ""
        subject = self._subject(WORKTREE)
        root = tree_of(self._git, commit, subject).hex() if commit else None
        found = tree.entries(known, root)
        attributes = tree.attributes(found)
        entries = tuple(self._finish(entry, attributes) for entry in found)
        snapshot = Snapshot(
            repository=self.record.id,
            ref=WORKTREE,
            commit=commit,
            version="worktree:",
            dirty=bool(commit),
        )
        complete = all(e.raw_id is not None for e in entries if e.skip is None)
        return (self.seal(snapshot, entries) if complete else snapshot), entries

    def _committed(self, commit: str, subject: str) -> tuple[SourceEntry, ...]:
        listed = self._list(commit, subject)
        attributes = Attributes(self._attribute_files(listed))
        sizes = self._sizes(listed)
        evil = self._evil_modules(listed)
        return tuple(self._committed_entry(item, sizes, evil, attributes) for item in listed)

    def _list(self, commit: str, subject: str) -> list[TreeEntry]:
        root = tree_of(self._git, commit, subject)
        try:
            return list_tree(
                self._git,
                root,
                self._layout.prefix,
                max_files=self._options.max_files,
                subject=subject,
            )
        except KeyError:
            raise BadInput(
                "not_found",
                f"this commit has no folder {quote_path(self._layout.prefix)!r}",
                subject=subject,
                hint="index the repository's root, or another ref",
            ) from None

    def _sizes(self, listed: Iterable[TreeEntry]) -> Mapping[bytes, ObjectInfo]:
        ids = list(dict.fromkeys(item.id for item in listed if _is_file(item.mode)))
        found = self._git.check([raw.hex() for raw in ids])
        return dict(zip(ids, found, strict=True))

    def _finish(self, entry: SourceEntry, attributes: Attributes) -> SourceEntry:
        """Flags and the user's own choice of paths."""
        flags = path_flags(entry.path, attributes)
        skip, detail = self._choice(entry.path, entry.skip, entry.detail)
        if not flags and skip is entry.skip:
            return entry
        return SourceEntry(
            path=entry.path,
            mode=entry.mode,
            raw_id=entry.raw_id,
            size=entry.size,
            skip=skip,
            detail=detail,
            flags=flags,
            signature=entry.signature,
        )

    def _committed_entry(
        self,
        item: TreeEntry,
        sizes: Mapping[bytes, ObjectInfo],
        evil: frozenset[bytes],
        attributes: Attributes,
    ) -> SourceEntry:
        path, raw_mode, raw_id = item
        mode = _mode(raw_mode)
        info = sizes.get(raw_id, _UNKNOWN)
        skip, detail = _verdict(mode, info, self._options.max_file_bytes)
        if skip is None and path in evil:
            skip, detail = Reason.CORRUPT_OBJECT, "git would reject this .gitmodules"
        elif mode is Mode.SPECIAL:
            detail = f"impossible mode {raw_mode:06o}"
        skip, detail = self._choice(path, skip, detail)
        return SourceEntry(
            path=path,
            mode=mode,
            raw_id=raw_id,
            size=info.size,
            skip=skip,
            detail=detail,
            flags=path_flags(path, attributes),
        )

    def _choice(self, path: bytes, skip: Reason | None, detail: str) -> tuple[Reason | None, str]:
        if skip is None and self._chooses and (unwanted := self._unwanted(path)):
            return Reason.EXCLUDED, unwanted
        if skip is None and len(path) > self._options.max_path_bytes:
            return Reason.PATH_TOO_LONG, f"{len(path)} bytes"
        return skip, detail

    def _unwanted(self, path: bytes) -> str:
        for glob in self._exclude:
            if glob.matches(path):
                return f"exclude {glob.text}"
        if self._include and not any(glob.matches(path) for glob in self._include):
            return "no include pattern fits"
        return ""

    def _attribute_files(self, listed: Iterable[TreeEntry]) -> Iterator[tuple[bytes, bytes]]:
        for item in listed:
            if is_attributes(item.name) and _is_file(item.mode):
                data = self.read_blob(item.id, MAX_ATTRIBUTES)
                if isinstance(data, bytes):
                    yield item.name, data

    def _evil_modules(self, listed: Iterable[TreeEntry]) -> frozenset[bytes]:
        """`.gitmodules`, when git's own check would reject it."""
        for item in listed:
            if item.name == b".gitmodules" and _is_file(item.mode):
                data = self.read_blob(item.id, MAX_ATTRIBUTES)
                if isinstance(data, bytes) and _EVIL_MODULE.search(data):
                    return frozenset({item.name})
        return frozenset()

    def _identified(self, entry: SourceEntry) -> SourceEntry:
        """`entry` with its id, also where its content is not wanted (a file of secrets)."""
        is_file = entry.mode in (Mode.FILE, Mode.EXECUTABLE)
        if entry.raw_id is not None or entry.skip is not None or not is_file:
            return entry
        return self._work_tree().read(entry)[0]

    def _is_dirty(self, commit: str, entries: tuple[SourceEntry, ...]) -> bool:
        try:
            listed = self._list(commit, self._subject("HEAD"))
        except BadInput:  # the folder is new
            return bool(entries)
        except Refused:  # a clone without trees: whether they are equal cannot be known
            return True
        stored = [(item.name, _mode(item.mode), item.id) for item in listed]
        on_disk = [(e.path, e.mode, e.raw_id) for e in entries]
        submodules = {path for path, mode, _ in stored if mode is Mode.SUBMODULE}
        return [row for row in stored if row[0] not in submodules] != [
            row for row in on_disk if row[0] not in submodules
        ]

    # ----------------------------------------------------------------------- content

    def read(self, entries: Iterable[SourceEntry]) -> Iterator[Read]:
        """The content of each entry, in the order given, streamed.

        A git blob is compared with its id. A work-tree file comes back with the id of what was
        read, whatever the entry said before.
        """
        entries = tuple(entries)
        names = [e.raw_id.hex() for e in entries if _is_stored(e) and e.raw_id is not None]
        with self._git.reading() as reader:
            stored = reader.contents(names, limit=self._options.max_file_bytes)
            for entry in entries:
                if entry.skip is not None:
                    yield entry, entry.skip, entry.detail
                elif _is_stored(entry):
                    yield self._stored(entry, next(stored))
                else:
                    yield self._work_tree().read(entry)
            for _ in stored:  # runs the generator to its end
                pass

    def read_blob(self, raw_id: bytes, max_bytes: int) -> bytes | Reason:
        """One blob by its binary id, verified."""
        return self._verified(raw_id, self._git.read_one(raw_id.hex(), limit=max_bytes))

    def read_worktree(self, path: bytes) -> Read:
        """One file of the work tree as it is now.

        Raises:
            BadInput: `not_found`, the path leaves the work tree by its spelling.
        """
        if is_unsafe_path(path):
            raise BadInput("not_found", f"there is no path {quote_path(path)!r}")
        entry = SourceEntry(path=path, mode=Mode.FILE, raw_id=None, size=-1)
        return self._work_tree().read(entry)

    def ignored_by(self, path: bytes) -> str:
        """The ignore rule that keeps a path out of the work tree, as `file:line: pattern`, or ""."""
        if self._layout.kind == "bare" or is_unsafe_path(path):
            return ""
        return self._work_tree().ignored_by(path)

    def _stored(self, entry: SourceEntry, result: GitObject | Reason) -> Read:
        assert entry.raw_id is not None
        data = self._verified(entry.raw_id, result)
        return entry, data, _DETAILS.get(data, "") if isinstance(data, Reason) else ""

    def _verified(self, raw_id: bytes, result: GitObject | Reason) -> bytes | Reason:
        if isinstance(result, Reason):
            return result
        algorithm = self._layout.dialect.algorithm
        if result.kind != "blob" or object_id("blob", result.data, algorithm) != raw_id:
            return Reason.CORRUPT_OBJECT
        return result.data

    # ----------------------------------------------------------------------- parts

    def _work_tree(self) -> WorkTree:
        if self._layout.kind == "bare":
            raise BadInput(
                "unknown_ref",
                "a bare repository has no work tree",
                subject=self._subject(WORKTREE),
                hint="name a branch, a tag or a commit",
            )
        if self._tree is None:
            self._tree = WorkTree(self._layout, self._git, self._options)
        return self._tree

    def _refs(self) -> Refs | None:
        if self._layout.gitdir is None or self._layout.common is None:
            return None
        return Refs(self._layout.gitdir, self._layout.common, self._git, self._subject)

    def _guard(self) -> None:
        check_alternates(self._layout, self._options)

    def _subject(self, ref: str) -> str:
        return f"{self.record.name}@{quote_path(os.fsencode(ref))}"


_DETAILS = {
    Reason.MISSING_OBJECT: "the blob is not in this repository",
    Reason.CORRUPT_OBJECT: "the stored bytes are damaged or do not match their id",
    Reason.TOO_LARGE: "larger than the limit",
}

# What git fsck rejects in .gitmodules: names that leave the folder, options in place of an address
# or a path, commands (CVE-2018-11235, CVE-2018-17456, CVE-2018-17457, CVE-2019-19604).
_EVIL_MODULE = re.compile(
    rb"""^\s*\[\s*submodule\s+"(?:[^"\n]*[/\\])?\.\.(?:[/\\][^"\n]*)?"
    |^\s*(?:url|path)\s*=\s*"?-
    |^\s*update\s*=\s*"?!""",
    re.MULTILINE | re.VERBOSE | re.IGNORECASE,
)


_UNKNOWN = ObjectInfo("", "", -1)


def _verdict(mode: Mode, info: ObjectInfo, max_bytes: int) -> tuple[Reason | None, str]:
    """Why the content of a committed entry must not be read, if so."""
    if mode is Mode.SYMLINK:
        return Reason.SYMLINK, "links are not followed"
    if mode is Mode.SUBMODULE:
        return Reason.SUBMODULE, "a submodule is its own repository"
    if mode is Mode.SPECIAL:
        return Reason.CORRUPT_OBJECT, "impossible mode"
    if info.size < 0:
        reason = Reason(info.kind)
        return reason, _DETAILS[reason]
    if info.kind != "blob":
        return Reason.CORRUPT_OBJECT, f"the entry names a {info.kind}"
    if info.size > max_bytes:
        return Reason.TOO_LARGE, f"{info.size} bytes"
    return None, ""


_OTHER_MODES = {0o120000: Mode.SYMLINK, 0o160000: Mode.SUBMODULE}


def _is_file(mode: int) -> bool:
    return mode & 0o7770000 == 0o100000


def _mode(mode: int) -> Mode:
    if _is_file(mode):
        return Mode.EXECUTABLE if mode & 0o100 else Mode.FILE
    return _OTHER_MODES.get(mode, Mode.SPECIAL)


def _is_stored(entry: SourceEntry) -> bool:
    """Whether the content is in the object store (a file on disk carries a signature)."""
    return entry.skip is None and not entry.signature and entry.raw_id is not None


def _globs(patterns: Iterable[str]) -> tuple[Glob, ...]:
    found = (compile_glob(os.fsencode(pattern), below=True) for pattern in patterns)
    return tuple(glob for glob in found if glob is not None)


def _state(entries: Iterable[SourceEntry]) -> str:
    digest = hashlib.blake2b(digest_size=20, person=b"grainline.state")
    for entry in entries:
        content = entry.raw_id.hex() if entry.raw_id else f"{entry.skip or 'unread'}"
        digest.update(b"%s\0%s %s\0" % (entry.path, entry.mode.encode(), content.encode()))
    return digest.hexdigest()


def _info(layout: Layout) -> RepositoryInfo:
    places = [layout.common, layout.top if layout.kind != "bare" else None]
    parts = [quote_path(place) for place in places if place is not None]
    if layout.prefix:
        parts.append(quote_path(layout.prefix))
    identity = "\n".join(parts)
    digest = hashlib.blake2b(identity.encode(), digest_size=16, person=b"grainline.repo")
    root = layout.top + (b"/" + layout.prefix if layout.prefix else b"")
    return RepositoryInfo(
        id=RepositoryId(digest.hexdigest()),
        name=_name(layout),
        identity=identity,
        root=os.fsdecode(root),
        prefix=layout.prefix,
        kind=layout.kind,
    )


def _name(layout: Layout) -> str:
    """The last component of the path, without `.git`; the folder's path behind it."""
    folder, _, last = layout.top.rstrip(b"/").rpartition(b"/")
    if last == b".git":
        last = folder.rpartition(b"/")[2]
    elif layout.kind == "bare":
        last = last.removesuffix(b".git")
    name = last + (b"/" + layout.prefix if layout.prefix else b"")
    return quote_path(name or b"root")

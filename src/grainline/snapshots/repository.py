"""One repository: its snapshots and the content of their entries."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TypeAlias

from grainline.errors import BadInput, Refused
from grainline.model.access import WORKTREE
from grainline.model.position import quote_path
from grainline.model.snapshot import Mode, Reason, RepositoryId, Snapshot, SourceEntry
from grainline.snapshots.compare import compare_trees
from grainline.snapshots.flags import MAX_ATTRIBUTES, Attributes, is_attributes, path_flags
from grainline.snapshots.git import Git, GitError, GitObject, ObjectInfo
from grainline.snapshots.globs import Glob, compile_glob
from grainline.snapshots.history import CommitRecord, walk
from grainline.snapshots.layout import (
    Layout,
    check_alternates,
    check_store,
    find_layout,
    plain_folder,
)
from grainline.snapshots.look import look
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What one commit has instead of another: entries in order of path, and paths without."""

    entries: tuple[SourceEntry, ...]
    gone: tuple[bytes, ...]


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
        self._names: Refs | None = None
        self._attributes: Attributes | None = None
        self._listed: tuple[str, Mapping[bytes, tuple[Mode, bytes | None]]] | None = None
        self._include = _globs(options.include, "include")
        self._exclude = _globs(options.exclude, "exclude")
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

    def head_target(self) -> str | None:
        """What HEAD says now, unverified: while it stays the same, so does the commit of HEAD."""
        refs = self._refs()
        return refs.read("HEAD") if refs is not None else None

    def ref_target(self, ref: str) -> str | None:
        """The object id that a full ref name holds now, unverified; None when there is no such ref."""
        refs = self._refs()
        return refs.read(ref) if refs is not None else None

    def resolve(self, ref: str) -> Snapshot:
        """The snapshot that a ref names, without its entries.

        A work tree's version and dirtiness follow from its entries; the store fills them in.

        Args:
            ref: a ref name, a commit id, HEAD, or WORKTREE.

        Raises:
            BadInput: `unknown_ref`, `ambiguous_ref`, `not_a_commit`, `no_commit`, `not_found`.
            Refused: `missing_object`, `corrupt_object`.
        """
        refs = self._refs()
        if ref == WORKTREE:
            self._work_tree()
            commit = refs.head() if refs is not None else ""
            return Snapshot(
                repository=self.record.id, ref=WORKTREE, commit=commit, version="", dirty=False
            )
        if refs is None:
            raise BadInput(
                "unknown_ref",
                f"a plain folder has no {ref!r}",
                subject=self._subject(ref),
                hint="index it without --ref",
            )
        resolved = refs.resolve(ref)
        return Snapshot(
            repository=self.record.id,
            ref=resolved.ref,
            commit=resolved.commit,
            version=resolved.commit,
            dirty=False,
        )

    def snapshot(
        self, ref: str, known: Known | None = None
    ) -> tuple[Snapshot, tuple[SourceEntry, ...]]:
        """A snapshot and its entries, sorted by path; paths are relative to the repository root.

        Args:
            ref: what `resolve` takes.
            known: path -> (signature, raw id) of an earlier reading of the work tree.

        Raises:
            BadInput: as `resolve`.
            Refused: as `resolve`, and `too_many_files`, `outside_tree`.
        """
        snapshot = self.resolve(ref)
        if ref == WORKTREE:
            return snapshot, self._on_disk(snapshot.commit, known or {})
        return snapshot, self._committed(snapshot.commit, self._subject(ref))

    def look(
        self, paths: Collection[bytes], known: Known, listed: Sequence[bytes]
    ) -> dict[bytes, SourceEntry | None] | None:
        """What `snapshot(WORKTREE)` would say now of `paths` and everything below them.

        Cheap while one repository stays open: what its last full listing saw of ignored folders and
        attributes is remembered. A change of HEAD or of the index needs a full listing; the caller
        sees to that.

        Args:
            paths: candidates: files and folders that may have come, gone or changed.
            known: path -> (signature, raw id) of the last reading.
            listed: every path of the last listing, sorted.

        Returns:
            path -> entry, None where there is none (any more); or None when only a full listing
            can tell, as after a change of an ignore file.

        Raises:
            BadInput: `not_found`, the work tree is gone.
            Refused: `too_many_files`.
        """
        tree = self._work_tree()
        tree.refresh()
        found = look(tree, paths, known, listed)
        if found is None or any(is_attributes(path) for path in found):
            return None
        if self._attributes is None:
            named = filter(is_attributes, listed)
            self._attributes = tree.attributes(
                entry for path in named if (entry := tree.entry(path, known)) is not None
            )
        attributes = self._attributes
        return {path: entry and self._finish(entry, attributes) for path, entry in found.items()}

    def folders(self, below: Sequence[bytes] = ()) -> Iterator[bytes]:
        """The folders of the work tree that may hold its paths; only those at or below some.

        Raises:
            BadInput: `not_found`, the work tree is gone.
            Refused: `too_many_files`, or git cannot list it.
        """
        try:
            yield from self._work_tree().folders(below)
        except GitError as failure:
            raise Refused(
                "cannot_list",
                f"{failure}",
                subject=self._subject(WORKTREE),
                hint="see what git status says",
            ) from None

    @property
    def layout(self) -> Layout:
        """Where its parts lie."""
        return self._layout

    def history(self, ref: str) -> Iterator[CommitRecord]:
        """The commit that `ref` names and its ancestors, the latest first.

        Raises:
            BadInput: as `resolve`, and `no_commit` where there is none.
            Refused: as `resolve`.
        """
        commit = self.resolve(ref).commit
        if not commit:
            raise BadInput("no_commit", "a plain folder has no history", subject=self._subject(ref))
        return walk(self._git, commit, self._subject(ref))

    def changes(self, base: str, commit: str, also: Iterable[bytes] = ()) -> Changes | None:
        """What a commit has instead of `base`, and its entries at the paths `also`.

        None when only a full listing tells: `base` is not to be had, or rules changed that decide
        about other paths than their own.

        Raises:
            Refused: `missing_object`, `corrupt_object`, `too_many_files`.
        """
        found = compare_trees(
            self._git,
            base,
            commit,
            prefix=self._layout.prefix,
            also=frozenset(also),
            max_files=self._options.max_files,
            subject=self._subject(commit),
        )
        if found is None:
            return None
        attributes = Attributes(self._attribute_files(found.attributes))
        sizes = self._sizes(found.entries)
        nothing_evil: frozenset[bytes] = frozenset()
        return Changes(
            entries=tuple(
                self._committed_entry(item, sizes, nothing_evil, attributes)
                for item in found.entries
            ),
            gone=found.gone,
        )

    def deviations(
        self, commit: str, entries: Iterable[SourceEntry]
    ) -> tuple[frozenset[bytes], tuple[bytes, ...]]:
        """How a work tree differs from the commit under it.

        Returns:
            (paths that are new or other than in the commit, paths that only the commit has).
        """
        if not commit:
            return frozenset(), ()
        listed = self.committed_ids(commit)
        if listed is None:  # a clone without trees: what is equal cannot be known
            return frozenset(entry.path for entry in entries), ()
        on_disk = {e.path: (e.mode, e.raw_id) for e in self.identified(entries)}
        other = {path for path, row in on_disk.items() if listed.get(path) != row}
        submodules = {path for path, (mode, _) in listed.items() if mode is Mode.SUBMODULE}
        gone = listed.keys() - on_disk.keys() - submodules
        return frozenset(other - submodules), tuple(sorted(gone))

    def committed_ids(self, commit: str) -> Mapping[bytes, tuple[Mode, bytes | None]] | None:
        """Path -> (mode, raw id) of a commit; None where its trees are not to be had."""
        if self._listed is None or self._listed[0] != commit:
            try:
                listed = self._list(commit, self._subject("HEAD"))
            except BadInput:  # the folder is new
                listed = []
            except Refused:
                return None
            rows: dict[bytes, tuple[Mode, bytes | None]] = {
                item.name: (_mode(item.mode), item.id) for item in listed
            }
            self._listed = (commit, rows)
        return self._listed[1]

    @property
    def rules(self) -> str:
        """What decides which paths are read: see `ReadOptions.rules`."""
        return self._options.rules

    def _on_disk(self, commit: str, known: Known) -> tuple[SourceEntry, ...]:
        tree = self._work_tree()
        root = tree_of(self._git, commit, self._subject(WORKTREE)).hex() if commit else None
        found = tree.entries(known, root)
        attributes = self._attributes = tree.attributes(found)
        return tuple(self._finish(entry, attributes) for entry in found)

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
        path, mode, raw_id, size, *_, signature = entry
        return SourceEntry(path, mode, raw_id, size, skip, detail, flags, signature)

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

    def identified(self, entries: Iterable[SourceEntry]) -> Iterator[SourceEntry]:
        """Entries of a work tree with their ids, also where the content is not wanted (secrets)."""
        return map(self._identified, entries)

    def _identified(self, entry: SourceEntry) -> SourceEntry:
        is_file = entry.mode in (Mode.FILE, Mode.EXECUTABLE)
        if entry.raw_id is not None or entry.skip is not None or not is_file:
            return entry
        return self._work_tree().read(entry)[0]

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

    def read_blobs(self, raw_ids: Sequence[bytes], max_bytes: int) -> list[bytes | Reason]:
        """As `read_blob`, many in one go."""
        with self._git.reading() as reader:
            objects = list(reader.contents([each.hex() for each in raw_ids], limit=max_bytes))
        return list(map(self._verified, raw_ids, objects))

    def read_worktree(self, path: bytes) -> Read:
        """One file of the work tree as it is now.

        Raises:
            BadInput: `not_found`, the path leaves the work tree by its spelling.
        """
        if is_unsafe_path(path):
            raise BadInput("not_found", f"there is no path {quote_path(path)!r}")
        entry = SourceEntry(path=path, mode=Mode.FILE, raw_id=None, size=-1)
        tree = self._work_tree()
        try:
            tree.refresh()
        except BadInput as gone:
            return entry, Reason.CHANGED_WHILE_READING, gone.message
        return tree.read(entry)

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
        if self._names is None:
            gitdir, common = self._layout.gitdir, self._layout.common
            self._names = Refs(gitdir, common, self._git, self._subject)
        return self._names

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


def _globs(patterns: Iterable[str], what: str) -> tuple[Glob, ...]:
    """Patterns that a person gave.

    Raises:
        BadInput: one can match nothing.
    """
    found: list[Glob] = []
    for pattern in patterns:
        glob = compile_glob(os.fsencode(pattern), below=True)
        if glob is None or glob.is_void:
            raise BadInput(
                "bad_glob",
                f"{what} {pattern!r} can be no path",
                hint="patterns are those of .gitignore: docs/, *.min.js, /src/**",
            )
        found.append(glob)
    return tuple(found)


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

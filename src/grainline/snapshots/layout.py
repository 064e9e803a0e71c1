# ruff: noqa: PTH112, PTH114, PTH115, PTH118, PTH120
# Paths are bytes in this file, which pathlib does not hold.
"""Where a repository keeps its things, found and checked without running git.

Metadata is read as data, never followed out of the repository: a `.git` file, link, alternate or
common directory that points elsewhere counts only when the place it points to names this work tree
as its own, or when the user allowed that place.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from grainline.errors import BadInput, Refused
from grainline.model.position import quote_path, unquote_path
from grainline.snapshots.git import Algorithm, Dialect
from grainline.snapshots.options import ReadOptions

SMALL = 1 << 16  # bytes: HEAD, gitfile, commondir, a loose ref
MAX_CONFIG = 1 << 20
ALTERNATE_DEPTH = 5  # git follows as many
MANY_REPOSITORIES = 3  # repositories below one plain folder that make it a folder of repositories
LOOK_AT = 2000  # folders looked at while counting those

_FORMATS: dict[str, Algorithm] = {"sha1": "sha1", "sha256": "sha256"}
# Extensions that change nothing for a reader of objects, refs and index files.
_HARMLESS = frozenset(
    {"noop", "preciousobjects", "partialclone", "worktreeconfig", "relativeworktrees"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The places of one repository, or of a plain folder (`gitdir` and the rest are None then).

    Attributes:
        kind: bare, worktree or folder.
        top: root of the work tree or folder; the git directory of a bare repository.
        gitdir: where HEAD and index are.
        common: where refs and objects are; differs from `gitdir` in a linked work tree.
        objects: the object store.
        prefix: the indexed folder below `top`, without a slash at the end; b"" for all of it.
        dialect: object format and file-system facts.
    """

    kind: str
    top: bytes
    gitdir: bytes | None
    common: bytes | None
    objects: bytes | None
    prefix: bytes
    dialect: Dialect


def find_layout(path: str, options: ReadOptions) -> Layout:
    """The repository that `path` is, or is a folder of; else the plain folder.

    Raises:
        BadInput: `not_found`, `not_a_repository`.
        Refused: `outside_tree`, `unsafe_config`, `unsupported_extension`, `home_folder`,
            `many_repositories`.
    """
    start = _start(path)
    trust = _Trust(options.allow_alternates, start)
    layout = _bare(start, trust) or _enclosing(start, trust) or _folder(start)
    if not options.allow_home and layout.kind != "bare":
        _refuse_home(layout)
        if layout.kind == "folder":
            _refuse_many(start)
    return layout


def plain_folder(path: str) -> Layout:
    """The folder at `path` by itself, whatever repository stands around it.

    Raises:
        BadInput: `not_found`, `not_a_repository`.
    """
    return _folder(_start(path))


def check_store(layout: Layout, options: ReadOptions) -> None:
    """Refuse an object store that would hand out another repository's objects.

    Raises:
        Refused: `outside_tree`; the message names the place.
    """
    if layout.objects is not None:
        check_alternates(layout, options)
        _refuse_links(layout.objects, _Trust(options.allow_alternates, layout.top))


def check_alternates(layout: Layout, options: ReadOptions) -> None:
    """Refuse `info/alternates` that name a place outside which the user did not allow."""
    trust = _Trust(options.allow_alternates, layout.top)
    level = [] if layout.objects is None else [layout.objects]
    for _ in range(ALTERNATE_DEPTH + 1):
        targets = [target for store in level for target in _alternates(store)]
        for target in targets:
            trust.require(target, "its object store borrows from")
        level = targets


def _start(path: str) -> bytes:
    raw = os.fsencode(path)
    real = os.path.realpath(raw)
    if b"\0" in raw or not os.path.lexists(real):
        raise BadInput(
            "not_found",
            "there is nothing at this path",
            subject=_shown(raw),
            hint="give the path of a repository, or of a folder in one",
        )
    if not os.path.isdir(real):
        raise _no_repository(raw, "it is not a folder")
    return real


# --------------------------------------------------------------------------- kinds


def _bare(start: bytes, trust: _Trust) -> Layout | None:
    if not _looks_bare(start):
        return None
    return _repository("bare", start, start, b"", trust)


def _enclosing(start: bytes, trust: _Trust) -> Layout | None:
    for top in _upwards(start):
        dot = os.path.join(top, b".git")
        if not os.path.lexists(dot):
            continue
        gitdir = _gitdir(top, dot, trust)
        if gitdir is not None and _looks_like_gitdir(gitdir):
            prefix = os.path.relpath(start, top) if start != top else b""
            if b".git" in prefix.split(b"/"):
                raise _no_repository(start, "it is a part of a repository's metadata")
            return _repository("worktree", top, gitdir, prefix, trust)
        if top == start:
            raise _no_repository(start, "its .git is not that of a repository")
    return None


def _folder(start: bytes) -> Layout:
    return Layout(
        kind="folder",
        top=start,
        gitdir=None,
        common=None,
        objects=None,
        prefix=b"",
        dialect=Dialect(),
    )


def _repository(kind: str, top: bytes, gitdir: bytes, prefix: bytes, trust: _Trust) -> Layout:
    common = _common(gitdir, trust)
    objects = os.path.join(common, b"objects")
    for path in (objects, os.path.join(common, b"refs")):
        if os.path.islink(path):
            trust.require(os.path.realpath(path), "its metadata links to")
        if not os.path.isdir(path):
            raise _no_repository(top, "its metadata is incomplete")
    config = read_config(common)
    layout = Layout(
        kind="bare" if config.get("core.bare") == "true" and gitdir == common else kind,
        top=top,
        gitdir=gitdir,
        common=common,
        objects=os.path.realpath(objects),
        prefix=prefix,
        dialect=_dialect(config, top),
    )
    _require_head(layout)
    return layout


def _gitdir(top: bytes, dot: bytes, trust: _Trust) -> bytes | None:
    """The git directory that `top/.git` is or points to."""
    if os.path.islink(dot):
        trust.require(os.path.realpath(dot), "its .git links to")
    if os.path.isdir(dot):
        return os.path.realpath(dot)
    text = read_small(dot)
    if text is None or not text.startswith(b"gitdir: "):
        return None
    gitdir = os.path.realpath(os.path.join(top, text[8:].rstrip(b"\r\n")))
    if not _within(gitdir, top) and not _points_back(gitdir, dot, top):
        trust.require(gitdir, "its .git file points to")
    return gitdir


def _points_back(gitdir: bytes, dot: bytes, top: bytes) -> bool:
    """Whether the git directory names this work tree: a linked work tree, or a submodule."""
    back = read_small(os.path.join(gitdir, b"gitdir"))
    if back is not None:
        named = os.path.join(gitdir, back.rstrip(b"\r\n"))
        return os.path.realpath(named) == os.path.realpath(dot)
    with suppress(Refused):
        named_tree = read_config(gitdir).get("core.worktree")
        if named_tree is not None:
            return os.path.realpath(os.path.join(gitdir, os.fsencode(named_tree))) == top
    return False


def _common(gitdir: bytes, trust: _Trust) -> bytes:
    """The directory of refs and objects; a linked work tree stands in its `worktrees` folder."""
    text = read_small(os.path.join(gitdir, b"commondir"))
    if text is None:
        return gitdir
    common = os.path.realpath(os.path.join(gitdir, text.rstrip(b"\r\n")))
    if os.path.dirname(gitdir) != os.path.join(common, b"worktrees"):
        trust.require(common, "its common directory is")
    return common


def _upwards(path: bytes) -> Iterator[bytes]:
    while True:
        yield path
        parent = os.path.dirname(path)
        if parent == path:
            return
        path = parent


def _looks_bare(path: bytes) -> bool:
    return _looks_like_gitdir(path) and os.path.isdir(os.path.join(path, b"objects"))


def _looks_like_gitdir(path: bytes) -> bool:
    head = os.path.lexists(os.path.join(path, b"HEAD"))
    refs = os.path.isdir(os.path.join(path, b"refs"))
    return head and (refs or os.path.lexists(os.path.join(path, b"commondir")))


_HEAD = re.compile(rb"(?:ref:\s*refs/[^\0-\x20]+|[0-9a-f]{40}|[0-9a-f]{64})\s*")


def _require_head(layout: Layout) -> None:
    assert layout.gitdir is not None
    path = os.path.join(layout.gitdir, b"HEAD")
    link = os.path.islink(path)
    text = b"ref: " + os.readlink(path) if link else read_small(path) or b""
    if _HEAD.fullmatch(text) is None:
        raise _no_repository(layout.top, "its HEAD is damaged")


# --------------------------------------------------------------------------- configuration


def _dialect(config: Mapping[str, str], top: bytes) -> Dialect:
    version = config.get("core.repositoryformatversion", "0")
    if version not in ("0", "1"):
        raise _unsupported(top, f"repository format version {version!r}")
    algorithm: Algorithm = "sha1"
    for key, value in sorted(config.items()):
        if not key.startswith("extensions."):
            continue
        name = key.removeprefix("extensions.")
        if name == "objectformat" and value in _FORMATS:
            algorithm = _FORMATS[value]
        elif not (name in _HARMLESS or (name == "refstorage" and value == "files")):
            if version == "0" and name not in ("refstorage", "objectformat"):
                continue  # git ignores unknown extensions of version 0
            raise _unsupported(top, f"extension {name!r} with value {value!r}")
    return Dialect(
        algorithm=algorithm,
        ignore_case=config.get("core.ignorecase") == "true",
        precompose=config.get("core.precomposeunicode") == "true",
    )


_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\\n]|\\.)*)")?\s*\]')
_KEY = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?")


def read_config(common: bytes) -> dict[str, str]:
    """Settings of a config file as data, `section.key` or `section.name.key`, lower case keys.

    The last value wins; includes are not followed; a key alone is "true".

    Raises:
        Refused: `unsafe_config`, it is not a config file that git would read.
    """
    data = read_small(os.path.join(common, b"config"), limit=MAX_CONFIG)
    if data is None:
        return {}
    settings: dict[str, str] = {}
    section = ""
    for number, line in enumerate(_logical_lines(data), 1):
        rest = line.strip()
        if head := _SECTION.match(rest):
            name = "" if head[2] is None else "." + re.sub(r"\\(.)", r"\1", head[2])
            section = head[1].lower() + name
            rest = rest[head.end() :].strip()
        if not rest or rest[0] in "#;":
            continue
        found = _KEY.fullmatch(rest)
        if found is None or not section:
            raise Refused(
                "unsafe_config",
                f"entry {number} of the repository's config is malformed",
                subject=_shown(common),
                hint="git would not read it either; repair the file",
            )
        value = "true" if found[2] is None else _value(found[2])
        settings[f"{section}.{found[1].lower()}"] = value
    for key in ("core.bare", "core.ignorecase", "core.precomposeunicode"):
        if key in settings:
            truth = settings[key].lower() in ("true", "yes", "on", "1")
            settings[key] = "true" if truth else "false"
    return settings


def _logical_lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    return re.sub(r"(?<!\\)((?:\\\\)*)\\\r?\n", r"\1", text).split("\n")


_PIECE = re.compile(r'"((?:[^"\\]|\\.)*)"|\\(.)|([#;].*)|(.)', re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}


def _value(text: str) -> str:
    out: list[str] = []
    for quoted, escaped, comment, char in _PIECE.findall(text):
        if comment:
            break
        if quoted:
            out.append(re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), quoted))
        else:
            out.append(_ESCAPES.get(escaped, escaped) or char)
    return "".join(out).strip()


# --------------------------------------------------------------------------- leaving the tree


class _Trust:
    """The places outside the repository at `top` that the user named."""

    def __init__(self, allowed: tuple[str, ...], top: bytes) -> None:
        self.top = top
        self._allowed = [os.path.realpath(os.fsencode(path)) for path in allowed]

    def require(self, target: bytes, what: str) -> None:
        real = os.path.realpath(target)
        if not any(_within(real, place) for place in self._allowed):
            raise Refused(
                "outside_tree",
                f"{what} {_shown(real)}, outside the repository",
                subject=_shown(self.top),
                hint=f"if you trust that place: --allow-alternate {_shown(real)}",
            )


def _alternates(objects: bytes) -> list[bytes]:
    text = read_small(os.path.join(objects, b"info", b"alternates"), limit=MAX_CONFIG) or b""
    targets: list[bytes] = []
    for line in text.split(b"\n"):
        if not line or line.startswith(b"#"):
            continue
        path = unquote_path(line.decode("utf-8", "surrogateescape"))
        targets.append(os.path.realpath(os.path.join(objects, line if path is None else path)))
    return targets


def _refuse_links(objects: bytes, trust: _Trust) -> None:
    """No folder, pack or loose object may be a link elsewhere, or a pipe that git would wait for."""
    for entry in _entries(objects):
        if entry.is_symlink():
            trust.require(entry.path, "its object store links to")
        elif entry.is_dir(follow_symlinks=False):
            for inner in _entries(entry.path):
                if inner.is_symlink():
                    trust.require(inner.path, "its object store links to")
                elif not (inner.is_file() or inner.is_dir()):
                    raise Refused(
                        "corrupt_object",
                        f"{_shown(inner.path)} in the object store is not a file",
                        subject=_shown(trust.top),
                        hint="remove it and run again",
                    )


def _entries(folder: bytes) -> list[os.DirEntry[bytes]]:
    with suppress(OSError), os.scandir(folder) as entries:
        return list(entries)
    return []


def _within(path: bytes, folder: bytes) -> bool:
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def _refuse_home(layout: Layout) -> None:
    root = os.path.join(layout.top, layout.prefix).rstrip(b"/") or b"/"
    home = os.path.realpath(os.fsencode(Path.home()))
    if root == b"/" or _within(home, root):
        raise Refused(
            "home_folder",
            "this is your home folder, or a parent of it",
            subject=_shown(root),
            hint="name the repository inside it",
        )


def _refuse_many(start: bytes) -> None:
    found: list[bytes] = []
    looked = 0
    for child in _folders(start):
        for path in (child, *_folders(child)):
            looked += 1
            if os.path.lexists(os.path.join(path, b".git")):
                found.append(path)
            if len(found) >= MANY_REPOSITORIES:
                raise Refused(
                    "many_repositories",
                    f"this folder holds several repositories, among them {_shown(found[0])}",
                    subject=_shown(start),
                    hint="index them one by one",
                )
            if looked > LOOK_AT:
                return


def _folders(path: bytes) -> list[bytes]:
    found = [e.path for e in _entries(path) if e.is_dir(follow_symlinks=False)]
    return sorted(found)[:LOOK_AT]


# --------------------------------------------------------------------------- small things


def read_small(path: bytes, *, limit: int = SMALL) -> bytes | None:
    """A small regular file, links not followed; None when it is not there or not such a file."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_size > limit:
            return None
        with os.fdopen(fd, "rb", closefd=False) as file:
            return file.read(limit)
    except OSError:
        return None
    finally:
        os.close(fd)


def _shown(path: bytes) -> str:
    return quote_path(path)


def _no_repository(path: bytes, why: str) -> BadInput:
    return BadInput(
        "not_a_repository",
        f"this cannot be read as a repository: {why}",
        subject=_shown(path),
        hint="name a git work tree, a bare repository, or a folder with files",
    )


def _unsupported(top: bytes, what: str) -> Refused:
    return Refused(
        "unsupported_extension",
        f"the repository uses {what}, which this version does not read",
        subject=_shown(top),
        hint="clone it into a repository of the usual format and index the clone",
    )

"""Repositories, snapshots, entries: the only things that carry version and access."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, NewType

RepositoryId = NewType("RepositoryId", str)
"""Digest of the repository's identity (canonical git common directory plus work tree)."""

BlobId = NewType("BlobId", str)
"""Hex id of the masked view of a blob: the only blob id that is ever printed."""


class Mode(StrEnum):
    """Kind of a path in a snapshot."""

    FILE = "file"
    EXECUTABLE = "executable"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    SPECIAL = "special"


class Outcome(StrEnum):
    """What became of a path: exactly one of these (law 4)."""

    INDEXED = "indexed"
    INDEXED_AS_TEXT = "indexed_as_text"
    SKIPPED = "skipped"
    FAILED = "failed"


class Reason(StrEnum):
    """Why a path was skipped or failed, or why it was indexed as text only or with gaps."""

    BINARY = "binary"
    TOO_LARGE = "too_large"
    TOO_DEEP = "too_deep"
    MINIFIED = "minified"
    GENERATED = "generated"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    LFS_POINTER = "lfs_pointer"
    EMPTY = "empty"
    UNDECODABLE = "undecodable"
    PATH_TOO_LONG = "path_too_long"
    SECRET = "secret"
    NOT_REGULAR_FILE = "not_regular_file"
    UNREADABLE = "unreadable"
    NESTED_REPOSITORY = "nested_repository"
    CORRUPT_OBJECT = "corrupt_object"
    MISSING_OBJECT = "missing_object"
    EXCLUDED = "excluded"
    CHANGED_WHILE_READING = "changed_while_reading"
    PARSER_CRASH = "parser_crash"
    PARSER_TIMEOUT = "parser_timeout"
    PARSER_MEMORY = "parser_memory"
    PARSED_IN_PART = "parsed_in_part"


class FlagName(StrEnum):
    """Flags of an entry or of a blob's content."""

    TEST = "test"
    DOCS = "docs"
    VENDORED = "vendored"
    GENERATED = "generated"
    MINIFIED = "minified"
    CONFIG = "config"
    EXAMPLE = "example"
    SECRET = "secret"
    BIDI_CONTROL = "bidi_control"
    CONFUSABLE = "confusable"
    INVISIBLE_IDENTIFIER = "invisible_identifier"
    INVISIBLE_TEXT = "invisible_text"
    DATA = "data"


class Said(StrEnum):
    """What an attribute file says of a flag: yes, no, or that nothing before it counts."""

    SET = "set"
    UNSET = "unset"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, order=True)
class Flag:
    """A flag with the rule that set it, e.g. `("test", "path:tests/")`.

    Until all is known that a reader may know, a path carries everything that is said of its flags:
    what its own name says, then what attribute files say, each with its `file` (b"" for all else),
    in the order in which they overrule each other. `standing` tells what remains.
    """

    name: FlagName
    rule: str
    file: bytes = b""
    said: Said = Said.SET


ATTRIBUTES_RULE = "gitattributes:"
"""How the rule of a flag begins that an attribute file set."""


def standing(flags: tuple[Flag, ...]) -> tuple[Flag, ...]:
    """The flags that remain when every attribute file has overruled what stands before it, sorted."""
    last = {flag.name: flag for flag in flags if flag.file}
    if not last:
        return flags
    silent = last.keys() - {flag.name for flag in last.values() if flag.said is not Said.WITHDRAWN}
    own = [f for f in flags if not f.file and (f.name not in last or f.name in silent)]
    told = [Flag(flag.name, flag.rule) for flag in last.values() if flag.said is Said.SET]
    return tuple(sorted((*own, *told)))


def heard(flags: tuple[Flag, ...], reads: Callable[[bytes], bool]) -> tuple[Flag, ...]:
    """What is said of a path's flags without the attribute files that `reads` refuses.

    A flag of an index that did not keep the file of its rule is left out: nobody knows who may
    read it.
    """
    return tuple(
        flag
        for flag in flags
        if (reads(flag.file) if flag.file else not flag.rule.startswith(ATTRIBUTES_RULE))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One repository at one commit, or its work tree.

    `version` is the commit id (hex) or `worktree:<generation>`, which the store fills in; `commit`
    is the commit itself (for a work tree: HEAD, or "" without one). `ref` is the full ref name, or
    None.
    """

    repository: RepositoryId
    ref: str | None
    commit: str
    version: str
    dirty: bool


class SourceEntry(NamedTuple):
    """A path as the repository reader found it, before its content was looked at.

    `raw_id` is the git blob id (binary) of the stored bytes, or None when it is not known yet (a
    work-tree file whose stat signature is new). `skip` is set when the reader already knows that
    the content must not be read. `size` in bytes, -1 unknown.
    """

    path: bytes
    mode: Mode
    raw_id: bytes | None
    size: int
    skip: Reason | None = None
    detail: str = ""
    flags: tuple[Flag, ...] = ()
    signature: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """(snapshot, path) -> blob, with its outcome. `blob` is None when nothing was indexed.

    `dirty` says that a work-tree file is not what the commit under it holds.
    """

    path: bytes
    mode: Mode
    blob: BlobId | None
    language: str
    outcome: Outcome
    reason: Reason | None
    detail: str
    flags: tuple[Flag, ...]
    symbols: int
    size: int
    dirty: bool = False

# ruff: noqa: PTH114, PTH115, PTH118
# Paths are bytes in this file, which pathlib does not hold.
"""Names to commits, read from loose refs and `packed-refs` by us; git is asked about objects only.

A name means what it means to git, with one difference: a short name that fits several refs which
hold different commits is an error, not a silent choice.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from grainline.errors import BadInput, Refused
from grainline.model.position import quote_path
from grainline.model.snapshot import Reason
from grainline.snapshots.git import ID_BYTES, Git, ObjectInfo
from grainline.snapshots.layout import read_small
from grainline.snapshots.worktree import RACY_NS, Signature, signature_of

MAX_PACKED = 1 << 28  # bytes of packed-refs
MAX_REFS = 1_000_000
MAX_HOPS = 5  # symbolic refs in a row, as git
SHOWN = 10  # names in an error message

_PER_WORKTREE = ("refs/bisect/", "refs/worktree/", "refs/rewritten/")
_FORBIDDEN = re.compile(
    r"[\0-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|$)|\.$|/$|^[./]|^@$", re.DOTALL
)
_HEX = re.compile(r"[0-9a-f]{4,64}")
_SUFFIX = re.compile(r"(?:[~^][0-9]{0,6})+")
_ABSENT, _DAMAGED = "is not in this repository", "is damaged"
_SHORT_FORMS = (
    "refs/{}",
    "refs/tags/{}",
    "refs/heads/{}",
    "refs/remotes/{}",
    "refs/remotes/{}/HEAD",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A commit, and the full ref name that led to it (None for an id or a revision suffix)."""

    ref: str | None
    commit: str


def is_ref_name(name: str) -> bool:
    """Whether git would allow `name` as a full ref name."""
    return bool(name) and _FORBIDDEN.search(name) is None


class Refs:
    """The refs of one repository at the time of each call.

    Args:
        gitdir: where HEAD and the refs of one work tree are.
        common: where all other refs are.
        git: to look at the objects that they name.
        subject: a ref as error messages show it, with the repository.
    """

    def __init__(
        self, gitdir: bytes, common: bytes, git: Git, subject: Callable[[str], str]
    ) -> None:
        self._subject = subject
        self._packed_state: Signature | None = None
        self._packed_held = b""
        self._gitdir = gitdir
        self._common = common
        self._git = git
        self._hex = 2 * ID_BYTES[git.dialect.algorithm]

    def resolve(self, name: str) -> Resolved:
        """The commit that `name` means: HEAD, a full or short ref name, an id, with `~n` or `^n`.

        Raises:
            BadInput: `unknown_ref`, `ambiguous_ref`, `not_a_commit`, `no_commit`.
            Refused: `missing_object`, `corrupt_object`.
        """
        base, suffix = _split(name)
        ref, target = self._target(base, name)
        commit = self._commit(name, target)
        if suffix:
            return Resolved(ref=None, commit=self._ancestor(name, commit, suffix))
        return Resolved(ref=ref, commit=commit)

    def head(self) -> str:
        """The commit of HEAD, or "" before the first commit.

        Raises:
            Refused: `missing_object`, `corrupt_object`.
        """
        target = self.read("HEAD")
        return self._commit("HEAD", target) if target is not None else ""

    def read(self, ref: str) -> str | None:
        """The object id that a full ref name holds, symbolic refs followed; None without one."""
        for _ in range(MAX_HOPS + 1):
            value = self._loose(ref) or self._packed(ref)
            if value is None or not value.startswith("ref:"):
                return value
            ref = value[4:].strip()
            if not ref.startswith("refs/") or not is_ref_name(ref):
                return None
        return None

    def names(self) -> list[str]:
        """Full names of all refs, sorted."""
        return sorted({*self._packed_names(), *self._loose_names()})

    # ----------------------------------------------------------------------- meaning of a name

    def _target(self, base: str, name: str) -> tuple[str | None, str]:
        if base in ("HEAD", "@"):
            target = self.read("HEAD")
            if target is None:
                raise self._unborn(name)
            return "HEAD", target
        if self._is_id(base) and self._git.check((base,))[0].kind != Reason.MISSING_OBJECT:
            return None, base
        found = self._candidates(base)
        if found:
            return self._only(name, found)
        if _HEX.fullmatch(base):
            return None, self._expand(base, name)
        raise self._unknown(name)

    def _candidates(self, base: str) -> list[tuple[str, str]]:
        if not is_ref_name(base):
            return []
        own = [base] if base.startswith("refs/") else []
        forms = own + [form.format(base) for form in _SHORT_FORMS]
        found = ((form, self.read(form)) for form in forms)
        return [(form, target) for form, target in found if target is not None]

    def _only(self, name: str, found: list[tuple[str, str]]) -> tuple[str, str]:
        if found[0][0] == name or len(found) == 1:
            return found[0]
        commits = {self._commit(name, target) for _, target in found}
        if len(commits) > 1:
            raise BadInput(
                "ambiguous_ref",
                f"{name!r} names several commits",
                subject=self._subject(name),
                hint="use a full name: " + ", ".join(form for form, _ in found),
            )
        heads = [pair for pair in found if pair[0].startswith("refs/heads/")]
        return (heads or found)[0]

    def _expand(self, base: str, name: str) -> str:
        info = self._git.check((base,))[0]
        if info.kind == "ambiguous":
            raise BadInput(
                "ambiguous_ref",
                f"{name!r} is the start of several ids",
                subject=self._subject(name),
                hint="use the whole id",
            )
        if info.kind == Reason.CORRUPT_OBJECT:
            raise self._unreadable(info, name)
        if info.size < 0:
            raise self._unknown(name)
        return info.id

    def _commit(self, name: str, target: str) -> str:
        info = self._git.check((target,))[0]
        if info.kind == "tag":
            info = self._git.check((f"{target}^{{}}",))[0]
        if info.kind == "commit":
            return info.id
        if info.size < 0:
            raise self._unreadable(info, name)
        raise BadInput(
            "not_a_commit",
            f"{name!r} names a {info.kind}",
            subject=self._subject(name),
            hint="use a branch, a tag or a commit",
        )

    def _ancestor(self, name: str, commit: str, suffix: str) -> str:
        info = self._git.check((f"{commit}{suffix}^{{commit}}",))[0]
        if info.size < 0:
            raise BadInput(
                "unknown_ref",
                f"{name!r} has no such ancestor here",
                subject=self._subject(name),
                hint="the history may be shallow; name a commit that is here",
            )
        return info.id

    def _unknown(self, name: str) -> BadInput:
        names = self.names()
        if not names and self.read("HEAD") is None:
            return self._unborn(name)
        shown = ", ".join(quote_path(os.fsencode(_short(ref))) for ref in names[:SHOWN])
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        return BadInput(
            "unknown_ref",
            f"there is no ref or commit {name!r}",
            subject=self._subject(name),
            hint=f"there are: {shown}{more}",
        )

    def _unborn(self, name: str) -> BadInput:
        return BadInput(
            "no_commit",
            f"{name!r} has no commit yet",
            subject=self._subject(name),
            hint="commit something and run again",
        )

    def _unreadable(self, info: ObjectInfo, name: str) -> Refused:
        missing = info.kind == Reason.MISSING_OBJECT
        return Refused(
            info.kind,
            f"the commit that {name!r} names {_ABSENT if missing else _DAMAGED}",
            subject=self._subject(name),
            hint="fetch it again, or name another ref",
        )

    # ----------------------------------------------------------------------- files

    def _loose(self, ref: str) -> str | None:
        if ref != "HEAD" and not is_ref_name(ref):
            return None
        own = ref == "HEAD" or ref.startswith(_PER_WORKTREE)
        path = os.path.join(self._gitdir if own else self._common, os.fsencode(ref))
        if os.path.islink(path):
            target = os.fsdecode(os.readlink(path))
            return f"ref: {target}" if target.startswith("refs/") else None
        text = (read_small(path) or b"").decode("utf-8", "surrogateescape")
        if text.startswith("ref:"):
            return text.rstrip()
        word = text[: self._hex]
        return word if self._is_id(word) and not text[self._hex :].strip() else None

    def _packed_text(self) -> bytes:
        """`packed-refs` between line ends: as it was read, while its stat signature tells so."""
        path = os.path.join(self._common, b"packed-refs")
        state = _settled(path)
        if state is None or state != self._packed_state:
            self._packed_held = b"\n%b\n" % (read_small(path, limit=MAX_PACKED) or b"")
            self._packed_state = state if state == _settled(path) else None
        return self._packed_held

    def _packed(self, ref: str) -> str | None:
        """The id beside `ref`, found by search: there may be 100,000 lines, and one is wanted."""
        if not ref.startswith("refs/"):
            return None
        packed = self._packed_text()
        at = packed.find(b" " + os.fsencode(ref) + b"\n")
        line = packed[max(at - self._hex - 1, 0) : max(at, 0)].decode("ascii", "replace")
        return line[1:] if line[:1] == "\n" and self._is_id(line[1:]) else None

    def _packed_names(self) -> Iterator[str]:
        for line in self._packed_text().decode("utf-8", "surrogateescape").split("\n"):
            word, _, ref = line.partition(" ")
            if self._is_id(word) and ref.startswith("refs/") and is_ref_name(ref):
                yield ref

    def _loose_names(self) -> Iterator[str]:
        left = MAX_REFS
        folders = [b"refs"]
        while folders and left:
            folder = folders.pop()
            with suppress(OSError), os.scandir(os.path.join(self._common, folder)) as entries:
                for entry in entries:
                    left -= 1
                    path = folder + b"/" + entry.name
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(path)
                    elif is_ref_name(ref := os.fsdecode(path)) and self.read(ref):
                        yield ref
                    if not left:
                        break

    def _is_id(self, word: str) -> bool:
        return len(word) == self._hex and _HEX.fullmatch(word) is not None


def _settled(path: bytes) -> Signature | None:
    """The stat signature of a file that has rested for a while; None without one."""
    try:
        found = signature_of(os.lstat(path))
    except OSError:
        return None
    return found if max(found[:2]) + RACY_NS < time.time_ns() else None


def _split(name: str) -> tuple[str, str]:
    """`name` without and with its revision suffix; a ref name never holds `~` or `^`."""
    at = min((i for i in map(name.find, "~^") if i >= 0), default=len(name))
    base, suffix = name[:at], name[at:]
    return (base, suffix) if _SUFFIX.fullmatch(suffix) else (name, "")


def _short(ref: str) -> str:
    for start in ("refs/heads/", "refs/tags/", "refs/remotes/"):
        if ref.startswith(start):
            return ref.removeprefix(start)
    return ref

"""From names that people type to a `Scope`: views that exist, refs that are meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from grainline.errors import BadInput
from grainline.model.access import WORKTREE, Bounds, Principal, Scope, View

PREFIXES = ("refs/heads/", "refs/tags/", "refs/remotes/", "refs/")
OWNER = Principal(name="owner", owner=True)
UNBOUNDED = Bounds()


@dataclass(frozen=True, slots=True, kw_only=True)
class Available:
    """A view that a principal may ask for, with the names by which people know it."""

    repository: str
    view: View
    commit: str


def build_scope(
    available: Sequence[Available],
    *,
    repositories: Sequence[str] = (),
    refs: Sequence[str] = (),
    principal: Principal = OWNER,
    classes: frozenset[int] | None = None,
    epoch: int = 0,
    within: Bounds = UNBOUNDED,
) -> Scope:
    """The scope for what was asked; without refs the work tree where there is one, else HEAD.

    Inside bounds that name refs, all of these are the default.

    Args:
        available: every view that `principal` may know of.
        repositories: names; empty means all.
        refs: ref names (full or short), `WORKTREE`, or commit ids; empty means the default.
        principal: who asks.
        classes: the access classes that `principal` reads; None for everything.
        epoch: that of the policy in force.
        within: what else is as if it were not indexed.

    Raises:
        BadInput: nothing is indexed, or a name means nothing or several things. A name that the
            principal may not know fails like one that does not exist.
    """
    available = _bounded(available, within)
    if not available:
        raise _nothing(principal)
    chosen = _repositories(available, repositories)
    views: list[View] = []
    of: dict[str, list[Available]] = {}
    for row in available:
        of.setdefault(row.repository, []).append(row)
    for name in chosen:
        only = len(chosen) == 1 and bool(refs)
        views += _views(name, of[name], refs or within.refs, only=only)
    if refs and not views:
        raise _unknown_ref(refs[0], available, chosen)
    found = set(views)
    for ref in refs:
        if not any(_means(row, ref) for row in available if row.view in found):
            raise _unknown_ref(ref, available, chosen)
    order = {row.view: (row.repository, row.view.ref) for row in available}
    return Scope(
        views=tuple(sorted(found, key=order.__getitem__)),
        classes=classes,
        epoch=epoch,
        principal=principal,
    )


def everything(
    available: Sequence[Available],
    *,
    repositories: Sequence[str] = (),
    principal: Principal = OWNER,
    classes: frozenset[int] | None = None,
    epoch: int = 0,
    within: Bounds = UNBOUNDED,
) -> Scope:
    """The scope of every view (of repositories) that a principal may know of; see `build_scope`.

    Raises:
        BadInput: nothing is indexed, or no repository is called so.
    """
    available = _bounded(available, within)
    if not available:
        raise _nothing(principal)
    chosen = set(_repositories(available, repositories))
    views = tuple(row.view for row in available if row.repository in chosen)
    return Scope(views=views, classes=classes, epoch=epoch, principal=principal)


def _bounded(available: Sequence[Available], within: Bounds) -> list[Available]:
    return [
        row
        for row in available
        if (not within.repositories or row.repository in within.repositories)
        and (not within.refs or any(_means(row, ref) for ref in within.refs))
    ]


def _nothing(principal: Principal) -> BadInput:
    """The error of a home that holds nothing for who asks.

    Nobody but the owner can tell by it whether anything is indexed, or whether the policy knows them.
    """
    if principal.owner:
        what, hint = "this home holds no index yet", "run: grainline index PATH"
    else:
        what = "nothing is indexed here that this principal may read"
        hint = "who keeps this home opens paths: grainline access set FILE"
    return BadInput("nothing_indexed", what, hint=hint)


def _repositories(available: Sequence[Available], names: Sequence[str]) -> tuple[str, ...]:
    known = sorted({row.repository for row in available})
    for name in names:
        if name not in known:
            close = get_close_matches(name, known, n=3)
            raise BadInput(
                "unknown_repository",
                f"no repository is called {name!r}",
                hint=f"did you mean {close[0]!r}?" if close else "indexed: " + _some(known),
            )
    return tuple(dict.fromkeys(names)) or tuple(known)


def _views(name: str, mine: Sequence[Available], refs: Sequence[str], *, only: bool) -> list[View]:
    if not refs:
        return [_default(name, mine)]
    found: list[View] = []
    for ref in refs:
        meant = [row for row in mine if _means(row, ref)]
        exact = [row for row in meant if row.view.ref == ref]
        if not exact and _is_commit(ref) and len({row.commit for row in meant}) == 1:
            exact = [min(meant, key=lambda row: (row.view.ref != row.commit, row.view.ref))]
        if len(meant) > 1 and not exact and only:
            raise BadInput(
                "ambiguous_ref",
                f"{ref!r} is " + " and ".join(row.view.ref for row in meant),
                subject=name,
                hint="give the full name",
            )
        found += [row.view for row in exact or meant]
    return found


def _default(name: str, mine: Sequence[Available]) -> View:
    by_ref = {row.view.ref: row.view for row in mine}
    for ref in (WORKTREE, "HEAD"):
        if ref in by_ref:
            return by_ref[ref]
    if len(mine) == 1:
        return mine[0].view
    raise BadInput(
        "ref_needed",
        "several refs are indexed and none of them is HEAD or the work tree",
        subject=name,
        hint="add --ref: " + _some(sorted(by_ref)),
    )


def _means(row: Available, ref: str) -> bool:
    full = row.view.ref
    if ref == full or any(full == prefix + ref for prefix in PREFIXES):
        return True
    return _is_commit(ref) and full != WORKTREE and row.commit.startswith(ref.lower())


def _is_commit(ref: str) -> bool:
    """Whether a name can be the start of a commit id; 7 digits are what git shows at least."""
    return _COMMIT.fullmatch(ref) is not None


_COMMIT = re.compile(r"[0-9a-fA-F]{7,64}")


def _unknown_ref(ref: str, available: Iterable[Available], repositories: Sequence[str]) -> BadInput:
    known = sorted({row.view.ref for row in available if row.repository in repositories})
    subject = f"{repositories[0]}@{ref}" if len(repositories) == 1 else ""
    return BadInput(
        "unknown_ref",
        f"{ref!r} is not indexed",
        subject=subject,
        hint=f"indexed: {_some(known)}. Run: grainline index PATH --ref {ref}",
    )


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:8]))
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"

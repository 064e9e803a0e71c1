"""Who may read what. Only the room `access/` builds a `Scope`."""

from __future__ import annotations

from dataclasses import dataclass, field

from grainline.model.snapshot import RepositoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who asks. The owner of the home reads everything."""

    name: str
    groups: frozenset[str] = frozenset()
    owner: bool = False


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class View:
    """The entries of one snapshot: a repository at a ref (`WORKTREE` for the work tree)."""

    repository: RepositoryId
    ref: str


WORKTREE = "WORKTREE"
"""Ref name of a work-tree view; no git ref is ever called so (git refs hold a slash or HEAD)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Views x what the principal may read in them. It defines every statistic of an answer.

    `classes` is None when the principal reads everything in the views (the owner, or no policy),
    else the ids of the access classes that are readable. `epoch` is the policy epoch.
    """

    views: tuple[View, ...]
    classes: frozenset[int] | None = None
    epoch: int = 0
    principal: Principal = field(default_factory=lambda: Principal(name="owner", owner=True))

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


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class AccessRule:
    """Who may read what lies at or below a prefix.

    `repository` is a label, "" for every repository. `prefix` counts whole path components:
    `src/pay` and `src/pay/` both mean that path and everything below it, never `src/payments`; b""
    is the whole repository. Among the rules that fit a path the longest prefix decides, then the
    one that names the repository. Empty `groups` close what a shorter prefix opened.
    """

    repository: str
    prefix: bytes
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Who reads what in a home. No rule for a path: nobody but the owner.

    `epoch` counts the edits of the policy; answers of one epoch never serve another. `users` holds
    (name, groups), `rules` are sorted; both without repetition.
    """

    epoch: int
    users: tuple[tuple[str, tuple[str, ...]], ...]
    rules: tuple[AccessRule, ...]

    @property
    def classes(self) -> tuple[tuple[str, ...], ...]:
        """The access classes: the distinct group lists of the rules, sorted; ids are positions."""
        return tuple(sorted({rule.groups for rule in self.rules}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Names that a server was started for: beyond them nothing exists, for nobody that it answers.

    Empty `repositories` or `refs` mean all of them.
    """

    repositories: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()


WORKTREE = "WORKTREE"
"""Ref name of a work-tree view; no git ref is ever called so (git refs hold a slash or HEAD)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Views x what the principal may read in them. It defines every statistic of an answer.

    `classes` is None when the principal reads everything in the views (the owner, or no policy),
    else the ids of the access classes that are readable (positions in `Policy.classes`). `epoch` is
    that of the policy; 0 without one.
    """

    views: tuple[View, ...]
    classes: frozenset[int] | None = None
    epoch: int = 0
    principal: Principal = field(default_factory=lambda: Principal(name="owner", owner=True))

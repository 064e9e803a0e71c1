"""What a home need not keep: views of refs that are gone, and historic ones beyond their bounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence

from grainline.access import PREFIXES
from grainline.model.access import WORKTREE, View
from grainline.model.answers import Ended, Retention
from grainline.storage.base import ViewStatus

DAY = 86_400


def without_ref(
    views: Sequence[ViewStatus], names: Collection[str], retention: Retention
) -> Iterator[tuple[View, Ended]]:
    """Views of one repository whose branch or tag it has no more.

    Args:
        views: of the repository.
        names: full names of its refs.
        retention: what stays all the same.
    """
    for status in views:
        ref = status.view.ref
        if ref.startswith("refs/") and ref not in names and not _is_pinned(status, retention):
            yield status.view, _ended(status, "the repository has this ref no more")


def out_of_bounds(
    views: Sequence[ViewStatus],
    retention: Retention,
    last_used: Callable[[View], float],
    *,
    now: float | None = None,
) -> Iterator[tuple[View, Ended]]:
    """Historic views of one repository beyond their number or age."""
    moment = time.time() if now is None else now
    for rank, status in enumerate(by_use(views, retention, last_used)):
        if rank >= retention.historic:
            why = f"{retention.historic} historic views are kept, others were used later"
            yield status.view, _ended(status, why)
        elif retention.days is not None and (
            moment - _used(status, last_used) > retention.days * DAY
        ):
            yield status.view, _ended(status, f"it was not used for {retention.days} days")


def by_use(
    views: Sequence[ViewStatus], retention: Retention, last_used: Callable[[View], float]
) -> list[ViewStatus]:
    """Historic views that may end, the last used first."""
    mine = [status for status in views if status.historic and not _is_pinned(status, retention)]
    return sorted(mine, key=lambda status: (-_used(status, last_used), status.view.ref))


def over_quota(status: ViewStatus) -> Ended:
    """What is said of a view that ends because the home is too large."""
    return _ended(status, "the home is larger than its quota")


def _used(status: ViewStatus, last_used: Callable[[View], float]) -> float:
    return max(last_used(status.view), float(status.indexed_at))


def _is_pinned(status: ViewStatus, retention: Retention) -> bool:
    full = status.view.ref
    if full == WORKTREE:
        return True
    names = {full, *(full.removeprefix(prefix) for prefix in PREFIXES)}
    is_commit = not full.startswith("refs/")
    return bool(names & set(retention.pinned)) or (
        is_commit and any(len(name) >= 7 and full.startswith(name) for name in retention.pinned)
    )


def _ended(status: ViewStatus, why: str) -> Ended:
    return Ended(repository=status.repository.name, ref=status.view.ref, why=why)

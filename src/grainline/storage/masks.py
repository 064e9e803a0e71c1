"""Which rows of a membership a set of access classes may read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence, Set

import numpy as np
from numpy.typing import NDArray

from grainline.model.access import AccessRule, Policy


def readable(
    policy: Policy, classes: frozenset[int], repository: str, paths: Sequence[bytes]
) -> NDArray[np.bool_]:
    """`(len(paths),)` rows whose deciding rule belongs to one of `classes`.

    Args:
        policy: the rules in force.
        classes: positions in `policy.classes`.
        repository: label of the repository.
        paths: sorted, distinct.
    """
    known = policy.classes
    numbers = {groups: number for number, groups in enumerate(known)}
    mask = np.zeros(len(paths), np.bool_)
    for rule in _by_strength(policy.rules, repository):
        allowed = numbers[rule.groups] in classes
        for start, end in _ranges(rule.prefix.rstrip(b"/"), paths):
            mask[start:end] = allowed
    return mask


def opened(policy: Policy, classes: frozenset[int], repositories: Set[str]) -> Set[str]:
    """Those of `repositories` in which some rule opens a path to one of `classes`."""
    numbers = {groups: number for number, groups in enumerate(policy.classes)}
    named = {rule.repository for rule in policy.rules if numbers[rule.groups] in classes}
    return repositories if "" in named else repositories & named


def _by_strength(rules: Sequence[AccessRule], repository: str) -> list[AccessRule]:
    """The rules that concern a repository; a later one overrules an earlier one."""
    mine = [rule for rule in rules if rule.repository in ("", repository)]
    return sorted(mine, key=lambda rule: (len(rule.prefix.rstrip(b"/")), rule.repository != ""))


def _ranges(prefix: bytes, paths: Sequence[bytes]) -> list[tuple[int, int]]:
    """Where the path `prefix` itself and what lies below it stand in `paths`."""
    if not prefix:
        return [(0, len(paths))]
    at = bisect_left(paths, prefix)
    found = [(at, at + 1)] if at < len(paths) and paths[at] == prefix else []
    below = (bisect_left(paths, prefix + b"/"), bisect_left(paths, prefix + b"0"))  # 0 follows /
    return [*found, below]

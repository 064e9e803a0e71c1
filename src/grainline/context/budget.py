"""Selection: the most utility under a hard budget, with reserved shares.

Every candidate may enter in one of several forms (whole, slice, head); at most one is taken. Each
share is filled on its own, best selection first, with what the shares before it left over; what
is left in the end goes to the best upgrades and to those who did not fit their share. The target
may take from the other shares what its shortest form needs: without it the rest explains nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.context.expansion import Share
from grainline.context.tuning import DEFAULT_TUNING
from grainline.model.position import Span

UNITS = 4096  # steps of the knapsack; costs are rounded up to a step


class Option(NamedTuple):
    """One form of a candidate: `cost` in tokens of the rendered item."""

    spans: tuple[Span, ...]
    level: int
    utility: float
    cost: int


class Group(NamedTuple):
    """The forms of one candidate and the share that it draws on."""

    share: Share
    options: tuple[Option, ...]


def select(
    groups: Sequence[Group], budget: int, shares: Sequence[int] = DEFAULT_TUNING.shares
) -> tuple[int, ...]:
    """For each group the option taken, or -1; the costs sum to at most `budget`.

    `shares` are the parts of the budget, in the order of `Share`.
    """
    taken = [-1] * len(groups)
    if budget <= 0:
        return tuple(taken)
    total = sum(shares)
    spare = 0
    reserved = 0
    for share in Share:
        quota = budget * (reserved + shares[share]) // total - budget * reserved // total
        reserved += shares[share]
        rows = [row for row, group in enumerate(groups) if group.share is share]
        room = max(0, quota + spare)
        if share is Share.TARGET and rows:
            room = min(budget, max(room, min(each.cost for each in groups[rows[0]].options)))
        for row, option in zip(rows, _knapsack([groups[row] for row in rows], room), strict=True):
            taken[row] = option
        spare += quota - _spent(groups, taken, rows)
    _upgrade(groups, taken, spare)
    return tuple(taken)


def _spent(groups: Sequence[Group], taken: Sequence[int], rows: Sequence[int]) -> int:
    return sum(groups[row].options[taken[row]].cost for row in rows if taken[row] >= 0)


def _knapsack(groups: Sequence[Group], capacity: int) -> list[int]:
    """Multiple-choice knapsack; ties keep the earlier choice, so the result is one."""
    unit = max(1, math.ceil(capacity / UNITS))
    slots = capacity // unit  # rounded down, as costs are rounded up: never over
    value: NDArray[np.float64] = np.zeros(slots + 1)
    picks: list[NDArray[np.int16]] = []
    for group in groups:
        best = value.copy()
        pick: NDArray[np.int16] = np.full(slots + 1, -1, np.int16)
        for number, option in enumerate(group.options):
            cost = math.ceil(option.cost / unit)
            if cost > slots:
                continue
            offer = value[: slots + 1 - cost] + option.utility
            better = offer > best[cost:]
            best[cost:][better] = offer[better]
            pick[cost:][better] = number
        value = best
        picks.append(pick)
    out = [-1] * len(groups)
    at = slots
    for row in range(len(groups) - 1, -1, -1):
        out[row] = int(picks[row][at])
        if out[row] >= 0:
            at -= math.ceil(groups[row].options[out[row]].cost / unit)
    return out


def _upgrade(groups: Sequence[Group], taken: list[int], spare: int) -> None:
    """Spend `spare` on changes of form by utility per token, best first."""
    while True:
        best: tuple[float, int, int, int] | None = None
        for row, group in enumerate(groups):
            now = group.options[taken[row]] if taken[row] >= 0 else None
            for number, option in enumerate(group.options):
                gain = option.utility - (now.utility if now else 0.0)
                cost = option.cost - (now.cost if now else 0)
                if gain <= 0.0 or cost > spare:
                    continue
                rate = (gain / max(1, cost), -row, -number, cost)
                if best is None or rate > best:
                    best = rate
        if best is None:
            return
        taken[-best[1]] = -best[2]
        spare -= best[3]

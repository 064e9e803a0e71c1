"""How far edges of a tier may be believed: the lower bound of what was measured.

`confidence.tsv` beside this file is data, a row `language<TAB>tier<TAB>sampled<TAB>right` for each
sample of edges that were judged. What has no row is unmeasured.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from math import sqrt
from typing import Final

from grainline.model.edge import Tier

Z: Final = 1.959964
"""Quantile of the normal distribution for 95 %."""


def confidence(language: str, tier: Tier | None) -> float | None:
    """The confidence of an edge in a file of `language`, in [0, 1]; None: unmeasured."""
    return _table().get((language, tier))


def wilson(right: int, sampled: int) -> float:
    """Lower bound, at 95 %, of a share of which `right` of `sampled` were seen; 0 for no sample.

    References:
        Wilson, JASA 22(158), 1927.
    """
    if not sampled:
        return 0.0
    share, square = right / sampled, Z * Z
    middle = share + square / (2 * sampled)
    spread = Z * sqrt(share * (1 - share) / sampled + square / (4 * sampled * sampled))
    return max(0.0, (middle - spread) / (1 + square / sampled))


@cache
def _table() -> dict[tuple[str, Tier | None], float]:
    data = pkgutil.get_data("grainline.graph", "confidence.tsv") or b""
    found: dict[tuple[str, Tier | None], float] = {}
    for row in data.decode().splitlines():
        language, tier, sampled, right = row.split("\t")
        found[language, Tier[tier.upper()]] = round(wilson(int(right), int(sampled)), 3)
    return found

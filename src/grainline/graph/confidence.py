"""How far edges of a tier may be believed: the lower bound of what was measured.

`confidence.tsv` beside this file is data, a row for each sample of edges that were judged (`Sample`
names the columns). What has no row is unmeasured. docs/graph-quality.md is made of it.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from math import floor, sqrt
from typing import Final, NamedTuple

from grainline.graph.bridges.base import METHODS
from grainline.model.edge import Edge, Tier

Z: Final = 1.959964
"""Quantile of the normal distribution for 95 %."""


def confidence(language: str, tier: Tier | None) -> float | None:
    """The confidence of an edge in a file of `language`, in [0, 1]; None: unmeasured."""
    return _table().get((language, tier))


def confidence_of(language: str, edge: Edge) -> float | None:
    """The confidence of an edge that begins in a file of `language`.

    An edge of a bridge is judged by its type, whatever the language.
    """
    bridged = not METHODS.isdisjoint(edge.methods)
    return confidence(str(edge.type) if bridged else language, edge.tier)


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


class Sample(NamedTuple):
    """Edges of one tier in files of one language that were judged, and by what.

    In the place of a language stands the type of the edges, for those of bridges.
    """

    language: str
    tier: Tier
    sampled: int
    right: int
    where: str
    judge: str
    command: str
    remark: str


def samples() -> tuple[Sample, ...]:
    """All of them, by language and tier."""
    data = pkgutil.get_data("grainline.graph", "confidence.tsv") or b""
    rows = (row.split("\t") for row in data.decode().splitlines())
    found = [
        Sample(row[0], Tier[row[1].upper()], int(row[2]), int(row[3]), *row[4:]) for row in rows
    ]
    return tuple(sorted(found, key=lambda each: (each.language, each.tier)))


def bound(right: int, sampled: int) -> float:
    """`wilson`, in thousandths: a lower bound is cut, never rounded up."""
    return floor(wilson(right, sampled) * 1000) / 1000


@cache
def _table() -> dict[tuple[str, Tier | None], float]:
    return {(each.language, each.tier): bound(each.right, each.sampled) for each in samples()}

"""nDCG@k: gains discounted by the logarithm of their rank, beside the best ranking's.

Jarvelin and Kekalainen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 20(4), 2002;
binary gains, discount log2(rank + 1).
"""

from __future__ import annotations

from math import log2

from grainline.lab.measures.base import Judged, Level, Reported


class NormalizedGain:
    """0.0 when nothing is relevant. Several units found at one rank gain as one each."""

    symbol = "nDCG"
    needs_cutoff = False
    needs_lines = False
    reported: Reported = ((Level.FILE, 10), (Level.FUNCTION, 10))

    def score(self, judged: Judged, cutoff: int | None) -> float:
        """In [0, 1]."""
        ideal = sum(1 / log2(rank + 1) for rank in range(1, _most(judged.total, cutoff) + 1))
        gains = enumerate(judged.found[:cutoff], 1)
        gained = sum(found / log2(rank + 1) for rank, found in gains)
        return min(gained / ideal, 1.0) if ideal else 0.0


def _most(total: int, cutoff: int | None) -> int:
    return total if cutoff is None else min(total, cutoff)


MEASURE = NormalizedGain()

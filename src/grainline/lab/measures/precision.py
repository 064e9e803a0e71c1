"""P@k: the share of the first k ranks that found something relevant.

A ranking shorter than k is not padded, so a strategy is not blamed for knowing when to stop. Over
the pieces of a context (no cutoff) it is what RAG literature calls context precision.
"""

from __future__ import annotations

from grainline.lab.measures.base import Judged, Level, Reported


class Precision:
    """0.0 for an empty ranking."""

    symbol = "P"
    needs_cutoff = False
    needs_lines = False
    reported: Reported = ((Level.FUNCTION, 5), (Level.RESULT, 5), (Level.CONTEXT, None))

    def score(self, judged: Judged, cutoff: int | None) -> float:
        """In [0, 1]."""
        first = judged.found[:cutoff]
        return sum(map(bool, first)) / len(first) if first else 0.0


MEASURE = Precision()

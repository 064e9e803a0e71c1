"""Efficiency: the share of the tokens of a context that is spent on gold lines.

A piece's tokens count as if they were spread evenly over its lines; lines that were shown before
are waste.
"""

from __future__ import annotations

from grainline.lab.measures.base import Judged, Level, Reported


class Efficiency:
    """0.0 for an empty context."""

    symbol = "Efficiency"
    needs_cutoff = False
    needs_lines = True
    reported: Reported = ((Level.CONTEXT, None),)

    def score(self, judged: Judged, cutoff: int | None) -> float:
        """In [0, 1]."""
        rows = list(zip(judged.tokens, judged.shown, judged.hit, strict=True))[:cutoff]
        spent = sum(tokens for tokens, _, _ in rows)
        useful = sum(tokens * hit / shown for tokens, shown, hit in rows if shown)
        return useful / spent if spent else 0.0


MEASURE = Efficiency()

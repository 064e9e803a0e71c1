"""LinePrecision@k: the share of the distinct lines in the first k ranks that are gold.

Beside R@k it shows what a large chunk costs its reader.
"""

from __future__ import annotations

from grainline.lab.measures.base import Judged, Level, Reported


class LinePrecision:
    """0.0 when no line is shown."""

    symbol = "LinePrecision"
    needs_cutoff = False
    needs_lines = True
    reported: Reported = ((Level.RESULT, 5), (Level.CONTEXT, None))

    def score(self, judged: Judged, cutoff: int | None) -> float:
        """In [0, 1]."""
        shown = sum(judged.shown[:cutoff])
        return sum(judged.hit[:cutoff]) / shown if shown else 0.0


MEASURE = LinePrecision()

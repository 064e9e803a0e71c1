"""LineRecall@n: the share of the gold lines inside the first n distinct lines shown.

Big chunks pay for their size: a result that does not fit is counted up to the budget, its gold
lines as if they were spread evenly over it.
"""

from __future__ import annotations

from grainline.lab.measures.base import Judged, Level, Reported


class LineRecall:
    """The cutoff is a budget of source lines, not of ranks."""

    symbol = "LineRecall"
    needs_cutoff = True
    needs_lines = True
    reported: Reported = ((Level.RESULT, 100), (Level.RESULT, 400))

    def score(self, judged: Judged, cutoff: int | None) -> float:
        """In [0, 1]."""
        if not judged.total_lines:
            return 0.0
        left = float("inf") if cutoff is None else cutoff
        hit = 0.0
        for shown, gold in zip(judged.shown, judged.hit, strict=True):
            hit += gold * min(1.0, left / shown) if shown else 0.0
            left -= shown
            if left <= 0:
                break
        return hit / judged.total_lines


MEASURE = LineRecall()

"""EvidenceRecall: the share of the gold lines that the context shows.

With a cutoff, inside its first pieces only.
"""

from __future__ import annotations

from grainline.lab.measures.base import Judged, Level, Reported


class EvidenceRecall:
    """0.0 when no lines are gold."""

    symbol = "EvidenceRecall"
    needs_cutoff = False
    needs_lines = True
    reported: Reported = ((Level.CONTEXT, None),)

    def score(self, judged: Judged, cutoff: int | None) -> float:
        """In [0, 1]."""
        return sum(judged.hit[:cutoff]) / judged.total_lines if judged.total_lines else 0.0


MEASURE = EvidenceRecall()

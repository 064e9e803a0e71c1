"""RR: one divided by the rank of the first relevant unit; its mean is the MRR."""

from __future__ import annotations

from grainline.lab.measures.base import Judged, Level, Reported


class ReciprocalRank:
    """0.0 when nothing relevant stands within the cutoff."""

    symbol = "RR"
    needs_cutoff = False
    needs_lines = False
    reported: Reported = (
        (Level.FILE, None),
        (Level.FUNCTION, None),
        (Level.FUNCTION, 5),
        (Level.RESULT, None),
        (Level.RESULT, 5),
    )

    def score(self, judged: Judged, cutoff: int | None) -> float:
        """In [0, 1]."""
        for rank, found in enumerate(judged.found[:cutoff], 1):
            if found:
                return 1.0 / rank
        return 0.0


MEASURE = ReciprocalRank()

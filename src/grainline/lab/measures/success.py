"""Success@k (hit@k): whether any relevant unit stands within rank k."""

from __future__ import annotations

from grainline.lab.measures.base import Judged, Level, Reported


class Success:
    """1.0 or 0.0."""

    symbol = "Success"
    needs_cutoff = True
    needs_lines = False
    reported: Reported = ((Level.FILE, 10), (Level.FUNCTION, 10))

    def score(self, judged: Judged, cutoff: int | None) -> float:
        """In {0, 1}."""
        return float(any(judged.found[:cutoff]))


MEASURE = Success()

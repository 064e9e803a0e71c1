"""All@k: whether every relevant unit stands within rank k, as issue localisation reports it."""

from __future__ import annotations

from grainline.lab.measures.base import Judged, Level, Reported


class AllFound:
    """0.0 when nothing is relevant."""

    symbol = "All"
    needs_cutoff = True
    needs_lines = False
    reported: Reported = ((Level.FILE, 5), (Level.FUNCTION, 10))

    def score(self, judged: Judged, cutoff: int | None) -> float:
        """In {0, 1}."""
        return float(judged.total > 0 and sum(judged.found[:cutoff]) == judged.total)


MEASURE = AllFound()

"""R@k: the share of the relevant units that stand within rank k."""

from __future__ import annotations

from grainline.lab.measures.base import Judged, Level, Reported


class Recall:
    """0.0 when nothing is relevant."""

    symbol = "R"
    needs_cutoff = True
    needs_lines = False
    reported: Reported = (
        *((Level.FILE, k) for k in (1, 5, 10)),
        *((Level.FUNCTION, k) for k in (1, 5, 10)),
        (Level.RESULT, 10),
    )

    def score(self, judged: Judged, cutoff: int | None) -> float:
        """In [0, 1]."""
        return sum(judged.found[:cutoff]) / judged.total if judged.total else 0.0


MEASURE = Recall()

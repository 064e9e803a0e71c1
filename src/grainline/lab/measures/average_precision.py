"""AP: the mean, over the relevant units, of the precision at the rank that finds each.

Units never found count as 0; several found at one rank share it. Its mean over questions is MAP
(Buckley and Voorhees, "Evaluating evaluation measure stability", SIGIR 2000).
"""

from __future__ import annotations

from grainline.lab.measures.base import Judged, Level, Reported


class AveragePrecision:
    """0.0 when nothing is relevant."""

    symbol = "AP"
    needs_cutoff = False
    needs_lines = False
    reported: Reported = ((Level.FILE, None), (Level.FUNCTION, None))

    def score(self, judged: Judged, cutoff: int | None) -> float:
        """In [0, 1]."""
        seen, summed = 0, 0.0
        for rank, found in enumerate(judged.found[:cutoff], 1):
            for _ in range(found):
                seen += 1
                summed += min(seen / rank, 1.0)  # two at rank 1 are no better than one
        return summed / judged.total if judged.total else 0.0


MEASURE = AveragePrecision()

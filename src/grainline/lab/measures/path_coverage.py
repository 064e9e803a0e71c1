"""PathCoverage: the share of a chain's stations whose lines all stand in the context.

Asked only where the answer is a way (source, propagators, sanitizers, guards, sink).
"""

from __future__ import annotations

from grainline.lab.measures.base import Level, Reported
from grainline.lab.questions import Question
from grainline.lab.showing import shown_lines, shows_hop
from grainline.lab.values import Answer


class PathCoverage:
    """None without a chain."""

    symbol = "PathCoverage"
    needs_cutoff = False
    reported: Reported = ((Level.ANSWER, None),)

    def score_answer(self, question: Question, answer: Answer, cutoff: int | None) -> float | None:
        """In [0, 1]."""
        if not question.chain:
            return None
        lines = shown_lines(question, answer)
        return sum(shows_hop(lines, hop) for hop in question.chain) / len(question.chain)


MEASURE = PathCoverage()

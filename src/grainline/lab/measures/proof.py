"""Proof: whether the context alone lets a reader decide whether there is a way.

A judge without a model: every station of the gold chain stands in the context,
sanitizers and guards too, for a reader who does not see one takes safe code for vulnerable code.
It uses labels only, never this engine's own data flow.
"""

from __future__ import annotations

from grainline.lab.measures.base import Level, Reported
from grainline.lab.questions import Question
from grainline.lab.showing import shown_lines, shows_hop
from grainline.lab.values import Answer


class Proof:
    """None without a chain."""

    symbol = "Proof"
    needs_cutoff = False
    reported: Reported = ((Level.ANSWER, None),)

    def score_answer(self, question: Question, answer: Answer, cutoff: int | None) -> float | None:
        """In {0, 1}."""
        if not question.chain:
            return None
        lines = shown_lines(question, answer)
        return float(all(shows_hop(lines, hop) for hop in question.chain))


MEASURE = Proof()

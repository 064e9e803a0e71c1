"""EM: whether a completion is what stood there, but for blanks at the ends of its lines.

As CrossCodeEval and RepoBench report it (Ding et al., NeurIPS 2023; Liu et al., ICLR 2024).
"""

from __future__ import annotations

from grainline.lab.measures.base import Level, Reported
from grainline.lab.questions import Question
from grainline.lab.values import Answer
from grainline.lab.writing import both


class ExactMatch:
    """None when nothing was expected or written by nobody."""

    symbol = "EM"
    needs_cutoff = False
    reported: Reported = ((Level.ANSWER, None),)

    def score_answer(self, question: Question, answer: Answer, cutoff: int | None) -> float | None:
        """In {0, 1}."""
        texts = both(question, answer)
        return None if texts is None else float(texts[0] == texts[1])


MEASURE = ExactMatch()

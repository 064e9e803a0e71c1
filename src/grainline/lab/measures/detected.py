"""Detected: of weaknesses, whether the written answer calls them one; the mean is recall.

Precision follows from it, from `FalseAlarm` and from how many rows of each kind there are.
"""

from __future__ import annotations

from grainline.lab.measures.base import Level, Reported
from grainline.lab.prompts import read_answer
from grainline.lab.questions import Question
from grainline.lab.values import Answer


class Detected:
    """None for safe code, and when nobody wrote a verdict. `unknown` is a miss."""

    symbol = "Detected"
    needs_cutoff = False
    reported: Reported = ((Level.ANSWER, None),)

    def score_answer(self, question: Question, answer: Answer, cutoff: int | None) -> float | None:
        """In {0, 1}."""
        if question.vulnerable is not True or answer.written is None:
            return None
        said = read_answer(answer.written)
        return float(said.verdict == "vulnerable") if said.verdict else None


MEASURE = Detected()

"""FalseAlarm: of safe twins, whether the written answer calls them vulnerable; lower is better."""

from __future__ import annotations

from grainline.lab.measures.base import Level, Reported
from grainline.lab.prompts import read_answer
from grainline.lab.questions import Question
from grainline.lab.values import Answer


class FalseAlarm:
    """None for weaknesses, and when nobody wrote a verdict. `unknown` is an alarm: nobody is helped."""

    symbol = "FalseAlarm"
    needs_cutoff = False
    reported: Reported = ((Level.ANSWER, None),)

    def score_answer(self, question: Question, answer: Answer, cutoff: int | None) -> float | None:
        """In {0, 1}."""
        if question.vulnerable is not False or answer.written is None:
            return None
        said = read_answer(answer.written)
        return float(said.verdict != "safe") if said.verdict else None


MEASURE = FalseAlarm()

"""Whole: of the gold functions that the context shows a line of, the share that it shows whole.

Parent-completion accuracy: a match inside a function helps only with the function around it.
"""

from __future__ import annotations

from grainline.lab.measures.base import Level, Reported
from grainline.lab.questions import Question
from grainline.lab.showing import shown_lines, shows_some, shows_whole
from grainline.lab.values import Answer


class WholeParents:
    """None when no gold function is met: there was nothing to complete."""

    symbol = "Whole"
    needs_cutoff = False
    reported: Reported = ((Level.ANSWER, None),)

    def score_answer(self, question: Question, answer: Answer, cutoff: int | None) -> float | None:
        """In [0, 1]."""
        lines = shown_lines(question, answer)
        met = [place for place in question.functions if shows_some(lines, place)]
        if not met:
            return None
        return sum(shows_whole(lines, place) for place in met) / len(met)


MEASURE = WholeParents()

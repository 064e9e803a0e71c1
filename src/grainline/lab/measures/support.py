"""Support: of the lines that a written answer cites, the share that its context shows.

What is cited and was not shown was made up, or recalled from elsewhere; either way the reader
cannot check it.
"""

from __future__ import annotations

import os

from grainline.lab.measures.base import Level, Reported
from grainline.lab.prompts import read_answer
from grainline.lab.questions import Question
from grainline.lab.showing import shown_lines
from grainline.lab.values import Answer


class Support:
    """None when nothing is written; 0.0 when nothing is cited."""

    symbol = "Support"
    needs_cutoff = False
    reported: Reported = ((Level.ANSWER, None),)

    def score_answer(self, question: Question, answer: Answer, cutoff: int | None) -> float | None:
        """In [0, 1]."""
        if answer.written is None or question.expected:
            return None
        cited = read_answer(answer.written).steps
        lines = shown_lines(question, answer)
        held = sum(each.line in lines.get(os.fsencode(each.path), frozenset()) for each in cited)
        return held / len(cited) if cited else 0.0


MEASURE = Support()

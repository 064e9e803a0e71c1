"""Localised: of the stations of a chain, the share of which the written answer cites a line."""

from __future__ import annotations

import os

from grainline.lab.measures.base import Level, Reported
from grainline.lab.prompts import read_answer
from grainline.lab.questions import Question
from grainline.lab.values import Answer


class Localised:
    """None without a chain or when nothing is written."""

    symbol = "Localised"
    needs_cutoff = False
    reported: Reported = ((Level.ANSWER, None),)

    def score_answer(self, question: Question, answer: Answer, cutoff: int | None) -> float | None:
        """In [0, 1]."""
        if answer.written is None or not question.chain:
            return None
        cited = {(os.fsencode(each.path), each.line) for each in read_answer(answer.written).steps}
        met = [any((hop.place.path, line) in cited for line in hop.lines) for hop in question.chain]
        return sum(met) / len(met)


MEASURE = Localised()

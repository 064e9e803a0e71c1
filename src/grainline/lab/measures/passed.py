"""Pass@1: whether the tests of a built-in program pass with the one completion that was written.

Chen et al., "Evaluating Large Language Models Trained on Code", 2021, for one sample.
"""

from __future__ import annotations

from grainline.errors import BadInput
from grainline.lab.measures.base import Level, Reported
from grainline.lab.questions import Question
from grainline.lab.trials import trial
from grainline.lab.values import Answer


class Passed:
    """None without a trial, or when nobody wrote anything, or what was written may not be run."""

    symbol = "Pass"
    needs_cutoff = True
    reported: Reported = ((Level.ANSWER, 1),)

    def score_answer(self, question: Question, answer: Answer, cutoff: int | None) -> float | None:
        """In {0, 1}."""
        if cutoff != 1:
            raise BadInput("bad_measure", f"Pass@{cutoff}: one answer is asked for; known: Pass@1")
        if question.task == "repair" or answer.written is None or not answer.runnable:
            return None
        verdict = trial(question, answer.written)
        return None if verdict is None else float(verdict.passed)


MEASURE = Passed()

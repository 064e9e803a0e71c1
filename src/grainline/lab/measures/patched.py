"""Patched: whether the tests of a built-in program pass with the patch that was written.

As SWE-bench reports what it calls resolved (Jimenez et al., ICLR 2024), on programs of our own.
"""

from __future__ import annotations

from grainline.lab.measures.base import Level, Reported
from grainline.lab.questions import Question
from grainline.lab.trials import trial
from grainline.lab.values import Answer


class Patched:
    """None where nothing is to be mended, nobody wrote a patch, or none may be run."""

    symbol = "Patched"
    needs_cutoff = False
    reported: Reported = ((Level.ANSWER, None),)

    def score_answer(self, question: Question, answer: Answer, cutoff: int | None) -> float | None:
        """In {0, 1}. What is no patch, or does not fit, mends nothing."""
        if question.task != "repair" or answer.written is None or not answer.runnable:
            return None
        verdict = trial(question, answer.written)
        return None if verdict is None else float(verdict.passed)


MEASURE = Patched()

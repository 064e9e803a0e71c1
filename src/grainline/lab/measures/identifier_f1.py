"""IdentifierF1: how far a completion uses the names that stood there, as bags of names.

As CrossCodeEval reports it (Ding et al., NeurIPS 2023).
"""

from __future__ import annotations

from collections import Counter

from grainline.lab.measures.base import Level, Reported
from grainline.lab.questions import Question
from grainline.lab.values import Answer
from grainline.lab.writing import both, identifiers


class IdentifierF1:
    """None when nothing was expected or written by nobody. Neither has a name: 1.0."""

    symbol = "IdentifierF1"
    needs_cutoff = False
    reported: Reported = ((Level.ANSWER, None),)

    def score_answer(self, question: Question, answer: Answer, cutoff: int | None) -> float | None:
        """In [0, 1]: the harmonic mean of precision and recall."""
        texts = both(question, answer)
        if texts is None:
            return None
        written, expected = (Counter(identifiers(text)) for text in texts)
        total = written.total() + expected.total()
        return 2 * (written & expected).total() / total if total else 1.0


MEASURE = IdentifierF1()

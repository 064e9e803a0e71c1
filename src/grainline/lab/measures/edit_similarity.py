"""ES: 1 - Levenshtein distance / the length of the longer text, by characters.

As CrossCodeEval reports it (Ding et al., NeurIPS 2023).
"""

from __future__ import annotations

from grainline.lab.measures.base import Level, Reported
from grainline.lab.questions import Question
from grainline.lab.values import Answer
from grainline.lab.writing import both

LONGEST = 4000  # characters compared; distances take time with the square


class EditSimilarity:
    """None when nothing was expected or written by nobody. Both empty: 1.0."""

    symbol = "ES"
    needs_cutoff = False
    reported: Reported = ((Level.ANSWER, None),)

    def score_answer(self, question: Question, answer: Answer, cutoff: int | None) -> float | None:
        """In [0, 1]."""
        texts = both(question, answer)
        if texts is None:
            return None
        written, expected = (text[:LONGEST] for text in texts)
        longer = max(len(written), len(expected))
        return 1.0 - distance(written, expected) / longer if longer else 1.0


def distance(a: str, b: str) -> int:
    """Insertions, deletions and replacements of one character that make `a` into `b`."""
    row = list(range(len(b) + 1))
    for place, one in enumerate(a, 1):
        before, row[0] = row[0], place
        for at, other in enumerate(b, 1):
            cost = min(row[at] + 1, row[at - 1] + 1, before + (one != other))
            before, row[at] = row[at], cost
    return row[-1]


MEASURE = EditSimilarity()

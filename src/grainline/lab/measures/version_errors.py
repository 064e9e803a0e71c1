"""VersionError: the share of what is shown that comes from another version than the one asked about.

Retrieved pieces and pieces of the context count alike. 0.0 is right.
"""

from __future__ import annotations

from grainline.lab.measures.base import Level, Reported
from grainline.lab.questions import Question
from grainline.lab.values import Answer


class VersionError:
    """None when no version is asked about, or nothing is shown. The cutoff is one of ranks."""

    symbol = "VersionError"
    needs_cutoff = False
    reported: Reported = ((Level.ANSWER, 10),)

    def score_answer(self, question: Question, answer: Answer, cutoff: int | None) -> float | None:
        """In [0, 1]; lower is better."""
        versions = [piece.version for piece in answer.ranking[:cutoff]]
        versions += [piece.version for piece in answer.context.pieces]
        if not question.ref or not versions:
            return None
        return sum(version != question.ref for version in versions) / len(versions)


MEASURE = VersionError()

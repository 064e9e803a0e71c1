"""Stale: whether an answer shows code as it was before it was saved, or does not show what is new.

The only right value is 0. Text that the edit took away may stand nowhere in a context; of text that
it brought some line has to, for the questions ask for it.
"""

from __future__ import annotations

from grainline.lab.edits import come, gone
from grainline.lab.measures.base import Level, Reported
from grainline.lab.questions import Question
from grainline.lab.values import Answer


class Stale:
    """None when nothing was edited."""

    symbol = "Stale"
    needs_cutoff = False
    reported: Reported = ((Level.ANSWER, None),)

    def score_answer(self, question: Question, answer: Answer, cutoff: int | None) -> float | None:
        """In {0, 1}; lower is better."""
        if question.edit is None:
            return None
        edit = question.edit
        shown = {line.strip() for line in answer.context.text.split("\n")}
        deleted = edit.new is None and any(each.path == edit.path for each in answer.ranking)
        is_old = deleted or any(line in shown for line in gone(edit))
        new = come(edit)
        return float(is_old or bool(new and not any(line in shown for line in new)))


MEASURE = Stale()

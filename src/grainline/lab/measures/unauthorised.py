"""Unauthorised: whether anything is shown that the principal may not read.

One place is enough; the cutoff does not help, for what stands at rank 100 is read too. 0.0 is the
only right value.
"""

from __future__ import annotations

from collections.abc import Iterator

from grainline.lab.measures.base import Level, Reported
from grainline.lab.questions import Place, Question
from grainline.lab.values import Answer
from grainline.model.position import LineSpan


class Unauthorised:
    """None when nobody in particular asks."""

    symbol = "Unauthorised"
    needs_cutoff = False
    reported: Reported = ((Level.ANSWER, None),)

    def score_answer(self, question: Question, answer: Answer, cutoff: int | None) -> float | None:
        """In {0, 1}; lower is better."""
        if question.principal is None:
            return None
        denied = [place for place in question.forbidden if _of_this_version(place, question)]
        shown = list(_shown(answer))
        return float(any(_meet(*each, place) for each in shown for place in denied))


def _of_this_version(place: Place, question: Question) -> bool:
    return place.version in ("", question.ref or "")


def _shown(answer: Answer) -> Iterator[tuple[bytes, LineSpan, str]]:
    for piece in answer.ranking:
        yield piece.path, piece.lines, piece.version
    for shown in answer.context.pieces:
        for lines in shown.lines:
            yield shown.path, lines, shown.version


def _meet(path: bytes, lines: LineSpan, version: str, place: Place) -> bool:
    same = path == place.path and (not (version and place.version) or version == place.version)
    return same and lines.start <= place.lines.end and place.lines.start <= lines.end


MEASURE = Unauthorised()

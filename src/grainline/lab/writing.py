"""What a writer wrote, beside what was expected: both as lines without blanks at their ends."""

from __future__ import annotations

import re

from grainline.lab.questions import Question
from grainline.lab.values import Answer

_FENCE = re.compile(r"\A\s*```[^\n]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


def both(question: Question, answer: Answer) -> tuple[str, str] | None:
    """(written, expected); None when nothing was expected or no generator ran."""
    if not question.expected or answer.written is None:
        return None
    return plain(answer.written), plain(question.expected)


def plain(text: str) -> str:
    """Without a fence around it, blanks at the ends of lines and empty lines around all."""
    fenced = _FENCE.match(text)
    lines = (fenced[1] if fenced else text).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip()


def identifiers(text: str) -> list[str]:
    """Every name, in order, keywords too."""
    return _IDENTIFIER.findall(text)

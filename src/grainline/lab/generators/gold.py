"""A stand-in for a model: it writes what is known to be right, so that its scores are a bound.

A hole gets what was taken out, a fault its patch, a question about a flow the verdict and the lines
of the chain; any other question the places that answer it.
"""

from __future__ import annotations

import json
import os

from grainline.lab.generators.base import Written
from grainline.lab.questions import Question
from grainline.lab.values import Context, Query
from grainline.llm.base import LanguageModel
from grainline.text.budget import estimate_tokens


class Gold:
    """See the module."""

    name = "gold"
    needs_model = False
    sees_gold = True

    def write(
        self, query: Query, context: Context, seed: int, model: LanguageModel | None
    ) -> Written:
        """The same text on every run, whatever the context shows."""
        del seed, model
        text = _right(query.gold) if query.gold else ""
        return Written(
            text, estimate_tokens(context.text) + estimate_tokens(query.text), estimate_tokens(text)
        )


def _right(question: Question) -> str:
    if question.expected:
        return question.expected
    if question.vulnerable is None:
        places = (f"{os.fsdecode(each.path)}:{each.lines.start}" for each in question.gold)
        return "\n".join(places)
    steps = [
        {"path": os.fsdecode(hop.place.path), "line": line}
        for hop in question.chain
        for line in hop.lines
    ]
    verdict = "vulnerable" if question.vulnerable else "safe"
    return json.dumps({"verdict": verdict, "steps": steps})


GENERATOR = Gold()

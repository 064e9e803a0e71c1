"""A stand-in for a model: it copies out of the context and makes nothing up.

A hole is filled with the line that follows the line most like the last one before the hole, cut to
where that one ends. Of a question it cites the first line of every piece and gives no verdict, so
measures of verdicts say nothing of it; it mends nothing.
"""

from __future__ import annotations

import os
from collections import Counter

from grainline.lab.generators.base import Written
from grainline.lab.values import Context, Query
from grainline.lab.writing import identifiers
from grainline.llm.base import LanguageModel
from grainline.text.budget import estimate_tokens


class Extractive:
    """See the module."""

    name = "extractive"
    needs_model = False
    sees_gold = False

    def write(
        self, query: Query, context: Context, seed: int, model: LanguageModel | None
    ) -> Written:
        """The same text on every run."""
        del seed, model
        text = _filled(query.text, context.text) if query.at is not None else _cited(context)
        return Written(
            text, estimate_tokens(context.text) + estimate_tokens(query.text), estimate_tokens(text)
        )


def _filled(before: str, context: str) -> str:
    lines = [line for line in context.split("\n") if not line.startswith("## ")]
    above = [line for line in before.split("\n") if line.strip()]
    if not above or len(lines) < 2:
        return ""
    last = above[-1]
    opened = last.rstrip().endswith("(")  # the hole begins inside of a line
    if opened:
        name = identifiers(last)[-1:]
        calls = [line for line in lines if name and f"{name[0]}(" in line]
        return calls[0].partition(f"{name[0]}(")[2].strip() if calls else ""
    best = max(range(len(lines) - 1), key=lambda at: (_alike(lines[at], last), -at))
    return lines[best + 1] if _alike(lines[best], last) else ""


def _alike(a: str, b: str) -> float:
    """Share of names in common, as bags."""
    one, two = Counter(identifiers(a)), Counter(identifiers(b))
    total = one.total() + two.total()
    return 2 * (one & two).total() / total if total else 0.0


def _cited(context: Context) -> str:
    return "\n".join(
        f"{os.fsdecode(piece.path)}:{piece.lines[0].start}"
        for piece in context.pieces
        if piece.lines
    )


GENERATOR = Extractive()

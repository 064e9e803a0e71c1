"""A stand-in for a model: it writes nothing, so that its scores are the floor."""

from __future__ import annotations

from grainline.lab.generators.base import Written
from grainline.lab.values import Context, Query
from grainline.llm.base import LanguageModel
from grainline.text.budget import estimate_tokens


class Empty:
    """See the module."""

    name = "empty"
    needs_model = False
    sees_gold = False

    def write(
        self, query: Query, context: Context, seed: int, model: LanguageModel | None
    ) -> Written:
        """Nothing."""
        del seed, model
        return Written("", estimate_tokens(context.text) + estimate_tokens(query.text), 0)


GENERATOR = Empty()

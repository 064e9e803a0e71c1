"""The language model of the run: any OpenAI-compatible endpoint (`--llm-url`, `--llm-model`)."""

from __future__ import annotations

from grainline.errors import BadInput
from grainline.lab.generators.base import Written
from grainline.lab.prompts import messages
from grainline.lab.values import Context, Query
from grainline.llm.base import LanguageModel


class FromModel:
    """See the module."""

    name = "model"
    needs_model = True
    sees_gold = False

    def write(
        self, query: Query, context: Context, seed: int, model: LanguageModel | None
    ) -> Written:
        """One question, one answer; temperature 0."""
        if model is None:
            raise BadInput(
                "no_model",
                "the generator 'model' needs a language model",
                hint="say where: --llm-url URL --llm-model NAME",
            )
        return Written(*model.complete(messages(query, context), seed=seed))


GENERATOR = FromModel()

"""The seam of generators: a query and its context in, text out. `none` writes nothing."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from grainline.lab.values import Context, Query
from grainline.llm.base import LanguageModel
from grainline.registry import Registry

NONE = "none"


class Written(NamedTuple):
    """What was written, and its cost in the tokens of whoever wrote it."""

    text: str
    prompt_tokens: int
    answer_tokens: int


class Generator(Protocol):
    """Writes answers. A stand-in says in its file that it is one.

    Attributes:
        name: as settings name it.
        needs_model: whether `write` takes a language model; the others are given None.
        sees_gold: told the gold, so that its answers are a bound and no result.
    """

    name: str
    needs_model: bool
    sees_gold: bool

    def write(
        self, query: Query, context: Context, seed: int, model: LanguageModel | None
    ) -> Written:
        """The answer to one query.

        Raises:
            ResourceExhausted: an endpoint gave out.
            BadInput: it needs a model and there is none.
        """
        ...


GENERATORS: Registry[Generator] = Registry(
    "grainline.lab.generators", "GENERATOR", skip=frozenset({"base"})
)

"""The seam of generators: a query and its context in, text out. `none` writes nothing."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from grainline.lab.values import Context, Query
from grainline.registry import Registry

NONE = "none"


class Written(NamedTuple):
    """What was written, and its cost in the tokens of whoever wrote it."""

    text: str
    prompt_tokens: int
    answer_tokens: int


class Generator(Protocol):
    """Writes answers. A stand-in says in `name` that it is one (`extractive`)."""

    name: str

    def write(self, query: Query, context: Context, seed: int) -> Written:
        """The answer to one query.

        Raises:
            ResourceExhausted: an endpoint gave out.
        """
        ...


GENERATORS: Registry[Generator] = Registry(
    "grainline.lab.generators", "GENERATOR", skip=frozenset({"base"})
)

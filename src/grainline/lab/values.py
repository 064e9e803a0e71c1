"""What goes through a strategy: a query, ranked pieces, and the context that a reader is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from grainline.lab.questions import Place, Question
from grainline.model.position import LineSpan, Span

Value = str | int | float | bool
"""Of a parameter: what TOML can say."""


class Piece(NamedTuple):
    """One thing that was retrieved; a ranking holds them best first.

    Attributes:
        path: of the file.
        span: bytes of that file.
        lines: the same in lines.
        score: higher is better; only comparable inside one ranking.
        why: how it came here, for a person.
        unit: names the function that the piece is, or is a part of; "" when the strategy does not
            know (fixed windows); None when it knows that the piece is no part of any function.
        version: of the snapshot that it comes from: a ref as the checkout names it; "" when there
            is only one.
        seed: found by the retriever; else it came along from one that was.
    """

    path: bytes
    span: Span
    lines: LineSpan
    score: float = 0.0
    why: str = ""
    unit: str | None = ""
    version: str = ""
    seed: bool = True


class Shown(NamedTuple):
    """Lines of a file inside a context; `tokens` is all that they cost, heading included."""

    path: bytes
    lines: tuple[LineSpan, ...]
    tokens: int
    why: str = ""
    role: str = ""
    version: str = ""


class Context(NamedTuple):
    """What a reader is given. `tokens` never exceeds the budget and counts `text`.

    `omitted` counts pieces that were at hand and did not fit.
    """

    pieces: tuple[Shown, ...]
    tokens: int
    text: str
    omitted: int = 0


NO_CONTEXT = Context((), 0, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a strategy is told of a question: never the gold, but for the oracle (`sees_gold`).

    `ref` names the snapshot that is asked about (None: the only one), `principal` who asks (None:
    one who may read everything), `at` where the asker stands (of a completion: the hole).
    """

    text: str
    language: str = ""
    ref: str | None = None
    principal: str | None = None
    at: Place | None = None
    profile: str = "auto"
    task: str = ""
    gold: Question | None = None

    @classmethod
    def of(cls, question: Question, *, sees_gold: bool = False) -> Query:
        """The query of a question."""
        return cls(
            text=question.text,
            language=question.language,
            ref=question.ref,
            principal=question.principal,
            at=question.at,
            profile=question.profile,
            task=question.task,
            gold=question if sees_gold else None,
        )


class IndexCost(NamedTuple):
    """What preparing cost: CPU seconds, chunks, bytes kept, tokens that a model would embed."""

    seconds: float = 0.0
    chunks: int = 0
    bytes: int = 0
    embedded: int = 0


NO_COST = IndexCost()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """All that a strategy (and a generator) said to one question, and what it cost in CPU ms.

    `runnable`: what was written may be run with the tests of a built-in program. `fresh_ms`: CPU ms
    from an edit of the checkout until questions are answered again; 0 where nothing was edited.
    """

    ranking: tuple[Piece, ...]
    context: Context
    retrieve_ms: float = 0.0
    assemble_ms: float = 0.0
    generate_ms: float = 0.0
    written: str | None = None
    answer_tokens: int = 0
    prompt_tokens: int = 0
    index: IndexCost = NO_COST
    runnable: bool = False
    fresh_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What is the same for all strategies of a comparison, and the options of one of them.

    Attributes:
        k: pieces of a ranking that a context is made from.
        depth: length of the rankings that are judged.
        budget: tokens of a context.
        retriever: a name of `RETRIEVERS`, for strategies that rank texts.
        generator: a name of `GENERATORS`, or `none`.
        model: the language model that the generator asks, by name; "" for none.
        seed: of everything that draws.
        execute: whether code that a model wrote may be run (of built-in sets, with their tests).
        options: of the strategy, by name.
    """

    k: int = 10
    depth: int = 100
    budget: int = 4000
    retriever: str = "bm25"
    generator: str = "none"
    model: str = ""
    seed: int = 0
    execute: bool = False
    options: Mapping[str, Value]

    def text(self, name: str) -> str:
        """An option that is a word."""
        return str(self.options[name])

    def number(self, name: str) -> float:
        """An option that is a number."""
        return float(self.options[name])

    def count(self, name: str) -> int:
        """An option that is a whole number."""
        return int(self.options[name])

    def flag(self, name: str) -> bool:
        """An option that is yes or no."""
        return bool(self.options[name])

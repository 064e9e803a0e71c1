"""What a strategy did with one question of a dataset: its ranking, its context, and where gold is."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

from grainline.errors import BadInput
from grainline.lab.datasets.base import Dataset, Sources, load
from grainline.lab.ground import Ground
from grainline.lab.judging import overlaps, scores
from grainline.lab.questions import Question
from grainline.lab.running import Asked, answer
from grainline.lab.values import Answer, Query


class Explained(NamedTuple):
    """One question with its answer. `gold[i]` numbers the gold functions that rank i + 1 shows."""

    question: Question
    answer: Answer
    gold: tuple[tuple[int, ...], ...]
    scores: dict[str, float]


def explain(
    dataset: Dataset,
    asked: Asked,
    number: str,
    *,
    bench: Path | None = None,
    mirror: Path | None = None,
    data: Path | None = None,
) -> Explained:
    """Ask one question again, whatever is kept.

    Raises:
        BadInput: the set has no such question, or a source is missing.
    """
    with tempfile.TemporaryDirectory(prefix="grainline-lab-") as scratch:
        sources = Sources(scratch=Path(scratch), bench=bench, mirror=mirror, data=data)
        questions = load(dataset, sources)
        found = [each for each in questions if each.id == number]
        if not found:
            some = ", ".join(each.id for each in questions[:5])
            raise BadInput(
                "unknown_question",
                f"{dataset.name!r} has no question {number!r}",
                hint=f"there are {len(questions)}, the first: {some}",
            )
        question = found[0]
        key = (question.repository, question.commit)
        group = [each for each in questions if (each.repository, each.commit) == key]
        with Ground(dataset.checkout(group, sources)) as ground:
            query = Query.of(question, sees_gold=asked.strategy.sees_gold)
            with asked.strategy.index(ground, asked.settings) as indexed:
                said = answer(indexed, query, asked.settings)
    gold = tuple(
        tuple(n for n, place in enumerate(question.functions, 1) if overlaps(piece, place))
        for piece in said.ranking
    )
    return Explained(question, said, gold, scores(question, said))

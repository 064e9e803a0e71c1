"""Running strategies over a dataset: every question answered once, and never again for the same code.

Strategies are asked checkout by checkout, so that they share what is made of it (`Ground`). A run
that was stopped goes on where it was: its answers are in the cache, under keys that name all they
depend on.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple

from grainline.errors import BadInput
from grainline.lab.cache import Cache
from grainline.lab.datasets.base import Dataset, Sources, load
from grainline.lab.edits import save
from grainline.lab.generators.base import GENERATORS, NONE
from grainline.lab.ground import Ground
from grainline.lab.homes import Homes
from grainline.lab.judging import overlaps, scores
from grainline.lab.questions import Edit, Place, Question
from grainline.lab.retrievers.base import RETRIEVERS
from grainline.lab.runs import Gold, Outcome, describe, write_results
from grainline.lab.showing import Lines, shown_lines
from grainline.lab.strategies.base import OFF, Indexed, Refreshing, Strategy, settle
from grainline.lab.values import Answer, Query, Settings
from grainline.llm.base import LanguageModel

KEPT = 20  # results written per question, for a look at what went wrong


class Step(NamedTuple):
    """How far a run is: questions of one strategy about one checkout."""

    set: str
    label: str
    checkout: str
    done: int
    total: int
    known: int
    off: str = ""  # why the strategy is left out of this set


class Asked(NamedTuple):
    """A strategy with its settings."""

    strategy: Strategy
    settings: Settings

    @property
    def label(self) -> str:
        """The name, and every setting that is not the default one."""
        plain = asdict(Settings(options={}))
        given = {key: value for key, value in asdict(self.settings).items() if key != "options"}
        changed = {key: value for key, value in given.items() if plain[key] != value}
        defaults = self.strategy.options
        options = self.settings.options
        changed |= {key: value for key, value in options.items() if defaults[key] != value}
        said = ",".join(f"{key}={value}" for key, value in changed.items())
        return f"{self.strategy.name}[{said}]" if said else self.strategy.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to run.

    `split` "" takes all. `present` leaves out what is about clones that are not there, and the header
    counts it. `limit` takes that many questions of the rest, spread over the set.
    """

    dataset: Dataset
    asked: Sequence[Asked]
    results: Path
    bench: Path | None = None
    mirror: Path | None = None
    data: Path | None = None
    cache: Path | None = None
    limit: int | None = None
    split: str = ""
    experiment: str = ""
    present: bool = False
    model: LanguageModel | None = None


def settled(strategy: Strategy, settings: Settings) -> Asked:
    """A strategy with all of its settings.

    Raises:
        BadInput: a setting that cannot be meant.
    """
    RETRIEVERS.get(settings.retriever)
    if settings.generator != NONE:
        GENERATORS.get(settings.generator)
    for name, least in (("k", 1), ("depth", settings.k), ("budget", 64)):
        if getattr(settings, name) < least:
            raise BadInput("bad_setting", f"{name} is below {least}")
    return Asked(strategy, settle(strategy, settings))


def _with_model(asked: Asked, model: LanguageModel | None) -> Asked:
    """The model's name among the settings, so that answers of two models are two runs."""
    name = asked.settings.generator
    if name == NONE or not GENERATORS.get(name).needs_model:
        return asked
    if model is None:
        raise BadInput(
            "no_model",
            f"the generator {name!r} needs a language model",
            hint="say where one answers: --llm-url URL --llm-model NAME",
        )
    return asked._replace(settings=replace(asked.settings, model=_UNSAFE.sub("-", model.name)))


_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
"""What may not stand in the name of a result file."""


def run(plan: Plan, report: Callable[[Step], None] = lambda _: None) -> tuple[Path, ...]:
    """Answer every question with every strategy; the result files, in the order of the strategies.

    Raises:
        BadInput: the set, a clone or a commit is missing.
    """
    plan = replace(plan, asked=[_with_model(asked, plan.model) for asked in plan.asked])
    with (
        tempfile.TemporaryDirectory(prefix="grainline-lab-") as scratch,
        closing(Homes()) as homes,
    ):
        sources = Sources(
            scratch=Path(scratch), bench=plan.bench, mirror=plan.mirror, data=plan.data
        )
        every = load(plan.dataset, sources)
        wanted = [q for q in every if plan.split in ("", q.split)]
        at_hand = _at_hand(plan, wanted, sources)
        left_out = len(wanted) - len(at_hand)
        questions = spread(at_hand, plan.limit)
        off: set[int] = set()
        outcomes: list[list[Outcome]] = [[] for _ in plan.asked]
        costs: list[list[tuple[str, float, int, int, int]]] = [[] for _ in plan.asked]
        for group in _groups(questions):
            for numbers in _together(plan, group):
                checkout = plan.dataset.checkout(group, sources)
                name = f"{checkout.repository}@{checkout.commit[:10]}" if checkout.commit else ""
                with Ground(checkout, homes=homes) as ground:
                    for number in numbers:
                        if number in off:
                            continue
                        asked = plan.asked[number]
                        step = Step(
                            plan.dataset.name, asked.label, name or checkout.repository, 0, 0, 0
                        )
                        try:
                            answers = _answers(plan, asked, ground, group, report, step)
                        except BadInput as error:
                            if error.code != OFF or len(plan.asked) == 1:
                                raise
                            off.add(number)
                            report(step._replace(off=error.message))
                            continue
                        readable = _readable(ground, asked)
                        pairs = zip(group, answers, strict=True)
                        outcomes[number] += [outcome(q, a, readable) for q, a in pairs]
                        costs[number].append((step.checkout, *_cost(answers)))
    files: list[Path] = []
    order = {question.id: place for place, question in enumerate(questions)}
    for number, (asked, found, cost) in enumerate(zip(plan.asked, outcomes, costs, strict=True)):
        if number in off:
            continue
        header = describe(
            plan.dataset.name,
            asked.strategy.name,
            asked.label,
            asked.settings,
            wanted,
            plan.experiment,
        )
        ordered = sorted(found, key=lambda each: order[each.id])
        files.append(
            write_results(
                plan.results,
                replace(header, index=cost, left_out=left_out, of=len(wanted)),
                ordered,
            )
        )
    return tuple(files)


def _at_hand(plan: Plan, questions: Sequence[Question], sources: Sources) -> Sequence[Question]:
    """With `present` those whose clone is there, in their order; else all."""
    if not plan.present:
        return questions
    gone: set[tuple[str, str]] = set()
    for group in _groups(questions):
        try:
            plan.dataset.checkout(group, sources)
        except BadInput as error:
            if error.code != "no_clone":
                raise
            gone.add((group[0].repository, group[0].commit))
    return [each for each in questions if (each.repository, each.commit) not in gone]


def spread(questions: Sequence[Question], limit: int | None) -> Sequence[Question]:
    """`limit` questions at equal distances, the same ones on every run."""
    if limit is None or limit >= len(questions):
        return questions
    return [questions[number * len(questions) // limit] for number in range(limit)]


def _groups(questions: Sequence[Question]) -> Sequence[Sequence[Question]]:
    """Questions about the same state of the same code; an edit makes a state of its own."""
    groups: defaultdict[tuple[str, str, Edit | None], list[Question]] = defaultdict(list)
    for question in questions:
        groups[question.repository, question.commit, question.edit].append(question)
    return list(groups.values())


def _together(plan: Plan, group: Sequence[Question]) -> Sequence[Sequence[int]]:
    """Numbers of the strategies that can share a checkout: each has one before its own edit."""
    numbers = range(len(plan.asked))
    return [[number] for number in numbers] if group[0].edit else [numbers]


def _cost(answers: Sequence[Answer]) -> tuple[float, int, int, int]:
    """Of preparing: that of the last answer, for a view is prepared when it is asked about."""
    cost = max((answer.index for answer in answers), key=lambda each: each.seconds)
    return (round(cost.seconds, 4), cost.chunks, cost.bytes, cost.embedded)


# ------------------------------------------------------------------ answering


def _answers(
    plan: Plan,
    asked: Asked,
    ground: Ground,
    group: Sequence[Question],
    report: Callable[[Step], None],
    step: Step,
) -> list[Answer]:
    strategy, settings = asked
    told = strategy.sees_gold or _writes_gold(settings)
    queries = [Query.of(question, sees_gold=told) for question in group]
    kept = None if group[0].edit else plan.cache  # an edit is not in the key
    cache = Cache.of(kept, strategy, settings, ground.checkout) if kept else None
    found: dict[int, Answer] = {}
    for number, query in enumerate(queries):
        known = cache.get(query) if cache else None
        if known is not None:
            found[number] = known
    step = step._replace(done=len(found), total=len(group), known=len(found))
    report(step)
    left = [number for number in range(len(group)) if number not in found]
    if left:
        with ExitStack() as stack:
            indexed = stack.enter_context(strategy.index(ground, settings))
            fresh_ms = 0.0
            if group[0].edit is not None:
                indexed, fresh_ms = _edited(stack, asked, ground, group[0], indexed)
            for number in left:
                given = answer(
                    indexed, queries[number], settings, plan.model, sees_gold=strategy.sees_gold
                )
                found[number] = replace(given, fresh_ms=fresh_ms)
                if cache:
                    cache.put(queries[number], found[number])
                step = step._replace(done=step.done + 1)
                report(step)
    runnable = settings.generator != NONE and (
        settings.execute or not GENERATORS.get(settings.generator).needs_model
    )
    return [replace(found[number], runnable=runnable) for number in range(len(group))]


def _edited(
    stack: ExitStack, asked: Asked, ground: Ground, question: Question, indexed: Indexed
) -> tuple[Indexed, float]:
    """Save the edit of a question; who answers from then on, and the CPU ms until the first ranking.

    It was asked before, so that what is kept from question to question is there to be out of date.
    """
    assert question.edit is not None, "the caller looked"
    strategy, settings = asked
    query = Query.of(question, sees_gold=strategy.sees_gold)
    indexed.assemble(query, indexed.retrieve(query, settings.depth)[: settings.k], settings.budget)
    save(ground.checkout.folder, question.edit)
    start = time.process_time()
    if isinstance(indexed, Refreshing):
        indexed.refresh()
    else:
        ground.restart()
        indexed = stack.enter_context(strategy.index(ground, settings))
    indexed.retrieve(query, settings.depth)
    return indexed, round(1000 * (time.process_time() - start), 3)


def _writes_gold(settings: Settings) -> bool:
    return settings.generator != NONE and GENERATORS.get(settings.generator).sees_gold


def answer(
    indexed: Indexed,
    query: Query,
    settings: Settings,
    model: LanguageModel | None = None,
    *,
    sees_gold: bool = True,
) -> Answer:
    """One question through all stages, each timed apart.

    Without `sees_gold` what the query knows of the gold is for the generator alone.
    """
    asked = query if sees_gold else replace(query, gold=None)
    start = time.process_time()
    ranking = tuple(indexed.retrieve(asked, settings.depth))
    retrieved = time.process_time()
    context = indexed.assemble(asked, ranking[: settings.k], settings.budget)
    assembled = time.process_time()
    if context.tokens > settings.budget:
        raise AssertionError(f"{context.tokens} tokens are over the budget of {settings.budget}")
    plain = Answer(
        ranking=ranking,
        context=context,
        retrieve_ms=round(1000 * (retrieved - start), 3),
        assemble_ms=round(1000 * (assembled - retrieved), 3),
        index=indexed.cost(),
    )
    if settings.generator == NONE:
        return plain
    began = time.monotonic()
    written = GENERATORS.get(settings.generator).write(query, context, settings.seed, model)
    return replace(
        plain,
        generate_ms=round(1000 * (time.monotonic() - began), 3),  # somebody else's CPU
        written=written.text,
        prompt_tokens=written.prompt_tokens,
        answer_tokens=written.answer_tokens,
    )


Readable = Callable[[Question, Place], bool]
"""Whether a strategy was given the file of a place at all."""


def _readable(ground: Ground, asked: Asked) -> Readable:
    tests = bool(asked.settings.options.get("tests", True))

    def readable(question: Question, place: Place) -> bool:
        file = ground.files(question.ref).get(place.path)
        return file is not None and (tests or not file.is_test)

    return readable


def outcome(
    question: Question, found: Answer, readable: Readable = lambda question, place: True
) -> Outcome:
    """What is written of an answer."""
    shown = [
        (os.fsdecode(piece.path), lines.start, lines.end, piece.tokens)
        for piece in found.context.pieces
        for lines in piece.lines
    ]
    lines_of = shown_lines(question, found)
    return Outcome(
        id=question.id,
        language=question.language,
        repository=question.repository,
        kind=question.kind,
        split=question.split,
        leak_file=question.leak_file,
        leak_function=question.leak_function,
        scores=scores(question, found),
        ms=found.retrieve_ms,
        assemble_ms=found.assemble_ms,
        generate_ms=found.generate_ms,
        tokens=found.context.tokens,
        prompt_tokens=found.prompt_tokens,
        answer_tokens=found.answer_tokens,
        fresh_ms=found.fresh_ms,
        top=[
            (os.fsdecode(each.path), each.lines.start, each.lines.end)
            for each in found.ranking[:KEPT]
        ],
        shown=shown,
        gold=[_gold(question, place, found, lines_of, readable) for place in question.functions],
    )


def _gold(
    question: Question, place: Place, found: Answer, lines_of: Lines, readable: Readable
) -> Gold:
    rank = next((n for n, each in enumerate(found.ranking, 1) if overlaps(each, place)), 0)
    wanted = range(place.lines.start, place.lines.end + 1)
    share = len(lines_of.get(place.path, frozenset()).intersection(wanted)) / len(wanted)
    known = bool(rank) or readable(question, place)  # files are read again only where it matters
    return Gold(
        os.fsdecode(place.path), place.lines.start, place.lines.end, rank, round(share, 4), known
    )

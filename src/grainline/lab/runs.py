"""Result files: one JSON Lines file per (set, strategy with its settings, our commit).

The first line says what the run was; each further line holds one question's ranking, context and
scores.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from grainline.errors import BadInput
from grainline.lab.code import code_version, machine, versions
from grainline.lab.questions import Question
from grainline.lab.values import Settings, Value

SCHEMA = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What a run was.

    Attributes:
        schema: of this file.
        set: the dataset.
        strategy: its name.
        label: the name with every setting that is not the default one: what tables call it.
        settings: all of them, those of the strategy by their own names.
        code: our commit, with `+dirty` when files differ from it.
        data: digest of all questions of the set with their gold, asked or not.
        seed: of everything that draws, intervals included.
        machine: what timings depend on.
        versions: of Python and of libraries.
        index: of every checkout its name, CPU seconds, chunks, bytes, tokens to embed.
        experiment: the experiment that it belongs to, or "".
        left_out: questions that were not asked, because their clones were not there.
        of: questions of the set, asked or not; 0 where an older run did not say.
    """

    schema: int
    set: str
    strategy: str
    label: str
    settings: Mapping[str, Value]
    code: str
    data: str
    seed: int
    machine: str
    versions: Mapping[str, str]
    index: Sequence[tuple[str, float, int, int, int]] = ()
    experiment: str = ""
    left_out: int = 0
    of: int = 0


class Gold(NamedTuple):
    """What became of one gold function.

    `rank` is that of the first result that shows a line of it (0: none), `share` how much of its
    lines the context shows; `known` says whether the strategy was given its file.
    """

    path: str
    start: int
    end: int
    rank: int
    share: float
    known: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question's result.

    Attributes:
        id: of the question, as are language to `leak_function`.
        scores: by `LEVEL MEASURE`.
        ms: CPU time of the search alone, `assemble_ms` and `generate_ms` of what follows.
        fresh_ms: CPU time from an edit to the first ranking; 0 where nothing was edited.
        tokens: of the context; `prompt_tokens` and `answer_tokens` as the generator counts them.
        top: the first results: path, first and last line.
        shown: lines of the context: path, first and last line, tokens of the piece.
        gold: of each gold function, what became of it.
    """

    id: str
    language: str
    repository: str
    kind: str
    split: str
    leak_file: bool
    leak_function: bool
    scores: Mapping[str, float]
    ms: float
    assemble_ms: float
    generate_ms: float
    tokens: int
    prompt_tokens: int
    answer_tokens: int
    top: Sequence[tuple[str, int, int]]
    shown: Sequence[tuple[str, int, int, int]]
    gold: Sequence[Gold]
    fresh_ms: float = 0.0


def describe(
    name: str,
    strategy: str,
    label: str,
    settings: Settings,
    questions: Sequence[Question],
    experiment: str = "",
) -> Header:
    """The header of a run made now."""
    common = {key: value for key, value in asdict(settings).items() if key != "options"}
    return Header(
        schema=SCHEMA,
        set=name,
        strategy=strategy,
        label=label,
        settings={**common, **settings.options},
        code=code_version(),
        data=hashlib.blake2b(repr(questions).encode(), digest_size=8).hexdigest(),
        seed=settings.seed,
        machine=machine(),
        versions=versions(),
        experiment=experiment,
    )


def result_path(folder: Path, header: Header) -> Path:
    """Where the results of a run belong."""
    return folder / header.set / f"{header.label}@{header.code}.jsonl"


def write_results(folder: Path, header: Header, outcomes: Sequence[Outcome]) -> Path:
    """Write a result file; one of the same name is replaced at once, or not at all.

    Where it is about the same questions, those that were not asked again stay: experiments ask
    more or fewer of one set.

    Raises:
        BadInput: the file was made on another machine or with other versions.
    """
    path = result_path(folder, header)
    if path.exists() and not header.code.endswith("+dirty"):
        before, _ = read_results(path)
        if (before.machine, dict(before.versions)) != (header.machine, dict(header.versions)):
            raise BadInput(
                "other_run",
                "the result file was made on another machine or with other versions",
                subject=str(path),
                hint="move it away and run again",
            )
        header, outcomes = _with_earlier(header, outcomes, path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8") as out:
        out.write(json.dumps(asdict(header), sort_keys=True) + "\n")
        for outcome in outcomes:
            out.write(json.dumps(asdict(outcome), ensure_ascii=False) + "\n")
    part.replace(path)
    return path


def _with_earlier(
    header: Header, outcomes: Sequence[Outcome], path: Path
) -> tuple[Header, Sequence[Outcome]]:
    """A run with what an earlier one of the same code, settings and questions has beside it."""
    before, known = read_results(path)
    if (before.data, before.settings, before.seed) != (header.data, header.settings, header.seed):
        return header, outcomes
    asked = {each.id for each in outcomes}
    made = {row[0] for row in header.index}
    index = [*header.index, *(row for row in before.index if row[0] not in made)]
    return replace(header, index=index), [
        *outcomes, *(each for name, each in known.items() if name not in asked)
    ]  # fmt: skip


def _read(row: Mapping[str, Any]) -> Outcome:
    return Outcome(**row)


def read_results(path: Path) -> tuple[Header, dict[str, Outcome]]:
    """A result file.

    Raises:
        BadInput: it is not one, or of another schema.
    """
    header: Header | None = None
    outcomes: dict[str, Outcome] = {}
    number = 0
    try:
        for line in path.read_bytes().splitlines():
            number += 1
            row = json.loads(line)
            if header is None:
                header = _header(row, path)
                continue
            found = _read(row)
            outcomes[found.id] = replace(found, gold=[Gold(*gold) for gold in found.gold])
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise _broken(path, number, _what(error)) from None
    if header is None:
        raise _broken(path, 1, "it is empty")
    return header, outcomes


def _header(row: Mapping[str, Any], path: Path) -> Header:
    if row["schema"] != SCHEMA:
        raise BadInput(
            "bad_results",
            f"schema {row['schema']} is not {SCHEMA}",
            subject=str(path),
            hint=_AGAIN,
        )
    return Header(**row)


_AGAIN = "run again, or move it away"


def _broken(path: Path, number: int, what: str) -> BadInput:
    return BadInput(
        "bad_results",
        f"line {number} is no line of a result file ({what})",
        subject=str(path),
        hint=_AGAIN,
    )


def _what(error: Exception) -> str:
    """What is wrong; a parser counts lines inside of ours, so that only its column is told."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    return str(error)

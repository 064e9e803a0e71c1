"""Reading an experiment: datasets x strategies x parameters x seeds, and the scores it expects.

    title = "what is claimed"
    datasets = ["small"]
    strategies = ["lines", "function"]
    seeds = [0]                        # [0] when left out
    split = "dev"                      # "" or left out: all questions
    limit = 100                        # questions of a set; left out: all

    [limits]                           # of one set, where it is another
    history = 12

    [settings]                         # the same for all: k, depth, budget, retriever, generator
    budget = 2000

    [vary]                             # every combination is run; settings, or options by name
    retriever = ["bm25", "engine"]
    size = [100, 200, 400]

    [each]                             # every value alone, all else as it is: ablations
    header = [true, false]

    [options.lines]                    # of one strategy
    header = false

    [[expect]]                         # checked after the run: exit 7 when it does not hold
    set = "small"
    measure = "function R@5"
    within = 0.001                     # 0.001 when left out
    scores = { lines = 1.0, function = 0.958 }   # means over all questions

A score belongs to a strategy, or to a label as tables show it (`"lines[size=100]"`) where a strategy
is run with several settings. A strategy that does not know an option of `[vary]` or `[each]` is run once for all its values.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from pathlib import Path
from typing import Any

from grainline.errors import BadInput
from grainline.lab.datasets.base import DATASETS
from grainline.lab.running import Asked, settled
from grainline.lab.strategies.base import find_strategy
from grainline.lab.values import Settings, Value

FOLDER = Path(__file__).parent
KNOWN = frozenset(
    [
        "title",
        "datasets",
        "strategies",
        "seeds",
        "split",
        "limit",
        "limits",
        "settings",
        "vary",
        "each",
        "options",
        "expect",
    ]
)
SETTINGS = frozenset(each.name for each in fields(Settings)) - {"options", "model"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A mean score that the run with a label must come to."""

    set: str
    label: str
    measure: str
    score: float
    within: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What to run, settled: every strategy with all of its settings, in the order of the file."""

    name: str
    title: str
    datasets: tuple[str, ...]
    asked: tuple[Asked, ...]
    split: str
    limit: int | None
    limits: Mapping[str, int]
    expected: tuple[Expected, ...]

    def limit_of(self, dataset: str) -> int | None:
        """Questions of a set; None for all."""
        return self.limits.get(dataset, self.limit)


def experiment_names() -> tuple[str, ...]:
    """Those that come with the lab."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def read_experiment(name: str) -> Experiment:
    """The experiment of that name, or in the file of that name.

    Raises:
        BadInput: there is none, or what it says cannot be meant.
    """
    path = FOLDER / f"{name}.toml"
    if name not in experiment_names():
        path = Path(name)
    if path.suffix != ".toml" or not path.is_file():
        known = ", ".join(experiment_names()) or "none"
        raise BadInput(
            "unknown_experiment",
            f"no experiment is called {name!r}",
            hint=f"known: {known}; or name a .toml file",
        )
    try:
        rows = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput("bad_experiment", str(error), subject=str(path)) from None
    try:
        return parse(path.stem, rows)
    except (TypeError, KeyError, AttributeError) as error:
        raise BadInput("bad_experiment", f"it cannot be read: {error}", subject=str(path)) from None


def parse(name: str, rows: Mapping[str, Any]) -> Experiment:
    """An experiment from the tables of its file.

    Raises:
        BadInput: what they say cannot be meant.
    """
    if unknown := sorted(rows.keys() - KNOWN):
        raise BadInput("bad_experiment", f"unknown key {unknown[0]!r}", subject=name)
    datasets = tuple(map(str, rows["datasets"]))
    for dataset in datasets:
        DATASETS.get(dataset)
    strategies = tuple(map(str, rows["strategies"]))
    own: Mapping[str, Mapping[str, Value]] = rows.get("options", {})
    if stray := sorted(own.keys() - set(strategies)):
        raise BadInput("bad_experiment", f"options of {stray[0]!r}, which is not run", subject=name)
    given: Mapping[str, Value] = rows.get("settings", {})
    if stray := sorted(given.keys() - SETTINGS):
        hint = "known: " + ", ".join(sorted(SETTINGS))
        raise BadInput("bad_experiment", f"no setting {stray[0]!r}", subject=name, hint=hint)
    vary: dict[str, Sequence[Value]] = {**rows.get("vary", {})}
    each: dict[str, Sequence[Value]] = {**rows.get("each", {})}
    alone = [{key: [value]} for key, values in each.items() for value in values]
    limits: dict[str, int] = {**rows.get("limits", {})}
    if stray := sorted(limits.keys() - set(datasets)):
        raise BadInput("bad_experiment", f"a limit of {stray[0]!r}, which is not run", subject=name)
    seeds: Sequence[Value] = rows.get("seeds", [given.get("seed", 0)])
    cells = [
        cell
        for strategy in strategies
        for one in alone or [{}]
        for cell in _cells(strategy, {**vary, **one, "seed": seeds}, given, own.get(strategy, {}))
    ]
    _check_vary(name, strategies, {**vary, **each})
    asked = tuple({each.label: each for each in cells}.values())
    return Experiment(
        name=name,
        title=str(rows["title"]),
        datasets=datasets,
        asked=asked,
        split=str(rows.get("split", "")),
        limit=rows.get("limit"),
        limits=limits,
        expected=tuple(
            each for row in rows.get("expect", ()) for each in _expected(name, row, asked)
        ),
    )


def _expected(name: str, row: Mapping[str, Any], asked: Sequence[Asked]) -> Iterator[Expected]:
    labels = {each.label: [each.label] for each in asked}
    for each in asked:
        labels.setdefault(each.strategy.name, []).append(each.label)
    for key, score in row["scores"].items():
        found = labels.get(key, [])
        if len(set(found)) != 1:
            raise BadInput(
                "bad_experiment",
                f"{len(found)} runs are called {key!r}, of which a score is expected",
                subject=name,
            )
        yield Expected(
            set=row["set"],
            label=found[0],
            measure=row["measure"],
            score=float(score),
            within=float(row.get("within", 0.001)),
        )


def _cells(
    name: str,
    vary: Mapping[str, Sequence[Value]],
    given: Mapping[str, Value],
    own: Mapping[str, Value],
) -> list[Asked]:
    strategy = find_strategy(name)
    keys = [key for key in vary if key in SETTINGS or key in strategy.options]
    cells: list[Asked] = []
    for values in product(*(vary[key] for key in keys)):
        chosen = dict(zip(keys, values, strict=True))
        common: dict[str, Any] = {**given, **{k: v for k, v in chosen.items() if k in SETTINGS}}
        options = {**{k: v for k, v in chosen.items() if k not in SETTINGS}, **own}
        _check_types(common)
        settings = replace(Settings(options=options), **common)
        cells.append(settled(strategy, settings))
    return cells


_DEFAULTS = Settings(options={})


_WANTED: dict[type, str] = {str: "word", bool: "true or false", int: "whole number"}


def _check_types(given: Mapping[str, object]) -> None:
    """Raises BadInput for a setting of another type than its default; true and false are no numbers."""
    for name, value in given.items():
        default: object = getattr(_DEFAULTS, name)
        if type(value) is not type(default):
            wanted = _WANTED[type(default)]
            raise BadInput(
                "bad_setting",
                f"the setting {name} is {value!r}, which is no {wanted}",
                hint=f"it is like {name}={default}",
            )


def _check_vary(name: str, strategies: Sequence[str], vary: Mapping[str, object]) -> None:
    known = SETTINGS.union(*(find_strategy(each).options for each in strategies))
    for key in vary:
        if key not in known:
            raise BadInput("bad_experiment", f"no strategy has the option {key!r}", subject=name)

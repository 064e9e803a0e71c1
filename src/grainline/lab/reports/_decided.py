"""What results decide: plain runs side by side, and runs that differ in one setting from a plain one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from grainline.lab.compare import Result
from grainline.lab.diagnosis import ORACLE
from grainline.lab.slices import ALL, slice_scores
from grainline.lab.statistics import Interval, paired_interval
from grainline.lab.strategies.base import find_strategy
from grainline.lab.values import Value

PROFILE = "profile"
"""The option that names the kind of question a context is for."""

COMMON = ("k", "depth", "budget", "retriever", "generator", "model", "seed", "execute")
"""Settings of a comparison; all others are a strategy's own."""

Plain = Mapping[str, Mapping[str, Result]]
"""By set and strategy, the run with that strategy's own defaults."""


class Change(NamedTuple):
    """A run that differs from a plain run in one setting, and what that gained."""

    setting: str
    value: Value
    default: Value
    strategy: str
    set: str
    gain: Interval


def plain_runs(results: Sequence[Result]) -> Plain:
    """Of each set the largest group of strategies with the same common settings.

    Of runs of one strategy that over most questions counts (an experiment may ask a part of a set),
    of those the last.
    """
    groups: defaultdict[str, defaultdict[str, dict[str, Result]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for each in results:
        if is_plain(each):
            group = groups[each.header.set][repr(_common(each))]
            held = group.get(each.header.strategy)
            if held is None or len(each.outcomes) >= len(held.outcomes):
                group[each.header.strategy] = each
    return {name: max(found.values(), key=len) for name, found in sorted(groups.items())}


def is_plain(result: Result) -> bool:
    """Whether all options of the strategy have their defaults."""
    return not _changed(result)


def _common(result: Result) -> list[Value]:
    return [result.header.settings.get(key, "") for key in COMMON]


def _changed(result: Result) -> dict[str, Value]:
    settings = result.header.settings
    defaults = _defaults(result.header.strategy)
    return {
        key: value
        for key, value in settings.items()
        if key not in COMMON and key in defaults and value != defaults[key]
    }


@cache
def _defaults(strategy: str) -> Mapping[str, Value]:
    return find_strategy(strategy).options


def in_all(every: Plain, sets: Sequence[str]) -> list[str]:
    """The strategies that every one of some sets has."""
    return [name for name in sorted(every[sets[0]]) if all(name in every[at] for at in sets)]


def gain(new: Result, base: Result, measure: str, slice_name: str = ALL) -> Interval | None:
    """New - base over the questions of a slice that both answered; None where there are none."""
    one = slice_scores(new.outcomes.values(), slice_name, measure)
    two = slice_scores(base.outcomes.values(), slice_name, measure)
    keys = sorted(one.keys() & two.keys())
    if not keys:
        return None
    return _interval(tuple(one[key] for key in keys), tuple(two[key] for key in keys))


def pooled_gain(
    pairs: Sequence[tuple[Result, Result]], measure: str, slice_name: str = ALL
) -> Interval | None:
    """New - base over the questions of several sets together, each question once."""
    new: list[float] = []
    base: list[float] = []
    for one, two in pairs:
        left = slice_scores(one.outcomes.values(), slice_name, measure)
        right = slice_scores(two.outcomes.values(), slice_name, measure)
        keys = sorted(left.keys() & right.keys())
        new += [left[key] for key in keys]
        base += [right[key] for key in keys]
    return _interval(tuple(new), tuple(base)) if new else None


@lru_cache(maxsize=1 << 15)
def _interval(new: tuple[float, ...], base: tuple[float, ...]) -> Interval:
    """Tables and pictures ask for the same differences."""
    return paired_interval(new, base)


def mean(result: Result, measure: str, slice_name: str = ALL) -> float | None:
    """Over the questions of a slice; None where none has the measure."""
    scores = slice_scores(result.outcomes.values(), slice_name, measure)
    return sum(scores.values()) / len(scores) if scores else None


def ranked(
    runs: Mapping[str, Result], measure: str, slice_name: str = ALL
) -> list[tuple[float, Result]]:
    """Runs that are not told the answer, the best first, ties by name."""
    found = [
        (score, run)
        for name, run in sorted(runs.items())
        if name != ORACLE and (score := mean(run, measure, slice_name)) is not None
    ]
    return sorted(found, key=lambda pair: -pair[0])


def is_sure(found: Interval) -> bool:
    """Whether the interval has no zero in it."""
    return found.low > 0.0 or found.high < 0.0


def changes(results: Sequence[Result], measure: str) -> list[Change]:
    """Every run that differs in one setting from a plain run of its strategy, set and code.

    A run with another profile of context is plain, too; `strategy` then names the profile.
    Of equal changes that were run with several codes the last one counts.
    """
    found: list[Change] = []
    for pair in changed_pairs(results):
        gained = gain(pair.new, pair.base, measure)
        if gained is not None:
            head, default = pair.new.header, pair.base.header.settings[pair.setting]
            value = head.settings[pair.setting]
            found.append(Change(pair.setting, value, default, pair.strategy, head.set, gained))
    return found


class Pair(NamedTuple):
    """A run and the plain one from which it differs in one setting."""

    setting: str
    strategy: str
    new: Result
    base: Result


def changed_pairs(results: Sequence[Result]) -> list[Pair]:
    """Of equal pairs that were run with several codes the last one counts."""
    found = {
        (
            each.setting,
            each.new.header.settings[each.setting],
            each.strategy,
            each.new.header.set,
        ): each
        for each in every_pair(results)
    }
    return list(found.values())


def every_pair(results: Sequence[Result]) -> Iterator[Pair]:
    """Those of every value of the common settings, too."""
    changed = [(each, _changed(each)) for each in results]
    bases: defaultdict[tuple[str, str, str], list[tuple[Result, Value]]] = defaultdict(list)
    for base, found in changed:
        if found.keys() <= {PROFILE}:
            bases[_of(base)].append((base, found.get(PROFILE, "")))
    for each, _ in changed:
        for base, profile in bases[_of(each)]:
            key = _one_change(each, base)
            if key and not (profile and key == PROFILE):
                name = f"{each.header.strategy}, {profile}" if profile else each.header.strategy
                yield Pair(key, name, each, base)


def _of(result: Result) -> tuple[str, str, str]:
    return result.header.set, result.header.strategy, result.header.code


def _one_change(new: Result, base: Result) -> str:
    """The one setting in which they differ, "" when there is none or several.

    Of common settings the default of the lab is the base, so that a pair is told once.
    """
    one, two = new.header, base.header
    if one.label == two.label:
        return ""
    differ = [key for key in one.settings if one.settings[key] != two.settings.get(key)]
    if len(differ) != 1:
        return ""
    (key,) = differ
    own = key not in COMMON
    return key if own or f"{key}=" not in two.label else ""


def crossings(
    runs: Sequence[Mapping[str, Result]], measure: str
) -> Iterator[tuple[str, str, Interval, Interval]]:
    """Pairs of strategies that change places between the first and the last set: a led, b leads."""
    first, last = runs[0], runs[-1]
    names = sorted(set(first) & set(last) - {ORACLE})
    for a in names:
        for b in names:
            before, after = gain(first[a], first[b], measure), gain(last[a], last[b], measure)
            if before and after and before.mean > 0.0 > after.mean:
                yield a, b, before, after


def number(value: float | None) -> str:
    """A score as tables show it."""
    return "" if value is None else f"{value:.3f}".replace("0.", ".", 1)


def signed(found: Interval | None) -> str:
    """A gain with its interval, bold when zero is outside."""
    if found is None:
        return ""
    text = f"{_sign(found.mean)} ({_sign(found.low)}..{_sign(found.high)})"
    return f"**{text}**" if is_sure(found) else text


def _sign(value: float) -> str:
    rounded = round(value, 3)
    return "0" if not rounded else f"{rounded:+.3f}".replace("0.", ".", 1)

"""Tables of who wins by how much, and of what the size of a repository changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from grainline.lab.compare import Result
from grainline.lab.diagnosis import ORACLE, Cost, cost
from grainline.lab.reports._decided import (
    COMMON,
    Plain,
    crossings,
    gain,
    in_all,
    is_plain,
    is_sure,
    mean,
    number,
    pooled_gain,
    ranked,
    signed,
)
from grainline.lab.reports._tables import KEYS, SIZES, YARDSTICK, table
from grainline.lab.slices import ALL, NO_LEAK, SMALLEST, slice_scores

OF_SIZE = (
    "function R@5",
    "result LineRecall@100",
    "context EvidenceRecall",
    "context LinePrecision",
)
ENGINE = "grainline"
FEW = 4
"""Strategies that a cell names."""

NOTE = (
    "A gain is the mean difference over the questions that both answered, with its 95 % interval of "
    "10,000 paired bootstrap samples; bold: zero is outside. Intervals are not corrected for their "
    "number: of twenty comparisons of equals one is bold by chance. Contexts are made of the first k results: "
    "what cuts small pieces leaves a part of the budget empty (column tokens; the setting `k` below); LineRecall@400 "
    "counts the same number of lines for all. Sets of fewer than five questions stand only among all scores."
)


def winners(asked: Plain, slice_name: str) -> Iterator[str]:
    """The best of each set, what it gains over the yardstick, and who is as good for all we know."""
    rows: list[Sequence[str]] = []
    for name, runs in asked.items():
        for measure in KEYS:
            order = ranked(runs, measure, slice_name)
            if len(order) < 2 or (slice_name == NO_LEAK and not _leaks(order[0][1])):
                continue
            score, best = order[0]
            if len(slice_scores(best.outcomes.values(), slice_name, measure)) < SMALLEST:
                continue
            base = runs.get(YARDSTICK)
            over = gain(best, base, measure, slice_name) if base and base is not best else None
            rows.append(
                (
                    name,
                    measure,
                    f"`{best.header.strategy}`",
                    number(score),
                    signed(over),
                    _equals(order, measure, slice_name),
                )
            )
    if rows:
        title = "What wins" if slice_name == ALL else "Without what the question gives away"
        yield f"## {title}\n"
        if slice_name == ALL:
            yield NOTE + "\n"
        head = ["set", "measure", "best", "score", f"over `{YARDSTICK}`", "not told apart from it"]
        yield from table(head, rows)


def _leaks(run: Result) -> bool:
    return any(each.leak_file or each.leak_function for each in run.outcomes.values())


def _equals(order: Sequence[tuple[float, Result]], measure: str, slice_name: str) -> str:
    best = order[0][1]
    same = [
        run.header.strategy
        for _, run in order[1:]
        if (found := gain(best, run, measure, slice_name)) is not None and not is_sure(found)
    ]
    if len(same) > FEW:
        said = "all" if len(same) == len(order) - 1 else f"{len(same)} of {len(order) - 1}"
        return f"{said}: {', '.join(same[:FEW])} …"
    return ", ".join(same) or "none"


def strategies(asked: Plain) -> Iterator[str]:
    """Every strategy against the yardstick, the questions of all sets together."""
    every = {name for runs in asked.values() for name in runs} - {YARDSTICK, ORACLE}
    names = sorted(name for name in every if "+" not in name)  # those have a table of their own
    rows: list[tuple[float, Sequence[str]]] = []
    for name in names:
        pairs = [
            (runs[name], runs[YARDSTICK])
            for runs in asked.values()
            if name in runs and YARDSTICK in runs
        ]
        pooled = [pooled_gain(pairs, measure) for measure in KEYS]
        if pooled[-1] is not None:
            won, lost = _won(pairs, KEYS[-1])
            questions = str(sum(len(one.outcomes.keys() & two.outcomes) for one, two in pairs))
            tokens = sum(cost(one, Cost.TOKENS) for one, _ in pairs) / len(pairs)
            sets = f"{won} / {lost} of {len(pairs)}"
            cells = (f"`{name}`", questions, *map(signed, pooled), sets, f"{tokens:.0f}")
            rows.append((pooled[-1].mean, cells))
    if rows:
        yield f"## Every strategy against `{YARDSTICK}`, the questions of all sets together\n"
        head = ["strategy", "questions", *KEYS, "sets won / lost (EvidenceRecall)", "tokens"]
        yield from table(head, (cells for _, cells in sorted(rows, key=lambda row: -row[0])))


def _won(pairs: Sequence[tuple[Result, Result]], measure: str) -> tuple[int, int]:
    found = [each for pair in pairs if (each := gain(*pair, measure)) is not None]
    return sum(each.low > 0.0 for each in found), sum(each.high < 0.0 for each in found)


def sizes(every: Plain) -> Iterator[str]:
    """The same questions inside ever more lines, and which strategies change places."""
    sets = [name for name in SIZES if name in every]
    names = in_all(every, sets) if sets else []
    if len(sets) < 2 or len(names) < 2:
        return
    yield "## The same twelve questions inside more lines\n"
    for measure in OF_SIZE:
        yield from table(
            [measure, *sets],
            (
                [f"`{name}`", *(number(mean(every[at][name], measure)) for at in sets)]
                for name in names
            ),
        )
        found = list(crossings([every[at] for at in sets], measure))
        sure = [f"`{a}` → `{b}`" for a, b, one, two in found if is_sure(one) and is_sure(two)]
        yield (
            f"{len(found)} pairs change places from {sets[0]} to {sets[-1]}; decided by intervals at both "
            f"ends: {', '.join(sure) or 'none'}.\n"
        )


def units(results: Sequence[Result]) -> Iterator[str]:
    """The engine with other chunks than its own, the questions of all sets together."""
    groups: defaultdict[tuple[str, ...], dict[str, Result]] = defaultdict(dict)
    for each in results:
        if each.header.strategy.partition("+")[0] == ENGINE and is_plain(each):
            common = (repr(each.header.settings.get(key)) for key in COMMON)
            groups[each.header.set, each.header.code, *common][each.header.strategy] = each
    pairs: defaultdict[str, list[tuple[Result, Result]]] = defaultdict(list)
    for runs in groups.values():
        for name in runs.keys() - {ENGINE}:
            if ENGINE in runs:
                pairs[name].append((runs[name], runs[ENGINE]))
    rows = [
        (
            f"`{name}`",
            str(sum(len(new.outcomes) for new, _ in found)),
            *(signed(pooled_gain(found, measure)) for measure in (*KEYS, "result RR")),
            signed(pooled_gain(found, KEYS[-1], NO_LEAK)),
            ", ".join(sorted({new.header.set for new, base in found if _loses(new, base)})),
        )
        for name, found in sorted(pairs.items())
    ]
    if rows:
        yield f"## The engine with other chunks, against `{ENGINE}` with its own (`grain`)\n"
        measures = (*KEYS, "result RR", f"{KEYS[-1]}, no-leak")
        yield from table(["chunks", "questions", *measures, "less evidence in"], rows)


def _loses(new: Result, base: Result) -> bool:
    found = gain(new, base, KEYS[-1])
    return found is not None and found.high < 0.0

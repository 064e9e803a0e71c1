"""Tables of what one setting does, and of defaults that it contradicts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from grainline.lab.compare import Result
from grainline.lab.reports._decided import (
    COMMON,
    Change,
    Pair,
    changed_pairs,
    changes,
    every_pair,
    gain,
    is_sure,
    pooled_gain,
    signed,
)
from grainline.lab.reports._tables import DEEP, shown, table
from grainline.lab.slices import ALL, NO_LEAK

BRIEF = "compact"
OF_HEADINGS = ("context EvidenceRecall", "context Efficiency", "answer Proof")
OURS = ("grainline", "hierarchical")
"""The engine's own ranking and its own context."""


def contradicted(results: Sequence[Result]) -> Iterator[str]:
    """Values that beat a default of the engine over all sets together, and what they do elsewhere."""
    groups: defaultdict[tuple[str, str, str, str], list[Pair]] = defaultdict(list)
    for pair in changed_pairs(results):
        if pair.strategy in OURS and pair.setting not in COMMON:
            value, default = (run.header.settings[pair.setting] for run in (pair.new, pair.base))
            groups[pair.setting, shown(value), shown(default), pair.strategy].append(pair)
    rows: list[tuple[float, Sequence[str]]] = []
    for (setting, value, default, strategy), pairs in groups.items():
        measure = "context EvidenceRecall" if strategy == OURS[1] else "result LineRecall@400"
        runs = [(each.new, each.base) for each in pairs]
        every, quiet = (pooled_gain(runs, measure, at) for at in (ALL, NO_LEAK))
        if every is not None and every.low > 0.0:
            lost = [each.new.header.set for each in pairs if _loses(each, measure)]
            counted = sum(len(each.new.outcomes) for each in pairs)
            name = f"`{setting} = {value}`"
            cells = (name, f"`{default}`", f"`{strategy}`", measure, str(counted))
            rows.append((every.mean, (*cells, signed(every), signed(quiet), ", ".join(lost))))
    if groups:
        yield "## Defaults that an interval contradicts\n"
        yield (
            f"Of {len(groups)} other values of the engine's numbers, over the questions of all sets that were asked "
            f"with them. {'' if rows else 'None is better than the default.'}\n"
        )
    if rows:
        head = [
            "value",
            "default",
            "strategy",
            "measure",
            "questions",
            "gain",
            "no-leak",
            "loses in",
        ]
        yield from table(head, (cells for _, cells in sorted(rows, key=lambda row: -row[0])))


def _loses(pair: Pair, measure: str) -> bool:
    found = gain(pair.new, pair.base, measure)
    return found is not None and found.high < 0.0


def moved(results: Sequence[Result]) -> Iterator[str]:
    """The changes of one setting that an interval decides, the largest first."""
    rows = [
        (measure, each)
        for measure in DEEP
        for each in changes(results, measure)
        if is_sure(each.gain)
    ]
    tried = sum(len(changes(results, measure)) for measure in DEEP)
    if not tried:
        return
    rows.sort(key=lambda row: -abs(row[1].gain.mean))
    yield "## What one setting does\n"
    yield (
        f"Of {tried} changes of one setting (each with its measure and set) {len(rows)} are decided; "
        "the 24 largest:\n"
    )
    yield from table(
        ["setting", "default", "strategy", "set", "measure", "gain"],
        (
            (
                f"`{each.setting} = {shown(each.value)}`",
                f"`{shown(each.default)}`",
                f"`{each.strategy}`",
                each.set,
                measure,
                signed(each.gain),
            )
            for measure, each in rows[:24]
        ),
    )


def ablations(results: Sequence[Result]) -> Iterator[str]:
    """A row for each value of a setting, a column for each set; what moves nothing is only named."""
    for measure in DEEP:
        cells: defaultdict[tuple[str, str, str, str], dict[str, Change]] = defaultdict(dict)
        for each in changes(results, measure):
            key = (each.setting, shown(each.value), shown(each.default), each.strategy)
            cells[key][each.set] = each
        sets = sorted({name for row in cells.values() for name in row})
        still = [key for key, row in cells.items() if not any(any(c.gain) for c in row.values())]
        if cells:
            yield f"## Ablations: gain of {measure}\n"
            yield from table(
                ["setting", "default", "strategy", *sets],
                (
                    [f"`{key[0]} = {key[1]}`", f"`{key[2]}`", f"`{key[3]}`"]
                    + [signed(row[name].gain) if name in row else "" for name in sets]
                    for key, row in sorted(cells.items(), key=lambda pair: _by_value(pair[0]))
                    if key not in still
                ),
            )
        if still:
            said = ", ".join(f"`{key[3]}[{key[0]}={key[1]}]`" for key in sorted(still))
            yield f"<details><summary>{len(still)} settings moved no question</summary>\n\n{said}\n\n</details>\n"


def _by_value(key: tuple[str, str, str, str]) -> tuple[str, str, float, str]:
    setting, value, _, strategy = key
    is_number = value.replace(".", "", 1).replace("-", "", 1).isdigit()
    return setting, strategy, float(value) if is_number else 0.0, value


def headings(results: Sequence[Result]) -> Iterator[str]:
    """What brief lines above the pieces of a context gain over full ones, by budget."""
    found: defaultdict[int, list[tuple[Result, Result]]] = defaultdict(list)
    for pair in every_pair(results):
        if pair.setting == "format" and pair.new.header.settings["format"] == BRIEF:
            found[int(pair.new.header.settings["budget"])].append((pair.new, pair.base))
    rows = [
        (
            str(budget),
            str(sum(len(new.outcomes) for new, _ in pairs)),
            *(signed(pooled_gain(pairs, measure)) for measure in OF_HEADINGS),
        )
        for budget, pairs in sorted(found.items())
    ]
    if rows:
        yield "## What headings cost: brief lines above the pieces of a context instead of full ones\n"
        yield from table(["budget", "questions", *OF_HEADINGS], rows)

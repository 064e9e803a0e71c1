"""What the results decide, and what they do not: the tables of docs/lab/report.md."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from grainline.lab.compare import Result
from grainline.lab.diagnosis import ORACLE, OWN_CHUNK, Cost, Loss, cost, gaps, losses, rides
from grainline.lab.reports._decided import (
    Change,
    Plain,
    changes,
    crossings,
    gain,
    in_all,
    is_plain,
    is_sure,
    mean,
    number,
    plain_runs,
    pooled_gain,
    ranked,
    signed,
)
from grainline.lab.slices import ALL, NO_LEAK, SMALLEST, slice_scores
from grainline.lab.statistics import mean_interval

YARDSTICK = "lines"
KEYS = ("function R@10", "result LineRecall@400", "context EvidenceRecall")
DEEP = ("result RR", "context EvidenceRecall")
SIZES = ("small", "small_in_5k", "small_in_50k", "small_in_500k")
OF_SIZE = (
    "function R@5",
    "result LineRecall@100",
    "context EvidenceRecall",
    "context LinePrecision",
)
PRIVATE = "own"
TOKENS = "fixed"
MRR = "result RR@5"
STALE = "answer Stale"
WRITTEN = (
    "answer Pass@1",
    "answer Patched",
    "answer EM",
    "answer ES",
    "answer IdentifierF1",
    "answer Detected",
    "answer FalseAlarm",
)
FEW = 4
"""Strategies that a cell names."""

NOTE = (
    "A gain is the mean difference over the questions that both answered, with its 95 % interval of "
    "10,000 paired bootstrap samples; bold: zero is outside. Intervals are not corrected for their "
    "number: of twenty comparisons of equals one is bold by chance. Contexts are made of the first k results: "
    "what cuts small pieces leaves a part of the budget empty (column tokens; the setting `k` below); LineRecall@400 "
    "counts the same number of lines for all. Sets of fewer than five questions stand only among all scores."
)


class Conclusions:
    """Tables: who wins by how much, what is not decided, where gold is lost, what a setting is worth."""

    name = "conclusions"
    suffix = ".md"

    def render(self, results: Sequence[Result]) -> str:
        """All tables, those that conclude first."""
        every = plain_runs(results)
        asked = {name: runs for name, runs in every.items() if name not in SIZES[1:]}
        parts = (
            _winners(asked, ALL),
            _strategies(asked),
            _moved(results),
            _sizes(every),
            _winners(asked, NO_LEAK),
            _losses(asked),
            _bounds(asked),
            _rides(asked),
            _costs(asked),
            _private(every),
            _fresh(every),
            _written(results),
            _ablations(results),
            _scores(every),
            _made(results),
        )
        return "\n".join(line for part in parts for line in part)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


# ------------------------------------------------------------------ conclusions


def _winners(asked: Plain, slice_name: str) -> Iterator[str]:
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
        yield from _table(head, rows)


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


def _strategies(asked: Plain) -> Iterator[str]:
    """Every strategy against the yardstick, the questions of all sets together."""
    names = sorted({name for runs in asked.values() for name in runs} - {YARDSTICK, ORACLE})
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
            questions = str(sum(len(one.outcomes) for one, _ in pairs))
            tokens = sum(cost(one, Cost.TOKENS) for one, _ in pairs) / len(pairs)
            sets = f"{won} / {lost} of {len(pairs)}"
            cells = (f"`{name}`", questions, *map(signed, pooled), sets, f"{tokens:.0f}")
            rows.append((pooled[-1].mean, cells))
    if rows:
        yield f"## Every strategy against `{YARDSTICK}`, the questions of all sets together\n"
        head = ["strategy", "questions", *KEYS, "sets won / lost (EvidenceRecall)", "tokens"]
        yield from _table(head, (cells for _, cells in sorted(rows, key=lambda row: -row[0])))


def _won(pairs: Sequence[tuple[Result, Result]], measure: str) -> tuple[int, int]:
    found = [each for pair in pairs if (each := gain(*pair, measure)) is not None]
    return sum(each.low > 0.0 for each in found), sum(each.high < 0.0 for each in found)


def _moved(results: Sequence[Result]) -> Iterator[str]:
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
    yield from _table(
        ["setting", "default", "strategy", "set", "measure", "gain"],
        (
            (
                f"`{each.setting} = {_value(each.value)}`",
                f"`{_value(each.default)}`",
                f"`{each.strategy}`",
                each.set,
                measure,
                signed(each.gain),
            )
            for measure, each in rows[:24]
        ),
    )


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _sizes(every: Plain) -> Iterator[str]:
    """The same questions inside ever more lines, and which strategies change places."""
    sets = [name for name in SIZES if name in every]
    names = in_all(every, sets) if sets else []
    if len(sets) < 2 or len(names) < 2:
        return
    yield "## The same twelve questions inside more lines\n"
    for measure in OF_SIZE:
        yield from _table(
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


# ------------------------------------------------------------------ diagnosis


def _losses(asked: Plain) -> Iterator[str]:
    counted: defaultdict[str, Counter[Loss]] = defaultdict(Counter)
    for runs in asked.values():
        for name, run in runs.items():
            counted[name].update(losses(run))
    rows = sorted(counted.items(), key=lambda row: -row[1][Loss.SHOWN] / max(1, row[1].total()))
    yield "## Where gold functions are lost\n"
    yield from _table(
        ["strategy", "gold functions", *map(str, Loss)],
        (
            [f"`{name}`", str(found.total())]
            + [f"{100 * found[kind] / found.total():.0f} %" for kind in Loss]
            for name, found in rows
            if found.total()
        ),
    )


def _bounds(asked: Plain) -> Iterator[str]:
    """What the best of each set lacks to the oracle with the same budget."""
    rows: list[Sequence[str]] = []
    for name, runs in asked.items():
        for measure in (KEYS[1], KEYS[2]):
            found = list(gaps(list(runs.values()), (measure,)))
            if found and max(len(run.outcomes) for run in runs.values()) >= SMALLEST:
                best = max(found, key=lambda each: (each.score, each.label))
                label = f"`{best.label}`"
                scores = (number(best.score), number(best.bound), signed(best.lost))
                rows.append((name, measure, label, *scores, best.reading))
    if rows:
        yield "## The gap to the oracle\n"
        head = ["set", "measure", "best", "score", "oracle", "lost", "look at"]
        yield from _table(head, rows)


def _rides(asked: Plain) -> Iterator[str]:
    """Gold within the first k only because it shared its chunk with something that was found."""
    counted: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for runs in asked.values():
        own = runs.get(OWN_CHUNK)
        for name, run in runs.items():
            k = int(run.header.settings["k"])
            if own is not None and own is not run:
                counted[name] += len(rides(run, own))
                found[name] += sum(
                    0 < gold.rank <= k for each in run.outcomes.values() for gold in each.gold
                )
    if found:
        yield "## Hitch-hikers: gold that was found only because it shared its chunk\n"
        rows = sorted(((counted[name], name) for name in found), reverse=True)
        yield from _table(
            ["strategy", "gold functions within the first k", "of them hitch-hikers"],
            ((f"`{name}`", str(found[name]), str(count)) for count, name in rows if count),
        )


def _costs(asked: Plain) -> Iterator[str]:
    kinds = (Cost.TOKENS, Cost.LATENCY, Cost.INDEX)
    yield "## What it costs\n"
    yield "Means of the sets; CPU on a busy machine.\n"
    names = sorted({name for runs in asked.values() for name in runs})
    rows: list[Sequence[str]] = []
    for name in names:
        mine = [runs[name] for runs in asked.values() if name in runs]
        means = [sum(cost(run, kind) for run in mine) / len(mine) for kind in kinds]
        rows.append((f"`{name}`", f"{means[0]:.0f}", f"{means[1]:.1f}", f"{means[2]:.1f}"))
    yield from _table(["strategy", *map(str, kinds)], rows)


def _private(every: Plain) -> Iterator[str]:
    """The user's own set: its MRR@5 by kind of question, over chunks that look at tokens only."""
    runs = every.get(PRIVATE, {})
    kinds = sorted({each.kind for run in runs.values() for each in run.outcomes.values()})
    rows: list[Sequence[str]] = []
    for name, run in sorted(runs.items()):
        cells = [f"`{name}`"]
        for kind in kinds:
            at = f"kind {kind}"
            scores = list(slice_scores(run.outcomes.values(), at, MRR).values())
            found = mean_interval(scores)
            cells.append(f"{number(found.mean)} ({number(found.low)}..{number(found.high)})")
            base = runs.get(TOKENS)
            over = gain(run, base, MRR, at) if base and base is not run else None
            cells.append(signed(over))
        rows.append(cells)
    if rows:
        yield "## A private set\n"
        yield (
            "Questions that `grainline lab make-dataset` made of one Kotlin app (Apache-2.0), from its fixes and its doc "
            f"comments (hidden while they are asked for): the mean of {MRR} with its interval, and the gain over `{TOKENS}`, "
            "chunks of tokens that look at no syntax. A wiki is absent: grainline writes none.\n"
        )
        head = [f"{kind}: {what}" for kind in kinds for what in ("MRR@5", f"over `{TOKENS}`")]
        yield from _table(["strategy", *head], rows)


def _fresh(every: Plain) -> Iterator[str]:
    """Answers after a file was saved."""
    rows = [
        (
            f"`{name}`",
            str(len(run.outcomes)),
            number(stale),
            f"{took.mean:.1f} ({took.low:.1f}..{took.high:.1f})",
        )
        for runs in every.values()
        for name, run in sorted(runs.items())
        if (stale := mean(run, STALE)) is not None
        for took in [mean_interval([each.fresh_ms for each in run.outcomes.values()])]
    ]
    if rows:
        yield "## After a file is saved\n"
        yield (
            "Stale: share of answers that show what was taken away, or nothing of what is new. What cannot take "
            "in an edit prepares the repository anew.\n"
        )
        yield from _table(["strategy", "edits", "stale", str(Cost.FRESH)], rows)


def _written(results: Sequence[Result]) -> Iterator[str]:
    """What became of what was written, by who wrote it."""
    rows: list[Sequence[str]] = []
    for run in results:
        settings = run.header.settings
        scores = [mean(run, measure) for measure in WRITTEN]
        if settings.get("generator", "none") != "none" and is_plain(run) and _any_known(scores):
            writer = f"{settings['generator']} {settings.get('model', '')}".strip()
            cells = (run.header.set, f"`{run.header.strategy}`", writer, *map(number, scores))
            rows.append(cells)
    if rows:
        yield "## What was written\n"
        yield (
            "`gold` writes what is right (a bound), `empty` nothing (the floor), `extractive` copies out of the context. "
            "Pass@1 and Patched: the tests of the built-in program pass.\n"
        )
        head = ["set", "strategy", "written by", *(each.partition(" ")[2] for each in WRITTEN)]
        yield from _table(head, sorted(rows, key=lambda row: (row[0], row[2], row[1])))


def _any_known(scores: Iterable[float | None]) -> bool:
    return any(score is not None for score in scores)


# ------------------------------------------------------------------ everything


def _ablations(results: Sequence[Result]) -> Iterator[str]:
    """A row for each value of a setting, a column for each set; what moves nothing is only named."""
    for measure in DEEP:
        table: defaultdict[tuple[str, str, str, str], dict[str, Change]] = defaultdict(dict)
        for each in changes(results, measure):
            key = (each.setting, _value(each.value), _value(each.default), each.strategy)
            table[key][each.set] = each
        sets = sorted({name for row in table.values() for name in row})
        still = [key for key, row in table.items() if not any(any(c.gain) for c in row.values())]
        if table:
            yield f"## Ablations: gain of {measure}\n"
            yield from _table(
                ["setting", "default", "strategy", *sets],
                (
                    [f"`{key[0]} = {key[1]}`", f"`{key[2]}`", f"`{key[3]}`"]
                    + [signed(row[name].gain) if name in row else "" for name in sets]
                    for key, row in sorted(table.items(), key=lambda pair: _by_value(pair[0]))
                    if key not in still
                ),
            )
        if still:
            said = ", ".join(f"`{key[3]}[{key[0]}={key[1]}]`" for key in sorted(still))
            yield f"No question moved by: {said}.\n"


def _by_value(key: tuple[str, str, str, str]) -> tuple[str, str, float, str]:
    setting, value, _, strategy = key
    is_number = value.replace(".", "", 1).replace("-", "", 1).isdigit()
    return setting, strategy, float(value) if is_number else 0.0, value


def _scores(every: Plain) -> Iterator[str]:
    columns = (*KEYS, "file R@10", "result RR", "context LinePrecision", "context Efficiency")
    for name, runs in every.items():
        used = [
            each for each in columns if any(mean(run, each) is not None for run in runs.values())
        ]
        settings = next(iter(runs.values())).header.settings
        yield f"## All scores: {name}, k {settings['k']}, budget {settings['budget']}\n"
        yield from _table(
            ["strategy", *used],
            (
                [f"`{label}`", *(number(mean(run, each)) for each in used)]
                for label, run in sorted(runs.items())
            ),
        )


def _made(results: Sequence[Result]) -> Iterator[str]:
    """How many questions were asked of how many, and what made the results."""
    sets: defaultdict[str, list[Result]] = defaultdict(list)
    for each in results:
        sets[each.header.set].append(each)
    yield "## What was asked\n"
    rows: list[Sequence[str]] = []
    for name, runs in sorted(sets.items()):
        asked = max(len(run.outcomes) for run in runs)
        head = max((run.header for run in runs), key=lambda each: each.of)
        codes = Counter(run.header.code for run in runs)
        repositories = {each.repository for run in runs for each in run.outcomes.values()}
        rows.append(
            (
                name,
                f"{asked} of {head.of or asked + head.left_out}",
                str(head.left_out),
                str(len(repositories)),
                str(len(runs)),
                ", ".join(f"`{code}`" for code in sorted(codes)),
            )
        )
    head_row = ["set", "questions asked", "not asked: no clone", "repositories", "runs", "code"]
    yield from _table(head_row, rows)
    machines = sorted({each.header.machine for each in results})
    versions = sorted({_versions(each.header.versions) for each in results})
    yield f"Machine: {'; '.join(machines)}. Versions: {'; '.join(versions)}.\n"


def _versions(found: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {found[name]}" for name in sorted(found))


REPORT = Conclusions()

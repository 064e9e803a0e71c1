"""Search on repositories that no weight was chosen on: the engine beside the baseline.

    python bench/unseen.py --mirror DIR --work DIR OWNER/NAME...

Questions are made of each repository's own fixes and doc comments (`grainline lab make-dataset`;
a comment is hidden while it is asked for). Prints, over the questions of all of them, the mean of
each measure, the gain with its 95 % interval (paired bootstrap), and how many repositories gain
and lose. What is in the work folder already is not made again.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from grainline.lab.compare import find_results
from grainline.lab.mirror import find_clone
from grainline.lab.statistics import paired_interval

MEASURES = (
    "file R@10",
    "file RR",
    "function R@10",
    "function RR",
    "result RR",
    "result LineRecall@400",
    "context EvidenceRecall",
)

Pairs = Mapping[tuple[str, str], Sequence[tuple[float, float]]]
"""(kind of question, measure) -> (baseline, engine) of each question."""


def main() -> None:
    """Make the sets, ask them, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="folder of sets and results")
    parser.add_argument("--fixes", type=int, default=50)
    parser.add_argument("--docs", type=int, default=80)
    parser.add_argument("repositories", nargs="+", metavar="OWNER/NAME")
    given = parser.parse_args()
    found: list[Pairs] = []
    for name in given.repositories:
        folder = given.work / name.replace("/", "+")
        _make(find_clone(given.mirror, name), folder, given.fixes, given.docs)
        found.append(_pairs(folder / "results"))
    print(
        "| from | measure | n | baseline | grainline | gain (interval) | repositories won / lost |"
    )
    print("|---|---|---|---|---|---|---|")
    for row in _rows(found):
        print("| " + " | ".join(row) + " |")


def _make(clone: Path, folder: Path, fixes: int, docs: int) -> None:
    """The questions of a clone, and both rankings of them."""
    questions, results = folder / "questions", folder / "results"
    bounds = ("--fixes", str(fixes), "--docs", str(docs))
    if not questions.exists():
        _lab("make-dataset", clone, "-o", questions, *bounds, "--home", folder / "home")
    if not results.exists():
        strategies = ("--strategy", "baseline", "--strategy", "grainline")
        _lab("run", "--set", "own", "--data", questions, *strategies, "--results", results)


def _lab(*words: object) -> None:
    command = [sys.executable, "-m", "grainline.surfaces.cli.main", "lab", *map(str, words)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _pairs(results: Path) -> Pairs:
    """The scores of both, question by question."""
    base, engine = (find_results(results, each)[-1].outcomes for each in ("baseline", "grainline"))
    pairs: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for number, one in base.items():
        other = engine[number]
        for measure in MEASURES:
            if measure in one.scores and measure in other.scores:
                pairs[one.kind, measure].append((one.scores[measure], other.scores[measure]))
    return pairs


def _rows(found: Sequence[Pairs]) -> Iterator[tuple[str, ...]]:
    for kind in ("doc", "fix"):
        for measure in MEASURES:
            each = [pairs.get((kind, measure), ()) for pairs in found]
            base = [pair[0] for pairs in each for pair in pairs]
            engine = [pair[1] for pairs in each for pair in pairs]
            if not base:
                continue
            gain = paired_interval(engine, base)
            gains = [sum(new - old for old, new in pairs) for pairs in each]
            yield (
                kind,
                measure,
                str(len(base)),
                f"{sum(base) / len(base):.3f}",
                f"{sum(engine) / len(base):.3f}",
                f"{gain.mean:+.3f} ({gain.low:+.3f}..{gain.high:+.3f})",
                f"{sum(one > 0 for one in gains)} / {sum(one < 0 for one in gains)}",
            )


if __name__ == "__main__":
    main()

"""`python -m grainline.lab`: run, report, list; the verb `lab` of the command line does more."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from grainline.errors import GrainlineError
from grainline.lab.cache import ANSWERS
from grainline.lab.datasets.base import DATASETS
from grainline.lab.reports.base import REPORTS, results_in
from grainline.lab.running import Plan, Step, run, settled
from grainline.lab.strategies.base import find_strategy, strategy_names
from grainline.lab.values import Settings

RESULTS = Path(".cache") / "lab"


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code."""
    options = _parser().parse_args(argv)
    try:
        return int(options.act(options))
    except GrainlineError as error:
        print(error, file=sys.stderr)
        return error.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m grainline.lab", description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of result files")
    verbs = parser.add_subparsers(required=True)
    running = verbs.add_parser("run", help="answer the questions of a set")
    running.add_argument("--bench", type=Path, help="folder of question files")
    running.add_argument("--mirror", type=Path, help="folder of clones")
    running.add_argument("--set", dest="sets", action="append", required=True)
    running.add_argument("--strategy", dest="strategies", action="append", required=True)
    running.add_argument("--limit", type=int)
    running.set_defaults(act=_run)
    verbs.add_parser("report", help="tables over the result files").set_defaults(act=_report)
    verbs.add_parser("list", help="sets and strategies").set_defaults(act=_list)
    return parser


def _run(options: argparse.Namespace) -> int:
    asked = [settled(find_strategy(name), Settings(options={})) for name in options.strategies]
    for name in options.sets:
        plan = Plan(
            dataset=DATASETS.get(name),
            asked=asked,
            results=options.results,
            cache=options.results / ANSWERS,
            bench=options.bench,
            mirror=options.mirror,
            limit=options.limit,
        )
        for path in run(plan, _say):
            print(path)
    return 0


def _say(step: Step) -> None:
    if step.done == step.known:
        print(f"{step.label} {step.checkout}: {step.total} questions", file=sys.stderr)


def _report(options: argparse.Namespace) -> int:
    print(REPORTS.get("markdown").render(results_in(options.results)))
    return 0


def _list(options: argparse.Namespace) -> int:
    del options
    print("sets:", *DATASETS.names())
    print("strategies:", *strategy_names())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

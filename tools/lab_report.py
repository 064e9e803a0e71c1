"""Write docs/lab/report.md and its pictures from result files of `grainline lab run`.

    python tools/lab_report.py --results .cache/lab [--output docs/lab] [--html FILE]

Of runs of several commits that over most questions counts, of equal ones the last; settings are compared inside one commit. The HTML page with all plots is some megabytes
and stays out of the repository.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path

from grainline.lab.code import code_version
from grainline.lab.overview import write_overview
from grainline.lab.reports.base import REPORTS, newest, results_by_age

ROOT = Path(__file__).resolve().parents[1]
CAPTIONS = {
    "gains": "Each strategy against twenty lines, the questions of all sets together "
    "(so many; blue: more, red: less, grey: not decided).",
    "losses": "Where gold functions were lost.",
    "repository-size": "The same twelve questions inside more lines.",
    "chunk-size": "Quality by size of chunks (filled: decided against the default size).",
    "profiles": "Alpha to lambda of the selection of a context, by the kind of question it is for (filled: decided).",
    "context": "Weights and shares of a context (filled: decided against the default).",
    "rules": "What a rule of expansion is worth: factors of what it finds (filled: decided).",
    "ranking": "Numbers of the engine's ranking: fields, path, channels, demotions (filled: decided).",
}


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--results", type=Path, default=ROOT / ".cache" / "lab")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "lab")
    parser.add_argument("--html", type=Path)
    options = parser.parse_args()
    results = results_by_age(options.results)
    pictures = write_overview(results, options.output)
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    lines = [
        "# What the lab found",
        "",
        f"Written {day} at `{code_version()}` by `make lab-report RESULTS=DIR`, from result files of "
        "`grainline lab run EXPERIMENT` (`EXPERIMENTS` of the Makefile). No figure here is typed by hand. What was asked, of how many, by which code and where: "
        "[the end](#what-was-asked).",
        "",
        *(f"![{CAPTIONS[path.stem]}]({path.name})" for path in pictures[:1]),
        "",
    ]
    body = REPORTS.get("conclusions").render(results)
    shown = [f"![{CAPTIONS[path.stem]}]({path.name})\n" for path in pictures[1:]]
    text = "\n".join([*lines, body, "## Pictures\n", *shown])
    (options.output / "report.md").write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    if options.html:
        options.html.write_text(REPORTS.get("html").render(newest(results)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""The seam of reports: results in, one document out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from grainline.errors import BadInput
from grainline.lab.cache import ANSWERS
from grainline.lab.compare import Result
from grainline.lab.runs import read_results
from grainline.registry import Registry


class Report(Protocol):
    """A form of report. `suffix` is that of its file, with the dot."""

    name: str
    suffix: str

    def render(self, results: Sequence[Result]) -> str:
        """The document; results come sorted by set and label."""
        ...


REPORTS: Registry[Report] = Registry("grainline.lab.reports", "REPORT", skip=frozenset({"base"}))


def results_in(folder: Path) -> list[Result]:
    """Every result below a folder, sorted by set, label and code.

    Raises:
        BadInput: a file is no result file, or there is none.
    """
    files: Iterable[Path] = sorted(folder.glob("*/*.jsonl"))
    found = [Result(*read_results(path)) for path in files if path.parent.name != ANSWERS]
    if not found:
        raise BadInput(
            "no_results", f"no results in {str(folder)!r}", hint="see: grainline lab run"
        )
    return sorted(found, key=lambda each: (each.header.set, each.header.label, each.header.code))


def results_by_age(folder: Path) -> list[Result]:
    """Every result below a folder, the one that was written last at the end.

    Raises:
        BadInput: a file is no result file, or there is none.
    """
    paths = sorted(folder.glob("*/*@*.jsonl"), key=lambda each: each.stat().st_mtime)
    if not paths:
        raise BadInput(
            "no_results", f"no results in {str(folder)!r}", hint="see: grainline lab run"
        )
    return [Result(*read_results(path)) for path in paths]


def newest(results: Iterable[Result]) -> list[Result]:
    """Of every set and label the last one, sorted by both."""
    found = {(each.header.set, each.header.label): each for each in results}
    return [found[key] for key in sorted(found)]

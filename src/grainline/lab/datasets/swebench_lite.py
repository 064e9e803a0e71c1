"""Full issue texts of Python projects (SWE-bench Lite)."""

from __future__ import annotations

from collections.abc import Iterator

from grainline.lab.datasets.base import Question, Row
from grainline.lab.datasets.location import location


class SwebenchLite:
    """Gold is what the accepted patch changed."""

    name = "swebench_lite"
    file = "loc_swebench_lite.jsonl"
    blanked = False

    def questions(self, row: Row) -> Iterator[Question]:
        """One question a row."""
        yield location(row)


DATASET = SwebenchLite()

"""Full issue texts of Python projects (SWE-bench Lite)."""

from __future__ import annotations

from collections.abc import Iterator

from grainline.lab.datasets._rows import RowSet
from grainline.lab.datasets.base import Row
from grainline.lab.datasets.location import location
from grainline.lab.questions import Question


class SwebenchLite(RowSet):
    """Gold is what the accepted patch changed."""

    name = "swebench_lite"
    file = "loc_swebench_lite.jsonl"

    def read(self, row: Row) -> Iterator[Question]:
        """One question a row."""
        yield location(row)


DATASET = SwebenchLite()

"""Bug-fix commits: the message asks, the places that the fix changed answer."""

from __future__ import annotations

from collections.abc import Iterator

from grainline.lab.datasets._rows import RowSet
from grainline.lab.datasets.base import Row
from grainline.lab.datasets.location import location
from grainline.lab.questions import Question


class History(RowSet):
    """Gold is at the parent commit."""

    name = "history"
    file = "loc_history.jsonl"

    def read(self, row: Row) -> Iterator[Question]:
        """One question a row."""
        yield location(row)


DATASET = History()

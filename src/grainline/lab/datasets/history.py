"""Bug-fix commits: the message asks, the places that the fix changed answer."""

from __future__ import annotations

from collections.abc import Iterator

from grainline.lab.datasets.base import Question, Row
from grainline.lab.datasets.location import location


class History:
    """Gold is at the parent commit."""

    name = "history"
    file = "loc_history.jsonl"
    blanked = False

    def questions(self, row: Row) -> Iterator[Question]:
        """One question a row."""
        yield location(row)


DATASET = History()

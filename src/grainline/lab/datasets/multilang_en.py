"""Pull requests in six languages, asked in English."""

from __future__ import annotations

from collections.abc import Iterator

from grainline.lab.datasets._rows import RowSet
from grainline.lab.datasets.base import Row
from grainline.lab.datasets.location import location
from grainline.lab.questions import Question


class MultilangEnglish(RowSet):
    """Title and body of the pull request."""

    name = "multilang_en"
    file = "loc_multilang_zh_en.jsonl"

    def read(self, row: Row) -> Iterator[Question]:
        """One question a row."""
        yield location(row)


DATASET = MultilangEnglish()

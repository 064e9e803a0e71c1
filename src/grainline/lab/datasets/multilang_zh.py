"""The same pull requests, asked by a Chinese summary of the issue."""

from __future__ import annotations

from collections.abc import Iterator

from grainline.lab.datasets._rows import RowSet
from grainline.lab.datasets.base import Row
from grainline.lab.datasets.location import location
from grainline.lab.questions import Question


class MultilangChinese(RowSet):
    """The same gold as `multilang_en`."""

    name = "multilang_zh"
    file = "loc_multilang_zh_en.jsonl"

    def read(self, row: Row) -> Iterator[Question]:
        """One question a row."""
        yield location(row, text="query_zh", leak_key="leaks_zh")


DATASET = MultilangChinese()

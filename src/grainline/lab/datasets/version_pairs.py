"""What a symbol does, asked at two releases between which it changed, moved or went."""

from __future__ import annotations

from collections.abc import Iterator

from grainline.lab.datasets._rows import RowSet
from grainline.lab.datasets.base import Row, places
from grainline.lab.questions import Question


class VersionPairs(RowSet):
    """One question for each release in which the symbol exists. The question names the symbol."""

    name = "version_pairs"
    file = "version_pairs.jsonl"

    def read(self, row: Row) -> Iterator[Question]:
        """One question for each version that has gold."""
        for version in row["versions"]:
            if not version["gold"]:
                continue
            gold = places([version["gold"]])
            yield Question(
                id=f"{row['id']}@{version['ref']}",
                repository=row["repo"],
                commit=version["commit"],
                language=row["lang"],
                text=row["query"],
                files=tuple(dict.fromkeys(place.path for place in gold)),
                functions=gold,
                lines=gold,
                leak_function=True,
            )


DATASET = VersionPairs()

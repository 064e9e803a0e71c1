"""First sentences of doc comments: find the function whose doc, hidden, said that."""

from __future__ import annotations

from collections.abc import Iterator

from grainline.lab.datasets._rows import RowSet
from grainline.lab.datasets.base import Row
from grainline.lab.questions import Place, Question
from grainline.model.position import LineSpan


class NlToFunction(RowSet):
    """The doc comments of all questions of a commit are blanked before indexing."""

    name = "nl2func"
    file = "nl2func.jsonl"
    blanked = True

    def read(self, row: Row) -> Iterator[Question]:
        """One question a row."""
        path = str(row["path"]).encode()
        gold = Place(path, LineSpan(row["start"], row["end"]), row["function"])
        yield Question(
            id=row["id"],
            repository=row["repo"],
            commit=row["commit"],
            language=row["lang"],
            text=row["query"],
            files=(path,),
            functions=(gold,),
            lines=(gold,),
            hidden=Place(path, LineSpan(*row["doc"])),
        )


DATASET = NlToFunction()

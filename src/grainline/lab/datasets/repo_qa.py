"""Questions about whole repositories; gold is what a reference answer cites."""

from __future__ import annotations

from collections.abc import Iterator

from grainline.lab.datasets._rows import RowSet
from grainline.lab.datasets.base import Row, leaks
from grainline.lab.questions import Place, Question
from grainline.model.position import LineSpan


class RepositoryQuestions(RowSet):
    """Recall is meaningful; precision is a lower bound. No function gold."""

    name = "repo_qa"
    file = "repo_qa.jsonl"

    def read(self, row: Row) -> Iterator[Question]:
        """One question a row."""
        leak_file, leak_function = leaks(row)
        yield Question(
            id=row["id"],
            repository=row["repo"],
            commit=row["commit"],
            language=row["lang"],
            text=row["query"],
            files=tuple(path.encode() for path in row["gold_files"]),
            lines=tuple(
                Place(path.encode(), LineSpan(start, end))
                for path, spans in row["gold_evidence"]
                for start, end in spans
            ),
            leak_file=leak_file,
            leak_function=leak_function,
        )


DATASET = RepositoryQuestions()

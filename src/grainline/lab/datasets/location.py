"""What the sets of changed places share: a text, and the files, functions, lines of the fix."""

from __future__ import annotations

from grainline.lab.datasets.base import Row, leaks, places
from grainline.lab.questions import Question


def location(row: Row, *, text: str = "query", leak_key: str = "leaks") -> Question:
    """The question of one row whose words stand in the field `text`."""
    leak_file, leak_function = leaks(row, leak_key)
    return Question(
        id=row["id"],
        repository=row["repo"],
        commit=row["commit"],
        language=row["lang"],
        text=row[text],
        files=tuple(path.encode() for path in row["gold_files"]),
        functions=places(row["gold_functions"]),
        lines=places(row["gold_lines"]),
        leak_file=leak_file,
        leak_function=leak_function,
    )

"""The seam of question sets: a `Dataset` reads one JSON Lines file of a folder given by the user.

A row points into a repository at a commit and holds no program text. Lines are 1-based, inclusive.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from grainline.errors import BadInput
from grainline.model.position import LineSpan
from grainline.registry import Registry

Row = Mapping[str, Any]
"""One line of a question file, as parsed."""


class Place(NamedTuple):
    """Lines of a file that answer a question; `name` is the function's, or ""."""

    path: bytes
    lines: LineSpan
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question with what is known to answer it.

    `functions` are whole functions, `lines` the changed or cited lines (for sets without them: the
    lines of the functions). `leak_file` and `leak_function` tell that the text gives away a gold
    path or a gold name. `hidden` are doc comments to blank before anything is indexed.
    """

    id: str
    repository: str
    commit: str
    language: str
    text: str
    files: tuple[bytes, ...]
    functions: tuple[Place, ...] = ()
    lines: tuple[Place, ...] = ()
    leak_file: bool = False
    leak_function: bool = False
    hidden: Place | None = None


class Dataset(Protocol):
    """One question set. `file` is its name in the folder; `blanked` when docs must be hidden."""

    name: str
    file: str
    blanked: bool

    def questions(self, row: Row) -> Iterator[Question]:
        """The questions of one row, usually one."""
        ...


DATASETS: Registry[Dataset] = Registry(
    "grainline.lab.datasets", "DATASET", skip=frozenset({"base", "location"})
)


def load(dataset: Dataset, folder: Path) -> tuple[Question, ...]:
    """Every question of a set, in file order.

    Raises:
        BadInput: the folder has no such file, a line is no JSON object, or two ids are equal.
    """
    path = folder / dataset.file
    if not path.is_file():
        raise BadInput(
            "not_found", f"no file {dataset.file!r} in {str(folder)!r}", hint="give --bench DIR"
        )
    found = [question for row in _rows(path) for question in dataset.questions(row)]
    if len({question.id for question in found}) != len(found):
        raise BadInput("bad_dataset", "two questions share an id", subject=dataset.file)
    return tuple(found)


def _rows(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
            except ValueError as error:
                raise BadInput("bad_dataset", str(error), subject=f"{path.name}:{number}") from None
            yield row


def places(rows: Sequence[Sequence[Any]]) -> tuple[Place, ...]:
    """`[path, start, end]` or `[path, name, start, end]` rows as places."""
    return tuple(
        Place(
            str(row[0]).encode(), LineSpan(int(row[-2]), int(row[-1])), str(row[1]) * (len(row) > 3)
        )
        for row in rows
    )


def leaks(row: Row, key: str = "leaks") -> tuple[bool, bool]:
    """(a gold path is given away, a gold path or symbol is given away)."""
    found: Mapping[str, Sequence[str]] = row.get(key) or {}
    of_file = any(found.get(kind) for kind in ("path", "basename", "stem"))
    return of_file, of_file or bool(found.get("symbol"))

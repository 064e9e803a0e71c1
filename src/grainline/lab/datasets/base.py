"""The seam of datasets: questions, and the code that they are about.

A dataset is one file with a `DATASET`. `RowSet` (`_rows.py`) reads question files that the user
points at, whose rows point into a repository at a commit and hold no program text. Lines are
1-based, inclusive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from grainline.errors import BadInput
from grainline.lab.mirror import Checkout
from grainline.lab.questions import Place, Question
from grainline.model.position import LineSpan
from grainline.registry import Registry

Row = Mapping[str, Any]
"""One line of a question file, as parsed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What the user points at.

    Attributes:
        scratch: a folder for copies, which goes away after the run.
        bench: folder of question files.
        mirror: folder of clones.
        data: a file or folder of a dataset of the user's own.
    """

    scratch: Path
    bench: Path | None = None
    mirror: Path | None = None
    data: Path | None = None


class Dataset(Protocol):
    """Questions and code. `needs` names the sources that must be given (`bench`, `mirror`, `data`)."""

    name: str
    needs: tuple[str, ...]

    def questions(self, sources: Sources) -> Iterator[Question]:
        """Every question, in a fixed order.

        Raises:
            BadInput: a source is missing or cannot be read.
        """
        ...

    def checkout(self, group: Sequence[Question], sources: Sources) -> Checkout:
        """The code of all questions of one repository and commit.

        Raises:
            BadInput: it is not there.
        """
        ...


DATASETS: Registry[Dataset] = Registry(
    "grainline.lab.datasets", "DATASET", skip=frozenset({"base", "location"})
)


def load(dataset: Dataset, sources: Sources) -> tuple[Question, ...]:
    """Every question of a set, in its order.

    Raises:
        BadInput: a source is missing or cannot be read, or two ids are equal.
    """
    for name in dataset.needs:
        if getattr(sources, name) is None:
            raise BadInput(
                "no_source", f"the set {dataset.name!r} needs --{name}", hint=f"give --{name} DIR"
            )
    try:
        found = tuple(dataset.questions(sources))
    except OSError as error:
        raise BadInput(
            "not_found",
            f"it cannot be read ({error.strerror})",
            subject=str(error.filename or dataset.name),
            hint="name another folder with --bench, --mirror or --data",
        ) from error
    if len({question.id for question in found}) != len(found):
        raise BadInput("bad_dataset", "two questions share an id", subject=dataset.name)
    return found


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

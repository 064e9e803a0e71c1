"""`RowSet`: a JSON Lines file in the folder given by `--bench`, about clones in that of `--mirror`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from grainline.errors import BadInput
from grainline.lab.datasets.base import Row, Sources
from grainline.lab.mirror import Checkout, find_clone
from grainline.lab.questions import Place, Question


class RowSet:
    """A question file. `file` is its name; `blanked` when doc comments must be hidden."""

    name: str
    file: str
    blanked: bool = False
    needs: tuple[str, ...] = ("bench", "mirror")

    def read(self, row: Row) -> Iterator[Question]:
        """The questions of one row, usually one."""
        raise NotImplementedError

    def questions(self, sources: Sources) -> Iterator[Question]:
        """Every question, in file order."""
        assert sources.bench is not None, "in `needs`"
        path = sources.bench / self.file
        if not path.is_file():
            folder = str(sources.bench)
            raise BadInput(
                "not_found", f"no file {self.file!r} in {folder!r}", hint="give --bench DIR"
            )
        return (question for row in rows(path) for question in self.read(row))

    def checkout(self, group: Sequence[Question], sources: Sources) -> Checkout:
        """The clone at the commit; all hidden doc comments of the commit are hidden together."""
        assert sources.mirror is not None, "in `needs`"
        first = group[0]
        return Checkout(
            repository=first.repository,
            commit=first.commit,
            clone=find_clone(sources.mirror, first.repository),
            scratch=sources.scratch,
            hidden=self._hidden(first, sources) if self.blanked else (),
        )

    def _hidden(self, first: Question, sources: Sources) -> tuple[Place, ...]:
        where = (first.repository, first.commit)
        return tuple(
            question.hidden
            for question in self.questions(sources)
            if question.hidden and (question.repository, question.commit) == where
        )


def rows(path: Path) -> Iterator[Row]:
    """The objects of a JSON Lines file.

    Raises:
        BadInput: a line is no JSON object.
    """
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
            except ValueError as error:
                raise BadInput("bad_dataset", str(error), subject=f"{path.name}:{number}") from None
            if not isinstance(row, dict):
                raise BadInput("bad_dataset", "no JSON object", subject=f"{path.name}:{number}")
            yield row

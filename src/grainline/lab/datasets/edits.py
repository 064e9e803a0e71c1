"""A built-in repository that is edited after it was indexed: does the answer show what was saved?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grainline.lab.datasets.base import Sources
from grainline.lab.edits import SET, questions, write
from grainline.lab.mirror import Checkout
from grainline.lab.questions import Question


class Edits:
    """A plain folder for each question; the run saves the edit between indexing and asking."""

    name = SET
    needs: tuple[str, ...] = ()

    def questions(self, sources: Sources) -> Iterator[Question]:
        """In file order."""
        del sources
        return iter(questions())

    def checkout(self, group: Sequence[Question], sources: Sources) -> Checkout:
        """The folder as it is before the edit, written anew."""
        folder = sources.scratch / "edited"
        write(folder)
        return Checkout(
            repository=group[0].repository,
            commit="",
            clone=folder,
            scratch=sources.scratch,
            trusted=True,
        )


DATASET = Edits()

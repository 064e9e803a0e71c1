"""Faults put into a built-in program: a report asks, a patch is to mend it, and tests decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grainline.lab.datasets.base import Sources
from grainline.lab.mirror import Checkout
from grainline.lab.questions import Question
from grainline.lab.repairs import SET, questions, repository


class Repair:
    """Each fault in a commit of its own."""

    name = SET
    needs: tuple[str, ...] = ()

    def questions(self, sources: Sources) -> Iterator[Question]:
        """In file order."""
        del sources
        return iter(questions())

    def checkout(self, group: Sequence[Question], sources: Sources) -> Checkout:
        """The program with the fault of the group."""
        source = repository()
        return Checkout(
            repository=source.repository,
            commit=group[0].commit,
            clone=source.write(sources.scratch),
            scratch=sources.scratch,
            trusted=True,
        )


DATASET = Repair()

"""Holes cut into the built-in repositories: a line, the arguments of a call, or a body."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grainline.lab.completion import SET, cut_repository, holes
from grainline.lab.datasets.base import Sources
from grainline.lab.mirror import Checkout
from grainline.lab.questions import Question


class Completion:
    """Each hole in a commit of its own: no other question takes away what fills it."""

    name = SET
    needs: tuple[str, ...] = ()

    def questions(self, sources: Sources) -> Iterator[Question]:
        """In the order in which they were cut."""
        del sources
        return iter(holes())

    def checkout(self, group: Sequence[Question], sources: Sources) -> Checkout:
        """The repository with the hole of the group."""
        source = cut_repository()
        return Checkout(
            repository=source.repository,
            commit=group[0].commit,
            clone=source.write(sources.scratch),
            scratch=sources.scratch,
            trusted=True,
        )


DATASET = Completion()

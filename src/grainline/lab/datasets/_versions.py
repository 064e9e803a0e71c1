"""`Versions`: a built-in repository in which each question has a commit of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from grainline.lab.corpora import Corpus
from grainline.lab.datasets.base import Sources
from grainline.lab.mirror import Checkout
from grainline.lab.questions import Question


class Versions:
    """`source` gives the repository, `asked` the questions; needs nothing."""

    needs: tuple[str, ...] = ()

    def __init__(
        self, name: str, source: Callable[[], Corpus], asked: Callable[[], Iterable[Question]]
    ) -> None:
        self.name = name
        self._source = source
        self._asked = asked

    def questions(self, sources: Sources) -> Iterator[Question]:
        """In their own order."""
        del sources
        return iter(self._asked())

    def checkout(self, group: Sequence[Question], sources: Sources) -> Checkout:
        """The repository at the commit of the group."""
        source = self._source()
        return Checkout(
            repository=source.repository,
            commit=group[0].commit,
            clone=source.write(sources.scratch),
            scratch=sources.scratch,
            trusted=True,
        )

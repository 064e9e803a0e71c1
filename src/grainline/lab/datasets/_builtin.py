"""`BuiltIn`: one of the sets that come with the lab, written as a git repository for each run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grainline.lab.corpora import corpus
from grainline.lab.datasets.base import Sources
from grainline.lab.labels import questions
from grainline.lab.mirror import Checkout
from grainline.lab.questions import Question


class BuiltIn:
    """A folder below `builtin/`; needs nothing."""

    needs: tuple[str, ...] = ()

    def __init__(self, name: str) -> None:
        self.name = name

    def questions(self, sources: Sources) -> Iterator[Question]:
        """In file order."""
        del sources
        return iter(questions(self.name))

    def checkout(self, group: Sequence[Question], sources: Sources) -> Checkout:
        """The repository at the commit of the group."""
        source = corpus(self.name)
        return Checkout(
            repository=source.repository,
            commit=group[0].commit,
            clone=source.write(sources.scratch),
            scratch=sources.scratch,
            refs=source.views,
            policy=source.policy,
            trusted=True,
        )

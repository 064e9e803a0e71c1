"""`SmallIn`: the questions of `small` inside many lines of other code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from grainline.lab.corpora import Corpus, corpus, from_files
from grainline.lab.datasets.base import Sources
from grainline.lab.filler import made, taken
from grainline.lab.labels import questions
from grainline.lab.loose import Files
from grainline.lab.mirror import Checkout
from grainline.lab.questions import Place, Question

FOLDER = b"shop/"


class SmallIn:
    """Filler is made by a seed, or taken from the clones of `--mirror` where that is given.

    Clones are the harder filler: real code has the words of the questions.
    """

    needs: tuple[str, ...] = ()

    def __init__(self, name: str, lines: int) -> None:
        self.name = name
        self.lines = lines

    def questions(self, sources: Sources) -> Iterator[Question]:
        """Those of `small`, where its files lie now."""
        source = repository(self.name, self.lines, sources.mirror)
        for each in questions("small"):
            yield replace(
                each,
                id=each.id.replace("small", self.name),
                repository=source.repository,
                commit=source.commit(),
                files=tuple(FOLDER + path for path in each.files),
                functions=tuple(map(_moved, each.functions)),
                lines=tuple(map(_moved, each.lines)),
            )

    def checkout(self, group: Sequence[Question], sources: Sources) -> Checkout:
        """The repository of all files."""
        source = repository(self.name, self.lines, sources.mirror)
        return Checkout(
            repository=source.repository,
            commit=group[0].commit,
            clone=source.write(sources.scratch),
            scratch=sources.scratch,
        )


def _moved(place: Place) -> Place:
    return place._replace(path=FOLDER + place.path)


@cache
def repository(name: str, lines: int, mirror: Path | None) -> Corpus:
    """The files of `small` among others, `lines` lines in all, of which the last file may be over."""
    small = {FOLDER + path: data for path, data in corpus("small").files().items()}
    left = lines - sum(data.count(b"\n") for data in small.values())
    theirs: Files = taken(mirror, left) if mirror else {}
    ours = made(left - sum(data.count(b"\n") for data in theirs.values()))
    return from_files(name, {**ours, **theirs, **small})

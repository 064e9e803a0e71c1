"""Questions that `grainline lab make-dataset` made of a repository's own fixes and doc comments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from grainline.errors import BadInput
from grainline.lab.datasets._rows import rows
from grainline.lab.datasets.base import Row, Sources, leaks, places
from grainline.lab.making import ABOUT, DOCS, FIXES, SCHEMA
from grainline.lab.mirror import Checkout
from grainline.lab.questions import Place, Question
from grainline.model.position import LineSpan


class Own:
    """`--data` is the folder that was made; the repository is where it was then."""

    name = "own"
    needs: tuple[str, ...] = ("data",)

    def questions(self, sources: Sources) -> Iterator[Question]:
        """Fixes, newest first, then doc comments in path order."""
        folder, about = _about(sources)
        for name in (FIXES, DOCS):
            for row in rows(folder / name):
                yield _question(row, about["name"])

    def checkout(self, group: Sequence[Question], sources: Sources) -> Checkout:
        """The repository at the commit; for doc comments without any of them."""
        _, about = _about(sources)
        clone = Path(about["repository"])
        if not clone.is_dir():
            raise BadInput(
                "no_clone",
                f"no repository at {str(clone)!r} any more",
                hint="make the set again: grainline lab make-dataset",
            )
        return Checkout(
            repository=group[0].repository,
            commit=group[0].commit,
            clone=clone,
            scratch=sources.scratch,
            hidden=tuple(
                each.hidden
                for each in self.questions(sources)
                if each.hidden and any(asked.hidden for asked in group)
            ),
        )


def _about(sources: Sources) -> tuple[Path, Mapping[str, Any]]:
    assert sources.data is not None, "in `needs`"
    path = sources.data / ABOUT
    if not path.is_file():
        raise BadInput(
            "not_found",
            f"no {ABOUT!r} in {str(sources.data)!r}",
            hint="it is made by: grainline lab make-dataset REPO",
        )
    about = json.loads(path.read_text("utf-8"))
    if about.get("schema") != SCHEMA:
        raise BadInput("bad_dataset", f"schema {about.get('schema')!r} is not {SCHEMA}")
    return sources.data, about


def _question(row: Row, repository: str) -> Question:
    leak_file, leak_function = leaks(row)
    path = row["gold_files"][0].encode()
    return Question(
        id=row["id"],
        repository=repository,
        commit=row["commit"],
        language=row["lang"],
        text=row["query"],
        files=tuple(each.encode() for each in row["gold_files"]),
        functions=places(row["gold_functions"]),
        lines=places(row["gold_lines"]),
        leak_file=leak_file,
        leak_function=leak_function,
        hidden=Place(path, LineSpan(*row["doc"])) if "doc" in row else None,
        kind=row["kind"],
    )


DATASET = Own()

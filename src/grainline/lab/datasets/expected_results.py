"""Test cases with a verdict, listed in a CSV file as the OWASP Benchmarks do.

A folder of the user's own with `expectedresults-*.csv` (test name, category, whether it is real,
CWE) and somewhere below it one source file for each test name. A question names its test case, so
finding it is no art: the set measures verdicts.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from grainline.errors import BadInput
from grainline.lab.changed import functions_at
from grainline.lab.datasets.base import Sources
from grainline.lab.labels import language_of
from grainline.lab.mirror import Checkout
from grainline.lab.questions import Place, Question
from grainline.languages.detect import detect
from grainline.model.position import LineSpan

_TRUE = {"true": True, "false": False}


class ExpectedResults:
    """One question for each row whose source file is there."""

    name = "expected_results"
    needs: tuple[str, ...] = ("data",)

    def questions(self, sources: Sources) -> Iterator[Question]:
        """In the order of the list."""
        folder = _folder(sources)
        files = _sources(folder)
        for name, category, real, cwe in _listed(folder):
            if name in files:
                yield _question(folder, files[name], name, category, real, cwe)

    def checkout(self, group: Sequence[Question], sources: Sources) -> Checkout:
        """The folder as it is."""
        folder = _folder(sources)
        return Checkout(
            repository=group[0].repository, commit="", clone=folder, scratch=sources.scratch
        )


def _folder(sources: Sources) -> Path:
    assert sources.data is not None, "in `needs`"
    return sources.data


def _listed(folder: Path) -> Iterator[tuple[str, str, bool, str]]:
    lists = sorted(folder.glob("expectedresults-*.csv"))
    if not lists:
        raise BadInput(
            "not_found",
            f"no 'expectedresults-*.csv' in {str(folder)!r}",
            hint="give --data DIR",
        )
    with lists[-1].open(encoding="utf-8", newline="") as stream:
        for number, row in enumerate(csv.reader(stream), 1):
            if not row or row[0].lstrip().startswith("#"):
                continue
            cells = [cell.strip() for cell in row]
            if len(cells) < 4 or cells[2].lower() not in _TRUE:
                raise BadInput("bad_dataset", f"no verdict in {row!r}",
                               subject=f"{lists[-1].name}:{number}")  # fmt: skip
            yield cells[0], cells[1], _TRUE[cells[2].lower()], cells[3]


def _sources(folder: Path) -> dict[str, Path]:
    """Source files by their name without suffix; of several the first path."""
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        code = path.is_file() and detect(path.name.encode(), b"") not in {"", None}
        if code and ".git" not in path.parts:
            found.setdefault(path.stem, path)
    return found


def _question(folder: Path, file: Path, name: str, category: str, real: bool, cwe: str) -> Question:
    path = file.relative_to(folder).as_posix().encode()
    data = file.read_bytes()
    whole = LineSpan(1, max(1, data.rstrip().count(b"\n") + 1))
    return Question(
        id=name,
        repository=folder.name,
        commit="",
        language=language_of(path, {path: data}),
        text=f"Does input from outside reach a weakness of the kind {category} in {name}?",
        files=(path,),
        functions=functions_at(path, data, [whole]),
        lines=(Place(path, whole),),
        leak_file=True,
        leak_function=True,
        kind=category,
        vulnerable=real,
        cwe=f"CWE-{cwe}",
    )


DATASET = ExpectedResults()

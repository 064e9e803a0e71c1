"""Small programs with their call graphs, in the layout of the PyCG suite, in the user's folder.

`CATEGORY/CASE/main.py` (and modules beside it) with `callgraph.json`: for each function, module
first, the functions that it calls. A question asks what one of them calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from grainline.errors import BadInput
from grainline.lab.changed import lines_of
from grainline.lab.corpora import read_folder
from grainline.lab.datasets.base import Sources
from grainline.lab.labels import given_away, outline, qualified
from grainline.lab.loose import Files
from grainline.lab.mirror import Checkout
from grainline.lab.questions import Place, Question

GRAPH = "callgraph.json"


class PyCg:
    """One question for each function that calls another one of its case."""

    name = "pycg"
    needs: tuple[str, ...] = ("data",)

    def questions(self, sources: Sources) -> Iterator[Question]:
        """Cases in path order, functions as they are listed."""
        for case in _cases(sources):
            yield from _questions(case, _name(case, sources))

    def checkout(self, group: Sequence[Question], sources: Sources) -> Checkout:
        """The folder of the case as it is."""
        assert sources.data is not None, "in `needs`"
        return Checkout(
            repository=group[0].repository,
            commit="",
            clone=sources.data / group[0].repository,
            scratch=sources.scratch,
        )


def _cases(sources: Sources) -> Sequence[Path]:
    assert sources.data is not None, "in `needs`"
    found = sorted(path.parent for path in sources.data.rglob(GRAPH))
    if not found:
        raise BadInput(
            "not_found", f"no {GRAPH!r} below {str(sources.data)!r}", hint="give --data DIR"
        )
    return found


def _name(case: Path, sources: Sources) -> str:
    assert sources.data is not None, "in `needs`"
    return case.relative_to(sources.data).as_posix()


def _questions(case: Path, name: str) -> Iterator[Question]:
    graph: Mapping[str, Sequence[str]] = json.loads((case / GRAPH).read_text("utf-8"))
    places = _places(read_folder(case))
    for caller, callees in graph.items():
        gold = tuple(places[each] for each in callees if each in places)
        if gold:
            text = f"What does {caller} call?"
            leak_file, leak_function = given_away(text, gold)
            yield Question(
                id=f"{name}:{caller}",
                repository=name,
                commit="",
                language="python",
                text=text,
                files=tuple(dict.fromkeys(place.path for place in gold)),
                functions=gold,
                lines=gold,
                leak_file=leak_file,
                leak_function=leak_function,
            )


def _places(files: Files) -> Mapping[str, Place]:
    """Functions by `module.Class.function`; modules are no functions."""
    found: dict[str, Place] = {}
    for path, data in files.items():
        if not path.endswith(b".py"):
            continue
        module = path.removesuffix(b".py").removesuffix(b"/__init__").decode().replace("/", ".")
        definitions = outline(path, data)
        for each in definitions:
            name = qualified(definitions, each)
            found[f"{module}.{name}"] = Place(path, lines_of(data, each), name)
    return found


DATASET = PyCg()

"""Programs with one fault each: a report says what goes wrong, a writer is to mend it.

A row names a function of the built-in program, what is right in it and what stands there instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from grainline.errors import BadInput
from grainline.lab.corpora import Corpus, corpus, from_versions
from grainline.lab.labels import given_away, language_of, place, rows
from grainline.lab.loose import Files
from grainline.lab.patches import Block, written_as
from grainline.lab.questions import Place, Question
from grainline.model.position import LineSpan

SET = "repair"


def questions() -> tuple[Question, ...]:
    """The questions of the set: the report, the function with the fault, and the patch."""
    source = repository()
    return tuple(_question(source, row) for row in rows(SET))


def broken(row_id: str) -> Files:
    """The program with the fault of a row."""
    (row,) = [each for each in rows(SET) if each["id"] == row_id]
    return _broken(row)


@cache
def repository() -> Corpus:
    """A repository with a commit for every fault."""
    return from_versions(SET, ((row["id"], _broken(row)) for row in rows(SET)))


def _broken(row: Mapping[str, Any]) -> Files:
    files = dict(corpus(SET).files())
    path = row["gold"][0]["path"].encode()
    text = files[path].decode()
    if text.count(row["right"]) != 1:
        raise BadInput("bad_dataset", f"{row['right']!r} does not stand there once", subject=SET)
    files[path] = text.replace(row["right"], row["wrong"]).encode()
    return files


def _question(source: Corpus, row: Mapping[str, Any]) -> Question:
    files = _broken(row)
    function = place(files, row["gold"][0])
    lines = _lines(files[function.path].decode(), row["wrong"])
    leak_file, leak_function = given_away(row["text"], [function])
    return Question(
        id=row["id"],
        repository=source.repository,
        commit=source.commit(row["id"]),
        language=language_of(function.path, files),
        text=row["text"],
        files=(function.path,),
        functions=(function,),
        lines=(Place(function.path, lines, function.name),),
        leak_file=leak_file,
        leak_function=leak_function,
        kind=row["kind"],
        expected=written_as(Block(row["gold"][0]["path"], row["wrong"], row["right"])),
        profile="failure",
        task="repair",
        trial=row["id"],
    )


def _lines(text: str, wrong: str) -> LineSpan:
    first = text.count("\n", 0, text.index(wrong)) + 1
    return LineSpan(first, first + wrong.rstrip("\n").count("\n"))

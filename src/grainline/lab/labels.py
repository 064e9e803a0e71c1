"""Rows of built-in sets become questions: what answers them is looked up in the files.

A row names what answers it by symbol or by the text of a line, never by number, so a corpus that
changes under its questions is an error and no wrong figure.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from grainline.errors import BadInput
from grainline.lab.corpora import BUILTIN, Corpus, corpus
from grainline.lab.loose import Files
from grainline.lab.questions import Hop, Place, Question
from grainline.languages.detect import detect
from grainline.model.position import LineSpan
from grainline.model.symbol import Definition
from grainline.parsing.facts import parse

_SKELETON = 1 << 30  # no skeleton is wanted


def rows(name: str) -> Iterator[dict[str, Any]]:
    """The question rows of a built-in set, as they are written."""
    text = (BUILTIN / name / "questions.jsonl").read_text("utf-8")
    yield from (json.loads(line) for line in text.splitlines())


def questions(name: str) -> tuple[Question, ...]:
    """The questions of a built-in set, what answers them found in the files."""
    return tuple(_question(corpus(name), row) for row in rows(name))


def _question(source: Corpus, row: Mapping[str, Any]) -> Question:
    version = row.get("version", "main")
    files, view = source.files(version), source.view(version)
    chain = tuple(_hop(files, each) for each in row.get("chain", ()))
    named = [place(files, each) for each in row.get("gold", ())]
    gold = [each._replace(version=view or "") for each in named]
    functions = [hop.place for hop in chain] or [each for each in gold if each.name]
    lines = _lines_of(chain) or gold
    denied = [place(files, each)._replace(version=view or "") for each in row.get("forbidden", ())]
    leak_file, leak_function = given_away(row["text"], functions or lines)
    return Question(
        id=row["id"],
        repository=source.repository,
        commit=source.commit("main" if view else version),
        language=language_of((functions or lines or denied)[0].path, files),
        text=row["text"],
        files=tuple(dict.fromkeys(each.path for each in lines)),
        functions=tuple(dict.fromkeys(functions)),
        lines=tuple(lines),
        chain=chain,
        leak_file=leak_file,
        leak_function=leak_function,
        kind=row["kind"],
        ref=view,
        principal=row.get("as"),
        forbidden=(*denied, *_elsewhere(source, row, version)),
        vulnerable=row.get("vulnerable"),
        cwe=row.get("cwe", ""),
    )


def _hop(files: Files, row: Mapping[str, Any]) -> Hop:
    """A station of a chain; its lines are named by their text, inside its own place."""
    where = place(files, row)
    text = files[where.path].decode().split("\n")
    first, last = where.lines
    inside = [line.strip() for line in text[first - 1 : last]]
    lines = tuple(first - 1 + _only(where.path, inside, line) for line in row["lines"])
    return Hop(where, row["role"], lines)


def _lines_of(chain: Sequence[Hop]) -> list[Place]:
    found = (Place(hop.place.path, LineSpan(at, at)) for hop in chain for at in hop.lines)
    return list(dict.fromkeys(found))


def _elsewhere(source: Corpus, row: Mapping[str, Any], version: str) -> Iterator[Place]:
    """The gold symbols as they are in other versions, where they say something else."""
    here = source.files(version)
    for gold in row.get("gold", ()):
        own = _text(here, place(here, gold))
        for view in source.views:
            files = source.files(view)
            there = _found(files, gold)
            if there and _text(files, there) != own:
                yield there._replace(version=view)


def _found(files: Files, gold: Mapping[str, Any]) -> Place | None:
    if "symbol" not in gold or gold["path"].encode() not in files:
        return None
    path = gold["path"].encode()
    names = outline(path, files[path])
    if any(gold["symbol"] in {each.name, qualified(names, each)} for each in names):
        return place(files, gold)
    return None


def _text(files: Files, where: Place) -> bytes:
    first, last = where.lines
    return b"\n".join(files[where.path].split(b"\n")[first - 1 : last])


def language_of(path: bytes, files: Files) -> str:
    """The language of a file, "" for an unknown one."""
    return detect(path, files[path]) or ""


def given_away(text: str, gold: Sequence[Place]) -> tuple[bool, bool]:
    """Whether a question names a gold path, and a gold path or symbol."""
    found = given(text, gold)
    of_file = any(found[kind] for kind in ("path", "basename", "stem"))
    return of_file, of_file or bool(found["symbol"])


def given(text: str, gold: Sequence[Place]) -> dict[str, list[str]]:
    """The gold names that a question gives away, as rows of question files list them.

    A name that is a word of the language too (`store`, `cache`) counts only where it is written as
    code: in backticks or before a parenthesis.
    """
    paths = list(dict.fromkeys(os.fsdecode(each.path) for each in gold))
    stems = list(dict.fromkeys(Path(path).stem for path in paths))
    names = dict.fromkeys(each.name.rpartition(".")[2] for each in gold if each.name)
    return {
        "path": [path for path in paths if path in text],
        "basename": [name for name in dict.fromkeys(Path(p).name for p in paths) if name in text],
        "stem": [stem for stem in stems if _is_named(text, stem)],
        "symbol": [name for name in names if _is_named(text, name)],
    }


def _is_named(text: str, name: str) -> bool:
    return writes(name).search(text) is not None


def writes(name: str) -> re.Pattern[str]:
    """Finds a name where a text means the code: a word of the language only if written as code."""
    exact = re.escape(name)
    is_word = re.fullmatch(r"[A-Z]?[a-z]+", name) is not None
    return re.compile(rf"`{exact}`|\b{exact}(?=\()" if is_word else rf"(?<!\w){exact}(?!\w)")


def place(files: Files, gold: Mapping[str, Any]) -> Place:
    """Where a row of gold stands in some files.

    `symbol` is a definition by name (`Orders.total`, a heading by its text); `line` one line by its
    text without the blanks around it; `from` and `to` the lines from one to the next other.

    Raises:
        BadInput: there is no such file, symbol or line, or there are several.
    """
    path = gold["path"].encode()
    if path not in files:
        raise BadInput("bad_dataset", f"no file {gold['path']!r}")
    if "symbol" in gold:
        return _symbol(path, files[path], gold["symbol"])
    lines = [line.strip() for line in files[path].decode().split("\n")]
    if "line" in gold:
        number = _only(path, lines, gold["line"])
        return Place(path, LineSpan(number, number))
    start = _only(path, lines, gold["from"])
    if gold["to"] not in lines[start:]:
        raise BadInput("bad_dataset", f"no line {gold['to']!r} after it", subject=gold["path"])
    return Place(path, LineSpan(start, lines.index(gold["to"], start) + 1))


def _only(path: bytes, lines: Sequence[str], text: str) -> int:
    found = [number for number, line in enumerate(lines, 1) if line == text]
    if len(found) != 1:
        raise BadInput("bad_dataset", f"{len(found)} lines say {text!r}", subject=path.decode())
    return found[0]


def _symbol(path: bytes, data: bytes, name: str) -> Place:
    definitions = outline(path, data)
    found = [each for each in definitions if name in {each.name, qualified(definitions, each)}]
    if len(found) != 1:
        raise BadInput("bad_dataset", f"{len(found)} symbols {name!r}", subject=path.decode())
    (only,) = found
    text = data[only.start : only.end].rstrip()
    first = data.count(b"\n", 0, only.start) + 1
    return Place(path, LineSpan(first, first + text.count(b"\n")), name)


@cache
def outline(path: bytes, data: bytes) -> Sequence[Definition]:
    """What a file defines."""
    language = detect(path, data)
    return parse(data, language, skeleton_limit=_SKELETON).definitions if language else ()


def qualified(definitions: Sequence[Definition], definition: Definition) -> str:
    """The names of a definition and of what it stands in, joined by dots."""
    names = [definition.name]
    while definition.parent >= 0:
        definition = definitions[definition.parent]
        names.append(definition.name)
    return ".".join(reversed(names))

"""Edits of a built-in repository: what is saved, and what answers have to show from then on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grainline.errors import BadInput
from grainline.lab.corpora import corpus
from grainline.lab.labels import given_away, language_of, place, rows
from grainline.lab.loose import Files
from grainline.lab.questions import Edit, Question

SET = "edits"
OF = "small"


def questions() -> tuple[Question, ...]:
    """The questions of the set; gold is where it stands after the edit."""
    return tuple(map(_question, rows(SET)))


def write(folder: Path) -> None:
    """The repository as a plain folder, as it is before every edit; what else is there goes away."""
    files = corpus(OF).files()
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for name, data in files.items():
        (folder / name.decode()).write_bytes(data)


def save(folder: Path, edit: Edit) -> None:
    """What an editor does with one file."""
    path = folder / edit.path.decode()
    if edit.new is None:
        path.unlink()
    else:
        path.write_bytes(edited(path.read_bytes() if edit.old else b"", edit))


def edited(data: bytes, edit: Edit) -> bytes:
    """The file after the edit.

    Raises:
        BadInput: what is to be replaced does not stand there once.
    """
    text, new = data.decode(), edit.new or ""
    if not edit.old:
        return new.encode()
    if text.count(edit.old) != 1:
        raise BadInput("bad_dataset", f"{edit.old!r} does not stand there once", subject=SET)
    return text.replace(edit.old, new).encode()


def gone(edit: Edit) -> Sequence[str]:
    """Lines that stand nowhere in the repository any more."""
    before = corpus(OF).files()
    after = _after(edit)
    kept = {line.strip() for data in after.values() for line in data.decode().split("\n")}
    own = (line.strip() for line in before.get(edit.path, b"").decode().split("\n"))
    return [line for line in dict.fromkeys(own) if line and line not in kept]


def come(edit: Edit) -> Sequence[str]:
    """Lines that stood nowhere in the repository before."""
    before = corpus(OF).files()
    known = {line.strip() for data in before.values() for line in data.decode().split("\n")}
    own = (line.strip() for line in _after(edit).get(edit.path, b"").decode().split("\n"))
    return [line for line in dict.fromkeys(own) if line and line not in known]


def _after(edit: Edit) -> Files:
    files = dict(corpus(OF).files())
    if edit.new is None:
        del files[edit.path]
    else:
        files[edit.path] = edited(files.get(edit.path, b""), edit)
    return files


def _question(row: Mapping[str, Any]) -> Question:
    edit = Edit(row["edit"]["path"].encode(), row["edit"]["old"], row["edit"]["new"])
    files = _after(edit)
    gold = tuple(place(files, each) for each in row["gold"])
    functions = tuple(each for each in gold if each.name)
    leak_file, leak_function = given_away(row["text"], gold)
    return Question(
        id=row["id"],
        repository=f"builtin/{SET}",
        commit="",
        language=language_of(edit.path, {**corpus(OF).files(), **files}),
        text=row["text"],
        files=tuple(dict.fromkeys(each.path for each in gold)),
        functions=functions,
        lines=gold,
        leak_file=leak_file,
        leak_function=leak_function,
        kind=row["kind"],
        edit=edit,
    )

"""The built-in sets: plain files and a recipe become a git repository, rows become places in it.

A set is a folder below `builtin/`: `corpus/` holds its files, `questions.jsonl` its questions, and
where a set has branches or access rules `recipe.toml` says which files which commit holds, and
`policy.json` who reads what. A question names what answers it by symbol or by the text of a line,
never by number, so a corpus that changes under its questions is an error and no wrong figure.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from grainline.errors import BadInput
from grainline.lab.loose import Commit, Files, Objects
from grainline.lab.questions import Place, Question
from grainline.languages.detect import detect
from grainline.model.position import LineSpan
from grainline.model.symbol import Definition, SymbolKind
from grainline.parsing.facts import parse

BUILTIN = Path(__file__).parent / "builtin"
FIRST = {"label": "first", "branch": "main", "date": datetime.fromisoformat("2024-01-01T00:00Z")}
_SKELETON = 1 << 30  # no skeleton is wanted
_MADE = "__pycache__"  # what Python leaves beside the files of an installed package


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """One built-in repository in all its versions.

    `versions` maps each label, branch and tag to a commit id; `trees` each commit id to its files;
    `refs` holds full ref names.
    """

    name: str
    objects: Objects
    versions: Mapping[str, str]
    trees: Mapping[str, Files]
    refs: Mapping[str, str]

    @property
    def repository(self) -> str:
        """What questions call it: `builtin/NAME`."""
        return f"builtin/{self.name}"

    def files(self, version: str = "main") -> Files:
        """The files of a label, branch, tag or commit id.

        Raises:
            BadInput: there is no such version.
        """
        return self.trees[self.commit(version)]

    def commit(self, version: str = "main") -> str:
        """The commit id of a label, branch or tag."""
        found = self.versions.get(version, version)
        if found not in self.trees:
            raise BadInput("bad_dataset", f"no version {version!r}", subject=self.name)
        return found

    def write(self, mirror: Path) -> Path:
        """Write it below a folder of clones, where `find_clone` finds it; the repository."""
        folder = mirror / self.repository.replace("/", "+") / "repo"
        self.objects.write(folder, self.refs, "refs/heads/main")
        return folder


def corpus_names() -> tuple[str, ...]:
    """Every built-in set that has files of its own, sorted."""
    return tuple(sorted(path.parent.name for path in BUILTIN.glob("*/corpus")))


@cache
def corpus(name: str) -> Corpus:
    """The built-in repository called `name`.

    Raises:
        BadInput: there is none, or its recipe names what is not there.
    """
    folder = BUILTIN / name
    if name not in corpus_names():
        known = ", ".join(corpus_names())
        raise BadInput("not_found", f"no built-in corpus {name!r}", hint=f"known: {known}")
    recipe = folder / "recipe.toml"
    if not recipe.is_file():
        return _made(name, [FIRST | {"files": read_folder(folder / "corpus")}])
    steps = tomllib.loads(recipe.read_text("utf-8"))["commits"]
    return _made(name, [_with_files(step, folder / "corpus") for step in steps])


def read_folder(folder: Path) -> dict[bytes, bytes]:
    """Every file below a folder by its path, sorted; symbolic links are not followed."""
    return {
        path.relative_to(folder).as_posix().encode(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and _MADE not in path.parts
    }


def from_files(name: str, files: Files) -> Corpus:
    """A repository of one commit."""
    return _made(name, [FIRST | {"files": files}])


def _with_files(step: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    return {**step, "files": read_folder(folder / step["lays"]) if "lays" in step else {}}


def _made(name: str, steps: Sequence[Mapping[str, Any]]) -> Corpus:
    """Commits in order. A branch grows from where it is, a new one from the label `from`."""
    objects = Objects()
    versions: dict[str, str] = {}
    trees: dict[str, Files] = {}
    refs: dict[str, str] = {}
    for step in steps:
        branch = f"refs/heads/{step['branch']}"
        start = refs.get(branch) or versions.get(step.get("from", ""))
        merged = tuple(versions[label] for label in step.get("merges", ()))
        files = {**(trees[start] if start else {}), **step["files"]}
        for path in step.get("removes", ()):
            del files[path.encode()]
        commit = objects.commit(
            Commit(
                files=files,
                message=step.get("message", step["label"]),
                seconds=int(step["date"].timestamp()),
                parents=(*((start,) if start else ()), *merged),
            )
        )
        trees[commit] = MappingProxyType(files)
        refs[branch] = versions[step["label"]] = versions[step["branch"]] = commit
        if "tag" in step:
            refs[f"refs/tags/{step['tag']}"] = versions[step["tag"]] = commit
    return Corpus(name=name, objects=objects, versions=versions, trees=trees, refs=refs)


# ------------------------------------------------------------------ questions


def rows(name: str) -> Iterator[dict[str, Any]]:
    """The question rows of a built-in set, as they are written."""
    text = (BUILTIN / name / "questions.jsonl").read_text("utf-8")
    yield from (json.loads(line) for line in text.splitlines())


def questions(name: str) -> tuple[Question, ...]:
    """The questions of a built-in set, what answers them found in the files."""
    return tuple(_question(corpus(name), row) for row in rows(name))


def _question(source: Corpus, row: Mapping[str, Any]) -> Question:
    files = source.files(row.get("at", "main"))
    gold = tuple(place(files, each) for each in row["gold"])
    leak_file, leak_function = given_away(row["text"], gold)
    return Question(
        id=row["id"],
        repository=source.repository,
        commit=source.commit(row.get("at", "main")),
        language=_language(gold[0].path, files) if gold else "",
        text=row["text"],
        files=tuple(dict.fromkeys(each.path for each in gold)),
        functions=tuple(each for each in gold if each.name),
        lines=gold,
        leak_file=leak_file,
        leak_function=leak_function,
        kind=row.get("kind", ""),
    )


def _language(path: bytes, files: Files) -> str:
    return detect(path, files[path]) or ""


def given_away(text: str, gold: Sequence[Place]) -> tuple[bool, bool]:
    """Whether a question names a gold path, and a gold path or symbol.

    A name that is a word of the language too (`store`, `cache`) counts only where it is written as
    code: in backticks or before a parenthesis.
    """
    paths = [os.fsdecode(each.path) for each in gold]
    stems = [Path(path).stem for path in paths]
    of_file = any(path in text or Path(path).name in text for path in paths) or _named(text, stems)
    names = [each.name.rpartition(".")[2] for each in gold]
    return of_file, of_file or _named(text, names)


def _named(text: str, names: Iterable[str]) -> bool:
    for name in filter(None, names):
        is_word = re.fullmatch(r"[A-Z]?[a-z]+", name) is not None
        pattern = (
            rf"`{re.escape(name)}`|\b{re.escape(name)}\(" if is_word else rf"\b{re.escape(name)}\b"
        )
        if re.search(pattern, text):
            return True
    return False


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
    definitions = _outline(path, data)
    found = [each for each in definitions if name in {each.name, qualified(definitions, each)}]
    if len(found) != 1:
        raise BadInput("bad_dataset", f"{len(found)} symbols {name!r}", subject=path.decode())
    (only,) = found
    text = data[only.start : only.end].rstrip()
    first = data.count(b"\n", 0, only.start) + 1
    is_code = only.kind is not SymbolKind.HEADING
    return Place(path, LineSpan(first, first + text.count(b"\n")), name if is_code else "")


@cache
def _outline(path: bytes, data: bytes) -> Sequence[Definition]:
    language = detect(path, data)
    return parse(data, language, skeleton_limit=_SKELETON).definitions if language else ()


def qualified(definitions: Sequence[Definition], definition: Definition) -> str:
    """The names of a definition and of what it stands in, joined by dots."""
    names = [definition.name]
    while definition.parent >= 0:
        definition = definitions[definition.parent]
        names.append(definition.name)
    return ".".join(reversed(names))

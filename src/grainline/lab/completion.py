"""Holes cut into built-in repositories: a writer is to fill them, and needs what they call.

Every function that calls another of its repository is cut once, by turns at a `line` (the first
that calls), a `call` (its arguments) or the `body` (what follows the doc string). `cut` finds the
holes by the call graph; what it found is kept as rows, so that asking needs no graph.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grainline.engine import MEMORY, Engine
from grainline.indexing.pipeline import IndexOptions
from grainline.lab.corpora import Corpus, corpus, from_versions
from grainline.lab.labels import language_of, outline, place, qualified, rows
from grainline.lab.loose import Files
from grainline.lab.questions import Place, Question
from grainline.languages.base import CALLABLE_KINDS
from grainline.model.position import LineSpan
from grainline.model.symbol import Definition

SET = "completion"
KINDS = ("line", "call", "body")
CUT_FROM = ("small", "versions", "vulnapp")
PREFIX = 20  # lines before the hole that are the question


@dataclass(frozen=True, slots=True, kw_only=True)
class Hole:
    """What is taken out: from a column of the first line to the end of the last one."""

    path: bytes
    lines: LineSpan
    column: int

    def cut(self, data: bytes) -> tuple[str, str]:
        """(what stands before it, at most `PREFIX` lines; what was taken out)."""
        text = data.decode().split("\n")
        first, last = self.lines
        head = [*text[max(0, first - 1 - PREFIX) : first - 1], text[first - 1][: self.column]]
        gone = [text[first - 1][self.column :], *text[first:last]]
        return "\n".join(head), "\n".join(gone)

    def without(self, data: bytes) -> bytes:
        """The file with the hole in it; the numbers of the lines stay."""
        text = data.split(b"\n")
        first, last = self.lines
        kept = text[first - 1].decode()[: self.column].rstrip().encode()
        text[first - 1 : last] = [kept, *([b""] * (last - first))]
        return b"\n".join(text)


# ------------------------------------------------------------------ cutting


def cut() -> Iterator[Mapping[str, Any]]:
    """The rows of the set, in order; the same ones whenever the repositories are the same."""
    number = 0
    for name in CUT_FROM:
        source = corpus(name)
        for path, function, calls in callers(source):
            kind = KINDS[number % len(KINDS)]
            found = _row(source.files(), path, function, kind, calls)
            if found:
                number += 1
                yield {"id": f"{SET}/{name}-{number:02}", "kind": kind, "of": name, **found}


def callers(
    source: Corpus,
) -> Iterator[tuple[bytes, str, Mapping[int, Sequence[Mapping[str, str]]]]]:
    """(path, function, what it calls by line) of functions that call others of the repository."""
    with tempfile.TemporaryDirectory(prefix="grainline-lab-") as folder:
        engine = Engine.open(MEMORY)
        engine.index(
            str(source.write(Path(folder))), refs=("main",), options=IndexOptions(workers=0)
        )
        graph = engine.graph()
        engine.close()
    files = source.files()
    found: dict[tuple[bytes, str], dict[int, list[Mapping[str, str]]]] = {}
    for link in graph.links:
        caller, callee = graph.nodes[link.src], graph.nodes[link.dst]
        name, target = _name(files, caller), _name(files, callee)
        if name and target and (caller.path, name) != (callee.path, target):
            needed = {"path": callee.path.decode(), "symbol": target}
            sites = found.setdefault((caller.path, name), {}).setdefault(link.line, [])
            if needed not in sites:
                sites.append(needed)
    for (path, name), calls in sorted(found.items()):
        yield path, name, dict(sorted(calls.items()))


def _name(files: Files, node: Any) -> str:
    """How a row names the function of a node; "" for what is none, or shares its name."""
    definitions = outline(node.path, files[node.path]) if node.path in files else ()
    here = [each for each in definitions if each.descriptor == node.descriptor]
    if not here or here[0].kind not in CALLABLE_KINDS:
        return ""
    name = qualified(definitions, here[0])
    return name if [qualified(definitions, each) for each in definitions].count(name) == 1 else ""


def _row(
    files: Files,
    path: bytes,
    function: str,
    kind: str,
    calls: Mapping[int, Sequence[Mapping[str, str]]],
) -> Mapping[str, Any] | None:
    whole = place(files, {"path": path.decode(), "symbol": function})
    line = min(calls)
    text = files[path].decode().split("\n")
    if kind == "body":
        first = _body(files[path], whole, text)
        last = whole.lines.end - (text[whole.lines.end - 1].strip() == "}")
        hole = Hole(path=path, lines=LineSpan(first, last), column=0)
        needed = [each for at in calls if at >= first for each in calls[at]]
    else:
        column = _column(text[line - 1], kind, calls[line][0]["symbol"].rpartition(".")[2])
        hole = Hole(path=path, lines=LineSpan(line, line), column=column)
        needed = list(calls[line])
        if column < 0 or not _is_closed(text[line - 1]):
            return None
    before, gone = hole.cut(files[path])
    return {
        "path": path.decode(),
        "lines": list(hole.lines),
        "column": hole.column,
        "text": before,
        "expected": gone,
        "gold": [each for at, each in enumerate(needed) if each not in needed[:at]],
    }


def _column(line: str, kind: str, callee: str) -> int:
    """Where the hole of a line begins; -1 when the call is not written in it."""
    if kind == "line":
        return len(line) - len(line.lstrip())
    found = re.search(rf"\b{re.escape(callee)}\(", line)
    return found.end() if found else -1


def _is_closed(line: str) -> bool:
    """Whether every parenthesis of a line ends in it."""
    return all(line.count(left) == line.count(right) for left, right in ("()", "[]", "{}"))


def _body(data: bytes, whole: Place, text: Sequence[str]) -> int:
    """The first line behind the head of a function and its doc string."""
    (own,) = [each for each in outline(whole.path, data) if _is(data, each, whole)]
    head = data.count(b"\n", 0, own.signature_end) + 1
    after = text[head].strip() if head < len(text) else ""
    quoted = after.startswith('"""') and after.endswith('"""') and len(after) > 5
    return head + 2 if quoted else head + 1


def _is(data: bytes, definition: Definition, whole: Place) -> bool:
    first = data.count(b"\n", 0, definition.start) + 1
    return definition.kind in CALLABLE_KINDS and first == whole.lines.start


# ------------------------------------------------------------------ asking


def holes() -> tuple[Question, ...]:
    """The questions of the set: the text before the hole, and what was taken out."""
    source = cut_repository()
    return tuple(_question(source, row) for row in rows(SET))


def cut_repository() -> Corpus:
    """A repository with a commit for every hole: its files with the hole in them."""
    return from_versions(SET, ((row["id"], _cut(row)) for row in rows(SET)))


def _cut(row: Mapping[str, Any]) -> Files:
    files = dict(corpus(row["of"]).files())
    hole = hole_of(row)
    files[hole.path] = hole.without(files[hole.path])
    return files


def hole_of(row: Mapping[str, Any]) -> Hole:
    """The hole of a row."""
    path, (first, last) = row["path"].encode(), row["lines"]
    return Hole(path=path, lines=LineSpan(first, last), column=row["column"])


def _question(source: Corpus, row: Mapping[str, Any]) -> Question:
    files = corpus(row["of"]).files()  # a hole may leave what does not parse; no line moves
    needed = tuple(place(files, each) for each in row["gold"])
    hole = hole_of(row)
    return Question(
        id=row["id"],
        repository=source.repository,
        commit=source.commit(row["id"]),
        language=language_of(hole.path, files),
        text=row["text"],
        files=tuple(dict.fromkeys(each.path for each in needed)),
        functions=needed,
        lines=needed,
        kind=row["kind"],
        at=Place(hole.path, hole.lines),
        expected=row["expected"],
        profile="completion",
        trial=row["id"] if hole.path.endswith(b".py") else "",  # nothing runs the rest
    )

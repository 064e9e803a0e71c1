"""A private set of questions, made of a repository's own history and doc comments.

A fix asks with its message: gold is what it changed, at the commit before it. A doc comment asks
with its first sentence: gold is the function that it stands at, and the comments are hidden. Rows
point into the repository and hold none of its code but names; they are read by the dataset `own`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from grainline.errors import BadInput, ResourceExhausted
from grainline.lab.changed import changed_lines, functions_at, lines_of, outermost
from grainline.lab.labels import given, outline, qualified, writes
from grainline.lab.questions import Place
from grainline.languages.base import CALLABLE_KINDS
from grainline.languages.detect import detect
from grainline.model.position import LineSpan
from grainline.model.snapshot import FlagName, SourceEntry
from grainline.model.symbol import Definition
from grainline.snapshots.history import CommitRecord
from grainline.snapshots.repository import Repository, open_repository

ABOUT = "about.json"
FIXES = "fixes.jsonl"
DOCS = "docs.jsonl"
SCHEMA = 1

_FIX = re.compile(
    r"\b(fix(e[sd]|ing)?|bugs?|repair(s|ed)?|crash(es|ed)?|regressions?|wrong(ly)?|broken"
    r"|correct(s|ed|ly)?|prevent(s|ed)?|avoid(s|ed)?|handle(s|d)? missing)\b|修复|修正|解决",
    re.IGNORECASE,
)
_NO_FIX = re.compile(
    r"\b(typos?|lint|warnings?|formatting|whitespace|spelling|docs?|readme|changelog|ci|tests?|bump)\b",
    re.IGNORECASE,
)
"""Fixes of something else than what the program does."""

_TRAILER = re.compile(
    r"^[A-Z][A-Za-z-]+: .*$|^\(cherry picked from.*$|^git-svn-id:.*$", re.MULTILINE
)
_REFERENCE = re.compile(
    r"\(?(?:(?:closes?|fix(?:es)?|refs?|see|gh|resolves?):? )?#\d+\)?", re.IGNORECASE
)
_PREFIX = re.compile(r"^(fix|bugfix|hotfix)(\([^)]*\))?!?:\s*", re.IGNORECASE)
_MARKS = re.compile(
    r'^\s*(?:/\*+|\*+/?|//+!?|#+|--+|"""|\'\'\'|r""")\s?|\s*(?:\*+/|"""|\'\'\')\s*$'
)
_TAG = re.compile(r"^\s*[@\\:](param|returns?|throws|raises|see|since|type)\b")
_SENTENCE = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s|(?<=[\u3002\uff01\uff1f])|\n\s*\n")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeOptions:
    """What to take.

    Attributes:
        ref: where the history begins; its files give the doc comments.
        fixes: questions from fixes, at most: the newest.
        docs: questions from doc comments, at most: spread over all of them.
        commits: how many commits are looked at.
        files: a fix that changes more source files than this is none.
        words: a question has at least so many.
    """

    ref: str = "HEAD"
    fixes: int = 200
    docs: int = 200
    commits: int = 20_000
    files: int = 5
    words: int = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What was made: the folder, and how many questions of which kind; `leaks` give a name away."""

    folder: Path
    fixes: int
    docs: int
    leaks: int
    commits: int


def make_dataset(
    repository: Path,
    folder: Path,
    options: MakeOptions | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> Made:
    """Write a set about `repository` into `folder`; the same one for the same commit and options.

    Raises:
        BadInput: there is no repository or no commit, or nothing in it asks.
    """
    options = options or MakeOptions()
    with open_repository(str(repository)) as source:
        head = source.resolve(options.ref).commit
        seen, fixes = _fixes(source, options, report)
        docs = _spread(list(_docs(source, head, options)), options.docs) if head else []
    if not fixes and not docs:
        raise BadInput(
            "empty_dataset",
            "no fix and no doc comment that could ask a question",
            subject=str(repository),
        )
    about = {
        "schema": SCHEMA,
        "repository": str(repository.resolve()),
        "name": repository.resolve().name,
        "commit": head,
        "options": asdict(options),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
        _write(folder / FIXES, fixes)
        _write(folder / DOCS, docs)
    except OSError as error:
        raise ResourceExhausted(
            "cannot_write",
            f"it could not be written ({error.strerror})",
            subject=str(folder),
            hint="free space or write elsewhere",
        ) from error
    leaks = sum(any(row["leaks"].values()) for row in (*fixes, *docs))
    return Made(folder=folder, fixes=len(fixes), docs=len(docs), leaks=leaks, commits=seen)


def _write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")


def _spread(rows: Sequence[Mapping[str, Any]], most: int) -> list[Mapping[str, Any]]:
    if len(rows) <= most:
        return list(rows)
    return [rows[number * len(rows) // most] for number in range(most)]


# ------------------------------------------------------------------ fixes


def _fixes(
    source: Repository, options: MakeOptions, report: Callable[[str], None]
) -> tuple[int, list[Mapping[str, Any]]]:
    """(commits looked at, the rows of those that fix something), newest first."""
    found: list[Mapping[str, Any]] = []
    seen = 0
    for seen, commit in enumerate(islice(source.history(options.ref), options.commits), 1):
        if len(found) == options.fixes:
            break
        text = question_of(commit.message)
        if is_fix(commit) and _is_enough(text, options.words):
            found += _fix(source, commit, text, options)
        if seen % 1000 == 0:
            report(f"{seen} commits, {len(found)} fixes")
    return seen, found


def is_fix(commit: CommitRecord) -> bool:
    """Whether a commit has one parent and its first line says that something was wrong."""
    subject = commit.message.partition("\n")[0]
    says = _FIX.search(subject) is not None and _NO_FIX.search(subject) is None
    return len(commit.parents) == 1 and says


def question_of(message: str) -> str:
    """A commit message without trailers, references and the word that says that it is a fix."""
    text = _REFERENCE.sub("", _TRAILER.sub("", message.strip()))
    text = _PREFIX.sub("", text).strip()
    return re.sub(r"\n{3,}", "\n\n", text)[:2000].strip()


def _is_enough(text: str, words: int) -> bool:
    return len(text.split()) >= words or len(_CJK.findall(text)) >= 2 * words


def _fix(
    source: Repository, commit: CommitRecord, text: str, options: MakeOptions
) -> Iterator[Mapping[str, Any]]:
    (parent,) = commit.parents
    before, after = source.changes(commit.id, parent), source.changes(parent, commit.id)
    if before is None or after is None:  # the parent is not there, or rules for other paths changed
        return
    wanted = [entry for entry in before.entries if _is_source(entry)]
    changed = [each for each in _texts(source, wanted) if any(outermost(outline(*each)))]
    if not 0 < len(changed) <= options.files:
        return
    new = dict(_texts(source, after.entries))
    functions: list[Place] = []
    lines: list[Place] = []
    for path, data in changed:
        spans = changed_lines(data, new.get(path, b""))
        functions += functions_at(path, data, spans)
        lines += [Place(path, span) for span in spans]
    if functions:
        yield {
            "id": f"fix/{commit.id[:12]}",
            "kind": "fix",
            "commit": parent,
            "lang": detect(functions[0].path, b"") or "",
            "query": text,
            "gold_files": list(dict.fromkeys(place.path.decode() for place in lines)),
            "gold_functions": [[p.path.decode(), p.name, *p.lines] for p in functions],
            "gold_lines": [[p.path.decode(), *p.lines] for p in lines],
            "leaks": given(text, [*functions, *lines]),
        }


def _is_source(entry: SourceEntry) -> bool:
    """Text of a known language that is no test, nor made by a machine; names that are text only."""
    unwanted = {FlagName.TEST, FlagName.VENDORED, FlagName.GENERATED, FlagName.MINIFIED}
    if entry.skip is not None or any(flag.name in unwanted for flag in entry.flags):
        return False
    try:
        entry.path.decode()
    except UnicodeDecodeError:
        return False
    return bool(detect(entry.path, b""))


def _texts(source: Repository, entries: Sequence[SourceEntry]) -> Iterator[tuple[bytes, bytes]]:
    for entry, data, _ in source.read(entries):
        if isinstance(data, bytes):
            yield entry.path, data


# ------------------------------------------------------------------ doc comments


def _docs(source: Repository, commit: str, options: MakeOptions) -> Iterator[Mapping[str, Any]]:
    """A row for each function whose doc comment says what it does, in path order.

    A sentence that stands at two functions asks for neither.
    """
    _, entries = source.snapshot(commit)
    rows: dict[str, Mapping[str, Any] | None] = {}
    for path, data in _texts(source, [entry for entry in entries if _is_source(entry)]):
        for row in _documented(path, data, commit, options):
            rows[row["query"]] = None if row["query"] in rows else row
    yield from (row for row in rows.values() if row)


def _documented(
    path: bytes, data: bytes, commit: str, options: MakeOptions
) -> Iterator[Mapping[str, Any]]:
    definitions = outline(path, data)
    for each in outermost(definitions):
        hidden = _hidden(data, each)
        text = sentence_of(data[each.doc_start : each.doc_end].decode("utf-8", "replace"))
        text = writes(each.name).sub("it", text)
        if hidden is None or not _is_enough(text, options.words):
            continue
        place = Place(path, lines_of(data, each), qualified(definitions, each))
        yield {
            "id": f"doc/{path.decode()}:{place.lines.start}",
            "kind": "doc",
            "commit": commit,
            "lang": detect(path, data) or "",
            "query": text,
            "gold_files": [path.decode()],
            "gold_functions": [[path.decode(), place.name, *place.lines]],
            "gold_lines": [[path.decode(), *place.lines]],
            "doc": list(hidden),
            "leaks": given(text, [place]),
        }


def _hidden(data: bytes, definition: Definition) -> LineSpan | None:
    """The lines of a doc comment, when nothing but it stands in them; None without one."""
    start, end = definition.doc_start, definition.doc_end
    if start == end or definition.kind not in CALLABLE_KINDS:
        return None
    line = data.rfind(b"\n", 0, start) + 1
    rest = data[end:].partition(b"\n")[0]
    if data[line:start].strip() or rest.strip():
        return None
    inside = definition.start <= start
    if inside and not data[end : definition.end].strip():
        return None  # nothing is left of the function without it
    first = data.count(b"\n", 0, start) + 1
    return LineSpan(first, first + data[start:end].rstrip().count(b"\n"))


def sentence_of(doc: str) -> str:
    """The first sentence of a doc comment, without its marks and tags."""
    kept: list[str] = []
    for line in doc.split("\n"):
        plain = _MARKS.sub("", _MARKS.sub("", line)).rstrip()
        if _TAG.match(plain):
            break
        kept.append(plain)
    text = "\n".join(kept).strip()
    return " ".join(_SENTENCE.split(text, maxsplit=1)[0].split())

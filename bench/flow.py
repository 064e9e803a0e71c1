"""Questions of data flow with known answers: are paths found, and are their safe twins left alone.

    flow.py --bench DIR --mirror DIR [--lang L] [--renamed] [--list missed|flagged] [--row ID]

DIR/flow_paths.jsonl has a row for each question: the functions and lines of a path, and whether it is
vulnerable. Of the repository at the row's commit are looked at: for an application everything; else
the folder that is called like the row, or the files of the row and their siblings that begin alike;
and the folders of packages that these import. A vulnerable row is found when a finding with verdict
`path` passes all its lines in order. Safe twins are the rows that are not vulnerable, and the
functions called `good...` in the files of a vulnerable row: flagged when a finding of a kind that
fits (path or undetermined) ends there or begins there. `undetermined` counts as missed and as flagged.
An application is looked at as `scan` does, with the edges from files that say what handles a route;
of it is counted, too, how many answers are found from end to end: a finding with verdict `path`
passes the first function of the answer and the last one. A safe row of an application is flagged
when a finding of a kind that fits ends in its last function.
`--near N`: lines of the answers may be off by N (some of them name a line beside a statement).
`--code`: a line of an answer that holds no code (a brace alone, a comment) stands for the next that does.
`--renamed`: what the files define and how they are called is renamed, comments are blanked; the lines
stay, so the answers do.
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from grainline.flow.analysis import analyse
from grainline.flow.builtin import builtin
from grainline.flow.reading import CWE
from grainline.graph.bridges.base import BRIDGES, File, Ground, bridged
from grainline.graph.resolve import resolve
from grainline.graph.results import Graph
from grainline.graph.table import table_of
from grainline.graph.units import Unit
from grainline.lab.mirror import find_clone
from grainline.languages.base import LANGUAGES
from grainline.languages.detect import detect
from grainline.model.flow import FlowPath, FlowQuestion, Region
from grainline.model.ir import ScopeKind
from grainline.model.position import Span
from grainline.model.relations import Verdict
from grainline.model.symbol import Definition
from grainline.parsing.facts import parse_lazily

MAX_FILES = 400
"""Of a folder that is taken as a whole."""

MORE = {"path": (22, 23, 36), "xss": (79, 80, 81, 83), "resource": (400, 606), "number": (190, 191),
        "weak hash": (328,), "format string": (134,)}  # fmt: skip
"""Kind -> numbers of the catalogue of weaknesses that mean it, beside that of its rows."""

CONFIGURATION = frozenset(("go.mod", "package.json", "composer.json", "pyproject.toml"))
PARAMETER = "the tainted parameter"
"""In a question: parameters of the function that the answer begins in are the sources."""

KEPT = frozenset(
    ("main", "init", "run", "call", "apply", "accept", "get", "set", "test", "close", "toString", "equals", "hashCode",
     "compare", "compareTo", "doGet", "doPost", "doPut", "service", "handle", "ServeHTTP", "String", "Error",
     "next", "hasNext", "iterator", "exports", "require", "self", "this", "app", "request", "response", "args")
)  # fmt: skip
"""Names that something outside may rely on: they are not renamed."""


class Result(NamedTuple):
    """What was found for one row."""

    verdict: str
    reasons: tuple[str, ...]
    twins: int
    flagged: list[str]
    ends: bool = False


def main() -> int:
    """0; the table goes to standard output."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--lang", default="")
    parser.add_argument("--renamed", action="store_true")
    parser.add_argument("--near", type=int, default=0, help="lines that an answer may be off")
    parser.add_argument(
        "--code", action="store_true", help="lines of answers that hold no code move on"
    )
    parser.add_argument("--list", choices=("missed", "flagged"))
    parser.add_argument("--row", default="", help="show the findings of rows whose id ends so")
    options = parser.parse_args()
    lines = (options.bench / "flow_paths.jsonl").read_text().splitlines()
    rows = [row for row in map(json.loads, lines) if options.lang in ("", row["lang"])]
    rows = [row for row in rows if row["id"].endswith(options.row)]
    groups: dict[tuple[str, str], list[tuple[dict[str, Any], Result]]] = {}
    for row in rows:
        clone = find_clone(options.mirror, row["repo"])
        files = export(clone, row)
        report = judged(
            row, files, otherwise=options.renamed, near=options.near, code=options.code,
            show=bool(options.row),
        )  # fmt: skip
        groups.setdefault((row["lang"], row["repo"]), []).append((row, report))
    print(
        "| rows | vulnerable | path | undetermined | missed | end to end | safe twins | flagged |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for (language, repository), found in groups.items():
        print(line(f"{language} {repository}", found))
    if options.list:
        for row, result in (each for found in groups.values() for each in found):
            if options.list == "missed" and row["vulnerable"] and result.verdict != "path":
                print(row["id"], result.verdict, *result.reasons)
            if options.list == "flagged" and result.flagged:
                print(row["id"], *result.flagged)
    return 0


def line(title: str, found: list[tuple[dict[str, Any], Result]]) -> str:
    """A row of the table."""
    vulnerable = [result for row, result in found if row["vulnerable"]]
    counts = collections.Counter(result.verdict for result in vulnerable)
    twins = sum(result.twins for _, result in found)
    flagged = sum(len(result.flagged) for _, result in found)
    total = max(len(vulnerable), 1)
    missed = len(vulnerable) - counts["path"] - counts["undetermined"]
    return (f"| {title} | {len(vulnerable)} | {counts['path']} ({counts['path'] / total:.3f}) | "
            f"{counts['undetermined']} | {missed} | {sum(each.ends for each in vulnerable)} | {twins} | {flagged} ({flagged / max(twins, 1):.3f}) |")  # fmt: skip


# ---------------------------------------------------------------------------- files


def export(clone: Path, row: Mapping[str, Any]) -> dict[str, bytes]:
    """The files that a row is about, by path."""
    commit = row["commit"]
    names = _git(clone, "ls-tree", "-r", "--name-only", "-z", commit).decode().split("\0")[:-1]
    wanted = set(_case(row, names))
    files = dict(_archive(clone, commit, wanted))
    imported = set(_imported(files, names, wanted)) - wanted
    files.update(_archive(clone, commit, imported))
    return files


def _case(row: Mapping[str, Any], names: list[str]) -> Iterator[str]:
    mine = [step["path"] for step in row["path"]]
    if row["kind"] != "synthetic":
        yield from names
        return
    called = row["id"].rpartition("/")[2]
    folders = [path[: path.index(f"/{called}/") + len(called) + 2] for path in mine
               if f"/{called}/" in path]  # fmt: skip
    if folders:
        yield from (name for name in names if name.startswith(folders[0]))
        yield from (name for name in names if Path(name).name in CONFIGURATION
                    and folders[0].startswith(str(Path(name).parent)))  # fmt: skip
        return
    yield from mine
    stems = [Path(path).stem for path in mine]
    start = _common(stems) if len(set(stems)) > 1 else stems[0]
    folder = str(Path(mine[0]).parent)
    for name in names:
        if str(Path(name).parent) == folder and Path(name).stem.startswith(start):
            yield name


def _common(words: list[str]) -> str:
    """What all words begin with."""
    first, last = min(words), max(words)
    end = next((at for at, letter in enumerate(first) if last[at : at + 1] != letter), len(first))
    return first[:end]


def _imported(files: Mapping[str, bytes], names: list[str], wanted: Iterable[str]) -> Iterator[str]:
    """Files of packages that others import by name, where they are few."""
    folders: dict[str, list[str]] = collections.defaultdict(list)
    for name in names:
        folders[str(Path(name).parent)].append(name)
    packages = {package.decode().replace(".", "/") for data in files.values()
                for package in re.findall(rb"^import (?:static )?([\w.]+)\.[\w*]+;", data, re.M)}  # fmt: skip
    near = {str(Path(name).parent) for name in wanted}
    for folder, inside in folders.items():
        named = any(folder.endswith(f"/{package}") for package in packages)
        if named and folder not in near and len(inside) <= MAX_FILES:
            yield from inside


def _archive(clone: Path, commit: str, wanted: set[str]) -> Iterator[tuple[str, bytes]]:
    if not wanted:
        return
    data = _git(clone, "archive", "--format=tar", commit, "--", *sorted(wanted))
    with tarfile.open(fileobj=BytesIO(data)) as archive:
        for member in archive:
            found = archive.extractfile(member) if member.isfile() else None
            if found is not None:
                yield member.name, found.read()


def _git(clone: Path, *words: str) -> bytes:
    command = ("git", "-C", str(clone), *words)
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


# ---------------------------------------------------------------------------- another name for everything


def renamed(files: Mapping[str, bytes]) -> tuple[dict[str, bytes], dict[str, str]]:
    """The files with what they define called otherwise, comments blanked; old path -> new path."""
    units = list(parsed(files))
    words: set[str] = set()
    for unit in units:
        for scope in unit.ir.scope_rows():
            if scope.kind in (ScopeKind.FUNCTION, ScopeKind.CLASS):
                words.add(unit.ir.names[scope.name])
    for path in files:
        parts = [*Path(path).parts[:-1], Path(path).name.split(".")[0]]
        words |= {part for part in parts if len(part) > 5 and re.search(r"[\d_]", part)}
        words.add(parts[-1]) if Path(path).suffix == ".java" else None
    words = {word for word in words if word.isidentifier() and word not in KEPT
             and not word.startswith("__")}  # fmt: skip
    names = {word: f"N{number}x" if word[:1].isupper() else f"n{number}x"
             for number, word in enumerate(sorted(words))}  # fmt: skip
    pattern = re.compile(rb"\b[A-Za-z_]\w*\b")

    def other(found: re.Match[bytes]) -> bytes:
        return names.get(found[0].decode(), found[0].decode()).encode()

    moved = {path: pattern.sub(other, path.encode()).decode() for path in files}
    return {moved[path]: pattern.sub(other, _without_comments(path, data))
            for path, data in files.items()}, moved  # fmt: skip


def _without_comments(path: str, data: bytes) -> bytes:
    spec = next((each for each in LANGUAGES if Path(path).suffix in each.suffixes), None)
    if spec is None:
        return data
    text = bytearray(data)
    for start, end in parse_lazily(data, spec.name, skeleton_limit=1000).facts.comments:
        text[start:end] = re.sub(rb"[^\r\n]", b" ", bytes(text[start:end]))
    return bytes(text)


# ---------------------------------------------------------------------------- answers


def parsed(files: Mapping[str, bytes]) -> Iterator[Unit]:
    """Units of the languages that have a lowering."""
    for path, data in sorted(files.items()):
        for spec in LANGUAGES:
            if spec.lower and Path(path).suffix in spec.suffixes:
                found = parse_lazily(data, spec.name, skeleton_limit=1000)
                ir = found.lower()
                if ir is not None:
                    yield Unit(path.encode(), spec.name, ir, found.facts)
                break


def judged(
    row: Mapping[str, Any],
    files: Mapping[str, bytes],
    *,
    otherwise: bool,
    near: int,
    code: bool,
    show: bool,
) -> Result:
    """What is found for a row."""
    good = list(_good(files)) if row["vulnerable"] and row["kind"] == "synthetic" else []
    texts, moved = renamed(files) if otherwise else (dict(files), {p: p for p in files})
    units = list(parsed(texts))
    known = {unit.path.decode() for unit in units}
    rest = {path: data for path, data in texts.items() if path not in known}
    regions = tuple(_parameters(units, texts, moved, row)) if PARAMETER in row["question"] else ()
    question = FlowQuestion(sources=regions) if regions else None
    graph = resolve(units, rest)
    if row["kind"] != "synthetic":
        graph = with_routes(graph, units, texts)
    report = analyse(units, graph, builtin(), question=question)
    back = {new: old for old, new in moved.items()}
    kinds = set(_kinds(row["cwe"]))
    findings = [(path, _lines(path, texts, back)) for path in report.paths]
    if show:
        for path, lines in findings:
            print(
                path.kind,
                path.verdict.value,
                path.rule,
                [r.cut.value + " " + r.name for r in path.reasons],
            )
            print("   ", *(f"{Path(name).name}:{first}" for name, first, _ in lines))
    if not row["vulnerable"]:
        at = [row["path"][-1]] if row["kind"] != "synthetic" else []
        flagged = [f"{path.kind}:{path.verdict.value}" for path, lines in findings
                   if path.verdict is not Verdict.NO_PATH and (not kinds or path.kind in kinds)
                   and all(_is_in(lines[-1], each) for each in at)]  # fmt: skip
        return Result("", (), 1, flagged[:1])
    gold = [(step["path"], number) for step in row["path"] for number in step["lines"]]
    if code:
        gold = [(path, _with_code(path, files[path], number)) for path, number in gold]
    verdicts = {path.verdict: path for path, lines in findings if _passes(lines, gold, near)}
    flagged = sorted({
        name for path, lines in findings if path.kind in kinds
        for name, where, first, last in good
        if any(where == at and first <= line <= last for at, line, _ in (lines[0], lines[-1]))
    })  # fmt: skip
    ends = [row["path"][0], row["path"][-1]]
    whole = any(path.verdict is Verdict.PATH and path.kind in (kinds or {path.kind})
                and all(any(_is_in(line, each) for line in lines) for each in ends)
                for path, lines in findings)  # fmt: skip
    if Verdict.PATH in verdicts:
        return Result("path", (), len(good), flagged, whole)
    doubt = verdicts.get(Verdict.UNDETERMINED)
    if doubt is not None:
        reasons = tuple(f"{reason.cut.value}:{reason.name}" for reason in doubt.reasons)
        return Result("undetermined", reasons, len(good), flagged, whole)
    return Result("missed", (), len(good), flagged, whole)


def with_routes(graph: Graph, units: Iterable[Unit], texts: Mapping[str, bytes]) -> Graph:
    """The edges, and those from files that say what handles a route."""
    known = {unit.path.decode(): unit for unit in units}
    files = [
        File(
            path=path.encode(),
            language=detect(path.encode(), data[:512]) or "",
            flags=frozenset(),
            read=partial(bytes, data),
            outlined=partial(_outline, known.get(path)),
            unit=known.get(path),
        )
        for path, data in sorted(texts.items())
    ]

    def named(name: str) -> list[tuple[bytes, Definition]]:
        return [(unit.path, row) for unit in known.values() for row in unit.outline.definitions
                if row.name == name]  # fmt: skip

    ground = Ground(files=tuple(files), table=table_of(graph), named=named)
    table = bridged(ground, [BRIDGES.get("openapi")])
    edges = (*graph.edges, *(table.edge(number) for number in range(len(table))))
    return replace(graph, edges=edges)


def _outline(unit: Unit | None) -> Sequence[Definition]:
    return unit.outline.definitions if unit is not None else ()


def _is_in(line: tuple[str, int, int], function: Mapping[str, Any]) -> bool:
    """Whether a step stands in a function of an answer."""
    path, first, last = line
    return bool(path == function["path"] and function["start"] <= first and last <= function["end"])


def _with_code(path: str, data: bytes, number: int) -> int:
    """The first line from `number` on that holds code."""
    lines = _without_comments(path, data).split(b"\n")
    held = (at for at in range(number, len(lines) + 1) if re.search(rb"\w", lines[at - 1]))
    return next(held, number)


def _parameters(
    units: Iterable[Unit],
    texts: Mapping[str, bytes],
    moved: Mapping[str, str],
    row: Mapping[str, Any],
) -> Iterator[Region]:
    """The parameters of the function that the answer begins in."""
    first = row["path"][0]
    path = moved[first["path"]]
    unit = next(unit for unit in units if unit.path.decode() == path)
    for scope in unit.ir.scope_rows():
        line = texts[path].count(b"\n", 0, scope.start) + 1
        if scope.kind == ScopeKind.FUNCTION and first["start"] <= line <= first["end"]:
            rows: list[list[int]] = unit.ir.params[scope.params : scope.params_end].tolist()
            for _, name, _, _, start in rows:
                length = len(unit.ir.names[name].encode())
                yield Region(unit.path, Span(start, start + length))
            return


def _kinds(cwe: str) -> Iterator[str]:
    number = int(re.sub(r"\D", "", cwe) or 0)
    for kind, own in CWE.items():
        if number == own or number in MORE.get(kind, ()):
            yield kind


def _lines(
    path: FlowPath, texts: Mapping[str, bytes], back: Mapping[str, str]
) -> list[tuple[str, int, int]]:
    """(path, first line, last line) of each step, as the original has them."""
    found: list[tuple[str, int, int]] = []
    for step in path.steps:
        name = step.path.decode()
        data = texts[name]
        first = data.count(b"\n", 0, step.span.start) + 1
        found.append((back[name], first, first + data.count(b"\n", step.span.start, step.span.end)))
    return found


def _passes(lines: list[tuple[str, int, int]], gold: list[tuple[str, int]], near: int) -> bool:
    """Whether steps pass the lines of the answer in order, each of them or one `near` it."""
    waiting = iter(lines)
    at = next(waiting, None)
    for path, number in gold:
        while at is not None and not (at[0] == path and at[1] - near <= number <= at[2] + near):
            at = next(waiting, None)
        if at is None:
            return False
    return True


def _good(files: Mapping[str, bytes]) -> Iterator[tuple[str, str, int, int]]:
    """(name, path, first line, last line) of functions that say that they are safe."""
    for unit in parsed(files):
        data = files[unit.path.decode()]
        for scope in unit.ir.scope_rows():
            name = unit.ir.names[scope.name]
            if scope.kind == ScopeKind.FUNCTION and name.startswith("good") and name != "good":
                first, last = (data.count(b"\n", 0, at) + 1 for at in (scope.start, scope.end))
                path = unit.path.decode()
                yield f"{Path(path).name}:{name}", path, first, last


if __name__ == "__main__":
    sys.exit(main())

"""Whether the graph has the calls and imports along the gold paths that cross files.

    python bench/xast.py --bench DIR --mirror DIR [--show]

Rows of `flow_paths.jsonl` in Python, Go and JavaScript whose path has functions of several files. A
call is expected where the text of one function of a path writes the name of the next one (or of an
earlier one, when it returned through it) and its file has no function of that name; an import where such a call leads into another file, and
in Go into another folder. Found is a call by one edge of tier `flowed` or stronger, an import by a
chain of imports, for a package may hand on what it imports.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from grainline.engine import MEMORY, Engine
from grainline.lab.mirror import find_clone
from grainline.model.edge import EdgeType
from grainline.model.relations import GraphOptions, GraphResult
from grainline.snapshots import ReadOptions

LANGUAGES = ("python", "go", "javascript")
CALLING = frozenset({EdgeType.CALLS, EdgeType.INSTANTIATES})
HOPS = 4
"""Most files that a chain of imports goes through."""


class Function(NamedTuple):
    """A function of a path: where it stands, and its own name."""

    path: str
    start: int
    end: int
    name: str


class Wanted(NamedTuple):
    """An edge that a path needs; `call` or `import`."""

    row: str
    kind: str
    src: Function
    dst: Function


@dataclass(slots=True)
class Known:
    """What the graph says of one clone: definitions by path, calls by their ends, imports by files."""

    definitions: dict[str, list[tuple[int, str, int]]] = field(
        default_factory=dict[str, list[tuple[int, str, int]]]
    )
    calls: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    imports: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def main() -> int:
    """0; prints a table, with `--show` what is missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--show", action="store_true", help="print every edge that is missing")
    options = parser.parse_args()
    rows = list(crossing(options.bench / "flow_paths.jsonl"))
    print(
        "| language | rows | rows complete | calls found | imports found | without a written call |"
    )
    print("|---|---|---|---|---|---|")
    missing: list[Wanted] = []
    for language in LANGUAGES:
        mine = [row for row in rows if row["lang"] == language]
        counts: Counter[str] = Counter()
        for repository, commit in sorted({(row["repo"], row["commit"]) for row in mine}):
            here = [row for row in mine if (row["repo"], row["commit"]) == (repository, commit)]
            missing += judge(find_clone(options.mirror, repository), commit, here, counts)
        print(
            f"| {language} | {len(mine)} | {counts['complete']} |"
            f" {counts['call found']} of {counts['call']} |"
            f" {counts['import found']} of {counts['import']} | {counts['unwritten']} |",
            flush=True,
        )
    for each in missing if options.show else ():
        print(f"{each.row}: no {each.kind} {each.src} -> {each.dst}")
    return 0


def crossing(file: Path) -> Iterator[dict[str, Any]]:
    """Rows of our languages whose paths cross files."""
    for line in file.read_text().splitlines():
        row = json.loads(line)
        if row["lang"] in LANGUAGES and len({step["path"] for step in row["path"]}) > 1:
            yield row


def judge(
    clone: Path, commit: str, rows: Iterable[Mapping[str, Any]], counts: Counter[str]
) -> list[Wanted]:
    """Count what the rows of one clone need and what the graph has; what is missing."""
    rows = list(rows)
    tops = sorted({top_of(step["path"]) for row in rows for step in row["path"]})
    engine = Engine.open(MEMORY)
    engine.index(str(clone), refs=(commit,), read=ReadOptions(include=tuple(tops)))
    types = (*CALLING, EdgeType.IMPORTS)
    known = read_graph(engine.graph(options=GraphOptions(types=types)))
    texts = texts_of(engine)
    engine.close()
    missing: list[Wanted] = []
    for row in rows:
        wanted, unwritten = needs(row, texts)
        found = [is_found(each, known) for each in wanted]
        missing += [each for each, there in zip(wanted, found, strict=True) if not there]
        for each, there in zip(wanted, found, strict=True):
            counts.update([each.kind, *([f"{each.kind} found"] if there else [])])
        counts["unwritten"] += len(unwritten)
        missing += unwritten
        counts["complete"] += all(found) and not unwritten
    return missing


def top_of(path: str) -> str:
    """The pattern of what is indexed: all below the topmost folder of a path."""
    top, _, rest = path.partition("/")
    return f"{top}/**" if rest else path


def texts_of(engine: Engine) -> dict[str, list[str]]:
    """Lines of every file."""
    corpus = engine.corpus()
    return {
        corpus.path(entry).decode("utf-8", "replace"): corpus.text(entry)
        .decode("utf-8", "replace")
        .split("\n")
        for entry in range(corpus.n_entries)
    }


def read_graph(graph: GraphResult) -> Known:
    """The parts of a graph that are looked at."""
    known = Known()
    for number, node in enumerate(graph.nodes):
        path = node.path.decode("utf-8", "replace")
        name = node.name.rpartition(".")[2] if node.descriptor else ""
        known.definitions.setdefault(path, []).append((node.line, name, number))
    for link in graph.links:
        if link.type in CALLING:
            known.calls.add((link.src, link.dst))
        else:
            ends = (graph.nodes[link.src].path, graph.nodes[link.dst].path)
            src, dst = (each.decode("utf-8", "replace") for each in ends)
            known.imports[src].add(dst)
    return known


# ------------------------------------------------------------------ what a path needs


def needs(
    row: Mapping[str, Any], texts: Mapping[str, list[str]]
) -> tuple[list[Wanted], list[Wanted]]:
    """The calls and imports along a path, and the steps of it that no text writes as a call."""
    steps = [
        Function(step["path"], step["start"], step["end"], own_name(step["function"]))
        for step in row["path"]
    ]
    wanted: dict[Wanted, None] = {}
    unwritten: list[Wanted] = []
    for at in range(1, len(steps)):
        ends = written(steps, at, texts)
        if ends is None:
            unwritten.append(Wanted(row["id"], "written call", steps[at - 1], steps[at]))
            continue
        if ends[0] == ends[1]:
            continue
        wanted[Wanted(row["id"], "call", *ends)] = None
        if imported(row["lang"], *ends):
            wanted[Wanted(row["id"], "import", *ends)] = None
    return list(wanted), unwritten


def own_name(function: str) -> str:
    """The last part of a name, by which it is called; of what makes an instance that of the class."""
    *above, last = re.split(r"[.#:]", function.rstrip("()"))
    return above[-1] if above and last in ("__init__", "constructor") else last


def written(
    steps: list[Function], at: int, texts: Mapping[str, list[str]]
) -> tuple[Function, Function] | None:
    """Who calls whom between a step and those before it, by the words of their text."""
    for before in range(at - 1, -1, -1):
        for src, dst in ((steps[before], steps[at]), (steps[at], steps[before])):
            if src == dst or calls_by_name(texts.get(src.path, []), src, dst):
                return src, dst
    return None


def calls_by_name(lines: list[str], src: Function, dst: Function) -> bool:
    """Whether a function writes a call of the name of another, which its own file does not define."""
    name = re.escape(dst.name)
    body = "\n".join(lines[src.start : src.end])  # without the line of its own name
    if src.path != dst.path and re.search(
        rf"(?m)^\s*(?:def|func|function)\s+{name}\b", "\n".join(lines)
    ):
        return re.search(rf"[\w\])]\.{name}\s*\(", body) is not None
    return re.search(rf"(?<![\w$]){name}\s*\(", body) is not None


def imported(language: str, src: Function, dst: Function) -> bool:
    """Whether a call needs an import: from another file, in Go from another folder."""
    if language == "go":
        return src.path.rpartition("/")[0] != dst.path.rpartition("/")[0]
    return src.path != dst.path


# ------------------------------------------------------------------ what is there


def is_found(wanted: Wanted, known: Known) -> bool:
    """Whether the graph has an edge."""
    if wanted.kind == "import":
        return reaches(known, wanted.src.path, wanted.dst.path)
    sources, targets = nodes_of(known, wanted.src), nodes_of(known, wanted.dst)
    return any((src, dst) in known.calls for src in sources for dst in targets)


def nodes_of(known: Known, function: Function) -> list[int]:
    """Symbols that stand inside of a function and the one that it is."""
    rows = known.definitions.get(function.path, [])
    inside = [row for row in rows if function.start <= row[0] <= function.end and row[1]]
    return [number for _, name, number in inside if name == function.name] or [
        number for _, _, number in inside
    ]


def reaches(known: Known, src: str, dst: str) -> bool:
    """Whether a chain of imports leads from a file to another, or in Go to one of its folder."""
    go = dst.endswith(".go")
    folder = dst.rpartition("/")[0]
    seen, frontier = {src}, {src}
    for _ in range(HOPS):
        frontier = {far for near in frontier for far in known.imports.get(near, ())} - seen
        seen |= frontier
        if dst in seen or (go and any(each.rpartition("/")[0] == folder for each in frontier)):
            return True
    return False


if __name__ == "__main__":
    raise SystemExit(main())

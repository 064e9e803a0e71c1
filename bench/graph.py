"""How right the symbol graph is, against published ground truth and against other resolvers.

    python bench/graph.py --pycg SNIPPETS --scorer SCORER     micro-benchmark of PyCG
    python bench/graph.py --jedi FOLDER --python PYTHON       agreement with jedi on a repository
    python bench/graph.py --lines FOLDER                      the calls of a folder, one a line
    python bench/graph.py --cost FOLDER                       CPU of parsing, lowering, resolving

SNIPPETS is `micro-benchmark/snippets` of vitsalis/PyCG; SCORER takes `SNIPPETS --tool cmd --cmd
"... {dir}"` and prints what it finds. PYTHON is an interpreter that has jedi.
"""

from __future__ import annotations

import argparse
import gc
import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from grainline.graph.resolve import resolve
from grainline.graph.results import Graph
from grainline.graph.units import Unit
from grainline.languages.base import LANGUAGES
from grainline.model.edge import EdgeType, Symbol, Tier
from grainline.parsing.facts import parse_lazily
from grainline.parsing.tree import Deadline, read_tree

SKELETON = 1000


def main() -> int:
    """Run the chosen measurement."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--pycg", type=Path)
    parser.add_argument("--scorer", type=Path)
    parser.add_argument("--jedi", type=Path)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--lines", type=Path)
    parser.add_argument("--cost", type=Path)
    parser.add_argument("--show", action="store_true", help="print every disagreement")
    given = parser.parse_args()
    if given.lines is not None:
        pairs = sorted(call_pairs(given.lines))
        print(f"# {len(pairs)} calls")
        for caller, callee in pairs:
            print(caller, "->", callee)
    if given.cost is not None:
        print(json.dumps(cost(given.cost), indent=1))
    if given.pycg is not None:
        return score(given.pycg, given.scorer, show=given.show)
    if given.jedi is not None:
        agreement(given.jedi, given.python, show=given.show)
    return 0


# ------------------------------------------------------------------------------ the graph


def sources(folder: Path) -> Iterator[tuple[bytes, bytes]]:
    """Path and text of every Python file."""
    for path in sorted(folder.rglob("*.py")):
        yield path.relative_to(folder).as_posix().encode(), path.read_bytes()


def units(folder: Path) -> list[Unit]:
    """The files of a folder as units."""
    found: list[Unit] = []
    for path, text in sources(folder):
        parsed = parse_lazily(text, "python", skeleton_limit=SKELETON)
        ir = parsed.lower()
        if ir is not None:
            found.append(Unit(path, "python", ir, parsed.facts))
    return found


_PART = re.compile(r"`((?:[^`]|``)+)`|([^#().`/]+)")


def dotted(symbol: Symbol) -> str:
    """`module.Class.method` of a symbol."""
    module = symbol.path.decode().removesuffix(".py").replace("/", ".")
    module = "" if module == "__init__" else module.removesuffix(".__init__")
    descriptor = re.sub(r"\(\+\d+\)", "()", symbol.descriptor)
    names = [first or second for first, second in _PART.findall(descriptor)]
    return ".".join([module, *names] if module else names)


def call_pairs(folder: Path) -> set[tuple[str, str]]:
    """Caller and callee of every call."""
    return {
        (dotted(edge.src), dotted(edge.dst))
        for edge in resolve(units(folder)).edges
        if edge.type is EdgeType.CALLS
    }


def cost(folder: Path) -> dict[str, float]:
    """CPU seconds of each step, the best of three rounds; without garbage collector, as in workers."""
    gc.disable()
    texts = list(sources(folder))
    spec = LANGUAGES.get("python")
    rounds: list[dict[str, float]] = []
    for _ in range(3):
        times = [time.process_time()]
        trees = [read_tree(text, spec.language(), Deadline(60)) for _, text in texts]
        times.append(time.process_time())
        parsed = [parse_lazily(text, "python", skeleton_limit=SKELETON) for _, text in texts]
        times.append(time.process_time())
        irs = [each.lower() for each in parsed]
        times.append(time.process_time())
        given = [
            Unit(path, "python", ir, each.facts)
            for (path, _), each, ir in zip(texts, parsed, irs, strict=True)
            if ir is not None
        ]
        graph = resolve(given)
        times.append(time.process_time())
        names = ("parse", "facts", "lower", "resolve")
        rounds.append({name: b - a for name, a, b in zip(names, times, times[1:], strict=False)})
        rounds[-1] |= {"edges": len(graph.edges), "cuts": graph.cuts, "files": len(trees)}
    best = {name: round(min(each[name] for each in rounds), 4) for name in rounds[0]}
    return {"bytes": sum(len(text) for _, text in texts), **best}


# ------------------------------------------------------------------------------ PyCG


def score(snippets: Path, scorer: Path, *, show: bool) -> int:
    """Let the scorer ask for every case."""
    command = f"{sys.executable} {Path(__file__).resolve()} --lines {{dir}}"
    arguments = [str(snippets), "--tool", "cmd", "--cmd", command]
    if show:
        arguments.append("--show")
    return subprocess.run([sys.executable, str(scorer), *arguments], check=False).returncode


# ------------------------------------------------------------------------------ jedi

_JEDI = """
import ast, json, os, sys, jedi
root = sys.argv[1]
project = jedi.Project(root)
out = []
for folder, _, files in os.walk(root):
    for name in sorted(files):
        if not name.endswith(".py"): continue
        path = os.path.join(folder, name)
        text = open(path, encoding="utf-8").read()
        lines = text.split("\\n")
        script = jedi.Script(text, path=path, project=project)
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call): continue
            f = node.func
            if isinstance(f, ast.Name): at = (f.lineno, f.col_offset)
            elif isinstance(f, ast.Attribute): at = (f.end_lineno, f.end_col_offset - len(f.attr))
            else: continue
            column = len(lines[at[0] - 1].encode()[: at[1]].decode())
            try: found = script.infer(at[0], column)
            except Exception: continue
            for d in found:
                if d.type not in ("function", "class") or d.module_path is None: continue
                target = os.path.relpath(str(d.module_path), root)
                if target.startswith(".."): continue
                a = d.get_definition_start_position()
                out.append([os.path.relpath(path, root), *at, target, d.line])
json.dump(out, sys.stdout)
"""


def agreement(folder: Path, python: Path, *, show: bool) -> None:
    """Calls that both resolve to a symbol of the folder, by site and target line."""
    shown = subprocess.run(
        [str(python), "-c", _JEDI, str(folder)], check=True, capture_output=True, text=True
    ).stdout
    texts = dict(sources(folder))
    theirs: set[tuple[bytes, int, bytes, int]] = set()
    for path, line, column, target, target_line in json.loads(shown):
        if target_line is None:
            continue
        theirs.add(
            (
                path.encode(),
                _offset(texts[path.encode()], line, column),
                target.encode(),
                target_line,
            )
        )
    given = units(folder)
    graph = resolve(given)
    lines = _definition_lines(given, texts)
    ours = _sites(graph, lines, texts)
    asked = {(path, at) for path, at, _, _ in theirs}
    resolved = {row for row, tier in ours.items() if tier is Tier.RESOLVED}
    known = {row for row in resolved if row[:2] in asked}
    shared = {row[:2] for row in known & theirs}
    rows = {
        "jedi internal edges": len(theirs),
        "resolved edges at its sites": len(known),
        "of these agree": len(known & theirs) / max(1, len(known)),
        "of these at a site without an edge that agrees": sum(
            row[:2] not in shared for row in known
        ),
        "resolved edges at other sites": len(resolved) - len(known),
        "covered by resolved": len(resolved & theirs) / max(1, len(theirs)),
        "covered by resolved and flowed": len(set(ours) & theirs) / max(1, len(theirs)),
    }
    print(json.dumps(rows, indent=1))
    print(Counter(each.why.value for each in graph.unresolved))
    if show:
        for word, found in (
            ("missing", theirs - set(ours)),
            ("only flowed", (theirs & set(ours)) - resolved),
            ("differ", known - theirs),
            ("only ours", resolved - known),
        ):
            for path, at, target, line in sorted(found):
                text = texts[path]
                here = text.count(b"\n", 0, at) + 1
                print(
                    word,
                    path.decode(),
                    here,
                    text.split(b"\n")[here - 1].strip().decode()[:70],
                    "->",
                    target.decode(),
                    line,
                )


def _offset(text: bytes, line: int, column: int) -> int:
    return sum(len(each) + 1 for each in text.split(b"\n")[: line - 1]) + column


def _definition_lines(given: list[Unit], texts: dict[bytes, bytes]) -> dict[Symbol, int]:
    """The line of the name of every symbol."""
    return {
        Symbol(unit.path, found.descriptor): texts[unit.path].count(b"\n", 0, found.name_start) + 1
        for unit in given
        for found in unit.outline.definitions
    }


_NAME = re.compile(rb"[\w\x80-\xff]+")


def _sites(
    graph: Graph, lines: dict[Symbol, int], texts: dict[bytes, bytes]
) -> dict[tuple[bytes, int, bytes, int], Tier]:
    """Site and target of every edge that a written call makes; a class stands for its `__init__`."""
    found: dict[tuple[bytes, int, bytes, int], Tier] = {}
    instantiated = {
        (edge.src.path, edge.site) for edge in graph.edges if edge.type is EdgeType.INSTANTIATES
    }
    for edge in graph.edges:
        made = edge.type is EdgeType.INSTANTIATES
        called = edge.type is EdgeType.CALLS
        constructor = (edge.src.path, edge.site) in instantiated and edge.dst.descriptor.endswith(
            ("__init__().", "__new__().")
        )
        name = _NAME.fullmatch(texts[edge.src.path], edge.site.start, edge.site.end)
        if name and (made or (called and not constructor)) and edge.dst in lines:
            row = (edge.src.path, edge.site.start, edge.dst.path, lines[edge.dst])
            found[row] = min(edge.tier, found.get(row, Tier.AMBIGUOUS))
    return found


if __name__ == "__main__":
    sys.exit(main())

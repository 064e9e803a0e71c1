"""Agreement of the graph with TypeScript's own checker, on a folder of JavaScript or TypeScript.

    python bench/graph_typescript.py FOLDER --node-modules DIR [--show]
    python bench/graph_typescript.py FOLDER --cost

DIR holds `typescript` (npm). Compared are the calls that are written, by the place of the name
that is called and the place of the name of the target; a class stands for its constructor.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grainline.graph.resolve import resolve
from grainline.graph.results import Graph
from grainline.graph.rules.base import rules_of
from grainline.graph.units import Unit
from grainline.languages.base import LANGUAGES
from grainline.model.edge import EdgeType, Symbol, Tier
from grainline.parsing.facts import parse_lazily
from grainline.parsing.tree import Deadline, read_tree

FAMILY = ("javascript", "typescript", "tsx")
SKELETON = 1000


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="TypeScript's checker")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--node-modules", type=Path)
    parser.add_argument("--cost", action="store_true", help="CPU of each step instead")
    parser.add_argument("--show", action="store_true", help="print every disagreement")
    given = parser.parse_args()
    if given.cost:
        print(json.dumps(cost(given.folder), indent=1))
    elif given.node_modules is None:
        parser.error("--node-modules: where npm put typescript")
    else:
        compare(given.folder, given.node_modules, show=given.show)
    return 0


def cost(folder: Path) -> dict[str, float]:
    """CPU seconds of each step, the best of three rounds, without garbage collector."""
    gc.disable()
    texts = list(sources(folder, FAMILY))
    files = shaping(folder, FAMILY[0])
    rounds: list[dict[str, float]] = []
    for _ in range(3):
        times = [time.process_time()]
        for _, language, text in texts:
            read_tree(text, LANGUAGES.get(language).language(), Deadline(60))
        times.append(time.process_time())
        parsed = [parse_lazily(text, language, skeleton_limit=SKELETON) for _, language, text in texts]  # fmt: skip
        times.append(time.process_time())
        irs = [each.lower() for each in parsed]
        times.append(time.process_time())
        given = [
            Unit(path, language, ir, each.facts)
            for (path, language, _), each, ir in zip(texts, parsed, irs, strict=True)
            if ir is not None
        ]
        graph = resolve(given, files)
        times.append(time.process_time())
        names = ("parse", "facts", "lower", "resolve")
        rounds.append({name: b - a for name, a, b in zip(names, times, times[1:], strict=False)})
        rounds[-1] |= {"edges": len(graph.edges), "cuts": graph.cuts, "files": len(texts)}
    best = {name: round(min(each[name] for each in rounds), 4) for name in rounds[0]}
    share = (best["lower"] + best["resolve"]) / best["parse"]
    return {"bytes": sum(len(text) for *_, text in texts), **best, "over parse": round(share, 2)}


def sources(folder: Path, languages: tuple[str, ...]) -> Iterator[tuple[bytes, str, bytes]]:
    """Path, language and text of every file of some languages."""
    suffixes = {suffix: spec.name for spec in LANGUAGES if spec.name in languages for suffix in spec.suffixes}  # fmt: skip
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.suffix in suffixes and path.is_file() and "node_modules" not in inside.parts:
            yield inside.as_posix().encode(), suffixes[path.suffix], path.read_bytes()


def shaping(folder: Path, language: str) -> dict[str, bytes]:
    """The files that shape module resolution."""
    rules = rules_of(language)
    names = rules.shaping if rules is not None else ()
    found = [path for name in names for path in folder.rglob(name)]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in found
        if "node_modules" not in path.relative_to(folder).parts
    }


def units(folder: Path, languages: tuple[str, ...]) -> list[Unit]:
    """The files of a folder as units."""
    found: list[Unit] = []
    for path, language, text in sources(folder, languages):
        parsed = parse_lazily(text, language, skeleton_limit=SKELETON)
        ir = parsed.lower()
        if ir is not None:
            found.append(Unit(path, language, ir, parsed.facts))
    return found


Place = tuple[str, int]


def compare(folder: Path, node_modules: Path, *, show: bool) -> None:
    """Print how far both agree."""
    script = Path(__file__).with_suffix(".js")
    environment = {**os.environ, "NODE_PATH": str(node_modules)}
    command = ["node", "--max-old-space-size=3000", str(script), str(folder)]
    shown = subprocess.run(command, check=True, capture_output=True, env=environment).stdout
    rows: list[dict[str, Any]] = json.loads(shown)
    theirs = {(row["path"], row["at"]): row for row in rows}
    given = units(folder, FAMILY)
    graph = resolve(given, shaping(folder, FAMILY[0]))
    ours = _sites(given, graph, {(row["path"], row["at"]): row["end"] for row in rows})
    counts: Counter[str] = Counter()
    for (site, target), tier in sorted(ours.items()):
        row = theirs.get(site)
        word = _judged(row, target)
        counts[f"{tier.name.lower()}: {word}"] += 1
        if show and word == "differs":
            print(tier.name.lower(), word, _text(folder, site), "->", *target, row and row["word"], row and row["targets"])  # fmt: skip
    asked = [row for row in rows if row["word"] == "internal"]
    found = {Tier.RESOLVED: 0, Tier.FLOWED: 0}
    sites: dict[Place, list[tuple[Place, Tier]]] = {}
    for (site, target), tier in ours.items():
        sites.setdefault(site, []).append((target, tier))
    for row in asked:
        wanted = {tuple(target) for target in row["targets"]}
        tiers = [t for target, t in sites.get((row["path"], row["at"]), []) if target in wanted]
        for tier in found:
            found[tier] += any(each <= tier for each in tiers)
        if show and not tiers:
            print("missing", _text(folder, (row["path"], row["at"])), row["targets"])
    result = {
        "calls": len(rows),
        "internal": len(asked),
        "edges": dict(sorted(counts.items())),
        "resolved agrees": _share(counts, "resolved"),
        "flowed agrees": _share(counts, "flowed"),
        "covered by resolved": round(found[Tier.RESOLVED] / max(1, len(asked)), 4),
        "covered by resolved and flowed": round(found[Tier.FLOWED] / max(1, len(asked)), 4),
        "cuts": graph.cuts,
        "unresolved": dict(Counter(each.why.value for each in graph.unresolved)),
    }
    print(json.dumps(result, indent=1))


def _share(counts: Counter[str], tier: str) -> float:
    agrees, differs = counts[f"{tier}: agrees"], counts[f"{tier}: differs"]
    return round(agrees / max(1, agrees + differs), 4)


def _judged(row: dict[str, Any] | None, target: Place) -> str:
    """What the checker says of an edge."""
    if row is None:
        return "no call"
    if list(target) in row["targets"]:
        return "agrees"
    if list(target) in row["callbacks"]:
        return "callback"
    return "unknown" if row["word"] == "unknown" else "differs"


def _text(folder: Path, site: Place) -> str:
    text = (folder / site[0]).read_bytes()
    line = text.count(b"\n", 0, site[1])
    return f"{site[0]}:{line + 1} `{text.split(bytes([10]))[line].strip().decode()[:80]}`"


def _sites(
    given: list[Unit], graph: Graph, ends: dict[Place, int]
) -> dict[tuple[Place, Place], Tier]:
    """Site and target of every edge that a written call makes."""
    starts = _starts(given)
    made = {
        (edge.src.path, edge.site) for edge in graph.edges if edge.type is EdgeType.INSTANTIATES
    }
    found: dict[tuple[Place, Place], Tier] = {}
    for edge in graph.edges:
        instantiates = edge.type is EdgeType.INSTANTIATES
        if edge.type is not EdgeType.CALLS and not instantiates:
            continue
        if not instantiates and (edge.src.path, edge.site) in made and edge.dst.descriptor.endswith("constructor`()."):  # fmt: skip
            continue
        if edge.dst.descriptor.endswith("#`constructor`().") or edge.dst.descriptor.endswith("#constructor()."):  # fmt: skip
            continue
        target = starts.get(edge.dst)
        if target is not None:
            if ends.get((edge.src.path.decode(), edge.site.start), edge.site.end) != edge.site.end:
                continue  # `f()()`: what is called is no name
            key = ((edge.src.path.decode(), edge.site.start), target)
            found[key] = min(edge.tier, found.get(key, Tier.AMBIGUOUS))
    return found


def _starts(given: list[Unit]) -> dict[Symbol, Place]:
    """Where the name of every symbol stands; a function without one: where it starts."""
    return {
        symbol: (symbol.path.decode(), scope.name_start)
        for unit in given
        for symbol, scope in zip(unit.symbols, unit.ir.scope_rows(), strict=True)
    }


if __name__ == "__main__":
    sys.exit(main())

"""How right the symbol graph of Java is, against what javac says of the same files.

    python bench/graph_java.py FOLDER [--classpath JARS] [--only PART] [--show]

FOLDER holds sources of Java; all of them are resolved together, and compiled together. Needs a
JDK (`default-jdk-headless`). What does not compile (a library that is not there) is not scored.
Scored are calls, instances and references to methods whose target is one of the files: by site,
file and name of the target. Edges of `flowed` name what runs where javac names what is declared, so
they are printed (`--flowed`) for a reader instead. `--only`: paths that contain PART are scored, all are resolved.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from bisect import bisect_right
from collections import Counter, defaultdict
from pathlib import Path

from grainline.graph.resolve import resolve
from grainline.graph.results import Graph
from grainline.graph.units import Unit
from grainline.languages.base import LANGUAGES
from grainline.model.edge import EdgeType, Method, Tier
from grainline.parsing.facts import parse_lazily
from grainline.parsing.tree import Deadline, read_tree

HERE = Path(__file__).resolve().parent
EXPORTS = [
    word
    for package in ("tree", "code", "util")
    for word in ("--add-exports", f"jdk.compiler/com.sun.tools.javac.{package}=ALL-UNNAMED")
]
Site = tuple[str, int]
Target = tuple[str, int]


def main() -> int:
    """Print precision and coverage by tier."""
    parser = argparse.ArgumentParser(description="symbol graph of Java against javac")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--classpath", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--flowed", action="store_true", help="print the edges of that tier")
    parser.add_argument("--show", action="store_true", help="print every disagreement")
    given = parser.parse_args()
    folder: Path = given.folder.resolve()
    paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.java"))
    paths = [path for path in paths if not path.endswith(("module-info.java", "package-info.java"))]
    texts = {path: (folder / path).read_bytes() for path in paths}
    units: list[Unit] = []
    began = time.process_time()
    spec = LANGUAGES.get("java")
    for text in texts.values():
        read_tree(text, spec.language(), Deadline(60))
    read = time.process_time()
    for path in paths:
        parsed = parse_lazily(texts[path], "java", skeleton_limit=1000)
        ir = parsed.lower()
        if ir is not None:
            units.append(Unit(path.encode(), "java", ir, parsed.facts))
    lowered = time.process_time()
    graph = resolve(units)
    resolved = time.process_time()
    if given.flowed:
        print_flowed(graph, texts)
        return 0
    definitions = {
        unit.path.decode(): sorted(
            (each.name_start, each.descriptor) for each in unit.outline.definitions
        )
        for unit in units
    }
    truth, known = javac(folder, paths, given.classpath, texts, definitions)
    names = {path: {d: at for at, d in rows} for path, rows in definitions.items()}
    ours: dict[Site, dict[Target, Tier]] = defaultdict(dict)
    for edge in graph.edges:
        if edge.type in WANTED and edge.dst.path.decode() in names:
            at = names[edge.dst.path.decode()].get(edge.dst.descriptor)
            if (
                at is not None
                and edge.tier is not Tier.FLOWED
                and edge.methods != (Method.PROTOCOL,)
            ):
                site = (edge.src.path.decode(), edge.site.start)
                ours[site][edge.dst.path.decode(), at] = edge.tier
    score(truth, known, ours, texts, given.only, show=given.show)
    print(
        json.dumps(
            {
                "files": len(units),
                "bytes": sum(map(len, texts.values())),
                "parsing": round(read - began, 2),
                "facts and lowering": round(lowered - read, 2),
                "resolution": round(resolved - lowered, 2),
                "edges": len(graph.edges),
                "calls without target": Counter(each.why.value for each in graph.unresolved),
            }
        )
    )
    return 0


WANTED = frozenset({EdgeType.CALLS, EdgeType.INSTANTIATES, EdgeType.REFERENCES})


def print_flowed(graph: Graph, texts: dict[str, bytes]) -> None:
    """Site and target of every edge of `flowed`."""
    for edge in graph.edges:
        if edge.tier is Tier.FLOWED:
            path = edge.src.path.decode()
            line = texts[path].count(b"\n", 0, edge.site.start) + 1
            code = texts[path].split(b"\n")[line - 1].strip().decode("utf-8", "replace")
            print(f"{path}:{line}", code[:80], "->", edge.dst.path.decode(), edge.dst.descriptor)


def javac(
    folder: Path,
    paths: list[str],
    classpath: str,
    texts: dict[str, bytes],
    definitions: dict[str, list[tuple[int, str]]],
) -> tuple[dict[Site, Target], set[Site]]:
    """Site -> target, of targets in the files; and every site that javac understands."""
    with tempfile.TemporaryDirectory() as classes:
        subprocess.run(
            ["javac", *EXPORTS, "-nowarn", "-d", classes, str(HERE / "javac" / "Calls.java")],
            check=True,
            capture_output=True,
        )
        options = ["-proc:none", "-nowarn", "-Xmaxerrs", "100000"]
        if classpath:
            options += ["-cp", classpath]
        shown = subprocess.run(
            ["java", "-Xss64m", *EXPORTS, "-cp", classes, "Calls", *options, "--", *paths],
            check=True,
            capture_output=True,
            cwd=folder,
        ).stdout.decode()
    starts = {path: _byte_offsets(text) for path, text in texts.items()}
    found: dict[Site, Target] = {}
    known: set[Site] = set()
    for line in shown.splitlines():
        what, path, at, target, there, _ = line.split("\t")
        site = (path, _bytes(starts[path], int(at)))
        known.add(site)
        if not target:
            continue
        place = _bytes(starts[target], int(there))
        if what.endswith("-of-class"):
            # the first name behind the keyword of the class
            rows = [at for at, _ in definitions[target] if at > place]
            if not rows or what.startswith("call"):
                continue
            place = rows[0]
        found[site] = (target, place)
    return found, known


def _byte_offsets(text: bytes) -> list[tuple[int, int]]:
    """(character, byte) behind every character that is more than one unit or byte."""
    found = [(0, 0)]
    if text.isascii():
        return found
    units = at = 0
    for letter in text.decode("utf-8", "surrogateescape"):
        size = len(letter.encode("utf-8", "surrogateescape"))
        wide = 2 if ord(letter) > 0xFFFF else 1
        units, at = units + wide, at + size
        if size > 1:
            found.append((units, at))
    return found


def _bytes(offsets: list[tuple[int, int]], at: int) -> int:
    before = offsets[bisect_right(offsets, (at, 1 << 60)) - 1]
    return before[1] + at - before[0]


def score(
    truth: dict[Site, Target],
    known: set[Site],
    ours: dict[Site, dict[Target, Tier]],
    texts: dict[str, bytes],
    only: str,
    *,
    show: bool,
) -> None:
    """Precision by tier over the sites that javac understands; coverage of its internal calls."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    covered: Counter[str] = Counter()
    for site, targets in sorted(ours.items()):
        if site not in known or only not in site[0]:
            continue
        # a site of `new A()` has the class and the constructor: the constructor counts
        wanted = truth.get(site)
        right = wanted is not None and wanted in targets
        for target, tier in targets.items():
            name = tier.name.lower()
            if target == wanted:
                counts[name]["right"] += 1
            elif not right:
                counts[name]["wrong"] += 1
                if show:
                    told(name, site, target, wanted, texts)
            elif tier is not Tier.RESOLVED or (wanted and targets[wanted] is not Tier.RESOLVED):
                counts[name]["beside"] += 1
                if show and tier is Tier.AMBIGUOUS:
                    told("beside", site, target, wanted, texts)
    wanted_sites = [site for site in truth if only in site[0]]
    for site in wanted_sites:
        reached = ours.get(site, {}).get(truth[site])
        covered["missing" if reached is None else reached.name.lower()] += 1
        if show and reached is None:
            told("missing", site, None, truth[site], texts)
    rows = {
        name: {**each, "precision": round(each["right"] / max(1, each["right"] + each["wrong"]), 4)}
        for name, each in counts.items()
    }
    print(json.dumps(rows, indent=1))
    whole = max(1, len(wanted_sites))
    print(json.dumps({name: round(each / whole, 4) for name, each in covered.items()}), whole)


def told(
    word: str, site: Site, found: Target | None, wanted: Target | None, texts: dict[str, bytes]
) -> None:
    """Print one disagreement."""

    def place(target: Target | None) -> str:
        if target is None:
            return "-"
        row = texts[target[0]].count(b"\n", 0, target[1]) + 1
        return f"{target[0].rpartition('/')[2]}:{row}"

    text = texts[site[0]]
    line = text.count(b"\n", 0, site[1]) + 1
    code = text.split(b"\n")[line - 1].strip().decode("utf-8", "replace")[:90]
    print(word, f"{site[0]}:{line}", "|", code, "|", place(found), "javac:", place(wanted))


if __name__ == "__main__":
    sys.exit(main())

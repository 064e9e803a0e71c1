"""How right the graph of a Go module is, against the type checker of Go.

    python bench/graph_go.py FOLDER [--go GO] [--show KIND]
    python bench/graph_go.py FOLDER --cost

Every call of the module that Go's own checker sees (`go_calls/main.go`: standard library of Go
alone, packages outside of the module missing) is compared with the edges of that call. A call that
the checker refers to something that the module defines is *right* when its edges are that one,
*among* when that one is one of several, *wrong* when it has others only, else *missing*. An edge of
a call that refers to something else (a package outside, a conversion) is *invented*. Calls of values
have no declared target; their edges are counted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

from grainline.graph.resolve import resolve
from grainline.graph.units import Unit
from grainline.languages.base import LANGUAGES
from grainline.model.edge import EdgeType, Tier
from grainline.parsing.facts import parse_lazily
from grainline.parsing.tree import Deadline, read_tree

SKELETON = 1000
HELPER = Path(__file__).parent / "go_calls" / "main.go"
Place = tuple[str, int]
"""Path, byte of a name."""


class Reference(NamedTuple):
    """What a call refers to: a word of the helper, and the definition."""

    kind: str
    target: Place | None


def main() -> int:
    """Print the comparison of one folder."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--go", default="go")
    parser.add_argument("--show", default="", help="print the calls that are right, wrong, ...")
    parser.add_argument("--cost", action="store_true")
    given = parser.parse_args()
    if given.cost:
        print(json.dumps(cost(given.folder), indent=1))
        return 0
    for tests in (False, True):
        rows = compare(given.folder, given.go, tests=tests, show=given.show)
        print("with tests" if tests else "without tests")
        for tier, counts in rows.items():
            print(f"  {tier:9}", dict(sorted(counts.items())))
            right, wrong = counts["right"] + counts["among"], counts["wrong"] + counts["invented"]
            total = sum(counts[word] for word in ("right", "among", "wrong", "missing"))
            if right + wrong and total:
                precision = right / (right + wrong)
                print(
                    f"  {'':9} precision {precision:.4f}, coverage {right / total:.4f} of {total}"
                )
    return 0


def units(folder: Path) -> tuple[list[Unit], dict[str, bytes]]:
    """The files of a folder, and its `go.mod` files."""
    found: list[Unit] = []
    for path in sorted(folder.rglob("*.go")):
        parsed = parse_lazily(path.read_bytes(), "go", skeleton_limit=SKELETON)
        ir = parsed.lower()
        if ir is not None:
            name = path.relative_to(folder).as_posix().encode()
            found.append(Unit(name, "go", ir, parsed.facts))
    files = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("go.mod")}
    return found, files


def references(folder: Path, go: str) -> dict[Place, Reference]:
    """What the checker says of every call."""
    shown = subprocess.run(
        [go, "run", str(HELPER), str(folder)],
        capture_output=True, text=True, check=True, env=_environment(),
    ).stdout  # fmt: skip
    found: dict[Place, Reference] = {}
    for line in shown.splitlines():
        path, start, kind, target = line.split("\t")
        place, _, at = target.rpartition(":")
        found[path, int(start)] = Reference(kind, (place, int(at)) if place else None)
    return found


def _environment() -> dict[str, str]:

    return {**os.environ, "GO111MODULE": "off", "GOFLAGS": ""}


def edges(folder: Path) -> dict[Place, dict[Place, Tier]]:
    """For every call its targets."""
    given, files = units(folder)
    names = {
        (unit.path, definition.descriptor): definition.name_start
        for unit in given
        for definition in unit.outline.definitions
    }
    found: dict[Place, dict[Place, Tier]] = defaultdict(dict)
    for edge in resolve(given, files).edges:
        if edge.type is EdgeType.CALLS:
            start = names.get((edge.dst.path, edge.dst.descriptor), -1)
            place = (edge.src.path.decode(), edge.site.start)
            found[place][edge.dst.path.decode(), start] = edge.tier
    return found


def compare(folder: Path, go: str, *, tests: bool, show: str) -> dict[str, Counter[str]]:
    """Counts by tier; `any` is both together."""
    known = references(folder, go)
    found = edges(folder)
    rows: dict[str, Counter[str]] = {}
    for tier in ("resolved", "any"):
        counts = rows[tier] = Counter()
        for place, reference in known.items():
            if tests or not place[0].endswith("_test.go"):
                targets = {
                    target
                    for target, its in found.get(place, {}).items()
                    if tier == "any" or its is Tier.RESOLVED
                }
                word = judge(reference, targets)
                counts[word] += 1
                if word == show and tier == "any":
                    print(word, place, line_of(folder, place), reference, sorted(targets))
    return rows


def judge(reference: Reference, targets: set[Place]) -> str:
    """A word for one call; "" when there is nothing to say."""
    if reference.kind in ("static", "interface"):
        if not targets:
            return "missing"
        if reference.target not in targets:
            return "wrong"
        return "right" if len(targets) == 1 else "among"
    if reference.kind == "value":
        return "value with targets" if targets else "value"
    if reference.kind == "unknown":
        return "unknown with targets" if targets else "unknown"
    return "invented" if targets else "outside"


def line_of(folder: Path, place: Place) -> str:
    """Number and text of the line."""
    text = (folder / place[0]).read_bytes()
    number = text.count(b"\n", 0, place[1])
    return f"{number + 1}: {text.splitlines()[number].decode(errors='replace').strip()}"


def cost(folder: Path) -> dict[str, float]:
    """CPU seconds of each step, the best of three rounds."""
    spec = LANGUAGES.get("go")
    texts = [path.read_bytes() for path in sorted(folder.rglob("*.go"))]
    rounds: list[dict[str, float]] = []
    for _ in range(3):
        times = [time.process_time()]
        for text in texts:
            read_tree(text, spec.language(), Deadline(60))
        times.append(time.process_time())
        parsed = [parse_lazily(text, "go", skeleton_limit=SKELETON) for text in texts]
        times.append(time.process_time())
        for each in parsed:
            each.lower()
        times.append(time.process_time())
        given, files = units(folder)
        times.append(time.process_time())
        resolve(given, files)
        times.append(time.process_time())
        names = ("parse", "facts", "lower", "again", "resolve")
        rounds.append({name: b - a for name, a, b in zip(names, times, times[1:], strict=False)})
    best = {name: round(min(each[name] for each in rounds), 3) for name in rounds[0]}
    del best["again"]
    return {"files": len(texts), "bytes": sum(map(len, texts)), **best}


if __name__ == "__main__":
    sys.exit(main())

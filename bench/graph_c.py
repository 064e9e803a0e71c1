"""How right the graph of a folder of C is, against what libclang says of every call.

    python bench/graph_c.py FOLDER --python PYTHON [--resources DIR] [--show WORD]

PYTHON is an interpreter that has `clang.cindex`; DIR is the resource folder of clang (its own
headers). Every folder with a header is an include root. Calls inside of macros are left out. A call
is *right* when its edges are the definition that clang's declaration has in the folder (or the
declaration, when nothing defines it), *declaration* when it is a declaration of it that has a
definition, *among* when that is one of several, *wrong* when it has others only, else *missing*; an edge of a call of something outside is *invented*.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

from grainline.graph.resolve import resolve
from grainline.graph.units import Unit
from grainline.model.edge import EdgeType, Tier
from grainline.parsing.facts import parse_lazily

Place = tuple[str, int]
"""Path, byte of a name."""


class Reference(NamedTuple):
    """A word for a call, the definitions (or declaration) it may mean, the declaration it means."""

    kind: str
    wanted: set[Place]
    declared: set[Place]


_CLANG = """
import json, os, sys
from clang.cindex import Index, CursorKind, Config
root = os.path.realpath(sys.argv[1])
folders = sorted({at for at, _, files in os.walk(root) for f in files if f.endswith('.h')})
options = ['-I' + each for each in folders]
if sys.argv[2]: options += ['-resource-dir', sys.argv[2]]
index = Index.create()
def place(location):
    if location.file is None: return None
    path = os.path.realpath(location.file.name)
    return [os.path.relpath(path, root), location.offset] if path.startswith(root + os.sep) else None
calls, defined = {}, {}
for at, _, files in sorted(os.walk(root)):
    for name in sorted(files):
        if not name.endswith('.c'): continue
        unit = index.parse(os.path.join(at, name), args=options)
        stack = [unit.cursor]
        while stack:
            cursor = stack.pop()
            stack += cursor.get_children()
            if cursor.kind == CursorKind.FUNCTION_DECL and cursor.is_definition():
                where = place(cursor.location)
                if where: defined.setdefault(cursor.get_usr(), set()).add(tuple(where))
            if cursor.kind != CursorKind.CALL_EXPR: continue
            inside = next(iter(cursor.get_children()), None)
            while inside is not None and inside.kind == CursorKind.UNEXPOSED_EXPR:
                inside = next(iter(inside.get_children()), None)
            if inside is None: continue
            where = place(inside.location)
            target = cursor.referenced
            if where is None: continue
            text = open(os.path.join(root, where[0]), 'rb').read()
            if not text.startswith(inside.spelling.encode(), where[1]): continue
            if target is None or target.kind != CursorKind.FUNCTION_DECL:
                calls[tuple(where)] = ['value', '', None]
            else:
                calls[tuple(where)] = ['static', target.get_usr(), place(target.location)]
print(json.dumps([[list(k), *v] for k, v in calls.items()]))
print(json.dumps({k: sorted(v) for k, v in defined.items()}))
"""


def main() -> int:
    """Print the comparison of one folder."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--resources", default="")
    parser.add_argument("--show", default="")
    given = parser.parse_args()
    known = references(given.folder, given.python, given.resources)
    found = edges(given.folder)
    for tier in ("resolved", "any"):
        counts: Counter[str] = Counter()
        for place, reference in known.items():
            targets = {
                target
                for target, its in found.get(place, {}).items()
                if tier == "any" or its is Tier.RESOLVED
            }
            word = judge(reference, targets)
            counts[word] += 1
            if word == given.show and tier == "any":
                print(word, place, line_of(given.folder, place), reference, sorted(targets))
        right = counts["right"] + counts["among"] + counts["declaration"]
        wrong = counts["wrong"] + counts["invented"]
        total = right + counts["wrong"] + counts["missing"]
        print(tier, dict(sorted(counts.items())))
        print(f"  precision {right / (right + wrong):.4f}, coverage {right / total:.4f} of {total}")
    return 0


def references(folder: Path, python: str, resources: str) -> dict[Place, Reference]:
    """What clang says of every call."""
    shown = subprocess.run(
        [python, "-c", _CLANG, str(folder), resources], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    calls, defined = (json.loads(line) for line in shown)
    found: dict[Place, Reference] = {}
    for (path, start), kind, symbol, declared in calls:
        wanted = {(each[0], each[1]) for each in defined.get(symbol, ())}
        own = {(declared[0], declared[1])} if declared is not None else set[Place]()
        kind = "outside" if kind == "static" and not (wanted or own) else kind
        found[path, start] = Reference(kind, wanted or own, own)
    return found


def edges(folder: Path) -> dict[Place, dict[Place, Tier]]:
    """For every call its targets."""
    units: list[Unit] = []
    for path in sorted(path for path in folder.rglob("*") if path.suffix in (".c", ".h")):
        parsed = parse_lazily(path.read_bytes(), "c", skeleton_limit=1000)
        ir = parsed.lower()
        if ir is not None:
            units.append(Unit(path.relative_to(folder).as_posix().encode(), "c", ir, parsed.facts))
    names = {
        (unit.path, definition.descriptor): definition.name_start
        for unit in units
        for definition in unit.outline.definitions
    }
    found: dict[Place, dict[Place, Tier]] = defaultdict(dict)
    for edge in resolve(units).edges:
        if edge.type is EdgeType.CALLS:
            target = (edge.dst.path.decode(), names.get((edge.dst.path, edge.dst.descriptor), -1))
            found[edge.src.path.decode(), edge.site.start][target] = edge.tier
    return found


def judge(reference: Reference, targets: set[Place]) -> str:
    """A word for one call."""
    kind, wanted, declared = reference
    if kind == "value":
        return "value with targets" if targets else "value"
    if kind == "outside":
        return "invented" if targets else "outside"
    if not targets:
        return "missing"
    if not wanted & targets:
        return "declaration" if targets <= declared else "wrong"
    return "right" if targets <= wanted else "among"


def line_of(folder: Path, place: Place) -> str:
    """Number and text of the line."""
    text = (folder / place[0]).read_bytes()
    number = text.count(b"\n", 0, place[1])
    return f"{number + 1}: {text.splitlines()[number].decode(errors='replace').strip()}"


if __name__ == "__main__":
    sys.exit(main())

"""How right the graph of a folder of C++ is, against what libclang says of every call.

    python bench/graph_cpp.py FOLDER --python PYTHON [--include DIR]... [--show WORD]

PYTHON is an interpreter that has `clang.cindex`; DIR is searched for headers (roots of the project,
those of the standard library). Calls by name of functions and methods are compared; those of
constructors and operators, calls inside of macros, and calls in templates that clang leaves open
are left out. The words are those of `graph_c.py`.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

from graph_c import Place, Reference, judge, line_of

from grainline.graph.resolve import resolve
from grainline.graph.units import Unit
from grainline.languages.detect import detect
from grainline.model.edge import EdgeType, Tier
from grainline.parsing.facts import parse_lazily

_CLANG = """
import json, os, sys
from clang.cindex import Index, CursorKind as K
root = os.path.realpath(sys.argv[1])
options = ['-std=c++17', '-x', 'c++'] + ['-I' + each for each in sys.argv[2:]]
index = Index.create()
def place(location):
    if location.file is None: return None
    path = os.path.realpath(location.file.name)
    return [os.path.relpath(path, root), location.offset] if path.startswith(root + os.sep) else None
KINDS = (K.FUNCTION_DECL, K.CXX_METHOD, K.FUNCTION_TEMPLATE)
calls, defined, errors = {}, {}, 0
texts = {}
def text_of(path):
    if path not in texts: texts[path] = open(os.path.join(root, path), 'rb').read()
    return texts[path]
for at, _, files in sorted(os.walk(root)):
    for name in sorted(files):
        if not name.endswith(('.cc', '.cpp', '.cxx')): continue
        unit = index.parse(os.path.join(at, name), args=options)
        errors += sum(each.severity >= 3 for each in unit.diagnostics)
        stack = [each for each in unit.cursor.get_children()
                 if each.location.file and place(each.location)]
        while stack:
            cursor = stack.pop()
            stack += cursor.get_children()
            if cursor.kind in KINDS and cursor.is_definition():
                where = place(cursor.location)
                if where: defined.setdefault(cursor.get_usr(), set()).add(tuple(where))
            if cursor.kind != K.CALL_EXPR: continue
            inside = next(iter(cursor.get_children()), None)
            while inside is not None and inside.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR):
                inside = next(iter(inside.get_children()), None)
            target = cursor.referenced
            if inside is None or inside.kind not in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR): continue
            where = place(inside.location)
            if where is None: continue
            if not text_of(where[0]).startswith((inside.spelling or '?').encode(), where[1]): continue
            if 'operator' in (inside.spelling[:8], (target.spelling or '')[:8] if target else ''): continue
            if target is None or target.kind not in KINDS:
                if target is not None: calls.setdefault(tuple(where), ['value', [], None])
                continue
            own = place(target.location)
            wanted = [target.get_usr()]
            known = target.get_definition()
            at_ = place(known.location) if known is not None else None
            calls[tuple(where)] = ['static', wanted, own, at_]
print(json.dumps([[list(k), *v] for k, v in calls.items()]))
print(json.dumps({k: sorted(v) for k, v in defined.items()}))
print(errors, 'errors of clang', file=sys.stderr)
"""


def main() -> int:
    """Print the comparison of one folder."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--show", default="")
    given = parser.parse_args()
    known = references(given.folder, given.python, given.include)
    found = edges(given.folder)
    for tier in ("resolved", "flowed", "any"):
        counts: Counter[str] = Counter()
        for place, reference in known.items():
            targets = {
                target
                for target, its in found.get(place, {}).items()
                if tier == "any"
                or its is Tier.RESOLVED
                or (tier == "flowed" and its is Tier.FLOWED)
            }
            word = judge(reference, targets)
            counts[word] += 1
            if f"{tier}:{word}" == given.show:
                print(word, place, line_of(given.folder, place), reference, sorted(targets))
        right = counts["right"] + counts["among"] + counts["declaration"]
        wrong = counts["wrong"] + counts["invented"]
        total = right + counts["wrong"] + counts["missing"]
        print(tier, dict(sorted(counts.items())))
        print(f"  precision {right / (right + wrong):.4f}, coverage {right / total:.4f} of {total}")
    return 0


def references(folder: Path, python: str, roots: list[str]) -> dict[Place, Reference]:
    """What clang says of every call."""
    shown = subprocess.run(
        [python, "-c", _CLANG, str(folder), *roots], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines()
    calls, defined = (json.loads(line) for line in shown)
    found: dict[Place, Reference] = {}
    for (path, start), kind, symbols, *places in calls:
        wanted = {(each[0], each[1]) for symbol in symbols for each in defined.get(symbol, ())}
        declared = places[0] if places else None
        if len(places) > 1 and places[1] is not None:
            wanted = wanted or {(places[1][0], places[1][1])}
        own = {(declared[0], declared[1])} if declared is not None else set[Place]()
        kind = "outside" if kind == "static" and not (wanted or own) else kind
        found[path, start] = Reference(kind, wanted or own, own)
    return found


SOURCES = re.compile(r"\.(?:c|h|cc|hh|cpp|hpp|cxx|hxx|inl|ipp)$")


def units_of(folder: Path) -> list[Unit]:
    """Every file of C and C++ below a folder."""
    units: list[Unit] = []
    for path in sorted(path for path in folder.rglob("*") if SOURCES.search(path.name)):
        text = path.read_bytes()
        relative = path.relative_to(folder).as_posix()
        language = detect(relative.encode(), text)
        if language not in ("c", "cpp"):
            continue
        parsed = parse_lazily(text, language, skeleton_limit=1000)
        ir = parsed.lower()
        if ir is not None:
            units.append(Unit(relative.encode(), language, ir, parsed.facts))
    return units


def edges(folder: Path) -> dict[Place, dict[Place, Tier]]:
    """For every call its targets."""
    units = units_of(folder)
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


if __name__ == "__main__":
    sys.exit(main())

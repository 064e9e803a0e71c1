"""Findings of data flow against a benchmark that says which of its files are vulnerable, and how.

    owasp.py --mirror DIR [--repo OWASP-Benchmark/BenchmarkPython] [--list missed|wrong]

The benchmark is read from a clone and never kept. Each test case is a file; it counts as flagged in
its category when a finding of the category's kinds stands in it. Categories of data flow and of
patterns are reported apart. CPU is that of lowering, edges and flow, without reading the clone.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path

from grainline.flow.analysis import analyse
from grainline.flow.builtin import builtin
from grainline.graph.resolve import resolve
from grainline.graph.units import Unit
from grainline.lab.mirror import find_clone
from grainline.languages.base import LANGUAGES
from grainline.model.relations import Verdict
from grainline.parsing.facts import parse_lazily

FLOW = {
    "cmdi": "command",
    "codeinj": "code",
    "deserialization": "deserialization",
    "ldapi": "ldap",
    "pathtraver": "path",
    "redirect": "redirect",
    "sqli": "sql",
    "trustbound": "trust boundary",
    "xpathi": "xpath",
    "xss": "xss",
}
PATTERNS = {
    "hash": "weak hash",
    "weakrand": "weak random",
    "securecookie": "insecure cookie",
    "xxe": "xxe",
}


def main() -> int:
    """0; the table goes to standard output."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--repo", default="OWASP-Benchmark/BenchmarkPython")
    parser.add_argument("--list", choices=("missed", "wrong"), help="names of the cases")
    options = parser.parse_args()
    files = dict(export(find_clone(options.mirror, options.repo)))
    truth = read_truth(files)
    started = time.process_time()
    units = list(parsed(files))
    lowered = time.process_time()
    graph = resolve(units)
    resolved = time.process_time()
    report = analyse(units, graph, builtin())
    done = time.process_time()
    flagged: dict[str, set[str]] = {}
    doubtful: dict[str, set[str]] = {}
    for path in report.paths:
        for step in path.steps:
            name = Path(step.path.decode()).stem
            kinds = flagged if path.verdict is Verdict.PATH else doubtful
            kinds.setdefault(name, set()).add(path.kind)
    print(
        "| category | true | found | false | flagged | precision | recall | F1 | FPR | undetermined |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for title, categories in (("data flow", FLOW), ("patterns", PATTERNS)):
        rows = [score(truth, flagged, doubtful, {name: kind}) for name, kind in categories.items()]
        for name, row in zip(categories, rows, strict=True):
            print(line(name, row))
        print(line(f"**{title}**", tuple(map(sum, zip(*rows, strict=True)))))
    if options.list:
        for name, (category, real) in sorted(truth.items()):
            kind = {**FLOW, **PATTERNS}.get(category)
            hit = kind in flagged.get(name, ())
            if hit != real and hit == (options.list == "wrong"):
                print(name, category)
    lines = sum(data.count(b"\n") for path, data in files.items() if path.endswith(".py"))
    print(f"\n{lines} lines; CPU s: parse and lower {lowered - started:.1f}, "
          f"edges {resolved - lowered:.1f}, flow {done - resolved:.1f}")  # fmt: skip
    return 0


def export(clone: Path) -> Iterator[tuple[str, bytes]]:
    """The files of HEAD."""
    command = ("git", "-C", str(clone), "archive", "--format=tar", "HEAD")
    data = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=BytesIO(data)) as archive:
        for member in archive:
            found = archive.extractfile(member) if member.isfile() else None
            if found is not None:
                yield member.name, found.read()


def parsed(files: Mapping[str, bytes]) -> Iterator[Unit]:
    """Units of the languages that have a lowering."""
    for path, data in sorted(files.items()):
        for spec in LANGUAGES:
            if spec.lower and Path(path).suffix in spec.suffixes and ".min." not in path:
                found = parse_lazily(data, spec.name, skeleton_limit=1000)
                ir = found.lower()
                if ir is not None:
                    yield Unit(path.encode(), spec.name, ir, found.facts)
                break


def read_truth(files: Mapping[str, bytes]) -> dict[str, tuple[str, bool]]:
    """Test case -> its category, and whether it is vulnerable."""
    name = next(path for path in files if path.startswith("expectedresults"))
    rows = [row.split(",") for row in files[name].decode().splitlines() if row[:1] != "#"]
    return {row[0].strip(): (row[1].strip(), row[2].strip() == "true") for row in rows if row[0]}


def score(
    truth: Mapping[str, tuple[str, bool]],
    flagged: Mapping[str, set[str]],
    doubtful: Mapping[str, set[str]],
    categories: Mapping[str, str],
) -> tuple[int, int, int, int, int]:
    """True cases, those found, false cases, those flagged, those that are undetermined."""
    counts = [0, 0, 0, 0, 0]
    for name, (category, real) in truth.items():
        kind = categories.get(category)
        if kind is None:
            continue
        counts[0 if real else 2] += 1
        if kind in flagged.get(name, ()):
            counts[1 if real else 3] += 1
        elif kind in doubtful.get(name, ()):
            counts[4] += 1
    return counts[0], counts[1], counts[2], counts[3], counts[4]


def line(name: str, row: tuple[int, ...]) -> str:
    """One row of the table."""
    true, found, false, flagged, doubtful = row
    precision = found / (found + flagged) if found + flagged else 0.0
    recall = found / true if true else 0.0
    both = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    rate = flagged / false if false else 0.0
    return (f"| {name} | {true} | {found} | {false} | {flagged} | {precision:.3f} | {recall:.3f} "
            f"| {both:.3f} | {rate:.3f} | {doubtful} |")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())

"""What SCIP indexes and language servers say of the symbol graph of a folder.

    python bench/precise.py FOLDER --scip FILE            an index of the folder
    python bench/precise.py FOLDER --server NAME          ask a language server about every call
    python bench/precise.py FOLDER --scip FILE --show     print every contradiction as well

The tools and their versions are named in docs/precise.md. `--server` runs the server, which can
execute code of the folder.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from grainline import precise
from grainline.graph.resolve import resolve
from grainline.graph.results import Graph
from grainline.graph.units import Unit
from grainline.languages.detect import detect
from grainline.model.edge import Edge, Symbol, Tier
from grainline.parsing.facts import parse_lazily
from grainline.precise import lsp, scip
from grainline.precise.index import Index

T = TypeVar("T")
SKELETON = 1000
LARGEST = 1 << 20


def main() -> int:
    """Run the chosen measurement."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scip", type=Path)
    parser.add_argument("--server")
    parser.add_argument("--show", action="store_true", help="print every contradiction")
    given = parser.parse_args()
    files, graph = read_folder(given.folder)
    if given.scip is not None:
        index = timed("read the index", lambda: scip.read(given.scip.read_bytes()))
        if not isinstance(index, Index):
            print(index.code, index.detail, file=sys.stderr)
            return 1
        print(f"{index.tool} {index.version}")
        found = timed("match", lambda: precise.edges(index, files, graph.edges))
        report(found, files, show=given.show)
    if given.server is not None:
        sites = lsp.call_sites(files)
        answers = timed("ask", lambda: lsp.ask(given.server, files, sites))
        print(answers.version, f"{len(answers.answers)} of {answers.asked} answered")
        print(answers.problem or "no problem")
        report(lsp.edges(answers, files, graph.edges), files, show=given.show)
    return 0


def timed(what: str, run: Callable[[], T]) -> T:
    """What `run` gives, its seconds printed."""
    started = time.monotonic()
    result = run()
    print(f"{what}: {time.monotonic() - started:.2f} s")
    return result


def read_folder(folder: Path) -> tuple[list[precise.File], Graph]:
    """The files of a folder and their own graph."""
    files: list[precise.File] = []
    units: list[Unit] = []
    for path, text, language in sources(folder):
        parsed = parse_lazily(text, language, skeleton_limit=SKELETON)
        files.append(precise.File(path, text, parsed.whole()))
        ir = parsed.lower()
        if ir is not None:
            units.append(Unit(path, language, ir, parsed.facts))
    return files, resolve(units)


def sources(folder: Path) -> Iterator[tuple[bytes, bytes, str]]:
    """Path, text and language of every file of a known language."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size <= LARGEST and "node_modules" not in path.parts:
            text = path.read_bytes()
            name = path.relative_to(folder).as_posix().encode()
            language = detect(name, text[:4096])
            if language:
                yield name, text, language


def report(found: precise.Precise, files: list[precise.File], *, show: bool) -> None:
    """Print the counts."""
    reading = found.reading
    comparison = found.comparison
    rows = {
        "documents": reading.documents,
        "matched": len(reading.matched),
        "stale": len(reading.stale),
        "unknown": len(reading.unknown),
        "occurrences": reading.occurrences,
        "mapped": reading.mapped,
        "foreign": reading.foreign,
        "inside": reading.inside,
        "unreadable": reading.unreadable,
        "exact edges": Counter(edge.type.value for edge in found.edges),
        "added": Counter(edge.type.value for edge in comparison.added),
        "resolved": comparison.counts(Tier.RESOLVED),
        "flowed": comparison.counts(Tier.FLOWED),
    }
    print(json.dumps(rows, indent=1))
    if show:
        texts = {file.path: file.text for file in files}
        for each in comparison.contradicted:
            said = " | ".join(map(shown, each.targets)) or each.foreign
            print(site(each.edge, texts), "->", shown(each.edge.dst), "said:", said)


def shown(symbol: Symbol) -> str:
    """A symbol for people."""
    return f"{symbol.path.decode()}:{symbol.descriptor}"


def site(edge: Edge, texts: dict[bytes, bytes]) -> str:
    """Where an edge is, and the words there."""
    text = texts[edge.src.path]
    line = text.count(b"\n", 0, edge.site.start) + 1
    words = text[edge.site.start : edge.site.end].decode()
    return f"{edge.tier.name.lower()} {edge.type} {edge.src.path.decode()}:{line} {words!r}"


if __name__ == "__main__":
    sys.exit(main())

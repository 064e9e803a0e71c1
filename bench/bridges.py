"""A seeded sample of the edges that bridges find, to be read; and the score of what was read.

    python bench/bridges.py --mirror DIR [--each N] [--seed S] [--type TYPE]... OWNER/NAME...
    python bench/bridges.py --score FILE...

Prints a row per edge, and below each the lines of its site and of its target behind `#`. Who reads puts
`right` or `wrong` in the place of `?` and a remark in the last column. Rows without the lines of others'
code are what is kept (bench/labels/); rows of one edge in several files are readings of it.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from grainline.engine import MEMORY, Engine
from grainline.graph.bridges.base import METHODS
from grainline.graph.confidence import bound
from grainline.lab.mirror import find_clone
from grainline.model.edge import EdgeType, Tier
from grainline.model.relations import GraphOptions, GraphResult, Link, Node

KINDS = (
    EdgeType.TESTS, EdgeType.DOCUMENTS, EdgeType.ROUTES_TO, EdgeType.CONFIGURES, EdgeType.PROVIDES,
)  # fmt: skip
MARKS = frozenset(map(str, METHODS))
VERDICTS = ("right", "wrong")
AROUND = 2  # lines shown on either side


class Row(NamedTuple):
    """An edge that is read: where it stands, where it leads, what the reader says."""

    verdict: str
    repository: str
    commit: str
    type: str
    tier: str
    site: str
    target: str
    remark: str = ""


def main() -> int:
    """0; rows to read, or a table of what was read."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--mirror", type=Path)
    parser.add_argument("--each", type=int, default=60, help="edges of each type")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--type", action="append", choices=list(map(str, KINDS)))
    parser.add_argument("--score", type=Path, nargs="+")
    parser.add_argument("repositories", nargs="*")
    options = parser.parse_args()
    if options.score:
        score(options.score)
        return 0
    found = [each for name in options.repositories for each in edges_of(options.mirror, name)]
    for kind in options.type or map(str, KINDS):
        mine = sorted(row for row in found if row[0].type == kind)
        chosen = random.Random(options.seed).sample(mine, min(options.each, len(mine)))
        print(f"# {kind}: {len(chosen)} of {len(mine)}")
        for row, shown in sorted(chosen):
            print("\t".join(row))
            print("".join(f"#   {line}\n" for line in shown), end="")
    return 0


def edges_of(mirror: Path, name: str) -> Iterator[tuple[Row, tuple[str, ...]]]:
    """The edges of bridges of one clone at HEAD, with the lines to read."""
    engine = Engine.open(MEMORY)
    engine.index(str(find_clone(mirror, name)))
    graph = engine.graph(options=GraphOptions(types=KINDS, floor=Tier.NAMED))
    corpus = engine.corpus()
    (state,) = corpus.snapshots
    texts = {
        corpus.path(entry): corpus.text(entry).decode("utf-8", "replace").split("\n")
        for entry in range(corpus.n_entries)
    }
    for link in graph.links:
        if not MARKS.isdisjoint(link.methods) and link.tier is not None:
            row, target = (
                row_of(name, state.snapshot.commit[:12], link, graph),
                graph.nodes[link.dst],
            )
            path = graph.nodes[link.src].path
            site = lines_at(texts[path], link.line)
            yield row, (*site, "->", *lines_at(texts[target.path], target.line))
    engine.close()


def row_of(name: str, commit: str, link: Link, graph: GraphResult) -> Row:
    """The row of an edge that nobody has read yet."""
    src, dst = graph.nodes[link.src], graph.nodes[link.dst]
    assert link.tier is not None, "only names outside have none"
    return Row(
        "?", name, commit, str(link.type), link.tier.name.lower(),
        f"{place(src, link.line)} {src.name}", f"{place(dst, dst.line)} {dst.name}",
    )  # fmt: skip


def place(node: Node, line: int) -> str:
    """A place as text."""
    return f"{node.path.decode('utf-8', 'replace')}:{line}"


def lines_at(text: list[str], line: int) -> list[str]:
    """Some lines around one."""
    first = max(1, line - AROUND)
    shown = text[first - 1 : line + AROUND]
    return [f"{at:>5} {each[:160]}" for at, each in enumerate(shown, first)]


# ------------------------------------------------------------------ what was read


def score(files: Iterable[Path]) -> None:
    """Print right of read by type and tier, and where two readings differ."""
    readings: dict[Row, list[str]] = {}
    for file in files:
        for row in read(file):
            readings.setdefault(row._replace(verdict="", remark=""), []).append(row.verdict)
    counts: Counter[tuple[str, str, str]] = Counter()
    differ = 0
    for row, verdicts in readings.items():
        differ += len(set(verdicts)) > 1
        counts[row.type, row.tier, "right" if set(verdicts) == {"right"} else "wrong"] += 1
    print("| edge | tier | read | right | lower bound |\n|---|---|---|---|---|")
    for kind, tier in sorted({(kind, tier) for kind, tier, _ in counts}):
        right, wrong = (counts[kind, tier, verdict] for verdict in VERDICTS)
        print(
            f"| {kind} | {tier} | {right + wrong} | {right} | {bound(right, right + wrong):.3f} |"
        )
    print(f"{len(readings)} edges, {differ} of which two readings differ on", file=sys.stderr)


def read(file: Path) -> Iterator[Row]:
    """The rows of a file that were read."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        row = Row(*line.split("\t"))
        if row.verdict not in VERDICTS:
            raise SystemExit(f"{file}: {row.site}: a verdict is one of {', '.join(VERDICTS)}")
        yield row


if __name__ == "__main__":
    raise SystemExit(main())

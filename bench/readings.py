"""A seeded sample of edges of one tier, to be read; and how right they are by what was read.

    python bench/readings.py draw --mirror DIR [--tier TIER] [--type TYPE] [--language NAME]...
        [--number N] [--seed S] [--lines] OWNER/NAME@COMMIT...
    python bench/readings.py score FILE [FILE2]

`draw` prints N rows of each language. Edges of every method have a share, and of the edges of one caller
few are drawn, so that one table of handlers does not fill the sample; `--lines` adds the lines around both
ends behind `#`, to be read and not to be kept. Who reads puts `right` or `wrong` in the place of `?` and the
reason of a `wrong` in the last column: right is an edge when some execution makes that call, at
that place, to that target. A folder without history (`NAME@VERSION`) is read as it is.

`score` prints precision with its lower bound by language and tier. With two readings an edge is right when
both say so; their agreement and Cohen's kappa follow, and every edge that they differ on.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from grainline.engine import MEMORY, Engine
from grainline.graph.confidence import bound
from grainline.indexing.pipeline import IndexOptions
from grainline.lab.mirror import find_clone
from grainline.model.edge import EdgeType, Tier
from grainline.model.relations import GraphOptions, GraphResult, Link, Node

VERDICTS = ("right", "wrong")
LEAST = 15  # edges of each method, where there are so many
OF_CALLER = 3  # edges of one caller, while there are others
AROUND = 3  # lines shown on either side


class Row(NamedTuple):
    """An edge that is read: where it stands, where it leads, what the reader says."""

    verdict: str
    repository: str
    commit: str
    type: str
    language: str
    tier: str
    methods: str
    site: str
    source: str
    place: str
    target: str
    reason: str = ""


Shown = tuple[Row, tuple[str, ...]]
"""A row, and the lines to read."""


def main() -> int:
    """0; rows to read, or a table of what was read."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    drawing = verbs.add_parser("draw")
    drawing.add_argument("--mirror", type=Path, required=True)
    drawing.add_argument("--tier", default="flowed", choices=[each.name.lower() for each in Tier])
    drawing.add_argument("--type", default="calls", choices=list(map(str, EdgeType)))
    drawing.add_argument("--language", action="append", default=[])
    drawing.add_argument("--number", type=int, default=110)
    drawing.add_argument("--seed", type=int, default=7)
    drawing.add_argument("--lines", action="store_true")
    drawing.add_argument("repositories", nargs="+")
    scoring = verbs.add_parser("score")
    scoring.add_argument("readings", type=Path, nargs="+")
    options = parser.parse_args()
    if options.verb == "score":
        print("\n".join(score([read(file) for file in options.readings])))
        return 0
    for row, lines in draw(options):
        print("\t".join(row))
        if options.lines:
            print("".join(f"#   {line}\n" for line in lines), end="")
    return 0


# ------------------------------------------------------------------ what is drawn


def draw(options: argparse.Namespace) -> Iterator[Shown]:
    """The sample, by language and place."""
    found: dict[str, list[Shown]] = defaultdict(list)
    for name in options.repositories:
        for shown in edges_of(options.mirror, name, EdgeType(options.type), options.tier):
            found[shown[0].language].append(shown)
    for language in sorted(options.language or found):
        yield from sample(found[language], options.number, options.seed)


def sample(found: Sequence[Shown], number: int, seed: int) -> list[Shown]:
    """`number` of the edges of one language, in the order of their places.

    At random, but the first `LEAST` of each method and the first `OF_CALLER` of each caller go before
    others.
    """
    order = random.Random(seed).sample(sorted(found), len(found))
    methods: Counter[str] = Counter()
    callers: Counter[tuple[str, str]] = Counter()
    ranked: list[tuple[bool, bool, int]] = []
    for at, (row, _) in enumerate(order):
        caller = (row.repository, row.source)
        many = callers[caller] >= OF_CALLER
        callers[caller] += 1
        methods[row.methods] += not many
        ranked.append((many, many or methods[row.methods] > LEAST, at))
    return sorted(order[at] for _, _, at in sorted(ranked)[:number])


def edges_of(mirror: Path, given: str, kind: EdgeType, tier: str) -> Iterator[Shown]:
    """The edges of one repository at one commit, with the lines to read."""
    name, _, commit = given.partition("@")
    clone = find_clone(mirror, name)
    history = (clone / ".git").exists() or (clone / "HEAD").exists()
    engine = Engine.open(MEMORY)
    refs = (commit,) if history else ()
    engine.index(str(clone), refs=refs, options=IndexOptions(workers=1, ir=True))
    graph = engine.graph(options=GraphOptions(types=(kind,), floor=Tier[tier.upper()]))
    corpus = engine.corpus()
    texts = {
        corpus.path(entry): corpus.text(entry).decode("utf-8", "replace").split("\n")
        for entry in range(corpus.n_entries)
    }
    for link in graph.links:
        if link.tier is Tier[tier.upper()]:
            yield row_of(name, commit[:12], link, graph), lines_of(link, graph, texts)
    engine.close()


def row_of(name: str, commit: str, link: Link, graph: GraphResult) -> Row:
    """The row of an edge that nobody has read yet."""
    src, dst = graph.nodes[link.src], graph.nodes[link.dst]
    assert link.tier is not None, "only names outside have none"
    return Row(
        "?", name, commit, str(link.type), src.language, link.tier.name.lower(),
        "+".join(map(str, link.methods)), place(src, link.line), src.name,
        place(dst, dst.line), dst.name,
    )  # fmt: skip


def place(node: Node, line: int) -> str:
    """A place as text."""
    return f"{node.path.decode('utf-8', 'replace')}:{line}"


def lines_of(
    link: Link, graph: GraphResult, texts: Mapping[bytes, Sequence[str]]
) -> tuple[str, ...]:
    """The lines around the call, and those of what is called."""
    src, dst = graph.nodes[link.src], graph.nodes[link.dst]
    return (
        *lines_at(texts[src.path], link.line),
        f"-> 1 of {link.candidates}",
        *lines_at(texts[dst.path], dst.line),
    )


def lines_at(text: Sequence[str], line: int) -> list[str]:
    """Some lines around one."""
    first = max(1, line - AROUND)
    return [
        f"{at:>5} {each[:160]}" for at, each in enumerate(text[first - 1 : line + AROUND], first)
    ]


# ------------------------------------------------------------------ what was read


def read(file: Path) -> dict[Row, Row]:
    """The rows of one reading, by the edge; calls on one line are told apart by their order.

    Raises:
        SystemExit: a row has no verdict.
    """
    rows: dict[Row, Row] = {}
    seen: Counter[Row] = Counter()
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        row = Row(*line.split("\t"))
        if row.verdict not in VERDICTS:
            raise SystemExit(f"{file}: {row.site}: a verdict is one of {', '.join(VERDICTS)}")
        edge = row._replace(verdict="", reason="")
        rows[edge._replace(reason=str(seen[edge]))] = row
        seen[edge] += 1
    return rows


def score(readings: Sequence[Mapping[Row, Row]]) -> Iterator[str]:
    """Lines of Markdown: precision by language and tier, then how far readings agree."""
    edges = list(dict.fromkeys(edge for reading in readings for edge in reading))
    counts: dict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
    for edge in edges:
        verdicts = {reading[edge].verdict for reading in readings if edge in reading}
        counts[edge.language, edge.tier][verdicts == {"right"}] += 1
    yield "| language | tier | read | right | precision | lower bound |\n|---|---|---|---|---|---|"
    for (language, tier), each in sorted(counts.items()):
        total = each.total()
        share = f"{each[True] / total:.2%} | {bound(each[True], total):.3f}"
        yield f"| {language} | {tier} | {total} | {each[True]} | {share} |"
    if len(readings) == 2:
        yield from agreement(*readings)


def agreement(first: Mapping[Row, Row], second: Mapping[Row, Row]) -> Iterator[str]:
    """How far two readings of the same edges agree, and where they differ."""
    both = [edge for edge in first if edge in second]
    pairs = [(first[edge].verdict, second[edge].verdict) for edge in both]
    for language in sorted({edge.language for edge in both}):
        mine = [pair for edge, pair in zip(both, pairs, strict=True) if edge.language == language]
        yield f"\n{language}: {says(mine)}"
    yield f"\nall: {says(pairs)}; read once only: {len(first) + len(second) - 2 * len(both)}"
    for edge, (one, other) in zip(both, pairs, strict=True):
        if one != other:
            why = first[edge].reason or second[edge].reason
            yield f"- {edge.site} {edge.source} -> {edge.target}: {one}, {other}. {why}"


def says(pairs: Sequence[tuple[str, str]]) -> str:
    """Agreement as text."""
    same = sum(one == other for one, other in pairs)
    return f"{same} of {len(pairs)} alike, kappa {kappa(pairs):.2f}"


def kappa(pairs: Iterable[tuple[str, str]]) -> float:
    """Agreement of two readings beyond that by chance, at most 1; 1 when both never vary.

    References:
        Cohen, Educational and Psychological Measurement 20(1), 1960.
    """
    counted = Counter(pairs)
    total = counted.total()
    if not total:
        return 1.0
    same = sum(counted[word, word] for word in VERDICTS) / total
    chance = sum(
        sum(counted[word, other] for other in VERDICTS)
        * sum(counted[other, word] for other in VERDICTS)
        for word in VERDICTS
    ) / (total * total)
    return 1.0 if chance == 1 else (same - chance) / (1 - chance)


if __name__ == "__main__":
    raise SystemExit(main())

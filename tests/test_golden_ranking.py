"""Rankings of a pinned package: a change of ranking must be seen, and reviewed as a diff.

`GRAINLINE_GOLDEN=rewrite` writes the files anew. The package is fetched by `make setup`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grainline.engine import MEMORY, Engine
from grainline.model.search import Hit, SearchOptions

FOLDER = Path(__file__).parent / "golden" / "ranking"
PACKAGE = "requests-2.31.0"
SHOWN = 5
DEPTH = 50


def questions() -> list[tuple[str, str]]:
    lines = (FOLDER / "questions.txt").read_text("utf-8").splitlines()
    return [
        (line.split("\t")[0], line.split("\t")[1])
        for line in lines
        if "\t" in line[1:] and line[0] != "#"
    ]


@pytest.fixture(scope="module")
def engine(root: Path) -> Engine:
    source = root / ".cache" / "data" / PACKAGE
    if not source.exists():
        pytest.skip(f"{PACKAGE} is not there: run make setup")
    engine = Engine.open(MEMORY)
    engine.index(str(source), name="requests")
    return engine


def names(hit: Hit) -> str:
    symbol = hit.symbol.descriptor if hit.symbol else "-"
    return f"{hit.place.path.decode()}:{hit.place.lines.start}-{hit.place.lines.end} {symbol}"


def is_target(hit: Hit, target: str) -> bool:
    path, _, symbol = target.partition(" ")
    if hit.place.path.decode() != path or hit.symbol is None:
        return False
    return f"{symbol.rsplit('.', 1)[-1]}" in hit.text


def test_rankings_are_the_golden_ones(engine: Engine) -> None:
    lines: list[str] = []
    ranks: list[int] = []
    for target, question in questions():
        hits = engine.search(question, options=SearchOptions(k=DEPTH)).hits
        rank = next((hit.rank for hit in hits if is_target(hit, target)), 0)
        ranks.append(rank)
        lines += [f"## {question}", f"target {target}: rank {rank or 'none'}"]
        lines += [f"{hit.rank} {names(hit)}" for hit in hits[:SHOWN]]
        lines.append("")
    found = [rank for rank in ranks if rank]
    stats = [
        f"questions {len(ranks)}",
        f"mrr {sum(1 / rank for rank in found) / len(ranks):.3f}",
        *(f"in the first {k}: {sum(rank <= k for rank in found)}" for k in (1, 3, 5, 10)),
    ]
    compare("rankings.txt", lines)
    compare("rank_stats.txt", stats)


def compare(name: str, lines: list[str]) -> None:
    path = FOLDER / name
    text = "\n".join(lines) + "\n"
    if os.environ.get("GRAINLINE_GOLDEN") == "rewrite":
        path.write_text(text, encoding="utf-8")
    assert path.read_text("utf-8") == text, f"{name} changed: look at it, then make golden"

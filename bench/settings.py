"""Settings asked for by name: does what is found hold them?

    settings.py --home DIR [--count N]

DIR is the home of an indexed repository (Kafka: `grainline index CLONE --ref HEAD`). Settings are texts of three or
more words between dots that stand quoted in its code, drawn with a fixed seed, asked in four ways. Prints the share
of questions whose first result, and one of whose first five results, holds the setting, with and without looking
for it as it stands.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from grainline.engine import Engine
from grainline.model.search import SearchOptions
from grainline.retrieval import search as searching
from grainline.storage.base import Corpus

SEED = 3
QUOTED = re.compile(rb"[\"']([a-z]+(?:\.[a-z]+){2,})[\"']")
TESTS = re.compile(rb"(?:^|/)tests?/")
WAYS = (
    "where is the setting {} read and what does it limit",
    "{}",
    "why does {} have no effect when the consumer is slow",
    "{}在哪里生效",
)
K = 5


def main() -> None:
    """Ask and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--count", type=int, default=60)
    given = parser.parse_args()
    engine = Engine.open(str(given.home), create=False)
    corpus = engine.corpus(engine.scope())
    names = sorted(set(settings_of(corpus)))
    drawn = random.Random(SEED).sample(names, min(given.count, len(names)))
    print(
        f"| question, {len(drawn)} settings | first, as words | first five | first, as it stands | first five |"
    )
    print("|---|---|---|---|---|")
    looked = searching.MAX_JOINED
    for way in WAYS:
        cells: list[str] = []
        for searching.MAX_JOINED in (0, looked):
            cells += [f"{share:.2f}" for share in shares(corpus, way, drawn)]
        print(f"| {way.format('…')} | " + " | ".join(cells) + " |")
    engine.close()


def settings_of(corpus: Corpus) -> Iterator[str]:
    """Settings that code outside of tests quotes."""
    for entry in range(corpus.n_entries):
        if corpus.language(entry) and not TESTS.search(corpus.path(entry)):
            yield from (found[1].decode() for found in QUOTED.finditer(corpus.text(entry)))


def shares(corpus: Corpus, way: str, names: Sequence[str]) -> tuple[float, float]:
    """How many questions have the setting in the first result, and in one of the first `K`."""
    first = some = 0
    for name in names:
        hits = searching.search(corpus, way.format(name), SearchOptions(k=K)).hits
        held = [name in hit.text for hit in hits]
        first += held[:1] == [True]
        some += any(held)
    return first / len(names), some / len(names)


if __name__ == "__main__":
    main()

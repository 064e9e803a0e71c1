"""What walking a table of a million edges costs.

    python bench/relations.py

200,000 functions in 10,000 files; callers are drawn evenly, callees by a power law, as in code.
"""

from __future__ import annotations

import time

import numpy as np

from grainline.graph.results import Graph
from grainline.graph.table import EdgeColumns, EdgeTable, table_of
from grainline.model.edge import EdgeType, Tier
from grainline.retrieval.relations.walk import Steps, walk

SYMBOLS, EDGES, ASKED, HOPS = 200_000, 1_000_000, 300, 3


def main() -> None:
    """Print CPU milliseconds of walks from random symbols, and from the most called ones."""
    table = random_table()
    hubs = np.argsort(-np.bincount(table.edges.dst, minlength=SYMBOLS))[:ASKED]
    starts = {"random": np.random.default_rng(2).integers(0, SYMBOLS, ASKED), "hubs": hubs}
    for incoming in (True, False):
        for name, symbols in starts.items():
            steps = Steps(frozenset({EdgeType.CALLS}), Tier.FLOWED, incoming)
            spent: list[float] = []
            for symbol in symbols.tolist():
                begun = time.process_time()
                walk(table, np.array([symbol], np.int64), steps, HOPS)
                spent.append(1000 * (time.process_time() - begun))
            p50, p95 = np.percentile(spent, (50, 95))
            way = "callers" if incoming else "callees"
            print(f"{way} of {name}, {HOPS} hops: p50 {p50:.2f} ms, p95 {p95:.2f} ms")


def random_table() -> EdgeTable:
    """A table in the order that `EdgeTable` promises; its indexes are made."""
    chance = np.random.default_rng(1)
    src = np.sort(chance.integers(0, SYMBOLS, EDGES)).astype(np.int32)
    dst = (chance.zipf(1.6, EDGES) % SYMBOLS).astype(np.int32)
    at = np.arange(EDGES, dtype=np.uint32)
    columns = EdgeColumns(
        src, dst, np.zeros(EDGES, np.uint8), at, at + 3, np.ones(EDGES, np.uint32),
        np.ones(EDGES, np.uint8), np.ones(EDGES, np.uint16),
    )  # fmt: skip
    keys = tuple(b"d/%05d.py\0f%02d()." % (at // 20, at % 20) for at in range(SYMBOLS))
    empty = table_of(Graph(edges=(), unresolved=(), cuts=0))
    table = EdgeTable(keys=keys, edges=columns, unresolved=empty.unresolved, names=(), cuts=0)
    table.into(0), table.out(0)
    return table


if __name__ == "__main__":
    main()

"""The functions near some others along calls, and the files that they stand in, inside bounds.

Data of a function comes from its callers and what they call, and goes to what it calls: so callers
are followed upwards, and from each of them callees downwards, never up again (what a logger is
called by has nothing to do with who else logs).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.graph.table import TYPE_CODE, EdgeTable, Numbers
from grainline.model.edge import EdgeType, Symbol, Tier
from grainline.model.position import Span

HOPS: Final = 5
"""Calls, up and then down, between what is explained and what is looked at."""

MANY: Final = 100
"""Files out of reach behind which nothing more is looked for."""

_DOWN: Final = (EdgeType.CALLS, EdgeType.INSTANTIATES, EdgeType.OVERRIDES, EdgeType.IMPLEMENTS)
_UP: Final = (*_DOWN, EdgeType.REFERENCES, EdgeType.ROUTES_TO)


class Near(NamedTuple):
    """What is looked at: functions, files in the order of their distance, files beyond a bound.

    Behind `MANY` of those nothing more is counted.
    """

    symbols: frozenset[Symbol]
    paths: tuple[bytes, ...]
    left_out: int


def near(
    table: EdgeTable, starts: Iterable[int], size_of: Callable[[bytes], int], most: int
) -> Near:
    """The functions around some, nearest first, of files of at most `most` bytes in all.

    Args:
        table: the edges of the view.
        starts: numbers of symbols.
        size_of: bytes of a file; -1 when it cannot be looked at.
        most: bytes of all files together. The files of the starts come before others.
    """
    sizes: dict[bytes, int] = {}
    paths: dict[bytes, None] = {}
    symbols: dict[Symbol, None] = {}
    spent = left_out = 0
    for level in _levels(table, sorted(set(starts))):
        for symbol in map(table.symbol, level):  # in the order of their paths
            if symbol.path not in sizes:
                size = sizes[symbol.path] = size_of(symbol.path)
                if 0 <= size <= most - spent:
                    paths[symbol.path] = None
                    spent += size
                left_out += size > most - spent and symbol.path not in paths
            if symbol.path in paths:
                symbols[symbol] = None
            if left_out >= MANY:
                return Near(frozenset(symbols), tuple(paths), left_out)
    return Near(frozenset(symbols), tuple(paths), left_out)


def starts_in(table: EdgeTable, path: bytes, span: Span) -> list[int]:
    """Symbols that something in `span` of a file belongs to: an edge, or a call without a target."""
    mine = table.symbols_of(path)
    found: list[int] = []
    for columns in (table.edges, table.unresolved):
        inside = (columns.src >= mine.start) & (columns.src < mine.stop)
        inside &= (columns.start >= span.start) & (columns.start < span.end)
        found += np.unique(columns.src[inside]).tolist()
    return sorted(set(found))


def _levels(table: EdgeTable, starts: list[int]) -> Iterable[list[int]]:
    """Numbers of symbols by their distance; each once for each direction it is reached in."""
    up = down = np.array(starts, np.int64)
    seen_up, seen_down = set(starts), set(starts)
    yield starts
    for _ in range(HOPS):
        called = table.edges.dst[_some(table, table.out_of_all(np.union1d(up, down)), _DOWN)]
        calling = table.edges.src[_some(table, table.into_all(up), _UP)]
        up = _fresh(calling, seen_up)
        down = _fresh(called, seen_down)
        seen_down |= seen_up
        if not len(up) and not len(down):
            return
        yield sorted({*up.tolist(), *down.tolist()})


def _some(table: EdgeTable, numbers: Numbers, types: tuple[EdgeType, ...]) -> Numbers:
    rows = table.edges
    codes = [TYPE_CODE[kind] for kind in types]
    return numbers[np.isin(rows.type[numbers], codes) & (rows.tier[numbers] <= Tier.FLOWED)]


def _fresh(found: NDArray[np.int32], seen: set[int]) -> Numbers:
    new = sorted(set(found.tolist()) - seen)
    seen.update(new)
    return np.array(new, np.int64)

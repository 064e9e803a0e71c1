"""From tests to what they use of the code beside them: directly, never through a helper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from grainline.graph.bridges.base import Bridge, Found, Ground
from grainline.graph.table import TYPE_CODE
from grainline.model.edge import EdgeType, Method, Symbol, Tier
from grainline.model.position import Span
from grainline.model.snapshot import FlagName

_TEST: Final = frozenset((FlagName.TEST,))
_USES: Final = tuple(
    TYPE_CODE[kind] for kind in (EdgeType.CALLS, EdgeType.INSTANTIATES, EdgeType.REFERENCES)
)
_IMPORTS: Final = TYPE_CODE[EdgeType.IMPORTS]
_FUNCTION: Final = re.compile(r"\((?:\+\d+)?\)\.")


def _find(ground: Ground) -> Iterator[Found]:
    """One for each test and target: the strongest use, the first of them.

    An import is one only where the file does not use what it imports.
    """
    rows = ground.table.edges
    tested = _tested(ground)
    across = tested[rows.src] & ~tested[rows.dst]
    uses = _best(np.flatnonzero(across & np.isin(rows.type, _USES)), ground)
    yield from uses.values()
    used = {(found.src.path, found.dst) for found in uses.values()}
    for found in _best(np.flatnonzero(across & (rows.type == _IMPORTS)), ground).values():
        if (found.src.path, found.dst) not in used:
            yield found


def _tested(ground: Ground) -> NDArray[np.bool_]:
    """Which symbols stand in tests."""
    found = np.zeros(len(ground.table.keys), np.bool_)
    for file in ground.files:
        if not file.flags.isdisjoint(_TEST):
            mine = ground.table.symbols_of(file.path)
            found[mine.start : mine.stop] = True
    return found


def _best(numbers: NDArray[np.int64], ground: Ground) -> dict[tuple[Symbol, Symbol], Found]:
    rows, symbol = ground.table.edges, ground.table.symbol
    order = numbers[np.lexsort((numbers, rows.candidates[numbers], rows.tier[numbers]))]
    sources, targets = rows.src[order].tolist(), rows.dst[order].tolist()
    tests = {src: _outermost(symbol(src)) for src in dict.fromkeys(sources)}
    known = {dst: symbol(dst) for dst in dict.fromkeys(targets)}
    found: dict[tuple[Symbol, Symbol], Found] = {}
    for number, src, dst in zip(order.tolist(), sources, targets, strict=True):
        key = (tests[src], known[dst])
        if key not in found:
            site = Span(int(rows.start[number]), int(rows.end[number]))
            tier, candidates = Tier(int(rows.tier[number])), int(rows.candidates[number])
            found[key] = Found(*key, site, tier, candidates)
    return found


def _outermost(symbol: Symbol) -> Symbol:
    """The function of the file, or the method, in which a symbol stands."""
    end = _FUNCTION.search(symbol.descriptor)
    return symbol if end is None else Symbol(symbol.path, symbol.descriptor[: end.end()])


BRIDGE = Bridge(type=EdgeType.TESTS, method=Method.TEST, find=_find)

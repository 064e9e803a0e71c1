"""From tests to what they use of the code beside them: directly, never through a helper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

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
    table = ground.table
    rows = table.edges
    tested = np.array(
        [ground.flagged(table.symbol(at).path, _TEST) for at in range(len(table.keys))], np.bool_
    )
    if not len(rows.src):
        return
    across = tested[rows.src] & ~tested[rows.dst]
    uses = _best(np.flatnonzero(across & np.isin(rows.type, _USES)), ground)
    yield from uses.values()
    used = {(found.src.path, found.dst) for found in uses.values()}
    for found in _best(np.flatnonzero(across & (rows.type == _IMPORTS)), ground).values():
        if (found.src.path, found.dst) not in used:
            yield found


def _best(numbers: np.ndarray, ground: Ground) -> dict[tuple[Symbol, Symbol], Found]:
    rows = ground.table.edges
    order = np.lexsort((numbers, rows.candidates[numbers], rows.tier[numbers]))
    symbols: dict[int, Symbol] = {}
    found: dict[tuple[Symbol, Symbol], Found] = {}
    for number in numbers[order].tolist():
        src, dst = int(rows.src[number]), int(rows.dst[number])
        for each in (src, dst):
            if each not in symbols:
                symbols[each] = ground.table.symbol(each)
        test = _outermost(symbols[src])
        if (test, symbols[dst]) not in found:
            site = Span(int(rows.start[number]), int(rows.end[number]))
            tier, candidates = Tier(int(rows.tier[number])), int(rows.candidates[number])
            found[test, symbols[dst]] = Found(test, symbols[dst], site, tier, candidates)
    return found


def _outermost(symbol: Symbol) -> Symbol:
    """The function of the file, or the method, in which a symbol stands."""
    end = _FUNCTION.search(symbol.descriptor)
    return symbol if end is None else Symbol(symbol.path, symbol.descriptor[: end.end()])


BRIDGE = Bridge(type=EdgeType.TESTS, method=Method.TEST, find=_find)

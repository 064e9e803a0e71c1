"""What runs in the place of what is called: methods that override it, or are what an interface declares.

A call of a declared method has an edge to the declaration. What may run is one step further, against
`overrides` and `implements`; these steps are no calls, so they are looked at only to say what an
answer leaves out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from grainline.graph.table import TYPE_CODE, EdgeTable, Numbers
from grainline.model.access import View
from grainline.model.edge import EdgeType, Tier
from grainline.retrieval.relations.book import Book
from grainline.retrieval.relations.walk import Steps, walk

DEPTH: Final = 100
"""Steps from an overriding method up to the first declaration, more than any class has."""

SHOWN: Final = 3
"""Names in a sentence."""

_INSTEAD: Final = frozenset({EdgeType.OVERRIDES, EdgeType.IMPLEMENTS})


def running_instead(table: EdgeTable, symbols: Numbers, floor: Tier) -> Numbers:
    """The symbols that may run where `symbols` are called, without them; ascending."""
    return _apart(table, symbols, Steps(_INSTEAD, floor, incoming=True))


def called_for(table: EdgeTable, symbols: Numbers, floor: Tier) -> Numbers:
    """The symbols whose callers may run `symbols`, without them, that are called; ascending."""
    found = _apart(table, symbols, Steps(_INSTEAD, floor, incoming=False))
    into = table.into_all(found)
    calls = (table.edges.type[into] == TYPE_CODE[EdgeType.CALLS]) & (
        table.edges.tier[into] <= floor
    )
    return np.unique(table.edges.dst[into[calls]].astype(np.int64))


def with_running(table: EdgeTable, symbols: Numbers, steps: Steps, depth: int) -> Numbers:
    """All that `symbols`, reached by calls, may lead to when what overrides is followed as well."""
    seen = symbols
    while len(fresh := running_instead(table, seen, steps.floor)):
        levels, _ = walk(table, fresh, steps, depth)
        seen = np.union1d(seen, np.concatenate([fresh, *(level.symbols for level in levels)]))
    return seen


def called_before(table: EdgeTable, goal: Numbers, steps: Steps, depth: int) -> Numbers:
    """Methods a call of which may run what overrides them, and so come to `goal`; ascending."""
    back, up = steps._replace(incoming=True), Steps(_INSTEAD, steps.floor, incoming=False)
    seen = found = np.empty(0, np.int64)
    fresh = goal
    while len(fresh):
        levels, _ = walk(table, fresh, back, depth)
        seen = np.union1d(seen, np.concatenate([fresh, *(level.symbols for level in levels)]))
        fresh = _apart(table, seen, up)
        found = np.union1d(found, fresh)
    return found


def told_instead(book: Book, view: View, table: EdgeTable, symbols: Iterable[int]) -> str:
    """Some symbols by their names."""
    names = sorted({book.name(view, table.symbol(at)) for at in symbols})
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _apart(table: EdgeTable, symbols: Numbers, steps: Steps) -> Numbers:
    levels, _ = walk(table, symbols, steps, DEPTH)
    found = np.concatenate([np.empty(0, np.int64), *(level.symbols for level in levels)])
    return np.setdiff1d(found, symbols)

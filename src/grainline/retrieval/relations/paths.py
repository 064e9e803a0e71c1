"""`path`: a shortest chain of calls from one symbol to another, or what stands against one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from grainline.errors import BadInput
from grainline.graph.table import TYPE_CODE, EdgeTable, Numbers
from grainline.model.edge import Tier, Why
from grainline.model.relations import PathResult, RelationOptions, RelationRow, Verdict
from grainline.model.search import CoverageRecord, State
from grainline.retrieval.relations import views
from grainline.retrieval.relations.book import Book
from grainline.retrieval.relations.instead import called_before, told_instead, with_running
from grainline.retrieval.relations.related import CALLS, Admit, check
from grainline.retrieval.relations.rows import Ground, by_edge, row_of
from grainline.retrieval.relations.subjects import Subjects, subjects, unsaid
from grainline.retrieval.relations.views import ViewGraph
from grainline.retrieval.relations.walk import Level, Steps, named_calls, starts, walk
from grainline.retrieval.relations.weak import OPEN
from grainline.storage.base import Corpus

DEPTH: Final = 30
"""Steps after which a search for a path ends, when nobody says otherwise."""


class _Found(NamedTuple):
    """What one view says: the edges of a shortest path, how many there are, what was looked at."""

    ground: Ground
    edges: tuple[int, ...]
    total: int
    reached: int
    further: int
    reasons: Counter[Why]
    instead: str = ""
    """Methods that are reached, from what overrides which a way leads on to the end."""


def path(
    corpus: Corpus,
    graphs: Sequence[ViewGraph],
    source: str,
    target: str,
    options: RelationOptions,
    *,
    admit: Admit = lambda entries: [True] * len(entries),
) -> PathResult:
    """A shortest path of calls from what `source` names to what `target` names.

    Of several views the one with the shortest path answers; of several paths the first in the
    order of places.

    Raises:
        BadInput: a name means nothing, no graph is there, an option cannot be meant.
    """
    check(options)
    book = Book(corpus)
    ends = subjects(book, graphs, source), subjects(book, graphs, target)
    views.check(graphs)
    if {each.symbol for each in ends[0].found} == {each.symbol for each in ends[1].found}:
        raise BadInput("same_symbol", f"{source!r} and {target!r} are the same symbol")
    found = [
        _search(Ground(book, graph.view, graph.table), ends, options)
        for graph in graphs
        if graph.table is not None
    ]
    best = min(
        (each for each in found if each.edges), key=lambda each: len(each.edges), default=None
    )
    rows = _rows(best, admit) if best else ()
    reasons = Counter[Why]()
    for each in found:
        reasons.update(each.reasons)
    instead = [_unfollowed(each.instead) for each in found if each.instead and not rows]
    warnings = tuple(dict.fromkeys((*unsaid(ends[0]), *unsaid(ends[1]), *instead)))
    further = 0 if rows else sum(each.further for each in found)
    partial = bool(warnings) or any(graph.table is None for graph in graphs)
    unsure = best is not None or partial or further or any(why in OPEN for why in reasons)
    return PathResult(
        source=tuple(each.node for each in ends[0].found),
        target=tuple(each.node for each in ends[1].found),
        verdict=Verdict.PATH if rows else Verdict.UNDETERMINED if unsure else Verdict.NO_PATH,
        rows=rows,
        total=best.total if best and rows else 0,
        reached=sum(each.reached for each in found),
        unresolved=tuple(sorted((str(why), count) for why, count in reasons.items())),
        coverage=CoverageRecord(
            snapshots=corpus.snapshots,
            state=State.PARTIAL if partial else State.BOUNDED if further else State.COMPLETE,
            not_covered=(("deeper", further),) if further else (),
            floor=options.floor.name.lower(),
            channels=(("graph", views.channel(graphs)),),
            warnings=warnings,
        ),
    )


def _search(ground: Ground, ends: tuple[Subjects, Subjects], options: RelationOptions) -> _Found:
    table = ground.table
    first, last = (_numbers(ground, each) for each in ends)
    types = frozenset(options.types) or CALLS
    steps = Steps(types, options.floor, incoming=False, methods=named_calls(types))
    goal = frozenset(last.tolist())
    levels, further = walk(table, first, steps, options.depth, goal)
    reached: Numbers = np.concatenate([first, *(level.symbols for level in levels)])
    hits = [at for at in levels[-1].symbols.tolist() if at in goal] if levels else []
    if hits:
        edges, total = _back(table, levels, first, hits, steps)
        return _Found(ground, edges, total, len(reached), 0, Counter())
    beyond = with_running(table, reached, steps, options.depth)
    over = np.intersect1d(reached, called_before(table, last, steps, options.depth))
    instead = told_instead(ground.book, ground.view, table, over.tolist())
    return _Found(ground, (), 0, len(reached), further, _reasons(table, beyond), instead)


def _unfollowed(names: str) -> str:
    return f"calls of {names} may run what overrides that, and a way leads on from there: it is not followed"


def _numbers(ground: Ground, ends: Subjects) -> Numbers:
    """The symbols that a name means in one view: of a class or file, all that stands in it."""
    found: set[int] = set()
    for each in ends.found:
        if each.view == ground.view:
            inside = not each.symbol.descriptor or each.symbol.descriptor.endswith("#")
            found.update(starts(ground.table, each.symbol, inside=inside).tolist())
    return np.array(sorted(found), np.int64)


def _reasons(table: EdgeTable, symbols: Numbers) -> Counter[Why]:
    return Counter(
        table.unresolved_call(call).why
        for symbol in symbols.tolist()
        for call in table.unresolved_of(symbol)
    )


def _back(
    table: EdgeTable, levels: Sequence[Level], first: Numbers, hits: Sequence[int], steps: Steps
) -> tuple[tuple[int, ...], int]:
    """(edges of the first shortest path, how many there are), from the ends of all back to `first`.

    Two paths are one when they lead through the same symbols.
    """
    ways = dict.fromkeys(first.tolist(), 1)
    via: dict[int, int] = {}
    sets = [set(first.tolist()), *(set(level.symbols.tolist()) for level in levels)]
    for before, here in pairwise(sets):
        now: dict[int, int] = {}
        for at in sorted(here):
            sources = _sources(table, at, before, steps)
            now[at] = sum(ways[source] for source in sources)
            via[at] = sources[min(sources, key=lambda source: (source, sources[source]))]
        ways |= now
    edges: list[int] = []
    at = hits[0]
    for _ in levels:
        edges.append(via[at])
        at = int(table.edges.src[via[at]])
    return tuple(reversed(edges)), sum(ways[hit] for hit in hits)


def _sources(table: EdgeTable, at: int, before: set[int], steps: Steps) -> dict[int, int]:
    """Symbols of the level before that call `at`, each with its strongest edge."""
    rows, found = table.edges, dict[int, int]()
    codes = {TYPE_CODE[kind] for kind in steps.types}
    for edge in table.into(at).tolist():
        source = int(rows.src[edge])
        if source not in before or int(rows.type[edge]) not in codes:
            continue
        if rows.tier[edge] > steps.floor:
            continue
        known = found.setdefault(source, edge)
        if rows.tier[edge] < rows.tier[known]:
            found[source] = edge
    return found


def _rows(best: _Found, admit: Admit) -> tuple[RelationRow, ...]:
    """The steps as rows; none when a file of them changed."""
    steps = [
        by_edge(best.ground, edge, at, 1, incoming=False) for at, edge in enumerate(best.edges, 1)
    ]
    fit = admit([entry for each in steps for entry in (each.site.entry, each.file.entry)])
    return tuple(map(row_of, steps)) if all(fit) else ()


def floor_of(rows: Sequence[RelationRow]) -> Tier | None:
    """The weakest tier of a path."""
    return max((row.tier for row in rows if row.tier is not None), default=None)

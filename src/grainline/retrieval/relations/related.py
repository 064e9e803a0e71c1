"""`related`: callers, callees, refs, implements, imports and impact of what a name means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from typing import Final, NamedTuple

import numpy as np

from grainline.errors import BadInput
from grainline.graph.table import Numbers
from grainline.model.edge import EdgeType, Symbol, Tier, Why
from grainline.model.relations import (
    Counts,
    Depths,
    Relation,
    RelationOptions,
    RelationResult,
)
from grainline.model.search import CoverageRecord, State
from grainline.retrieval.filtering import idle
from grainline.retrieval.relations import views
from grainline.retrieval.relations.book import Book, last_name
from grainline.retrieval.relations.instead import called_for, told_instead
from grainline.retrieval.relations.kept import Kept
from grainline.retrieval.relations.pages import digest_of, page_of
from grainline.retrieval.relations.rows import Ground, Reach, by_edge, by_leaf, by_name, row_of
from grainline.retrieval.relations.subjects import Subjects, subjects, unsaid
from grainline.retrieval.relations.views import ViewGraph
from grainline.retrieval.relations.walk import Level, Steps, named_calls, starts, walk
from grainline.retrieval.relations.weak import OUTSIDE, Names, Weak
from grainline.storage.base import Corpus

MAX_DEPTH: Final = 100
MAX_K: Final = 1_000_000

CALLS: Final = frozenset({EdgeType.CALLS, EdgeType.INSTANTIATES})
_KINDS_OF: Final = frozenset({EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.OVERRIDES})
_IMPORTS: Final = frozenset({EdgeType.IMPORTS})
_ECHOES: Final = frozenset({EdgeType.TESTS})
"""What other edges say, too: looked at only when it is asked for."""

_SETTINGS: Final = frozenset({EdgeType.CONFIGURES})
_ALL: Final = frozenset(EdgeType) - {EdgeType.DEFINES}

Admit = Callable[[Sequence[int]], Sequence[bool]]


class Plan(NamedTuple):
    """How a relation is looked for.

    Attributes:
        into: types of edges that are followed against their direction.
        out: types of edges that are followed along it.
        inside: what stands in the symbol counts as the symbol.
        each: every edge is a row of its own, one step away.
        named: unknown calls of the same name are candidates.
        leaves: names outside of what is indexed are rows.
    """

    into: frozenset[EdgeType] = frozenset()
    out: frozenset[EdgeType] = frozenset()
    inside: bool = False
    each: bool = False
    named: bool = True
    leaves: bool = False


PLANS: Final = {
    Relation.CALLERS: Plan(into=CALLS),
    Relation.CALLEES: Plan(out=CALLS, leaves=True),
    Relation.REFS: Plan(into=_ALL, out=_SETTINGS, each=True),
    Relation.IMPLEMENTS: Plan(into=_KINDS_OF, out=_KINDS_OF, inside=True, named=False),
    Relation.IMPORTS: Plan(into=_IMPORTS, out=_IMPORTS, named=False),
    Relation.IMPACT: Plan(into=_ALL - _SETTINGS, out=_SETTINGS, inside=True),
}


def related(
    corpus: Corpus,
    graphs: Sequence[ViewGraph],
    relation: Relation,
    text: str,
    options: RelationOptions | None = None,
    *,
    admit: Admit = lambda entries: [True] * len(entries),
) -> RelationResult:
    """One page of the symbols that stand in `relation` to what `text` names.

    Args:
        corpus: the scope.
        graphs: of its views.
        relation: what is asked.
        text: a qualified name or a part of one, `PATH:LINE`, a file or a module.
        options: depth, floor, filters, page.
        admit: which of some entries may be shown: others changed since they were indexed.

    Raises:
        BadInput: nothing is called so, no graph is there, an option cannot be meant, a cursor of
            another question.
    """
    options = options or RelationOptions()
    check(options)
    book, kept = Book(corpus), Kept(corpus, options.filters)
    named = subjects(book, graphs, text)
    views.check(graphs)
    asked = _Asked(book, graphs, PLANS[relation], named, options)
    found = asked.run()
    rows = sorted((each for each in found if kept.takes(each.file, each.symbol)), key=Reach.order)
    digest = digest_of(corpus, relation, text, options)
    shown, cursor, end = page_of(rows, options, digest)
    fit = admit([entry for each in shown for entry in (each.site.entry, each.file.entry)])
    fine = [fit[2 * at] and fit[2 * at + 1] for at in range(len(shown))]
    return RelationResult(
        relation=relation,
        subjects=tuple(each.node for each in named.found),
        ambiguous=named.ambiguous,
        rows=tuple(map(row_of, compress(shown, fine))),
        totals=_depths(each.depth for each in rows),
        tests=_depths(each.depth for each in rows if each.test),
        weaker=asked.weaker,
        unresolved=_counts(asked.reasons),
        cursor=cursor,
        coverage=_coverage(corpus, graphs, named, options, asked, len(rows) - end),
    )


def check(options: RelationOptions) -> None:
    """Refuse a depth or a size of page that cannot be meant.

    Raises:
        BadInput: `bad_depth`, `bad_k`.
    """
    if not 1 <= options.depth <= MAX_DEPTH:
        hint = f"depth is from 1 to {MAX_DEPTH}"
        raise BadInput("bad_depth", f"depth is {options.depth!r}", hint=hint)
    if not 1 <= options.k <= MAX_K:
        raise BadInput("bad_k", f"k is {options.k!r}", hint=f"k is from 1 to {MAX_K}")


def _depths(found: Iterable[int]) -> Depths:
    counts = Counter(found)
    return tuple((at, counts[at]) for at in range(1, max(counts, default=0) + 1))


def _counts(found: Counter[Why]) -> Counts:
    return tuple(sorted((str(why), count) for why, count in found.items()))


def _coverage(
    corpus: Corpus,
    graphs: Sequence[ViewGraph],
    named: Subjects,
    options: RelationOptions,
    asked: _Asked,
    omitted: int,
) -> CoverageRecord:
    warnings = (*unsaid(named), *dict.fromkeys(asked.instead))
    further = asked.further
    partial = bool(warnings) or any(graph.table is None for graph in graphs)
    return CoverageRecord(
        snapshots=corpus.snapshots,
        state=State.PARTIAL if partial else State.BOUNDED if further else State.COMPLETE,
        not_covered=(("deeper", further),) if further else (),
        omitted=omitted,
        floor=options.floor.name.lower(),
        channels=(("graph", views.channel(graphs)),),
        warnings=(*warnings, *idle(corpus, options.filters)),
    )


# ------------------------------------------------------------------------------ looking


class _Asked:
    """One question on its way through the graphs of the views."""

    def __init__(
        self,
        book: Book,
        graphs: Sequence[ViewGraph],
        plan: Plan,
        named: Subjects,
        options: RelationOptions,
    ) -> None:
        self.book, self.graphs = book, graphs
        self.plan, self.named, self.options = plan, named, options
        self.further = 0
        self.weaker = 0
        self.instead: list[str] = []
        self.reasons: Counter[Why] = Counter()

    def run(self) -> list[Reach]:
        """Every row, in no order."""
        found: list[Reach] = []
        for graph in self.graphs:
            mine = [each.symbol for each in self.named.found if each.view == graph.view]
            if graph.table is not None and mine:
                look = _Look(Ground(self.book, graph.view, graph.table), self, mine)
                found += look.run()
        return found


class _Look:
    """The part of a question that one view answers."""

    def __init__(self, ground: Ground, asked: _Asked, mine: Sequence[Symbol]) -> None:
        self.ground, self.table = ground, ground.table
        self.asked, self.plan, self.options = asked, asked.plan, asked.options
        self.mine = mine
        self.names = Names(*ground)
        # what a class calls is what stands in it; its callers are those of the class alone
        inside = [
            self.plan.inside or _ends_open(symbol, classes=self.plan.leaves) for symbol in mine
        ]
        parts = [
            starts(self.table, symbol, inside=whole)
            for symbol, whole in zip(mine, inside, strict=True)
        ]
        first = sorted({number for part in parts for number in part.tolist()})
        self.first: Numbers = np.array(first, np.int64)

    def run(self) -> list[Reach]:
        """Its rows; what stays below them is counted."""
        into, out = self._types(self.plan.into), self._types(self.plan.out)
        found = list((self._each if self.plan.each else self._around)(into, out))
        if self.plan.named and EdgeType.CALLS in into | out:
            known: set[Symbol | None] = set()
            if not self.plan.each:
                known = {each.symbol for each in found}
            found += self._by_name(known, incoming=bool(into))
        self._count(into, out)
        return found

    def _types(self, types: frozenset[EdgeType]) -> frozenset[EdgeType]:
        wanted = frozenset(self.options.types)
        return types & wanted if wanted else types - _ECHOES

    def _each(self, into: frozenset[EdgeType], out: frozenset[EdgeType]) -> Iterator[Reach]:
        """Every edge into the symbols, or out of them; of a whole file, those of other files."""
        whole = {symbol.path for symbol in self.mine if not symbol.descriptor}
        for types, incoming in ((into, True), (out, False)):
            edges = (self.table.into_all if incoming else self.table.out_of_all)(self.first)
            for number in edges.tolist():
                edge = self.table.edge(number)
                inside = edge.src.path in whole and edge.dst.path == edge.src.path
                if edge.type in types and edge.tier <= self.options.floor and not inside:
                    yield by_edge(self.ground, number, 1, 1, incoming=incoming)

    def _around(self, into: frozenset[EdgeType], out: frozenset[EdgeType]) -> Iterator[Reach]:
        for types, incoming in ((into, True), (out, False)):
            if types:
                yield from self._walk(types, incoming=incoming)

    def _walk(self, types: frozenset[EdgeType], *, incoming: bool) -> Iterator[Reach]:
        files = types == _IMPORTS
        ends = frozenset[EdgeType]() if files else _IMPORTS
        steps = Steps(types, self.options.floor, incoming, ends, files, named_calls(types))
        levels, further = walk(self.table, self.first, steps, self.options.depth)
        self.asked.further += further
        if incoming and EdgeType.CALLS in types:
            self._tell_instead(levels)
        for depth, level in enumerate(levels, 1):
            for edge, sites in zip(level.edges.tolist(), level.sites.tolist(), strict=True):
                yield by_edge(self.ground, edge, depth, sites, incoming=incoming)
        if self.plan.leaves:
            sources = [self.first, *(level.frontier for level in levels)]
            yield from self._leaves(sources[: self.options.depth])

    def _tell_instead(self, levels: Sequence[Level]) -> None:
        """Who calls what a reached method overrides may run that method, and is no row."""
        reached = np.unique(np.concatenate([self.first, *(level.symbols for level in levels)]))
        bases = called_for(self.table, reached, self.options.floor)
        if len(bases):
            names = told_instead(self.ground.book, self.ground.view, self.table, bases.tolist())
            self.asked.instead.append(
                f"calls of {names} may run what was found, and are not counted"
            )

    def _leaves(self, sources: Iterable[Numbers]) -> Iterator[Reach]:
        """Names outside of what is indexed, each at its least depth."""
        named: dict[str, Reach] = {}
        for depth, symbols in enumerate(sources, 1):
            for symbol in symbols.tolist():
                for call in self.table.unresolved_of(symbol):
                    found = self.table.unresolved_call(call)
                    if found.why not in OUTSIDE or not found.name:
                        continue
                    known = named.setdefault(found.name, by_leaf(self.ground, call, depth))
                    if known.call != call and known.depth == depth:
                        named[found.name] = known._replace(sites=known.sites + 1)
        return iter(named.values())

    # -------------------------------------------------------------------------- weaker evidence

    def _weak(self, *, incoming: bool) -> Iterator[Weak]:
        """Direct calls that may lead into the symbols, or out of them."""
        if incoming:
            for symbol in self.mine:
                yield from self.names.into(symbol)
        else:
            for number in self.first.tolist():
                yield from self.names.out_of(number)

    def _by_name(self, known: set[Symbol | None], *, incoming: bool) -> Iterator[Reach]:
        """What names alone reach above the floor: each symbol once, none that edges reach."""
        if self.options.floor < Tier.NAMED:
            return
        best: dict[Symbol, dict[int, Weak]] = {}
        for weak in self._weak(incoming=incoming):
            symbol = weak.caller if incoming else weak.target
            if weak.tier <= self.options.floor and symbol not in known:
                best.setdefault(symbol, {}).setdefault(weak.call, weak)
        for calls in best.values():
            if self.plan.each:
                yield from (by_name(self.ground, weak, incoming=True) for weak in calls.values())
                continue
            first = min(calls.values(), key=lambda weak: (weak.tier, weak.call))
            reach = by_name(self.ground, first, incoming=incoming)
            yield reach._replace(sites=len(calls))

    def _count(self, into: frozenset[EdgeType], out: frozenset[EdgeType]) -> None:
        """What stays below the floor, and calls that are not resolved and may matter."""
        asked, floor = self.asked, self.options.floor
        for types, incoming in ((into, True), (out, False)):
            edges = (self.table.into_all if incoming else self.table.out_of_all)(self.first)
            for number in edges.tolist():
                edge = self.table.edge(number)
                asked.weaker += edge.type in types and edge.tier > floor
        if not self.plan.named or EdgeType.CALLS not in into | out:
            return
        calls = {weak.call for weak in self._weak(incoming=bool(into)) if weak.tier > floor}
        asked.weaker += len(calls)
        for number in self._unresolved(incoming=bool(into)):
            asked.reasons[self.table.unresolved_call(number).why] += 1

    def _unresolved(self, *, incoming: bool) -> set[int]:
        """Calls without a target: of something called like the symbols, or in them."""
        if not incoming:
            return {call for at in self.first.tolist() for call in self.table.unresolved_of(at)}
        words = {last_name(symbol.descriptor) for symbol in self.mine} - {""}
        return {call for word in words for call in self.table.unresolved_called(word).tolist()}


def _ends_open(symbol: Symbol, *, classes: bool) -> bool:
    """Whether a symbol stands for what it encloses: a file always, a class where it is asked to."""
    return not symbol.descriptor or (classes and symbol.descriptor.endswith("#"))

"""`Ways`: where data goes near what is explained, followed when a rule first asks.

Only the functions around are looked at (`nearby.py`), inside bounds that count bytes and work: so the
same question gives the same answer, and none waits for a whole repository. What is out of reach, cut
or in a language without data flow is said in the coverage channel `flow`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from grainline.context.cite import Reader
from grainline.context.expansion import Anchor
from grainline.context.nearby import MANY, Near, near, starts_in
from grainline.graph.rules.base import rules_of
from grainline.languages.base import LANGUAGES
from grainline.model.access import View
from grainline.model.flow import Cut, Finding, FlowPath, FlowStep, FlowWay
from grainline.model.position import Span
from grainline.model.relations import Verdict
from grainline.model.snapshot import FlagName, Outcome
from grainline.retrieval.relations.book import view_of
from grainline.retrieval.relations.views import ViewGraph, channel
from grainline.text.plural import counted

if TYPE_CHECKING:
    from grainline.flow.rows import Models
    from grainline.graph.units import Unit

NO_DATA: Final = frozenset({"permission", "ownership", "privilege"})
"""Kinds of finding whose way is one of calls, not of data."""

_FLAGS: Final = (FlagName.TEST, FlagName.VENDORED, FlagName.GENERATED)
"""Files that are looked at only when something of that kind is explained."""


class Effort(NamedTuple):
    """What one question may take.

    Attributes:
        size: bytes of the files that are looked at, in all.
        work: of the analysis (`flow.solver.WORK`).
    """

    size: int
    work: int


PLAIN: Final = Effort(64 << 10, 3_000)
"""Of any question: .2 s of CPU at most (docs/benchmarks.md)."""

KEEN: Final = Effort(512 << 10, 60_000)
"""Of one that is about data: 1.2 s of CPU at most."""


MOST: Final = 5
"""Ways that are told beside the pieces."""


class Ground(NamedTuple):
    """What data is followed with.

    Attributes:
        read: the IR of files of a view.
        models: language -> rows.
        place: a way of a view as a finding in its snapshot.
    """

    read: Callable[[View, Collection[bytes]], Sequence[Unit]]
    models: Callable[[], Mapping[str, Models]]
    place: Callable[[View, FlowPath], Finding]


class Way(NamedTuple):
    """A way of data inside one view, through `anchor` (numbers of its steps)."""

    way: FlowPath | FlowWay
    passed: tuple[int, ...]


class Ways:
    """Ways of data in the views of a scope.

    Args:
        reader: the files of the request.
        graphs: of the views.
        ground: None: data is not followed.
        keen: whether the question is about data.
    """

    def __init__(
        self, reader: Reader, graphs: Sequence[ViewGraph], ground: Ground | None, *, keen: bool
    ) -> None:
        self._reader = reader
        self._graphs = {each.view: each for each in graphs}
        self._ground = ground
        self.keen = keen
        self._found: dict[View, list[FlowPath | FlowWay]] = {}
        self._looked = False
        self._silent: set[str] = set()
        self._off: list[ViewGraph] = []
        self._left_out = 0
        self._cut = False

    @property
    def state(self) -> str:
        """What coverage says of data flow."""
        if self._ground is None:
            return "off: not asked for"
        silent = ", ".join(sorted(self._silent))
        if not self._found:
            if self._off:
                return channel(self._off)
            return f"off: not known of {silent}" if silent else "on"
        notes = [f"not known of {silent}"] if silent else []
        if self._left_out:
            least = "at least " if self._left_out >= MANY else ""
            notes.append(f"{least}{counted(self._left_out, 'file')} near by out of reach")
        if self._cut:
            notes.append("the work was cut")
        return "; ".join(["on", *notes])

    def look(self, anchors: Sequence[Anchor]) -> None:
        """Follow data around some anchors, the first ones first; once in a request."""
        if self._looked or self._ground is None:
            return
        self._looked = True
        effort = KEEN if self.keen else PLAIN
        groups: dict[tuple[View, str], list[Anchor]] = {}
        for anchor in anchors:
            if self._has_flow(anchor):
                groups.setdefault(self._group(anchor), []).append(anchor)
        for (view, _), mine in groups.items():
            self._follow(view, mine, Effort(*(most // len(groups) for most in effort)))
        for ways in self._found.values():
            ways.sort(key=_worth)

    def through(self, anchor: Anchor) -> list[Way]:
        """The ways that pass an anchor: known ones, then the shortest; assumed ones when keen."""
        corpus = self._reader.corpus
        path = corpus.path(anchor.entry)
        found = (
            Way(way, _passed(way.steps, path, anchor.span))
            for way in self._found.get(view_of(corpus, anchor.entry), ())
        )
        return [each for each in found if each.passed]

    def shown(self, spans: Mapping[tuple[View, bytes], Sequence[Span]]) -> tuple[Finding, ...]:
        """The best ways that lie in the spans that are shown, stops and reasons too, one for each sink.

        So nothing is told of a file that is not in the answer: one that changed meanwhile is not.
        """
        if self._ground is None:
            return ()
        whole = [
            (view, way)
            for view, ways in self._found.items()
            for way in ways
            if isinstance(way, FlowPath)
            and all(_lies(span, spans.get((view, path), ())) for path, span in _places(way))
        ]
        place = self._ground.place
        return tuple(place(view, replace(way, alternates=())) for view, way in whole[:MOST])

    # ------------------------------------------------------------------ parts

    def _has_flow(self, anchor: Anchor) -> bool:
        from grainline.flow.languages import semantics_of

        name = self._reader.corpus.language(anchor.entry)
        if semantics_of(name) is not None:
            return True
        if name in LANGUAGES.names() and "@ref.call" in LANGUAGES.get(name).query:
            self._silent.add(name)
        return False

    def _group(self, anchor: Anchor) -> tuple[View, str]:
        """Anchors that data can get to from each other: of one view and family of languages."""
        corpus = self._reader.corpus
        language = corpus.language(anchor.entry)
        rules = rules_of(language)
        family = language if rules is None else min(rules.languages)
        return view_of(corpus, anchor.entry), family

    def _follow(self, view: View, anchors: Sequence[Anchor], effort: Effort) -> None:
        from grainline.flow.analysis import Part, analyse
        from grainline.flow.edges import graph_of

        graph, ground = self._graphs.get(view), self._ground
        if graph is None or graph.table is None or ground is None:
            self._off += [graph] if graph is not None else []
            return
        around = self._near(view, graph, anchors, effort.size)
        self._left_out += around.left_out
        found = self._found.setdefault(view, [])
        if not around.paths:
            return
        report = analyse(
            ground.read(view, frozenset(around.paths)),
            graph_of(graph.table, around.paths),
            ground.models(),
            part=Part(around.symbols, effort.work),
        )
        self._cut = self._cut or any(
            each.cut is Cut.DEPTH and each.name.startswith("work") for each in report.boundaries
        )
        for path in report.paths:
            if path.kind not in NO_DATA:
                found += filter(self._tells, (path, *path.alternates))

    def _tells(self, way: FlowPath | FlowWay) -> bool:
        return len(way.steps) > 1 and (self.keen or way.verdict is Verdict.PATH)

    def _near(self, view: View, graph: ViewGraph, anchors: Sequence[Anchor], most: int) -> Near:
        corpus, table = self._reader.corpus, graph.table
        assert table is not None
        here = {flag for each in anchors for flag in self._flags(each.entry)}

        def size_of(path: bytes) -> int:
            for entry in corpus.find_entries(path):
                if view_of(corpus, entry) == view and self._flags(entry) <= here:
                    row = corpus.entry(entry)
                    return row.size if row.outcome is Outcome.INDEXED else -1
            return -1

        starts = [
            number
            for each in anchors
            for number in starts_in(table, corpus.path(each.entry), each.span)
        ]
        return near(table, starts, size_of, most)

    def _flags(self, entry: int) -> frozenset[FlagName]:
        bits = int(self._reader.corpus.entry_flags[entry])
        return frozenset(
            flag for at, flag in enumerate(FlagName) if bits >> at & 1 and flag in _FLAGS
        )


def _places(way: FlowPath) -> Iterator[tuple[bytes, Span]]:
    """Where everything stands that a way tells."""
    yield from ((step.path, step.span) for step in (*way.steps, *way.stops))
    yield from ((reason.path, reason.span) for reason in way.reasons)


def _lies(span: Span, shown: Sequence[Span]) -> bool:
    return any(each.start <= span.start < each.end for each in shown)


def _worth(way: FlowPath | FlowWay) -> tuple[object, ...]:
    first, last = way.steps[0], way.steps[-1]
    return (
        way.verdict is not Verdict.PATH,
        len(way.steps),
        (last.path, last.span, first.path, first.span),
    )


def _passed(steps: Sequence[FlowStep], path: bytes, span: Span) -> tuple[int, ...]:
    """Numbers of the steps inside of a span."""
    return tuple(
        number
        for number, step in enumerate(steps)
        if step.path == path and span.start <= step.span.start < span.end
    )

"""`Flows`: the methods of an engine that follow data, each about one opened scope."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from grainline.model.answers import FOLLOW, Progress
from grainline.model.flow import FlowResult, ScanOptions, TraceOptions

if TYPE_CHECKING:
    from grainline.findings.views import Analysed
    from grainline.graph.table import EdgeTable
    from grainline.indexing.graphs import Read
    from grainline.model.access import Scope, View
    from grainline.model.flow import FlowQuestion, ModelFile
    from grainline.retrieval.relations.asking import Opened
    from grainline.storage.base import Derived

KEPT = 4
"""Views whose flows are kept for the next question."""


class _Held(NamedTuple):
    """The flows of a view, and what they were made of."""

    table: EdgeTable
    models: tuple[ModelFile, ...]
    found: Analysed


class Flows:
    """Questions about data flow.

    Each raises `BadInput` when a name means nothing in scope, an option cannot be meant, a file of
    models says what models do not say, or no graph is there.
    """

    _flows: OrderedDict[tuple[View, str], _Held]
    report: Callable[[Progress], None]

    def _opened(self, scope: Scope | None) -> Opened:
        raise NotImplementedError

    def _read(self, scope: Scope, view: View) -> Read:
        """The IR of one view of a scope."""
        raise NotImplementedError

    def _keeps(self, scope: Scope, view: View, generation: str) -> Derived | None:
        """Where the flows of a view are kept, None where they must be found by themselves."""
        raise NotImplementedError

    def scan(
        self,
        *,
        scope: Scope | None = None,
        options: ScanOptions | None = None,
        since: Scope | None = None,
    ) -> FlowResult:
        """Every flow from a source to a sink that models know, and calls that are weak themselves.

        Test code is looked at, too, and marked.

        Args:
            scope: what may be looked at.
            options: kinds, models, a baseline.
            since: another scope of the same repositories: what is found there is left out here.
        """
        options = options or ScanOptions()
        from grainline.findings.scanning import check_kinds, scan
        from grainline.flow.builtin import with_files

        if options.kinds or options.models:
            check_kinds(options.kinds, with_files(options.models))
        opened = self._opened(scope)
        found, result = scan(opened, self._all(opened, options.models), options)
        known = frozenset(options.known)
        if since is not None:
            before = self.scan(scope=since, options=replace(options, known=()))
            known |= {finding.id for finding in before.findings}
        left = tuple(finding for finding in found if finding.id not in known)
        coverage = opened.covered(result)
        return FlowResult(findings=left, coverage=coverage, known=len(found) - len(left))

    def trace(
        self,
        source: str | None = None,
        target: str | None = None,
        *,
        scope: Scope | None = None,
        options: TraceOptions | None = None,
    ) -> FlowResult:
        """Whether data of one place gets to another, and along which ways.

        Args:
            source: a symbol, `PATH:LINE`, `PATH:A-B`, or the name of something outside that is
                called; what is evaluated there is the source. None: every source of the models.
            target: the same; what is called with it, or holds it, there is the sink. None: every
                sink of the models.
            scope: what may be looked at.
            options: depth and models.
        """
        from grainline.findings.tracing import trace

        options = options or TraceOptions()
        opened = self._opened(scope)

        def ask(questions: Mapping[View, FlowQuestion]) -> list[Analysed]:
            return self._all(opened, options.models, questions)

        result = trace(opened, ask, source, target, options)
        return replace(result, coverage=opened.covered(result.coverage))

    def _tell(self, done: int, total: int) -> None:
        """Say how far the search is."""
        self.report(Progress(stage=FOLLOW, done=done, total=total))

    def _all(
        self,
        opened: Opened,
        models: tuple[ModelFile, ...],
        questions: Mapping[View, FlowQuestion] | None = None,
    ) -> list[Analysed]:
        """The flows of every view of a scope, or of those that are asked about."""
        from grainline.retrieval.relations.views import check

        check(opened.graphs)
        found: list[Analysed] = []
        for graph, state in zip(opened.graphs, opened.corpus.snapshots, strict=True):
            if graph.table is None or (questions is not None and graph.view not in questions):
                continue
            question = None if questions is None else questions[graph.view]
            made = self._one(opened, graph.view, state.generation, graph.table, models, question)
            found.append(made)
        return found

    def _one(
        self,
        opened: Opened,
        view: View,
        generation: str,
        table: EdgeTable,
        models: tuple[ModelFile, ...],
        question: FlowQuestion | None,
    ) -> Analysed:
        from grainline.findings import keeping
        from grainline.findings.views import analysed
        from grainline.flow.builtin import with_files

        key = (view, generation)
        held = self._flows.get(key)
        if question is None and held is not None and (held.table, held.models) == (table, models):
            self._flows.move_to_end(key)
            return held.found
        scope = opened.corpus.scope
        derived = self._keeps(scope, view, generation) if question is None else None
        name = "" if derived is None else keeping.flow_key(view, generation, table, models)
        found = None if derived is None else keeping.find(derived, name, view)
        if found is None:
            parts = None if derived is None else keeping.Parts(derived, name)
            said = keeping.said_of(models)
            read, rows = self._read(scope, view), with_files(models)
            try:
                found = analysed(
                    view, read, table, rows, question, said=said, kept=parts, tell=self._tell
                )
            finally:
                self._tell(1, 1)  # also where somebody stops it: nothing is told any more
            if derived is not None and parts is not None:
                keeping.put(derived, name, found, parts.used)
        if question is not None:
            return found
        self._flows[key] = _Held(table, models, found)
        if len(self._flows) > KEPT:
            self._flows.popitem(last=False)
        return found

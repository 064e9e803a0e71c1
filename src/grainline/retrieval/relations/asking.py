"""`Relations`: the methods of an engine that ask for relations, each about one opened scope."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from grainline.model.relations import (
    GraphOptions,
    GraphResult,
    PathResult,
    Relation,
    RelationOptions,
    RelationResult,
)

if TYPE_CHECKING:
    from grainline.model.access import Scope
    from grainline.model.search import CoverageRecord
    from grainline.retrieval.relations.views import ViewGraph
    from grainline.storage.base import Corpus


class Opened(NamedTuple):
    """A scope that is asked: graphs of its views, which entries may be shown, and what an answer covers."""

    corpus: Corpus
    graphs: Sequence[ViewGraph]
    admit: Callable[[Sequence[int]], Sequence[bool]]
    covered: Callable[[CoverageRecord], CoverageRecord]


class Relations:
    """Questions about relations.

    Each raises `BadInput` when a name means nothing in scope, an option cannot be meant, or no
    graph is there.
    """

    def _opened(self, scope: Scope | None, about: Sequence[str] = ()) -> Opened:
        """A scope with the graphs of the views in which one of the names means something; all without."""
        raise NotImplementedError

    def callers(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """What calls a symbol, directly and through others."""
        return self._related(Relation.CALLERS, symbol, scope, options)

    def callees(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """What a symbol calls; names outside of what is indexed are leaves."""
        return self._related(Relation.CALLEES, symbol, scope, options)

    def refs(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """Every place that refers to a symbol: a row each."""
        return self._related(Relation.REFS, symbol, scope, options)

    def implements(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """What implements, extends or overrides a symbol, and what it implements itself."""
        return self._related(Relation.IMPLEMENTS, symbol, scope, options)

    def imports(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """Who imports a symbol, file or module, and what it imports."""
        return self._related(Relation.IMPORTS, symbol, scope, options)

    def impact(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """What a change of a symbol may reach: callers, overrides, subclasses, importers, tests."""
        return self._related(Relation.IMPACT, symbol, scope, options)

    def path(
        self,
        source: str,
        target: str,
        *,
        scope: Scope | None = None,
        options: RelationOptions | None = None,
    ) -> PathResult:
        """A shortest path of calls from one symbol to another."""
        from grainline.retrieval.relations.paths import DEPTH, path

        opened = self._opened(scope, (source, target))
        options = options or RelationOptions(depth=DEPTH)
        found = path(opened.corpus, opened.graphs, source, target, options, admit=opened.admit)
        return replace(found, coverage=opened.covered(found.coverage))

    def graph(
        self, *, scope: Scope | None = None, options: GraphOptions | None = None
    ) -> GraphResult:
        """The edges of some types between the symbols of a scope; no file is read again."""
        from grainline.retrieval.relations.whole import whole

        opened = self._opened(scope)
        found = whole(opened.corpus, opened.graphs, options)
        return replace(found, coverage=opened.covered(found.coverage))

    def _related(
        self,
        relation: Relation,
        symbol: str,
        scope: Scope | None,
        options: RelationOptions | None,
    ) -> RelationResult:
        from grainline.retrieval.relations.related import related

        opened = self._opened(scope, (symbol,))
        found = related(opened.corpus, opened.graphs, relation, symbol, options, admit=opened.admit)
        return replace(found, coverage=opened.covered(found.coverage))

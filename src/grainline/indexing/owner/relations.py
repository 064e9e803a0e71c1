"""The questions about relations that cross the socket: their types, and who asks them."""

from __future__ import annotations

from typing import Any, Protocol

from grainline.model.access import Scope
from grainline.model.relations import (
    GraphOptions,
    GraphResult,
    PathResult,
    RelationOptions,
    RelationResult,
    ScipResult,
)


class RelationAnswers(Protocol):
    """The part of `Answers` that asks for relations."""

    def callers(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """See `Relations.callers`."""
        ...

    def callees(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """See `Relations.callees`."""
        ...

    def refs(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """See `Relations.refs`."""
        ...

    def implements(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """See `Relations.implements`."""
        ...

    def imports(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """See `Relations.imports`."""
        ...

    def impact(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """See `Relations.impact`."""
        ...

    def path(
        self,
        source: str,
        target: str,
        *,
        scope: Scope | None = None,
        options: RelationOptions | None = None,
    ) -> PathResult:
        """See `Relations.path`."""
        ...

    def graph(
        self, *, scope: Scope | None = None, options: GraphOptions | None = None
    ) -> GraphResult:
        """See `Relations.graph`."""
        ...

    def scip(
        self, *, scope: Scope | None = None, options: GraphOptions | None = None
    ) -> ScipResult:
        """See `Engine.scip`."""
        ...


RELATION_NAMES = (
    "callers", "callees", "refs", "implements", "imports", "impact", "path", "graph",
    "scip",
)  # fmt: skip


class RelationAsker:
    """Asks all of them through `_call`."""

    def _call(self, name: str, **arguments: Any) -> Any:
        raise NotImplementedError

    def _related(
        self, name: str, symbol: str, scope: Scope | None, options: RelationOptions | None
    ) -> RelationResult:
        found: RelationResult = self._call(name, symbol=symbol, scope=scope, options=options)
        return found

    def callers(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """See `Relations.callers`."""
        return self._related("callers", symbol, scope, options)

    def callees(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """See `Relations.callees`."""
        return self._related("callees", symbol, scope, options)

    def refs(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """See `Relations.refs`."""
        return self._related("refs", symbol, scope, options)

    def implements(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """See `Relations.implements`."""
        return self._related("implements", symbol, scope, options)

    def imports(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """See `Relations.imports`."""
        return self._related("imports", symbol, scope, options)

    def impact(
        self, symbol: str, *, scope: Scope | None = None, options: RelationOptions | None = None
    ) -> RelationResult:
        """See `Relations.impact`."""
        return self._related("impact", symbol, scope, options)

    def path(
        self,
        source: str,
        target: str,
        *,
        scope: Scope | None = None,
        options: RelationOptions | None = None,
    ) -> PathResult:
        """See `Relations.path`."""
        found: PathResult = self._call(
            "path", source=source, target=target, scope=scope, options=options
        )
        return found

    def graph(
        self, *, scope: Scope | None = None, options: GraphOptions | None = None
    ) -> GraphResult:
        """See `Relations.graph`."""
        found: GraphResult = self._call("graph", scope=scope, options=options)
        return found

    def scip(
        self, *, scope: Scope | None = None, options: GraphOptions | None = None
    ) -> ScipResult:
        """See `Engine.scip`."""
        found: ScipResult = self._call("scip", scope=scope, options=options)
        return found

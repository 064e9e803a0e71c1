"""What can be asked of a home: the methods of `Engine` that answer and write nothing.

The hints of `Answers` are the form of requests and answers between processes: what they name, and
only that, crosses the socket.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, get_type_hints

from grainline.indexing.owner.flows import FLOW_NAMES, FlowAnswers
from grainline.indexing.owner.relations import RELATION_NAMES, RelationAnswers
from grainline.model.access import Bounds, Policy, Scope, View
from grainline.model.answers import (
    OutlineResult,
    ReadResult,
    RefreshReport,
    ShowResult,
    StatusResult,
    WhyResult,
)
from grainline.model.evidence import ContextOptions, ContextResult
from grainline.model.search import SearchOptions, SearchResult

if TYPE_CHECKING:
    from grainline.model.answers import IndexReport
    from grainline.snapshots.options import ReadOptions


class Answers(RelationAnswers, FlowAnswers, Protocol):
    """Asked by surfaces; `Engine` is one, and so is what stands for an engine elsewhere."""

    def scope(
        self,
        *,
        repos: tuple[str, ...] = (),
        refs: tuple[str, ...] = (),
        principal: str | None = None,
        within: Bounds | None = None,
    ) -> Scope:
        """See `Engine.scope`."""
        ...

    def everything(
        self,
        principal: str | None = None,
        *,
        repos: tuple[str, ...] = (),
        within: Bounds | None = None,
    ) -> Scope:
        """See `Engine.everything`."""
        ...

    def policy(self) -> Policy | None:
        """See `Engine.policy`."""
        ...

    def search(
        self, query: str, *, scope: Scope | None = None, options: SearchOptions | None = None
    ) -> SearchResult:
        """See `Engine.search`."""
        ...

    def context(
        self,
        query: str = "",
        *,
        scope: Scope | None = None,
        options: ContextOptions | None = None,
        at: str | None = None,
        target: str | None = None,
        pasted: str | None = None,
    ) -> ContextResult:
        """See `Engine.context`."""
        ...

    def read(self, citation: str, *, scope: Scope | None = None) -> ReadResult:
        """See `Engine.read`."""
        ...

    def show(self, symbol: str, *, scope: Scope | None = None) -> ShowResult:
        """See `Engine.show`."""
        ...

    def outline(self, path: str, *, scope: Scope | None = None) -> OutlineResult:
        """See `Engine.outline`."""
        ...

    def status(self, *, scope: Scope | None = None, paths: bool = False) -> StatusResult:
        """See `Engine.status`."""
        ...

    def why(self, path: bytes, *, scope: Scope | None = None) -> WhyResult:
        """See `Engine.why`."""
        ...

    def roots(self, *, scope: Scope | None = None) -> dict[str, str]:
        """See `Engine.roots`."""
        ...


class Refreshing(Answers, Protocol):
    """An engine that follows work trees in memory."""

    def refresh(
        self,
        view: View,
        paths: Collection[bytes] | None = None,
        *,
        read: ReadOptions | None = None,
    ) -> RefreshReport:
        """See `Engine.refresh`."""
        ...

    def commit(self, view: View, *, read: ReadOptions | None = None) -> IndexReport:
        """See `Engine.commit`."""
        ...

    def warm(self, view: View) -> None:
        """See `Engine.warm`."""
        ...

    def rest(self, wake: Callable[[], None] = ...) -> bool:
        """See `Engine.rest`."""
        ...

    def makes_edges(self, scope: Scope | None = None, about: Sequence[str] = ()) -> bool:
        """See `Engine.makes_edges`."""
        ...

    def looked_at(self) -> Mapping[View, float]:
        """See `Engine.looked_at`."""
        ...

    def work_trees(self, scope: Scope | None = None) -> tuple[View, ...]:
        """See `Engine.work_trees`."""
        ...

    def close(self) -> None:
        """See `Engine.close`."""
        ...


class Method(NamedTuple):
    """The types of one method: of its parameters, and of what it returns."""

    parameters: Mapping[str, Any]
    result: Any


NAMES = (
    "scope",
    "everything",
    "policy",
    "search",
    "context",
    "read",
    "show",
    "outline",
    "status",
    "why",
    "roots",
    *RELATION_NAMES,
    *FLOW_NAMES,
)


@cache
def method(name: str) -> Method:
    """The types of a method of `Answers`."""
    hints = get_type_hints(getattr(Answers, name))
    result = hints.pop("return")
    return Method(hints, result)

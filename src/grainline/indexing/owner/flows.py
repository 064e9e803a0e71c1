"""The questions about data flow that cross the socket: their types, and who asks them."""

from __future__ import annotations

from typing import Any, Protocol

from grainline.model.access import Scope
from grainline.model.flow import FlowResult, ScanOptions, TraceOptions


class FlowAnswers(Protocol):
    """The part of `Answers` that follows data."""

    def scan(
        self,
        *,
        scope: Scope | None = None,
        options: ScanOptions | None = None,
        since: Scope | None = None,
    ) -> FlowResult:
        """See `Flows.scan`."""
        ...

    def trace(
        self,
        source: str | None = None,
        target: str | None = None,
        *,
        scope: Scope | None = None,
        options: TraceOptions | None = None,
    ) -> FlowResult:
        """See `Flows.trace`."""
        ...


FLOW_NAMES = ("scan", "trace")


class FlowAsker:
    """Asks both through `_call`."""

    def _call(self, name: str, **arguments: Any) -> Any:
        raise NotImplementedError

    def scan(
        self,
        *,
        scope: Scope | None = None,
        options: ScanOptions | None = None,
        since: Scope | None = None,
    ) -> FlowResult:
        """See `Flows.scan`."""
        found: FlowResult = self._call("scan", scope=scope, options=options, since=since)
        return found

    def trace(
        self,
        source: str | None = None,
        target: str | None = None,
        *,
        scope: Scope | None = None,
        options: TraceOptions | None = None,
    ) -> FlowResult:
        """See `Flows.trace`."""
        found: FlowResult = self._call(
            "trace", source=source, target=target, scope=scope, options=options
        )
        return found

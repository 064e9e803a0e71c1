"""A client that closes its output still gets the answers to what it asked before.

The server of the SDK ends with its input and drops the requests that are open then. These streams
stand between it and the transport: the end of the input is told when every request is answered.
"""

from __future__ import annotations

import contextvars
from types import TracebackType
from typing import Protocol, Self, TypeAlias

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

Incoming: TypeAlias = SessionMessage | Exception

CANCELLED = "notifications/cancelled"


class _Closing:
    """A stream that ends with its block."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close it."""
        raise NotImplementedError


class Source(Protocol):
    """Where messages come from."""

    async def receive(self) -> Incoming: ...  # noqa: D102
    async def aclose(self) -> None: ...  # noqa: D102


class Drain(Protocol):
    """Where messages go."""

    async def send(self, item: SessionMessage, /) -> None: ...  # noqa: D102
    async def aclose(self) -> None: ...  # noqa: D102


class Open:
    """Requests that were read and are not answered yet."""

    def __init__(self) -> None:
        self._ids: set[types.RequestId] = set()
        self._fewer = anyio.Event()

    def read(self, message: Incoming) -> None:
        """A message came in: a request is open now, or nobody waits for one any more."""
        told = message.message if isinstance(message, SessionMessage) else None
        if isinstance(told, types.JSONRPCRequest):
            self._ids.add(told.id)
        elif isinstance(told, types.JSONRPCNotification) and told.method == CANCELLED:
            self._settle((told.params or {}).get("requestId"))

    def written(self, message: SessionMessage) -> None:
        """A message went out: an answer settles its request."""
        if isinstance(message.message, types.JSONRPCResponse | types.JSONRPCError):
            self._settle(message.message.id)

    def _settle(self, request: types.RequestId | None) -> None:
        if request in self._ids:
            self._ids.remove(request)
            self._fewer.set()
            self._fewer = anyio.Event()

    async def settled(self, seconds: float) -> None:
        """Wait until none is open, but not longer than so many seconds."""
        with anyio.move_on_after(seconds):
            while self._ids:
                await self._fewer.wait()


class Reading(_Closing):
    """The input, whose end waits until what was read is answered."""

    def __init__(self, inner: Source, open_: Open, seconds: float) -> None:
        self._inner = inner
        self._open = open_
        self._seconds = seconds

    @property
    def last_context(self) -> contextvars.Context | None:
        """The context of the sender of the last message."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Incoming:
        """The next message."""
        try:
            message = await self._inner.receive()
        except anyio.EndOfStream:
            await self._open.settled(self._seconds)
            raise
        self._open.read(message)
        return message

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Incoming:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        """Close the input."""
        await self._inner.aclose()


class Writing(_Closing):
    """The output."""

    def __init__(self, inner: Drain, open_: Open) -> None:
        self._inner = inner
        self._open = open_

    async def send(self, item: SessionMessage, /) -> None:
        """Write a message."""
        await self._inner.send(item)
        self._open.written(item)

    async def aclose(self) -> None:
        """Close the output."""
        await self._inner.aclose()

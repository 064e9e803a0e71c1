"""The socket of the owner: checks who asks, hands requests to the engine's thread, sends answers.

A thread per connection, and few of them: a client that is slow or dead keeps its own thread waiting
for a bounded time, and nobody else's answer.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from grainline.errors import GrainlineError
from grainline.indexing.owner.codec import Json, Malformed, codec_of
from grainline.indexing.owner.methods import NAMES, method
from grainline.indexing.owner.protocol import (
    MAX_REQUEST,
    PROTOCOL,
    Broken,
    build,
    dump_error,
    is_trusted,
    load_arguments,
    receive,
    send,
)

CONNECTIONS = 32
"""Served at a time; one more is told to help itself."""

REQUEST_TIME = 2.0  # seconds for a request to arrive
ANSWER_TIME = 120.0  # seconds that the engine may take, waiting for its turn included
SEND_TIME = 20.0  # seconds for a client to take its answer

Ask: TypeAlias = Callable[[str, Mapping[str, Any]], "Future[object] | None"]
"""Put a call to the engine in its queue; None when the queue is full."""


class Server:
    """Listens until closed.

    Args:
        path: of the socket; whatever lies there is left over, for the caller has the owner lock.
        ask: hands a call to the engine.
    """

    def __init__(self, path: Path, ask: Ask) -> None:
        self._path = path
        self._ask = ask
        self._free = threading.BoundedSemaphore(CONNECTIONS)
        self._closed = threading.Event()
        self._listener = _listen(path)
        self._socket = path.lstat()
        self._thread = threading.Thread(target=self._accept, name="grainline-owner", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening; answers on their way still leave.

        What lies at the path by now may be the socket of another owner, of a home made anew. While
        ours is open, no other file has its inode.
        """
        self._closed.set()
        with suppress(OSError):
            if os.path.samestat(self._path.lstat(), self._socket):
                self._path.unlink()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(2.0)

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:
                if self._closed.wait(0.1):  # else out of descriptors for a moment
                    return
                continue
            if not self._free.acquire(blocking=False):
                connection.close()
                continue
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                if is_trusted(connection):
                    self._answer(connection)
            except (Broken, Malformed):
                pass  # the client sees the end of the connection and helps itself
            finally:
                self._free.release()

    def _answer(self, connection: socket.socket) -> None:
        until = time.monotonic() + REQUEST_TIME
        request = receive(connection, limit=MAX_REQUEST, until=until)
        refused = self._refused(request)
        greeting = {"protocol": PROTOCOL, "build": build(), "pid": os.getpid(), "refused": refused}
        send(connection, greeting, until=until)
        if not refused:
            reply = self._reply(request)
            try:
                send(connection, reply, until=time.monotonic() + SEND_TIME)
            except Malformed:
                refusal = {"refused": "the answer has no form here"}
                send(connection, refusal, until=time.monotonic() + SEND_TIME)

    def _refused(self, request: Mapping[str, Json]) -> str:
        if request.get("protocol") != PROTOCOL or request.get("build") != build():
            return "another version of grainline runs there"
        return "" if request.get("method") in NAMES else "no such method"

    def _reply(self, request: Mapping[str, Json]) -> dict[str, Json]:
        name = str(request["method"])
        types = method(name)
        future = self._ask(name, load_arguments(types.parameters, request.get("arguments")))
        if future is None:
            return {"refused": "too many requests wait"}
        try:
            return {"value": codec_of(types.result).dump(future.result(ANSWER_TIME))}
        except GrainlineError as failure:
            return {"error": dump_error(failure)}
        except Late:
            future.cancel()
            return {"refused": "it took too long"}
        except (Malformed, RecursionError):
            return {"refused": "the answer has no form here"}
        except Exception as failure:
            return {"refused": f"a defect: {type(failure).__name__}"}


def _listen(path: Path) -> socket.socket:
    """A socket that only this user can open: it has its mode before it has its name."""
    with suppress(FileNotFoundError):
        path.unlink()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        before = os.umask(0o177)
        try:
            listener.bind(os.fspath(path))
        finally:
            os.umask(before)
        listener.listen(CONNECTIONS)
        listener.settimeout(1.0)
    except BaseException:
        listener.close()
        raise
    return listener

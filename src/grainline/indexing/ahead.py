"""Edges of the newest state of followed work trees, made while nobody waits.

    rest ─ a piece at a time: IR that is missing ─ what the process was not told ─▶ it resolves ─▶ bridges, kept

Resolution takes seconds of a large component, so it is done in a process of its own (`edgework.py`),
and what is left for the thread of the engine is done in pieces, between which it answers.

**Invariants**: what is made is that which a question would have made, for both run `Resolver`, and is
kept under the key of the state that it was made of, once it is whole. What is made for a state of the
past is thrown away. Where the process fails the question makes what it needs.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any, Protocol, TypeAlias

from grainline.errors import GrainlineError, ResourceExhausted
from grainline.graph.resolve import without_collector
from grainline.indexing.edgework import Asked, Content, Edgework, encode_asked, read_resolved
from grainline.indexing.graphs import Graphs, code_size, entries_of, shaping
from grainline.indexing.irs import ir_key
from grainline.indexing.kept import Kept
from grainline.indexing.setup import EDGES
from grainline.indexing.workers import Death, Worker, WorkerLimits, worker_command
from grainline.model.access import View
from grainline.storage.base import Corpus

MAX_CODE = 12 << 20
"""Bytes of code of a view whose edges are made ahead: the process takes 60 to 80 times as much memory."""

LIMITS = WorkerLimits(batch_cpu=120.0, wall=600.0)
PIECE = 64
"""Files that are told at a time."""

FAILURES = 2
"""Of the process, one after the other, after which it is not tried again."""

SETTLE = 0.5
"""Seconds without another save after which edges are made, if nobody waits for them: saves come in bursts."""

MAX_SETTLE = 8.0
"""The same after saves that came while edges were made: twice as long each time, up to this."""

IDLE = 900.0
"""Seconds without a save after which the process is ended."""

Pieces: TypeAlias = "Generator[Future[Any] | None]"
"""Pieces of work: None, or what has to be done before the next one."""


class Resolving(Protocol):
    """What resolves: `Worker`, or this process."""

    def exchange(self, request: bytes, cpu: float) -> bytes | Death:
        """The answer to a request."""
        ...

    def kill(self) -> None:
        """End it, from any thread."""
        ...

    def close(self) -> None:
        """Clean up."""
        ...


class Here:
    """The same without a process: nothing can end it, so for tests and small trees only."""

    def __init__(self) -> None:
        self._work = Edgework()

    def exchange(self, request: bytes, cpu: float) -> bytes | Death:
        """The answer to a request."""
        del cpu
        return b"".join(self._work.answer(request))

    def kill(self) -> None:
        """Nothing to end."""

    def close(self) -> None:
        """Nothing to end."""


def resolving_process() -> Resolving:
    """A process that resolves."""
    return Worker(worker_command(LIMITS), EDGES, LIMITS)


class Ahead:
    """Makes the edges of one state after the other.

    Args:
        graphs: whose edges these are.
        start: starts what resolves.
    """

    def __init__(self, graphs: Graphs, start: Callable[[], Resolving] = resolving_process) -> None:
        self._graphs = graphs
        self._start = start
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="grainline-edges")
        self._resolving: Resolving | None = None
        self._told: set[bytes] = set()
        self._last: set[bytes] = set()
        self._busy = False
        self._asked_at = 0.0
        self._failures = 0
        self._ended: dict[View, tuple[str, bool]] = {}
        self._lowers = self._warm = False
        self._key = ""
        self._pieces: Pieces | None = None
        self._waits: Future[Any] | None = None
        self._wake: Callable[[], None] = lambda: None
        self._quiet: _Quiet | None = None
        self._settle = SETTLE

    def wants(self, view: View, key: str) -> bool:
        """Whether the edges of a state were not tried yet, and are worth it."""
        return self._failures < FAILURES and self._ended.get(view, ("", False))[0] != key

    def has(self, view: View, key: str) -> bool:
        """Whether the edges of a state were made here, and are there."""
        return self._ended.get(view) == (key, True) and self._graphs.held(key) is not None

    @property
    def is_warm(self) -> bool:
        """Whether the IR of what did not change is there: a question need not make it with all workers."""
        return self._warm

    def step(
        self, view: View, opened: Callable[[], Corpus], key: str, wake: Callable[[], None]
    ) -> bool:
        """Do a piece of what makes the edges of a state; whether something can be done at once.

        Args:
            view: which.
            opened: its corpus, all of it.
            key: of its table.
            wake: called, from any thread, when the next piece can be done.
        """
        self._wake = wake  # before the look at what is done: who asked last is told
        self._begin(view, opened, key)
        if self._waits is not None and not self._waits.done():
            return False
        self._next()
        if self._waits is None:
            return True
        self._waits.add_done_callback(lambda _: self._wake())
        return False

    def finish(self, corpus: Corpus, key: str) -> Kept | None:
        """The edges of the one view of `corpus`, waited for; None where they could not be made so."""
        (view,) = corpus.scope.views
        if key != self._key or self._lowers:  # all workers lower for a question
            self.drop()
            self._graphs.read(corpus)
        self._begin(view, lambda: corpus, key)
        while self._pieces is not None:
            self.hurry()
            if self._waits is not None:
                wait((self._waits,))
            self._next()
        return self._graphs.held(key)

    def hurry(self) -> None:
        """Somebody waits: go on at once."""
        if self._quiet is not None:
            self._quiet.end()

    def rest(self) -> None:
        """End a process that was not asked for long: it holds the IR of all files."""
        if not self._busy and time.monotonic() - self._asked_at > IDLE:
            self._end()

    def drop(self) -> None:
        """Forget what is being made."""
        if self._pieces is not None:
            self._pieces.close()
        self._key, self._pieces, self._waits = "", None, None
        self.hurry()
        if self._busy:
            self._settle = min(2 * self._settle, MAX_SETTLE)
            self._end()

    def close(self) -> None:
        """End the process."""
        self.drop()
        self._end()
        self._thread.shutdown()

    # ------------------------------------------------------------------ pieces

    def _begin(self, view: View, opened: Callable[[], Corpus], key: str) -> None:
        if key != self._key:
            self.drop()
            self._key, self._pieces = key, self._all(view, opened, key)

    def _next(self) -> None:
        assert self._pieces is not None, "something is begun"
        try:
            with without_collector():
                self._waits = next(self._pieces)
        except StopIteration:
            self._key, self._pieces, self._waits = "", None, None

    def _all(self, view: View, opened: Callable[[], Corpus], key: str) -> Pieces:
        """As `_table`, where there is no such table yet; how that ended is remembered for the view."""
        if self._graphs.held(key) is None:
            self._quiet = _Quiet(self._settle)
            yield self._quiet.over
            with suppress(GrainlineError, OSError):  # a question that meets it tells
                corpus = opened()
                yield None
                if code_size(corpus) <= MAX_CODE:
                    yield from self._table(corpus, key)
        self._ended[view] = key, self._graphs.held(key) is not None

    def _table(self, corpus: Corpus, key: str) -> Pieces:
        graphs = self._graphs
        entries = {entry: ir_key(corpus, entry) for entry in entries_of(corpus)}
        yield None
        self._lowers = True
        try:
            yield from graphs.lowering(corpus, {ir: entry for entry, ir in entries.items()})
            self._warm = True
        finally:
            self._lowers = False
        files: list[tuple[bytes, bytes]] = []
        fresh: dict[bytes, Content] = {}
        for number, (entry, ir) in enumerate(entries.items()):
            packed = graphs.ir(ir)
            if packed is None:  # a worker died of it: who asks tries again
                return
            if packed.data:
                files.append((corpus.path(entry), ir))
                if ir not in self._told and ir not in fresh:
                    fresh[ir] = _content(corpus, entry, packed.data)
            if number % PIECE == PIECE - 1:
                yield None
        request = encode_asked(Asked(corpus.fingerprint, files, shaping(corpus), fresh))
        answer = yield from self._asked(request)
        found = read_resolved(answer, [path for path, _ in files]) if answer is not None else None
        if found is None:
            self._failures += 1
            self._end()
            return
        self._failures, self._settle = 0, SETTLE
        now = {ir for _, ir in files}
        self._told, self._last = self._last | now, now
        yield None
        kept = yield from graphs.bridging(corpus, graphs.read(corpus), found)
        yield None
        graphs.remember(key, kept)

    def _asked(self, request: bytes) -> Generator[Future[Any] | None, None, bytes | None]:
        """What the process answers; None where it failed."""
        resolving = self._resolving = self._resolving or self._start()
        self._busy, self._asked_at = True, time.monotonic()
        future = self._thread.submit(resolving.exchange, request, LIMITS.batch_cpu)
        yield future
        self._busy = False
        try:
            answer = future.result()
        except ResourceExhausted:  # it did not even start
            return None
        return answer if isinstance(answer, bytes) else None

    def _end(self) -> None:
        """End the process, and what it was told with it."""
        resolving, self._resolving = self._resolving, None
        self._told, self._last, self._busy = set(), set(), False
        if resolving is not None:
            resolving.kill()
            self._thread.submit(resolving.close)


class _Quiet:
    """Some seconds, or less when they are ended."""

    def __init__(self, seconds: float) -> None:
        self.over: Future[None] = Future()
        self._timer = threading.Timer(seconds, self._tell)
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        """It is over."""
        self._timer.cancel()
        self._tell()

    def _tell(self) -> None:
        with suppress(InvalidStateError):
            self.over.set_result(None)


def _content(corpus: Corpus, entry: int, ir: bytes) -> Content:
    names = [(row.name_start, row.descriptor) for row in corpus.outline(entry)]
    return Content(corpus.language(entry), ir, names)

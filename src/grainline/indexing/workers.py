"""Killable worker processes: whatever a blob does to its parser, the index run goes on.

**Invariant**: an answer is either a checked `ContentBatch` made from exactly the jobs asked, or a
`Death` with its reason. A batch that dies is retried blob by blob; a blob that dies alone twice is
quarantined. Where a process dies never changes what is stored for the other blobs.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar

from grainline.errors import ResourceExhausted
from grainline.indexing.frames import (
    ANSWER_HEAD,
    EXIT_MEMORY,
    MAX_ANSWER,
    READY,
    REQUEST_HEAD,
    Analysed,
    FrameError,
    Job,
    decode_answer,
    decode_jobs,
    encode_answer,
    encode_jobs,
    failed_batch,
)
from grainline.indexing.hints import language_of
from grainline.indexing.setup import Setup
from grainline.languages.detect import HEAD
from grainline.model.snapshot import Reason
from grainline.snapshots.scratch import Scratch

PREFIX = "grainline-worker-"  # temporary folders are called so, then the pid of their process
PIPE_BYTES = 1 << 20  # what Linux grants without privilege; fewer switches between the processes
TICK = 0.2  # seconds between two looks at a silent worker
LAST_WORDS = 400  # bytes kept of what a dying worker says
CROWD = (
    2  # batches that wait before another worker starts: that costs about as much as 1 MB of files
)
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

# The whole command line program of a worker: it limits itself before it imports anything of ours.
BOOT = """
import resource, sys
def limit(kind, most):
    hard = resource.getrlimit(kind)[1]
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(kind, (most, most))
try:
    limit(resource.RLIMIT_AS, int(sys.argv[1]))
except (ValueError, OSError):
    pass  # macOS refuses; the parent watches
limit(resource.RLIMIT_CORE, 0)
sys.path.extend(sys.argv[2:])
from grainline.indexing.child import main
main()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLimits:
    """What one request may cost. Wall time is only a net for workers that wait for nothing.

    A batch of 1 MB takes about 0.3 CPU seconds and 200 MB; the limits are far above that, so that
    outcomes do not depend on the machine. `address_space` and `resident` in bytes.
    """

    batch_cpu: float = 15.0
    blob_cpu: float = 8.0
    wall: float = 120.0
    address_space: int = 3 << 29
    resident: int = 1 << 30
    retire: int = 400 << 20
    answer: int = MAX_ANSWER


class Death(NamedTuple):
    """Why a worker gave no answer."""

    reason: Reason
    detail: str


Answered = TypeVar("Answered")
Another = TypeVar("Another")


class Crew(Protocol[Answered]):
    """Something that works on batches, in other processes or in this one."""

    ahead: int
    """Futures that may wait; more would only take memory."""

    def submit(self, jobs: Sequence[Job]) -> Future[tuple[Answered, ...]]:
        """The answers to `jobs`, in order, in one or more pieces."""
        ...

    def close(self) -> None:
        """End every process; unfinished futures never finish."""
        ...


class Analysts(Crew[Analysed], Protocol):
    """Something that analyses batches."""

    def begin(self, jobs: Sequence[Job]) -> Future[tuple[Analysed, ...]]:
        """As `submit`, for who soon asks for the result, or cancels it."""
        ...


class Errand(NamedTuple, Generic[Answered]):
    """What workers are asked for.

    Attributes:
        setup: the first frame that every worker gets.
        read: checks the answer to some jobs; raises `FrameError`.
        fail: what stands for the answer about a job that got none.
        again: what is made of the answer about a job whose own crash was retried as text, and of
            how it had crashed; None where text alone is no use.
        lowering: whether IR is asked for, which a worker of any setup makes.
    """

    setup: bytes
    read: Callable[[bytes, Sequence[Job]], Answered]
    fail: Callable[[Job, Death], Answered]
    again: Callable[[Answered, str], Answered] | None = None
    lowering: bool = False


def analysis(setup: Setup) -> Errand[Analysed]:
    """Facts, chunks and counts, as `setup` says."""
    return Errand(setup.encode(), decode_answer, _quarantined, _noted)


# ---------------------------------------------------------------------------------------- pool


class Pool(Generic[Answered]):
    """Worker processes, started when there is work enough for them, replaced when they die.

    Args:
        errand: what they do.
        size: most processes at once.
        limits: what a request may cost.
        command: argv of a worker; None for the real one.
    """

    def __init__(
        self,
        errand: Errand[Answered],
        *,
        size: int,
        limits: WorkerLimits,
        command: Sequence[str] | None = None,
    ) -> None:
        self._errand = errand
        self._limits = limits
        self._command = tuple(command) if command else worker_command(limits)
        self._executor = ThreadPoolExecutor(max_workers=size, thread_name_prefix="grainline")
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._idle: list[Worker] = []
        self._alive: set[Worker] = set()
        self._waiting = self._busy = 0  # batches
        self._level = 0  # the most that were busy at once: about as many workers live
        self._closed = False
        self.ahead = 2 * size

    def submit(self, jobs: Sequence[Job]) -> Future[tuple[Answered, ...]]:
        """The answers to `jobs`: one piece, or more when a worker died on the way."""
        return self.send(self._errand, jobs)

    def begin(self, jobs: Sequence[Job]) -> Future[tuple[Answered, ...]]:
        """As `submit`, without a thread in between where a worker is idle.

        Handing a save to a thread and back takes a third of the CPU that it costs this process.
        """
        with self._lock:
            if self._closed or self._waiting or not self._idle:
                worker = None
            else:
                worker = self._idle.pop()
                self._busy += 1
                self._level = max(self._level, self._busy)
        return self.submit(jobs) if worker is None else _Begun(self, worker, tuple(jobs))

    def read(
        self, worker: Worker, unsent: memoryview, jobs: tuple[Job, ...]
    ) -> tuple[Answered, ...] | None:
        """The answer of a worker that was begun with; None when it died over it."""
        payload = worker.receive(unsent, self.cpu_of(jobs))
        answer = self._read(self._errand, worker, payload, jobs)
        return None if isinstance(answer, Death) else (answer,)

    def cpu_of(self, jobs: Sequence[Job]) -> float:
        """Seconds of processor time that one request for these may take."""
        return self._limits.batch_cpu if len(jobs) > 1 else self._limits.blob_cpu

    def over(self, worker: Worker) -> None:
        """A worker that was begun with is free again, or gone."""
        self._give_back(worker)
        with self._changed:
            self._busy -= 1
            self._changed.notify()

    def send(self, errand: Errand[Another], jobs: Sequence[Job]) -> Future[tuple[Another, ...]]:
        """As `submit`, on another errand than that of the pool."""
        with self._changed:
            self._waiting += 1
            self._changed.notify()
        return self._executor.submit(self._answer, errand, tuple(jobs))

    def processes(self) -> tuple[int, ...]:
        """Ids of the living processes."""
        with self._lock:
            return tuple(worker.process for worker in self._alive)

    def close(self) -> None:
        """Kill every process and wait for the threads that watch them."""
        with self._lock:
            self._closed = True
            self._changed.notify_all()
            alive = list(self._alive)
        for worker in alive:
            worker.kill()
        self._executor.shutdown(cancel_futures=True)
        for worker in alive:
            worker.close()

    def _answer(self, errand: Errand[Another], jobs: tuple[Job, ...]) -> tuple[Another, ...]:
        with self._turn():
            if len(jobs) > 1:
                answer = self._ask(errand, jobs, self._limits.batch_cpu)
                if not isinstance(answer, Death):
                    return (answer,)
            return tuple(self._alone(errand, job) for job in jobs)

    @contextlib.contextmanager
    def _turn(self) -> Generator[None]:
        """Wait until a worker is free, or there is work enough for one more."""
        with self._changed:
            self._changed.wait_for(self._may_begin)
            self._waiting -= 1
            self._busy += 1
            self._level = max(self._level, self._busy)
        try:
            yield
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify()

    def _may_begin(self) -> bool:
        return self._busy < self._level or not self._level or self._waiting >= CROWD or self._closed

    def _alone(self, errand: Errand[Another], job: Job) -> Another:
        """One blob by itself: two tries, then as text if its crash is its own, then quarantine."""
        death = Death(Reason.PARSER_CRASH, "")
        for _ in range(2):
            answer = self._ask(errand, (job,), self._limits.blob_cpu)
            if not isinstance(answer, Death):
                return answer
            death = answer
        again = errand.again
        if again is not None and death.reason is Reason.PARSER_CRASH:
            answer = self._ask(errand, (job._replace(text_only=True),), self._limits.blob_cpu)
            if not isinstance(answer, Death):
                return again(answer, death.detail)
        return errand.fail(job, death)

    def _ask(self, errand: Errand[Another], jobs: tuple[Job, ...], cpu: float) -> Another | Death:
        with self._worker() as worker:
            payload = worker.exchange(encode_jobs(jobs), cpu, lowering=errand.lowering)
        return self._read(errand, worker, payload, jobs)

    def _read(
        self,
        errand: Errand[Another],
        worker: Worker,
        payload: bytes | Death,
        jobs: tuple[Job, ...],
    ) -> Another | Death:
        if isinstance(payload, Death):
            return payload
        try:
            return errand.read(payload, jobs)
        except FrameError as error:
            worker.kill()
            return Death(Reason.PARSER_CRASH, f"answer refused: {error}")

    @contextlib.contextmanager
    def _worker(self) -> Generator[Worker]:
        worker = self._borrow()
        try:
            yield worker
        finally:
            self._give_back(worker)

    def _borrow(self) -> Worker:
        with self._lock:
            if self._closed:
                raise PoolClosedError
            if self._idle:
                return self._idle.pop()
            worker = Worker(self._command, self._errand.setup, self._limits)
            self._alive.add(worker)
            return worker

    def _give_back(self, worker: Worker) -> None:
        with self._lock:
            if worker.usable():
                self._idle.append(worker)
                return
            self._alive.discard(worker)
        worker.close()


class _Begun(Future[tuple[Answered, ...]]):
    """A request that a worker has; the thread that asks for the result reads the answer."""

    def __init__(self, pool: Pool[Answered], worker: Worker, jobs: tuple[Job, ...]) -> None:
        super().__init__()
        self._pool, self._jobs = pool, jobs
        self._worker: Worker | None = worker
        try:
            self._unsent = worker.send(encode_jobs(jobs), pool.cpu_of(jobs))
        except BaseException:
            self._let_go()
            raise

    def result(self, timeout: float | None = None) -> tuple[Answered, ...]:
        """The answer; when the worker dies over it, that of others as `Pool.submit` asks them."""
        if self._worker is not None:
            try:
                answer = self._pool.read(self._worker, self._unsent, self._jobs)
            finally:
                self._let_go()
            self.set_result(self._pool.submit(self._jobs).result() if answer is None else answer)
        return super().result(timeout)

    def cancel(self) -> bool:
        """Nobody will ask: the worker is ended, for its answer would be taken for the next one."""
        if self._worker is not None:
            self._worker.kill()
            self._let_go()
        return super().cancel()

    def _let_go(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            self._pool.over(worker)


class Lent(Generic[Answered]):
    """The workers of a pool on another errand: warm where the pool is, and not ended by `close`."""

    def __init__(self, pool: Pool[Analysed], errand: Errand[Answered]) -> None:
        self._pool = pool
        self._errand = errand
        self.ahead = pool.ahead

    def submit(self, jobs: Sequence[Job]) -> Future[tuple[Answered, ...]]:
        """See `Pool.submit`."""
        return self._pool.send(self._errand, jobs)

    def close(self) -> None:
        """Nothing to end: the pool goes on."""


def _quarantined(job: Job, death: Death) -> Analysed:
    language = language_of(job.key.hint, job.data[:HEAD])
    return Analysed(batch=failed_batch(job, language, *death), barren={}, fruitful={})


def _noted(answered: Analysed, detail: str) -> Analysed:
    """The answer about one blob, with what happened before."""
    blobs = tuple(replace(blob, detail=detail) for blob in answered.batch.blobs)
    return replace(answered, batch=replace(answered.batch, blobs=blobs))


class PoolClosedError(Exception):
    """The pool was closed while work was waiting; only seen by futures that nobody reads."""


class InProcess:
    """The same analysis without a process: no protection, so for tests and trusted bytes only."""

    ahead = 0

    def __init__(self, setup: Setup) -> None:
        from grainline.indexing.analyse import Analyser  # loads parsers

        self._analyser = Analyser(setup)

    def submit(self, jobs: Sequence[Job]) -> Future[tuple[Analysed, ...]]:
        """The analysis of `jobs`, done when this returns."""
        future: Future[tuple[Analysed, ...]] = Future()
        pieces = encode_answer(self._analyser.analyse(decode_jobs(encode_jobs(jobs))))
        future.set_result((decode_answer(b"".join(pieces), jobs),))
        return future

    begin = submit

    def close(self) -> None:
        """Nothing to end."""


# -------------------------------------------------------------------------------------- worker


class Worker:
    """One process, and one request at a time. Used by one thread; `kill` by any."""

    def __init__(self, command: Sequence[str], setup: bytes, limits: WorkerLimits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._healthy = False
        self._folder = Scratch(PREFIX)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=self._folder.path,
            env=ENVIRONMENT,
            start_new_session=True,
        )
        self._requests, self._answers, self._words = self._pipes()
        self._setup: bytes | None = setup

    def exchange(self, request: bytes, cpu: float, *, lowering: bool = False) -> bytes | Death:
        """The answer to `request`, which may take `cpu` seconds of processor time.

        Raises:
            ResourceExhausted: the process could not even start.
        """
        return self.receive(self.send(request, cpu, lowering=lowering), cpu)

    def send(self, request: bytes, cpu: float, *, lowering: bool = False) -> memoryview:
        """Begin an exchange; returns what the pipe has not taken yet, for `receive`.

        Raises:
            ResourceExhausted: the process could not even start.
        """
        self._healthy = False
        if self._setup is not None:
            self._start(self._setup)
            self._setup = None
        return self._send(_framed(request, cpu, lowering=lowering))

    def receive(self, unsent: memoryview, cpu: float) -> bytes | Death:
        """End an exchange: the answer to what was sent."""
        answer = self._roundtrip(unsent, cpu)
        self._healthy = isinstance(answer, bytes)
        return answer

    @property
    def process(self) -> int:
        """Its id."""
        return self._process.pid

    def usable(self) -> bool:
        """Whether the process lives, answered last time, and is not bloated."""
        return (
            self._healthy
            and self._process.returncode is None
            and resident(self._process.pid) < self._limits.retire
        )

    def kill(self) -> None:
        """End the process and everything it started, now."""
        with self._lock:
            self._healthy = False
            if self._process.returncode is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Kill and clean up."""
        self.kill()
        self._reap(patience=0.0)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        self._folder.close()

    def _pipes(self) -> tuple[int, int, int]:
        streams = (self._process.stdin, self._process.stdout, self._process.stderr)
        fds = [stream.fileno() for stream in streams if stream is not None]
        for fd in fds:
            os.set_blocking(fd, False)
        for fd in fds[:2]:
            # Linux only, and not past the user's share of pipe memory
            with contextlib.suppress(OSError, AttributeError):
                fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        requests, answers, words = fds
        return requests, answers, words

    def _start(self, setup: bytes) -> None:
        cpu = self._limits.batch_cpu
        answer = self._roundtrip(_framed(setup, cpu), cpu)
        if answer == READY:
            return
        cause = answer.detail if isinstance(answer, Death) else "it does not speak our language"
        raise ResourceExhausted(
            "worker_failed",
            f"a worker process did not start: {cause}",
            hint="run `grainline doctor`; if memory is short, use fewer workers",
        )

    def _roundtrip(self, outgoing: memoryview, cpu: float) -> bytes | Death:
        incoming = _Incoming(self._limits.answer)
        poller = select.poll()
        poller.register(self._answers, select.POLLIN)
        if outgoing:
            poller.register(self._requests, select.POLLOUT)
        watch = _Watch(self._limits)
        while True:
            events = poller.poll(TICK * 1000)
            for fd, _ in events:
                if fd == self._requests:
                    outgoing = self._send(outgoing)
                    if not outgoing:
                        poller.unregister(self._requests)
                elif not incoming.receive(self._answers):
                    return self._cause_of_death(cpu, watch.peak)
            if incoming.complete:
                return incoming.body()
            if incoming.oversized:
                self.kill()
                return Death(Reason.PARSER_MEMORY, "its answer is larger than allowed")
            if death := watch.look(self._process.pid):
                self.kill()
                return death

    def _send(self, outgoing: memoryview) -> memoryview:
        try:
            return outgoing[os.write(self._requests, outgoing) :]
        except BlockingIOError:
            return outgoing
        except BrokenPipeError:
            return outgoing[:0]  # it is dead; its output ends, too, and tells

    def _cause_of_death(self, cpu: float, peak: int) -> Death:
        """Why the output ended, from how the process did.

        `peak` is the most resident memory that was seen: the system's own maximum starts with the
        size of the process that started it.
        """
        self._reap(patience=1.0)
        code = self._process.returncode
        if code == EXIT_MEMORY:
            return Death(Reason.PARSER_MEMORY, "out of memory")
        if code == -signal.SIGXCPU:
            return Death(Reason.PARSER_TIMEOUT, f"more than {cpu:g} s of processor time")
        if code == -signal.SIGKILL:
            return Death(Reason.PARSER_MEMORY, "killed by the system")
        # native code aborts when an allocation fails
        if code < 0 and peak > self._limits.address_space // 2:
            return Death(Reason.PARSER_MEMORY, "out of memory")
        if code < 0:
            return Death(Reason.PARSER_CRASH, signal.Signals(-code).name)
        return Death(Reason.PARSER_CRASH, self._last_words() or f"exit status {code}")

    def _last_words(self) -> str:
        try:
            words = os.read(self._words, LAST_WORDS)
        except BlockingIOError:
            return ""
        text = words.decode("ascii", "replace").strip()
        return "".join(char if char.isprintable() else "?" for char in text)

    def _reap(self, *, patience: float) -> None:
        """Wait for the end; after `patience` seconds, make it."""
        deadline = time.monotonic() + patience
        while True:
            with self._lock:  # so that `kill` never meets a process id that is free again
                if self._process.returncode is not None:
                    return
                pid, status = os.waitpid(self._process.pid, os.WNOHANG)
                if pid:
                    self._process.returncode = os.waitstatus_to_exitcode(status)
                    return
            if time.monotonic() >= deadline:
                self.kill()
            time.sleep(0.002)


def _framed(request: bytes, cpu: float, *, lowering: bool = False) -> memoryview:
    return memoryview(REQUEST_HEAD.pack(len(request), cpu, lowering) + request)


class _Incoming:
    """An answer as it arrives: its length, then its bytes, into one buffer."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray(ANSWER_HEAD.size)
        self._filled = 0
        self._has_head = False
        self.oversized = False

    @property
    def complete(self) -> bool:
        return self._has_head and self._filled == len(self._buffer)

    def receive(self, fd: int) -> bool:
        """Take what is there; False at the end of input."""
        try:
            got = os.readv(fd, [memoryview(self._buffer)[self._filled :]])
        except BlockingIOError:
            return True
        self._filled += got
        if not self._has_head and self._filled == len(self._buffer):
            self._begin_body()
        return got > 0

    def body(self) -> bytes:
        return bytes(self._buffer)

    def _begin_body(self) -> None:
        (size,) = ANSWER_HEAD.unpack(self._buffer)
        self.oversized = size > self._limit
        self._buffer = bytearray(0 if self.oversized else size)
        self._filled = 0
        self._has_head = True


class _Watch:
    """Looks at a process every tick: time on the wall, memory in use."""

    def __init__(self, limits: WorkerLimits) -> None:
        self._limits = limits
        now = time.monotonic()
        self._deadline = now + limits.wall
        self._next = now + TICK
        self.peak = 0

    def look(self, pid: int) -> Death | None:
        now = time.monotonic()
        if now >= self._deadline:
            return Death(Reason.PARSER_TIMEOUT, f"no answer in {self._limits.wall:g} s")
        if now < self._next:
            return None
        self._next = now + TICK
        now_resident = resident(pid)
        self.peak = max(self.peak, now_resident)
        if now_resident > self._limits.resident:
            return Death(Reason.PARSER_MEMORY, "more resident memory than allowed")
        return None


def resident(pid: int) -> int:
    """Resident bytes of a process, 0 when it is gone."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_bytes().split()
    except OSError:
        return 0 if sys.platform == "linux" else _resident_by_ps(pid)
    return int(fields[1]) * resource.getpagesize() if fields else 0


def _resident_by_ps(pid: int) -> int:
    command = ("/bin/ps", "-o", "rss=", "-p", str(pid))
    shown = subprocess.run(command, capture_output=True, check=False, env={})
    return int(shown.stdout.strip() or 0) * 1024


def worker_command(limits: WorkerLimits) -> tuple[str, ...]:
    """The argv of a worker: isolated, without site, with our own import path and nothing else's."""
    return (
        sys.executable,
        "-I",
        "-S",
        "-c",
        BOOT,
        str(limits.address_space),
        *import_path(),
    )


def import_path() -> tuple[str, ...]:
    """The folders that hold this package and what it needs: never the current one."""
    found = [importlib.util.find_spec(name) for name in ("grainline", "numpy", "tree_sitter")]
    origins = [spec.origin for spec in found if spec is not None and spec.origin is not None]
    return tuple(dict.fromkeys(str(Path(origin).resolve().parent.parent) for origin in origins))


def cores() -> int:
    """Processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # absent on macOS
    return len(affinity(0)) if affinity else os.cpu_count() or 1

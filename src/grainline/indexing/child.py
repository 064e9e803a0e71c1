"""The program that a worker process runs: requests in, answers out, until its input ends.

`workers.BOOT` starts it, in an empty directory and without environment, after it has limited itself.
"""

from __future__ import annotations

import gc
import itertools
import math
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable
from types import TracebackType

from grainline.indexing.frames import (
    ANSWER_HEAD,
    EXIT_BUG,
    EXIT_MEMORY,
    READY,
    REQUEST_HEAD,
    decode_jobs,
    encode_answer,
)
from grainline.indexing.setup import EDGES, LOWER, Setup

COLLECT_EVERY = 64  # requests; about 64 MB of source


def main() -> None:
    """Serve requests on the standard streams; the first frame is the setup."""
    sys.excepthook = _last_words
    answers = os.dup(1)
    os.dup2(2, 1)  # what native code may print never reaches the answers
    os.set_blocking(2, False)
    _, _, setup = _read_frame(0)
    work = _work(setup)
    _write(answers, [READY])
    gc.disable()  # it would look at millions of tuples for cycles: a sixth of the time
    for number in itertools.count(1):
        seconds, lowering, request = _read_frame(0)
        if not request:
            return
        _limit_cpu(seconds)
        _write(answers, (_lower if lowering else work)(request))
        if number % COLLECT_EVERY == 0:
            gc.collect()  # while nobody waits: it takes as long as ten saves of a file


def _work(setup: bytes) -> Callable[[bytes], list[bytes]]:
    """What is done with every request that does not say otherwise."""
    if setup == LOWER:
        return _lower
    if setup == EDGES:
        from grainline.indexing.edgework import serve

        return serve().answer
    from grainline.indexing.analyse import Analyser

    analyser = Analyser(Setup.decode(setup))
    return lambda request: encode_answer(analyser.analyse(decode_jobs(request)))


def _lower(request: bytes) -> list[bytes]:
    """The IR of blobs."""
    from grainline.indexing.lower import lower_all

    return lower_all(decode_jobs(request))


def _limit_cpu(seconds: float) -> None:
    """The kernel ends this process after `seconds` more of its own time (an orphan, too)."""
    most = math.ceil(time.process_time() + seconds)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (most, hard))


def _read_frame(fd: int) -> tuple[float, bool, bytes]:
    """(CPU seconds it may take, whether IR is asked for, the next request); b"" at the end of input."""
    head = _read(fd, REQUEST_HEAD.size)
    if not head:
        return 0.0, False, b""
    size, seconds, lowering = REQUEST_HEAD.unpack(head)
    return seconds, lowering, _read(fd, size)


def _read(fd: int, size: int) -> bytes:
    buffer = bytearray(size)
    view = memoryview(buffer)
    at = 0
    while at < size:
        got = os.readv(fd, [view[at:]])
        if not got:
            return b""
        at += got
    return bytes(buffer)


def _write(fd: int, pieces: list[bytes]) -> None:
    for piece in (ANSWER_HEAD.pack(sum(map(len, pieces))), *pieces):
        view = memoryview(piece)
        while view:
            view = view[os.write(fd, view) :]


def _last_words(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Type and place of an exception, never its message: that may hold source text."""
    if issubclass(kind, MemoryError):
        os._exit(EXIT_MEMORY)
    place = traceback.extract_tb(trace)[-1]
    file = "/".join(place.filename.split("/")[-2:])
    words = f"{kind.__name__} at {file}:{place.lineno}\n"
    os.write(2, words.encode())
    os._exit(EXIT_BUG)

"""Ends of a process at chosen moments, in a forked child."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from grainline.storage import sqlite, writing

STEPS = ("add_part", "flip", "next_part")


def in_child(work: Callable[[], object]) -> int:
    """Run `work` in a forked process; its wait status."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def die_at(moment: int) -> None:
    """In this process, make the `moment`-th end of a durable step the last thing that happens.

    The steps are those of the store: sync, register a part, flip, flush; counted before and after.
    """
    passed = 0

    def tick() -> None:
        nonlocal passed
        passed += 1
        if passed == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    def counting(step: Callable[..., object]) -> Callable[..., object]:
        def wrapped(*args: object, **options: object) -> object:
            tick()
            result = step(*args, **options)
            tick()
            return result

        return wrapped

    sqlite.os.fsync = counting(os.fsync)  # type: ignore[assignment]
    for name in STEPS:
        setattr(sqlite.SqliteCatalog, name, counting(getattr(sqlite.SqliteCatalog, name)))
    writing.PartWriter.flush = counting(writing.PartWriter.flush)  # type: ignore[method-assign]

"""Temporary folders of this process: nobody removes them while it lives, the next one does afterwards.

A folder names the process that made it and is locked as long as that lives. The lock counts where the
number says nothing: processes of another container may share the place but not the numbers. Cleaners of
temporary files that respect locks leave it alone, too.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
import weakref
from contextlib import suppress
from functools import cache
from pathlib import Path

from grainline.processes import is_alive

ABANDONED = 86_400.0
"""Age in seconds from which a temporary folder that names no process is nobody's."""


class Scratch:
    """A new temporary folder, there until it is closed or this process ends.

    Args:
        prefix: what its name begins with; a dash at its end.

    Raises:
        OSError: it cannot be made.
    """

    def __init__(self, prefix: str) -> None:
        sweep(prefix)
        self._prefix = prefix
        self._make()

    def _make(self) -> None:
        self.path, lock = _locked(self._prefix)
        self._cleanup = weakref.finalize(self, _remove, self.path, lock)

    def restore(self) -> bool:
        """Make another folder in place of one that somebody removed; whether that was so.

        Raises:
            OSError: it cannot be made.
        """
        if not self._cleanup.alive or self.path.is_dir():
            return False
        self._cleanup()
        self._make()
        return True

    @property
    def is_open(self) -> bool:
        """Whether it was not closed."""
        return self._cleanup.alive

    def close(self) -> None:
        """Remove it."""
        self._cleanup()


def _locked(prefix: str) -> tuple[Path, int]:
    """A new folder and the handle that locks it; a sweep may be quicker than the lock."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-"))
        with suppress(FileNotFoundError):
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            with suppress(OSError):  # a file system without locks: the number has to do
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            if path.is_dir():
                return path, lock
            os.close(lock)


def _remove(path: Path, lock: int) -> None:
    shutil.rmtree(path, ignore_errors=True)
    os.close(lock)


@cache
def sweep(prefix: str) -> None:
    """Remove what killed processes of this user left behind, once per process.

    Args:
        prefix: folders are called so, then the pid of their process, a dash and anything.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with suppress(OSError):
            if _is_left(left, prefix):
                _sweep_one(left)


def _sweep_one(folder: Path) -> None:
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # or it is in use: BlockingIOError
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


def _is_left(folder: Path, prefix: str) -> bool:
    status = folder.lstat()
    if status.st_uid != os.getuid():
        return False
    pid, dash, _ = folder.name.removeprefix(prefix).partition("-")
    if dash:
        return pid.isdecimal() and not is_alive(int(pid))
    return time.time() - status.st_mtime > ABANDONED

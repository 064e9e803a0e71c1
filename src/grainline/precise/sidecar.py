"""A process beside ours that is not trusted: limited, watched, and killed with all it started.

It runs in its own session with next to no environment, in a folder that is thrown away. Nothing
keeps it from reading what its user may read or from using the network: that is for the system.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PIECE: Final = 1 << 16
"""Bytes read or written at once."""
TICK: Final = 0.25
"""Seconds between two looks at the memory."""
MARK: Final = "GRAINLINE_SIDECAR"
"""Variable by which what a process started is found, wherever it went."""
_FILE_LIMIT: Final = 1 << 30


class Stopped(Exception):  # noqa: N818 - says why it is over
    """The process is of no use any more; `code` is a stable word."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a process may take: seconds in all, bytes of memory (with its children), of output."""

    seconds: float
    memory: int
    output: int


def find(programs: Sequence[str]) -> str | None:
    """The absolute path of the first program that is installed; never one of a relative `PATH`."""
    for name in programs:
        found = shutil.which(name)
        if found is not None and os.path.isabs(found):  # noqa: PTH117 - of a text
            return found
    return None


def environment(folder: Path, programs: Sequence[str], extra: Mapping[str, str]) -> dict[str, str]:
    """All that the process is told: a `PATH` with its tools, folders of its own, `extra`."""
    folders = [str(Path(program).parent) for program in programs]
    told = {
        "PATH": os.pathsep.join(dict.fromkeys((*folders, *os.defpath.split(os.pathsep)))),
        "LC_ALL": "C.UTF-8",
        MARK: secrets.token_hex(16),
    }
    for name, part in (("HOME", "home"), ("TMPDIR", "tmp"), ("XDG_CACHE_HOME", "cache")):
        own = folder / part
        own.mkdir(mode=0o700, exist_ok=True)
        told[name] = str(own)
    return {**told, **extra}


class Sidecar:
    """One process. `close` must be called; it never raises."""

    def __init__(
        self, command: Sequence[str], cwd: Path, told: Mapping[str, str], bounds: Bounds
    ) -> None:
        """Start it.

        Raises:
            Stopped: it cannot be started (`absent`).
        """
        self._bounds = bounds
        self._end = time.monotonic() + bounds.seconds
        self._looked = 0.0
        self._output = 0
        self._mark = f"{MARK}={told.get(MARK, '')}".encode()
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd=cwd,
                env=dict(told),
                start_new_session=True,
            )
        except OSError as error:
            raise Stopped("absent", f"{command[0]!r}: {error.strerror}") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in = self._process.stdin.fileno()
        self._out = self._process.stdout.fileno()
        for end in (self._in, self._out):
            os.set_blocking(end, False)
        _limit(self._process.pid, bounds)

    def write(self, data: bytes, seconds: float, hear: Callable[[bytes], None]) -> None:
        """Write all of `data`; what the process says meanwhile goes to `hear`.

        Raises:
            Stopped: as `read`, and `slow` when it does not take the data in time.
        """
        until = min(time.monotonic() + seconds, self._end)
        rest = memoryview(data)
        while rest:
            readable, writable = self._wait(until, write=True)
            if readable:
                hear(self._take())
            if writable:
                try:
                    rest = rest[os.write(self._in, rest[:PIECE]) :]
                except BlockingIOError:
                    continue
                except OSError:
                    raise Stopped("died", self._fate()) from None
            elif not readable and time.monotonic() >= until:
                raise Stopped("slow", f"it did not read for {seconds:g} s")

    def read(self, until: float) -> bytes:
        """The next bytes that it says, b"" when it says none before `until` (monotonic).

        Raises:
            Stopped: `died`, `flood` (more output than it may), `memory`, `late` (its time is up).
        """
        while True:
            readable, _ = self._wait(min(until, self._end))
            if readable:
                return self._take()
            if time.monotonic() >= min(until, self._end):
                self.look()
                return b""

    def look(self) -> None:
        """Look at its time and memory.

        Raises:
            Stopped: `late` or `memory`.
        """
        now = time.monotonic()
        if now >= self._end:
            raise Stopped("late", f"all of its {self._bounds.seconds:g} s are over")
        if now - self._looked < TICK:
            return
        self._looked = now
        used = sum(members(self._process.pid).values())
        if used > self._bounds.memory:
            raise Stopped("memory", f"{used >> 20} MB, the most is {self._bounds.memory >> 20}")

    def _wait(self, until: float, *, write: bool = False) -> tuple[bool, bool]:
        """Whether it can be read from and written to now, after at most a tick."""
        self.look()
        waiting = select.poll()
        waiting.register(self._out, select.POLLIN)
        if write:
            waiting.register(self._in, select.POLLOUT)
        left = max(0.0, min(until - time.monotonic(), TICK))
        ready = {end for end, _ in waiting.poll(left * 1000)}
        return self._out in ready, self._in in ready

    def _take(self) -> bytes:
        try:
            data = os.read(self._out, PIECE)
        except BlockingIOError:
            return b""
        if not data:
            raise Stopped("died", self._fate())
        self._output += len(data)
        if self._output > self._bounds.output:
            raise Stopped("flood", f"more than {self._bounds.output} bytes of output")
        return data

    def _fate(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return f"it ended with {self._process.wait(TICK)}"
        return "it closed its output"

    def close(self) -> None:
        """Kill it and all that it started."""
        for _ in range(3):  # what starts while we kill is found the next time
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
            left = _marked(self._mark)
            for pid in left:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            if not left:
                break
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)


def _limit(pid: int, bounds: Bounds) -> None:
    """No core files, no huge files, an end of CPU time even if we are gone."""
    if sys.platform == "linux":
        import resource

        seconds = int(bounds.seconds * 4) + 60
        for kind, most in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_FSIZE, _FILE_LIMIT),
            (resource.RLIMIT_CPU, seconds),
        ):
            with contextlib.suppress(OSError, ValueError):
                resource.prlimit(pid, kind, (most, most))


def members(session: int) -> dict[int, int]:
    """Processes of a session -> their resident bytes."""
    return _members_of_proc(session) if sys.platform == "linux" else _members_of_ps(session)


def _members_of_ps(session: int) -> dict[int, int]:
    shown = subprocess.run(
        ("/bin/ps", "-axo", "pid=,pgid=,rss="), capture_output=True, check=False, text=True
    ).stdout
    rows = (line.split() for line in shown.splitlines())
    return {int(r[0]): int(r[2]) << 10 for r in rows if len(r) == 3 and r[1] == str(session)}


def _members_of_proc(session: int) -> dict[int, int]:
    page = os.sysconf("SC_PAGE_SIZE")
    found: dict[int, int] = {}
    for name in _pids():
        with contextlib.suppress(OSError, ValueError, IndexError):
            # behind the name, which may hold anything: state ppid pgrp session ... (rss is 22nd)
            rest = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()
            if int(rest[2]) == session or int(rest[3]) == session:
                found[name] = int(rest[21]) * page
    return found


def _marked(mark: bytes) -> list[int]:
    """Processes that were started with our mark, zombies aside (Linux only)."""
    found: list[int] = []
    for pid in _pids() if sys.platform == "linux" else ():
        with contextlib.suppress(OSError):
            if mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                found.append(pid)
    return found


def _pids() -> list[int]:
    return [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]

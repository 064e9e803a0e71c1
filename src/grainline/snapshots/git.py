# ruff: noqa: PTH118
# Paths are bytes in this file, which pathlib does not hold.
"""The only owner of git subprocesses.

git never sees the repository's own metadata: it runs on a bare `GIT_DIR` of ours in a temporary
folder, with a cleared environment, and reaches the foreign objects through
`GIT_ALTERNATE_OBJECT_DIRECTORIES`. So no configuration, hook, filter, promisor or replace ref of a
repository can take effect. Only plumbing runs, every output is bounded, every wait has an end.
"""

from __future__ import annotations

import fcntl
import io
import os
import select
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import IO, Literal, NamedTuple, TypeAlias

from grainline.errors import Refused, ResourceExhausted
from grainline.model.snapshot import Reason
from grainline.snapshots.scratch import Scratch

Algorithm: TypeAlias = Literal["sha1", "sha256"]
ID_BYTES: dict[Algorithm, int] = {"sha1": 20, "sha256": 32}

TIMEOUT = 300.0  # seconds that git may stay silent; a cold disk is slow, a hang is for ever
PATIENCE = 5.0  # seconds after which a caller may look for the cause of a silence
WINDOW = 200  # requests in flight: 200 ids of 65 bytes fit the smallest pipe (16 KiB, macOS)
MAX_DEATHS = 1000  # restarts of one reader, each blamed on one object
DATA_LIMIT = 2 << 30  # bytes of heap for a git process (Linux): a delta base may unfold to anything
READ_BUFFER = 1 << 17
PIPE_BYTES = 1 << 20  # what Linux grants without privilege; fewer switches between the processes

_CONFIG = """\
[core]
\trepositoryFormatVersion = {version}
\tbare = false
\tlogAllRefUpdates = false
\thooksPath = /dev/null
\tdeltaBaseCacheLimit = 192m
\tuntrackedCache = false
\tfsmonitor = false
\tignoreCase = {ignore_case}
\tprecomposeUnicode = {precompose}
"""


class ObjectInfo(NamedTuple):
    """What `cat-file --batch-check` says: `kind` is blob, tree, commit, tag, or a `Reason`."""

    kind: str
    id: str
    size: int


class GitObject(NamedTuple):
    """One object as stored."""

    kind: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What our `GIT_DIR` takes over from a repository: facts about its format, nothing active."""

    algorithm: Algorithm = "sha1"
    ignore_case: bool = False
    precompose: bool = False


PREFIX = "grainline-git-"
"""Temporary folders are called so, then the pid of their process."""


IDLE_READERS = 8
"""Readers of objects, a process each, that wait for the next question; others end with theirs."""

_IDLE: OrderedDict[int, weakref.ref[Git]] = OrderedDict()
"""Whose reader waits, the longest waiting first."""

_IDLE_LOCK = Lock()


class Git:
    """A private bare repository in a temporary folder that borrows one foreign object store.

    Args:
        objects: the foreign object folder, or None for a plain folder.
        dialect: object format and file-system facts.
        guard: called before each process; raises when the store must not be read (any more).
    """

    def __init__(
        self, objects: bytes | None, dialect: Dialect, guard: Callable[[], None] = lambda: None
    ) -> None:
        self.objects = objects
        self.dialect = dialect
        self._guard = guard
        self._scratch = Scratch(PREFIX)
        self.made = 1
        self._program = _find_git()
        self._idle: ObjectReader | None = None
        self._write_home()

    @property
    def home(self) -> Path:
        """The temporary `GIT_DIR`; it is another one, and `made` greater, after somebody removed it."""
        if self._scratch.restore():
            self.made += 1
            self._end_reader()
            self._write_home()
        return self._scratch.path

    def close(self) -> None:
        """End the long-lived reader and remove the temporary folder."""
        self._end_reader()
        self._scratch.close()

    def _end_reader(self) -> None:
        reader = self._take()
        if reader is not None:
            reader.close()

    @contextmanager
    def reading(self) -> Generator[ObjectReader]:
        """The long-lived reader, or another one while that is in use.

        It lives on when the block ends without an error and all its answers were taken.
        """
        reader = self._take() or ObjectReader(self)
        try:
            yield reader
        except BaseException:
            reader.close()
            raise
        self._keep(reader)

    def _take(self) -> ObjectReader | None:
        with _IDLE_LOCK:
            reader, self._idle = self._idle, None
            _IDLE.pop(id(self), None)
        return reader

    def _keep(self, reader: ObjectReader) -> None:
        with _IDLE_LOCK:
            kept = self._idle is None and self._scratch.is_open and reader.idle
            if kept:
                self._idle = reader
                _IDLE[id(self)] = weakref.ref(self)
            longest = _IDLE.popitem(last=False)[1]() if len(_IDLE) > IDLE_READERS else None
        if not kept:
            reader.close()
        if longest is not None:
            longest._end_reader()

    def read_one(self, name: str, *, limit: int) -> GitObject | Reason:
        """One object by id; see `ObjectReader.contents`."""
        with self.reading() as reader:
            (result,) = reader.contents((name,), limit=limit)
        return result

    def check(self, names: Sequence[str]) -> list[ObjectInfo]:
        """Kind, id and size of each name (an id with revision suffixes), in order."""
        results: list[ObjectInfo] = []
        deaths = 0
        while len(results) < len(names):
            rest = names[len(results) :]
            results += self._check_some(rest)
            if len(results) < len(names):
                deaths += 1
                if deaths > MAX_DEATHS:
                    raise _keeps_dying()
                results.append(ObjectInfo(Reason.CORRUPT_OBJECT, names[len(results)], -1))
        return results

    def _check_some(self, names: Sequence[str]) -> Iterator[ObjectInfo]:
        lines = self.run(
            ("cat-file", "--batch-check", "--buffer"),
            stdin="".join(f"{name}\n" for name in names).encode("ascii"),
            may_fail=True,
        )
        text = lines.decode("ascii", "replace")
        for name, line in zip(names, text.split("\n")[:-1], strict=False):
            words = line.split(" ")
            if len(words) == 3 and words[2].isdigit():
                yield ObjectInfo(words[1], words[0], int(words[2]))
            elif words[-1] == "ambiguous":
                yield ObjectInfo("ambiguous", name, -1)
            else:
                yield ObjectInfo(self.absence(name), name, -1)

    def absence(self, name: str) -> Reason:
        """Why git cannot read an object: its file is there but broken, or it is not there."""
        n = 2 * ID_BYTES[self.dialect.algorithm]
        if self.objects is None or len(name) < n:
            return Reason.MISSING_OBJECT
        found = _is_stored(self.objects, name[:n])
        return Reason.CORRUPT_OBJECT if found else Reason.MISSING_OBJECT

    def run(
        self,
        args: Sequence[str | bytes],
        *,
        stdin: bytes = b"",
        cwd: bytes | None = None,
        work_tree: bytes | None = None,
        literal: bool = True,
        on_silence: Callable[[], None] | None = None,
        max_bytes: int = 1 << 30,
        may_fail: bool = False,
    ) -> bytes:
        """Standard output of one git command.

        Args:
            args: the command without `git`.
            stdin: what it reads, spooled to a file so that nothing can block.
            cwd: working directory; the private folder by default.
            work_tree: `GIT_WORK_TREE`.
            literal: take pathspecs as they are.
            on_silence: called once when nothing came for `PATIENCE` seconds; may raise.
            max_bytes: the most output that is taken.
            may_fail: hand back what came instead of raising when git fails.

        Raises:
            GitError: it exited with an error.
            Refused: `too_many_files`, the output passed `max_bytes`.
            ResourceExhausted: it stayed silent for `TIMEOUT` seconds.
        """
        # What lists a work tree needs an index and rules, which a folder made anew has not: it fails.
        home = self.home if work_tree is None else self._scratch.path
        with tempfile.TemporaryFile(dir=home) as spool:
            spool.write(stdin)
            spool.seek(0)
            env = self._environment(work_tree, literal=literal)
            process = self.spawn(args, stdin=spool, cwd=cwd, env=env)
            try:
                output = _read_all(_Pipe(process, on_silence), max_bytes)
                status = process.wait(TIMEOUT)
            finally:
                _end(process)
        if status and not may_fail:
            raise GitError(args, status)
        return output

    def spawn(
        self,
        args: Sequence[str | bytes],
        *,
        stdin: int | IO[bytes],
        cwd: bytes | None = None,
        env: dict[bytes, bytes] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start git under the rules of this module; its output is a pipe, its errors are dropped.

        Its own session: an interrupt from the terminal is ours to handle, never git's to die of.
        """
        self._guard()
        process = subprocess.Popen(
            (self._program, *args),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=cwd or self.home,
            env=env or self._environment(None, literal=True),
            bufsize=0,
            start_new_session=True,
        )
        _limit_memory(process.pid)
        return process

    def _environment(self, work_tree: bytes | None, *, literal: bool) -> dict[bytes, bytes]:
        home = os.fsencode(self._scratch.path)
        env = {
            b"PATH": os.fsencode(os.pathsep.join((str(Path(self._program).parent), os.defpath))),
            b"HOME": home,
            b"XDG_CONFIG_HOME": home,
            b"LC_ALL": b"C",
            b"GIT_DIR": home,
            b"GIT_CONFIG_NOSYSTEM": b"1",
            b"GIT_CONFIG_GLOBAL": b"/dev/null",
            b"GIT_CONFIG_SYSTEM": b"/dev/null",
            b"GIT_ATTR_NOSYSTEM": b"1",
            b"GIT_NO_REPLACE_OBJECTS": b"1",
            b"GIT_NO_LAZY_FETCH": b"1",
            b"GIT_OPTIONAL_LOCKS": b"0",
            b"GIT_TERMINAL_PROMPT": b"0",
            b"GIT_ALLOW_PROTOCOL": b"none",
            b"GIT_LITERAL_PATHSPECS": b"1" if literal else b"0",
            b"GIT_CEILING_DIRECTORIES": b"/",
            b"GIT_INDEX_FILE": home + b"/index",
        }
        if self.objects is not None:
            env[b"GIT_ALTERNATE_OBJECT_DIRECTORIES"] = _quoted(self.objects)
        if work_tree is not None:
            env[b"GIT_WORK_TREE"] = work_tree
        if "DEVELOPER_DIR" in os.environ:  # where macOS keeps its git
            env[b"DEVELOPER_DIR"] = os.fsencode(os.environ["DEVELOPER_DIR"])
        return env

    def _write_home(self) -> None:
        home = self._scratch.path
        for folder in ("objects", "refs", "info"):
            (home / folder).mkdir()
        (home / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
        sha256 = self.dialect.algorithm == "sha256"
        config = _CONFIG.format(
            version=int(sha256),
            ignore_case=_word(self.dialect.ignore_case),
            precompose=_word(self.dialect.precompose),
        )
        if sha256:
            config += "[extensions]\n\tobjectFormat = sha256\n"
        (home / "config").write_text(config, encoding="ascii")

    def use_excludes(self, local: bytes, user: bytes | None) -> None:
        """Ignore rules beside the `.gitignore` files: `info/exclude` and the user's global ones."""
        (self.home / "info" / "exclude").write_bytes(local)
        if user is not None:
            path = self.home / "excludes"
            named = path.exists()
            path.write_bytes(user)
            if not named:
                with (self.home / "config").open("a", encoding="utf-8") as config:
                    config.write(f'[core]\n\texcludesFile = "{path}"\n')


class GitError(Exception):
    """A git command exited with an error; the caller knows what that means."""

    def __init__(self, args: Sequence[str | bytes], status: int) -> None:
        super().__init__(f"git {args[0]!r} exited with {status}")


class ObjectReader:
    """A `cat-file --batch` process with pipelined requests; restarted when an object kills it."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: io.BufferedReader | None = None
        self._deaths = 0
        self.idle = True

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            if self._pipe is not None:
                self._pipe.close()
            _end(self._process)
        self._process = self._pipe = None

    def contents(self, names: Sequence[str], *, limit: int) -> Iterator[GitObject | Reason]:
        """Each object in the order asked for.

        A missing, corrupt or too large (`limit` bytes) object is a `Reason`; the others still
        come. Content is *not* compared with the id here.
        """
        waiting: deque[str] = deque()
        self.idle = False
        sent = 0
        done = 0
        while done < len(names):
            if len(waiting) <= WINDOW // 2 and sent < len(names):
                more = names[sent : sent + WINDOW - len(waiting)]
                sent += len(more)
                waiting.extend(more)
                self._ask(more)
            result = self._answer(waiting[0], limit)
            waiting.popleft()
            done += 1
            if self._process is None and waiting:
                self._ask(waiting)
            yield result
        self.idle = True

    def _ask(self, names: Iterable[str]) -> None:
        if self._process is None:
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # seen again as the end of the answers
            self._process.stdin.write("".join(f"{name}\n" for name in names).encode("ascii"))

    def _start(self) -> None:
        self._process = self._git.spawn(("cat-file", "--batch"), stdin=subprocess.PIPE)
        pipe = _Pipe(self._process)
        pipe.widen()
        self._pipe = io.BufferedReader(pipe, READ_BUFFER)

    def _answer(self, name: str, limit: int) -> GitObject | Reason:
        assert self._pipe is not None
        words = self._pipe.readline(1000).rstrip(b"\n").split(b" ")
        if len(words) == 3 and words[2].isdigit():
            return self._content(words[1].decode("ascii", "replace"), int(words[2]), limit)
        if words[-1] == b"missing":
            return self._git.absence(name)
        return self._died()

    def _content(self, kind: str, size: int, limit: int) -> GitObject | Reason:
        assert self._pipe is not None
        if size > limit:
            self.close()
            return Reason.TOO_LARGE
        data = self._pipe.read(size + 1)
        if len(data) != size + 1:
            return self._died()
        return GitObject(kind, data[:-1])

    def _died(self) -> Reason:
        self.close()
        self._deaths += 1
        if self._deaths > MAX_DEATHS:
            raise _keeps_dying()
        return Reason.CORRUPT_OBJECT


class _Pipe(io.RawIOBase):
    """Standard output of a process; a silence of `TIMEOUT` seconds ends the process."""

    def __init__(
        self, process: subprocess.Popen[bytes], on_silence: Callable[[], None] | None = None
    ) -> None:
        assert process.stdout is not None
        self._process = process
        self._on_silence = on_silence
        self._fd = process.stdout.fileno()
        self._poll = select.poll()
        self._poll.register(self._fd, select.POLLIN | select.POLLHUP)

    def widen(self) -> None:
        """Let more wait in the pipe, where the system can (Linux) and the user's share allows it."""
        with suppress(OSError, AttributeError):
            fcntl.fcntl(self._fd, fcntl.F_SETPIPE_SZ, PIPE_BYTES)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # raw bytes suffice
        if self._on_silence is not None and not self._poll.poll(PATIENCE * 1000):
            self._on_silence()
            self._on_silence = None
        if not self._poll.poll(TIMEOUT * 1000):
            _end(self._process)
            raise ResourceExhausted(
                "git_timeout",
                f"git said nothing for {TIMEOUT:.0f} seconds",
                hint="check the disk of the repository and run again",
            )
        return os.readv(self._fd, [buffer])


def user_excludes_file() -> str | None:
    """The user's own global ignore file, as their git configuration names it, if it exists."""
    program = _find_git()
    found = subprocess.run(
        (program, "config", "--global", "--type=path", "--get", "core.excludesFile"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
        timeout=TIMEOUT,
        check=False,
    )
    named = os.fsdecode(found.stdout.rstrip(b"\n"))
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    path = Path(named) if named else Path(base) / "git" / "ignore"
    return str(path) if path.is_file() else None


def _find_git() -> str:
    folders = [part for part in os.get_exec_path() if Path(part).is_absolute()]
    program = shutil.which("git", path=os.pathsep.join(folders))
    if program is None:
        raise ResourceExhausted(
            "no_git", "git is not installed", hint="install git 2.11 or newer and run again"
        )
    return program


def _quoted(path: bytes) -> bytes:
    """A value of `GIT_ALTERNATE_OBJECT_DIRECTORIES`: C-quoted, so that `:` does not split it."""
    escaped = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'


def _word(value: bool) -> str:
    return "true" if value else "false"


def _read_all(pipe: _Pipe, max_bytes: int) -> bytes:
    parts: list[bytes] = []
    total = 0
    buffer = memoryview(bytearray(READ_BUFFER))
    while size := pipe.readinto(buffer):
        total += size
        if total > max_bytes:
            raise Refused(
                "too_many_files",
                f"git lists more than {max_bytes} bytes of paths",
                hint="index a folder inside it, or raise the limit",
            )
        parts.append(bytes(buffer[:size]))
    return b"".join(parts)


def _end(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(BrokenPipeError):
                stream.close()
    if process.poll() is None:
        process.kill()
    process.wait()


def _limit_memory(pid: int) -> None:
    if sys.platform == "linux":
        import resource

        with suppress(OSError, ValueError):  # it may be gone already
            resource.prlimit(pid, resource.RLIMIT_DATA, (DATA_LIMIT, DATA_LIMIT))


def _keeps_dying() -> Refused:
    return Refused(
        "corrupt_object",
        f"git died on more than {MAX_DEATHS} objects",
        hint="the repository is damaged; run git fsck in it",
    )


def _is_stored(objects: bytes, name: str) -> bool:
    """Whether a loose file or a pack index names the object."""
    loose = os.path.join(objects, os.fsencode(name[:2]), os.fsencode(name[2:]))
    if os.path.lexists(loose):
        return True
    raw = bytes.fromhex(name)
    with suppress(OSError), os.scandir(os.path.join(objects, b"pack")) as pack:
        return any(_pack_names(e.path, raw) for e in pack if e.name.endswith(b".idx"))
    return False


def _pack_names(path: bytes, raw: bytes) -> bool:
    """Binary search in a version 2 pack index; read with pread, for the file may be cut meanwhile."""
    with suppress(OSError):
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if os.pread(fd, 8, 0) != b"\xfftOc\0\0\0\x02":
                return False
            low = int.from_bytes(os.pread(fd, 4, 4 + 4 * raw[0])) if raw[0] else 0
            high = int.from_bytes(os.pread(fd, 4, 8 + 4 * raw[0]))
            while low < high:
                middle = (low + high) // 2
                found = os.pread(fd, len(raw), 8 + 1024 + middle * len(raw))
                if found == raw:
                    return True
                low, high = (middle + 1, high) if found < raw else (low, middle)
        finally:
            os.close(fd)
    return False

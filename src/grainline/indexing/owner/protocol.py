"""What goes over the socket, and where the socket is.

    client  request   {protocol, build, method, arguments}
    server  greeting  {protocol, build, pid, refused: "" or why}      at once
    server  reply     {value} or {error} or {refused: why}            when the engine has answered

A frame is its length in four bytes, then JSON. One request per connection.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import socket
import stat
import struct
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, cast

from grainline import errors
from grainline.indexing.owner.codec import Json, Malformed, codec_of, parse, spell

PROTOCOL = 1
"""1: the first."""

MAX_REQUEST = 8 << 20  # bytes; pasted text is at most 1 MiB, in JSON up to six times as long
MAX_REPLY = 512 << 20  # bytes; every path of a million, with its outcome, fits
MAX_NAME = 100  # bytes of a socket's path: 104 on macOS, 108 on Linux, with the end

LOCK = "owner.lock"
SOCKET = "owner.sock"


class Broken(OSError):  # noqa: N818 - what it is
    """The other side is gone, too slow, or speaks something else."""


# -------------------------------------------------------------------------------------- places


def socket_path(home: Path) -> Path:
    """Where the owner of `home` listens: in it, or in a short folder of this user's own.

    Raises:
        Broken: a folder of that name belongs to somebody else, or is open to others.
    """
    near = home.absolute() / SOCKET
    if len(os.fsencode(near)) <= MAX_NAME:
        return near
    digest = hashlib.blake2b(os.fsencode(home.resolve()), digest_size=8).hexdigest()
    return _short_folder() / f"{digest}.sock"


def _short_folder() -> Path:
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    for base in (runtime, tempfile.gettempdir(), "/tmp"):
        if base and Path(base).is_dir() and len(os.fsencode(base)) <= MAX_NAME - 40:
            folder = Path(base) / f"grainline-{os.getuid()}"
            with suppress(FileExistsError):
                folder.mkdir(mode=0o700)
            found = folder.lstat()
            mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
            if not mine or found.st_mode & 0o077:
                raise Broken(f"{folder} is not a folder of this user alone")
            return folder
    raise Broken("no folder with a short name for a socket")


class OwnerLock:
    """The lock of the one process that follows the work trees of a home; ends with the process."""

    def __init__(self, home: Path) -> None:
        self._path = home / LOCK
        self._handle: int | None = None

    def take(self) -> bool:
        """Take it, unless another process has it.

        Raises:
            ResourceExhausted: the home cannot be written, so nobody can be its owner from here.
        """
        try:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as failure:
            raise self._unwritable(failure) from failure
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        except BlockingIOError:
            os.close(handle)
            return False
        except OSError as failure:
            os.close(handle)
            raise self._unwritable(failure) from failure
        self._handle = handle
        return True

    def _unwritable(self, failure: OSError) -> errors.ResourceExhausted:
        return errors.ResourceExhausted(
            "cannot_write",
            f"its work trees cannot be followed: {LOCK} cannot be written ({failure.strerror})",
            subject=str(self._path.parent),
            hint="commands on this home look at the work trees themselves",
        )

    def is_held(self) -> bool:
        """Whether it is taken and still what others find: not when the home was removed."""
        if self._handle is None:
            return False
        try:
            found = self._path.stat()
        except OSError:
            return False
        return os.path.samestat(found, os.fstat(self._handle))

    def release(self) -> None:
        """Give it back."""
        if self._handle is not None:
            os.ftruncate(self._handle, 0)
            # closing alone leaves it to a command that is being started and has it open, too
            fcntl.flock(self._handle, fcntl.LOCK_UN)
            os.close(self._handle)
            self._handle = None


def holder(home: Path) -> int:
    """The process that owns `home`; 0 when none does.

    A look at the pid only: a probe by locking would be in the way of who takes the lock meanwhile.
    """
    try:
        pid = int((home / LOCK).read_text(encoding="ascii").strip() or "0")
        if pid > 0:
            os.kill(pid, 0)
    except PermissionError:
        return 0  # another user's process has that number by now
    except (OSError, ValueError):
        return 0
    return max(pid, 0)


@cache
def build() -> str:
    """Which code this is: size and time of every file of the package.

    Two processes of one installation agree; after an upgrade or an edit they do not.
    """
    digest = hashlib.blake2b(b"%d" % PROTOCOL, digest_size=16)
    pending = [Path(errors.__file__).parent]
    while pending:
        with suppress(OSError), os.scandir(pending.pop()) as found:
            for entry in sorted(found, key=lambda each: each.name):
                if entry.name.endswith(".py"):
                    state = entry.stat()
                    digest.update(f"{entry.name} {state.st_size} {state.st_mtime_ns}\n".encode())
                elif entry.is_dir(follow_symlinks=False) and entry.name != "__pycache__":
                    pending.append(Path(entry.path))
    return digest.hexdigest()


# -------------------------------------------------------------------------------------- frames


def send(connection: socket.socket, message: Mapping[str, Json], *, until: float) -> None:
    """Send one frame before `until` (of `time.monotonic`).

    Raises:
        Broken: it could not be.
        Malformed: the message has no form in JSON.
    """
    data = spell(message)
    view = memoryview(struct.pack(">I", len(data)) + data)
    try:
        while view:
            connection.settimeout(_left(until))
            view = view[connection.send(view[: 1 << 20]) :]
    except OSError as failure:
        raise Broken(str(failure)) from None


def receive(connection: socket.socket, *, limit: int, until: float) -> dict[str, Json]:
    """The next frame, before `until`.

    Raises:
        Broken: none came, or it is longer than `limit`.
        Malformed: it is no JSON object.
    """
    (length,) = struct.unpack(">I", _exactly(connection, 4, until))
    if length > limit:
        raise Broken(f"a frame of {length} bytes")
    found = parse(_exactly(connection, length, until))
    if not isinstance(found, dict):
        raise Malformed("no JSON object")
    return cast("dict[str, Json]", found)


def _exactly(connection: socket.socket, size: int, until: float) -> bytes:
    parts: list[bytes] = []
    try:
        while size:
            connection.settimeout(_left(until))
            part = connection.recv(min(size, 1 << 20))
            if not part:
                raise Broken("the other side hung up")
            parts.append(part)
            size -= len(part)
    except OSError as failure:
        raise Broken(str(failure)) from None
    return b"".join(parts)


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise Broken("the other side is too slow")
    return left


def peer_uid(connection: socket.socket) -> int:
    """The user at the other end, as the system tells it.

    Raises:
        Broken: it does not.
    """
    try:
        if hasattr(socket, "SO_PEERCRED"):  # Linux
            data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            return int(struct.unpack("iII", data)[1])
        # LOCAL_PEERCRED of macOS and the BSDs: struct xucred {version, uid, ngroups, groups}
        data = connection.getsockopt(0, 1, 76)
        return int(struct.unpack_from("II", data)[1])
    except (OSError, struct.error) as failure:
        raise Broken(f"the peer is unknown: {failure}") from None


def is_trusted(connection: socket.socket) -> bool:
    """Whether the peer is this user, or root."""
    return peer_uid(connection) in (os.getuid(), 0)


# -------------------------------------------------------------------------------------- values


def dump_arguments(hints: Mapping[str, Any], values: Mapping[str, object]) -> Json:
    """Arguments of a method as JSON.

    Raises:
        Malformed: they are none.
    """
    if not values.keys() <= hints.keys():
        raise Malformed(f"{sorted(values.keys() - hints.keys())} are no arguments")
    try:
        return {name: codec_of(hints[name]).dump(value) for name, value in values.items()}
    except RecursionError:
        raise Malformed("it nests too deeply") from None


def load_arguments(hints: Mapping[str, Any], tree: Json) -> dict[str, Any]:
    """Inverse of `dump_arguments`.

    Raises:
        Malformed: they are none.
    """
    if not isinstance(tree, dict):
        raise Malformed("no arguments")
    given = cast("dict[str, Json]", tree)
    if not given.keys() <= hints.keys():
        raise Malformed(f"{sorted(given.keys() - hints.keys())} are no arguments")
    return {name: codec_of(hints[name]).load(value) for name, value in given.items()}


def dump_error(failure: errors.GrainlineError) -> Json:
    """An error as JSON."""
    parts = (failure.code, failure.message, failure.subject, failure.hint, failure.path)
    return [type(failure).__name__, *parts]


def load_error(tree: Json) -> errors.GrainlineError:
    """Inverse of `dump_error`.

    Raises:
        Malformed: it is no error.
    """
    kind, code, message, subject, hint, path = codec_of(
        tuple[str, str, str, str, str, str | None]
    ).load(tree)
    found = getattr(errors, kind, None)
    if not isinstance(found, type) or not issubclass(found, errors.GrainlineError):
        raise Malformed(f"{kind!r} is no error")
    return found(code, message, subject=subject, hint=hint, path=path)

"""Every error that grainline raises on purpose.

    GrainlineError
    ├── BadInput           exit 2    wrong path, ref, option, symbol; nothing was written
    ├── Refused            exit 3    a safety rule or a limit said no
    ├── Damaged            exit 4    the index is damaged or of another format; the repair is named
    ├── ResourceExhausted  exit 5    disk, memory or an endpoint gave out
    ├── Locked             exit 6    another process writes this home
    ├── CheckFailed        exit 7    a check found something
    └── Interrupted        exit 130  stopped by the user; the next run resumes

A message says what was tried, on what, what is allowed and what to do next. "Does not exist" and
"not yours to see" are the same error, word for word.
"""

from __future__ import annotations


class GrainlineError(Exception):
    """An error for a person: one line `error[CODE] subject: message; hint`.

    Args:
        code: stable, machine-readable word, e.g. `unknown_ref`.
        message: what was tried and what is wrong, values shown as `!r`.
        subject: what it is about: `repo@ref path`, escaped for a terminal.
        hint: what to do next.
        path: the path concerned, escaped, if there is one.
    """

    exit_code = 2

    def __init__(
        self, code: str, message: str, *, subject: str = "", hint: str = "", path: str | None = None
    ) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.subject = subject
        self.hint = hint
        self.path = path

    def __str__(self) -> str:
        head = f"error[{self.code}]"
        if self.subject:
            head = f"{head} {self.subject}"
        tail = f"; {self.hint}" if self.hint else ""
        return f"{head}: {self.message}{tail}"


class BadInput(GrainlineError):
    """The request cannot be meant: nothing was written."""

    exit_code = 2


class Refused(GrainlineError):
    """A safety rule or a limit forbids it: nothing was written."""

    exit_code = 3


class Damaged(GrainlineError):
    """The index on disk fails a checksum or is of a format this version does not read."""

    exit_code = 4


class ResourceExhausted(GrainlineError):
    """Disk, memory or a remote endpoint gave out; the last generation still answers."""

    exit_code = 5


class Locked(GrainlineError):
    """Another process holds the writer lock of this home."""

    exit_code = 6


class CheckFailed(GrainlineError):
    """A check ran and found something."""

    exit_code = 7


class Interrupted(GrainlineError):
    """Stopped by the user; what is finished is kept and the next run resumes."""

    exit_code = 130

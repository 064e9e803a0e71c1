"""Files that are named on the command line: written, and refused before work is done for them."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

from grainline.errors import BadInput, GrainlineError, ResourceExhausted
from grainline.surfaces.cli.common import file_name

_WRONG: Final = {
    errno.ENOENT: "make its folder first, or name another file",
    errno.ENOTDIR: "one of its folders is a file: name another one",
    errno.EISDIR: "it is a folder: name a file",
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.EINVAL: "name another file",
}
"""What to do about names that cannot be those of a file to write."""

_DENIED: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


def check_places(*names: str | None) -> None:
    """Refuse files that cannot be written before work is done for them.

    Raises:
        BadInput: no file can be written under such a name.
        ResourceExhausted: nothing may be written there.
    """
    for name in names:
        if name is not None:
            reason = _obstacle(Path(file_name(name)))
            if reason:
                raise cannot_write(name, OSError(reason, os.strerror(reason)))


def write_file(name: str, data: bytes) -> None:
    """Write a file that was named on the command line.

    Raises:
        BadInput: no file can be written under such a name.
        ResourceExhausted: it could not be written.
    """
    try:
        Path(file_name(name)).write_bytes(data)
    except OSError as error:
        raise cannot_write(name, error) from error


def cannot_write(name: str, error: OSError) -> GrainlineError:
    """The error for a person whose file could not be written."""
    what = f"it could not be written ({error.strerror})"
    if error.errno in _WRONG:
        return BadInput("cannot_write", what, subject=name, hint=_WRONG[error.errno])
    denied = error.errno in _DENIED
    hint = "name a place that you may write to" if denied else "free space or write elsewhere"
    return ResourceExhausted("cannot_write", what, subject=name, hint=hint)


def _obstacle(path: Path) -> int:
    """The number of the error that writing a file would end in, 0 when none is known."""
    try:
        if path.is_dir():
            return errno.EISDIR
        if not path.parent.is_dir():
            return errno.ENOTDIR if path.parent.exists() else errno.ENOENT
        writable = os.access(path if path.exists() else path.parent, os.W_OK)
    except (OSError, ValueError) as error:
        return getattr(error, "errno", None) or errno.EINVAL
    return 0 if writable else errno.EACCES

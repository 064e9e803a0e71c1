"""What goes to a terminal: colours that degrade, safe text, clickable places, aligned tables."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from grainline.model.position import quote_path
from grainline.text.printing import ACTIVE, neutral

_STYLES = {"bold": "1", "dim": "2", "path": "36", "kind": "33", "good": "32", "bad": "31"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """An output stream for people. On a terminal, shown content cannot act on it."""

    stream: TextIO
    colour: bool
    tty: bool

    @classmethod
    def of(cls, stream: TextIO, environ: Mapping[str, str]) -> Terminal:
        """Colours on a terminal, unless `NO_COLOR` or a dumb one; forced by `FORCE_COLOR`."""
        tty = stream.isatty()
        wanted = tty and environ.get("TERM") != "dumb" and not environ.get("NO_COLOR")
        return cls(stream=stream, colour=wanted or bool(environ.get("FORCE_COLOR")), tty=tty)

    def paint(self, text: str, style: str) -> str:
        """`text` in a style, where colours are on."""
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.colour else text

    def content(self, text: str) -> str:
        """Indexed text as it may be shown here: on a terminal, controls become visible."""
        return neutral(text) if self.tty else text

    def name(self, text: str) -> str:
        """A symbol or a label as it may be shown anywhere, also in a pipe: it stands in one line."""
        return neutral(text).replace("\n", "\\n")

    def line(self, text: str = "") -> None:
        """Write one line."""
        self.stream.write(text + "\n")

    def raw(self, text: str) -> None:
        """Write content; a missing last line end is added on a terminal only."""
        self.stream.write(self.content(text))
        if self.tty and not text.endswith("\n"):
            self.stream.write("\n")


def is_plain(text: str) -> bool:
    """Whether `text` is one line in which nothing acts on a terminal."""
    return ACTIVE.search(text) is None and "\n" not in text and "\t" not in text


class Places:
    """Paths as an editor opens them: relative to the current folder where the file is there."""

    def __init__(self, roots: Mapping[str, str]) -> None:
        self._roots = roots
        self._here = os.getcwdb()  # noqa: PTH109 - bytes

    def name(self, repository: str, path: bytes) -> str:
        """The path for a person."""
        root = os.fsencode(self._roots.get(repository, ""))
        for top in (root, _above(root, path)) if root else ():
            full = os.path.join(top, path)  # noqa: PTH118 - bytes
            if os.path.lexists(full):
                near = os.path.relpath(full, self._here)
                return quote_path(full if near.startswith(b"../../..") else near)
        return quote_path(path)

    def at(self, repository: str, path: bytes, line: int) -> str:
        """`path:line`."""
        return f"{self.name(repository, path)}:{line}"


def _above(root: bytes, path: bytes) -> bytes:
    """The repository's top, when `root` is a folder inside it through which `path` leads."""
    parts = path.split(b"/")[:-1]
    for length in range(len(parts), 0, -1):
        inside = b"/" + b"/".join(parts[:length])
        if root.endswith(inside):
            return root[: -len(inside)] or b"/"
    return root


def table(rows: Iterable[Sequence[str]], *, right: frozenset[int] = frozenset()) -> list[str]:
    """Rows in aligned columns; columns in `right` are aligned to the right; the last is ragged."""
    return ["  ".join(row).rstrip() for row in padded(rows, right=right)]


def padded(
    rows: Iterable[Sequence[str]], *, right: frozenset[int] = frozenset()
) -> list[tuple[str, ...]]:
    """The cells of `table`, each as wide as its column: to be painted one by one."""
    cells = [tuple(row) for row in rows]
    if not cells:
        return []
    widths = [max(width(row[column]) for row in cells) for column in range(len(cells[0]))]
    return [
        tuple(
            blank * " " + cell if column in right else cell + blank * " "
            for column, (cell, full) in enumerate(zip(row, widths, strict=True))
            for blank in (full - width(cell),)
        )
        for row in cells
    ]


def width(text: str) -> int:
    """The columns that `text` takes on a terminal: two for what East Asian scripts are made of."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(
        0 if category(sign) in ("Mn", "Me", "Cf") else 2 if east_asian_width(sign) in "WF" else 1
        for sign in text
    )


def note(text: str) -> None:
    """A line for people, on standard error."""
    sys.stderr.write(neutral(text) + "\n")

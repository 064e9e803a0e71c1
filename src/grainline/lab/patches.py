"""Patches as blocks that say what is to be replaced by what: nobody counts lines.

    path/to/file.py
    <<<<<<<
    lines as they stand there
    =======
    lines in their place
    >>>>>>>

What is to be replaced must stand there exactly once; a patch of which a block does not fit is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from grainline.lab.loose import Files

_BLOCK = re.compile(
    r"^(?P<path>\S[^\n]*)\n(?:```[^\n]*\n)?<{5,9}[^\n]*\n(?P<old>.*?)^={5,9}[^\n]*\n(?P<new>.*?)^>{5,9}",
    re.DOTALL | re.MULTILINE,
)


class Block(NamedTuple):
    """One replacement."""

    path: str
    old: str
    new: str


def written_as(block: Block) -> str:
    """The block as text."""
    return f"{block.path}\n<<<<<<<\n{block.old}=======\n{block.new}>>>>>>>\n"


def blocks(text: str) -> Iterator[Block]:
    """Those that stand in a text, in order."""
    for found in _BLOCK.finditer(text):
        yield Block(found["path"].strip("`*# :"), found["old"], found["new"])


def applied(files: Files, text: str) -> Files | None:
    """The files with all blocks of a text put in; None when there is none or one does not fit."""
    changed = dict(files)
    found = list(blocks(text))
    for path, old, new in found:
        before = changed.get(path.encode(), b"").decode()
        if not old.strip() or before.count(old) != 1:
            return None
        changed[path.encode()] = before.replace(old, new).encode()
    return changed if found else None

"""The only place where a tree-sitter parser or query runs; bounded, and the tree never leaves.

**Invariant**: a parser is used for one text, so a stopped one cannot leak the text before
(tree-sitter resumes a cancelled parse on the next call, even on other input).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from tree_sitter import Parser, QueryCursor

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Point, Query

Captures: TypeAlias = "Mapping[str, Sequence[Node]]"
"""Capture name -> nodes, in no particular order."""


MATCH_LIMIT = 2048
"""Open matches of a query. Unbounded, tens of thousands of equal top-level statements take time
quadratic in their number; bounded, such a file loses under 1 % of its captures (measured on
16,000 assignments of functions).
"""


class Stopped(Exception):  # noqa: N818 - a control signal inside this room, never seen outside
    """The text is too much for a tree; `code` is the diagnostic's."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail


class Deadline:
    """CPU seconds that one text may take; tree-sitter asks every hundred operations.

    The clock of a thread is a system call, so it is read once in `_PATIENCE` of these questions.
    """

    def __init__(self, seconds: float) -> None:
        self._end = time.thread_time() + seconds
        self._asked = 0

    def parsing(self, offset: int, has_error: bool) -> bool:
        """Progress callback of a parse: True stops it."""
        del offset, has_error
        self._asked += 1
        return self._asked % _PATIENCE == 0 and time.thread_time() > self._end


_PATIENCE = 64  # questions, about a millisecond of parsing


def read_tree(text: bytes, language: Language, deadline: Deadline) -> Node:
    """The root of the syntax tree of `text`.

    Raises:
        Stopped: the deadline passed, or the tree does not cover the text.
    """
    view = memoryview(text)

    def read(offset: int, point: Point) -> memoryview:
        del point
        return view[offset:]

    parser = Parser(language)
    try:
        root = parser.parse(read, progress_callback=deadline.parsing).root_node
    except ValueError as error:  # the binding's only sign of a cancelled parse
        raise Stopped("parser_timeout", "parse") from error
    if root.end_byte != len(text):
        raise Stopped("parser_crash", f"tree ends at {root.end_byte} of {len(text)}")
    return root


def capture(root: Node, query: Query, limit: int = MATCH_LIMIT) -> Captures:
    """What `query` captures below `root`; bounded by the tree and by `limit`.

    The binding's own progress callback for queries ends in a segmentation fault (0.26.1).
    """
    return QueryCursor(query, match_limit=limit).captures(root)


def is_complete(root: Node, query: Query, captures: Captures) -> bool:
    """Whether `captures` are surely all: half of `MATCH_LIMIT` open matches find as many.

    The cursor itself does not tell: it gives up matches in silence while it orders captures.
    """
    fewer = capture(root, query, MATCH_LIMIT // 2)
    return sum(map(len, fewer.values())) == sum(map(len, captures.values()))

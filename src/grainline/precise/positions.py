"""Lines and characters of other tools into bytes of our text, and back."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

import numpy as np
from numpy.typing import NDArray

from grainline.precise.index import Encoding

_BREAK: Final = re.compile(rb"\r\n|\n|\r")
_ENCODINGS: Final = (Encoding.UTF8, Encoding.UTF16, Encoding.UTF32)
_MARK: Final = b"\xef\xbb\xbf"


class Lines:
    """Where the lines of a text start, broken as LSP breaks them: LF, CRLF, CR.

    A byte order mark is no character of the first line, as tools drop it. A byte that starts no
    character (broken UTF-8) counts as none: places behind it on its line are not to be trusted.
    """

    __slots__ = ("_ascii", "_ends", "_starts", "_tables", "_text")

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._ascii = text.isascii()
        breaks = [found.span() for found in _BREAK.finditer(text)]
        first = len(_MARK) if text.startswith(_MARK) else 0
        self._starts = [first, *(end for _, end in breaks)]
        self._ends = [*(start for start, _ in breaks), len(text)]
        self._tables: dict[tuple[int, Encoding], NDArray[np.int64]] = {}

    def offset(self, line: int, character: int, encoding: Encoding) -> int | None:
        """The byte at `character` (from 0) of `line` (from 0).

        None beyond the line or the text, and in the middle of a character. UNSPECIFIED units are
        those of UTF-8; `offsets` says what they may be.
        """
        if not 0 <= line < len(self._starts) or character < 0:
            return None
        start, end = self._starts[line], self._ends[line]
        if encoding in (Encoding.UTF8, Encoding.UNSPECIFIED) or self._ascii:
            at = start + character
            inside = at <= end and (at == end or not _continues(self._text[at]))
            return at if inside else None
        table = self._table(line, encoding)
        at = int(np.searchsorted(table, character, side="right")) - 1
        return start + at if table[at] == character else None

    def offsets(self, line: int, character: int, encoding: Encoding) -> set[int]:
        """All that a place can mean: one byte, or up to three where no encoding is given."""
        if encoding is not Encoding.UNSPECIFIED or self._ascii:
            at = self.offset(line, character, encoding)
            return set() if at is None else {at}
        found = {self.offset(line, character, each) for each in _ENCODINGS}
        return {at for at in found if at is not None}

    def position(self, offset: int, encoding: Encoding) -> tuple[int, int]:
        """Line and character (from 0) of a byte that starts a character; inverse of `offset`."""
        line = max(0, bisect_right(self._starts, offset) - 1)
        at = min(max(offset, self._starts[line]), self._ends[line]) - self._starts[line]
        if encoding in (Encoding.UTF8, Encoding.UNSPECIFIED) or self._ascii:
            return line, at
        return line, int(self._table(line, encoding)[at])

    def _table(self, line: int, encoding: Encoding) -> NDArray[np.int64]:
        """`(bytes of the line + 1,)`, never falling: units of the characters that start before.

        Bytes inside a character have the number of its end, the rightmost byte of that number.
        """
        known = self._tables.get((line, encoding))
        if known is None:
            raw = self._text[self._starts[line] : self._ends[line]]
            given = np.frombuffer(raw, np.uint8)
            leads = (given & 0xC0) != 0x80
            units = leads.astype(np.int64)
            if encoding is Encoding.UTF16:
                units += given >= 0xF0
            known = np.zeros(len(raw) + 1, np.int64)
            np.cumsum(units, out=known[1:])
            self._tables[line, encoding] = known
        return known


def _continues(byte: int) -> bool:
    return byte & 0xC0 == 0x80

"""General software terms of Chinese, Japanese and Korean with the words that English code has.

A question in these languages is looked up term by term: nothing is indexed, and no model is asked.
The tables beside this file are data, a row `term<TAB>words, words` sorted by the term: the words
are what names in code are made of, the likeliest first; see `NOTHING`. `han.tsv` folds traditional characters to simplified ones.
Each table is read once per process, when a question first needs it.
"""

from __future__ import annotations

import pkgutil
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from grainline.text.lazy import lazy_pattern

NOTHING = "-"
"""Row of a common word that means nothing in code and must not be taken apart."""


class Translation(NamedTuple):
    """A term as it stands in a question, and English words for it, the likeliest first."""

    term: str
    words: tuple[str, ...]


def translate(text: str) -> tuple[Translation, ...]:
    """The known terms of `text` in reading order, repeated ones repeated; none in plain ASCII.

    The longest term wins at each place and terms do not overlap. A text with kana is Japanese, a
    run of Hangul is Korean, all else is Chinese.
    """
    if text.isascii():
        return ()
    text = unicodedata.normalize("NFKC", text)
    han = "ja" if _KANA.search(text) else "zh"
    return tuple(
        found
        for run in _RUNS.finditer(text)
        for found in _scan(run[0], "ko" if run["hangul"] else han)
    )


_KANA = lazy_pattern("[\u3041-\u3096\u30a1-\u30fa]")
_RUNS = lazy_pattern(
    "(?P<hangul>[\uac00-\ud7a3]+)|[\u3005-\u3007\u3041-\u3096\u30a1-\u30fc\u3400-\u9fff]+"
)

_LOOSE = {
    "zh": frozenset(
        "的地得了是在和与或被把从到对给将用有为个条中里上下内外时后前会要能可不没就才都也还又这那哪某每各"
        "其及等以所让使由向并而且若当按吗呢吧啊一二三两几多少做去来着过先再怎么看想请该"
    ),
    "ja": frozenset("をがはにのでともへやかなるたてばれいしす"),
    "ko": frozenset("은는이가을를의에로와과도만들인마부까"),
}
"""Characters that are words or endings by themselves: a term of one character may touch them."""

_ALONE = 4
"""Characters from which a katakana term is taken out of a longer, unknown katakana word."""


def _scan(run: str, language: str) -> Iterator[Translation]:
    """The terms of a run of one script, from left to right."""
    table = _table(language)
    folded = run.translate(_folds()) if language == "zh" else run
    at = reached = 0
    while at < len(run):
        end = _longest(folded, at, table)
        if end and _stands(folded, at, end, language, reached):
            row = table.rows[folded[at:end]]
            if row != NOTHING:
                yield Translation(run[at:end], tuple(row.split(", ")))
            at = reached = end
        else:
            at += 1


class _Table(NamedTuple):
    """The row of every term, and by first character the length of its longest term."""

    rows: Mapping[str, str]
    longest: Mapping[str, int]


def _longest(run: str, at: int, table: _Table) -> int:
    """The end of the longest term that starts at `at`; 0 when there is none."""
    length = table.longest.get(run[at], 0)
    for end in range(min(at + length, len(run)), at, -1):
        if run[at:end] in table.rows:
            return end
    return 0


def _stands(run: str, at: int, end: int, language: str, reached: int) -> bool:
    """Whether the term found at `run[at:end]` is a word there and not a piece of another one.

    `reached` is where the term before it ended; an edge that touches a known term is a word border.
    """
    open_left = at > 0 and at != reached
    open_right = end < len(run) and not _longest(run, end, _table(language))
    if language == "ko" and open_left:
        return end - at > 2
    if end - at == 1:
        loose = _LOOSE[language]
        return not (open_left and run[at - 1] not in loose) and not (
            open_right and run[end] not in loose
        )
    if language == "ja" and end - at < _ALONE:
        cut_left = open_left and _is_katakana(run[at - 1]) and _is_katakana(run[at])
        cut_right = open_right and _is_katakana(run[end]) and _is_katakana(run[end - 1])
        return not cut_left and not cut_right
    return True


def _is_katakana(char: str) -> bool:
    return "\u30a1" <= char <= "\u30fc"


# --------------------------------------------------------------------------- the tables


@cache
def _table(language: str) -> _Table:
    known = read_rows(language)
    if language == "ja":
        known |= {term[:-1]: row for term, row in known.items() if _LONG_END.search(term)}
    longest: dict[str, int] = {}
    for term in known:
        if len(term) > longest.get(term[0], 0):
            longest[term[0]] = len(term)
    return _Table(known, longest)


_LONG_END = lazy_pattern("[\u30a1-\u30fc]{3}\u30fc$")
"""A last long vowel that some write and some do not (サーバー, サーバ)."""


@cache
def _folds() -> dict[int, str]:
    """Traditional characters to simplified ones, for `str.translate`."""
    return {ord(char): simple for simple, many in read_rows("han").items() for char in many}


def read_rows(name: str) -> dict[str, str]:
    """The rows of a table as they stand in the data: term to words."""
    data = pkgutil.get_data(__name__, f"{name}.tsv")
    assert data is not None
    return dict(line.split("\t", 1) for line in data.decode().splitlines())

"""Identifiers and words into terms: one token in, its terms out.

A token is a maximal run of word bytes (ASCII letters, digits, `_`, any byte above 0x7F). Its terms
are

- the whole token, lower-cased, when it is more than one plain word (`RefundService`, `HTTP_404`,
  `E1234`, `_private`);
- its parts: camelCase, snake_case and digit borders, lower-cased and stemmed; parts of one byte
  are dropped from longer tokens, and so are numbers of one digit;
- bigrams of Chinese, Japanese and Korean runs (one character alone is a term itself), split from
  other scripts at the border.

English function words yield nothing. Terms are UTF-8, at most `MAX_TERM` bytes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from Stemmer import Stemmer  # pyright: ignore[reportMissingImports, reportUnknownVariableType]

from grainline.text.lazy import lazy_pattern

MAX_TERM = 64
"""Most bytes of a term; longer ones are cut (UTF-8 sequences stay whole)."""

MAX_TOKEN = 256
"""Most bytes of a token (for non-ASCII text: of a word inside it) that are looked at."""

MAX_PARTS = 24
"""A token with more parts is data (base64, a digest), not a name: only its whole is a term."""


class TermKind(StrEnum):
    """What a term is in the token it came from."""

    WHOLE = "whole"
    PART = "part"
    CJK = "cjk"
    NUMBER = "number"

    __hash__ = str.__hash__  # that of Enum is Python code, and terms are counted all the time


class Term(NamedTuple):
    """A term with its kind."""

    text: bytes
    kind: TermKind


# Function words of English and the tails that an apostrophe leaves. Words that name something in
# code (get, set, new, all, any, each, end, first, last, next, other, same, up, down) are not here.
STOP_WORDS = frozenset(
    b"""
    a about above after again against also am an and are as at be because been before being below
    between both but by can cannot could d did do does doing during for from further had has have
    having he her here hers him his how i if in into is it its itself ll m may me might more most
    must my no nor not now of off on once only or our ours out over own re s shall she should so
    some such t than that the their theirs them then there these they this those through to too
    under until upon ve very was we were what when where which while who whom whose why will with
    would you your yours
    """.split()
)

# Parts in one regex: an acronym in the plural, an acronym before a word, a word, an acronym, digits.
PARTS = re.compile(
    rb"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+",
)
_WIDE_PARTS = lazy_pattern(
    # the same for any script: upper, lower, and letters without case, told apart by `_SHAPES`
    r"U{2,}s(?!l)|U+(?=Ul)|U?[ls]+|U+|o+|[0-9]+"
)
_CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f"
    "\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff"
)
_SEGMENTS = lazy_pattern(f"([{_CJK}]+)|((?:[^\\W{_CJK}]|[\u0300-\u036f])+)")
_stemmer = Stemmer("english", 0)  # pyright: ignore[reportUnknownVariableType]  # no cache: callers memoise
_stem: Callable[[bytes], bytes] = _stemmer.stemWord  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
_stem_all: Callable[[list[bytes]], list[bytes]] = _stemmer.stemWords  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def stem(word: bytes) -> bytes:
    """The Snowball English stem of a lower-case word, cut to `MAX_TERM` bytes."""
    return clip(_stem(word) or word)


def clip(term: bytes) -> bytes:
    """`term` cut to `MAX_TERM` bytes without cutting through a UTF-8 sequence."""
    if len(term) <= MAX_TERM:
        return term
    end = MAX_TERM
    while end > MAX_TERM - 3 and term[end] & 0xC0 == 0x80:
        end -= 1
    return term[:end]


def token_terms(token: bytes, *, keep_stop_words: bool = False) -> tuple[Term, ...]:
    """The terms of one token, in reading order, whole first; repeated parts are repeated.

    `keep_stop_words` keeps an ASCII token that is a stop word as a whole.
    """
    if token.isascii():
        return _ascii_terms(token[:MAX_TOKEN], keep_stop_words)
    return _wide_terms(token)


def is_type_name(token: bytes) -> bool:
    """Whether a token looks like the name of a type: a capital first, not all capitals."""
    return token[:1].isupper() and not token[:MAX_TOKEN].isupper()


@lru_cache(maxsize=1 << 15)
def _ascii_terms(token: bytes, keep_stop_words: bool) -> tuple[Term, ...]:
    parts: list[bytes] = PARTS.findall(token)
    return _name_terms(
        token.lower(), [part.lower() for part in parts], keep_stop_words=keep_stop_words
    )


def _name_terms(whole: bytes, parts: list[bytes], *, keep_stop_words: bool) -> tuple[Term, ...]:
    if len(parts) == 1 and parts[0] == whole:
        return _word(whole, keep_stop_words=keep_stop_words)
    if not parts:
        return ()
    kind = TermKind.NUMBER if whole[:1].isdigit() else TermKind.WHOLE
    out = [Term(clip(whole), kind)]
    if len(parts) <= MAX_PARTS:
        for part in parts:
            if len(part) > 1:
                out.extend(_word(part, keep_stop_words=False))
    return tuple(out)


def _word(word: bytes, *, keep_stop_words: bool) -> tuple[Term, ...]:
    if word.isdigit():
        return (Term(clip(word), TermKind.NUMBER),) if len(word) > 1 else ()
    if word in STOP_WORDS and not keep_stop_words:
        return ()
    return (Term(stem(word), TermKind.PART),)


def _wide_terms(token: bytes) -> tuple[Term, ...]:
    """Terms of a token that is not ASCII: compatibility forms folded, split at script borders."""
    text = unicodedata.normalize("NFKC", token.decode("utf-8", "replace"))
    out: list[Term] = []
    for run, name in _SEGMENTS.findall(text):
        if run:
            out.extend(_bigrams(run))
        else:
            out.extend(_wide_name(name[:MAX_TOKEN]))
    return tuple(out)


def wide_words(tokens: Sequence[bytes]) -> list[bytes]:
    """The term of each non-ASCII token that is a single word; b"" where `token_terms` must be asked.

    The same as `token_terms`, many tokens at once: most words of a text that is not English have
    one script, no capital inside, and one term.
    """
    text = unicodedata.normalize("NFKC", b"\n".join(tokens).decode("utf-8", "replace"))
    shapes: list[str] = _WHOLE.findall(text.translate(_LETTERS))
    words = text.casefold().encode().split(b"\n")
    if not len(tokens) == len(shapes) == len(words):
        return [b""] * len(tokens)
    terms = [clip(term or word) for term, word in zip(_stem_all(words), words, strict=True)]
    return [
        term if shape and len(token) <= MAX_TOKEN and not word.isascii() else b""
        for term, shape, token, word in zip(terms, shapes, tokens, words, strict=True)
    ]


_WHOLE = lazy_pattern(r"(?m)^(?:(U?l+|U+|o+)|.*)$")


def _bigrams(run: str) -> list[Term]:
    if len(run) == 1:
        return [Term(run.encode(), TermKind.CJK)]
    return [Term((a + b).encode(), TermKind.CJK) for a, b in pairwise(run)]


def _wide_name(name: str) -> tuple[Term, ...]:
    if name.isascii():
        return _ascii_terms(name.encode(), False)
    shape = name.translate(_SHAPES)
    parts = [name[found.start() : found.end()] for found in _WIDE_PARTS.finditer(shape)]
    return _name_terms(_fold(name), [_fold(part) for part in parts], keep_stop_words=False)


def _fold(text: str) -> bytes:
    return text.casefold().encode()


class _Table(dict[int, str]):
    """Code point -> what `tell` says of it, worked out when it is first met."""

    def __init__(self, tell: Callable[[str], str]) -> None:
        self._tell = tell

    def __missing__(self, point: int) -> str:
        told = self[point] = self._tell(chr(point))
        return told


def _case(char: str) -> str:
    if char == "s":
        return "s"
    if char == "_":
        return "_"
    if char.isupper():
        return "U"
    if char.isdecimal() and char.isascii():
        return "0"
    return "l" if char.islower() or unicodedata.combining(char) else "o"


def _letter(char: str) -> str:
    """As `_case` for letters outside of Chinese, Japanese and Korean; anything else is "x"."""
    if char == "\n":
        return "\n"
    if not char.isalpha() or _IS_CJK.match(char):
        return "x"
    case = _case(char)
    return "l" if case == "s" else case


_IS_CJK = lazy_pattern(f"[{_CJK}]")
_SHAPES = _Table(_case)
_LETTERS = _Table(_letter)

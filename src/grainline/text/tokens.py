"""Tokens: what text is cut into, for terms and for lengths."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.text.identifiers import Term, TermKind, clip, token_terms

FEATURE_VERSION = 1
"""Of terms, fields and `token_sums`; part of every index fingerprint.

1: whole identifier, parts, Snowball English 3.1, CJK bigrams, dashed codes, fields by span.
"""

TOKEN = re.compile(rb"[A-Za-z0-9_\x80-\xff]+")
"""A token: a maximal run of word bytes. `WORD_BYTE` is the same set as a table."""

WORD_BYTE: NDArray[np.bool_] = np.array([bool(TOKEN.match(bytes([byte]))) for byte in range(256)])

# An error code with dashes: ORA-00942, CVE-2021-42574. Tried only where a token starts.
CODE = re.compile(rb"[A-Z][A-Z0-9]+(?:-[0-9]+)+(?![A-Za-z0-9_\x80-\xff])")


class QueryTerm(NamedTuple):
    """A term of a question, with its kind and how often it stands there."""

    term: bytes
    kind: TermKind
    times: int


def query_terms(text: str) -> tuple[QueryTerm, ...]:
    """The distinct terms of a question in order of first appearance.

    Stop words count only when there is nothing else: then they can match names (`all`, `is`).
    """
    data = text.encode("utf-8", "replace")
    counts: dict[Term, int] = {}
    if CODE.search(data) is None:
        for token, times in Counter(TOKEN.findall(data)).items():
            for term in token_terms(token):
                counts[term] = counts.get(term, 0) + times
    else:
        for term in text_terms(data):
            counts[term] = counts.get(term, 0) + 1
    if not counts:
        for term in text_terms(data, keep_stop_words=True):
            counts[term] = counts.get(term, 0) + 1
    return tuple(QueryTerm(term.text, term.kind, count) for term, count in counts.items())


def text_terms(text: bytes, *, keep_stop_words: bool = False) -> Iterator[Term]:
    """Every term occurrence of a text, token by token; the plain form of `counts.TermCounter`."""
    for found in TOKEN.finditer(text):
        code = CODE.match(text, found.start())
        if code is not None:
            yield Term(code_term(code[0]), TermKind.WHOLE)
        yield from token_terms(found[0], keep_stop_words=keep_stop_words)


def code_term(code: bytes) -> bytes:
    """The term of a dashed code."""
    return clip(code.lower())


_SPACE, _WORD, _WIDE, _PUNCTUATION = range(4)
_CLASSES: NDArray[np.uint8] = np.full(256, _PUNCTUATION, np.uint8)
_CLASSES[WORD_BYTE] = _WORD
_CLASSES[0x80:] = _WIDE
_CLASSES[[0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20]] = _SPACE

_CLASS_TABLE = _CLASSES.tobytes()
_MANY_STEPS = 8  # runs with more steps are rare, and marked at once

WORD_STEP = 12
"""Bytes of an ASCII word per token of length."""

WIDE_STEP = 3
"""Bytes of a run of non-ASCII bytes per token of length: one CJK character."""


def token_sums(text: bytes) -> NDArray[np.int32]:
    """Prefix sums of grainline's own length count, `(len(text) + 1,)`.

    A run of ASCII word bytes counts one per started `WORD_STEP` bytes, a run of non-ASCII bytes one
    per started `WIDE_STEP`, every other byte one, white space nothing; each counts at the byte
    where it starts, so `sums[b] - sums[a]` is the length of `text[a:b]` inside this text.
    """
    sums = np.zeros(len(text) + 1, np.int32)
    if text:
        np.add.accumulate(_marks(text).view(np.uint8), dtype=np.int32, out=sums[1:])
    return sums


def many_token_sums(texts: Sequence[bytes]) -> list[NDArray[np.int32]]:
    """The sums of each text, which need not begin with 0; small texts are counted together."""
    found: list[NDArray[np.int32]] = []
    slab: list[bytes] = []
    size = 0
    for text in texts:
        slab.append(text)
        size += len(text)
        if size >= _SLAB:
            found += _slab_sums(slab)
            slab, size = [], 0
    return found + _slab_sums(slab)


_SLAB = 1 << 17  # bytes: what is made of them stays in the processor's cache


def _slab_sums(texts: Sequence[bytes]) -> list[NDArray[np.int32]]:
    sums = token_sums(b"\n".join(texts))  # a line feed ends every run
    starts = accumulate((len(text) + 1 for text in texts), initial=0)
    return [sums[at : at + len(text) + 1] for at, text in zip(starts, texts, strict=False)]


def _marks(text: bytes) -> NDArray[np.bool_]:
    classes = np.frombuffer(text.translate(_CLASS_TABLE), np.uint8)
    starts = np.empty(len(classes), np.bool_)
    starts[0] = True
    np.not_equal(classes[1:], classes[:-1], out=starts[1:])
    starts &= classes != _SPACE
    marks: NDArray[np.bool_] = classes == _PUNCTUATION
    marks |= starts
    _mark_steps(marks, starts, classes == _WORD, WORD_STEP)
    if not text.isascii():
        _mark_steps(marks, starts, classes == _WIDE, WIDE_STEP)
    return marks


def _mark_steps(
    marks: NDArray[np.bool_], starts: NDArray[np.bool_], member: NDArray[np.bool_], step: int
) -> None:
    """Mark every `step`-th byte after the start of each run of members."""
    goes_on = _runs(member, step + 1)
    at = np.flatnonzero(goes_on & starts[: len(goes_on)])
    for _ in range(_MANY_STEPS):
        if not len(at):
            return
        at += step
        marks[at] = True
        at = at[at < len(goes_on)]
        at = at[goes_on[at]]
    _mark_long_runs(marks, at, member, step)


def _runs(member: NDArray[np.bool_], size: int) -> NDArray[np.bool_]:
    """Where at least `size` members follow each other."""
    known = 1
    while known < size and len(member):
        more = min(known, size - known)
        member = member[:-more] & member[more:]
        known += more
    return member


def _mark_long_runs(
    marks: NDArray[np.bool_], at: NDArray[np.intp], member: NDArray[np.bool_], step: int
) -> None:
    ends = np.append(np.flatnonzero(member[:-1] & ~member[1:]) + 1, len(member))
    more = (ends[np.searchsorted(ends, at, "right")] - at - 1) // step
    nth = np.arange(1, int(more.sum()) + 1) - np.repeat(np.cumsum(more) - more, more)
    marks[np.repeat(at, more) + nth * step] = True

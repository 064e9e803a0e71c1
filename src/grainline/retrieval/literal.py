"""Exact text: candidates by the terms that must be there, then every byte verified.

The index folds case, stems words and drops stop words, so it can only say where a literal *may*
be. What it must never do is rule out a file that holds the literal. A literal is cut into tokens
as a text is:

- an inner token (bounded on both sides inside the literal) stands in the text as a whole token, so
  all its terms are in the index;
- an edge token may be a piece of a longer one, so the terms of every token that could hold it are
  asked for: whole identifiers that contain it and, since plain words are indexed by their stem,
  stems that contain what stemming cannot have taken away (`_kept_by_stemming`);
- a run of Chinese, Japanese or Korean characters yields bigrams wherever it stands.

A literal may cross chunk borders, so candidates are intersected by entry, not by chunk. Identifiers
above 64 bytes are indexed by their head: a literal that is one edge token beyond it is not found.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.errors import BadInput
from grainline.retrieval.places import entries_of_docs, entry_of
from grainline.storage.base import Corpus
from grainline.text.identifiers import MAX_TERM, PARTS, STOP_WORDS, token_terms
from grainline.text.tokens import TOKEN

MAX_EDGE_TERMS = 256
"""In-scope terms that may hold an edge token; with more of them the token rules nothing out."""

MANY_ENTRIES = 200
"""Candidates above which edge tokens are asked for after inner ones: each costs milliseconds."""

FEW_ENTRIES = 24
"""Candidates below which reading the files is cheaper than asking for another term."""

MAX_INNER_TERMS = 24
"""Inner terms asked for, longest first; more of them cost more than they rule out."""


class Match(NamedTuple):
    """`[start, end)` of the masked view of an entry."""

    entry: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """What an exact search found.

    `found` is in order of entry, then start, at most the asked number; `total` counts all matches
    in what was read. `unread` counts candidate entries beyond the bound on bytes: when it is not 0
    the answer is `bounded`.
    """

    found: tuple[Match, ...]
    total: int
    entries: int
    read: int
    unread: int


Spans = Callable[[int, bytes, int], tuple[list[tuple[int, int]], int]]
"""(entry, text, n) -> the first n match spans of the text in order of start, and how many it has."""


def find_literal(
    corpus: Corpus,
    literal: str,
    *,
    max_bytes: int,
    max_matches: int,
    within: NDArray[np.bool_] | None = None,
) -> Matches:
    """Every place where `literal` stands, case-sensitively, in the encoding of each file.

    Args:
        corpus: the scope.
        literal: text; matches do not overlap.
        max_bytes: text read at most, counted inside the scope.
        max_matches: matches listed at most (all are counted).
        within: `(n_entries,)` entries to look at; None for all.

    Raises:
        BadInput: the literal is empty.
    """
    if not literal:
        raise BadInput("empty_literal", "a literal needs at least one character")
    needles: dict[str, tuple[bytes, int] | None] = {}

    def spans(entry: int, text: bytes, room: int) -> tuple[list[tuple[int, int]], int]:
        codec = corpus.encoding(entry)
        if codec not in needles:
            needles[codec] = encode_exactly(literal, codec)
        needle = needles[codec]
        return ([], 0) if needle is None else _find_all(text, *needle, room)

    entries = both(literal_entries(corpus, literal), within, corpus.n_entries)
    return scan(corpus, entries, spans, max_bytes=max_bytes, max_matches=max_matches)


def scan(
    corpus: Corpus, entries: Sequence[int], spans: Spans, *, max_bytes: int, max_matches: int
) -> Matches:
    """Run `spans` over the texts of `entries` inside the bounds; one blob is searched once."""
    found: list[Match] = []
    several = len(corpus.snapshots) > 1
    seen: dict[object, tuple[list[tuple[int, int]], int]] = {}
    total = hits = read = 0
    for position, entry in enumerate(entries):
        # views of one repository share most of their blobs; inside one view copies are rare
        key: object = entry_of(corpus, entry).blob if several else entry
        if key not in seen:
            if read >= max_bytes:
                unread = len(entries) - position
                return Matches(
                    found=tuple(found), total=total, entries=hits, read=read, unread=unread
                )
            text = corpus.text(entry)
            read += len(text)
            seen[key] = spans(entry, text, max_matches)
        places, count = seen[key]
        total += count
        hits += count > 0
        found.extend(Match(entry, *place) for place in places[: max_matches - len(found)])
    return Matches(found=tuple(found), total=total, entries=hits, read=read, unread=0)


def both(
    candidates: NDArray[np.bool_] | None, within: NDArray[np.bool_] | None, n: int
) -> list[int]:
    """Entry numbers that both masks let through; None lets all through."""
    mask = np.ones(n, np.bool_)
    if candidates is not None:
        mask &= candidates
    if within is not None:
        mask &= within
    return np.flatnonzero(mask).tolist()


def encode_exactly(literal: str, codec: str) -> tuple[bytes, int] | None:
    """(bytes of `literal` in a file of that encoding, bytes per code unit).

    None when the encoding cannot spell it.
    """
    name = codec.lower().replace("_", "-")
    wide = {"utf-16": "utf-16-le", "utf-32": "utf-32-le", "utf-8-sig": "utf-8"}.get(name, name)
    unit = 4 if wide.startswith("utf-32") else 2 if wide.startswith("utf-16") else 1
    try:
        return literal.encode(wide, "surrogateescape" if unit == 1 else "strict"), unit
    except (UnicodeEncodeError, LookupError):
        return None


def _find_all(
    text: bytes, needle: bytes, unit: int, room: int
) -> tuple[list[tuple[int, int]], int]:
    spans: list[tuple[int, int]] = []
    at = text.find(needle)
    while at >= 0:
        if at % unit:
            at = text.find(needle, at + 1)
            continue
        if len(spans) == room and unit == 1:
            return spans, len(spans) + text.count(needle, at)
        spans.append((at, at + len(needle)))
        at = text.find(needle, at + len(needle))
    return spans[:room], len(spans)


# --------------------------------------------------------------------------- candidates


def literal_entries(
    corpus: Corpus, literal: str, *, folded: bool = False
) -> NDArray[np.bool_] | None:
    """`(n_entries,)` a superset of the entries that hold `literal`; None when it rules nothing out.

    `folded`: the text may hold it in another case.
    """
    inner, edges = _requirements(literal, folded=folded)
    groups = [corpus.postings(term).docs for term in inner]
    groups.sort(key=len)
    mask: NDArray[np.bool_] | None = None
    for docs in groups:
        mask = _narrow(corpus, mask, docs)
        if int(mask.sum()) <= FEW_ENTRIES:
            return mask
    for part in edges:
        if mask is not None and int(mask.sum()) <= MANY_ENTRIES:
            break
        terms = corpus.terms_containing(part, limit=MAX_EDGE_TERMS + 1)
        if len(terms) <= MAX_EDGE_TERMS:
            held = [corpus.postings(term).docs for term in terms]
            mask = _narrow(corpus, mask, np.concatenate([np.empty(0, np.int32), *held]))
    return mask


def _narrow(
    corpus: Corpus, mask: NDArray[np.bool_] | None, docs: NDArray[np.int32]
) -> NDArray[np.bool_]:
    here = np.zeros(corpus.n_entries, np.bool_)
    here[entries_of_docs(corpus, docs)] = True
    return here if mask is None else mask & here


def _requirements(literal: str, *, folded: bool) -> tuple[list[bytes], list[bytes]]:
    """(terms that must be indexed, pieces that some indexed term must contain), longest first."""
    data = literal.encode("utf-8", "surrogatepass")
    inner: dict[bytes, None] = {}
    edges: dict[bytes, None] = {}
    for found in TOKEN.finditer(data):
        token = found[0]
        bounded = found.start() > 0 and found.end() < len(data)
        if not token.isascii():
            terms = [] if folded else _wide_requirements(token, bounded=bounded)
            inner.update(dict.fromkeys(terms))
        elif bounded and not folded and len(token) <= MAX_TERM:
            inner.update((term.text, None) for term in token_terms(token))
        else:
            piece = _edge_piece(token.lower() if folded else token)
            if piece is not None:
                edges[piece] = None
    longest = sorted(inner, key=lambda term: (-len(term), term))[:MAX_INNER_TERMS]
    return longest, sorted(edges, key=lambda piece: (-len(piece), piece))


def _wide_requirements(token: bytes, *, bounded: bool) -> list[bytes]:
    """Terms that a non-ASCII token guarantees wherever it stands.

    Compatibility normalisation may join the first or last character of an unbounded run with its
    neighbour in the text, except for ideographs.
    """
    text = token.decode("utf-8", "replace")
    if bounded:
        return [term.text for term in token_terms(token)] if len(token) <= MAX_TERM else []
    if not unicodedata.is_normalized("NFKC", text):
        return []
    return [
        (a + b).encode()
        for run in re.findall(r"[\u3400-\u4dbf\u4e00-\u9fff]{2,}", text)
        for a, b in pairwise(run)
    ]


def _edge_piece(token: bytes) -> bytes | None:
    """What every index term of every longer token around `token` must contain; None for nothing."""
    lower = token.lower()
    if len(token) > MAX_TERM // 2 or len(token) < 3 or not re.search(rb"[a-z0-9]", lower):
        return None
    if not lower.isalpha() or len(PARTS.findall(token)) > 1:
        # letters of two parts, digits or `_`: the longer token is indexed whole
        return lower
    if any(lower in word for word in STOP_WORDS):
        return None
    kept = kept_by_stemming(lower)
    return kept if len(kept) >= 3 else None


_SUFFIXES = [
    "s",
    "es",
    "sses",
    "ied",
    "ies",
    "us",
    "ss",
    "eed",
    "eedly",
    "ed",
    "edly",
    "ing",
    "ingly",
    "y",
    "ying",
    "yed",
    "tional",
    "ency",
    "anci",
    "ancy",
    "abli",
    "ably",
    "entli",
    "ently",
    "izer",
    "ization",
    "ational",
    "ation",
    "ator",
    "alism",
    "aliti",
    "ality",
    "alli",
    "ally",
    "fulness",
    "ousli",
    "ously",
    "ousness",
    "iveness",
    "iviti",
    "ivity",
    "biliti",
    "bility",
    "bli",
    "bly",
    "ogi",
    "ogy",
    "ogist",
    "fulli",
    "fully",
    "lessli",
    "lessly",
    "li",
    "ly",
    "alize",
    "icate",
    "iciti",
    "icity",
    "ical",
    "ful",
    "ness",
    "ative",
    "al",
    "ance",
    "ence",
    "er",
    "ic",
    "able",
    "ible",
    "ant",
    "ement",
    "ment",
    "ent",
    "ism",
    "ate",
    "iti",
    "ity",
    "ous",
    "ive",
    "ize",
    "ion",
    "e",
    "l",
    "i",
    "enci",
    "bed",
    "bing",
    "ded",
    "ding",
    "fed",
    "fing",
    "ged",
    "ging",
    "med",
    "ming",
    "ned",
    "ning",
    "ped",
    "ping",
    "red",
    "ring",
    "ted",
    "ting",
]
_PREFIXES = sorted({suffix[:size] for suffix in _SUFFIXES for size in range(1, len(suffix) + 1)})
_TAILS = sorted({suffix[at:] for suffix in _SUFFIXES for at in range(1, len(suffix))})
_INNER = sorted(
    {suffix[a:b] for suffix in _SUFFIXES for a in range(1, len(suffix)) for b in range(a + 1, 9)}
)
_CHAIN = f"(?:{'|'.join(sorted(_SUFFIXES, key=len, reverse=True))})*(?:{'|'.join(_PREFIXES)})?"
_STRIPPED = re.compile(_CHAIN)
# a piece that starts inside a suffix may be taken whole
_INSIDE = re.compile(f"(?:{'|'.join(_INNER)})|(?:{'|'.join(_TAILS)}){_CHAIN}")


def kept_by_stemming(piece: bytes) -> bytes:
    """The head of `piece` that the English stem of any word around it still contains.

    Snowball's English stemmer takes or rewrites suffixes only. What it can take from `piece`
    is a tail that spells suffixes, the last one perhaps unfinished.
    """
    text = piece.decode()
    if _INSIDE.fullmatch(text):
        return b""
    for at in range(len(text)):
        if _STRIPPED.fullmatch(text, at):
            return piece[:at]
    return piece

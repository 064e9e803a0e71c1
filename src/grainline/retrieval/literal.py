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

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.errors import BadInput
from grainline.retrieval.cache import derived
from grainline.retrieval.places import entries_of_docs, entry_of
from grainline.storage.base import Corpus, Piece
from grainline.text.identifiers import MAX_TERM, PARTS, STOP_WORDS, token_terms
from grainline.text.tokens import TOKEN

MAX_EDGE_TERMS = 256
"""In-scope terms that may hold an edge token; with more of them the token rules nothing out."""

MANY_ENTRIES = 200
"""Candidates above which edge tokens are asked for after inner ones: each costs milliseconds."""

FEW_ENTRIES = 24
"""Candidates below which reading the files is cheaper than asking for another term."""

FEW_TEXTS = 64
"""Candidates below which the files are read one by one."""

MAX_INNER_TERMS = 24
"""Inner terms asked for, longest first; more of them cost more than they rule out."""


class Match(NamedTuple):
    """`[start, end)` of the masked view of an entry."""

    entry: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matches:
    """What an exact search found.

    `rows` are entry, start and end of the first matches in order of entry, then start, at most the
    asked number. `unread` counts candidate entries that a bound (on bytes or on matches) kept from
    being told whole, never too few of them: when it is not 0 the answer is `bounded`.
    """

    rows: NDArray[np.int64]
    unread: int

    @property
    def found(self) -> tuple[Match, ...]:
        """The rows as values."""
        return tuple(Match(*row) for row in self.rows.tolist())


Spans = Callable[[int, bytes, int], list[tuple[int, int]]]
"""(entry, text, n) -> the first n match spans of the text in order of start."""


def find_literal(
    corpus: Corpus,
    literal: str,
    *,
    max_bytes: int,
    max_matches: int,
    within: NDArray[np.bool_] | None = None,
    whole: bool = False,
) -> Matches:
    """Every place where `literal` stands, case-sensitively, in the encoding of each file.

    Args:
        corpus: the scope.
        literal: text; matches do not overlap.
        max_bytes: text read at most, counted inside the scope.
        max_matches: matches listed at most.
        within: `(n_entries,)` entries to look at; None for all.
        whole: it begins and ends with whole words: only texts that hold all of its words are read.

    Raises:
        BadInput: the literal is empty.
    """
    if not literal:
        raise BadInput("empty_literal", "a literal needs at least one character")
    needles: dict[str, tuple[bytes, int] | None] = {}

    def spans(entry: int, text: bytes, room: int) -> list[tuple[int, int]]:
        codec = corpus.encoding(entry)
        if codec not in needles:
            needles[codec] = encode_exactly(literal, codec)
        needle = needles[codec]
        return [] if needle is None else _find_all(text, *needle, room)

    asked = literal_docs(corpus, literal, whole=whole)
    entries = both(asked.entries, within, corpus.n_entries)
    if len(entries) <= FEW_TEXTS or "\n" in literal:
        return scan(corpus, entries, spans, max_bytes=max_bytes, max_matches=max_matches)
    needle = literal.encode("utf-8", "surrogateescape")
    alike = _spelled_alike(corpus, literal, needle)

    def find(plain: NDArray[np.bool_]) -> tuple[NDArray[np.int64], int]:
        room = max_matches + 1
        return corpus.occurrences(plain, asked.docs, needle, max_bytes=max_bytes, room=room)

    return scan_lines(
        corpus, entries, find, spans, alike=alike, max_bytes=max_bytes, max_matches=max_matches
    )


def _spelled_alike(corpus: Corpus, literal: str, needle: bytes) -> NDArray[np.bool_]:
    """`(n_entries,)` entries in whose encoding the literal is `needle`."""
    codecs, of_entry = entry_codecs(corpus)
    spelled = [encode_exactly(literal, codec) == (needle, 1) for codec in codecs]
    return np.array([*spelled, False], np.bool_)[of_entry]


def entry_codecs(corpus: Corpus) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The encodings of a corpus, and which of them each entry has."""
    return derived(corpus, "codecs", lambda: _entry_codecs(corpus))


def _entry_codecs(corpus: Corpus) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    codecs: dict[str, int] = {}
    of_entry = np.fromiter(
        (
            codecs.setdefault(corpus.encoding(entry), len(codecs))
            for entry in range(corpus.n_entries)
        ),
        np.int64,
        corpus.n_entries,
    )
    return tuple(codecs), of_entry


Finder = Callable[[NDArray[np.bool_]], tuple[NDArray[np.int64], int]]
"""`(n_entries,)` mask -> (entry, start, end) of the first matches there, in order; entries left.

It finds one match more than may be listed where there are more."""


def scan_lines(
    corpus: Corpus,
    entries: Sequence[int],
    find: Finder,
    spans: Spans,
    *,
    alike: NDArray[np.bool_],
    max_bytes: int,
    max_matches: int,
) -> Matches:
    """As `scan`, for what cannot hold a line end: chunks are searched wherever they lie.

    Entries that are cut inside a line, or are not in `alike`, are searched one by one.

    Args:
        corpus: the scope.
        entries: entries that may hold a match.
        find: finds in the chunks of entries that begin and end with lines.
        spans: finds in one entry.
        alike: `(n_entries,)` entries that `find` is right for.
        max_bytes: text read at most, of either sort of entries.
        max_matches: matches listed at most.
    """
    repositories = [state.snapshot.repository for state in corpus.snapshots]
    if len(set(repositories)) < len(repositories):
        # views of one repository share most blobs: `scan` reads each of them once
        return scan(corpus, entries, spans, max_bytes=max_bytes, max_matches=max_matches)
    mask = np.zeros(corpus.n_entries, np.bool_)
    mask[entries] = True
    plain = mask & alike & corpus.lined()
    found, unread = find(plain)
    others = np.flatnonzero(mask & ~plain)
    rest = scan(corpus, others.tolist(), spans, max_bytes=max_bytes, max_matches=max_matches + 1)
    rows = np.concatenate([rest.rows, found])
    order = np.lexsort((rows[:, 1], rows[:, 0]))
    sorts = ((np.flatnonzero(plain), unread), (others, rest.unread))
    return _listed(rows[order], max_matches, sorts)


def _listed(
    rows: NDArray[np.int64],
    max_matches: int,
    sorts: Sequence[tuple[NDArray[np.int64], int]],
) -> Matches:
    """The first of `rows`. `sorts`: ascending entries that were searched, how many were not read.

    Entries are told in order, so all from that of the first match that is not listed on are cut.
    """
    unread = [count for _, count in sorts]
    if len(rows) > max_matches:
        first = rows[max_matches, 0]
        # what was not read stands at the end too: the longer of two ends holds the other
        cut = [int(np.count_nonzero(entries >= first)) for entries, _ in sorts]
        unread = [max(pair) for pair in zip(unread, cut, strict=True)]
    return Matches(rows=rows[:max_matches], unread=sum(unread))


PieceFinder = Callable[[bytes, int], list[tuple[int, int]]]
"""(text, n) -> its first n spans, none of which holds a line end."""


def in_pieces(
    corpus: Corpus,
    docs: NDArray[np.bool_] | None,
    find: PieceFinder,
    *,
    max_bytes: int,
    max_matches: int,
) -> Finder:
    """A `Finder` that joins chunks into long texts: for what costs much to begin."""

    def read(plain: NDArray[np.bool_]) -> tuple[NDArray[np.int64], int]:
        pieces, unread = corpus.pieces(plain, docs, max_bytes=max_bytes)
        found = [np.empty((0, 3), np.int64)]
        room = max_matches
        for piece in pieces if room else ():
            found.append(_placed(piece, find(piece.text, room)))
            room -= len(found[-1])
            if not room:
                break  # pieces come in order: no later match is among the first
        return np.concatenate(found), unread

    return read


def _placed(piece: Piece, spans: list[tuple[int, int]]) -> NDArray[np.int64]:
    """(entry, start, end) of spans of a piece."""
    at = np.array(spans, np.int64).reshape(-1, 2)
    chunk = np.searchsorted(piece.offsets, at[:, 0], "right") - 1
    shift = piece.starts[chunk] - piece.offsets[chunk]
    return np.column_stack([piece.entries[chunk], at[:, 0] + shift, at[:, 1] + shift])


def scan(
    corpus: Corpus, entries: Sequence[int], spans: Spans, *, max_bytes: int, max_matches: int
) -> Matches:
    """Run `spans` over the texts of `entries` inside the bounds; one blob is searched once."""
    found: list[tuple[int, int, int]] = []
    several = len(corpus.snapshots) > 1
    seen: dict[object, list[tuple[int, int]]] = {}
    read = unread = 0
    for position, entry in enumerate(entries):
        # views of one repository share most of their blobs; inside one view copies are rare
        key: object = entry_of(corpus, entry).blob if several else entry
        if key not in seen:
            if read >= max_bytes:
                unread = len(entries) - position
                break
            text = corpus.text(entry)
            read += len(text)
            seen[key] = spans(entry, text, max_matches + 1)
        found.extend((entry, *place) for place in seen[key])
        if len(found) > max_matches:
            break  # entries come in order: no later match is among the first
    rows = np.array(found, np.int64).reshape(-1, 3)
    return _listed(rows, max_matches, ((np.array(entries, np.int64), unread),))


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


def _find_all(text: bytes, needle: bytes, unit: int, room: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    find, size = text.find, len(needle)
    at = find(needle)
    while at >= 0 and len(spans) < room:
        if at % unit:
            at = find(needle, at + 1)
            continue
        end = at + size
        spans.append((at, end))
        at = find(needle, end)
    return spans


def find_from(text: bytes, needle: bytes, unit: int, start: int, end: int) -> int:
    """Where `needle` stands first in `text[start:end]`, at a whole code unit; -1 for nowhere."""
    at = text.find(needle, start, end)
    while at >= 0 and at % unit:
        at = text.find(needle, at + 1, end)
    return at


# --------------------------------------------------------------------------- candidates


class Holders(NamedTuple):
    """What may hold a literal; None where it rules nothing out.

    `entries`: `(n_entries,)` a superset of the entries that hold it. `docs`: `(n_docs,)` a superset
    of the documents that hold all of it.
    """

    entries: NDArray[np.bool_] | None
    docs: NDArray[np.bool_] | None


def literal_entries(
    corpus: Corpus, literal: str, *, folded: bool = False
) -> NDArray[np.bool_] | None:
    """`(n_entries,)` a superset of the entries that hold `literal`; None when it rules nothing out.

    `folded`: the text may hold it in another case.
    """
    return literal_docs(corpus, literal, folded=folded).entries


def literal_docs(
    corpus: Corpus, literal: str, *, folded: bool = False, whole: bool = False
) -> Holders:
    """What may hold `literal`.

    `folded`: the text may hold it in another case. `whole`: it begins and ends with whole words.
    """
    inner, edges = _requirements(literal, folded=folded, whole=whole)
    groups = [corpus.postings(term).docs for term in inner]
    groups.sort(key=len)
    held = Holders(None, None)
    for docs in groups:
        held = _narrow(corpus, held, docs)
        if _count(held) <= FEW_ENTRIES:
            return held
    for part in edges:
        if _count(held) <= MANY_ENTRIES:
            break
        holding = corpus.docs_with_part(part, limit=MAX_EDGE_TERMS)
        if holding is not None:
            held = _narrow(corpus, held, holding)
    return held


def _count(held: Holders) -> int | float:
    return math.inf if held.entries is None else int(np.count_nonzero(held.entries))


def _narrow(corpus: Corpus, held: Holders, docs: NDArray[np.int32]) -> Holders:
    entries = np.zeros(corpus.n_entries, np.bool_)
    entries[entries_of_docs(corpus, docs)] = True
    inside = np.zeros(corpus.n_docs, np.bool_)
    inside[docs] = True
    if held.entries is None or held.docs is None:
        return Holders(entries, inside)
    return Holders(held.entries & entries, held.docs & inside)


def _requirements(literal: str, *, folded: bool, whole: bool) -> tuple[list[bytes], list[bytes]]:
    """(terms that must be indexed, pieces that some indexed term must contain), longest first."""
    data = literal.encode("utf-8", "surrogatepass")
    inner: dict[bytes, None] = {}
    edges: dict[bytes, None] = {}
    for found in TOKEN.finditer(data):
        token = found[0]
        bounded = whole or (found.start() > 0 and found.end() < len(data))
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


@cache
def _stem_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """(what stemming may have stripped, what lies inside a suffix); made when first needed."""
    prefixes = sorted({suffix[:size] for suffix in _SUFFIXES for size in range(1, len(suffix) + 1)})
    tails = sorted({suffix[at:] for suffix in _SUFFIXES for at in range(1, len(suffix))})
    inner = sorted(
        {
            suffix[a:b]
            for suffix in _SUFFIXES
            for a in range(1, len(suffix))
            for b in range(a + 1, 9)
        }
    )
    longest = "|".join(sorted(_SUFFIXES, key=len, reverse=True))
    chain = f"(?:{longest})*(?:{'|'.join(prefixes)})?"
    # a piece that starts inside a suffix may be taken whole
    inside = f"(?:{'|'.join(inner)})|(?:{'|'.join(tails)}){chain}"
    return re.compile(chain), re.compile(inside)


def kept_by_stemming(piece: bytes) -> bytes:
    """The head of `piece` that the English stem of any word around it still contains.

    Snowball's English stemmer takes or rewrites suffixes only. What it can take from `piece`
    is a tail that spells suffixes, the last one perhaps unfinished.
    """
    text = piece.decode()
    stripped, inside = _stem_patterns()
    if inside.fullmatch(text):
        return b""
    for at in range(len(text)):
        if stripped.fullmatch(text, at):
            return piece[:at]
    return piece

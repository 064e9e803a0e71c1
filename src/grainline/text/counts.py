"""Term counts per chunk and field: the hottest loop of an index run.

All the work on bytes, tokens and rows is done by `re`, `numpy` and `dict` for a slab of files at
once; Python code runs per file, per chunk and per token never seen before in this process.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grainline.model.chunk import N_FIELDS, ChunkSpan, Field
from grainline.model.facts import FileFacts
from grainline.model.position import Span
from grainline.text.identifiers import (
    MAX_PARTS,
    MAX_TOKEN,
    PARTS,
    STOP_WORDS,
    clip,
    is_type_name,
    stem,
    token_terms,
    wide_words,
)
from grainline.text.lookup import LANE, WordNumbers, lanes_of
from grainline.text.tokens import CODE, WORD_BYTE, code_term

MAX_COUNT = 31
"""Counts saturate here: five bits of a row."""

MAX_LENGTH = 65_535
"""Field lengths saturate here: uint16."""

SLAB_BYTES = 1 << 20
"""Text counted in one go; bounds memory (about 25 bytes per byte of text)."""

LEXICON_LIMIT = 1_000_000
"""Tokens (or 16 times as many bytes of tokens) after which the process-wide memo starts anew."""

_FIELD_BITS = 3
_COUNT_BITS = 5
_CHUNK_SHIFT = _FIELD_BITS + _COUNT_BITS
_TERM_SHIFT = 40
_MAX_CHUNKS = 1 << (_TERM_SHIFT - _CHUNK_SHIFT)


@dataclass(frozen=True, slots=True, kw_only=True)
class TermCounts:
    """Counts of a batch.

    `rows` are sorted and distinct: `term << 40 | chunk << 8 | field << 5 | min(count, 31)`, with
    `term` an index of the sorted `vocabulary` and `chunk` the running number over the batch.
    `lengths` is `(n_chunks, N_FIELDS)`: term occurrences per field, saturating. `contexts` holds
    per chunk the fields of its tokens, a byte each: with text and header it is all that the counts
    depend on (a piece of a long docstring does not show that it is one), so it is part of
    `digest.chunk_key`.
    """

    vocabulary: tuple[bytes, ...]
    rows: NDArray[np.uint64]
    lengths: NDArray[np.uint16]
    contexts: tuple[bytes, ...]


class TermCounter:
    """Counts the terms of the chunks of a batch of files.

    A chunk's counts depend on its text, its header and the comment, string and import spans inside
    it, and on nothing else: words are cut at chunk edges. Fields: name and signature from the
    header (signature holds the scope too), then by the span that a token starts in: comments over
    imports over strings, else type names (`RefundService`), else body. English function words
    count nowhere but in the name field, and there only as a whole name (`all`, `is`).
    """

    def __init__(self) -> None:
        self._lexicon = _shared_lexicon()
        self._slab = _Slab()
        self._counted: list[_Counted] = []
        self._chunks = 0

    def add(self, text: bytes, chunks: Sequence[ChunkSpan], facts: FileFacts) -> None:
        """Take one file; its chunks get the next running numbers, in the order given."""
        if self._chunks + len(chunks) > _MAX_CHUNKS:
            raise OverflowError(f"more than {_MAX_CHUNKS} chunks in one batch")
        slab = self._slab
        if _is_plain(text, chunks):
            slab.add_file(text, chunks, facts)
        else:
            slab.add_each(text, chunks, facts)
        self._chunks += len(chunks)
        if slab.size >= SLAB_BYTES:
            self._count_slab()

    def finish(self) -> TermCounts:
        """The counts of all files added; the counter is empty afterwards."""
        self._count_slab()
        counted, self._counted, self._chunks = self._counted, [], 0
        terms = np.concatenate([part.terms for part in counted] or [np.empty(0, np.int32)])
        rows = np.concatenate([part.rows for part in counted] or [np.empty(0, np.uint64)])
        lengths = np.concatenate(
            [part.lengths for part in counted] or [np.empty((0, N_FIELDS), np.uint16)]
        )
        vocabulary, ranks = self._lexicon.sorted_terms(terms)
        rows |= ranks[terms] << np.uint64(_TERM_SHIFT)
        contexts = tuple(chain.from_iterable(part.contexts for part in counted))
        return TermCounts(
            vocabulary=vocabulary, rows=_merge(rows), lengths=lengths, contexts=contexts
        )

    def _count_slab(self) -> None:
        slab = self._slab
        if slab.chunks:
            first = self._chunks - slab.chunks
            self._counted.append(_count(slab, first, self._lexicon))
            self._slab = _Slab()


# --------------------------------------------------------------------------- a slab of text

_JOINS = frozenset(bytes(np.flatnonzero(WORD_BYTE).astype(np.uint8)) + b"-")
"""Bytes that may stand inside a token or a dashed code."""


def _is_plain(text: bytes, chunks: Sequence[ChunkSpan]) -> bool:
    """Whether the file can be cut into tokens as a whole.

    No chunk edge may stand inside a word or a code, and both starts and ends must not go back.
    """
    joins = _JOINS
    size = len(text)
    start = end = 0
    for chunk in chunks:
        if chunk.start < start or chunk.end < end or chunk.end < chunk.start:
            return False
        if chunk.start != end and _is_inside(text, chunk.start, joins):
            return False
        start, end = chunk.start, chunk.end
        if 0 < end < size and text[end] in joins and text[end - 1] in joins:
            return False
    return True


def _is_inside(text: bytes, at: int, joins: frozenset[int]) -> bool:
    return 0 < at < len(text) and text[at] in joins and text[at - 1] in joins


class _Slab:
    """Texts joined by line feeds, and what their bytes belong to. Positions count from 0.

    `starts`, `ends`, `owners` are ranges of the joined text with the chunk (running number in the
    slab) that owns them: both ends sorted. `comments`, `strings`, `imports` hold spans of the
    files, moved later by `shifts` (position of the file, number of spans).
    """

    def __init__(self) -> None:
        self.texts: list[bytes] = []
        self.size = 0
        self.chunks = 0
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.owners: list[int] = []
        self.names: list[Span] = []
        self.signatures: list[Span] = []
        self.comments = _Spans()
        self.strings = _Spans()
        self.imports = _Spans()

    def add_file(self, text: bytes, chunks: Sequence[ChunkSpan], facts: FileFacts) -> None:
        at = self.size
        number = self.chunks
        self._append(text)
        self.starts += [at + chunk.start for chunk in chunks]
        self.ends += [at + chunk.end for chunk in chunks]
        self.owners += range(number, number + len(chunks))
        self.comments.add(facts.comments, at)
        self.strings.add(facts.strings, at)
        self.imports.add(facts.import_spans, at)
        self._add_headers(chunks, number)
        self.chunks += len(chunks)

    def add_each(self, text: bytes, chunks: Sequence[ChunkSpan], facts: FileFacts) -> None:
        """As `add_file`, every chunk as a text of its own."""
        for chunk in chunks:
            start, end = chunk.start, max(chunk.end, chunk.start)
            at = self.size
            self._append(text[start:end])
            self._own(at, self.size - 1, self.chunks)
            self.comments.add(_inside(facts.comments, start, end), at)
            self.strings.add(_inside(facts.strings, start, end), at)
            self.imports.add(_inside(facts.import_spans, start, end), at)
            self._add_headers((chunk,), self.chunks)
            self.chunks += 1

    def _add_headers(self, chunks: Sequence[ChunkSpan], number: int) -> None:
        for chunk in chunks:
            header = chunk.header
            if header.name:
                self.names.append(self._add_text(header.name, number))
            if header.signature or header.scope:
                text = f"{header.signature}\n{header.scope}"
                self.signatures.append(self._add_text(text, number))
            number += 1

    def _add_text(self, text: str, owner: int) -> Span:
        at = self.size
        self._append(text.encode("utf-8", "replace"))
        self._own(at, self.size - 1, owner)
        return Span(at, self.size - 1)

    def _append(self, text: bytes) -> None:
        self.texts.append(text)
        self.size += len(text) + 1

    def _own(self, start: int, end: int, owner: int) -> None:
        self.starts.append(start)
        self.ends.append(end)
        self.owners.append(owner)


class _Spans:
    """Spans of several files, to be moved to where the files stand in the slab."""

    def __init__(self) -> None:
        self._spans: list[Sequence[Span]] = []
        self._shifts: list[int] = []

    def add(self, spans: Sequence[Span], shift: int) -> None:
        if spans:
            self._spans.append(spans)
            self._shifts.append(shift)

    def array(self) -> NDArray[np.int64]:
        """`(n, 2)` positions in the slab."""
        pairs = _pairs(list(chain.from_iterable(self._spans)))
        sizes = [len(spans) for spans in self._spans]
        pairs += np.repeat(np.array(self._shifts, np.int64), sizes)[:, None]
        return pairs


def _pairs(spans: Sequence[Span]) -> NDArray[np.int64]:
    flat = np.fromiter(chain.from_iterable(spans), np.int64, 2 * len(spans))
    return flat.reshape(-1, 2)


def _inside(spans: Iterable[Span], start: int, end: int) -> list[Span]:
    return [
        Span(max(span.start, start) - start, min(span.end, end) - start)
        for span in spans
        if span.start < end and span.end > start
    ]


# --------------------------------------------------------------------------- counting a slab


class _Counted(NamedTuple):
    """Rows of a slab: process-wide term ids, and rows that lack only their term."""

    terms: NDArray[np.int32]
    rows: NDArray[np.uint64]
    lengths: NDArray[np.uint16]
    contexts: list[bytes]


def _count(slab: _Slab, first_chunk: int, lexicon: _Lexicon) -> _Counted:
    text = b"\n".join((*slab.texts, _PADDING))
    ids, starts = _tokens(text, lexicon)
    fields = _fields(slab, starts)
    contexts = _contexts(slab, starts, fields)
    fields[lexicon.is_type[ids] & (fields == Field.BODY)] = Field.TYPE
    n_terms = np.where(fields == Field.NAME, lexicon.n_name_terms[ids], lexicon.n_terms[ids])
    used = np.flatnonzero(n_terms)
    ids, starts, fields = ids[used], starts[used], fields[used]
    chosen, owners = _owned(slab, starts)
    places = owners << _FIELD_BITS | fields[chosen]
    packed, counts = _unique(places << 32 | ids[chosen])
    ids, places = (packed & 0xFFFFFFFF).astype(np.int32), packed >> 32
    n_terms = np.where(places & 7 == Field.NAME, lexicon.n_name_terms[ids], lexicon.n_terms[ids])
    lengths = np.bincount(
        places, weights=counts * n_terms, minlength=slab.chunks << _FIELD_BITS
    ).reshape(-1, 1 << _FIELD_BITS)[:, :N_FIELDS]
    rows = (places + (first_chunk << _FIELD_BITS)) << _COUNT_BITS | np.minimum(counts, MAX_COUNT)
    return _Counted(
        lexicon.terms_of(ids, n_terms),
        np.repeat(rows.astype(np.uint64), n_terms),
        np.minimum(lengths, MAX_LENGTH).astype(np.uint16),
        contexts,
    )


def _contexts(slab: _Slab, starts: NDArray[np.int64], fields: NDArray[np.int64]) -> list[bytes]:
    held = fields.astype(np.uint8).tobytes()
    contexts = [b""] * slab.chunks
    low = np.searchsorted(starts, slab.starts).tolist()
    high = np.searchsorted(starts, slab.ends).tolist()
    for owner, start, end in zip(slab.owners, low, high, strict=True):
        contexts[owner] += held[start:end]
    return contexts


_IS_WORD = bytes(map(int, WORD_BYTE))
_NARROW, _WIDE = 2, 4  # lanes: 94 % of the tokens of Kafka have at most 16 bytes, 99.5 % at most 32
_PADDING = b"\n" * (LANE * _WIDE)


def _tokens(text: bytes, lexicon: _Lexicon) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Ids and start positions of all tokens; a dashed code is one more token at its start.

    The text ends in `_PADDING`.
    """
    word = np.frombuffer(text.translate(_IS_WORD), np.bool_)
    edges = np.flatnonzero(word[1:] != word[:-1]) + 1
    if word[0]:
        edges = np.concatenate([[0], edges])
    starts, ends = edges[::2].copy(), edges[1::2]
    at, codes = _codes(text, word, starts)
    ids = lexicon.ids(text, starts, ends - starts, codes)
    if codes:
        starts = np.concatenate([starts, starts[at]])
        order = np.argsort(starts, kind="stable")
        ids, starts = ids[order], starts[order]
    return ids, starts


def _codes(
    text: bytes, word: NDArray[np.bool_], starts: NDArray[np.int64]
) -> tuple[list[int], list[bytes]]:
    """Tokens (by index) at which a dashed code begins, and the codes; no text ends in a dash."""
    data = np.frombuffer(text, np.uint8)
    dashes = np.flatnonzero(data == ord("-"))
    dashes = dashes[word[dashes - 1] & (dashes > 0)]
    after = data[dashes + 1]
    dashes = dashes[(after >= ord("0")) & (after <= ord("9"))]
    tokens = np.searchsorted(starts, dashes) - 1
    head = data[starts[tokens]]
    maybe = (head >= ord("A")) & (head <= ord("Z"))
    at: list[int] = []
    codes: list[bytes] = []
    for index in tokens[maybe].tolist():
        code = CODE.match(text, int(starts[index]))
        if code is not None:
            at.append(index)
            codes.append(code[0])
    return at, codes


def _fields(slab: _Slab, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    fields = np.full(len(starts), Field.BODY, np.int64)
    for spans, field in (
        (slab.strings.array(), Field.STRING),
        (slab.imports.array(), Field.IMPORT),
        (slab.comments.array(), Field.COMMENT),
        (_pairs(slab.names), Field.NAME),
        (_pairs(slab.signatures), Field.SIGNATURE),
    ):
        if len(spans):
            fields[_covered(spans, starts)] = field
    return fields


def _covered(spans: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which positions stand in a span; spans in any order, positions sorted."""
    edges = np.searchsorted(starts, spans)
    size = len(starts) + 1
    depth = np.bincount(edges[:, 0], minlength=size) - np.bincount(edges[:, 1], minlength=size)
    covered: NDArray[np.bool_] = np.cumsum(depth[:-1]) > 0
    return covered


def _owned(
    slab: _Slab, starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64] | slice, NDArray[np.int64]]:
    """Token occurrences: (index of the token, chunk), a token once for every chunk it stands in."""
    low = np.searchsorted(starts, slab.starts)
    high = np.searchsorted(starts, slab.ends)
    sizes = high - low
    owners = np.repeat(np.array(slab.owners, np.int64), sizes)
    if len(low) and low[0] == 0 and high[-1] == len(starts) and (low[1:] == high[:-1]).all():
        return slice(None), owners
    before = np.cumsum(sizes) - sizes
    return np.arange(len(owners)) + np.repeat(low - before, sizes), owners


def _unique(packed: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    packed.sort()
    heads = np.flatnonzero(np.diff(packed, prepend=-1))
    return packed[heads], np.diff(heads, append=len(packed))


def _merge(rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Rows of one (term, chunk, field) summed, saturating; sorted."""
    if not len(rows):
        return rows
    rows.sort()
    keys = rows >> np.uint64(_COUNT_BITS)
    heads = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    counts = np.add.reduceat(rows & np.uint64(MAX_COUNT), heads)
    np.minimum(counts, np.uint64(MAX_COUNT), out=counts)
    return keys[heads] << np.uint64(_COUNT_BITS) | counts


# --------------------------------------------------------------------------- token -> terms


class _Ids(dict[bytes, int]):
    """Token to running number; unknown tokens get the next one and are remembered in `new`.

    Tokens past `MAX_TOKEN` bytes share the number of their head when they are ASCII.
    """

    def __init__(self) -> None:
        self.new: list[bytes] = []

    def __missing__(self, token: bytes) -> int:
        if len(token) > MAX_TOKEN and token.isascii():
            return self[token[:MAX_TOKEN]]
        number = self[token] = len(self)
        self.new.append(token)
        return number


class _TermIds(dict[bytes, int]):
    def __missing__(self, term: bytes) -> int:
        number = self[term] = len(self)
        return number


_NONE, _BREAK, _STOP = -1, -2, -3
_PARTS_OR_BREAK = re.compile(PARTS.pattern + rb"|\n")


class _Parts(dict[bytes, int]):
    """Part of an identifier, as written, to the id of its term; negative: it has none."""

    def __init__(self, terms: _TermIds) -> None:
        self._terms = terms
        self[b"\n"] = _BREAK

    def __missing__(self, part: bytes) -> int:
        word = part.lower()
        if word.isdigit():
            number = _NONE if len(word) == 1 else self._terms[clip(word)]
        elif word in STOP_WORDS:
            number = _STOP
        else:
            number = self._terms[stem(word)]
        self[part] = number
        return number


class _Lexicon:
    """Every token seen with its terms, as a compressed table that grows by new tokens only.

    The terms of token `t` are `_table[first[t] : first[t] + n_terms[t]]`; in the name field
    `n_name_terms[t]` of them, which differs for stop words only.
    """

    def __init__(self) -> None:
        self._ids = _Ids()
        self._short = WordNumbers(_NARROW)
        self._long = WordNumbers(_WIDE)
        self._terms = _TermIds()
        self._parts = _Parts(self._terms)
        self._names: list[bytes] = []
        self._weight = 0
        self._table: NDArray[np.int32] = np.empty(0, np.int32)
        self.first: NDArray[np.int64] = np.empty(0, np.int64)
        self.n_terms: NDArray[np.int64] = np.empty(0, np.int64)
        self.n_name_terms: NDArray[np.int64] = np.empty(0, np.int64)
        self.is_type: NDArray[np.bool_] = np.empty(0, np.bool_)

    def ids(
        self,
        text: bytes,
        starts: NDArray[np.int64],
        sizes: NDArray[np.int64],
        codes: list[bytes],
    ) -> NDArray[np.int32]:
        """Numbers of the tokens of `text` (which goes on behind them), then of the codes."""
        known = len(self._ids)
        lanes = lanes_of(text, starts, np.where(sizes > LANE * _NARROW, 0, sizes), _NARROW)
        numbers = self._short.find(lanes)
        rest = np.flatnonzero((sizes > LANE * _NARROW) & (sizes <= LANE * _WIDE))
        numbers[rest] = self._long.find(lanes_of(text, starts[rest], sizes[rest], _WIDE))
        rest = np.flatnonzero(numbers < 0)
        tokens = [
            text[start : start + size]
            for start, size in zip(starts[rest].tolist(), sizes[rest].tolist(), strict=True)
        ]
        numbers[rest] = np.fromiter(map(self._ids.__getitem__, tokens), np.int32, len(tokens))
        if codes:
            more = np.fromiter(map(self._ids.__getitem__, codes), np.int32, len(codes))
            numbers = np.concatenate([numbers, more])
        if self._ids.new:
            self._remember(text, starts[rest], sizes[rest], numbers[rest], known)
            new, self._ids.new = self._ids.new, []
            self._grow(new)
        return numbers

    def _remember(
        self,
        text: bytes,
        starts: NDArray[np.int64],
        sizes: NDArray[np.int64],
        numbers: NDArray[np.int32],
        known: int,
    ) -> None:
        """Tokens numbered from `known` on are found without `_ids` the next time."""
        numbers, first = np.unique(numbers, return_index=True)
        first, numbers = first[numbers >= known], numbers[numbers >= known]
        sizes, starts = sizes[first], starts[first]
        short = sizes <= LANE * _NARROW
        for memo, width, chosen in (
            (self._short, _NARROW, short),
            (self._long, _WIDE, ~short & (sizes <= LANE * _WIDE)),
        ):
            memo.add(lanes_of(text, starts[chosen], sizes[chosen], width), numbers[chosen])

    def terms_of(self, ids: NDArray[np.int32], n_terms: NDArray[np.int64]) -> NDArray[np.int32]:
        """The terms of the tokens, the first `n_terms` of each, in order."""
        before = np.cumsum(n_terms) - n_terms
        at = np.arange(int(n_terms.sum())) + np.repeat(self.first[ids] - before, n_terms)
        found: NDArray[np.int32] = self._table[at]
        return found

    def sorted_terms(self, used: NDArray[np.int32]) -> tuple[tuple[bytes, ...], NDArray[np.uint64]]:
        """The distinct terms in byte order, and rank by term id."""
        self._names.extend(list(self._terms)[len(self._names) :])
        seen = np.zeros(len(self._names), np.bool_)
        seen[used] = True
        names = self._names
        numbers = sorted(np.flatnonzero(seen).tolist(), key=names.__getitem__)
        ranks = np.zeros(len(names), np.uint64)
        ranks[numbers] = np.arange(len(numbers), dtype=np.uint64)
        return tuple([names[number] for number in numbers]), ranks

    def is_full(self) -> bool:
        """Whether it is time for a new one."""
        return len(self._ids) > LEXICON_LIMIT or self._weight > 16 * LEXICON_LIMIT

    def _grow(self, new: list[bytes]) -> None:
        self._weight += sum(map(len, new))
        plain = [token.isascii() and b"-" not in token for token in new]
        rows = self._plain_rows(list(compress(new, plain)))
        if not all(plain):
            rows = self._with_others(rows, new, np.array(plain))
        self.first = np.concatenate([self.first, len(self._table) + rows.first])
        self._table = np.concatenate([self._table, rows.table])
        self.n_terms = np.concatenate([self.n_terms, rows.n_terms])
        self.n_name_terms = np.concatenate([self.n_name_terms, rows.n_name_terms])
        types = np.fromiter(map(is_type_name, new), np.bool_, len(new))
        self.is_type = np.concatenate([self.is_type, types])

    def _plain_rows(self, tokens: list[bytes]) -> _Rows:
        """`token_terms` of many ASCII tokens at once; the tests hold the two equal."""
        text = b"\n".join((*tokens, b""))
        parts: list[bytes] = _PARTS_OR_BREAK.findall(text)
        numbers = np.fromiter(map(self._parts.__getitem__, parts), np.int32, len(parts))
        lengths = np.fromiter(map(len, parts), np.int32, len(parts))
        sizes = np.fromiter(map(len, tokens), np.int32, len(tokens))
        breaks = np.flatnonzero(numbers == _BREAK)
        n_parts = np.diff(breaks, prepend=-1) - 1
        word = (n_parts == 1) & (lengths[breaks - 1] == sizes)
        whole = ~word & (n_parts > 0)
        owner = np.cumsum(numbers == _BREAK)  # of a part; a break counts for the next token
        owner[breaks] -= 1
        stops = (numbers == _STOP) & word[owner]
        for at in np.flatnonzero(stops).tolist():
            numbers[at] = self._terms[stem(parts[at].lower())]
        kept = (numbers >= 0) & (word | (n_parts <= MAX_PARTS))[owner]
        kept &= (lengths > 1) | word[owner]
        owner, numbers = owner[kept], numbers[kept]
        n_name_terms = np.bincount(owner, minlength=len(tokens)) + whole
        first = np.cumsum(n_name_terms) - n_name_terms
        table = np.empty(int(n_name_terms.sum()), np.int32)
        names = list(map(clip, compress(text.lower().split(b"\n"), whole.tolist())))
        table[first[whole]] = np.fromiter(map(self._terms.__getitem__, names), np.int32, len(names))
        table[np.arange(len(owner)) + np.cumsum(whole)[owner]] = numbers
        n_terms = n_name_terms - np.bincount(
            np.searchsorted(breaks, np.flatnonzero(stops)), minlength=len(tokens)
        )
        return _Rows(table, first, n_terms, n_name_terms)

    def _with_others(self, rows: _Rows, new: list[bytes], plain: NDArray[np.bool_]) -> _Rows:
        """`rows` of the plain ones among `new`, completed by codes and non-ASCII tokens."""
        table: list[int] = []
        first = np.zeros(len(new), np.int64)
        n_terms = np.zeros(len(new), np.int64)
        n_name_terms = np.zeros(len(new), np.int64)
        first[plain], n_terms[plain], n_name_terms[plain] = rows[1:]
        others: list[int] = np.flatnonzero(~plain).tolist()
        wide = [index for index in others if not new[index].isascii()]
        words = dict(zip(wide, wide_words([new[index] for index in wide]), strict=True))
        for index in others:
            word = words.get(index)
            terms = [word] if word else _other_terms(new[index])
            first[index] = len(rows.table) + len(table)
            n_terms[index] = n_name_terms[index] = len(terms)
            table.extend(map(self._terms.__getitem__, terms))
        self._weight += 4 * len(table)
        return _Rows(
            np.concatenate([rows.table, np.array(table, np.int32)]), first, n_terms, n_name_terms
        )


class _Rows(NamedTuple):
    """Terms of some tokens: a piece of the table, and per token where and how many."""

    table: NDArray[np.int32]
    first: NDArray[np.int64]
    n_terms: NDArray[np.int64]
    n_name_terms: NDArray[np.int64]


def _other_terms(token: bytes) -> list[bytes]:
    if token.isascii():
        return [code_term(token)]
    return [term.text for term in token_terms(token)]


_LEXICON = [_Lexicon()]


def _shared_lexicon() -> _Lexicon:
    """The memo of this process; it changes no result, only the time."""
    if _LEXICON[0].is_full():
        _LEXICON[0] = _Lexicon()
    return _LEXICON[0]

"""Counts per chunk equal those of the plain definition, whatever the text, spans and chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline.model.chunk import EMPTY_HEADER, N_FIELDS, ChunkKind, ChunkSpan, Field, Header
from grainline.model.facts import FileFacts
from grainline.model.position import Span
from grainline.text import counts
from grainline.text.counts import TermCounter, TermCounts
from grainline.text.digest import chunk_key
from grainline.text.identifiers import is_type_name, token_terms
from grainline.text.tokens import CODE, TOKEN, code_term, text_terms

File = tuple[bytes, Sequence[ChunkSpan], FileFacts]
Row = tuple[bytes, int, int, int]  # term, chunk, field, count


def chunk(start: int, end: int, header: Header = EMPTY_HEADER) -> ChunkSpan:
    return ChunkSpan(start, end, ChunkKind.BLOCK, -1, -1, header)


def count(files: Sequence[File]) -> TermCounts:
    counter = TermCounter()
    for text, chunks, facts in files:
        counter.add(text, chunks, facts)
    return counter.finish()


def rows_of(result: TermCounts) -> list[Row]:
    return [
        (result.vocabulary[row >> 40], row >> 8 & 0xFFFFFFFF, row >> 5 & 7, row & 31)
        for row in result.rows.tolist()
    ]


# The definition, chunk by chunk and token by token.


def expected(files: Sequence[File]) -> tuple[list[Row], list[list[int]]]:
    rows: list[Row] = []
    lengths: list[list[int]] = []
    for text, chunks, facts in files:
        for each in chunks:
            counted = Counter(occurrences(text, each, facts))
            rows += [
                (term, len(lengths), field, min(n, 31)) for (term, field), n in counted.items()
            ]
            sizes = [sum(n for (_, of), n in counted.items() if of == field) for field in Field]
            lengths.append([min(size, 65535) for size in sizes])
    return sorted(rows), lengths


def occurrences(text: bytes, each: ChunkSpan, facts: FileFacts) -> Iterator[tuple[bytes, int]]:
    name, scope, signature = each.header
    for term in text_terms(name.encode(), keep_stop_words=True):
        yield term.text, Field.NAME
    for term in text_terms(f"{signature}\n{scope}".encode()):
        yield term.text, Field.SIGNATURE
    piece = text[each.start : each.end]
    for found in TOKEN.finditer(piece):
        field = field_at(each.start + found.start(), facts)
        code = CODE.match(piece, found.start())
        if code:
            yield code_term(code[0]), field
        if field == Field.BODY and is_type_name(found[0]):
            field = Field.TYPE
        for term in token_terms(found[0]):
            yield term.text, field


def field_at(at: int, facts: FileFacts) -> Field:
    for spans, field in (
        (facts.comments, Field.COMMENT),
        (facts.import_spans, Field.IMPORT),
        (facts.strings, Field.STRING),
    ):
        if any(span.start <= at < span.end for span in spans):
            return field
    return Field.BODY


PIECES = st.sampled_from(
    [
        b" ", b"\n", b"-", b"_", b".", b"(", b'"', b"the", b"is", b"The", b"a", b"7", b"42",
        b"ORA-00942", b"CVE-2021-42574", b"UTF-8x", b"E1234", b"HTTP_404", b"getURLs", b"XMLHttp",
        b"RefundService", b"users", b"Users", b"0x1F", b"x", b"caf\xc3\xa9", b"\xff", b"\xe9",
        "重跑gen".encode(), "退款周期".encode(), "返金 プロセス".encode(), "\uff21\uff30\uff29".encode(),
        "한국어".encode(), "ÜberCafé".encode(), b"A" * 300, b"Ab" * 40, b"\x00", b"\r\n",
    ]
)  # fmt: skip
TEXTS = st.lists(st.one_of(PIECES, st.binary(max_size=4)), max_size=30).map(b"".join)
WORDS = st.lists(
    st.sampled_from(["is", "all", "getUser", "the", "退款", "ORA-1 x", "T"]), max_size=3
).map(" ".join)
HEADERS = st.one_of(st.just(EMPTY_HEADER), st.builds(Header, WORDS, WORDS, WORDS))


@st.composite
def spans(draw: st.DrawFn, size: int) -> tuple[Span, ...]:
    edges = sorted(draw(st.lists(st.integers(0, size), max_size=6)))
    return tuple(Span(a, b) for a, b in zip(edges[::2], edges[1::2], strict=False))


@st.composite
def files(draw: st.DrawFn) -> File:
    text = draw(TEXTS)
    size = len(text)
    edges = draw(st.lists(st.integers(0, size), max_size=8))
    if draw(st.booleans()):
        cuts = sorted({0, size, *edges})
        pairs = list(pairwise(cuts))
    else:
        pairs = sorted((min(p), max(p)) for p in zip(edges[::2], edges[1::2], strict=False))
    chunks = tuple(chunk(a, b, draw(HEADERS)) for a, b in pairs)
    facts = FileFacts(
        language="",
        comments=draw(spans(size)),
        strings=draw(spans(size)),
        import_spans=draw(spans(size)),
    )
    return text, chunks, facts


@settings(deadline=None, max_examples=120)
@given(st.lists(files(), max_size=4))
def test_counts_equal_the_definition(batch):
    result = count(batch)
    rows, lengths = expected(batch)
    assert rows_of(result) == rows
    assert result.lengths.tolist() == lengths
    assert list(result.vocabulary) == sorted({row[0] for row in rows})


@settings(deadline=None, max_examples=25)
@given(st.lists(files(), max_size=4), st.integers(1, 64))
def test_the_size_of_a_slab_changes_nothing(batch, size):
    whole = count(batch)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "SLAB_BYTES", size)
        cut = count(batch)
    assert cut.vocabulary == whole.vocabulary
    assert cut.rows.tolist() == whole.rows.tolist()
    assert cut.lengths.tolist() == whole.lengths.tolist()


@settings(deadline=None, max_examples=25)
@given(st.lists(files(), max_size=3), st.lists(files(), max_size=3))
def test_what_was_counted_before_changes_nothing(before, batch):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "_LEXICON", [counts._Lexicon()])
        fresh = count(batch)
    count(before)
    used = count(batch)
    assert used.vocabulary == fresh.vocabulary
    assert used.rows.tolist() == fresh.rows.tolist()


@settings(deadline=None, max_examples=40)
@given(files(), st.binary(max_size=9), st.binary(max_size=9))
def test_equal_chunk_keys_mean_equal_counts_in_any_file(file, before, after):
    text, chunks, facts = file
    for each in chunks:
        header = each.header
        piece = text[each.start : each.end]
        moved = chunk(len(before), len(before) + len(piece), header)
        other = FileFacts(
            language="",
            comments=clip(facts.comments, each, len(before)),
            strings=clip(facts.strings, each, len(before)),
            import_spans=clip(facts.import_spans, each, len(before)),
        )
        here = count([(text, [each], facts)])
        there = count([(before + piece + after, [moved], other)])
        assert key(header, piece, here) == key(header, piece, there)
        assert rows_of(here) == rows_of(there)


def key(header: Header, text: bytes, counted: TermCounts) -> bytes:
    return chunk_key("grain", 1, "", "utf-8", header, text, context=counted.contexts[0])


def test_the_same_text_has_another_key_inside_a_comment():
    text = b"words of prose"
    plain = FileFacts(language="")
    comment = FileFacts(language="", comments=(Span(0, len(text)),))
    keys = {
        key(EMPTY_HEADER, text, count([(text, [chunk(0, len(text))], facts)]))
        for facts in (plain, comment)
    }
    assert len(keys) == 2


def clip(spans_: Sequence[Span], each: ChunkSpan, shift: int) -> tuple[Span, ...]:
    return tuple(
        Span(max(a, each.start) - each.start + shift, min(b, each.end) - each.start + shift)
        for a, b in spans_
        if a < each.end and b > each.start
    )


def test_a_giant_token_is_judged_by_its_head():
    text = b"A" * 300 + b"the"
    found = rows_of(count([(text, [chunk(0, len(text))], FileFacts(language=""))]))
    assert found == [(b"a" * 64, 0, Field.BODY, 1)]


def test_fields_follow_the_spans_a_token_starts_in():
    text = b"import os\n# the Note\nx = 'word' + RefundService()\n"
    facts = FileFacts(
        language="python",
        import_spans=(Span(0, 9),),
        comments=(Span(10, 20),),
        strings=(Span(25, 31),),
    )
    header = Header("apply is", "Refund", "def apply(self)")
    found = rows_of(count([(text, [chunk(0, len(text), header)], facts)]))
    by_field = {field.name: [r[0] for r in found if r[2] == field] for field in Field}
    assert by_field == {
        "NAME": [b"appli", b"is"],
        "SIGNATURE": [b"appli", b"def", b"refund", b"self"],
        "BODY": [b"x"],
        "COMMENT": [b"note"],
        "STRING": [b"word"],
        "IMPORT": [b"import", b"os"],
        "TYPE": [b"refund", b"refundservice", b"servic"],
    }


def test_counts_saturate_and_lengths_do_not_wrap():
    text = b"word " * 70_000
    result = count([(text, [chunk(0, len(text))], FileFacts(language=""))])
    assert rows_of(result) == [(b"word", 0, Field.BODY, 31)]
    assert result.lengths.tolist() == [[0, 0, 65535, 0, 0, 0, 0]]


def test_a_token_of_a_megabyte_is_a_short_term():
    text = b"A" * 1_000_000 + b" end"
    result = count([(text, [chunk(0, len(text))], FileFacts(language=""))])
    assert result.vocabulary == (b"a" * 64, b"end")


def test_a_chunk_in_two_windows_counts_in_both():
    text = b"one two three"
    chunks = [chunk(0, 7), chunk(4, 13)]
    found = rows_of(count([(text, chunks, FileFacts(language=""))]))
    assert [(row[0], row[1]) for row in found] == [
        (b"one", 0), (b"three", 1), (b"two", 0), (b"two", 1),
    ]  # fmt: skip


def test_nothing_in_gives_nothing_out():
    result = count([])
    assert result.vocabulary == ()
    assert result.rows.dtype == np.uint64
    assert result.rows.shape == (0,)
    assert result.lengths.shape == (0, N_FIELDS)

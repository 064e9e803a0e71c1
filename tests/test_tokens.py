"""Questions into terms, and grainline's own length count."""

from __future__ import annotations

from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from grainline.model.chunk import Header
from grainline.text import tokens
from grainline.text.digest import chunk_key, git_blob_id, masked_id
from grainline.text.identifiers import TermKind
from grainline.text.tokens import (
    QueryTerm,
    many_token_sums,
    query_terms,
    text_terms,
    token_sums,
)

TEXTS = st.one_of(st.binary(max_size=80), st.text(max_size=80).map(str.encode))


def test_a_question_counts_its_terms_in_order_of_appearance():
    assert query_terms("Where does RefundService refund users? refund E1234") == (
        QueryTerm(b"refundservice", TermKind.WHOLE, 1),
        QueryTerm(b"refund", TermKind.PART, 3),
        QueryTerm(b"servic", TermKind.PART, 1),
        QueryTerm(b"user", TermKind.PART, 1),
        QueryTerm(b"e1234", TermKind.WHOLE, 1),
        QueryTerm(b"1234", TermKind.NUMBER, 1),
    )


def test_a_question_of_stop_words_only_keeps_them():
    assert [term.term for term in query_terms("is")] == [b"is"]
    assert [term.term for term in query_terms("is user")] == [b"user"]


def test_a_question_with_a_lone_surrogate_is_no_error():
    assert [term.term for term in query_terms("user\ud800name")] == [b"user", b"name"]


@given(st.text(max_size=40))
def test_a_question_finds_the_terms_its_text_is_indexed_under(text):
    indexed = {term.text for term in text_terms(text.encode("utf-8", "replace"))}
    asked = {term.term for term in query_terms(text)}
    assert asked == indexed or not indexed


# The length count, byte by byte.


def plain_sums(text: bytes) -> list[int]:
    sums = [0]
    for kind, run in groupby(text, byte_class):
        step = {"word": 12, "wide": 3, "punctuation": 1, "space": 0}[kind]
        for index, _ in enumerate(run):
            sums.append(sums[-1] + (1 if step and index % step == 0 else 0))
    return sums


def byte_class(byte: int) -> str:
    if byte >= 0x80:
        return "wide"
    char = chr(byte)
    if char.isspace() and byte not in range(0x1C, 0x20):
        return "space"
    return "word" if char.isalnum() or char == "_" else "punctuation"


@given(TEXTS)
def test_token_sums_equal_the_definition(text):
    assert token_sums(text).tolist() == plain_sums(text)


@given(st.integers(0, 50), st.integers(0, 50), st.sampled_from([b"a", b"\xe4", b"(", b" "]))
def test_long_runs_count_by_steps(n, m, byte):
    text = byte * n + b"," + byte * m
    assert token_sums(text).tolist() == plain_sums(text)


@given(TEXTS, TEXTS)
def test_lengths_are_additive_up_to_one_run_at_the_seam(a, b):
    joined = int(token_sums(a + b)[-1])
    apart = int(token_sums(a)[-1]) + int(token_sums(b)[-1])
    assert apart - 1 <= joined <= apart


def test_length_examples():
    assert token_sums(b"def apply(self):\n").tolist()[-1] == 6
    assert int(token_sums("退款周期".encode())[-1]) == 4
    assert token_sums(b"").tolist() == [0]


# Digests.


def test_blob_ids_are_those_of_git():
    assert git_blob_id(b"hello\n").hex() == "ce013625030ba8dba906f756967f9e9ca394464a"
    assert git_blob_id(b"", "sha256").hex() == (
        "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
    )
    assert masked_id(b"") == git_blob_id(b"", "sha256").hex()


def test_chunk_keys_differ_when_anything_differs():
    base = ("grain", 1, "python", "utf-8", Header("a", "b", "c"), b"text")
    others = [
        ("grain", 1, "python", "utf-8", Header("ab", "", "c"), b"text"),
        ("grain", 1, "python", "utf-8", Header("a", "b", "c"), b"text "),
        ("grain", 1, "python", "gbk", Header("a", "b", "c"), b"text"),
        ("grain", 1, "pytho", "nutf-8", Header("a", "b", "c"), b"text"),
        ("grain", 2, "python", "utf-8", Header("a", "b", "c"), b"text"),
        ("grain1", 1, "python", "utf-8", Header("a", "b", "c"), b"text"),
    ]
    keys = [chunk_key(*each) for each in (base, *others)]
    keys += [chunk_key(*base, context=b"x")]
    assert len(set(keys)) == len(keys)
    assert {len(key) for key in keys} == {16}


@given(st.lists(TEXTS, max_size=6), st.integers(1, 100))
def test_texts_counted_together_are_as_long_as_alone(texts, slab):
    whole = tokens._SLAB
    tokens._SLAB = slab
    try:
        found = many_token_sums(texts)
    finally:
        tokens._SLAB = whole
    assert [(sums - sums[0]).tolist() for sums in found] == [
        token_sums(text).tolist() for text in texts
    ]

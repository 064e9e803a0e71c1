"""Terms of tokens: the cases, and the limits that hold for any bytes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grainline.text.identifiers import (
    MAX_PARTS,
    MAX_TERM,
    MAX_TOKEN,
    Term,
    TermKind,
    clip,
    is_type_name,
    token_terms,
    wide_words,
)
from grainline.text.tokens import text_terms

CASES = Path(__file__).parent / "cases" / "text" / "terms.md"
MARKS = {TermKind.WHOLE: "w:", TermKind.PART: "", TermKind.CJK: "c:", TermKind.NUMBER: "#"}


def cases():
    found = re.findall(
        r"^## (.+?)\n\n```terms\n(.+?)^```", CASES.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    return [pytest.param(block, id=heading) for heading, block in found]


@pytest.mark.parametrize("block", cases())
def test_terms_are_as_the_case_says(block):
    lines = block.splitlines()
    given_texts = [line.split(" =>")[0] for line in lines]
    found = [" ".join(map(show, text_terms(text.encode()))) for text in given_texts]
    assert [f"{t} => {f}".rstrip() for t, f in zip(given_texts, found, strict=True)] == lines


def show(term: Term) -> str:
    return MARKS[term.kind] + term.text.decode()


@given(st.one_of(st.binary(), st.text().map(str.encode)))
def test_terms_of_any_bytes_are_short_valid_utf8_without_separators(text):
    for term in text_terms(text):
        assert 0 < len(term.text) <= MAX_TERM
        decoded = term.text.decode("utf-8")
        assert not re.search(r"\s", decoded)
        assert decoded == decoded.casefold()


@given(st.from_regex(r"[a-zA-Z_]{1,12}", fullmatch=True))
def test_case_of_a_whole_does_not_matter(name):
    wholes = [t.text for t in token_terms(name.encode()) if t.kind is TermKind.WHOLE]
    assert wholes in ([], [name.lower().encode()])


def test_only_the_head_of_a_giant_token_is_looked_at():
    head = (b"word_" * 100)[:MAX_TOKEN]
    assert token_terms(head + b"tail" * 1000) == token_terms(head)


def test_a_token_of_many_parts_is_data_and_only_a_whole():
    assert len(token_terms(b"ab1" * (MAX_PARTS // 2))) == 1 + MAX_PARTS // 2
    assert [t.kind for t in token_terms(b"ab1" * MAX_PARTS)] == [TermKind.WHOLE]


def test_a_stop_word_is_kept_only_as_a_whole_and_on_demand():
    assert token_terms(b"is") == ()
    assert token_terms(b"is", keep_stop_words=True) == (Term(b"is", TermKind.PART),)
    assert Term(b"is", TermKind.PART) not in token_terms(b"is_valid", keep_stop_words=True)


def test_clipping_never_cuts_a_character():
    assert clip("é".encode() * 40) == "é".encode() * 32
    assert clip(b"x" + "退".encode() * 30) == b"x" + "退".encode() * 21


@pytest.mark.parametrize(
    ("name", "expected"),
    [(b"RefundService", True), (b"Foo", True), (b"T", False), (b"MAX_SIZE", False), (b"x", False)],
)
def test_type_names_have_a_capital_first_and_are_not_all_capitals(name, expected):
    assert is_type_name(name) is expected


_WIDE = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            "aZs_9éÉß\u017f\u0131\u0130\u03a9\u0441\u03bb\u0410\u05e7\u0628\uac00\u6f22\uff76\uff9e\u0301\u05b0ﬁ²"
        ),
        st.characters(min_codepoint=128),
    ),
    min_size=1,
    max_size=8,
).map(lambda text: text.encode("utf-8", "replace"))


@given(st.lists(_WIDE.filter(lambda token: not token.isascii() and b"\n" not in token)))
def test_words_that_are_not_ascii_are_read_in_bulk_as_one_by_one(tokens):
    for token, word in zip(tokens, wide_words(tokens), strict=True):
        assert word in (b"", b"".join(term.text for term in token_terms(token)[:1]))
        assert not word or len(token_terms(token)) == 1


def test_words_of_one_script_need_no_second_look():
    tokens = ["überprüft", "Ошибка", "متصل", "ΛΟΓΟΣ"]
    words = wide_words([token.encode() for token in tokens])
    assert words == ["überprüft".encode(), "ошибка".encode(), "متصل".encode(), "λογοσ".encode()]

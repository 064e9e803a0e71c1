"""The glossary: its cases, and what holds for every row of it."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grainline.text import glossary
from grainline.text.glossary import NOTHING, Translation, read_rows, translate
from grainline.text.identifiers import STOP_WORDS, TermKind
from grainline.text.tokens import query_terms

CASES = Path(__file__).parent / "cases" / "text" / "glossary.md"
TABLES = Path(glossary.__file__).parent
LANGUAGES = {"zh": "\u4e00-\u9fff", "ja": "\u3005\u3041-\u30fc\u4e00-\u9fff", "ko": "\uac00-\ud7a3"}
MEANT = {
    language: {term: row.split(", ") for term, row in read_rows(language).items() if row != NOTHING}
    for language in LANGUAGES
}


def cases():
    text = CASES.read_text("utf-8")
    found = re.findall(r"^## (.+?)\n\n```terms\n(.+?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(found) == text.count("\n## "), "a case does not parse"
    return [pytest.param(block, id=heading) for heading, block in found]


@pytest.mark.parametrize("block", cases())
def test_terms_of_a_question_are_as_the_case_says(block):
    lines = block.splitlines()
    asked = [line.split(" =>")[0] for line in lines]
    found = ["; ".join(map(show, translate(text))) for text in asked]
    assert [f"{t} => {f}".rstrip() for t, f in zip(asked, found, strict=True)] == lines


def show(found: Translation) -> str:
    return f"{found.term}: {', '.join(found.words)}"


# --------------------------------------------------------------------------- every row


def lines_of(name: str) -> list[str]:
    return (TABLES / f"{name}.tsv").read_text("utf-8").splitlines()


@pytest.mark.parametrize("name", [*LANGUAGES, "han"])
def test_rows_are_sorted_two_columns_without_duplicates(name):
    rows = [line.split("\t") for line in lines_of(name)]
    assert {len(row) for row in rows} == {2}
    terms = [term for term, _ in rows]
    assert terms == sorted(set(terms))
    assert all(row for _, row in rows)


@pytest.mark.parametrize(("language", "script"), LANGUAGES.items())
def test_terms_are_of_their_script_and_in_composed_form(language, script):
    for term in read_rows(language):
        assert re.fullmatch(f"[{script}]+", term), term
        assert unicodedata.normalize("NFKC", term) == term


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_are_plain_english_that_a_question_may_hold(language):
    for term, words in MEANT[language].items():
        assert len(set(words)) == len(words) <= 3, term
        for word in words:
            assert re.fullmatch(r"[a-z0-9]+(?: [a-z0-9]+)*", word), (term, word)
            assert any(part.encode() not in STOP_WORDS for part in word.split()), (term, word)
            assert all(each.kind is not TermKind.CJK for each in query_terms(word)), (term, word)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_term_alone_is_found_whole(language):
    for term, row in read_rows(language).items():
        asked = f"これ {term}" if language == "ja" else term
        words = () if row == NOTHING else (Translation(term, tuple(row.split(", "))),)
        assert translate(asked) == words


def test_a_traditional_character_has_one_simplified_form_that_is_not_folded_again():
    rows = read_rows("han")
    folded = [char for many in rows.values() for char in many]
    assert len(folded) == len(set(folded))
    assert not set(folded) & set(rows)


def test_terms_are_general_enough_to_be_many():
    sizes = {language: len(rows) for language, rows in MEANT.items()}
    assert sizes["zh"] >= 1200
    assert min(sizes["ja"], sizes["ko"]) >= 700


# --------------------------------------------------------------------------- any text

TEXTS = st.lists(
    st.one_of(st.text(max_size=4), *(st.sampled_from(sorted(rows)) for rows in MEANT.values())),
    max_size=6,
).map("".join)


@given(TEXTS)
def test_terms_stand_in_the_text_in_order_and_apart(text):
    text = unicodedata.normalize("NFKC", text)
    at = 0
    for found in translate(text):
        assert found.words
        at = text.index(found.term, at) + len(found.term)


@given(st.text(st.characters(exclude_categories=["Lo", "Lm", "Cs"])))
def test_a_text_without_letters_of_these_scripts_has_no_terms(text):
    assert translate(text) == ()

"""The table of words answers as a dict does, whatever the words, their number and their places."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grainline.text import lookup
from grainline.text.lookup import LANE, WordNumbers, lanes_of

PADDING = b" " * 4 * LANE


def lanes(words: list[bytes], width: int):
    """The lanes of words as they stand in one text."""
    sizes = np.array([len(word) for word in words], np.int64)
    starts = np.cumsum(sizes + 1) - sizes - 1
    return lanes_of(b" ".join((*words, PADDING)), starts, sizes, width)


def remember(table: WordNumbers, words: list[bytes], first: int, width: int = 2) -> None:
    table.add(lanes(words, width), np.arange(first, first + len(words), dtype=np.int32))


WORDS = st.lists(st.from_regex(rb"[a-c_\xc3]{1,16}", fullmatch=True), max_size=40, unique=True)


@given(WORDS, WORDS, st.randoms())
def test_words_have_the_number_they_were_given_and_others_have_none(known, asked, chance):
    table = WordNumbers(2)
    half = len(known) // 2
    remember(table, known[:half], 0)
    remember(table, known[half:], half)
    numbers = {word: number for number, word in enumerate(known)}
    asked = [*asked, *known]
    chance.shuffle(asked)
    found = table.find(lanes(asked, 2)).tolist()
    assert found == [numbers.get(word, -1) for word in asked]


def test_it_grows_with_its_words():
    words = [b"w%d" % number for number in range(40_000)]
    table = WordNumbers(2)
    for first in range(0, len(words), 7_000):
        remember(table, words[first : first + 7_000], first)
    assert table.find(lanes(words, 2)).tolist() == list(range(len(words)))
    assert set(table.find(lanes([b"v" + word for word in words], 2)).tolist()) == {-1}


def test_words_that_want_one_place_are_told_apart_and_what_finds_none_is_unknown(monkeypatch):
    place = lambda self, lanes: np.full(len(lanes[0]), 5, np.int64)  # noqa: E731
    monkeypatch.setattr(WordNumbers, "_place", place)
    words = [b"w%d" % number for number in range(lookup.PROBES + 9)]
    table = WordNumbers(2)
    remember(table, words, 0)
    found = table.find(lanes(words, 2)).tolist()
    assert sum(number >= 0 for number in found) == lookup.PROBES
    assert all(number in (-1, at) for at, number in enumerate(found))


@pytest.mark.parametrize("width", [1, 2, 4])
def test_a_word_differs_from_its_beginning_and_from_its_neighbours(width):
    longest = bytes(range(65, 65 + LANE * width))
    words = [longest[:size] for size in range(1, LANE * width + 1)]
    table = WordNumbers(width)
    remember(table, words, 0, width)
    again = [*reversed(words), b"z"]
    assert table.find(lanes(again, width)).tolist() == [*reversed(range(len(words))), -1]

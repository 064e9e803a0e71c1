"""Sorted word tables: a search by trigrams finds what a search of every byte finds."""

from __future__ import annotations

import random

import numpy as np
import pytest

from grainline.storage.segments import words as module
from grainline.storage.segments.columns import open_columns, pack_columns
from grainline.storage.segments.words import MANY_SCANS, Words, word_columns


def table(words):
    buffer = pack_columns(word_columns("word", sorted(words)))
    return Words(open_columns(buffer, "here"), "word")


@pytest.fixture
def spelled():
    rng = random.Random(4)
    return sorted(
        {bytes(rng.choices(b"abcd_0", k=rng.randrange(1, 12))) for _ in range(3000)}
        | {"\u7f13\u5b58".encode(), b"x" * 64}
    )


def test_trigrams_find_what_a_scan_finds(spelled) -> None:
    words = table(spelled)
    parts = [b"", b"a", b"ab", b"abc", b"a_0b", b"xxx", b"zzz", "\u5b58".encode()]
    parts += [word[at : at + 5] for at, word in enumerate(spelled[:300:7]) if len(word) > 4]
    for _ in range(MANY_SCANS):
        for part in parts:
            wanted = [at for at, word in enumerate(spelled) if part in word] if part else None
            found = list(words.containing(part))
            assert wanted is None or found == wanted, part


def test_trigrams_leave_most_blocks_out(spelled, monkeypatch) -> None:
    words = table(spelled)
    read = []
    whole = words._containing
    monkeypatch.setattr(
        words,
        "_containing",
        lambda part, low, high: read.append(high - low) or whole(part, low, high),
    )
    for _ in range(MANY_SCANS):
        list(words.containing(b"xxxx"))
    assert read[0] == len(words)
    read.clear()
    assert list(words.containing(b"xxxx"))
    assert 0 < sum(read) <= 2 * module.STRIDE


@pytest.mark.parametrize("n", [0, 1, module.STRIDE, module.STRIDE + 1])
def test_small_tables_have_trigrams_too(n: int) -> None:
    words = table(b"word%04d" % number for number in range(n))
    for _ in range(MANY_SCANS + 1):
        assert list(words.containing(b"word")) == list(range(n))
    assert np.all(np.diff(list(words.containing(b"rd0"))) > 0)

"""Formats of C: which of the arguments behind them are texts."""

from __future__ import annotations

import pytest

from grainline.flow.formats import printed, scanned


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("", ()),
        ("100%%", ()),
        ("%s", (True,)),
        ("%-10s|%5.2f|%lld", (True, False, False)),
        ("%.*s", (False, True)),
        ("%*d %c", (False, False, True)),
        ("%zu %p %x", (False, False, False)),
        ("%", ()),
    ],
)
def test_what_is_printed(text, texts):
    assert printed(text) == texts


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("%d", (False,)),
        ("%99s %d", (True, False)),
        ("%*s %d", (False,)),
        ("%[^\n]", (True,)),
        ("%[]a] %lf", (True, False)),
        ("%%%ms", (True,)),
    ],
)
def test_what_is_scanned(text, texts):
    assert scanned(text) == texts

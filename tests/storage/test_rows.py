"""Definitions in columns are the same definitions."""

from __future__ import annotations

import pytest

from grainline.model.symbol import Definition, SymbolKind
from grainline.storage.rows import DefinitionRows

FOUND = tuple(
    Definition(f"n{at}", kind, f"n{at}.", *range(at, at + 8), at - 1)
    for at, kind in enumerate(SymbolKind)
)


def test_columns_give_the_definitions_back():
    rows = DefinitionRows.of(FOUND)
    assert tuple(rows) == FOUND
    assert rows[2:9:3] == FOUND[2:9:3]
    assert rows[-1] == FOUND[-1]
    assert DefinitionRows.of(rows) is rows
    with pytest.raises(IndexError):
        rows[len(FOUND)]


def test_no_definitions_have_columns_too():
    rows = DefinitionRows.of(())
    assert (len(rows), rows.numbers.shape, tuple(rows)) == (0, (10, 0), ())

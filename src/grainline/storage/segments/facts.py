"""The facts record of a blob, read: definitions, imports, references, each built when asked for."""

from __future__ import annotations

import json
from functools import cached_property

import numpy as np

from grainline.model.symbol import Definition, Import, Role, SymbolKind
from grainline.storage.base import ReferenceRow
from grainline.storage.segments.columns import Array

KINDS = tuple(SymbolKind)
ROLES = tuple(Role)

HEAD = 16
"""Bytes of the four lengths in front of a record."""


class Facts:
    """What `build.pack_facts` wrote."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        n_definitions, n_imports, n_references, self._n_text = np.frombuffer(
            data, np.int32, 4
        ).tolist()
        self._definitions = (HEAD, n_definitions)
        self._imports = (HEAD + 40 * n_definitions, n_imports)
        self._references = (self._imports[0] + 8 * n_imports, n_references)
        self._text = self._references[0] + 12 * n_references

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """The outline."""
        return tuple(
            Definition(name, KINDS[row[0]], descriptor, *row[1:])
            for (name, descriptor), row in zip(
                self._strings[0], self._columns(self._definitions, 10).T.tolist(), strict=True
            )
        )

    def definition(self, row: int) -> Definition:
        """One row of the outline, without building the others."""
        name, descriptor = self._strings[0][row]
        numbers = self._columns(self._definitions, 10)[:, row].tolist()
        return Definition(name, KINDS[numbers[0]], descriptor, *numbers[1:])

    def definitions_in(self, start: int, end: int) -> tuple[tuple[int, Definition], ...]:
        """(row, definition) of the outline that starts in `[start, end)`."""
        columns = self._columns(self._definitions, 10)
        rows = np.flatnonzero((columns[1] >= start) & (columns[1] < end))
        names = self._strings[0]
        return tuple(
            (row, Definition(names[row][0], KINDS[numbers[0]], names[row][1], *numbers[1:]))
            for row, numbers in zip(rows.tolist(), columns[:, rows].T.tolist(), strict=True)
        )

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The imports."""
        spans = self._columns(self._imports, 2).T.tolist()
        return tuple(
            Import(*span, *words) for span, words in zip(spans, self._strings[1], strict=True)
        )

    def references(self, text: bytes, start: int, end: int) -> tuple[ReferenceRow, ...]:
        """The references that start in `[start, end)`; names are read from `text`, the whole view."""
        columns = self._columns(self._references, 3)
        low, high = np.searchsorted(columns[0], (start, end)).tolist()
        return tuple(
            ReferenceRow(a, b, text[a:b].decode("utf-8", "replace"), ROLES[role])
            for a, b, role in columns[:, low:high].T.tolist()
        )

    @cached_property
    def _strings(self) -> tuple[list[list[str]], list[list[str]]]:
        names, imports = json.loads(self._data[self._text : self._text + self._n_text])
        return names, imports

    def _columns(self, where: tuple[int, int], width: int) -> Array:
        at, rows = where
        return np.frombuffer(self._data, np.int32, width * rows, at).reshape(width, rows)

"""The facts record of a blob, read: definitions, imports, references, each built when asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from grainline.model.symbol import Definition, Import, Role, SymbolKind
from grainline.storage.base import ReferenceRow
from grainline.storage.segments.columns import Array

KINDS = tuple(SymbolKind)
ROLES = tuple(Role)

HEAD = 16
"""Bytes of the four lengths in front of a record."""

IMPORT_WORDS = 3


_definition = partial(tuple.__new__, Definition)  # pyright: ignore[reportUnknownMemberType]
_import = partial(tuple.__new__, Import)  # pyright: ignore[reportUnknownMemberType]
_reference = partial(tuple.__new__, ReferenceRow)  # pyright: ignore[reportUnknownMemberType]


class Cut(NamedTuple):
    """Bytes of each of some strings, and the strings joined."""

    sizes: Array
    joined: bytes


def strings_of(names: Cut, descriptors: Cut, imports: Cut) -> tuple[int, bytes]:
    """The strings of a record, and the number that its head has for them.

    `imports` are `IMPORT_WORDS` words of each, import by import.
    """
    parts = (names, descriptors, imports)
    sizes = [part.sizes.astype(np.int32, copy=False).tobytes() for part in parts]
    packed = b"".join((*sizes, *(part.joined for part in parts)))
    # format 2 had JSON here, and its length in the head
    return -1 - len(packed), packed


class Facts:
    """What `build` wrote: four lengths, numbers column by column, strings (`strings_of`)."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        n_definitions, n_imports, n_references, self._n_text = np.frombuffer(
            data, np.int32, 4
        ).tolist()
        self._definitions = (HEAD, n_definitions)
        self._imports = (HEAD + 40 * n_definitions, n_imports)
        self._references = (self._imports[0] + 8 * n_imports, n_references)
        self._text = self._references[0] + 12 * n_references
        self._built: dict[int, Definition] = {}  # rows that were asked for

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """The outline."""
        return self._build(range(self._definitions[1]), self._outline)

    def definition(self, row: int) -> Definition:
        """One row of the outline, without building the others."""
        found = self._built.get(row)
        if found is None:
            found = self._built[row] = self._build([row], self._outline[:, row : row + 1])[0]
        return found

    def definitions_in(self, start: int, end: int) -> tuple[tuple[int, Definition], ...]:
        """(row, definition) of the outline that starts in `[start, end)`."""
        columns = self._outline
        inside = (columns[1] >= start) & (columns[1] < end)
        rows: list[int] = inside.nonzero()[0].tolist()
        found = tuple(zip(rows, self._build(rows, columns[:, rows]), strict=True))
        self._built.update(found)
        return found

    @cached_property
    def _outline(self) -> Array:
        return self._columns(self._definitions, 10)

    def _build(self, rows: Iterable[int], numbers: Array) -> tuple[Definition, ...]:
        words, n = self._words, self._definitions[1]
        return tuple(
            [
                _definition((words(row), KINDS[cells[0]], words(n + row), *cells[1:]))
                for row, cells in zip(rows, numbers.T.tolist(), strict=True)
            ]
        )

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The imports."""
        spans = self._columns(self._imports, 2).T.tolist()
        words, at = self._words, range(2 * self._definitions[1], 1 << 62, IMPORT_WORDS)
        return tuple(
            [
                _import((*span, words(first), words(first + 1), words(first + 2)))
                for span, first in zip(spans, at, strict=False)
            ]
        )

    def references(
        self, text: bytes, start: int, end: int, role: Role | None = None
    ) -> tuple[ReferenceRow, ...]:
        """The references that start in `[start, end)`; names are read from `text`, the whole view."""
        columns = self._columns(self._references, 3)
        low, high = columns[0].searchsorted((start, end)).tolist()
        found = columns[:, low:high]
        if role is not None:
            found = found[:, found[2] == ROLES.index(role)]
        return tuple(
            [
                _reference((a, b, text[a:b].decode("utf-8", "replace"), ROLES[code]))
                for a, b, code in zip(*found.tolist(), strict=True)
            ]
        )

    @cached_property
    def _words(self) -> Callable[[int], str]:
        """The n-th string: names, then descriptors, then the words of imports."""
        if self._n_text >= 0:
            return self._spelled().__getitem__
        n = 2 * self._definitions[1] + IMPORT_WORDS * self._imports[1]
        ends = np.empty(n + 1, np.int64)
        ends[0] = 0
        np.cumsum(np.frombuffer(self._data, np.int32, n, self._text), out=ends[1:])
        data = self._data[self._text + 4 * n :]
        bounds = memoryview(ends.data)  # gives int objects
        if data.isascii():
            text = data.decode()
            return lambda number: text[bounds[number] : bounds[number + 1]]

        def word(number: int) -> str:
            return str(data[bounds[number] : bounds[number + 1]], "utf-8", "surrogatepass")

        return word

    def _spelled(self) -> list[str]:
        """The strings of a record of format 2."""
        pairs, imports = json.loads(self._data[self._text : self._text + self._n_text])
        names, descriptors = zip(*pairs, strict=True) if pairs else ((), ())
        return [*names, *descriptors, *chain.from_iterable(imports)]

    def _columns(self, where: tuple[int, int], width: int) -> Array:
        at, rows = where
        return np.frombuffer(self._data, np.int32, width * rows, at).reshape(width, rows)

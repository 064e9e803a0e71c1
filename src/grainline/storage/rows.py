"""The definitions of a batch in columns: between the wire and a segment nobody needs them one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from grainline.model.symbol import Definition, SymbolKind

KINDS = tuple(SymbolKind)
KIND_NUMBER = {kind: number for number, kind in enumerate(KINDS)}
NUMBERS = 10
"""Integers of a definition: the number of its kind, then `start` to `parent`."""


class DefinitionRows(Sequence[Definition]):
    """Definitions as values when asked for one, else as columns.

    Attributes:
        names: of each definition.
        descriptors: of each definition.
        numbers: `(NUMBERS, n)` int32.
    """

    __slots__ = ("descriptors", "names", "numbers")

    def __init__(
        self, names: Sequence[str], descriptors: Sequence[str], numbers: NDArray[np.int32]
    ) -> None:
        assert len(names) == len(descriptors) == numbers.shape[1], "columns are equally long"
        self.names = names
        self.descriptors = descriptors
        self.numbers = numbers

    @classmethod
    def of(cls, definitions: Sequence[Definition]) -> DefinitionRows:
        """The columns of definitions, which may have them already."""
        if isinstance(definitions, cls):
            return definitions
        if not definitions:
            return cls((), (), np.empty((NUMBERS, 0), np.int32))
        names, kinds, descriptors, *numbers = zip(*definitions, strict=True)
        codes = [KIND_NUMBER[kind] for kind in kinds]
        return cls(names, descriptors, np.array([codes, *numbers], np.int32))

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, index: int) -> Definition: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Definition, ...]: ...

    def __getitem__(self, index: int | slice) -> Definition | tuple[Definition, ...]:
        if isinstance(index, slice):
            return tuple(map(self._row, range(*index.indices(len(self)))))
        return self._row(range(len(self))[index])

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DefinitionRows)
            and list(self.names) == list(other.names)
            and list(self.descriptors) == list(other.descriptors)
            and np.array_equal(self.numbers, other.numbers)
        )

    __hash__ = None  # type: ignore[assignment]  # as of any list

    def _row(self, index: int) -> Definition:
        kind, *numbers = self.numbers[:, index].tolist()
        return Definition(self.names[index], KINDS[kind], self.descriptors[index], *numbers)

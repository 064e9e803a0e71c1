"""Iterative retrieval: what was found is read, and what was read asks again.

After Zhang et al., "RepoCoder", EMNLP 2023. There a model's draft is the second question; here it
is the first lines of what was found, an extractive stand-in, so that every run is offline and alike.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from grainline.lab.ground import Ground
from grainline.lab.strategies._composed import COMMON, Composed, ComposedIndex
from grainline.lab.values import Context, IndexCost, Piece, Query, Settings, Value

WINDOWS = Composed(name="iterative", chunker="lines")


class Iterative:
    """See the module."""

    name = "iterative"
    version = 1
    options: Mapping[str, Value] = {
        **COMMON,
        "rounds": 2,  # of asking; 1 is plain retrieval
        "read": 2,  # pieces that the stand-in reads
        "lines": 12,  # of each of them
    }
    sees_gold = False

    @contextmanager
    def index(self, ground: Ground, settings: Settings) -> Generator[IterativeIndex]:
        """Windows of lines, as the paper has them."""
        with WINDOWS.index(ground, settings) as windows:
            yield IterativeIndex(ground, windows, settings)


class IterativeIndex:
    """Asks the same windows again and again."""

    def __init__(self, ground: Ground, windows: ComposedIndex, settings: Settings) -> None:
        self._ground = ground
        self._windows = windows
        self._settings = settings

    def retrieve(self, query: Query, k: int) -> list[Piece]:
        """The ranking of the last round."""
        found = list(self._windows.retrieve(query, k))
        for number in range(2, self._settings.count("rounds") + 1):
            if not found:
                break
            draft = self._draft(query, found)
            asked = replace(query, text=f"{query.text}\n{draft}")
            found = [
                piece._replace(why=f"{piece.why}, round {number}")
                for piece in self._windows.retrieve(asked, k)
            ]
        return found

    def _draft(self, query: Query, found: Sequence[Piece]) -> str:
        files = self._ground.files(query.ref)
        texts: list[str] = []
        for piece in found[: self._settings.count("read")]:
            text = files[piece.path].decode(piece.span)
            texts += text.split("\n")[: self._settings.count("lines")]
        return "\n".join(texts)

    def assemble(self, query: Query, ranking: Sequence[Piece], budget: int) -> Context:
        """Windows in the order of the ranking."""
        return self._windows.assemble(query, ranking, budget)

    def cost(self) -> IndexCost:
        """That of the windows."""
        return self._windows.cost()


STRATEGY = Iterative()

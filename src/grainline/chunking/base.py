"""The seam of chunking: a chunker cuts one file into spans; it sees values, never a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from grainline.model.chunk import ChunkSpan, Coverage
from grainline.model.facts import Block, FileFacts
from grainline.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a chunker gets: the working text (UTF-8 where possible), its facts, its token sums.

    `token_sums` is `(len(text) + 1,)` int32: `token_sums[b] - token_sums[a]` is the length of
    `text[a:b]` in grainline tokens (`text.tokens.token_sums`), so that any span costs O(1); only
    differences mean something.
    `open_skeleton` makes the skeleton where the facts come without it.
    """

    text: bytes
    facts: FileFacts
    token_sums: NDArray[np.int32]
    open_skeleton: Callable[[Sequence[int]], tuple[Block, ...]] | None = None

    def skeleton(self, regions: Sequence[int] = ()) -> tuple[Block, ...]:
        """The skeleton of the file, made only when it is asked for, which for most files is never.

        With `regions` (start, end, start, end ... rising) nodes outside of them may stay closed.
        """
        if self.open_skeleton is None or self.facts.skeleton:
            return self.facts.skeleton
        return self.open_skeleton(regions)

    def tokens(self, start: int, end: int) -> int:
        """Length of `text[start:end]` in grainline tokens."""
        return int(self.token_sums[end] - self.token_sums[start])


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkOptions:
    """Options of a chunker; part of the index fingerprint.

    `cap` is the most grainline tokens a chunk may have; `target` what merging aims at. None means
    the chunker's own default.
    """

    cap: int | None = None
    target: int | None = None


class Chunker(Protocol):
    """A chunking strategy. `version` changes whenever its output may change."""

    name: str
    version: int
    coverage: Coverage
    skeleton_limit: int
    """Syntax nodes above this many bytes are opened in `Source.skeleton`."""

    def chunk(self, source: Source, options: ChunkOptions) -> tuple[ChunkSpan, ...]:
        """Spans in order of start; they hold what `coverage` declares. Never raises on source."""
        ...


CHUNKERS: Registry[Chunker] = Registry(
    "grainline.chunking",
    "CHUNKER",
    skip=frozenset({"base", "outline", "split", "merge", "headers", "emit"}),
)

"""Auto-merging parents: when enough of a parent was found in parts, the parent stands for them.

The ratio rule of LlamaIndex's auto-merging retriever, on the parents that code has: a function, its
class, its file. A share is counted in bytes, so that one long part weighs more than a short one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from grainline.lab.ground import Ground, SourceText
from grainline.lab.strategies._composed import Composed
from grainline.lab.strategies._packing import whole_lines
from grainline.lab.values import Piece, Query, Settings, Value
from grainline.languages.base import CALLABLE_KINDS
from grainline.model.position import Span

OPTIONS: Mapping[str, Value] = {
    "size": 80,  # most tokens of a leaf
    "ratio": 0.5,  # of a parent that must be found
    "pool": 20,  # pieces of a ranking that may be merged
}


def merged(
    ground: Ground, query: Query, ranking: Sequence[Piece], settings: Settings
) -> list[Piece]:
    """From the inside out; a parent has the rank and score of its best part."""
    files = ground.files(query.ref)
    pool = list(ranking[: settings.count("pool")])
    by_path: defaultdict[bytes, list[Piece]] = defaultdict(list)
    for piece in pool:
        by_path[piece.path].append(piece)
    for path, pieces in by_path.items():
        for parent, unit in _parents(files[path]):
            by_path[path] = pieces = _merge(files[path], parent, unit, pieces, settings)
    kept = [piece for pieces in by_path.values() for piece in pieces]
    return sorted([*kept, *ranking[len(pool) :]], key=lambda each: -each.score)


def _parents(file: SourceText) -> Iterator[tuple[Span, str | None]]:
    """Definitions that hold something, smallest first, then the file."""
    spans = {
        Span(each.start, each.end): each.descriptor if each.kind in CALLABLE_KINDS else None
        for each in file.facts.definitions
    }
    yield from sorted(spans.items(), key=lambda each: (each[0].end - each[0].start, each[0]))
    yield Span(0, len(file.text)), None


def _merge(
    file: SourceText, parent: Span, unit: str | None, pieces: list[Piece], settings: Settings
) -> list[Piece]:
    parts = [p for p in pieces if parent.start <= p.span.start and p.span.end <= parent.end]
    size = len(file.text[parent.start : parent.end].strip())
    covered = _covered(file, parts)
    if len(parts) < 2 or not size or covered / size < settings.number("ratio"):
        return pieces
    best = max(parts, key=lambda each: each.score)
    whole = best._replace(
        span=parent,
        lines=whole_lines(file, parent),
        unit=unit,
        why=f"{best.why}, merged from {len(parts)} parts ({covered / size:.0%})",
    )
    return [*(each for each in pieces if each not in parts), whole]


def _covered(file: SourceText, parts: Sequence[Piece]) -> int:
    """Bytes of the parts, those of several once."""
    total, reached = 0, 0
    for start, end in sorted(part.span for part in parts):
        start = max(start, reached)
        if end > start:
            total += len(file.text[start:end].strip())
            reached = end
    return total


STRATEGY = Composed(name="auto_merging", chunker="cast", expand=merged, extra=OPTIONS)

"""Late chunking of code: small chunks find, and what is read is the function around them.

The context that retrieves is compact, the one that is understood is wide: each chunk gives way to
the outermost function that it lies in, and the head of its class comes along.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grainline.lab.ground import Ground, SourceText
from grainline.lab.links import functions_in
from grainline.lab.strategies._composed import Composed
from grainline.lab.strategies._packing import whole_lines
from grainline.lab.strategies.function_parent import OPTIONS as PARENTS
from grainline.lab.strategies.function_parent import with_parents
from grainline.lab.values import Piece, Query, Settings, Value
from grainline.model.position import Span

OPTIONS: Mapping[str, Value] = {
    **PARENTS,
    "size": 80,  # most tokens of a chunk that finds
    "heads": True,  # whether heads of classes come along
}


def widened(
    ground: Ground, query: Query, ranking: Sequence[Piece], settings: Settings
) -> list[Piece]:
    """Functions in the order of the best chunk in each; a chunk outside of them stays as it is."""
    files = ground.files(query.ref)
    found: dict[tuple[bytes, Span], Piece] = {}
    for piece in ranking:
        for each in _around(files[piece.path], piece):
            found.setdefault((each.path, each.span), each)
    wide = list(found.values())
    return with_parents(ground, query, wide, settings) if settings.flag("heads") else wide


def _around(file: SourceText, piece: Piece) -> list[Piece]:
    functions = functions_in(file, piece.span)
    if not functions:
        return [piece]
    spans = [(each, Span(each.start, each.end)) for each in functions]
    return [
        piece._replace(
            span=span,
            lines=whole_lines(file, span),
            unit=each.descriptor,
            why=f"{piece.why}, around {piece.lines.start}-{piece.lines.end}",
        )
        for each, span in spans
    ]


STRATEGY = Composed(name="late", chunker="cast", expand=widened, extra=OPTIONS)

"""Putting pieces together under a token budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grainline.lab.ground import SourceText
from grainline.lab.values import Context, Piece, Shown
from grainline.model.position import LineSpan, Span, quote_path
from grainline.text.budget import SEAM, estimate_tokens

SMALLEST = 24
"""Tokens below which the rest of a budget is not worth a cut piece."""


def pack(
    files: Mapping[bytes, SourceText],
    ranking: Sequence[Piece],
    budget: int,
    *,
    seed_share: float = 1.0,
) -> Context:
    """Pieces in their order, whole while they fit; one that does not fit is cut at a line end.

    With a `seed_share` below 1 what was found may take that share of the budget at first, what came
    along from it the rest; what is left over goes to whoever is next in the ranking.
    """
    chosen: dict[int, Shown] = {}
    left = budget
    seeds = [number for number, piece in enumerate(ranking) if piece.seed]
    others = [number for number, piece in enumerate(ranking) if not piece.seed]
    held = 0 if seed_share >= 1.0 or not others else round(budget * (1 - seed_share))
    for numbers, reserve in ((seeds, held), (others, 0), (seeds, 0)):
        for number in numbers:
            if number in chosen:
                continue
            shown = _fitting(files, ranking[number], left - reserve)
            if shown is None:
                break
            chosen[number] = shown
            left -= shown.tokens + SEAM
    pieces = tuple(chosen[number] for number in sorted(chosen))
    text = "\n".join(render(files, piece) for piece in pieces)
    tokens = estimate_tokens(text)
    assert tokens <= budget, "seams are counted"
    return Context(pieces, tokens, text, len(ranking) - len(pieces))


def _fitting(files: Mapping[bytes, SourceText], piece: Piece, room: int) -> Shown | None:
    """The piece, or as many of its first lines as fit; None when that is next to nothing."""
    if piece.path not in files or room < SMALLEST:
        return None
    whole = _shown(files, piece, piece.lines)
    if whole.tokens <= room:
        return whole
    low, high = piece.lines.start, piece.lines.end
    while low < high:
        middle = (low + high + 1) // 2
        if _shown(files, piece, LineSpan(piece.lines.start, middle)).tokens <= room:
            low = middle
        else:
            high = middle - 1
    cut = _shown(files, piece, LineSpan(piece.lines.start, low))
    return cut if cut.tokens <= room else None


def _shown(files: Mapping[bytes, SourceText], piece: Piece, lines: LineSpan) -> Shown:
    bare = Shown(piece.path, (lines,), 0, piece.why, "" if piece.seed else "neighbour")
    return bare._replace(tokens=estimate_tokens(render(files, bare)), version=piece.version)


def render(files: Mapping[bytes, SourceText], shown: Shown) -> str:
    """A heading with path and lines, then the lines."""
    file = files[shown.path]
    parts: list[str] = []
    for lines in shown.lines:
        parts.append(f"## {quote_path(shown.path)}:{lines.start}-{lines.end}")
        parts.append(file.decode(file.span(lines)).rstrip("\n"))
    return "\n".join(parts) + "\n"


def whole_lines(file: SourceText, span: Span) -> LineSpan:
    """The lines that a span touches, without empty ones at its end."""
    text = file.text[span.start : span.end].rstrip()
    return file.lines(Span(span.start, span.start + len(text)))

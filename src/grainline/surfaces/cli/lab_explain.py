"""What `grainline lab explain` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from grainline.model.position import LineSpan, quote_path
from grainline.surfaces.cli.terminal import Terminal, table

if TYPE_CHECKING:
    from grainline.lab.explaining import Explained
    from grainline.model.explain import ContextStage, Explanation, RankedStage

SHOWN_TERMS = 20


def _at(path: bytes, lines: LineSpan) -> str:
    return f"{quote_path(path)}:{lines.start}-{lines.end}"


def show_stages(out: Terminal, found: Explanation, k: int) -> None:
    """Every stage of the engine."""
    only = "only " if found.exact else ""
    kinds = ", ".join(found.kinds) or "words"
    intents = f"; after {', '.join(found.intents)}" if found.intents else ""
    _title(out, f"route: {only}{kinds}{intents}")
    terms = [(each.text, f"{each.weight:.2f}", str(each.chunks)) for each in found.terms]
    _table(out, [("term", "weight", "chunks"), *terms[:SHOWN_TERMS]], right=frozenset({1, 2}))
    if len(terms) > SHOWN_TERMS:
        out.line(f"  and {len(terms) - SHOWN_TERMS} more terms")
    for channel in found.channels:
        exact = ", yes or no" if channel.exact else ""
        _title(
            out,
            f"channel {channel.name}: {channel.state}; {channel.total} found,"
            f" weight {channel.weight:g}{exact}",
        )
        rows = [(_at(e.path, e.lines), e.symbol, f"{e.score:.2f}") for e in channel.best]
        _table(out, rows, right=frozenset({2}))
    _title(out, "fused: score = channels (shifted) x prior + lift")
    head = ("rank", "page", "score", "fused", "prior", "lift", "channels", "chunk", "")
    _table(
        out, [head, *map(_ranked, found.ranked)] if found.ranked else [], right=frozenset(range(6))
    )
    shown = sum(each.shown > 0 for each in found.context)
    _title(
        out,
        f"context: profile {found.profile}, {found.result.tokens} of {found.result.budget} tokens,"
        f" {shown} of {len(found.context)} candidates shown",
    )
    pieces: list[tuple[str, ...]] = [
        ("share", "utility", "tokens", "forms", "role", "piece", "why")
    ]
    pieces += [_piece(each) for each in found.context[: max(3 * k, 30)]]
    _table(out, pieces if found.context else [], right=frozenset({1, 2}))


def _ranked(each: RankedStage) -> tuple[str, ...]:
    channels = " ".join(f"{name} {share:+.2f}" for name, share in each.channels)
    prior = f"{each.prior:.2f}" + (f" ({', '.join(each.flags)})" if each.prior < 1 else "")
    return (
        str(each.rank),
        str(each.shown or "-"),
        f"{each.found.score:.2f}",
        f"{each.fused:.2f}",
        prior,
        f"{each.lift:g}",
        channels,
        _at(each.found.path, each.found.lines),
        each.found.symbol,
    )


def _piece(each: ContextStage) -> tuple[str, ...]:
    forms = " ".join(f"{tokens}" for _, _, tokens in each.forms)
    via = f" via {'; '.join(each.via)}" if each.via else ""
    return (
        each.share,
        f"{each.utility:.2f}",
        str(each.shown) if each.shown else "cut",
        forms,
        each.role,
        _at(each.path, each.lines),
        each.why + via,
    )


def show_answer(out: Terminal, found: Explained, k: int) -> None:
    """What a strategy of the lab did."""
    question, answer = found.question, found.answer
    _title(out, f"{question.id}: {question.text}")
    gold = [
        (f"gold {number}", _at(place.path, place.lines), place.name)
        for number, place in enumerate(question.functions, 1)
    ]
    _table(out, gold or [("gold", _at(each.path, each.lines)) for each in question.gold])
    _title(out, f"ranking: {len(answer.ranking)} pieces")
    rows: list[tuple[str, ...]] = []
    for rank, (piece, hits) in enumerate(zip(answer.ranking, found.gold, strict=True), 1):
        if rank > k and not hits:
            continue
        mark = "gold " + ", ".join(map(str, hits)) if hits else ""
        where = _at(piece.path, piece.lines)
        rows.append((str(rank), f"{piece.score:.2f}", where, piece.unit or "", mark, piece.why))
    _table(out, rows, right=frozenset({0, 1}))
    context = answer.context
    _title(out, f"context: {context.tokens} tokens, {context.omitted} pieces left out")
    _table(
        out,
        [
            (str(each.tokens), _at(each.path, lines), each.role, each.why)
            for each in context.pieces
            for lines in each.lines
        ],
        right=frozenset({0}),
    )
    _title(out, "scores")
    _table(out, [(name, f"{value:.3f}") for name, value in found.scores.items()])


def _title(out: Terminal, text: str) -> None:
    out.line(out.paint(out.name(text), "bold"))


def _table(
    out: Terminal, rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()
) -> None:
    for line in table(_padded(rows), right=right):
        out.line(f"  {line}")
    out.line()


def _padded(rows: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    """Cells as they may stand in one line."""
    from grainline.text.printing import neutral

    for row in rows:
        yield [neutral(cell).replace("\n", " ") for cell in row]

"""From ranked pieces and shown lines to judged ranks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from grainline.lab.measures.base import (
    FAMILIES,
    Judged,
    Level,
    Measure,
    RankFamily,
    reported,
)
from grainline.lab.questions import Place, Question
from grainline.lab.values import Answer, Context, Piece, Shown
from grainline.model.position import LineSpan


class _Lines(NamedTuple):
    """Lines of one file that one rank shows."""

    path: bytes
    spans: tuple[LineSpan, ...]


def scores(question: Question, answer: Answer) -> dict[str, float]:
    """Every reported measure that the gold of the question allows, by `LEVEL MEASURE`."""
    judged = {
        **{level: judge(answer.ranking, question, level) for level in _RANKED},
        Level.CONTEXT: judge_context(answer.context, question),
    }
    found: dict[str, float] = {}
    for level, measure in reported():
        value = _value(measure, question, answer, judged.get(level))
        if value is not None:
            found[f"{level} {measure}"] = round(value, 6)
    return found


_RANKED = (Level.FILE, Level.FUNCTION, Level.RESULT)


def _value(
    measure: Measure, question: Question, answer: Answer, judged: Judged | None
) -> float | None:
    family = FAMILIES.get(measure.family)
    if not isinstance(family, RankFamily):
        return family.score_answer(question, answer, measure.cutoff)
    assert judged is not None, "a measure of ranks names their level"
    gold = judged.total_lines if family.needs_lines else judged.total
    return family.score(judged, measure.cutoff) if gold else None


def judge(ranking: Sequence[Piece], question: Question, level: Level) -> Judged:
    """The ranking as ranks of what `level` counts, with what each rank found first.

    A function is found by any result whose lines overlap it. At the level of functions, parts of
    one function share the rank of the first of them, and a result that is no part of a function
    takes a rank only when it finds one.
    """
    ranking = [_versioned(piece, question) for piece in ranking]
    if level is Level.FILE:
        gold = frozenset(question.files)
        paths = dict.fromkeys(result.path for result in ranking)
        return Judged(found=tuple(int(path in gold) for path in paths), total=len(gold))
    shown, hit, total = _lines(
        [_Lines(each.path, (each.lines,)) for each in ranking], question.gold
    )
    return Judged(
        found=tuple(_functions(ranking, question, level)),
        total=len(question.functions),
        shown=shown,
        hit=hit,
        total_lines=total,
    )


def judge_context(context: Context, question: Question) -> Judged:
    """The pieces of a context as ranks; a function is found by the first piece that shows a line."""
    left = dict(enumerate(question.functions))
    found: list[int] = []
    pieces = [_versioned_piece(piece, question) for piece in context.pieces]
    for piece in pieces:
        hits = [
            key
            for key, place in left.items()
            if any(_meet(piece.path, lines, place) for lines in piece.lines)
        ]
        for key in hits:
            del left[key]
        found.append(len(hits))
    shown, hit, total = _lines([_Lines(piece.path, piece.lines) for piece in pieces], question.gold)
    return Judged(
        found=tuple(found),
        total=len(question.functions),
        shown=shown,
        hit=hit,
        total_lines=total,
        tokens=tuple(piece.tokens for piece in pieces),
    )


def _versioned(piece: Piece, question: Question) -> Piece:
    """A piece of another version takes its rank, but is none of the gold files."""
    if not (piece.version and question.ref) or piece.version == question.ref:
        return piece
    return piece._replace(path=other_version(piece.path, piece.version))


def _versioned_piece(piece: Shown, question: Question) -> Shown:
    if not (piece.version and question.ref) or piece.version == question.ref:
        return piece
    return piece._replace(path=other_version(piece.path, piece.version))


def other_version(path: bytes, version: str) -> bytes:
    """What stands for a file of another version than the one that is asked about."""
    return version.encode() + b"\0" + path


def _functions(ranking: Sequence[Piece], question: Question, level: Level) -> Iterator[int]:
    left = dict(enumerate(question.functions))
    seen: set[tuple[bytes, str]] = set()
    for number, result in enumerate(ranking):
        hits = [key for key, place in left.items() if overlaps(result, place)]
        for key in hits:
            del left[key]
        unit = (result.path, result.unit or f"#{number}")
        is_new = unit not in seen and result.unit is not None
        seen.add(unit)
        if hits or is_new or level is Level.RESULT:
            yield len(hits)


def overlaps(result: Piece, place: Place) -> bool:
    """Whether a result shows a line of a place."""
    return _meet(result.path, result.lines, place)


def _meet(path: bytes, lines: LineSpan, place: Place) -> bool:
    return path == place.path and lines.start <= place.lines.end and place.lines.start <= lines.end


def _lines(
    ranking: Sequence[_Lines], places: Iterable[Place]
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """New lines shown per result, gold ones among them, and the number of gold lines."""
    gold: defaultdict[bytes, set[int]] = defaultdict(set)
    for place in places:
        gold[place.path].update(range(place.lines.start, place.lines.end + 1))
    total = sum(map(len, gold.values()))
    seen: defaultdict[bytes, set[int]] = defaultdict(set)
    shown: list[int] = []
    hit: list[int] = []
    for result in ranking:
        new = {n for span in result.spans for n in range(span.start, span.end + 1)}
        new -= seen[result.path]
        seen[result.path] |= new
        shown.append(len(new))
        hit.append(len(new & gold[result.path]))
    return tuple(shown), tuple(hit), total

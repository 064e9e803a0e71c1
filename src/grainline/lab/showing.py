"""Which lines an answer's context shows, for measures that look at whole answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from grainline.lab.questions import Hop, Place, Question
from grainline.lab.values import Answer

Lines = Mapping[bytes, frozenset[int]]
"""Line numbers by path."""


def shown_lines(question: Question, answer: Answer) -> Lines:
    """Lines of the version that is asked about; those of other versions show nothing."""
    found: defaultdict[bytes, set[int]] = defaultdict(set)
    for piece in answer.context.pieces:
        if not (piece.version and question.ref) or piece.version == question.ref:
            for lines in piece.lines:
                found[piece.path].update(range(lines.start, lines.end + 1))
    return {path: frozenset(lines) for path, lines in found.items()}


def shows_hop(lines: Lines, hop: Hop) -> bool:
    """Whether every line of a station is shown."""
    return lines.get(hop.place.path, frozenset()).issuperset(hop.lines)


def shows_whole(lines: Lines, place: Place) -> bool:
    """Whether every line of a place is shown."""
    wanted = range(place.lines.start, place.lines.end + 1)
    return lines.get(place.path, frozenset()).issuperset(wanted)


def shows_some(lines: Lines, place: Place) -> bool:
    """Whether a line of a place is shown."""
    wanted = range(place.lines.start, place.lines.end + 1)
    return not lines.get(place.path, frozenset()).isdisjoint(wanted)

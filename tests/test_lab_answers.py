"""Measures that look at whole answers, against values worked out by hand."""

from __future__ import annotations

import pytest

from grainline.lab.judging import scores
from grainline.lab.measures.base import FAMILIES, AnswerFamily
from grainline.lab.questions import Hop, Place, Question
from grainline.lab.values import NO_CONTEXT, Answer, Context, Piece, Shown
from grainline.model.position import LineSpan, Span

SOURCE = Place(b"web.py", LineSpan(1, 9), "handle")
SINK = Place(b"store.py", LineSpan(20, 29), "find")
CHAIN = (Hop(SOURCE, "source", (3,)), Hop(SINK, "guard", (22,)), Hop(SINK, "sink", (24, 25)))


def question(**known) -> Question:
    return Question(
        id="q", repository="o/r", commit="", language="python", text="?", files=(), **known
    )


def shown(path: bytes, *lines: tuple[int, int], version: str = "") -> Shown:
    return Shown(path, tuple(LineSpan(*each) for each in lines), 10, version=version)


def answer(*pieces: Shown, ranking=(), written=None) -> Answer:
    context = Context(pieces, 10 * len(pieces), "") if pieces else NO_CONTEXT
    return Answer(ranking=tuple(ranking), context=context, written=written)


def score(name: str, asked: Question, given: Answer) -> float | None:
    (family,) = [
        found
        for found in map(FAMILIES.get, FAMILIES.names())
        if isinstance(found, AnswerFamily) and found.symbol == name
    ]
    return family.score_answer(asked, given, family.reported[0][1])


@pytest.mark.parametrize(
    ("pieces", "covered", "proof"),
    [
        ((), 0.0, 0.0),
        ((shown(b"web.py", (1, 9)),), 1 / 3, 0.0),
        ((shown(b"web.py", (3, 3)), shown(b"store.py", (24, 25))), 2 / 3, 0.0),  # no guard seen
        ((shown(b"web.py", (3, 3)), shown(b"store.py", (22, 22), (24, 24))), 2 / 3, 0.0),
        ((shown(b"web.py", (3, 3)), shown(b"store.py", (22, 22), (24, 25))), 1.0, 1.0),
        ((shown(b"store.py", (1, 9)), shown(b"web.py", (20, 29))), 0.0, 0.0),  # the other way round
    ],
)
def test_a_chain_is_covered_by_whole_stations(pieces, covered, proof):
    asked = question(chain=CHAIN)
    assert score("PathCoverage", asked, answer(*pieces)) == pytest.approx(covered)
    assert score("Proof", asked, answer(*pieces)) == proof


def test_without_a_chain_there_is_nothing_to_cover():
    assert score("PathCoverage", question(), answer()) is None
    assert score("Proof", question(), answer()) is None


def test_another_version_shows_nothing():
    asked = question(chain=CHAIN[:1], ref="v2")
    assert score("Proof", asked, answer(shown(b"web.py", (1, 9), version="v1"))) == 0.0
    assert score("Proof", asked, answer(shown(b"web.py", (1, 9), version="v2"))) == 1.0


def test_whole_parents_are_counted_among_those_that_were_met():
    asked = question(functions=(SOURCE, SINK))
    assert score("Whole", asked, answer()) is None
    assert score("Whole", asked, answer(shown(b"web.py", (9, 12)))) == 0.0
    both = answer(shown(b"web.py", (1, 4)), shown(b"web.py", (5, 9)), shown(b"store.py", (20, 28)))
    assert score("Whole", asked, both) == 0.5


def test_version_errors_are_a_share_of_all_that_is_shown():
    piece = Piece(b"a", Span(0, 0), LineSpan(1, 2), version="v1")
    asked = question(ref="v2")
    given = answer(shown(b"a", (1, 2), version="v2"), ranking=(piece, piece._replace(version="v2")))
    assert score("VersionError", asked, given) == pytest.approx(1 / 3)
    assert score("VersionError", asked, answer()) is None
    assert score("VersionError", question(), given) is None


def test_one_forbidden_line_is_unauthorised_wherever_it_stands():
    secret = Place(b"pay.py", LineSpan(5, 9))
    asked = question(forbidden=(secret,), principal="guest")
    piece = Piece(b"pay.py", Span(0, 0), LineSpan(9, 40))
    other = piece._replace(lines=LineSpan(10, 40))
    assert score("Unauthorised", asked, answer(ranking=[other] * 50 + [piece])) == 1.0
    assert score("Unauthorised", asked, answer(ranking=[other] * 50)) == 0.0
    assert score("Unauthorised", asked, answer(shown(b"pay.py", (1, 5)))) == 1.0
    assert score("Unauthorised", question(forbidden=(secret,)), answer(ranking=[piece])) is None


def test_what_only_another_version_forbids_is_not_unauthorised():
    secret = Place(b"pay.py", LineSpan(5, 9), version="v1")
    asked = question(forbidden=(secret,), principal="guest", ref="v2")
    piece = Piece(b"pay.py", Span(0, 0), LineSpan(5, 9), version="v2")
    assert score("Unauthorised", asked, answer(ranking=[piece])) == 0.0
    asked = question(forbidden=(secret._replace(version="v2"),), principal="guest", ref="v2")
    assert score("Unauthorised", asked, answer(ranking=[piece])) == 1.0


@pytest.mark.parametrize(
    ("written", "expected", "exact", "similar", "names"),
    [
        ("return a + b", "return a + b", 1.0, 1.0, 1.0),
        ("```python\nreturn a + b  \n```", "return a + b", 1.0, 1.0, 1.0),
        ("return a - b", "return a + b", 0.0, 11 / 12, 1.0),
        ("abc", "abd", 0.0, 2 / 3, 0.0),
        ("kitten", "sitting", 0.0, 1 - 3 / 7, 0.0),
        ("f(x, x)", "f(x, y)", 0.0, 6 / 7, 2 * 2 / 6),
        ("", "x", 0.0, 0.0, 0.0),
    ],
)
def test_a_completion_beside_what_stood_there(written, expected, exact, similar, names):
    asked, given = question(expected=expected), answer(written=written)
    assert score("EM", asked, given) == exact
    assert score("ES", asked, given) == pytest.approx(similar)
    assert score("IdentifierF1", asked, given) == pytest.approx(names)
    assert score("EM", question(), given) is None
    assert score("ES", asked, answer()) is None


def test_scores_name_every_measure_that_applies():
    asked = question(
        chain=CHAIN, functions=(SOURCE, SINK), principal="guest", expected="x", ref="v"
    )
    found = scores(asked, answer(shown(b"web.py", (1, 9), version="v"), written="x"))
    names = [
        "PathCoverage",
        "Proof",
        "Whole",
        "VersionError@10",
        "Unauthorised",
        "EM",
        "ES",
        "IdentifierF1",
    ]
    assert {f"answer {name}" for name in names} <= found.keys()

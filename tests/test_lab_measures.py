"""Measures against values worked out by hand, and against ir_measures."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grainline.errors import BadInput
from grainline.lab.judging import judge
from grainline.lab.measures.base import FAMILIES, Judged, Level, Measure, RankFamily, parse_measure
from grainline.lab.questions import Place, Question
from grainline.lab.statistics import mean_interval, paired_interval
from grainline.lab.values import Piece
from grainline.model.position import LineSpan, Span

# third and fifth rank relevant, three relevant in all
JUDGED = Judged(
    found=(0, 0, 1, 0, 1, 0),
    total=3,
    shown=(10, 10, 40, 0, 40, 100),
    hit=(0, 0, 20, 0, 10, 5),
    total_lines=50,
    tokens=(100, 100, 400, 10, 400, 1000),
)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RR", 1 / 3),
        ("RR@2", 0.0),
        ("RR@3", 1 / 3),
        ("R@1", 0.0),
        ("R@3", 1 / 3),
        ("R@10", 2 / 3),
        ("Success@2", 0.0),
        ("Success@3", 1.0),
        ("All@10", 0.0),
        ("LineRecall@20", 0.0),
        ("LineRecall@60", 20 / 50),
        ("LineRecall@40", 20 * (20 / 40) / 50),
        ("LineRecall@80", (20 + 10 * (20 / 40)) / 50),
        ("LineRecall@1000", 35 / 50),
        ("EvidenceRecall", 35 / 50),
        ("EvidenceRecall@3", 20 / 50),
        ("Efficiency", (400 * 20 / 40 + 400 * 10 / 40 + 1000 * 5 / 100) / 2010),
        ("Efficiency@2", 0.0),
        ("P@5", 2 / 5),
        ("P@100", 2 / 6),
        ("P", 2 / 6),
        ("LinePrecision@3", 20 / 60),
        ("LinePrecision", 35 / 200),
        ("AP", (1 / 3 + 2 / 5) / 3),
        ("AP@3", (1 / 3) / 3),
        ("nDCG@5", (1 / 2 + 1 / math.log2(6)) / (1 + 1 / math.log2(3) + 1 / 2)),
        ("nDCG@1", 0.0),
    ],
)
def test_a_measure_has_the_value_worked_out_by_hand(name, value):
    assert parse_measure(name)(JUDGED) == pytest.approx(value, abs=1e-12)


def test_every_measure_is_zero_when_nothing_is_relevant():
    nothing = Judged(found=(0, 0), total=0, shown=(3, 4), hit=(0, 0), tokens=(9, 9))
    for family in FAMILIES.names():
        if isinstance(FAMILIES.get(family), RankFamily):
            assert Measure(family, 10)(nothing) == 0.0


def test_all_found_needs_every_relevant_unit():
    assert parse_measure("All@3")(Judged(found=(1, 0, 2), total=3)) == 1.0
    assert parse_measure("All@2")(Judged(found=(1, 0, 2), total=3)) == 0.0


def test_a_measure_prints_as_it_parses():
    for family in FAMILIES.names():
        assert parse_measure(str(Measure(family, 7))) == Measure(family, 7)
    assert str(parse_measure("RR")) == "RR"


@pytest.mark.parametrize("name", ["R", "R@0", "nDCG@-1", "mrr", "R@x", "5", ""])
def test_a_name_that_is_no_measure_is_refused(name):
    with pytest.raises(BadInput, match="unknown_measure"):
        parse_measure(name)


@settings(deadline=None)  # the first call loads what it is compared with
@given(found=st.lists(st.booleans(), min_size=1, max_size=30), missing=st.integers(0, 3))
def test_measures_agree_with_ir_measures(found, missing):
    ir = pytest.importorskip("ir_measures", exc_type=ImportError)
    pytest.importorskip("pytrec_eval", exc_type=ImportError)
    total = sum(found) + missing
    judged = Judged(found=tuple(map(int, found)), total=total)
    run = [ir.ScoredDoc("q", f"d{i}", float(-i)) for i in range(len(found))]
    qrels = [ir.Qrel("q", f"d{i}", int(hit)) for i, hit in enumerate(found)]
    qrels += [ir.Qrel("q", f"missing{i}", 1) for i in range(missing)]
    theirs = ir.calc_aggregate(
        [
            *(ir.RR, ir.RR @ 5, ir.R @ 5, ir.Success @ 5),
            *(ir.AP, ir.AP @ 5, ir.nDCG @ 10, ir.nDCG @ 3),
        ],
        qrels,
        run,
    )
    for measure, value in theirs.items():
        assert parse_measure(str(measure))(judged) == pytest.approx(value, abs=1e-9), measure


# ------------------------------------------------------------------ judging


def question(**gold) -> Question:
    return Question(id="q", repository="o/r", commit="0" * 40, language="python", text="?", **gold)


def ranked(path: bytes, start: int, end: int, unit: str | None = "") -> Piece:
    return Piece(path, Span(0, 0), LineSpan(start, end), unit=unit)


def place(path: bytes, start: int, end: int) -> Place:
    return Place(path, LineSpan(start, end))


def test_file_ranks_count_distinct_files():
    ranking = [ranked(b"a", 1, 2), ranked(b"a", 3, 4), ranked(b"b", 1, 2)]
    assert judge(ranking, question(files=(b"b",)), Level.FILE).found == (0, 1)


def test_a_function_is_found_by_overlapping_lines_of_its_own_file_only():
    asked = question(files=(b"a",), functions=(place(b"a", 10, 20),))
    ranking = [ranked(b"b", 10, 20), ranked(b"a", 1, 9), ranked(b"a", 20, 30)]
    assert judge(ranking, asked, Level.FUNCTION).found == (0, 0, 1)


def test_parts_of_one_function_share_a_rank():
    asked = question(files=(b"a",), functions=(place(b"a", 50, 60),))
    ranking = [ranked(b"a", 1, 9, "f"), ranked(b"a", 10, 19, "f"), ranked(b"a", 50, 55, "g")]
    assert judge(ranking, asked, Level.FUNCTION).found == (0, 1)
    assert judge(ranking, asked, Level.RESULT).found == (0, 0, 1)


def test_a_result_outside_functions_takes_a_rank_only_among_results():
    asked = question(files=(b"a",), functions=(place(b"a", 50, 60),))
    ranking = [ranked(b"a", 1, 9, None), ranked(b"a", 50, 55, "g")]
    assert judge(ranking, asked, Level.FUNCTION).found == (1,)
    assert judge(ranking, asked, Level.RESULT).found == (0, 1)


def test_a_gold_function_counts_once_however_many_results_show_it():
    asked = question(files=(b"a",), functions=(place(b"a", 1, 90),))
    ranking = [ranked(b"a", 1, 9), ranked(b"a", 10, 19)]
    assert judge(ranking, asked, Level.FUNCTION).found == (1, 0)


def test_shown_lines_count_once():
    asked = question(files=(b"a",), lines=(place(b"a", 5, 6),))
    judged = judge([ranked(b"a", 1, 5), ranked(b"a", 4, 8)], asked, Level.RESULT)
    assert (judged.shown, judged.hit, judged.total_lines) == ((5, 3), (1, 1), 2)


# ------------------------------------------------------------------ statistics


def test_the_interval_holds_the_mean_and_is_the_same_on_every_run():
    values = [0.0, 1.0, 1.0, 0.5, 0.25] * 10
    found = mean_interval(values)
    assert found.low < found.mean < found.high
    assert found.mean == pytest.approx(0.55)
    assert found == mean_interval(values)
    # normal approximation of the same interval
    spread = 1.96 * math.sqrt(sum((v - 0.55) ** 2 for v in values) / len(values) / len(values))
    assert found.high - found.mean == pytest.approx(spread, rel=0.1)


def test_a_constant_gain_has_no_width_and_noise_around_zero_holds_zero():
    base = [0.1 * (i % 7) for i in range(60)]
    gain = paired_interval([value + 0.2 for value in base], base)
    assert (gain.low, gain.high) == pytest.approx((0.2, 0.2))
    noise = paired_interval(base, base[1:] + base[:1])
    assert noise.low < 0 < noise.high


def test_unpaired_and_absent_scores_are_refused():
    with pytest.raises(ValueError, match="not paired"):
        paired_interval([1.0], [1.0, 0.0])
    with pytest.raises(ValueError, match="no values"):
        mean_interval([])

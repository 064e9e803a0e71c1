"""Diagnosis of runs, worked out by hand on small results."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grainline.lab.compare import Result
from grainline.lab.diagnosis import (
    Cost,
    Loss,
    Point,
    cost,
    curves,
    gaps,
    loss,
    losses,
    pareto,
    points,
    rides,
)
from grainline.lab.runs import SCHEMA, Gold, Header, Outcome
from grainline.lab.statistics import Interval


def outcome(id_: str, *gold: Gold, top=(), scores=None, tokens=100) -> Outcome:
    return Outcome(
        id=id_,
        language="python",
        repository="o/r",
        kind="",
        split="dev",
        leak_file=False,
        leak_function=False,
        scores=scores or {},
        ms=2.0,
        assemble_ms=1.0,
        generate_ms=0.0,
        tokens=tokens,
        prompt_tokens=0,
        answer_tokens=0,
        top=list(top),
        shown=[],
        gold=list(gold),
    )


def result(strategy: str, *outcomes: Outcome, **settings) -> Result:
    all_settings = {"k": 5, "budget": 2000, "generator": "none", **settings}
    label = strategy + "".join(f"[{key}={value}]" for key, value in settings.items())
    header = Header(
        schema=SCHEMA,
        set="small",
        strategy=strategy,
        label=label,
        settings=all_settings,
        code="c",
        data="d",
        seed=0,
        machine="m",
        versions={},
        index=[("a", 1.5, 10, 1000, 300), ("b", 0.5, 5, 500, 100)],
    )
    return Result(header, {each.id: each for each in outcomes})


def gold(rank: int, share: float, *, known: bool = True, start: int = 10, end: int = 19) -> Gold:
    return Gold("a.py", start, end, rank, share, known)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (gold(1, 1.0), Loss.SHOWN),
        (gold(0, 1.0), Loss.SHOWN),  # came along from another
        (gold(9, 0.3), Loss.PARTLY),
        (gold(5, 0.0), Loss.CUT),
        (gold(6, 0.0), Loss.RANKED_LOW),
        (gold(0, 0.0), Loss.NOT_RECALLED),
        (gold(0, 0.0, known=False), Loss.NOT_INDEXED),
    ],
)
def test_gold_is_lost_at_the_first_stage_that_lost_it(found, expected):
    assert loss(found, 5) is expected


def test_losses_count_every_gold_function_once():
    run = result("lines", outcome("1", gold(1, 1.0), gold(7, 0.0)), outcome("2", gold(0, 0.0)))
    found = losses(run)
    assert found[Loss.SHOWN] == found[Loss.RANKED_LOW] == found[Loss.NOT_RECALLED] == 1
    assert sum(found.values()) == 3


def test_a_hitch_hiker_is_found_in_the_chunk_of_another_and_not_alone():
    wide, own_chunk = ("a.py", 1, 20), ("a.py", 10, 19)
    chunked = result("lines", outcome("1", gold(1, 1.0), top=[wide]))
    alone = result("function", outcome("1", gold(8, 0.0)))
    (ride,) = rides(chunked, alone)
    assert (ride.rank, ride.alone) == (1, 8)
    assert not rides(chunked, result("function", outcome("1", gold(5, 0.0))))  # found alone too
    exact = result("cast", outcome("1", gold(1, 1.0), top=[own_chunk]))
    assert not rides(exact, alone)  # nothing but itself
    late = result("lines", outcome("1", gold(6, 0.0), top=[wide] * 6))
    assert not rides(late, alone)
    assert not rides(chunked, result("function", outcome("2", gold(0, 0.0))))


def test_the_gap_to_the_bound_says_where_to_look():
    def scored(strategy: str, *values: float, **settings) -> Result:
        rows = [outcome(str(n), scores={"m": value}) for n, value in enumerate(values)]
        return result(strategy, *rows, **settings)

    bound = scored("oracle", 1.0, 1.0, 1.0, 0.9)
    far, near = scored("lines", 0.2, 0.1, 0.3, 0.2), scored("file", 1.0, 1.0, 1.0, 0.9)
    other_budget = scored("cast", 0.1, 0.1, 0.1, 0.1, budget=500)
    found = {gap.label: gap for gap in gaps([far, near, other_budget, bound], ["m"])}
    assert found.keys() == {"lines", "file"}
    assert found["lines"].reading == "retrieval or assembly"
    assert found["lines"].lost.mean == pytest.approx(0.775)
    assert found["file"].reading == "at the bound"
    low = [scored("oracle", 0.1, 0.2, 0.1, 0.1), scored("lines", 0.1, 0.2, 0.1, 0.1)]
    (gap,) = gaps(low, ["m"])
    assert gap.reading.startswith("at the bound, which is low")


def test_costs_are_means_of_questions_and_sums_of_checkouts():
    run = result("lines", outcome("1", tokens=100), outcome("2", tokens=300))
    assert cost(run, Cost.TOKENS) == 200
    assert cost(run, Cost.LATENCY) == 3.0
    assert cost(run, Cost.INDEX) == 2.0
    assert cost(run, Cost.CHUNKS) == 15
    assert cost(run, Cost.EMBEDDED) == 400


def test_a_curve_has_runs_that_differ_in_one_setting_only():
    runs = [result("window", size=size) for size in (100, 200)]
    runs += [result("window", size=100, path=False), result("file")]
    found = curves(runs, "size")
    assert found.keys() == {"window"}
    assert [each.header.settings["size"] for each in found["window"]] == [100, 200]
    assert not curves(runs, "k")


def test_points_are_those_runs_that_have_the_measure():
    run = result("window", outcome("1", scores={"m": 0.5}), size=100)
    (point,) = points(
        [run, result("file", outcome("1", scores={"m": 1.0}))], "m", Cost.TOKENS, "size"
    )
    assert (point.setting, point.cost, point.worth.mean) == (100.0, 100.0, 0.5)
    assert points([run], "other", Cost.TOKENS) == ()


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20))
def test_nothing_on_the_front_is_beaten_and_everything_else_is(pairs):
    found = [
        Point(str(n), "s", 0, price, Interval(worth, worth, worth))
        for n, (price, worth) in enumerate(pairs)
    ]
    front = pareto(found)

    def beaten(point: Point) -> bool:
        return any(
            other.cost <= point.cost
            and other.worth.mean >= point.worth.mean
            and (other.cost, other.worth.mean) != (point.cost, point.worth.mean)
            for other in found
        )

    assert not any(map(beaten, front))
    kept = {(point.cost, point.worth.mean) for point in front}
    assert all(beaten(point) or (point.cost, point.worth.mean) in kept for point in found)

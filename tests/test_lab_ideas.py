"""What sets the strategies of the literature apart, each on the tiny shop."""

from __future__ import annotations

from itertools import pairwise

import pytest

from grainline.lab.ground import Ground
from grainline.lab.questions import Place, Question
from grainline.lab.running import answer, settled
from grainline.lab.strategies.base import find_strategy
from grainline.lab.values import Query, Settings
from grainline.model.position import LineSpan
from helpers.shop import shop


@pytest.fixture(scope="module")
def ground(tmp_path_factory):
    with Ground(shop(tmp_path_factory.mktemp("shop"))) as made:
        yield made


def found(ground, name, text, *, at=None, **options):
    asked = settled(find_strategy(name), Settings(k=5, depth=9, budget=400, options=options))
    question = Question(
        id="q", repository="shop", commit="", language="", text=text, files=(), at=at
    )
    with asked.strategy.index(ground, asked.settings) as indexed:
        return answer(indexed, Query.of(question), asked.settings)


def test_late_chunks_find_and_their_functions_are_read(ground):
    text = "position price times count"
    small = found(ground, "cast", text, size=20).ranking[0]
    wide = found(ground, "late", text, size=20).ranking[0]
    assert wide.unit == "total_of()."
    assert wide.lines.start <= small.lines.start <= small.lines.end <= wide.lines.end
    assert wide.lines.end - wide.lines.start > small.lines.end - small.lines.start
    assert f"around {small.lines.start}-{small.lines.end}" in wide.why


def test_each_function_stands_once_in_the_ranking_of_late_chunks(ground):
    pieces = found(ground, "late", "order position card amount item", size=15).ranking
    assert len({(each.path, each.span) for each in pieces}) == len(pieces)


def test_parts_give_way_to_their_parent_when_enough_of_it_was_found(ground):
    text = "amount position price count order"
    merged = found(ground, "auto_merging", text, size=15, ratio=0.5).ranking
    assert any("merged from" in each.why for each in merged)
    never = found(ground, "auto_merging", text, size=15, ratio=1.01).ranking
    assert not any("merged from" in each.why for each in never)
    assert len(merged) < len(never)
    spans = sorted((each.path, each.span.start, each.span.end) for each in merged)
    for (path, _, end), (other, start, _) in pairwise(spans):
        assert path != other or end <= start, "no part beside its parent"


def test_signatures_of_callees_find_a_function_that_does_not_name_them(ground):
    text = "warehouse item"  # the words of the signature of what `charge_card` calls
    plain = [each.unit for each in found(ground, "function", text, comments=False).ranking]
    signed = found(ground, "signatures", "reserve_item warehouse item", comments=False)
    assert "charge_card()." in [each.unit for each in signed.ranking]
    none = found(ground, "signatures", text, comments=False, callees=0)
    assert [each.unit for each in none.ranking] == plain
    assert (
        "def reserve_item"
        not in next(each for each in signed.ranking if each.unit == "charge_card().").why
    )


def test_the_second_round_asks_with_what_the_first_one_read(ground):
    text = "customer card"
    first = found(ground, "iterative", text, rounds=1).ranking
    second = found(ground, "iterative", text, rounds=2).ranking
    assert all("round" not in each.why for each in first)
    assert all("round 2" in each.why for each in second)
    assert len(second) >= len(first)
    assert b"stock.py" in {each.path for each in second}, "named by what was read"


def test_three_views_bring_what_the_text_alone_does_not_find(ground):
    text = "give money back to the customer"
    alone = {each.unit for each in found(ground, "function", text).ranking}
    fused = found(ground, "three_view", text).ranking
    others = {each.unit: each.why for each in fused if each.unit not in alone}
    assert others
    assert any("hierarchy" in why for why in others.values())
    assert fused[0].why.startswith("text 1")
    only = found(ground, "three_view", text, dependency_weight=0.0, hierarchy_weight=0.0)
    assert [each.unit for each in only.ranking] == [
        each.unit for each in found(ground, "function", text).ranking
    ]


def test_names_of_a_question_are_entries_to_the_graph(ground):
    pieces = found(ground, "entity_graph", "why does `charge_card` fail").ranking
    units = {each.unit: each.why for each in pieces}
    assert "named charge_card" in units["charge_card()."]
    assert "called by charge_card" in units["reserve_item()."]
    plain = found(ground, "entity_graph", "why does it fail").ranking
    assert all("named" not in each.why for each in plain)


def test_names_above_a_hole_lead_to_what_fills_it(ground):
    hole = Place(b"payments.py", LineSpan(15, 15))
    pieces = found(ground, "entity_graph", "def pay(order):\n    charge_card(", at=hole).ranking
    assert pieces[0].unit == "charge_card()."

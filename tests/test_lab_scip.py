"""Signatures by exact edges: from an index beside a clone, from our own export; off without any."""

from __future__ import annotations

import pytest

from grainline.errors import BadInput
from grainline.lab.corpora import corpus
from grainline.lab.datasets.base import DATASETS
from grainline.lab.ground import Ground
from grainline.lab.labels import questions
from grainline.lab.links import Links
from grainline.lab.mirror import Checkout
from grainline.lab.running import Plan, answer, run, settled
from grainline.lab.strategies.base import ABSENT, OFF, STRATEGIES, find_strategy
from grainline.lab.strategies.function_calls import TYPES
from grainline.lab.strategies.scip import STRATEGY
from grainline.lab.values import Query, Settings
from grainline.model.relations import Filters, GraphOptions

SMALL = corpus("small")


def checkout(tmp_path, *, trusted: bool) -> Checkout:
    return Checkout(
        repository=SMALL.repository,
        commit=SMALL.commit(),
        clone=SMALL.write(tmp_path),
        scratch=tmp_path,
        trusted=trusted,
    )


def rankings(ground: Ground, name: str):
    asked = settled(find_strategy(name), Settings(options={}, k=5))
    with asked.strategy.index(ground, asked.settings) as indexed:
        return [
            answer(indexed, Query.of(each), asked.settings).ranking for each in questions("small")
        ]


def test_our_own_export_says_what_our_own_edges_say(tmp_path):
    with Ground(checkout(tmp_path, trusted=True)) as ground:
        assert rankings(ground, "scip") == rankings(ground, "signatures")
        assert rankings(ground, "scip") != rankings(ground, "function")


def test_what_an_index_says_counts_and_nobody_else_hears_of_it(tmp_path):
    ours = checkout(tmp_path, trusted=False)
    with Ground(ours) as ground:
        before = len(Links.of(ground, TYPES, None))
        home = ground.home()
        only = GraphOptions(types=TYPES, filters=Filters(paths=("auth.py",)))
        ours.scip.write_bytes(home.engine.scip(scope=home.scope(), options=only).data)
        part = rankings(ground, "scip")
        assert part != rankings(ground, "signatures"), "calls of one file only"
        assert part != rankings(ground, "function")
        assert len(Links(ground.home(), TYPES, None)) == before


def test_an_index_is_a_part_of_what_an_answer_depends_on(tmp_path):
    before = checkout(tmp_path, trusted=False).key
    checkout(tmp_path, trusted=False).scip.write_bytes(b"x")
    assert checkout(tmp_path, trusted=False).key != before


@pytest.mark.parametrize("data", [None, b"", b"no index"])
def test_without_an_index_it_is_off_and_says_why(tmp_path, data):
    ours = checkout(tmp_path, trusted=False)
    if data is not None:
        ours.scip.write_bytes(data)
    with Ground(ours) as ground, pytest.raises(BadInput) as caught:
        rankings(ground, "scip")
    assert caught.value.code == (OFF if not data else "bad_scip")


def test_a_run_of_several_leaves_out_what_is_off(tmp_path):
    asked = [settled(find_strategy(name), Settings(options={})) for name in ("lines", "scip")]
    said = []
    plan = Plan(dataset=DATASETS.get("versions"), asked=asked, results=tmp_path)
    (path,) = run(plan, said.append)
    assert path.name.startswith("lines@")
    assert {each.off for each in said} - {""} == {
        "an index is of one commit, and the set asks about several"
    }
    with pytest.raises(BadInput, match="of one commit"):
        run(Plan(dataset=DATASETS.get("versions"), asked=asked[1:], results=tmp_path))


@pytest.mark.parametrize("name", ABSENT)
def test_a_design_that_nothing_here_can_do_is_off_by_name(name):
    assert name not in STRATEGIES.names()
    with pytest.raises(BadInput, match="off"):
        find_strategy(name)


def test_it_is_a_strategy():
    assert find_strategy("scip") is STRATEGY

"""What keeps `flowed` apart: each rule is taken away, and its case notices."""

from __future__ import annotations

import pytest

from test_graph_cases import answers, expectations
from test_graph_cases import cases as all_cases

CASES = {case.id: case.values[0] for case in all_cases()}


def everything(world, made, _, value, tier, node):
    world.solver.add(made.result, value, 1)


FAULTS = {
    "decorators give all that they return": (
        "flow: A decorator that may be called first gives back what it decorates",
        "grainline.graph.calls.decorated", everything,
    ),
    "what decorators got elsewhere is what they give": (
        "flow: A decorator gives nothing that it got elsewhere, and no decorator beside what it decorates",
        "grainline.graph.calls.decorated", everything,
    ),
    "nothing that takes its argument is what a decorator makes": (
        "flow: A decorator that may give back what it decorates may give its wrapper, too",
        "grainline.graph.calls.release", lambda world: bool(world.withheld.clear()),
    ),
    "what is returned in one of several ways is what any call got": (
        "flow: What may be an argument is that of the call",
        "grainline.graph.scopes.Variables.parts", lambda self, node: [node],
    ),
    "a copy is of whatever was copied": (
        "flow: A copy is of the class of what is copied",
        "grainline.graph.calls._receiver_passed_on", lambda world, made: False,
    ),
    "a container is no reason to doubt": (
        "flow: What may be a container has no method of a statement for sure",
        "grainline.graph.results._is_mixed", lambda world, fact: False,
    ),
    "only what is seen has what everything has": (
        "typescript: What every value has is called on something that came by flow for sure by nobody",
        "grainline.graph.results._is_universal", lambda world, fact: False,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("case", "place", "fault"), FAULTS.values(), ids=list(FAULTS))
def test_a_rule_that_is_missing_is_noticed(case, place, fault, monkeypatch):
    files = CASES[case]
    expected = expectations(files)
    words = {"calls", "flows", "maybe", *(word for row in expected.values() for word in row)}
    assert answers(files, words) == expected
    monkeypatch.setattr(place, fault)
    assert answers(files, words) != expected

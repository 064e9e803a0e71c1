"""Taints that are made late are those of the call: what the caller does afterwards changes nothing."""

from __future__ import annotations

import pytest

from grainline.flow.applying import Application
from grainline.flow.plans import Later, Part, Place, mapped
from grainline.flow.values import (
    MAX_WAITS,
    NO_REFS,
    UNKNOWN,
    Port,
    Source,
    Taint,
    Trail,
    Value,
    join,
    merge,
)
from grainline.model.edge import Tier
from grainline.model.flow import Role
from grainline.model.relations import Verdict
from helpers.flows import flows_of

CODE = """import os
from flask import Flask, request
app = Flask(__name__)

def wrapped(box):
    return {"line": box["line"]}

@app.route("/after")
def after():
    box = {"line": request.args["line"]}
    found = wrapped(box)
    box["line"] = "ls"
    os.system(found["line"])

@app.route("/before")
def before():
    box = {"line": "ls"}
    found = wrapped(box)
    box["line"] = request.args["line"]
    os.system(found["line"])
"""


def ends() -> list[int]:
    """Lines of sinks that data gets to."""
    paths = flows_of({"app.py": CODE}).paths
    return [CODE.encode()[: path.steps[-1].span.start].count(b"\n") + 1 for path in paths
            if path.kind == "command" and path.verdict is Verdict.PATH]  # fmt: skip


def test_a_value_of_a_call_has_what_the_arguments_held_then():
    assert ends() == [13]


def test_the_test_sees_origins_that_are_looked_up_when_taints_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
):
    class LookedUpLate(dict):
        def __init__(self, application):
            super().__init__()
            self._application = application

        def __missing__(self, wanted):
            return self._application._origin(*wanted)

    made = Application.__init__

    def init(self, *arguments, **words):
        made(self, *arguments, **words)
        self._origins = LookedUpLate(self)

    monkeypatch.setattr(Application, "__init__", init)
    monkeypatch.setattr(Application, "_settle", lambda self, wanted: len(wanted))
    assert ends() != [13]


def late(number: int) -> Later:
    """A value of a callee: data of `number` that came in as its first parameter."""
    port = Port(0, ())
    before = Taint(0, Trail(0, number, Role.SOURCE))
    part = Part((), ((port, False),), (Taint(0, None),), plain=False)
    mine = {(port, False): [(Source(0, number, 0), before)]}
    return Later(Place(0, number, Tier.RESOLVED), mine, part, NO_REFS, UNKNOWN, ())


def test_joined_values_are_made_late_and_are_those_that_are_made_at_once():
    several = [late(number % 5) for number in range(4 * MAX_WAITS)]
    joined = several[0]
    for value in several[1:]:
        joined = join(joined, value)
        assert 0 <= joined.waits <= MAX_WAITS
    again = [late(number % 5) for number in range(4 * MAX_WAITS)]
    expected = merge([value.taints for value in again])
    assert joined.taints.keys() == expected.keys()
    assert {key: taint.clean for key, taint in joined.taints.items()} == {
        key: taint.clean for key, taint in expected.items()
    }
    assert joined.waits == 0


def test_a_late_value_tells_what_it_comes_from_without_being_made():
    value = late(3)
    assert value.comes_from({Source(0, 3, 0): 1})
    assert not value.comes_from({Source(0, 4, 0): 1})
    assert value.waits == 1
    both = join(value, late(4))
    assert both.comes_from({Source(0, 4, 0): 1})
    assert set(both.taints) == {Source(0, 3, 0), Source(0, 4, 0)}


def test_an_attribute_that_no_value_has_is_not_there():
    value: Value = late(1)
    with pytest.raises(AttributeError):
        _ = value.trails  # type: ignore[attr-defined]
    assert mapped(Place(0, 0, Tier.RESOLVED), {}, Part((), (), (), plain=True)) == {}

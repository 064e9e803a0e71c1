"""Ways that are longer than memory: callees are parts of many ways, so a way grows with each call."""

from __future__ import annotations

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from grainline.flow import report
from grainline.flow.values import Trail
from grainline.model.flow import Role
from helpers.flows import flows_of

HEAD = """
import os
from flask import Flask, request
app = Flask(__name__)

@app.route("/")
def go():
    x = request.args["x"]
    f12(x)

def f0(x):
    os.system(x)
"""


def doubled(times):
    """A program in which each function hands data twice to the next one before it goes on."""
    chain = "".join(
        f"def g{n}(x):\n    return g{n - 1}(g{n - 1}(x))\n"
        f"def f{n}(x):\n    f{n - 1}(g{n}(x))\n" for n in range(1, times + 1)
    )  # fmt: skip
    return {"app.py": HEAD + "def g0(x):\n    return str(x)\n" + chain}


def trails():
    roles = st.sampled_from([Role.CALL, Role.RETURN, Role.PROPAGATOR])
    leaf = st.builds(lambda op, role: Trail(0, op, role), st.integers(0, 99), roles)
    grow = lambda inner: st.builds(  # noqa: E731 - a strategy of itself
        lambda op, role, before, inside: Trail(0, op, role, "", before, inside),
        st.integers(0, 99), roles, st.none() | inner, st.none() | inner,
    )  # fmt: skip
    return st.recursive(leaf, grow, max_leaves=12)


@given(trails())
def test_the_steps_back_are_the_steps_from_the_end(trail):
    steps = [*trail.steps()]
    assert [*trail.steps_back()] == steps[::-1]
    assert len(steps) == trail.length


def test_of_a_way_that_is_longer_than_memory_both_ends_are_looked_at():
    trail = Trail(0, 0, Role.SOURCE)
    for op in range(1, 90):
        trail = Trail(0, op, Role.CALL, "", trail, trail)
    assert trail.length > 1 << 88
    assert next(trail.steps()).op == 0
    assert [each.op for each in islice(trail.steps_back(), 2)] == [0, 1]


def test_a_long_way_is_told_by_its_ends_and_how_much_is_left_out(monkeypatch):
    (path,) = flows_of(doubled(12)).paths
    assert len(path.steps) == report.MAX_STEPS
    assert path.steps[0].role is Role.SOURCE
    assert path.steps[-1].role is Role.SINK
    assert [each.note for each in path.steps if "are left out" in each.note] != []
    monkeypatch.setattr(report, "LOOKED_AT", 1 << 30)  # as it was: all of it is written out
    (whole,) = flows_of(doubled(12)).paths
    assert whole.steps[:50] == path.steps[:50]
    assert whole.steps[-50:] == path.steps[-50:]

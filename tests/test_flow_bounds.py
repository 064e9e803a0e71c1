"""Bounds of the work of data flow: what is over them is cut, and that is said."""

from __future__ import annotations

import pytest

from grainline.flow import machine, solver
from grainline.model.flow import Cut
from helpers.flows import flows_of

TEXT = """import os
from flask import request

def first(value):
    kept = value
    for _ in range(3):
        kept = kept + "!"
    return kept

def run():
    os.system(request.args["q"])
    first("x")
    os.system(request.args["r"])
"""


def depth_cuts(files):
    return [each.name for each in flows_of(files).boundaries if each.cut is Cut.DEPTH]


def sinks(files):
    return [TEXT.count("\n", 0, path.steps[-1].span.start) + 1 for path in flows_of(files).paths]


def test_little_work_is_never_cut():
    assert depth_cuts({"a.py": TEXT}) == []
    assert sinks({"a.py": TEXT}) == [11, 13]


def test_the_rest_of_a_function_over_its_work_is_cut_and_callers_go_on(monkeypatch):
    monkeypatch.setattr(machine, "MAX_WORK", 18)  # `first` needs more, `run` does not
    assert set(depth_cuts({"a.py": TEXT})) == {"work of one function"}
    assert sinks({"a.py": TEXT}) == [11, 13]


def test_functions_behind_the_work_of_the_analysis_are_cut(monkeypatch):
    monkeypatch.setattr(solver, "WORK", 0)
    monkeypatch.setattr(solver, "WORK_OF_OPERATION", 0)
    assert "work of the analysis" in depth_cuts({"a.py": TEXT})
    assert sinks({"a.py": TEXT}) == []


@pytest.mark.parametrize("rounds", [2, 6])
def test_work_grows_with_the_code_not_faster(rounds, monkeypatch):
    """Copies of code that does not see each other take as much work as one copy, each."""
    spent = []
    kept = solver.Solver.solve

    def solve(self):
        kept(self)
        spent.append(self.spent)

    monkeypatch.setattr(solver.Solver, "solve", solve)
    flows_of({"a.py": TEXT})
    flows_of({f"a{number}.py": TEXT for number in range(rounds)})
    assert spent[1] == rounds * spent[0]

"""Bounds of the work of data flow: what is over them is cut, and that is said."""

from __future__ import annotations

import pytest

from grainline.flow import machine, solver
from grainline.flow.values import MAX_ORIGINS, Source, Taint, bounded
from grainline.model.flow import Cut
from helpers.flows import flows_of, line_of

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

    def solve(self, tell=None):
        kept(self, tell)
        spent.append(self.spent)

    monkeypatch.setattr(solver.Solver, "solve", solve)
    flows_of({"a.py": TEXT})
    names = {f"a{number}.py": TEXT for number in range(rounds)}
    together = "".join(f"import a{number}\n" for number in range(rounds))
    flows_of({**names, "all.py": together})
    assert len(spent) == 2, "one group"
    assert spent[1] == pytest.approx(rounds * spent[0], rel=0.05)
    flows_of(names)
    assert spent[2:] == [spent[0]] * rounds, "each by itself"


def test_of_too_many_sources_the_first_stay_whatever_their_parts_are_called():
    sources = [Source(0, 1, 0, (key,)) for key in ("a", 1, (".", "b"))]
    more = [Source(0, number, 0) for number in range(2, 2 + MAX_ORIGINS)]
    taints = {origin: Taint(0, None) for origin in [*more, *sources]}
    kept = bounded(taints)
    assert len(kept) == MAX_ORIGINS
    assert set(sources) < set(kept)


GIVEN = """import os
from flask import request

def give(plain, value):
    if plain:
        return value
    return unknown(value)

def run(other):
    os.system(give(True, request.args["q"]))
    NEAR_MISS
"""


@pytest.mark.parametrize(
    ("more", "cuts"),
    [("pass", []), ("give(False, request.args['r'])", [7]), ("give(other, 'x')", [7])],
)
def test_what_no_call_comes_to_is_no_boundary(more, cuts):
    text = GIVEN.replace("NEAR_MISS", more)
    found = flows_of({"a.py": text})
    assert [path.kind for path in found.paths] == ["command"]
    assert [text.count("\n", 0, each.span.start) + 1 for each in found.boundaries] == cuts


def test_an_empty_file_can_be_cut(monkeypatch):
    monkeypatch.setattr(solver, "WORK", -1)
    monkeypatch.setattr(solver, "WORK_OF_OPERATION", 0)
    assert len(depth_cuts({"a.py": "", "b.py": "import a\n" + TEXT})) > 1


def test_what_an_event_is_emitted_with_is_lost_there():
    text = 'const bus = new (require("events"))();\nfunction f(x) {\n  bus.emit("run", x);\n}\nfunction g(x) {\n  bus.on("run", x);\n}\nrequire("express")().get("/", (req) => { f(req.query.q); g(1); });\n'
    files = {"a.js": text}
    told = [(line_of(files, each)[1], each.cut) for each in flows_of(files).boundaries]
    assert told == [(3, Cut.EXTERNAL)]

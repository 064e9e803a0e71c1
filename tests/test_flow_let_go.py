"""What was looked at goes when it is not needed: nothing waits for a search for cycles, which rests meanwhile."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from grainline.flow import analysis
from grainline.flow.machine import Run
from grainline.flow.sames import Sames
from grainline.flow.solver import Solver
from grainline.flow.summaries import Summary
from helpers.flows import flows_of

CODE = """import os
from flask import Flask, request
app = Flask(__name__)

def first(names):
    if names[0] in ("ls", "pwd"):
        return names[0]
    return "ls"

def run(name):
    os.system(name)

class Shell:
    def run(self, name):
        run(name)

def main():
    Shell().run(first(request.args["line"].split()))
"""


@contextmanager
def no_collector() -> Generator[None]:
    """Nobody looks for cycles."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def alive() -> Counter[type]:
    """How many of each are there."""
    kinds = (Run, Sames, Solver, Summary)
    return Counter(type(each) for each in gc.get_objects() if isinstance(each, kinds))


def test_nothing_of_an_analysis_is_left_when_it_ends() -> None:
    with no_collector():
        before = alive()
        flows_of({"app.py": CODE})
        assert alive() == before


def test_runs_go_while_the_analysis_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    report = analysis.report

    def counted(solver: Solver, *, stopped: bool) -> object:
        seen.append(alive()[Run] - before)
        return report(solver, stopped=stopped)

    with no_collector():
        before = alive()[Run]
        monkeypatch.setattr(analysis, "report", counted)
        flows_of({"app.py": CODE.replace("@", "#")})
    assert seen == [0]


def test_the_test_sees_runs_that_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Run] = []
    finish = Run.finish

    def keeping(run: Run) -> Summary:
        kept.append(run)
        return finish(run)

    with no_collector():
        before = alive()
        monkeypatch.setattr(Run, "finish", keeping)
        flows_of({"app.py": CODE})
        assert alive()[Run] - before[Run] == len(kept) > 0

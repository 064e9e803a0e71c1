"""How far a search for flows is, told on a terminal and nowhere else."""

from __future__ import annotations

import io

import pytest

from grainline.engine import MEMORY, Engine
from grainline.model.answers import FOLLOW, Progress
from grainline.surfaces.cli import progress
from grainline.surfaces.cli.progress import Waiting


class Terminal(io.StringIO):
    """A stream that says whether it is one."""

    def __init__(self, *, is_one: bool) -> None:
        super().__init__()
        self._is_one = is_one

    def isatty(self) -> bool:
        return self._is_one


@pytest.mark.parametrize("is_one", [False, True])
def test_how_far_data_was_followed_is_told_on_a_terminal_until_it_is_over(is_one, monkeypatch):
    stream = Terminal(is_one=is_one)
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    waiting = Waiting()
    for done in (64, 128, 200):
        waiting(Progress(stage=FOLLOW, done=done, total=200))
    assert (FOLLOW in stream.getvalue()) is is_one
    assert waiting._show is None, "nothing is left of it"


def test_nothing_is_told_before_somebody_waits(monkeypatch):
    stream = Terminal(is_one=True)
    monkeypatch.setattr("sys.stderr", stream)
    waiting = Waiting()
    waiting(Progress(stage=FOLLOW, done=1, total=2))
    assert stream.getvalue() == ""


def test_scan_and_trace_tell_how_many_functions_they_have_looked_at(tmp_path):
    lines = "".join(f"def f{number}():\n    return {number}\n" for number in range(200))
    (tmp_path / "a.py").write_text(f"import os\nos.system(input())\n{lines}")
    engine = Engine.open(MEMORY)
    try:
        engine.index(str(tmp_path), name="shop")
        for ask in (engine.scan, lambda: engine.trace("a.py:2", "a.py:2")):
            told = []
            engine.report = told.append
            ask()
            stages = [(each.done, each.total) for each in told if each.stage == FOLLOW]
            assert (64, 201) in stages
            assert stages[-1][0] == stages[-1][1]
    finally:
        engine.close()

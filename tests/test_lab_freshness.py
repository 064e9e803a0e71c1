"""Edits after indexing: what answers show then, and that an answer of before is told."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from grainline.lab.datasets.base import DATASETS
from grainline.lab.edits import come, edited, gone, questions, save, write
from grainline.lab.experiments.base import read_experiment
from grainline.lab.measures.stale import MEASURE
from grainline.lab.questions import Edit
from grainline.lab.running import Asked, Plan, run, settled
from grainline.lab.runs import read_results
from grainline.lab.strategies.base import find_strategy, settle
from grainline.lab.values import NO_CONTEXT, Answer, Context, Piece, Settings
from grainline.model.position import LineSpan, Span

QUESTIONS = questions()


def shows(*lines: str, path: bytes = b"auth.py") -> Answer:
    piece = Piece(path, Span(0, 0), LineSpan(1, 1))
    return Answer(ranking=(piece,), context=NO_CONTEXT._replace(text="\n".join(lines)))


def stale(asked, answer) -> float | None:
    return MEASURE.score_answer(asked, answer, None)


@pytest.mark.parametrize("asked", QUESTIONS, ids=[each.id for each in QUESTIONS])
def test_an_edit_takes_away_or_brings_something(asked):
    assert gone(asked.edit) or come(asked.edit)


def test_stale_is_told_by_lines():
    changed, deleted = QUESTIONS[0], QUESTIONS[-1]
    assert stale(changed, shows("    SESSION_SECONDS = 900")) == 0.0
    assert stale(changed, shows("SESSION_SECONDS = 3600")) == 1.0
    assert stale(changed, shows("SESSION_SECONDS = 900", "SESSION_SECONDS = 3600")) == 1.0
    assert stale(changed, shows("something else")) == 1.0, "nothing of what is new"
    assert stale(deleted, shows("something else")) == 0.0
    assert stale(deleted, shows("something else", path=deleted.edit.path)) == 1.0
    assert stale(deleted, shows("def send_sms(gateway, number, text):")) == 1.0


def test_edits_save_what_they_say(tmp_path):
    write(tmp_path)
    for asked in QUESTIONS:
        write(tmp_path)
        before = {path.name for path in tmp_path.iterdir()}
        save(tmp_path, asked.edit)
        after = {path.name for path in tmp_path.iterdir()}
        assert len(before ^ after) == (asked.kind in ("new file", "deleted file"))
    assert edited(b"a b", Edit(b"x", "b", "c")) == b"a c"


def outcomes(tmp_path, *asked: Asked):
    plan = Plan(dataset=DATASETS.get("edits"), asked=asked, results=tmp_path)
    return [list(read_results(path)[1].values()) for path in run(plan)]


def test_the_engine_is_never_stale(tmp_path):
    settings = Settings(options={}, k=5, budget=2000)
    asked = [settled(find_strategy(name), settings) for name in ("grainline", "function_calls")]
    for found in outcomes(tmp_path, *asked):
        assert {each.id: each.scores["answer Stale"] for each in found} == dict.fromkeys(
            (each.id for each in QUESTIONS), 0.0
        )
        assert all(each.fresh_ms > 0 for each in found)


class Forgetful:
    """A seeded fault: it says that it takes in what was saved, and goes on as before."""

    name = "forgetful"
    version = 1
    options = find_strategy("lines").options
    sees_gold = False

    @contextmanager
    def index(self, ground, settings):
        with find_strategy("lines").index(ground, settings) as inner:
            yield Remembered(inner)


class Remembered:
    def __init__(self, inner):
        self.retrieve, self.cost = inner.retrieve, inner.cost
        self._inner, self._kept = inner, {}

    def refresh(self):
        """Nothing."""

    def assemble(self, query, ranking, budget) -> Context:
        if query.text not in self._kept:
            self._kept[query.text] = self._inner.assemble(query, ranking, budget)
        return self._kept[query.text]


def test_an_answer_of_before_is_told(tmp_path):
    strategy = Forgetful()
    settings = settle(strategy, Settings(options={}, k=5, budget=2000))
    (found,) = outcomes(tmp_path, Asked(strategy, settings))
    assert all(each.scores["answer Stale"] == 1.0 for each in found)


def test_the_experiment_expects_it():
    expected = read_experiment("freshness").expected
    assert {(each.measure, each.score) for each in expected} == {("answer Stale", 0.0)}

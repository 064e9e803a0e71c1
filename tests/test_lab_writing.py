"""Answers that somebody wrote: how a model is asked, how what it says is read, what it is worth."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grainline.errors import BadInput
from grainline.lab.generators.base import GENERATORS
from grainline.lab.judging import scores
from grainline.lab.prompts import read_answer
from grainline.lab.questions import Hop, Place, Question
from grainline.lab.running import Plan, run, settled
from grainline.lab.runs import read_results
from grainline.lab.strategies.base import find_strategy
from grainline.lab.values import Answer, Context, Query, Settings, Shown
from grainline.llm.scripted import Scripted
from grainline.model.position import LineSpan
from helpers.shop import Shop

SOURCE = Place(b"web.py", LineSpan(1, 9), "handle")
SINK = Place(b"store.py", LineSpan(20, 29), "find")
CONTEXT = Context(
    (Shown(b"web.py", (LineSpan(1, 9),), 9), Shown(b"store.py", (LineSpan(20, 24),), 9)),
    18,
    "## web.py:1-9\ndef handle(request):\n    name = request.args['name']\n    return find(name)\n",
)


def question(**known) -> Question:
    base = {"id": "q", "repository": "r", "commit": "", "language": "python", "files": ()}
    return Question(**{**base, "text": "is it safe?", "profile": "injection", **known})


def judged(written: str, **known) -> dict[str, float]:
    chain = (Hop(SOURCE, "source", (3,)), Hop(SINK, "sink", (24, 25)))
    asked = question(chain=chain, **known)
    return scores(asked, Answer(ranking=(), context=CONTEXT, written=written))


def said(verdict: str, *steps: tuple[str, int]) -> str:
    return json.dumps({"verdict": verdict, "steps": [{"path": p, "line": n} for p, n in steps]})


def test_a_verdict_counts_beside_the_label():
    assert judged(said("vulnerable"), vulnerable=True)["answer Detected"] == 1.0
    assert judged(said("safe"), vulnerable=True)["answer Detected"] == 0.0
    assert judged(said("unknown"), vulnerable=True)["answer Detected"] == 0.0
    assert judged(said("vulnerable"), vulnerable=False)["answer FalseAlarm"] == 1.0
    assert judged(said("unknown"), vulnerable=False)["answer FalseAlarm"] == 1.0
    assert judged(said("safe"), vulnerable=False)["answer FalseAlarm"] == 0.0
    assert "answer FalseAlarm" not in judged(said("safe"), vulnerable=True)
    assert "answer Detected" not in judged("it looks fine to me", vulnerable=True)


def test_cited_lines_are_held_against_the_context_and_the_chain():
    found = judged(said("vulnerable", ("web.py", 3), ("store.py", 25)), vulnerable=True)
    assert found["answer Localised"] == 1.0
    assert found["answer Support"] == 0.5  # line 25 was not shown
    assert judged(said("safe"), vulnerable=True)["answer Support"] == 0.0
    assert judged("It begins at web.py:3.", vulnerable=True)["answer Localised"] == 0.5


@pytest.mark.parametrize(
    ("text", "verdict", "steps"),
    [
        ('```json\n{"verdict": "safe", "steps": []}\n```', "safe", 0),
        (
            'Sure! {"verdict": "vulnerable", "steps": [{"path": "a.py", "line": 3}]}',
            "vulnerable",
            1,
        ),
        ('{"verdict": "maybe", "steps": [{"path": "a.py", "line": "3"}, 7, null]}', "", 0),
        ('{"verdict": "safe", "steps": {"path": "a.py"}}', "safe", 0),
        ('{"verdict": true, "steps": [{"path": "a.py", "line": true}]}', "", 0),
        ("see src/a.py:12 and b.ts:4", "", 2),
        ("{broken", "", 0),
        ("", "", 0),
    ],
)
def test_an_answer_is_read_as_far_as_it_can_be(text, verdict, steps):
    found = read_answer(text)
    assert found.verdict == verdict
    assert len(found.steps) == steps


@given(st.text(alphabet='{}[]":,ab.py1 \n'))
def test_no_answer_breaks_the_reader(text):
    read_answer(text)
    read_answer("{" * 10_000 + text)


@pytest.mark.parametrize("name", GENERATORS.names())
def test_every_generator_writes_the_same_again(name):
    writer = GENERATORS.get(name)
    assert writer.name == name
    query = Query(text="    name = request.args['name']", at=Place(b"x.py", LineSpan(2, 2)))
    for asked in (query, Query(text="why?")):
        model = Scripted(lambda text: text.upper()) if writer.needs_model else None
        first, again = (writer.write(asked, CONTEXT, 0, model) for _ in range(2))
        assert first == again
        assert first.prompt_tokens > 0


def test_the_stand_in_copies_the_line_that_follows_the_most_similar_one():
    writer = GENERATORS.get("extractive")
    hole = Place(b"x.py", LineSpan(2, 2))
    query = Query(text="def other(request):\n    name = request.args['name']", at=hole)
    assert writer.write(query, CONTEXT, 0, None).text == "    return find(name)"
    inside = Query(text="def other(request):\n    return find(", at=hole)
    assert writer.write(inside, CONTEXT, 0, None).text == "name)"
    assert writer.write(Query(text="x = 1", at=hole), CONTEXT, 0, None).text == ""


def test_a_hole_a_flow_and_a_question_are_asked_in_words_of_their_own():
    systems = set()
    for query in (
        Query(text="x", at=Place(b"x.py", LineSpan(2, 2))),
        Query(text="x", profile="injection"),
        Query(text="x"),
    ):
        model = Scripted(lambda text: "")
        GENERATORS.get("model").write(query, CONTEXT, 0, model)
        ((system, user),) = model.asked
        systems.add(system.text)
        assert CONTEXT.text in user.text
    assert len(systems) == 3


def plan(tmp_path, model=None, generator="model") -> Plan:
    asked = settled(find_strategy("function"), Settings(generator=generator, options={}))
    folder = tmp_path / "results"
    return Plan(dataset=Shop(), asked=[asked], results=folder, cache=tmp_path / "kept", model=model)


def test_answers_of_two_models_are_two_runs(tmp_path):
    one, two = (Scripted(lambda text, said=said: said) for said in ("a", "b"))
    two.name = "other at host/8080"
    (first,) = run(plan(tmp_path, one))
    (second,) = run(plan(tmp_path, two))
    assert first.name != second.name
    assert "other-at-host-8080" in second.name
    header, outcomes = read_results(second)
    assert header.settings["model"] == "other-at-host-8080"
    assert all(each.prompt_tokens and each.answer_tokens for each in outcomes.values())
    asked = len(two.asked)
    run(plan(tmp_path, two))
    assert len(two.asked) == asked, "what was written is kept"


def test_a_generator_without_its_model_is_refused_before_anything_runs(tmp_path):
    with pytest.raises(BadInput, match="needs a language model"):
        run(plan(tmp_path))
    assert not (tmp_path / "results").exists()
    assert run(plan(tmp_path, generator="extractive"))

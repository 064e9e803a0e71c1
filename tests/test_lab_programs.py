"""Programs that come with the lab, completed or mended, and their tests in a process of its own."""

from __future__ import annotations

import pytest

from grainline.errors import BadInput
from grainline.lab.completion import holes
from grainline.lab.measures.base import FAMILIES, AnswerFamily
from grainline.lab.patches import Block, applied, blocks, written_as
from grainline.lab.programs import passes
from grainline.lab.questions import Question
from grainline.lab.repairs import broken, questions
from grainline.lab.trials import trial
from grainline.lab.values import NO_CONTEXT, Answer

TRIED = [each for each in (*holes(), *questions()) if each.trial]


def answer(written: str | None, *, runnable: bool = True) -> Answer:
    return Answer(ranking=(), context=NO_CONTEXT, written=written, runnable=runnable)


def family(symbol: str) -> AnswerFamily:
    (found,) = [
        each
        for each in map(FAMILIES.get, FAMILIES.names())
        if isinstance(each, AnswerFamily) and each.symbol == symbol
    ]
    return found


# ------------------------------------------------------------------ the process


def test_a_program_passes_when_every_test_returns():
    files = {b"sums.py": b"def add(a, b):\n    return a + b\n", b"deep/down/it.py": b"VALUE = 3\n"}
    right = "from sums import add\nfrom deep.down.it import VALUE\n"
    assert passes(files, right + "def test_it():\n    assert add(1, 2) == VALUE\n").passed
    failed = passes(files, right + "def test_it():\n    assert add(1, 1) == VALUE\n")
    assert not failed.passed
    assert "AssertionError" in failed.said


@pytest.mark.parametrize(
    "does",
    [
        "import os\nos._exit(0)",
        "import sys\nsys.exit(0)",
        "raise SystemExit",
        "open('x', 'w')",
        "open('/etc/passwd')",
        "import os\nos.open('x', os.O_CREAT | os.O_WRONLY)",
        "import os\nos.mkdir('x')",
        "import os\nos.remove('x')",
        "import os\nos.system('true')",
        "import os\nos.fork()",
        "import subprocess\nsubprocess.run(['true'])",
        "import socket\nsocket.socket()",
        "import ctypes",
        "import sqlite3\nsqlite3.connect('x')",
        "import shutil\nshutil.rmtree('x')",
        "x = bytearray(2 << 30)",
        "def broken(:",
    ],
)
def test_what_a_program_may_not_do_fails_its_tests(does):
    assert not passes({b"it.py": does.encode()}, "import it\ndef test_it(): pass").passed


def test_nothing_of_this_installation_can_be_imported():
    assert not passes({b"it.py": b"import numpy"}, "import it").passed
    assert not passes({b"it.py": b"import grainline"}, "import it").passed


def test_a_program_without_end_is_ended():
    busy = {b"it.py": b"while True: pass"}
    assert not passes(busy, "import it", cpu=1).passed
    waits = {b"it.py": b"import time\ntime.sleep(60)"}
    assert "more than 0.5 s" in passes(waits, "import it", wall=0.5).said


# ------------------------------------------------------------------ the sets


@pytest.mark.parametrize("asked", TRIED, ids=[each.trial for each in TRIED])
def test_what_stood_there_passes_and_nothing_does_not(asked):
    right = trial(asked, asked.expected)
    assert right is not None
    assert right.passed, right.said
    nothing = trial(asked, "")
    assert nothing is not None
    assert not nothing.passed, "the tests do not reach it"


def test_every_kind_and_program_has_trials():
    assert {each.kind for each in TRIED if each.task == ""} == {"line", "call", "body"}
    assert len({each.trial for each in TRIED}) == len(TRIED)
    assert len([each for each in TRIED if each.task == "repair"]) == 12
    assert all(each.language == "python" for each in TRIED)


def test_a_writer_may_set_a_body_off_as_it_likes():
    (asked,) = [each for each in TRIED if each.trial == "completion/versions-06"]
    lines = asked.expected.split("\n")
    dedented = "\n".join(line.removeprefix("        ") for line in lines)
    for written in (
        dedented,
        f"```python\n{dedented}\n```",
        asked.expected.lstrip(),
        f"\n{asked.expected}\n",
    ):
        found = trial(asked, written)
        assert found is not None
        assert found.passed, found.said


# ------------------------------------------------------------------ patches


def test_a_patch_is_found_in_words_and_must_fit():
    files = {b"a.py": b"x = 1\ny = 1\nz = 2\n"}
    block = Block("a.py", "y = 1\n", "y = 3\n")
    text = "The reason is this.\n\n" + written_as(block) + "\nThat is all."
    assert list(blocks(text)) == [block]
    assert applied(files, text) == {b"a.py": b"x = 1\ny = 3\nz = 2\n"}
    assert applied(files, "nothing to say") is None
    assert applied(files, written_as(Block("b.py", "y = 1\n", ""))) is None
    assert applied(files, written_as(Block("a.py", "y = 2\n", ""))) is None
    assert applied(files, written_as(Block("a.py", "= 1\n", ""))) is None, "it stands there twice"
    assert applied(files, written_as(Block("a.py", "", "y = 1\n"))) is None
    marked = text.replace("a.py\n", "`a.py`:\n```python\n", 1)
    assert applied(files, marked) == applied(files, text)


def test_a_patch_of_something_else_mends_nothing():
    first, second = questions()[:2]
    found = trial(first, second.expected)
    assert found is not None
    assert not found.passed
    assert broken(first.trial) != broken(second.trial)


# ------------------------------------------------------------------ the measures


def test_nothing_is_run_that_may_not_be():
    hole, fault = TRIED[0], questions()[0]
    assert family("Pass").score_answer(hole, answer(hole.expected), 1) == 1.0
    assert family("Pass").score_answer(hole, answer(""), 1) == 0.0
    assert family("Pass").score_answer(hole, answer(hole.expected, runnable=False), 1) is None
    assert family("Pass").score_answer(hole, answer(None), 1) is None
    assert family("Pass").score_answer(fault, answer(fault.expected), 1) is None
    assert family("Patched").score_answer(fault, answer(fault.expected), None) == 1.0
    assert family("Patched").score_answer(fault, answer("no patch"), None) == 0.0
    assert (
        family("Patched").score_answer(fault, answer(fault.expected, runnable=False), None) is None
    )
    assert family("Patched").score_answer(hole, answer(hole.expected), None) is None
    with pytest.raises(BadInput, match="Pass@2"):
        family("Pass").score_answer(hole, answer(""), 2)


def test_what_is_not_our_own_has_no_trial():
    asked = Question(
        id="q", repository="o/r", commit="", language="python", text="?", files=(), expected="x"
    )
    assert trial(asked, "x") is None
